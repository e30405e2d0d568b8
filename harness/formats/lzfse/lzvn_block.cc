// LZVN blocks, which occur in short streams. An opcode has the number of literal bytes that follow
// it, and the length and distance of the match after them.
#include <fmt/format.h>

#include "harness/formats/lzfse/blocks.h"

namespace anecheck::lzfse {
namespace {

struct Step {
  uint64_t literals = 0, match = 0, distance = 0;
  bool ends = false;
};

// Reads one opcode. Its upper and lower bits determine its form.
Result<Step> ReadStep(ByteReader& reader, uint64_t previous) {
  const uint64_t at = reader.offset();
  const uint32_t code = reader.U8("opcode");
  const uint32_t high = code >> 4, low = code & 0xf, kind = code & 7;
  const uint64_t literals = code >> 6, match = (code >> 3 & 7) + 3;
  if (high == 0xe) {
    return Step{.literals = low == 0 ? reader.U8("length") + uint64_t{16} : low};
  }
  if (high == 0xf) {
    return Step{.match = low == 0 ? reader.U8("length") + uint64_t{16} : low, .distance = previous};
  }
  if (high == 0xa || high == 0xb) {
    const uint32_t word = reader.U16("distance");
    return Step{.literals = code >> 3 & 3,
                .match = ((code & 7) << 2 | (word & 3)) + uint64_t{3},
                .distance = word >> 2};
  }
  if (high == 7 || high == 0xd) return Broken(at, fmt::format("opcode {:#04x}", code));
  if (kind == 7) {
    return Step{.literals = literals, .match = match, .distance = reader.U16("distance")};
  }
  if (kind == 6) {
    if (code == 0x06) {
      reader.Skip(7, "padding of the last opcode");
      return Step{.ends = true};
    }
    if (code == 0x0e || code == 0x16) return Step();  // no operation
    if (code < 0x40) return Broken(at, fmt::format("opcode {:#04x}", code));
    return Step{.literals = literals, .match = match, .distance = previous};
  }
  return Step{.literals = literals,
              .match = match,
              .distance = (code & 7) << 8 | uint32_t{reader.U8("distance")}};
}

}  // namespace

Status UnpackLzvnBlock(ByteReader& reader, uint64_t limit, std::vector<uint8_t>& out) {
  const uint32_t size = reader.U32("size of a block");
  const uint32_t packed = reader.U32("packed size of a block");
  ANECHECK_RETURN_IF_ERROR(CheckClaim(size, limit, reader, out));
  ByteReader block = reader.Sub(reader.position(), packed, "block");
  reader.Skip(packed, "block");
  ANECHECK_RETURN_IF_ERROR(reader.status());
  const uint64_t end = out.size() + size;
  uint64_t distance = 0;
  while (block.ok()) {
    const uint64_t at = block.offset();
    ANECHECK_ASSIGN(const Step step, ReadStep(block, distance));
    ANECHECK_RETURN_IF_ERROR(block.status());
    if (step.ends) break;
    if (step.literals + step.match > end - out.size()) return Broken(at, "more bytes than claimed");
    const std::span<const uint8_t> literals = block.Bytes(step.literals, "literals");
    out.insert(out.end(), literals.begin(), literals.end());
    if (step.match == 0) continue;
    distance = step.distance;
    if (!AppendMatch(distance, step.match, out)) return Broken(at, "a match before the stream");
  }
  ANECHECK_RETURN_IF_ERROR(block.status());
  if (out.size() != end) return Broken(block.base(), "fewer bytes than claimed");
  return {};
}

}  // namespace anecheck::lzfse
