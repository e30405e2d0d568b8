// The folder into which an engine's compiler writes its bundle. It is emptied before each
// compilation; afterwards it is searched for the analytics that prove the placement of the program.
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
  // Whether `text`, the content of an analytics file, proves where the program was placed.
  using Proves = std::function<bool(std::string_view text)>;

  explicit BundleFolder(std::string path) : path_(std::move(path)) {}
  ~BundleFolder() { Forget(); }
  BundleFolder(const BundleFolder&) = delete;
  BundleFolder& operator=(const BundleFolder&) = delete;

  const std::string& path() const { return path_; }

  // Makes the folder and empties it, since files of an earlier compilation would prove the
  // placement of a later one. If the folder contained a file of analytics, that file may stay, but
  // it is then empty or has only zeros. A file that was added after SelectedBackend saw only
  // analytics may stay too; it cannot prove anything while those analytics are blank.
  Status Clear();

  // The backend that the bundle's analytics name for the whole program (specification 001, section
  // 1), or empty. Analytics that `proves` refuses do not count.
  std::string SelectedBackend(const Proves& proves = [](std::string_view) { return true; });

 private:
  // The open file of analytics, if it was the only entry of the folder at the last search. It stays
  // open because opening and emptying it for each program costs more than reading it.
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
  // `blanked`: Clear only blanked the kept file, and did not read the folder.
  std::string Look(bool blanked, const Proves& proves);

  std::string path_;
  std::unique_ptr<DIR, CloseFolder> folder_;  // the folder as last opened
  Kept kept_;
  bool only_analytics_ = false;  // the kept file was the only entry at the last search
  bool blanked_ = false;         // Clear only blanked the kept file
};

}  // namespace anecheck
