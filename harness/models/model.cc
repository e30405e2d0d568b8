#include "harness/models/model.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "harness/base/file.h"
#include "harness/base/mapped_file.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/reader.h"
#include "harness/graph/json.h"
#include "harness/models/made_up.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

Error InModel(const std::string& path, Error error) {
  if (!error.message.starts_with(path + ":")) error.message.insert(0, path + ": ");
  return error;
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The paths of weight files that a program names.
std::vector<std::string> NamedFiles(const mil::Program& program) {
  std::vector<std::string> paths;
  for (uint32_t i = 0; i < program.values.size(); ++i) {
    const mil::ValueView value(&program, i);
    if (value.kind() != mil::ValueKind::kBlobFile) continue;
    const auto path = mil::ReadString(value.path());
    if (path.ok()) paths.push_back(*path);
  }
  return paths;
}

}  // namespace

struct Model::Content {
  std::string path;
  std::vector<std::string> functions;
  WeightOptions weights;
  // One of the two.
  std::optional<mil::Program> program;
  Graph graph;

  std::string folder;  // what "@model_path" stands for
};

Model::Model(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

const std::vector<std::string>& Model::functions() const { return content_->functions; }

Result<Model> Model::Open(const std::string& path, WeightOptions weights) {
  auto content = std::make_unique<Content>();
  content->path = path;
  content->weights = std::move(weights);
  content->folder = FolderOf(path);
  ANECHECK_ASSIGN(std::string text, ReadTextFile(path));
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    auto graph = GraphFromText(text, OpVocabulary(), path);
    if (!graph.ok()) return InModel(path, graph.error());
    content->functions.push_back(graph->name);
    content->graph = std::move(*graph);
    return Model(std::move(content));
  }
  auto program = mil::Parse(std::move(text));
  if (!program.ok()) return InModel(path, program.error());
  for (const mil::FunctionView function : mil::Functions(*program)) {
    content->functions.emplace_back(function.name());
  }
  content->program = std::move(*program);
  return Model(std::move(content));
}

Result<ModelGraph> Model::Read(std::string_view function,
                               const std::vector<ModelShape>& shapes) const {
  ModelGraph model;
  if (!content_->program) {
    if (!function.empty() && function != content_->functions.front()) {
      return MakeError(ErrorCode::kNotFound,
                       fmt::format("{}: the graph's function is \"{}\", not \"{}\"", content_->path,
                                   content_->functions.front(), function));
    }
    model.graph = content_->graph;
    return model;
  }
  const mil::Program& program = *content_->program;
  WeightFiles files(content_->folder, NamedFiles(program), content_->weights);
  MilReadOptions options{.function = std::string(function), .shapes = shapes};
  options.read_blob = [&](std::string_view name, uint64_t offset, const TensorType& type) {
    return files.Read(name, offset, type);
  };
  auto graph = MilToGraph(program, OpVocabulary(), options);
  if (!graph.ok()) {
    const bool open = program.text.find("DefaultShapes") != std::string::npos;
    const char* const hint = shapes.empty() && open
                                 ? "; its `?` axes have their default extents, arrays give others"
                                 : "";
    return InModel(content_->path, MakeError(graph.error().code, graph.error().message + hint));
  }
  model.graph = std::move(*graph);
  model.made_up = files.made_up_count();
  model.missing.assign(files.missing().begin(), files.missing().end());
  if (model.made_up > 0) FitMasks(model.graph);
  return model;
}

}  // namespace anecheck
