// The beginning of an array file in an archive, which is all that rules and listings look at: of a
// compressed member no more is held, however much it unpacks to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/npz/npy.h"
#include "harness/formats/npz/zip.h"

namespace anecheck::npz {

// A header of version 1 at its longest, six times the limit that NumPy has by default.
inline constexpr size_t kHeldOfMember = 10 + UINT16_MAX;

// Moved, not copied: `bytes` may lie in `unpacked`.
struct MemberHead {
  MemberHead() = default;
  MemberHead(MemberHead&&) = default;
  MemberHead& operator=(MemberHead&&) = default;

  std::span<const uint8_t> bytes;  // of the content, all of it where it is not compressed
  uint64_t size = 0;               // of the content
  bool compressed = false;
  uint64_t data_offset = 0;  // in the archive, of the data, compressed or not
  std::vector<uint8_t> unpacked;
};

// Reads and verifies all of the content, under the conditions of ExtractZip. `entry` must outlive
// the result.
Result<MemberHead> ReadMemberHead(const ZipEntry& entry, uint64_t limit);

// An array file that is in no archive; `bytes` must outlive the result.
MemberHead WholeFile(std::span<const uint8_t> bytes);

// kLimit if the header goes on behind the bytes at hand.
Status CheckHeaderIsHeld(const MemberHead& head);

// The layout of the array, or the errors of CheckHeaderIsHeld and ReadNpyLayout. Offsets are those
// of the archive, but inside a compressed member of its content.
Result<Layout> ReadLayout(const MemberHead& head);

}  // namespace anecheck::npz
