#include "harness/cli/gen_folder.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"

namespace anecheck {
namespace {

// Returns whether `gen` may have given this name to a file of `format`. A manifest from another
// source must not name files outside the folder.
bool IsOfASet(std::string_view name, std::string_view format) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
  };
  return !format.empty() && name.size() > format.size() && name.starts_with(format) &&
         name[format.size()] == '_' && std::ranges::all_of(name, plain);
}

// Returns the names of the files in the folder's manifest, or an empty list without a manifest.
std::vector<std::string> FilesOfEarlierSet(const std::string& folder) {
  const auto text = ReadTextFile(folder + "/manifest.json");
  if (!text.ok()) return {};
  const auto manifest = ParseJson(*text);
  if (!manifest.ok() || !manifest->is_object()) return {};
  const auto files = manifest->find("files");
  const auto named = manifest->find("format");
  if (files == manifest->end() || !files->is_array() || named == manifest->end() ||
      !named->is_string()) {
    return {};
  }
  const std::string format = named->get<std::string>();
  std::vector<std::string> names;
  for (const Json& entry : *files) {
    if (!entry.is_object() || !entry.contains("file") || !entry["file"].is_string()) continue;
    const std::string name = entry["file"].get<std::string>();
    if (!IsOfASet(name, format)) continue;
    if (format != "pair") {
      names.push_back(name);
      continue;
    }
    // For a pair the manifest has the common name of two files, without the suffixes.
    names.push_back(name + ".e5");
    names.push_back(name + ".hwx");
  }
  return names;
}

}  // namespace

Status PrepareSetFolder(const std::string& folder) {
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(folder));
  for (const std::string& name : FilesOfEarlierSet(folder)) {
    const std::string path = fmt::format("{}/{}", folder, name);
    std::error_code error;
    std::filesystem::remove(path, error);
    if (error) {
      return MakeError(ErrorCode::kIo,
                       fmt::format("{}: belongs to an earlier set and cannot be removed: {}", path,
                                   error.message()));
    }
  }
  return {};
}

}  // namespace anecheck
