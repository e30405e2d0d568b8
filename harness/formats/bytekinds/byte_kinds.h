// Counts the bytes of a file by kind, each byte once. ByteKindMap takes claims in any order, for
// containers whose records are not visited in file order. TextByteKinds takes the pieces of a text
// in order. Used by the formats' count_bytes functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/formats/format.h"

namespace anecheck {

// The kind of a byte. If several claims cover a byte, the kind that comes first in this enumeration
// applies. So a caller may claim a whole record as typed, and then claim its unnamed words as
// opaque.
enum class ByteKind : uint8_t { kOpaque, kPayload, kFill, kTyped };
inline constexpr size_t kByteKinds = 4;

// Bytes [begin, end) of a file.
struct ByteRange {
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Claims on the bytes of a file. A byte without a claim is fill if it is 0, and opaque otherwise.
// Needs 16 bytes of memory per claim, and merges adjacent claims of one kind. Not thread-safe.
class ByteKindMap {
 public:
  // `bytes` must outlive the map.
  explicit ByteKindMap(ByteSpan bytes) : bytes_(bytes) {}

  // Claims `size` bytes at `offset`. Ignores the part of the claim beyond the end of the file.
  void Claim(ByteKind kind, uint64_t offset, uint64_t size);

  // Takes O(file size + n log n) time for n claims.
  ByteCounts Count() &&;

 private:
  void CountUnclaimed(uint64_t begin, uint64_t end, ByteCounts* counts) const;

  ByteSpan bytes_;
  std::array<std::vector<ByteRange>, kByteKinds> claims_;
};

// Counts the bytes of a text, whose pieces are added in order.
class TextByteKinds {
 public:
  // `opaque` lists the ranges that no source describes. They must not overlap. Their bytes count as
  // opaque, even if Add passes another kind.
  explicit TextByteKinds(std::vector<ByteRange> opaque = {});

  // Counts the next `size` bytes as `kind`, except those in an opaque range.
  void Add(ByteKind kind, uint64_t size);

  // Returns the counts for a text of `total` bytes. Bytes that were not added count as typed.
  ByteCounts Count(uint64_t total) &&;

 private:
  std::vector<ByteRange> opaque_;
  size_t next_ = 0;  // the first opaque range that does not end before `at_`
  uint64_t at_ = 0;
  std::array<uint64_t, kByteKinds> counts_{};
};

}  // namespace anecheck
