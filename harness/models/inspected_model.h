// The output of `anecheck inspect` for a model that is more than one text file (a package, a
// compiled model or a model file), and for files that accompany models.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck {

struct InspectedModel {
  std::string_view form;              // "package", "compiled model", "model file"
  std::string file;                   // the file with the program
  int64_t specification_version = 0;  // of a model file; 0 for MIL text
  std::string left_out;               // the kinds of a pipeline's other models
  struct Weights {
    std::string name;  // as the model names it
    uint64_t constants = 0;
    uint64_t bytes = 0;
    std::string error;     // why it cannot be read; empty if it can
    bool missing = false;  // the file does not exist
  };
  std::vector<Weights> weights;
  std::string text;  // the program as MIL text
};

// Returns the parts of the model, or nothing if the path is a file of another kind. Errors: those
// of Model::Open.
Result<std::optional<InspectedModel>> InspectModel(const std::string& path);

// Returns one line about a file that no format reads completely: manifests and metadata of models,
// descriptions of compiled models, files of the Linux driver. Nothing for other files.
std::optional<std::string> DescribeCompanion(ByteSpan bytes, std::string_view path);

}  // namespace anecheck
