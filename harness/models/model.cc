#include "harness/models/model.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "harness/base/file.h"
#include "harness/base/mapped_file.h"
#include "harness/formats/espresso/espresso.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/reader.h"
#include "harness/formats/mlmodel/model.h"
#include "harness/formats/mlmodel/program_text.h"
#include "harness/formats/netlist/model.h"
#include "harness/formats/plist/plist.h"
#include "harness/graph/json.h"
#include "harness/lowering/host_statements.h"
#include "harness/lowering/netlist_to_graph.h"
#include "harness/models/inspected_model.h"
#include "harness/models/made_up.h"
#include "harness/models/package.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

// Puts the model's name in front of a message about one of its files.
Error InModel(const std::string& path, Error error) {
  if (!error.message.starts_with(path)) error.message.insert(0, path + ": ");
  return error;
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

std::vector<std::string> NamedFiles(const netlist::Description& description) {
  std::vector<std::string> paths;
  for (const netlist::Network& network : description.networks) {
    paths.insert(paths.end(), network.weight_files.begin(), network.weight_files.end());
  }
  return paths;
}

// Text of any form is read as a whole. A text beyond the limit is refused before any byte is
// copied.
Status CheckTextSize(std::string_view text, std::string_view form, uint64_t most) {
  if (text.size() <= most) return {};
  return MakeError(ErrorCode::kLimit,
                   fmt::format("{} of {} bytes; at most {} are read", form, text.size(), most));
}

}  // namespace

struct Model::Content {
  std::string path;
  std::string folder;  // the value of "@model_path"
  std::vector<std::string> functions;
  WeightOptions weights;
  // The content is one of the next three members.
  std::optional<mil::Program> program;
  std::optional<netlist::Description> network;
  Graph graph;

  std::vector<mlmodel::InputShapes> inputs;  // of a model file
  std::string left_out;                      // of a pipeline
};

Model::Model(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

bool Model::IsNetwork() const { return content_->network.has_value(); }

const std::vector<std::string>& Model::functions() const { return content_->functions; }

namespace {

Error NetworkOfEspresso() {
  return MakeError(ErrorCode::kUnsupported,
                   "is a network of Espresso, which `anecheck inspect` shows; its layers are not "
                   "evaluated: give the model as an ML Program, as MIL text or as a graph");
}

Status KeepProgram(std::string text, std::optional<mil::Program>& program,
                   std::vector<std::string>& functions) {
  ANECHECK_ASSIGN(program, mil::Parse(std::move(text)));
  for (const mil::FunctionView function : mil::Functions(*program)) {
    functions.emplace_back(function.name());
  }
  if (!functions.empty()) return {};
  return MakeError(ErrorCode::kInvalid, "the program has no function");
}

}  // namespace

Result<Model> Model::Open(const std::string& path, WeightOptions weights) {
  ANECHECK_ASSIGN(const ModelPlace place, FindModel(path));
  auto content = std::make_unique<Content>();
  content->path = path;
  content->weights = std::move(weights);
  content->folder = place.folder;
  ANECHECK_ASSIGN(const MappedFile file, MappedFile::Open(place.file));
  const std::string_view text(reinterpret_cast<const char*>(file.bytes().data()),
                              file.bytes().size());
  const auto companion = place.in_package || place.file.ends_with(".ane")
                             ? std::nullopt
                             : DescribeCompanion(file.bytes(), place.file);
  if (companion) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: is {}; give the model's folder", path, *companion));
  }
  const Status read = Fill(text, IsModelFile(place.file, text), *content);
  if (!read.ok()) return InModel(path, read.error());
  std::vector<std::string> named;
  if (content->program) named = NamedFiles(*content->program);
  if (content->network) named = NamedFiles(*content->network);
  const Status given = CheckGivenFiles(named, content->weights.files);
  if (!given.ok()) return InModel(path, given.error());
  return Model(std::move(content));
}

Status Model::Fill(std::string_view text, bool is_model_file, Content& content) {
  ANECHECK_RETURN_IF_ERROR(espresso::CheckNotCompressed(text));
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') {
    ANECHECK_RETURN_IF_ERROR(CheckTextSize(text, "a graph in JSON", kDefaultFileLimit));
    auto graph = GraphFromText(text, OpVocabulary(), content.path);
    // Other forms are tried only after a graph, because a graph may have tensors of any name.
    if (!graph.ok() && espresso::LooksLikeNetwork(text)) return NetworkOfEspresso();
    if (!graph.ok()) return graph.error();
    content.graph = std::move(*graph);
    content.functions.push_back(content.graph.name);
    return {};
  }
  const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  if (plist::LooksLikePropertyList(bytes)) {
    ANECHECK_RETURN_IF_ERROR(CheckTextSize(text, "a property list", mil::kMaxTextSize));
    ANECHECK_ASSIGN(content.network, netlist::Parse(bytes));
    content.functions.emplace_back("main");
    return {};
  }
  if (!is_model_file) {
    ANECHECK_RETURN_IF_ERROR(CheckTextSize(text, "MIL text", mil::kMaxTextSize));
    return KeepProgram(std::string(text), content.program, content.functions);
  }
  ANECHECK_ASSIGN(mlmodel::Model model, mlmodel::ReadModel(text));
  content.inputs = std::move(model.inputs);
  content.left_out = std::move(model.left_out);
  ANECHECK_ASSIGN(std::string program, mlmodel::ProgramText(model.program, content.inputs));
  return KeepProgram(std::move(program), content.program, content.functions);
}

Result<ModelGraph> Model::Read(std::string_view function,
                               const std::vector<ModelShape>& shapes) const {
  if (content_->program) return ReadProgram(function, shapes);
  if (!function.empty() && function != content_->functions.front()) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: the model's function is \"{}\", not \"{}\"", content_->path,
                                 content_->functions.front(), function));
  }
  if (content_->network) return ReadNetwork();
  ModelGraph model;
  model.graph = content_->graph;
  return model;
}

// A weight file is opened only when a layer reads it, because real descriptions name files that no
// layer reads.
Result<ModelGraph> Model::ReadNetwork() const {
  const netlist::Description& description = *content_->network;
  const std::vector<std::string> named = NamedFiles(description);
  WeightFiles files(content_->folder, named, content_->weights);
  auto graph = ReadNetlist(
      description,
      [&](int64_t index, uint64_t offset, const TensorType& type) -> Result<SharedBytes> {
        if (index >= 0 && static_cast<size_t>(index) < named.size()) {
          return files.ReadPlain(named[static_cast<size_t>(index)], offset, type);
        }
        return MakeError(ErrorCode::kInvalid,
                         fmt::format("weight file {} of {}", index, named.size()));
      });
  if (!graph.ok()) return InModel(content_->path, graph.error());
  ModelGraph model;
  model.graph = std::move(*graph);
  model.network = true;
  model.made_up = files.made_up_count();
  model.missing.assign(files.missing().begin(), files.missing().end());
  return model;
}

// The model file's default extents, then the requested extents, which take precedence.
std::vector<ModelShape> Model::ShapesFor(std::string_view function,
                                         const std::vector<ModelShape>& asked) const {
  std::vector<ModelShape> shapes;
  for (const mlmodel::InputShapes& shape : content_->inputs) {
    if (!shape.function.empty() && !function.empty() && shape.function != function) continue;
    if (shape.extents.size() > static_cast<size_t>(Shape::kMaxRank)) continue;
    ModelShape& kept = shapes.emplace_back(ModelShape{shape.input, {}});
    for (const int64_t extent : shape.extents) kept.shape.Append(extent);
  }
  shapes.insert(shapes.end(), asked.begin(), asked.end());
  return shapes;
}

Result<std::vector<ModelShape>> Model::OpenInputs(std::string_view function, OpenAxes axes) const {
  if (!content_->program) return std::vector<ModelShape>();
  MilReadOptions options{.function = std::string(function), .shapes = ShapesFor(function, {})};
  options.with_defaults = axes == OpenAxes::kWithoutDefault;
  auto open = anecheck::OpenInputs(*content_->program, OpVocabulary(), options);
  if (!open.ok()) return InModel(content_->path, open.error());
  return open;
}

Result<ModelGraph> Model::ReadProgram(std::string_view function,
                                      const std::vector<ModelShape>& shapes) const {
  const mil::Program& program = *content_->program;
  WeightFiles files(content_->folder, NamedFiles(program), content_->weights);
  MilReadOptions options{.function = std::string(function), .shapes = ShapesFor(function, shapes)};
  options.read_blob = [&](std::string_view name, uint64_t offset, const TensorType& type) {
    return files.Read(name, offset, type);
  };
  auto graph = MilToGraph(program, OpVocabulary(), options);
  if (!graph.ok()) {
    const bool open =
        program.text.find("DefaultShapes") != std::string::npos || !content_->inputs.empty();
    const bool has_open = program.text.find('?') != std::string::npos;
    const bool of_extents = graph.error().code == ErrorCode::kInvalid;
    const char* const hint =
        of_extents && shapes.empty() && open && has_open
            ? "; its `?` axes have their default extents, input arrays give others"
            : "";
    return InModel(content_->path, MakeError(graph.error().code, graph.error().message + hint));
  }
  ModelGraph model;
  model.graph = std::move(*graph);
  model.made_up = files.made_up_count();
  model.missing.assign(files.missing().begin(), files.missing().end());
  model.labels_left_out = GivesLabels(program);
  model.pipeline_left_out = content_->left_out;
  if (model.made_up > 0) FitMasks(model.graph);
  return model;
}

}  // namespace anecheck
