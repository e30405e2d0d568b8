// The place of a model: a file, a package (.mlpackage), or the folder of a compiled model
// (.mlmodelc). The content, not the name, determines the kind.
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
  bool in_package = false;  // the file is in a package or in the folder of a compiled model
};

// Finds the model at `path`. Errors, which name the path: kNotFound; kUnsupported for compiled
// models that are no ML Programs; kInvalid for folders without a model, and for packages whose
// manifest names a missing file or one outside the package.
Result<ModelPlace> FindModel(const std::string& path);
// Returns whether to read the text as protocol buffers: if the text looks like a model file, or if
// the file's name ends in .mlmodel and the text does not begin as MIL text. The second case lets a
// damaged model file be reported as damaged.
bool IsModelFile(const std::string& file, std::string_view text);

// Writes a package of a model file (mlmodel::ModelBytes) and its weight file, which the model names
// "@model_path/weights/weight.bin". Writes no weight file if `weights` is empty. `folder` is
// created; it must be missing or empty. Source of the manifest's form: real packages. The
// manifest's identifiers follow from the content, so equal models make equal packages.
Status WritePackage(const std::string& folder, std::string_view model,
                    std::span<const uint8_t> weights);

}  // namespace anecheck
