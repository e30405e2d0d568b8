// Fuzzes the unpacking of LZFSE streams. The unpacked bytes stay within the size limit, and a
// stream inside a frame unpacks to the same bytes.
#include <string_view>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "harness/formats/lzfse/lzfse.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws = MoreLaws(kErrorLaws, "unpacked bytes stay within the limit",
                                "a frame holds the bytes of its stream");
using Laws = LawBook<kLaws>;

constexpr uint64_t kLimit = uint64_t{1} << 20;

void AppendBigEndian(uint64_t value, Bytes& bytes) {
  for (int shift = 56; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<uint8_t>(value >> shift));
}

Bytes Framed(ByteSpan stream, uint64_t size) {
  Bytes bytes = {'p', 'b', 'z', 'e'};
  AppendBigEndian(kLimit, bytes);
  AppendBigEndian(size, bytes);
  AppendBigEndian(stream.size(), bytes);
  bytes.insert(bytes.end(), stream.begin(), stream.end());
  return bytes;
}

bool Check(ByteSpan input) {
  const auto unpacked = lzfse::Unpack(input, kLimit);
  if (!unpacked.ok()) {
    RequireGoodError(unpacked.error(), input.size());
    return true;
  }
  Laws::Require(unpacked->size() <= kLimit, "unpacked bytes stay within the limit");
  if (lzfse::FormOf(input) == "pbze" || lzfse::FormOf(input).empty()) return true;
  const auto framed = lzfse::Unpack(Framed(input, unpacked->size()), kLimit);
  Laws::Require(framed.ok() && *framed == *unpacked, "a frame holds the bytes of its stream",
                framed.ok() ? "" : framed.error().message);
  return true;
}

void AppendLittleEndian(uint32_t value, Bytes& bytes) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<uint8_t>(value >> shift));
}

void Append(std::string_view text, Bytes& bytes) {
  bytes.insert(bytes.end(), text.begin(), text.end());
}

void AppendPlainBlock(ChoiceStream& choices, Bytes& bytes) {
  const auto size = static_cast<uint32_t>(choices.Below(20));
  Append("bvx-", bytes);
  AppendLittleEndian(size, bytes);
  for (uint32_t i = 0; i < size; ++i) bytes.push_back(static_cast<uint8_t>(choices.Below(256)));
}

// Appends literals and up to four pairs of matches. Both matches of a pair have the same distance.
void AppendLzvnBlock(ChoiceStream& choices, Bytes& bytes) {
  Bytes codes = {0xe4, 'a', 'b', 'c', 'd'};
  uint32_t size = 4;
  for (uint64_t i = choices.Below(5); i > 0; --i) {
    const auto length = static_cast<uint32_t>(choices.Range(1, 15));
    codes.insert(codes.end(),
                 {static_cast<uint8_t>(0x00), static_cast<uint8_t>(choices.Range(1, 4)),
                  static_cast<uint8_t>(0xf0 + length)});
    size += 3 + length;
  }
  codes.insert(codes.end(), {0x06, 0, 0, 0, 0, 0, 0, 0});
  Append("bvxn", bytes);
  AppendLittleEndian(size, bytes);
  AppendLittleEndian(static_cast<uint32_t>(codes.size()), bytes);
  bytes.insert(bytes.end(), codes.begin(), codes.end());
}

Bytes Generate(ChoiceStream& choices) {
  Bytes bytes;
  for (uint64_t i = choices.Below(4); i > 0; --i) {
    if (choices.Coin()) {
      AppendPlainBlock(choices, bytes);
    } else {
      AppendLzvnBlock(choices, bytes);
    }
  }
  Append("bvx$", bytes);
  return bytes;
}

WordTables Words() {
  WordTable magics = {"magics"};
  for (const std::string_view magic : {"pbze", "bvx2", "bvx1", "bvxn", "bvx-", "bvx$"}) {
    magics.Text(magic);
  }
  return {magics};
}

}  // namespace

extern const FuzzTarget kTarget_lzfse;
const FuzzTarget kTarget_lzfse = {
    .name = "lzfse", .check = Check, .laws = kLaws, .words = Words, .generate = Generate};

}  // namespace anecheck::fuzz
