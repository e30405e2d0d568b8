// Waits for another thread or process. No other code of the tests sleeps.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "harness/base/file.h"

namespace anecheck::testing {

// Polls for at most a minute until `done` returns true. Returns whether it did.
template <typename Done>
bool WaitUntil(const Done& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!done()) {
    if (std::chrono::steady_clock::now() > end) return false;
    // Waits by the clock: between two polls.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Sleeps so long that a thread that wrongly does not wait advances too far. If the thread waits
// correctly, there is no event for which a test could wait.
inline void LetOthersGoOn() {
  // Waits by the clock: see above. No test fails because it was too short or too long.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

// During its lifetime, this process and its children keep temporary files in a new folder.
class OwnTemporaryFiles {
 public:
  OwnTemporaryFiles() : folder_(TempDirectory::Create("anecheck-own-").value()) {
    if (const char* before = std::getenv("TMPDIR"); before != nullptr) before_ = before;
    EXPECT_EQ(setenv("TMPDIR", folder_.path().c_str(), 1), 0);
  }
  OwnTemporaryFiles(const OwnTemporaryFiles&) = delete;
  OwnTemporaryFiles& operator=(const OwnTemporaryFiles&) = delete;
  ~OwnTemporaryFiles() {
    if (before_) {
      setenv("TMPDIR", before_->c_str(), 1);
    } else {
      unsetenv("TMPDIR");
    }
  }

  // Returns whether a file of that name is in the folder, at any depth.
  bool Has(std::string_view name) const {
    std::error_code error;  // other processes may remove folders during the walk
    for (std::filesystem::recursive_directory_iterator at(folder_.path(), error), end;
         !error && at != end; at.increment(error)) {
      if (at->path().filename() == name) return true;
    }
    return false;
  }
  // Returns whether a worker has received its case, which is so if the program's text exists.
  bool HasCase() const { return Has("model.mil"); }

 private:
  TempDirectory folder_;
  std::optional<std::string> before_;
};

}  // namespace anecheck::testing
