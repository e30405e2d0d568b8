#include "harness/results/run_lock.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace anecheck {
namespace {

// Returns the path of a run's lock file. All links to a results file give the same path.
std::string LockPath(const std::string& db, int64_t run) {
  std::error_code failed;
  const std::filesystem::path file = std::filesystem::canonical(db, failed);
  return fmt::format("{}-run{}.lock", failed ? db : file.string(), run);
}

struct flock WholeFile() {
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

Error Taken(const std::string& db, int64_t run, int file) {
  struct flock holder = WholeFile();
  const bool known = fcntl(file, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK &&
                     holder.l_pid > 0;  // 0 for a process in another container
  return MakeError(
      ErrorCode::kInvalid,
      fmt::format(
          "{}: run {} is being written by {}; let it end, or stop it first", db, run,
          known ? fmt::format("process {}", holder.l_pid) : std::string("another process")));
}

// Whether `path` still names the open file. A process that releases its lock removes the file.
bool IsNamed(const std::string& path, int file) {
  struct stat named = {};
  struct stat open = {};
  return stat(path.c_str(), &named) == 0 && fstat(file, &open) == 0 &&
         named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

}  // namespace

Result<RunLock> RunLock::Take(const std::string& db, int64_t run) {
  const std::string path = LockPath(db, run);
  for (;;) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("{}: cannot be made: {}", path, std::strerror(errno)));
    }
    RunLock lock(path, file);
    struct flock wanted = WholeFile();
    if (fcntl(file, F_SETLK, &wanted) != 0) {
      const int code = errno;
      Error error = code == EACCES || code == EAGAIN
                        ? Taken(db, run, file)
                        : MakeError(ErrorCode::kIo, fmt::format("{}: cannot be locked: {}", path,
                                                                std::strerror(code)));
      lock.path_.clear();  // the file belongs to the holder
      return error;
    }
    if (IsNamed(path, file)) return lock;
    lock.path_.clear();
  }
}

RunLock::RunLock(RunLock&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)) {
  other.path_.clear();
}

RunLock& RunLock::operator=(RunLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  return *this;
}

RunLock::~RunLock() {
  // The order matters: IsNamed shows another process that the file it has opened is removed.
  if (!path_.empty()) unlink(path_.c_str());
  if (file_ >= 0) close(file_);
}

}  // namespace anecheck
