// Maps regular files into memory, and checks that paths stay inside given folders. Both are for
// files that a model or another file names. MappedFile refuses devices, pipes and folders.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "harness/base/result.h"

namespace anecheck {

// A file mapped into memory, read-only. The system reads a page at its first access and may drop it
// later. Any number of threads may read it. If another process shortens the file, an access may end
// this process with SIGBUS, or as EndAtShortenedFiles describes.
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

// Releases the memory of `bytes` in a MappedFile. A later access reads them from the file again.
// Does nothing if `bytes` are in other memory. It is for data that does not fit in memory, such as
// the weights of a model. Thread-safe.
void DropPages(std::span<const uint8_t> bytes);

// After this call, an access to a mapped file that another process has shortened ends this process
// with exit code 2 and a message that names the file. Call it once, before threads start.
void EndAtShortenedFiles();

// Returns `path` without symbolic links and "..". Errors: kNotFound if the path does not exist;
// kInvalid if its target is not in one of `folders`, at any depth, or the links form a cycle.
Result<std::string> ResolveInside(const std::string& path, std::span<const std::string> folders);

}  // namespace anecheck
