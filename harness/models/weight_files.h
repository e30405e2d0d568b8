// The weight files that a model names: any number, of any size, mapped and not loaded. The model
// does not decide which files of the machine are opened: only regular files inside its own folder,
// and inside the folders that the person who runs the tool has named, are.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/mapped_file.h"
#include "harness/base/result.h"
#include "harness/graph/graph.h"

namespace anecheck {

struct WeightOptions {
  // Files to read in place of those that the model names, wherever they lie. One stands for the
  // file of its base name; where the model names a single file, one given stands for it, whatever
  // its name.
  std::vector<std::string> files = {};
  // Folders beside the model's own that may hold files which it names.
  std::vector<std::string> allowed = {};
  // Constants whose file is not there get numbers that depend on their place alone.
  bool made_up = false;
};

// kInvalid where a given file stands for none of `named`, the paths that a model names.
Status CheckGivenFiles(std::span<const std::string> named, std::span<const std::string> given);

// Not thread-safe. Its result keeps the files mapped and may outlive it.
class WeightFiles {
 public:
  // `folder` is the model's: "@model_path" of a path in the model stands for it, and relative paths
  // begin there. `named` are the paths of the model, as written.
  WeightFiles(std::string folder, std::span<const std::string> named, WeightOptions options);

  // The elements of the constant whose record stands at `offset` of the file `path`, packed as
  // graphs hold them. Errors name the file and the place in it, and have no offset of their own:
  // kNotFound, kInvalid, kIo of the file; those of milweights::ReadBlob.
  Result<SharedBytes> Read(std::string_view path, uint64_t offset, const TensorType& type);

  // The elements that stand at `offset` of the file `path` as they are, without a record. Errors as
  // of Read.
  Result<SharedBytes> ReadPlain(std::string_view path, uint64_t offset, const TensorType& type);

  // A whole file that the model names. Errors as of Read.
  Result<SharedBytes> ReadWhole(std::string_view path);

  // How many constants were made up, and the files that were missing.
  uint64_t made_up_count() const { return made_up_count_; }
  const std::set<std::string>& missing() const { return missing_; }

 private:
  struct File {
    std::string path;                          // as the system knows it
    std::shared_ptr<const MappedFile> mapped;  // null: not there, its constants are made up
  };

  Result<const File*> Open(std::string_view path);
  Result<File> Map(std::string_view path) const;
  SharedBytes MakeUp(const TensorType& type, uint64_t seed);
  Result<std::string> Place(std::string_view path) const;
  const std::string* Given(std::string_view path) const;

  std::vector<std::string> folders_;  // the model's first
  size_t named_count_;
  WeightOptions options_;
  std::map<std::string, File, std::less<>> files_;  // by the path as written
  std::set<std::string> missing_;
  uint64_t made_up_count_ = 0;
};

}  // namespace anecheck
