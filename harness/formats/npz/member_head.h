// The beginning of an array file in an archive. Rules and listings need no more, so only this part
// of a compressed member is kept in memory, however much it unpacks to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/npz/npy.h"
#include "harness/formats/npz/zip.h"

namespace anecheck::npz {

// The longest header of version 1, six times NumPy's default limit.
inline constexpr size_t kHeldOfMember = 10 + UINT16_MAX;

// Movable, not copyable, because `bytes` may view `unpacked`.
struct MemberHead {
  MemberHead() = default;
  MemberHead(MemberHead&&) = default;
  MemberHead& operator=(MemberHead&&) = default;

  std::span<const uint8_t> bytes;  // the content's start; all of it if uncompressed
  uint64_t size = 0;               // the size of the content
  bool compressed = false;
  uint64_t data_offset = 0;  // the place of the data, compressed or not, in the archive
  std::vector<uint8_t> unpacked;
};

// Reads and verifies all of the content, under the conditions of ExtractZip. `entry` must outlive
// the result.
Result<MemberHead> ReadMemberHead(const ZipEntry& entry, uint64_t limit);

// The head of an array file outside an archive; `bytes` must outlive the result.
MemberHead WholeFile(std::span<const uint8_t> bytes);

// Errors: kLimit if the header extends beyond `head.bytes`.
Status CheckHeaderIsHeld(const MemberHead& head);

// The layout of the array, or the errors of CheckHeaderIsHeld and ReadNpyLayout. Offsets count from
// the start of the archive, or, if the member is compressed, from the start of its unpacked
// content.
Result<Layout> ReadLayout(const MemberHead& head);

}  // namespace anecheck::npz
