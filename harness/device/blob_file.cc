#include "harness/device/blob_file.h"

#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "harness/base/byte_reader.h"

namespace anecheck::device {
namespace {

constexpr uint32_t kSentinel = 0xdeadbeef;
constexpr uint64_t kRecordSize = 64;
constexpr std::string_view kModelPath = "@model_path";

}  // namespace

Result<std::vector<uint8_t>> BlobFiles::Read(const std::string& path, uint64_t offset,
                                             uint64_t bytes) {
  std::string resolved = path;
  if (resolved.starts_with(kModelPath)) resolved.replace(0, kModelPath.size(), model_folder_);
  auto found = files_.find(resolved);
  if (found == files_.end()) {
    ANECHECK_ASSIGN(const std::string inside, ResolveInside(resolved, {&model_folder_, 1}));
    ANECHECK_ASSIGN(MappedFile content, MappedFile::Open(inside));
    found = files_.emplace(resolved, std::move(content)).first;
  }
  ByteReader file(found->second.bytes(), 0, "blob");
  ByteReader record = file.Sub(offset, kRecordSize, "record");
  const uint32_t sentinel = record.U32("sentinel");
  record.Skip(4, "type");
  const uint64_t size = record.U64("size");
  const uint64_t start = record.U64("offset");
  ANECHECK_RETURN_IF_ERROR(record.status());
  if (sentinel != kSentinel) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("blob record at {:#x} of {} starts with {:#x}, not 0xdeadbeef",
                                 offset, resolved, sentinel),
                     offset);
  }
  if (size < bytes) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("blob at {:#x} of {} has {} bytes, {} are needed", offset,
                                 resolved, size, bytes),
                     offset);
  }
  file.Seek(start, "payload");
  const auto payload = file.Bytes(bytes, "payload");
  ANECHECK_RETURN_IF_ERROR(file.status());
  return std::vector<uint8_t>(payload.begin(), payload.end());
}

}  // namespace anecheck::device
