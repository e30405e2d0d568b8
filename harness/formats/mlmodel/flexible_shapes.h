// The shapes that the inputs of a model may have. Model files have them in the description of each
// input. MIL text has them in the attribute FlexibleShapeInformation of the function. Core ML's
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
  std::string function;  // empty if the shapes apply to every function
  std::string input;
  std::vector<int64_t> extents;                // the default extents
  std::vector<std::array<int64_t, 2>> ranges;  // per axis: minimum, maximum (-1: no limit)
  std::vector<std::vector<int64_t>> sets;      // if not empty, the input may have only these shapes

  // Returns whether the shapes say more than a type with unknown axes. They do if there are sets of
  // shapes, or if a range is not a fixed extent and not "1 to no limit" with the default extent 1.
  bool IsFlexible() const;
  bool IsOf(std::string_view name) const { return function.empty() || function == name; }
};

// Returns the attribute's value for the flexible inputs of a function, in the spelling of compiled
// texts. `plain` selects the spelling of version 1.3. Returns "" if no input is flexible. The names
// of sets of shapes are their numbers, because no source explains the names in compiled texts.
std::string FlexibleShapesText(std::span<const InputShapes> inputs, std::string_view function,
                               bool plain);

// Returns the shapes in a function's attribute, or none if there is no such attribute. Errors:
// kUnsupported for a step other than 1, which descriptions cannot express; kInvalid if the
// attribute does not have the form of compiled texts.
Result<std::vector<InputShapes>> ReadFlexibleShapes(mil::FunctionView function);

}  // namespace anecheck::mlmodel
