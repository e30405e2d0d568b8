// The folder into which an engine's compiler writes its bundle: emptied before each compilation,
// and looked through for the analytics that prove where a program was placed.
#pragma once

#include <string>
#include <utility>

#include "harness/base/result.h"

namespace anecheck {

// Not thread-safe.
class BundleFolder {
 public:
  explicit BundleFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }

  // The folder is there and holds nothing but an empty file of analytics, if it held one: what an
  // earlier compilation left would prove the placement of a later one. What came in after
  // SelectedBackend saw analytics alone may stay; it cannot prove anything where these are empty.
  Status Clear();

  // The backend that the bundle's analytics name for all of the program (specification 001, section
  // 1), or nothing.
  std::string SelectedBackend();

 private:
  std::string path_;
  bool only_analytics_ = false;  // it held one file of analytics when it was last looked through
};

}  // namespace anecheck
