#include "harness/formats/npz/npz.h"

#include <fmt/format.h>
#include <set>

#include "harness/base/file.h"
#include "harness/formats/message.h"
#include "harness/formats/npz/zip.h"

namespace anecheck::npz {
namespace {

constexpr std::string_view kSuffix = ".npy";

Error Prefixed(std::string_view prefix, Error error) {
  error.message = fmt::format("{}: {}", prefix, error.message);
  return error;
}

}  // namespace

Result<std::vector<NamedArray>> ReadNpz(std::span<const uint8_t> bytes, uint64_t limit) {
  ANECHECK_ASSIGN(const ZipArchive archive, ParseZip(bytes));
  std::vector<NamedArray> arrays;
  std::set<std::string> names;
  for (const ZipEntry& entry : archive.entries) {
    std::string name = entry.central.name;
    if (!name.ends_with(kSuffix)) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("npz: member '{}' is no .npy array", Shown(name)),
                       entry.local_offset);
    }
    name.resize(name.size() - kSuffix.size());
    if (!names.insert(name).second) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("npz: member '{}' comes twice", Shown(name)),
                       entry.local_offset);
    }
    ANECHECK_ASSIGN(const std::vector<uint8_t> content, ExtractZip(entry, limit));
    limit -= content.size();
    // Offsets in a deflated member count from the start of its unpacked content.
    const uint64_t base = entry.central.method == kStored ? entry.data_offset : 0;
    auto array = ReadNpy(content, base);
    if (!array.ok()) return Prefixed(Shown(name), std::move(array).error());
    arrays.push_back({std::move(name), *std::move(array)});
  }
  return arrays;
}

Result<std::vector<uint8_t>> WriteNpz(std::span<const NamedArray> arrays, bool compress) {
  ZipArchive archive;
  std::set<std::string_view> names;
  for (const NamedArray& array : arrays) {
    if (array.name.empty() || !names.insert(array.name).second) {
      return MakeError(
          ErrorCode::kInvalid,
          fmt::format("npz: array name '{}' is empty or comes twice", Shown(array.name)));
    }
    auto content = WriteNpy(array.array);
    if (!content.ok()) return Prefixed(Shown(array.name), std::move(content).error());
    ANECHECK_RETURN_IF_ERROR(
        AddToZip(archive, array.name + std::string(kSuffix), *content, compress));
  }
  ANECHECK_RETURN_IF_ERROR(FinishZip(archive));
  return WriteZip(archive);
}

Result<std::vector<NamedArray>> ReadNpzFile(const std::string& path, uint64_t limit) {
  ANECHECK_ASSIGN(const std::vector<uint8_t> bytes, ReadFile(path, limit));
  if (IsNpy(bytes)) {
    return MakeError(ErrorCode::kMalformed,
                     path +
                         ": a .npy file holds one array without a name; write it with "
                         "numpy.savez(FILE, name=array) as .npz");
  }
  auto arrays = ReadNpz(bytes, limit);
  if (!arrays.ok()) return Prefixed(path, std::move(arrays).error());
  return arrays;
}

Status WriteNpzFile(const std::string& path, std::span<const NamedArray> arrays, bool compress) {
  ANECHECK_ASSIGN(const std::vector<uint8_t> bytes, WriteNpz(arrays, compress));
  return WriteFileAtomic(path, bytes);
}

}  // namespace anecheck::npz
