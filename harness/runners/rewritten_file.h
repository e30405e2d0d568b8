// A file that is written many times and stays open in between, which costs less than opening it
// each time.
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

  // Makes `content` the whole content of the file. A file that was removed or replaced is opened
  // anew. Returns false, with errno, if it cannot be written.
  bool Write(std::string_view content);

 private:
  bool EnsureOpen();

  std::string path_;
  int file_ = -1;
  size_t size_ = 0;  // of its largest content
};

}  // namespace anecheck
