// Removes write access to a folder, even if root runs the tests, for tests of refused writes.
#pragma once

#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace anecheck::testing {

// During its lifetime, this process may write to `folder`, but not to the folder `shelf` in it. If
// root runs the process, the constructor changes the user of the whole process, so the process must
// have only one thread.
class UnprivilegedScope {
 public:
  UnprivilegedScope(const std::string& folder, std::string shelf) : shelf_(std::move(shelf)) {
    chmod(shelf_.c_str(), 0555);
    if (geteuid() == 0) {
      constexpr uid_t kNobody = 65534;
      chmod(folder.c_str(), 0777);
      changed_ = seteuid(kNobody) == 0;
    }
    holds_ = MayNotWrite();
  }
  ~UnprivilegedScope() {
    if (changed_ && seteuid(0) != 0) holds_ = false;
    chmod(shelf_.c_str(), 0755);
  }
  UnprivilegedScope(const UnprivilegedScope&) = delete;
  UnprivilegedScope& operator=(const UnprivilegedScope&) = delete;

  bool holds() const { return holds_; }

 private:
  bool MayNotWrite() const {
    const std::string probe = shelf_ + "/probe";
    if (mkdir(probe.c_str(), 0755) != 0) return true;
    rmdir(probe.c_str());
    return false;
  }

  std::string shelf_;
  bool changed_ = false;
  bool holds_ = false;
};

}  // namespace anecheck::testing
