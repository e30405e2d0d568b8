#include "harness/formats/npz/member_head.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/byte_reader.h"
#include "harness/formats/npz/npy_header.h"

namespace anecheck::npz {
namespace {

Result<std::vector<uint8_t>> UnpackHead(const ZipEntry& entry, uint64_t limit) {
  std::vector<uint8_t> head;
  ANECHECK_RETURN_IF_ERROR(UnpackZip(entry, limit, [&](std::span<const uint8_t> piece) {
    const auto kept = piece.first(std::min(piece.size(), kHeldOfMember - head.size()));
    head.insert(head.end(), kept.begin(), kept.end());
  }));
  return head;
}

}  // namespace

Result<MemberHead> ReadMemberHead(const ZipEntry& entry, uint64_t limit) {
  MemberHead head;
  head.size = entry.full_size;
  head.compressed = entry.central.method != kStored;
  head.data_offset = entry.data_offset;
  if (head.compressed) {
    ANECHECK_ASSIGN(head.unpacked, UnpackHead(entry, limit));
    head.bytes = head.unpacked;
  } else {
    ANECHECK_RETURN_IF_ERROR(UnpackZip(entry, limit, [](std::span<const uint8_t> /*piece*/) {}));
    head.bytes = entry.data;
  }
  return head;
}

MemberHead WholeFile(std::span<const uint8_t> bytes) {
  MemberHead head;
  head.bytes = bytes;
  head.size = bytes.size();
  return head;
}

Status CheckHeaderIsHeld(const MemberHead& head) {
  if (head.bytes.size() == head.size || !IsNpy(head.bytes)) return {};
  ByteReader reader(head.bytes);
  Header header;
  const auto length = ReadHeaderLength(reader, header);
  if (!length.ok() || *length <= reader.remaining()) return {};
  return MakeError(ErrorCode::kLimit,
                   fmt::format("npy: the first {} bytes of a compressed member are read, and its "
                               "header has {}",
                               kHeldOfMember, *length));
}

Result<Layout> ReadLayout(const MemberHead& head) {
  ANECHECK_RETURN_IF_ERROR(CheckHeaderIsHeld(head));
  return ReadNpyLayout(head.bytes, head.size, head.compressed ? 0 : head.data_offset);
}

}  // namespace anecheck::npz
