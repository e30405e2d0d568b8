// The lock of the process that writes a run of a results file. A killed run has the state 'running'
// in the file, like a run in progress; only the lock distinguishes them.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/result.h"

namespace anecheck {

// A lock file beside the results file, one per run, so that processes may write different runs of
// one file. The destructor removes the file. If a process is killed, the system releases its lock;
// the lock file that it leaves does no harm.
class RunLock {
 public:
  // Locks the run `run` of `db`, which must exist. Excludes other processes, but not other objects
  // of this process. Errors: kInvalid if another process has the lock, with its process id.
  static Result<RunLock> Take(const std::string& db, int64_t run);
  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&& other) noexcept;
  ~RunLock();

 private:
  RunLock(std::string path, int file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  int file_ = -1;
};

}  // namespace anecheck
