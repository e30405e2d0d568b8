#include "harness/models/inspected_model.h"

#include <fmt/format.h>
#include <map>

#include "harness/base/byte_reader.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/mapped_file.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/reader.h"
#include "harness/formats/mlmodel/model.h"
#include "harness/formats/mlmodel/program_text.h"
#include "harness/formats/mlmodel/schema.h"
#include "harness/models/package.h"
#include "harness/models/weight_files.h"

namespace anecheck {
namespace {

std::string_view TextOf(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::vector<InspectedModel::Weights> WeightsOf(const mil::Program& program,
                                               const std::string& folder) {
  std::map<std::string, uint64_t> counts;
  for (uint32_t i = 0; i < program.values.size(); ++i) {
    const mil::ValueView value(&program, i);
    if (value.kind() != mil::ValueKind::kBlobFile) continue;
    const auto path = mil::ReadString(value.path());
    if (path.ok()) ++counts[*path];
  }
  WeightFiles files(folder, {}, {.remedy = "put the file into the model's folder"});
  std::vector<InspectedModel::Weights> weights;
  for (const auto& [name, constants] : counts) {
    InspectedModel::Weights& entry = weights.emplace_back();
    entry.name = name;
    entry.constants = constants;
    const auto bytes = files.ReadWhole(name);
    if (bytes.ok()) {
      entry.bytes = bytes->bytes.size();
    } else {
      entry.error = bytes.error().message;
      entry.missing = bytes.error().code == ErrorCode::kNotFound;
    }
  }
  return weights;
}

Error InFile(const std::string& file, const Error& error) {
  return MakeError(error.code, fmt::format("{}: {}", file, error.message), error.offset);
}

// ---- companions ---------------------------------------------------------------------------------

std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::optional<std::string> DescribeManifest(std::string_view text, std::string_view path) {
  if (NameOf(path) != "Manifest.json") return std::nullopt;
  const auto json = ParseJson(text, "Manifest.json");
  if (!json.ok() || !json->is_object()) return std::nullopt;
  const auto items = json->find("itemInfoEntries");
  if (items == json->end() || !items->is_object()) return std::nullopt;
  std::string names;
  for (const auto& item : *items) {
    const auto found = item.is_object() ? item.find("path") : item.end();
    if (!item.is_object() || found == item.end() || !found->is_string()) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", found->get<std::string>());
  }
  return fmt::format("the manifest of a Core ML package: {}; inspect the package itself", names);
}

std::string NamesIn(const Json& entry, const char* key) {
  std::string names;
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array()) return "none";
  for (const Json& feature : *found) {
    const auto name = feature.is_object() ? feature.find("name") : feature.end();
    if (!feature.is_object() || name == feature.end() || !name->is_string()) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name->get<std::string>());
  }
  return names.empty() ? "none" : names;
}

std::optional<std::string> DescribeMetadata(std::string_view text, std::string_view path) {
  if (NameOf(path) != "metadata.json") return std::nullopt;
  const auto json = ParseJson(text, "metadata.json");
  if (!json.ok() || !json->is_array() || json->empty() || !json->front().is_object() ||
      !json->front().contains("metadataOutputVersion")) {
    return std::nullopt;
  }
  return fmt::format("the metadata of a compiled Core ML model: inputs {}, outputs {}",
                     NamesIn(json->front(), "inputSchema"), NamesIn(json->front(), "outputSchema"));
}

// Two real files begin with a number that names the model's kind, as in model files.
std::optional<std::string> DescribeCoreMlData(ByteSpan bytes, std::string_view path) {
  if (NameOf(path) != "coremldata.bin") return std::nullopt;
  ByteReader reader(bytes, 0, "header");
  const uint32_t kind = reader.U32("kind");
  if (!reader.ok()) return std::nullopt;
  const std::string_view name = mlmodel::ModelKind(kind);
  return fmt::format("the description of a compiled Core ML model{}; the rest is not read",
                     name.empty() ? "" : fmt::format(" of the kind \"{}\"", name));
}

std::optional<std::string> DescribeAne(ByteSpan bytes, std::string_view path) {
  if (!path.ends_with(".ane")) return std::nullopt;
  ByteReader reader(bytes, 0, "header");
  const uint64_t size = reader.U64("size");
  if (!reader.ok() || size == 0 || size > bytes.size()) return std::nullopt;
  return fmt::format(
      "by its name, a program of the Linux driver (.ane), with {} bytes of program data", size);
}

}  // namespace

Result<std::optional<InspectedModel>> InspectModel(const std::string& path) {
  ANECHECK_ASSIGN(const ModelPlace place, FindModel(path));
  ANECHECK_ASSIGN(const MappedFile file, MappedFile::Open(place.file));
  const bool is_model_file = IsModelFile(place.file, TextOf(file));
  if (!place.in_package && !is_model_file) return std::optional<InspectedModel>();
  InspectedModel model;
  model.file = place.file;
  if (is_model_file) {
    model.form = place.in_package ? "package" : "model file";
    const auto read = mlmodel::ReadModel(TextOf(file));
    if (!read.ok()) return InFile(place.file, read.error());
    model.specification_version = read->specification_version;
    model.left_out = read->left_out;
    auto text = mlmodel::ProgramText(read->program, read->inputs);
    if (!text.ok()) return InFile(place.file, text.error());
    model.text = std::move(*text);
  } else {
    model.form = "compiled model";
    auto text = mil::TextOfFile(file.bytes());
    if (!text.ok()) return InFile(place.file, text.error());
    model.text = std::move(*text);
  }
  const auto program = mil::Parse(model.text);
  if (!program.ok()) return InFile(place.file, program.error());
  model.weights = WeightsOf(*program, place.folder);
  return std::optional(std::move(model));
}

std::optional<std::string> DescribeCompanion(ByteSpan bytes, std::string_view path) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (auto found = DescribeCoreMlData(bytes, path)) return found;
  if (auto found = DescribeManifest(text, path)) return found;
  if (auto found = DescribeMetadata(text, path)) return found;
  return DescribeAne(bytes, path);
}

}  // namespace anecheck
