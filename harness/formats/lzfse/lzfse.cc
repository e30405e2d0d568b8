#include "harness/formats/lzfse/lzfse.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/formats/lzfse/blocks.h"

namespace anecheck::lzfse {

Error Broken(uint64_t offset, std::string_view what) {
  return MakeError(ErrorCode::kMalformed, fmt::format("LZFSE: {} at {:#x}", what, offset), offset);
}

Status CheckClaim(uint64_t size, uint64_t limit, const ByteReader& reader,
                  const std::vector<uint8_t>& out) {
  if (size <= limit - out.size()) return {};
  return MakeError(
      ErrorCode::kLimit,
      fmt::format("LZFSE: unpacks to more than {} bytes, at {:#x}", limit, reader.offset()),
      reader.offset());
}

bool AppendMatch(uint64_t distance, uint64_t length, std::vector<uint8_t>& out) {
  if (distance == 0 || distance > out.size()) return false;
  // Copies byte by byte, because the source of a match may overlap the bytes that it appends.
  for (uint64_t i = 0; i < length; ++i) out.push_back(out[out.size() - distance]);
  return true;
}

namespace {

constexpr std::string_view kFrame = "pbze";

std::string_view Magic(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min<size_t>(bytes.size(), 4)};
}

Status UnpackBlock(ByteReader& reader, std::string_view magic, uint64_t limit,
                   std::vector<uint8_t>& out) {
  if (magic == "bvx2" || magic == "bvx1") {
    return UnpackEntropyBlock(reader, magic == "bvx2", limit, out);
  }
  if (magic == "bvxn") return UnpackLzvnBlock(reader, limit, out);
  if (magic != "bvx-") return Broken(reader.offset() - 4, "no block of a known kind");
  const uint32_t size = reader.U32("size of a plain block");
  ANECHECK_RETURN_IF_ERROR(CheckClaim(size, limit, reader, out));
  const std::span<const uint8_t> plain = reader.Bytes(size, "plain block");
  out.insert(out.end(), plain.begin(), plain.end());
  return reader.status();
}

// Unpacks blocks up to the block that ends the stream.
Status UnpackStream(ByteReader& reader, uint64_t limit, std::vector<uint8_t>& out) {
  for (;;) {
    const std::string_view magic = Magic(reader.Bytes(4, "magic of a block"));
    ANECHECK_RETURN_IF_ERROR(reader.status());
    if (magic == "bvx$") return {};
    ANECHECK_RETURN_IF_ERROR(UnpackBlock(reader, magic, limit, out));
  }
}

uint64_t BigEndian(ByteReader& reader, std::string_view field) {
  uint64_t value = 0;
  for (const uint8_t byte : reader.Bytes(8, field)) value = value << 8 | byte;
  return value;
}

Status UnpackChunk(ByteReader& reader, uint64_t limit, std::vector<uint8_t>& out) {
  const uint64_t size = BigEndian(reader, "size of a chunk");
  const uint64_t packed = BigEndian(reader, "packed size of a chunk");
  ANECHECK_RETURN_IF_ERROR(CheckClaim(size, limit, reader, out));
  ByteReader chunk = reader.Sub(reader.position(), packed, "chunk");
  reader.Skip(packed, "chunk");
  ANECHECK_RETURN_IF_ERROR(reader.status());
  const size_t before = out.size();
  if (!FormOf(chunk.all()).empty()) {
    // Matches of a chunk do not refer to the previous chunk.
    std::vector<uint8_t> unpacked;
    ANECHECK_RETURN_IF_ERROR(UnpackStream(chunk, limit - before, unpacked));
    out.insert(out.end(), unpacked.begin(), unpacked.end());
  } else {
    out.insert(out.end(), chunk.all().begin(), chunk.all().end());
  }
  if (out.size() - before == size) return {};
  return Broken(chunk.base(),
                fmt::format("a chunk of {} bytes unpacks to {}", size, out.size() - before));
}

}  // namespace

std::string_view FormOf(std::span<const uint8_t> bytes) {
  constexpr std::string_view kForms[] = {kFrame, "bvx2", "bvx1", "bvxn", "bvx-"};
  const auto* found = std::ranges::find(kForms, Magic(bytes));
  return found == std::end(kForms) ? std::string_view() : *found;
}

Result<std::vector<uint8_t>> Unpack(std::span<const uint8_t> bytes, uint64_t limit) {
  std::vector<uint8_t> out;
  ByteReader reader(bytes, 0, "LZFSE");
  if (Magic(bytes) == kFrame) {
    reader.Skip(kFrame.size(), "magic");
    BigEndian(reader, "size of blocks");
    while (reader.ok() && !reader.AtEnd()) {
      ANECHECK_RETURN_IF_ERROR(UnpackChunk(reader, limit, out));
    }
    ANECHECK_RETURN_IF_ERROR(reader.status());
    return out;
  }
  ANECHECK_RETURN_IF_ERROR(UnpackStream(reader, limit, out));
  if (!reader.AtEnd()) return Broken(reader.offset(), "bytes behind the end of the stream");
  return out;
}

}  // namespace anecheck::lzfse
