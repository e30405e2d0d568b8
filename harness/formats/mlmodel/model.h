// The content of a Core ML model file (.mlmodel, or model.mlmodel of a package).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"
#include "harness/formats/mlmodel/flexible_shapes.h"

namespace anecheck::mlmodel {

struct Model {
  int64_t specification_version = 0;
  std::string_view program;         // message Program, in the bytes that were read
  std::vector<InputShapes> inputs;  // the inputs whose description has extents
  std::string left_out;             // kinds of the other models of a pipeline, which are not read
};

// Returns whether a file with these first bytes may be a model file. No other format of this
// project begins with the field of the specification version.
bool MayBeModel(std::string_view bytes);

// Reads an ML Program, or the ML Program of a pipeline that has only one. Errors: kMalformed if the
// bytes are not a model; kUnsupported, with the name of the kind, for other models, such as the
// older neural networks.
Result<Model> ReadModel(std::string_view bytes);

// Returns the bytes of a whole model file with that program, in a form that ReadModel and Core ML's
// compiler read. The descriptions of inputs, outputs and states of its functions follow from their
// types. The shapes that inputs may have come from FlexibleShapeInformation. Other axes of unknown
// extent become ranges without an upper limit. Errors: those of ProgramBytes and
// ReadFlexibleShapes; kUnsupported if an input or output has a type that Core ML's arrays lack,
// kInvalid if the program has no function.
Result<std::string> ModelBytes(const mil::Program& program);

}  // namespace anecheck::mlmodel
