#include "harness/runners/rewritten_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace anecheck {

RewrittenFile::~RewrittenFile() {
  if (file_ >= 0) close(file_);
}

bool RewrittenFile::EnsureOpen() {
  struct stat state = {};
  if (file_ >= 0 && fstat(file_, &state) == 0 && state.st_nlink > 0) {
    size_ = static_cast<size_t>(state.st_size);
    return true;
  }
  if (file_ >= 0) close(file_);
  file_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  size_ = 0;
  return file_ >= 0;
}

bool RewrittenFile::Write(std::string_view content) {
  if (!EnsureOpen()) return false;
  size_t written = 0;
  while (written < content.size()) {
    const ssize_t count = pwrite(file_, content.data() + written, content.size() - written,
                                 static_cast<off_t>(written));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    written += static_cast<size_t>(count);
  }
  return size_ <= content.size() || ftruncate(file_, static_cast<off_t>(content.size())) == 0;
}

}  // namespace anecheck
