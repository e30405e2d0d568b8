#include "harness/runners/bundle_folder.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string_view>
#include <sys/stat.h>
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
// Files of analytics with this many bytes or more are not read through the open descriptor.
constexpr size_t kKeptBytes = size_t{1} << 15;

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

// Removes the files of the folder. Returns false if the folder is missing or contains an entry that
// is not a file. Removing the few files costs less than making a new folder. The function empties a
// file of analytics and does not remove it, which costs even less. An empty file proves nothing,
// and the compiler writes the file again for the next program.
bool ClearFiles(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(path.c_str()), closedir);
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

// All files called kAnalytics, in any subfolder.
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

// The content of a folder that contains only files.
struct Files {
  std::vector<std::string> analytics;
  uint64_t number = 0;  // the inode of the last file of `analytics`
  int count = 0;
};

// Returns nothing if the folder contains an entry that is not a file, or too many entries.
std::optional<Files> FindAmongFiles(DIR* folder, const std::string& path) {
  Files files;
  if (folder == nullptr) return std::nullopt;
  while (const dirent* entry = NextEntry(folder)) {
    if (entry->d_type != DT_REG || ++files.count > kMostEntries) return std::nullopt;
    if (entry->d_name != kAnalytics) continue;
    files.analytics.push_back(PathIn(path, kAnalytics));
    files.number = entry->d_ino;
  }
  return files;
}

}  // namespace

// Overwrites the kept file with zeros. Returns false if the file is gone or too large.
bool BundleFolder::Blank() {
  static constexpr std::array<char, kKeptBytes> kZeros{};
  struct stat state = {};
  if (kept_.file < 0 || fstat(kept_.file, &state) != 0 || state.st_nlink == 0) return false;
  const auto size = static_cast<size_t>(state.st_size);
  if (size > kKeptBytes) return false;
  return pwrite(kept_.file, kZeros.data(), size, 0) == static_cast<ssize_t>(size);
}

void BundleFolder::Keep(uint64_t number) {
  if (kept_.file >= 0 && number == kept_.number) return;
  Forget();
  kept_ = {open(PathIn(path_, kAnalytics).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW), number};
  struct stat state = {};
  if (kept_.file >= 0 && (fstat(kept_.file, &state) != 0 || state.st_ino != number)) Forget();
}

// Returns whether the kept file was removed from the folder. It was still there when Blank() ran,
// so a file of analytics in its place is newer than that call.
bool BundleFolder::IsReplaced() const {
  struct stat state = {};
  return kept_.file >= 0 && fstat(kept_.file, &state) == 0 && state.st_nlink == 0;
}

// Returns the content of the kept file; empty if no file is kept or it is too large.
std::string BundleFolder::ReadKept() const {
  if (kept_.file < 0) return {};
  std::array<char, kKeptBytes> bytes;
  const ssize_t count = pread(kept_.file, bytes.data(), bytes.size(), 0);
  if (count <= 0 || static_cast<size_t>(count) == bytes.size()) return {};
  return {bytes.data(), static_cast<size_t>(count)};
}

void BundleFolder::Forget() {
  if (kept_.file >= 0) close(kept_.file);
  kept_ = {};
}

Status BundleFolder::Clear() {
  blanked_ = std::exchange(only_analytics_, false) && Blank();
  if (blanked_) return {};
  Forget();
  if (ClearFiles(path_)) return {};
  std::error_code error;
  std::filesystem::remove_all(path_, error);
  if (!error && std::filesystem::create_directory(path_, error)) return {};
  return MakeError(ErrorCode::kIo,
                   fmt::format("{}: cannot be made anew: {}", path_, error.message()));
}

std::string BundleFolder::SelectedBackend(const Proves& proves) {
  const bool blanked = std::exchange(blanked_, false);
  if (folder_ != nullptr) {
    rewinddir(folder_.get());
    std::string backend = Look(blanked, proves);
    if (!backend.empty()) return backend;
  }
  // The compiler may have replaced the folder at `path_` since it was opened.
  folder_.reset(opendir(path_.c_str()));
  return Look(blanked, proves);
}

std::string BundleFolder::Look(bool blanked, const Proves& proves) {
  const auto backend_in = [&](std::string_view text) {
    return proves(text) ? BackendInAnalytics(text) : std::string();
  };
  const auto files = FindAmongFiles(folder_.get(), path_);
  only_analytics_ = files && files->count == 1 && files->analytics.size() == 1;
  const bool other = only_analytics_ && files->number != kept_.number;
  // A file that was moved here from another folder may be older than the program.
  if (blanked && other && !IsReplaced()) {
    only_analytics_ = false;
    return {};
  }
  if (only_analytics_) {
    Keep(files->number);
    const std::string text = ReadKept();
    if (!text.empty()) return backend_in(text);
  }
  const auto found = files ? files->analytics : FindAnalytics(path_);
  std::string backend;
  for (const std::string& path : found) {
    const auto text = ReadTextFile(path, kLongestAnalytics);
    const std::string named = text.ok() ? backend_in(*text) : std::string();
    if (named.empty()) return {};
    if (backend.empty() || backend == kEngineBackend) backend = named;
  }
  return backend;
}

}  // namespace anecheck
