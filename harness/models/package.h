// The place of a model: a file, a package (.mlpackage), or the folder of a compiled model
// (.mlmodelc). Their content tells their kind, not their names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/result.h"

namespace anecheck {

struct ModelPlace {
  std::string file;         // MIL text, a model file, a graph as JSON or a network description
  std::string folder;       // the value of "@model_path"
  bool in_package = false;  // a package or the folder of a compiled model holds the file
};

// Errors name the path: kNotFound; kUnsupported for compiled models that are no ML Programs;
// kInvalid for folders that hold no model, and for packages whose manifest leads nowhere or out of
// the package.
Result<ModelPlace> FindModel(const std::string& path);
// Whether to read the file's text as protocol buffers: it looks like a model file, or is named
// .mlmodel and does not begin as a text of MIL, so that a damaged one is called damaged.
bool IsModelFile(const std::string& file, std::string_view text);

// Writes a package of a model file (mlmodel::ModelBytes) and its weight file, which the model names
// "@model_path/weights/weight.bin"; without `weights` there is none. `folder` is made, and must not
// exist or be empty. Source of the manifest's form: real packages. Its identifiers follow from the
// content, so that one model gives one package.
Status WritePackage(const std::string& folder, std::string_view model,
                    std::span<const uint8_t> weights);

}  // namespace anecheck
