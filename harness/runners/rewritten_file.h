// A file that is written many times. It stays open between the writes, because opening it each time
// costs more.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace anecheck {

// Not thread-safe.
class RewrittenFile {
 public:
  explicit RewrittenFile(std::string path) : path_(std::move(path)) {}
  ~RewrittenFile();
  RewrittenFile(const RewrittenFile&) = delete;
  RewrittenFile& operator=(const RewrittenFile&) = delete;

  const std::string& path() const { return path_; }

  // Replaces the whole content of the file by `content`. If the file was removed or replaced, it is
  // opened again. Returns false, with the reason in errno, if it cannot be written.
  bool Write(std::string_view content);

 private:
  bool EnsureOpen();

  std::string path_;
  int file_ = -1;
  size_t size_ = 0;  // of its largest content
};

}  // namespace anecheck
