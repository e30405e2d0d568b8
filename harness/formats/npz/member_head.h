// The beginning of an array file in an archive. Rules and listings need only this part. So a
// compressed member takes little memory even if its content is large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/npz/npy.h"
#include "harness/formats/npz/zip.h"

namespace anecheck::npz {

// The maximum size of a header of version 1, which is six times NumPy's default limit.
inline constexpr size_t kHeldOfMember = 10 + UINT16_MAX;

// Movable, not copyable, because `bytes` may refer to `unpacked`.
struct MemberHead {
  MemberHead() = default;
  MemberHead(MemberHead&&) = default;
  MemberHead& operator=(MemberHead&&) = default;

  std::span<const uint8_t> bytes;  // start of the content; all of it if uncompressed
  uint64_t size = 0;               // the size of the content
  bool compressed = false;
  uint64_t data_offset = 0;  // offset of the stored data in the archive
  std::vector<uint8_t> unpacked;
};

// Reads and verifies the whole content like ExtractZip. `entry` must outlive the result.
Result<MemberHead> ReadMemberHead(const ZipEntry& entry, uint64_t limit);

// Returns the head of an array file that is not in an archive. `bytes` must outlive the result.
MemberHead WholeFile(std::span<const uint8_t> bytes);

// Errors: kLimit if the header extends beyond `head.bytes`.
Status CheckHeaderIsHeld(const MemberHead& head);

// Returns the layout of the array, or the errors of CheckHeaderIsHeld and ReadNpyLayout. Offsets
// count from the start of the archive. If the member is compressed, they count from the start of
// its unpacked content.
Result<Layout> ReadLayout(const MemberHead& head);

}  // namespace anecheck::npz
