// Reads constants out of the weight side file of a program. The file has a 64-byte header. Each
// blob then has a 64-byte record that starts with 0xDEADBEEF and contains the blob's type, size and
// offset. Source: facts/mil.md; the record's field order is that of coremltools' public blob
// storage.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/base/mapped_file.h"
#include "harness/base/result.h"

namespace anecheck::device {

// The weight files that a program names. Each file is mapped into memory once. The class opens only
// regular files in the model's folder, so that a program cannot make the engine open other files.
// Not thread-safe.
class BlobFiles {
 public:
  // `model_folder` replaces a leading "@model_path".
  explicit BlobFiles(std::string model_folder) : model_folder_(std::move(model_folder)) {}

  // Returns the payload of the blob whose record is at `offset` of the file `path`. The payload
  // must have exactly `bytes` bytes. Errors: kNotFound, kInvalid or kIo for the file, kTruncated or
  // kMalformed for the record.
  Result<std::vector<uint8_t>> Read(const std::string& path, uint64_t offset, uint64_t bytes);

 private:
  std::string model_folder_;
  std::map<std::string, MappedFile> files_;
};

}  // namespace anecheck::device
