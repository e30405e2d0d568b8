#include "harness/runners/bundle_folder.h"

#include <cerrno>
#include <cstdint>
#include <dirent.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

#include "harness/base/file.h"
#include "harness/runners/analytics.h"

namespace anecheck {
namespace {

constexpr std::string_view kAnalytics = "analytics.mil";
constexpr uint64_t kLongestAnalytics = uint64_t{1} << 24;
constexpr int kMostEntries = 4096;

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseFolder>;

std::string PathIn(const std::string& folder, std::string_view name) {
  std::string path = folder;
  path += '/';
  path += name;
  return path;
}

// The next entry, or null at the end.
const dirent* NextEntry(DIR* folder) {
  for (const dirent* entry = nullptr; (entry = readdir(folder)) != nullptr;) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return entry;
  }
  return nullptr;
}

// False where the folder is not there or holds more than files. Files, of which there are few, cost
// less than the folder would, and analytics, which are written again and prove nothing while they
// are empty, cost less emptied than removed.
bool ClearFiles(const std::string& path) {
  const OpenFolder folder(opendir(path.c_str()));
  if (folder == nullptr) return false;
  errno = 0;
  while (const dirent* entry = NextEntry(folder.get())) {
    const bool emptied = entry->d_name == kAnalytics && entry->d_type == DT_REG &&
                         truncate(PathIn(path, kAnalytics).c_str(), 0) == 0;
    if (!emptied && unlinkat(dirfd(folder.get()), entry->d_name, 0) != 0) return false;
    errno = 0;
  }
  return errno == 0;
}

// Files called kAnalytics, wherever they are.
std::vector<std::string> FindAnalytics(const std::string& path) {
  std::vector<std::string> found;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entries(path, error);
  int seen = 0;
  for (const auto end = std::filesystem::end(entries);
       !error && entries != end && seen < kMostEntries; entries.increment(error), ++seen) {
    if (entries->path().filename() == kAnalytics) found.push_back(entries->path().string());
  }
  return error ? std::vector<std::string>() : found;
}

// What a folder of files alone holds.
struct Files {
  std::vector<std::string> analytics;
  int count = 0;
};

// Nothing where the folder holds more than files.
std::optional<Files> FindAmongFiles(const std::string& path) {
  Files files;
  const OpenFolder folder(opendir(path.c_str()));
  if (folder == nullptr) return std::nullopt;
  while (const dirent* entry = NextEntry(folder.get())) {
    if (entry->d_type != DT_REG || ++files.count > kMostEntries) return std::nullopt;
    if (entry->d_name == kAnalytics) files.analytics.push_back(PathIn(path, kAnalytics));
  }
  return files;
}

}  // namespace

Status BundleFolder::Clear() {
  if (std::exchange(only_analytics_, false) &&
      truncate(PathIn(path_, kAnalytics).c_str(), 0) == 0) {
    return {};
  }
  if (ClearFiles(path_)) return {};
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  if (!error && std::filesystem::create_directory(path_, error)) return {};
  return MakeError(ErrorCode::kIo,
                   fmt::format("{}: cannot be made anew: {}", path_, error.message()));
}

std::string BundleFolder::SelectedBackend() {
  const auto files = FindAmongFiles(path_);
  only_analytics_ = files && files->count == 1 && files->analytics.size() == 1;
  const auto found = files ? files->analytics : FindAnalytics(path_);
  std::string backend;
  for (const std::string& path : found) {
    const auto text = ReadTextFile(path, kLongestAnalytics);
    const std::string named = text.ok() ? BackendInAnalytics(*text) : std::string();
    if (named.empty()) return {};
    if (backend.empty() || backend == kEngineBackend) backend = named;
  }
  return backend;
}

}  // namespace anecheck
