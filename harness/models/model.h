// A model that a person has, opened once, whatever its form: a package, a compiled model, a model
// file, MIL text, a network description or a graph as JSON. The model that `eval`, `judge`, `check`
// and `lower` read.
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
  uint64_t made_up = 0;              // constants that are made up, since their file is not there
  std::vector<std::string> missing;  // their files
  // Of a network description, which compilers take by a route of its own.
  bool network = false;
  // Of a classifier: the host pairs the labels with an output.
  bool labels_left_out = false;
};

// The open axes that are asked for: those without default extents, or all.
enum class OpenAxes : uint8_t { kWithoutDefault, kAll };

// Not thread-safe.
class Model {
 public:
  // Finds the kind of model at `path`. Errors name the file: those of files and of its reader.
  static Result<Model> Open(const std::string& path, WeightOptions weights = {});
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;
  ~Model();

  // Whether it is a network description, which compilers take by a route of its own.
  bool IsNetwork() const;

  // The names of its functions, in the order of the file; at least one.
  const std::vector<std::string>& functions() const;

  // The inputs of a function that need extents before it can be read, or all that may have
  // others: kOpenExtent where an axis is open. Errors: those of Read that do not come of weights.
  Result<std::vector<ModelShape>> OpenInputs(std::string_view function = {},
                                             OpenAxes axes = OpenAxes::kWithoutDefault) const;

  // One function; with an empty name "main", or the only one there is. Inputs with open axes take
  // the extents of `shapes`, or else the model's default ones. The graph refers to the mapped
  // weight files and keeps them. Errors name the file: those of MilToGraph and WeightFiles.
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
