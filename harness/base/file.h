// Reads whole files up to a size limit, replaces files atomically, and makes temporary folders.
// Every error message has the path and the system's message.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck {

inline constexpr uint64_t kDefaultFileLimit = uint64_t{1} << 30;

// Returns the content of `path`. Errors: kNotFound; kInvalid for a path that is no readable file;
// kLimit for more than `limit` bytes; kIo. It reads up to the end and does not use the file's size,
// so it works on pipes and devices too.
Result<std::vector<uint8_t>> ReadFile(const std::string& path, uint64_t limit = kDefaultFileLimit);
Result<std::string> ReadTextFile(const std::string& path, uint64_t limit = kDefaultFileLimit);

// Writes a new file in the folder of `path` and renames it to `path`, so that readers see either
// the old or the new content. On an error the old file stays unchanged. On Linux the new file
// usually has no name while it is written, so a killed process leaves no part of it. On other
// systems a file PATH.PID.N.new may stay. The function does not flush to the disk, so a loss of
// power may lose the new file. Permissions are 0666 less the umask.
Status WriteFileAtomic(const std::string& path, std::span<const uint8_t> content);
Status WriteFileAtomic(const std::string& path, std::string_view content);

// Makes `path` and its missing parents; succeeds if `path` is already a folder.
Status MakeDirectories(const std::string& path);

// The names of the regular files directly in `folder`, sorted bytewise.
Result<std::vector<std::string>> ListFiles(const std::string& folder);

// A new folder under TMPDIR (or /tmp). The destructor removes it and its content.
class TempDirectory {
 public:
  // `prefix` begins the folder's name, for example "anecheck-case-".
  static Result<TempDirectory> Create(std::string_view prefix);
  // Like Create, but the folder is in memory (/dev/shm) if the machine has that and TMPDIR is not
  // set. It is for small files that are written and read once.
  static Result<TempDirectory> CreateInMemory(std::string_view prefix);
  // Takes over the folder at `path`, which the destructor then removes.
  static TempDirectory Adopt(std::string path) { return TempDirectory(std::move(path)); }
  TempDirectory(TempDirectory&& other) noexcept;
  TempDirectory& operator=(TempDirectory&& other) noexcept;
  ~TempDirectory();

  const std::string& path() const { return path_; }
  // path() + "/" + name.
  std::string File(std::string_view name) const;
  // Makes the destructor keep the folder, and returns its path.
  std::string Keep();

 private:
  static Result<TempDirectory> CreateUnder(std::string_view root, std::string_view prefix);
  explicit TempDirectory(std::string path) : path_(std::move(path)) {}
  void Remove();

  std::string path_;  // empty if there is nothing to remove
};

}  // namespace anecheck
