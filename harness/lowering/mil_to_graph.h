// Reads MIL text into a graph: generated programs in the round trip, and model authors' own models.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"
#include "harness/graph/graph.h"

namespace anecheck {

// The extents of one input.
struct ModelShape {
  std::string input;
  Shape shape;
};

struct MilReadOptions {
  // The function that is read. Empty: "main", or the program's only one.
  std::string function = {};
  // Gives the elements of a constant in a weight file, packed as graphs hold them. `path` is as
  // written. Left empty, BLOBFILE constants are an error. An error of it is given back as it is.
  std::function<Result<SharedBytes>(std::string_view path, uint64_t offset, const TensorType& type)>
      read_blob = {};
  // Shapes of inputs with `?` axes; inputs that are not named take the program's DefaultShapes.
  std::vector<ModelShape> shapes = {};
  // OpenInputs: whether inputs that have extents otherwise are left out.
  bool with_defaults = true;
};

// The function as a valid graph. Constants become values where an operand needs them and attributes
// where the schema has an attribute; unused ones are dropped. Errors name the statement and the
// byte offset: kUnsupported for operations the vocabulary lacks, for `?` axes of inputs without
// extents, and for attributes that are computed from more than shapes; kInvalid where the text
// contradicts itself. `?` axes of results follow from the operands. Results of classify that leave
// the function are the tensor that it labels (host_statements.h).
Result<Graph> MilToGraph(const mil::Program& program, const Vocabulary& vocabulary,
                         const MilReadOptions& options = {});

// The inputs of a function whose `?` axes have extents neither in `options` nor in the program's
// defaults, or all that have such axes: their shapes, kOpenExtent where an axis is open. Empty for
// a function that can be read. Errors: those of finding the function and of types that no graph
// has.
Result<std::vector<ModelShape>> OpenInputs(const mil::Program& program,
                                           const Vocabulary& vocabulary,
                                           const MilReadOptions& options = {});

// Parses and reads.
Result<Graph> MilTextToGraph(std::string text, const Vocabulary& vocabulary,
                             const MilReadOptions& options = {});

}  // namespace anecheck
