// Reads whole files up to a cap, writes files so that a reader sees either the old or the new
// content, and makes temporary folders. Every error names the path and the system's message.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"

namespace anecheck {

inline constexpr uint64_t kDefaultFileLimit = uint64_t{1} << 30;

// Returns the content of `path`. Errors: kNotFound; kInvalid for a path that cannot be a readable
// file; kLimit for more than `limit` bytes; kIo. Works on pipes and devices too: it counts the
// bytes that can be read and ignores the file system's size.
Result<std::vector<uint8_t>> ReadFile(const std::string& path, uint64_t limit = kDefaultFileLimit);
Result<std::string> ReadTextFile(const std::string& path, uint64_t limit = kDefaultFileLimit);

// Replaces `path` by a file of this content: writes a new file in the same folder and renames it.
// On an error the old file stays unchanged. On Linux a process that is killed leaves no part of the
// new file, because the file has no name while it is written; elsewhere PATH.PID.N.new may stay.
// Does not flush to the disk, so a loss of power may lose the new file; the death of the process
// does not. Permissions are 0666 less the umask.
Status WriteFileAtomic(const std::string& path, std::span<const uint8_t> content);
Status WriteFileAtomic(const std::string& path, std::string_view content);

// Makes `path` and its missing parents; succeeds if `path` is already a folder.
Status MakeDirectories(const std::string& path);

// The names of the regular files directly in `folder`, sorted bytewise.
Result<std::vector<std::string>> ListFiles(const std::string& folder);

// A new folder under TMPDIR (or /tmp), removed with its content when the object is destroyed.
class TempDirectory {
 public:
  // `prefix` begins the folder's name, for example "anecheck-case-".
  static Result<TempDirectory> Create(std::string_view prefix);
  // As Create, but in a folder in memory (/dev/shm) if the machine has one and TMPDIR is not set.
  // Use it for small files that are written and read once.
  static Result<TempDirectory> CreateInMemory(std::string_view prefix);
  // Adopts the folder at `path`, which is removed with the object.
  static TempDirectory Adopt(std::string path) { return TempDirectory(std::move(path)); }
  TempDirectory(TempDirectory&& other) noexcept;
  TempDirectory& operator=(TempDirectory&& other) noexcept;
  ~TempDirectory();

  const std::string& path() const { return path_; }
  // path() + "/" + name.
  std::string File(std::string_view name) const;
  // Keeps the folder when the object is destroyed, and returns its path.
  std::string Keep();

 private:
  static Result<TempDirectory> CreateUnder(std::string_view root, std::string_view prefix);
  explicit TempDirectory(std::string path) : path_(std::move(path)) {}
  void Remove();

  std::string path_;  // empty if there is nothing to remove
};

}  // namespace anecheck
