// The process that writes a run of a results file. A run that was killed stands in the file in the
// state 'running', like one at work: only the lock tells them apart.
#pragma once

#include <cstdint>
#include <string>

#include "harness/base/result.h"

namespace anecheck {

// A lock file beside the results file, one per run, so that processes may write different runs of
// one file. It goes with the object; the system lets go of the lock of a process that was killed,
// and the file that such a one leaves is in nobody's way.
class RunLock {
 public:
  // For the run `run` of `db`, which must exist. Excludes other processes, not other objects of
  // this one. Errors: kInvalid, with its id, where another process has the lock.
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
