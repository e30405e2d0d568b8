// Reads MIL text into a graph, for the round trip of generated programs and for users' models.
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
  // The function to read. An empty name means "main" or the program's only function.
  std::string function = {};
  // Returns the elements of a constant in a weight file, packed as in graphs. `path` is as written
  // in the text. If the function is empty, BLOBFILE constants are an error. Errors of the function
  // are returned unchanged.
  std::function<Result<SharedBytes>(std::string_view path, uint64_t offset, const TensorType& type)>
      read_blob = {};
  // Shapes of inputs with `?` axes; inputs that are not listed take the program's DefaultShapes.
  std::vector<ModelShape> shapes = {};
  // Only for OpenInputs: whether it leaves out inputs whose extents are known.
  bool with_defaults = true;
};

// Reads the function as a valid graph. A constant becomes a value if an operand uses it, and an
// attribute if the schema has one. Unused constants are dropped. Errors name the statement and the
// byte offset: kUnsupported for operations the vocabulary lacks, for `?` axes of inputs without
// extents, and for attributes that are computed from more than shapes; kInvalid if the text
// contradicts itself. `?` axes of results follow from the operands. If the function returns results
// of classify, the graph instead returns the tensor that classify labels (host_statements.h).
Result<Graph> MilToGraph(const mil::Program& program, const Vocabulary& vocabulary,
                         const MilReadOptions& options = {});

// Returns the inputs of a function that have `?` axes whose extents are missing from both `options`
// and the program's defaults. The shapes have kOpenExtent at open axes. Empty for a function that
// can be read. If `with_defaults` is false, returns all inputs with `?` axes. Errors: those of
// finding the function and of types that graphs lack.
Result<std::vector<ModelShape>> OpenInputs(const mil::Program& program,
                                           const Vocabulary& vocabulary,
                                           const MilReadOptions& options = {});

// Parses the text, then reads it as MilToGraph does.
Result<Graph> MilTextToGraph(std::string text, const Vocabulary& vocabulary,
                             const MilReadOptions& options = {});

}  // namespace anecheck
