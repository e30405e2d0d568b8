// Counts the bytes of a file by kind, each byte once. ByteKindMap takes claims in any order, for
// containers whose records point here and there; TextByteKinds takes the pieces of a text one
// behind the other. Used by the formats' count_bytes functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/formats/format.h"

namespace anecheck {

// The kind of a byte, strongest claim first: a byte that several claims cover is of the first of
// them. So a record may be claimed as typed as a whole, and the words in it that no source names as
// opaque.
enum class ByteKind : uint8_t { kOpaque, kPayload, kFill, kTyped };
inline constexpr size_t kByteKinds = 4;

// Bytes [begin, end) of a file.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Claims on the bytes of a file. A byte without a claim is fill where it is 0 and opaque otherwise.
// Takes 16 bytes a claim; claims of one kind that touch become one. Not thread-safe.
class ByteKindMap {
 public:
  // `bytes` outlives the map.
  explicit ByteKindMap(ByteSpan bytes) : bytes_(bytes) {}

  // The part beyond the file is cut off.
  void Claim(ByteKind kind, uint64_t offset, uint64_t size);

  // Linear in the file and in n log n of the claims.
  ByteCounts Count() &&;

 private:
  void CountUnclaimed(uint64_t begin, uint64_t end, ByteCounts* counts) const;

  ByteSpan bytes_;
  std::array<std::vector<ByteRange>, kByteKinds> claims_;
};

// Counts the pieces of a text in their order.
class TextByteKinds {
 public:
  // `opaque` are stretches that no source describes, whatever stands in them; they do not overlap.
  explicit TextByteKinds(std::vector<ByteRange> opaque = {});

  // The next `size` bytes are of this kind, where they do not lie in an opaque stretch.
  void Add(ByteKind kind, uint64_t size);

  // Of a text of `total` bytes; those that were not added are typed.
  ByteCounts Count(uint64_t total) &&;

 private:
  std::vector<ByteRange> opaque_;
  size_t next_ = 0;  // the first opaque stretch that does not end before `at_`
  uint64_t at_ = 0;
  std::array<uint64_t, kByteKinds> counts_{};
};

}  // namespace anecheck
