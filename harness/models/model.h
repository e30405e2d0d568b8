// A user's model, opened once, in any form: a package, a compiled model, a model file, MIL text, a
// network description or a graph as JSON. `eval`, `judge`, `check` and `lower` read models with it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "harness/lowering/mil_to_graph.h"
#include "harness/models/weight_files.h"

namespace anecheck {

// One function of a model.
struct ModelGraph {
  Graph graph;
  uint64_t made_up = 0;              // constants that are made up because their file is missing
  std::vector<std::string> missing;  // the missing files
  // True for a network description, which compilers take by the direct route.
  bool network = false;
  // True for a classifier, whose host pairs the labels with an output.
  bool labels_left_out = false;
  std::string pipeline_left_out;  // the kinds of a pipeline's other models, which the host runs
};

// The axes of unknown extent (open axes) that OpenInputs returns: those without default extents, or
// all.
enum class OpenAxes : uint8_t { kWithoutDefault, kAll };

// Not thread-safe.
class Model {
 public:
  // Opens the model at `path` and finds its kind. Errors: those of files and of the kind's reader;
  // they name the file.
  static Result<Model> Open(const std::string& path, WeightOptions weights = {});
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  // Returns whether the model is a network description, which compilers take by the direct route.
  bool IsNetwork() const;

  // The names of the model's functions, in the order of the file; at least one.
  const std::vector<std::string>& functions() const;

  // Returns the inputs of a function that need extents before it can be read or, with kAll, all
  // inputs with open axes. An open axis is kOpenExtent. Errors: those of Read, without those of
  // weights.
  Result<std::vector<ModelShape>> OpenInputs(std::string_view function = {},
                                             OpenAxes axes = OpenAxes::kWithoutDefault) const;

  // Reads one function; an empty name selects "main", or the only function. Inputs with open axes
  // take the extents of `shapes`, else the model's defaults. The graph keeps the weight files
  // mapped. Errors: those of MilToGraph and WeightFiles; they name the file.
  Result<ModelGraph> Read(std::string_view function = {},
                          const std::vector<ModelShape>& shapes = {}) const;

 private:
  struct Content;
  explicit Model(std::unique_ptr<Content> content);
  static Status Fill(std::string_view text, bool is_model_file, Content& content);
  Result<ModelGraph> ReadNetwork() const;
  Result<ModelGraph> ReadProgram(std::string_view function,
                                 const std::vector<ModelShape>& shapes) const;
  std::vector<ModelShape> ShapesFor(std::string_view function,
                                    const std::vector<ModelShape>& asked) const;

  std::unique_ptr<Content> content_;
};

}  // namespace anecheck
