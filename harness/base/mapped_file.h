// Regular files read without loading them, and paths that must stay inside given folders. For files
// that a model or another file names: neither function opens a device, a pipe or a folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "harness/base/result.h"

namespace anecheck {

// A file mapped into memory, read-only. Its pages are read as they are touched and are the system's
// to drop. Any number of threads may read it. A file that another process makes shorter in the
// meantime ends this process with SIGBUS, or as EndAtShortenedFiles says.
class MappedFile {
 public:
  // Errors: kNotFound; kInvalid for a file that is not regular or may not be read; kIo.
  static Result<MappedFile> Open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const uint8_t> bytes() const { return bytes_; }

 private:
  explicit MappedFile(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  std::span<const uint8_t> bytes_;
};

// Gives back the memory of bytes that are part of a MappedFile: they are read from the file again
// when they are touched. Other bytes stay as they are. For readers that keep nothing: a
// model's weights are more than the memory holds. Thread-safe.
void DropPages(std::span<const uint8_t> bytes);

// From now on, a mapped file that another process made shorter ends this process with exit code 2
// and one line on standard error that names the file. Call it once, before threads begin.
void EndAtShortenedFiles();

// `path` without symbolic links and "..", if its target lies in one of `folders`, at any
// depth. Errors: kNotFound where nothing is there, kInvalid where it lies elsewhere or its links
// lead in a circle.
Result<std::string> ResolveInside(const std::string& path, std::span<const std::string> folders);

}  // namespace anecheck
