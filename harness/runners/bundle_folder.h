// The folder into which an engine's compiler writes its bundle. It is emptied before each
// compilation, and then searched for the analytics that prove the placement of the program.
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
  // Returns whether `text`, the content of an analytics file, proves the placement of the program.
  using Proves = std::function<bool(std::string_view text)>;

  explicit BundleFolder(std::string path) : path_(std::move(path)) {}
  ~BundleFolder() { Forget(); }
  BundleFolder(const BundleFolder&) = delete;
  BundleFolder& operator=(const BundleFolder&) = delete;

  const std::string& path() const { return path_; }

  // Makes the folder and empties it, because files of an earlier compilation could seem to prove
  // the placement of a later one. A file of analytics may stay in the folder, but its content is
  // then empty or only zeros. If the last SelectedBackend found only a file of analytics, a file
  // that was added since then may stay too. It proves nothing while those analytics are blank.
  Status Clear();

  // Returns the backend that the bundle's analytics name for the whole program (specification 001,
  // section 1). Empty if there are no analytics, or `proves` refuses a file.
  std::string SelectedBackend(const Proves& proves = [](std::string_view) { return true; });

 private:
  // The file of analytics, if it was the only entry of the folder at the last search. The file
  // stays open because opening and emptying it for each program costs more than reading it.
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
  // `blanked`: the last Clear only blanked the kept file and did not read the folder.
  std::string Look(bool blanked, const Proves& proves);

  std::string path_;
  std::unique_ptr<DIR, CloseFolder> folder_;  // the folder as last opened
  Kept kept_;
  bool only_analytics_ = false;  // the kept file was the only entry at the last search
  bool blanked_ = false;         // the last Clear only blanked the kept file
};

}  // namespace anecheck
