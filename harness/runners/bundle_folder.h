// The folder into which an engine's compiler writes its bundle: emptied before each compilation,
// and looked through for the analytics that prove where a program was placed.
#pragma once

#include <cstdint>
#include <dirent.h>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "harness/base/result.h"

namespace anecheck {

// Not thread-safe.
class BundleFolder {
 public:
  // Whether a text of analytics is one that proves a placement.
  using Proves = std::function<bool(std::string_view text)>;

  explicit BundleFolder(std::string path) : path_(std::move(path)) {}
  ~BundleFolder() { Forget(); }
  BundleFolder(const BundleFolder&) = delete;
  BundleFolder& operator=(const BundleFolder&) = delete;

  const std::string& path() const { return path_; }

  // The folder is there and holds nothing but a file of analytics that says nothing, empty or all
  // zeros, if it held one: files of an earlier compilation would prove the placement of a later
  // one. A file that came in after SelectedBackend saw analytics alone may stay; it cannot prove
  // anything if these say nothing.
  Status Clear();

  // The backend that the bundle's analytics name for all of the program (specification 001, section
  // 1), or nothing. Analytics that `proves` refuses name none.
  std::string SelectedBackend(const Proves& proves = [](std::string_view) { return true; });

 private:
  // The file of analytics that the folder held alone when it was last looked through, open: opening
  // and emptying it for each program costs more than reading it.
  struct Kept {
    int file = -1;
    uint64_t number = 0;  // of its inode
  };

  struct CloseFolder {
    void operator()(DIR* folder) const { closedir(folder); }
  };

  bool Blank();
  void Keep(uint64_t number);
  bool IsReplaced() const;
  std::string ReadKept() const;
  void Forget();
  // `blanked`: Clear relied on the kept file being the folder's.
  std::string Look(bool blanked, const Proves& proves);

  std::string path_;
  std::unique_ptr<DIR, CloseFolder> folder_;  // as it was when it was last opened
  Kept kept_;
  bool only_analytics_ = false;  // it held that file alone when it was last looked through
  bool blanked_ = false;         // Clear relied on the kept file being the folder's
};

}  // namespace anecheck
