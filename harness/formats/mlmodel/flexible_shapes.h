// Shapes that the inputs of a model may take. Model files have them in the description of each
// input. MIL text has them in the attribute FlexibleShapeInformation of the function; Core ML's
// compiler makes that attribute from the description.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"

namespace anecheck::mlmodel {

// The attribute's name in MIL text.
inline constexpr std::string_view kFlexibleShapes = "FlexibleShapeInformation";

struct InputShapes {
  std::string function;  // empty if the shapes are those of every function
  std::string input;
  std::vector<int64_t> extents;                // the default extents
  std::vector<std::array<int64_t, 2>> ranges;  // per axis: lowest, highest (-1: no limit)
  std::vector<std::vector<int64_t>> sets;      // the only shapes that the input may take

  // Whether the shapes state more than a type with unknown axes does: sets of shapes, or a range
  // that is neither a fixed extent nor "1 to no limit" with a default extent of 1.
  bool IsFlexible() const;
  bool IsOf(std::string_view name) const { return function.empty() || function == name; }
};

// The attribute's value for the flexible inputs of a function, as compiled texts spell it. `plain`
// selects the spelling of texts of version 1.3. Empty if no input is flexible. Sets of shapes are
// named by their numbers, because compiled texts use names that no source explains.
std::string FlexibleShapesText(std::span<const InputShapes> inputs, std::string_view function,
                               bool plain);

// The shapes in a function's attribute; none if it has no such attribute. Errors: kUnsupported for
// a step other than 1, which descriptions cannot express; kInvalid for another form than that of
// compiled texts.
Result<std::vector<InputShapes>> ReadFlexibleShapes(mil::FunctionView function);

}  // namespace anecheck::mlmodel
