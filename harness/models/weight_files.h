// The weight files that a model names. The files may be of any number and size, because they are
// mapped and not loaded. The model does not decide which files of the machine are opened. Only
// regular files are opened, inside the model's own folder or inside folders that the user names.
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
  // Files, in any folder, that replace files that the model names. Each replaces the model's file
  // with the same base name. If the model names exactly one file and exactly one is given here,
  // their names may differ.
  std::vector<std::string> files = {};
  // Folders, besides the model's own, in which the files that the model names may also be.
  std::vector<std::string> allowed = {};
  // Constants whose file is missing get numbers that depend only on their place.
  bool made_up = false;
  // The end of messages about files that cannot be read, for commands without the options of
  // models.
  std::string_view remedy = {};
};

// Errors: kInvalid if a given file replaces none of `named`, the paths that a model names.
Status CheckGivenFiles(std::span<const std::string> named, std::span<const std::string> given);

// Not thread-safe. Returned bytes keep their file mapped and may outlive this object.
class WeightFiles {
 public:
  // `folder` is the model's folder: the value of "@model_path", and the start of relative paths.
  // `named` are the paths in the model, as written.
  WeightFiles(std::string folder, std::span<const std::string> named, WeightOptions options);

  // Returns the elements of the constant whose record is at `offset` of the file `path`, packed as
  // in graphs. Errors: kNotFound, kInvalid, kIo of the file; those of milweights::ReadBlob. The
  // messages of errors name the file and the place in it; the errors have no offset.
  Result<SharedBytes> Read(std::string_view path, uint64_t offset, const TensorType& type);

  // Returns the elements at `offset` of the file `path`, without a record. Errors: as Read.
  Result<SharedBytes> ReadPlain(std::string_view path, uint64_t offset, const TensorType& type);

  // Returns a whole file that the model names. Errors: as Read.
  Result<SharedBytes> ReadWhole(std::string_view path);

  // The number of made-up constants, and the files that were missing.
  uint64_t made_up_count() const { return made_up_count_; }
  const std::set<std::string>& missing() const { return missing_; }

 private:
  struct File {
    std::string path;  // the path that is opened
    // Null if the file is missing; its constants are then made up.
    std::shared_ptr<const MappedFile> mapped;
  };

  Result<const File*> Open(std::string_view path);
  Result<File> Map(std::string_view path) const;
  SharedBytes MakeUp(const TensorType& type, uint64_t seed);
  Result<std::string> Place(std::string_view path) const;
  const std::string* Given(std::string_view path) const;
  std::string_view Remedy(std::string_view of_options) const;

  std::vector<std::string> folders_;  // the model's first
  size_t named_count_;
  WeightOptions options_;
  std::map<std::string, File, std::less<>> files_;  // by the path as written
  std::set<std::string> missing_;
  uint64_t made_up_count_ = 0;
};

}  // namespace anecheck
