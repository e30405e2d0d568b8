#include "harness/findings/export/finding_export.h"

#include <array>
#include <bit>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <system_error>

#include "harness/base/base64.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/cases/second_execution.h"
#include "harness/formats/npz/npz.h"
#include "harness/graph/json.h"
#include "harness/judging/lean_watch.h"
#include "harness/judging/relation.h"
#include "harness/lowering/netlist_axes.h"
#include "harness/ops/op.h"
#include "harness/runners/tensor_npz.h"
#include "oracles/oracle.h"

namespace anecheck {

namespace finding_export {
extern const std::string_view kCheckOutput;
extern const std::string_view kFindingReadme;
}  // namespace finding_export

namespace {

using npz::Array;
using npz::ElementType;

std::vector<uint64_t> Dims(const Shape& shape) {
  const auto dims = shape.dims();
  return {dims.begin(), dims.end()};
}

template <typename Number>
Array Numbers(ElementType type, std::vector<uint64_t> shape, std::span<const Number> numbers) {
  static_assert(std::endian::native == std::endian::little);
  const auto* bytes = reinterpret_cast<const uint8_t*>(numbers.data());
  return {type, std::move(shape), {bytes, bytes + numbers.size_bytes()}};
}

Array Doubles(std::vector<uint64_t> shape, std::span<const double> numbers) {
  return Numbers(ElementType::kFloat64, std::move(shape), numbers);
}

void AddEstimate(const std::string& name, const Estimate& estimate,
                 std::vector<npz::NamedArray>& arrays) {
  const std::vector<uint64_t> shape = Dims(estimate.type.shape);
  arrays.push_back({name + ".value", Doubles(shape, estimate.value)});
  arrays.push_back({name + ".low", Doubles(shape, estimate.low)});
  arrays.push_back({name + ".high", Doubles(shape, estimate.high)});
  arrays.push_back({name + ".flags",
                    Numbers(ElementType::kUint8, shape, std::span<const uint8_t>(estimate.flags))});
  const std::array<uint8_t, 1> whole = {estimate.whole ? uint8_t{1} : uint8_t{0}};
  arrays.push_back(
      {name + ".whole", Numbers(ElementType::kBool, {}, std::span<const uint8_t>(whole))});
  if (estimate.member_begin.empty()) return;
  arrays.push_back(
      {name + ".member_begin", Numbers(ElementType::kUint32, {estimate.member_begin.size()},
                                       std::span<const uint32_t>(estimate.member_begin))});
  arrays.push_back({name + ".members", Doubles({estimate.members.size()}, estimate.members)});
}

Status WriteExpected(const Graph& graph, std::span<const Tensor> inputs, int family,
                     const std::string& path) {
  ANECHECK_ASSIGN(const std::vector<Estimate> estimates,
                  Evaluate(graph, inputs, ConformingContract(family)));
  std::vector<npz::NamedArray> arrays;
  for (size_t i = 0; i < estimates.size(); ++i) {
    AddEstimate(graph.value(graph.outputs()[i]).name, estimates[i], arrays);
  }
  return npz::WriteNpzFile(path, arrays);
}

// Writes the engine's outputs, as recorded.
Status WriteActual(const Json& finding, const std::string& path) {
  if (!HasOutputs(finding)) return {};
  std::vector<npz::NamedArray> arrays;
  for (const Json& item : finding["actual"]) {
    Tensor tensor;
    const auto dtype = DTypeFromName(item.value("dtype", ""));
    if (!dtype || !item.contains("shape") || !item["shape"].is_array()) {
      return MakeError(ErrorCode::kInvalid, "finding: actual: needs dtype, shape and data");
    }
    tensor.type.dtype = *dtype;
    for (const Json& dim : item["shape"]) {
      if (!dim.is_number_integer() || tensor.type.shape.rank() == Shape::kMaxRank) {
        return MakeError(ErrorCode::kInvalid, "finding: actual: shape must be up to 8 integers");
      }
      tensor.type.shape.Append(dim.get<int64_t>());
    }
    ANECHECK_ASSIGN(tensor.bytes, Base64Decode(item.value("data", "")));
    ANECHECK_ASSIGN(Array array, TensorToArray(tensor));
    arrays.push_back({item.value("name", ""), std::move(array)});
  }
  return npz::WriteNpzFile(path, arrays);
}

// Writes the second execution of the program, if it was judged or took other inputs.
Status WriteAgain(const Json& finding, const Case& item,
                  const std::function<std::string(std::string_view)>& in) {
  const auto again = finding.find("again");
  if (again == finding.end()) return {};
  if (!item.again.empty()) {
    ANECHECK_RETURN_IF_ERROR(WriteInputsNpz(in("inputs_again.npz"), item.graph, item.again));
  }
  ANECHECK_RETURN_IF_ERROR(WriteExpected(ExecutedTwice(item.graph, !item.again.empty()),
                                         InputsOfBoth(item.inputs, item.again), item.target.family,
                                         in("expected_again.npz")));
  return WriteActual(*again, in("actual_again.npz"));
}

// Writes the shape of the program's range that shows the finding, if it is not the graph's own
// shape.
Status WriteShape(const Json& finding, const Case& item,
                  const std::function<std::string(std::string_view)>& in) {
  const auto shown = finding.find("at_shape");
  if (shown == finding.end() || !shown->is_object()) return {};
  const auto extent = shown->find("extent");
  if (!item.range || extent == shown->end() || !extent->is_number_integer()) {
    return MakeError(ErrorCode::kInvalid, "finding: at_shape: needs extent and a range");
  }
  for (const RunShape& shape : item.further) {
    const ValueId input = *shape.graph.FindValue(item.range->input);
    if (shape.graph.type(input).shape[item.range->axis] != *extent) continue;
    ANECHECK_RETURN_IF_ERROR(WriteInputsNpz(in("inputs_at_shape.npz"), shape.graph, shape.inputs));
    ANECHECK_RETURN_IF_ERROR(
        WriteExpected(shape.graph, shape.inputs, item.target.family, in("expected_at_shape.npz")));
    ANECHECK_RETURN_IF_ERROR(WriteActual(*shown, in("actual_at_shape.npz")));
    return WriteFileAtomic(in("ranged.mil"), item.ranged_mil);
  }
  return MakeError(ErrorCode::kInvalid, "finding: at_shape: extent: is none of the range");
}

// If a relation shows the finding, writes the rewritten network and its expected and actual
// outputs.
Status WriteRewritten(const Json& finding, const Case& item,
                      const std::function<std::string(std::string_view)>& in) {
  const auto relation = finding.find("relation");
  if (relation == finding.end() || !relation->is_object()) return {};
  const std::string mil = relation->value("mil", "");
  if (!mil.empty()) ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(in("rewritten.mil"), mil));
  const auto written = relation->find("graph");
  if (!HasOutputs(*relation) || written == relation->end()) return {};
  ANECHECK_ASSIGN(const Graph graph, GraphFromJson(*written, OpVocabulary()));
  ANECHECK_RETURN_IF_ERROR(
      WriteExpected(graph, item.inputs, item.target.family, in("expected_rewritten.npz")));
  return WriteActual(*relation, in("actual_rewritten.npz"));
}

// Writes the network description and its constants if the case took the direct route. MIL text
// cannot replace them, because it has no operation for a native layer.
Status WriteDescription(const Case& item, const std::function<std::string(std::string_view)>& in) {
  if (item.route != Route::kNetlist) return {};
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(in("net.plist"), std::string_view(item.netlist)));
  if (item.netlist_weights.empty()) return {};
  return WriteFileAtomic(in(kNetlistWeightFile), std::span<const uint8_t>(item.netlist_weights));
}

// Writes the compiler's files, if they show the finding.
Status WriteFiles(const Json& finding, const std::function<std::string(std::string_view)>& in) {
  const auto files = finding.find("files");
  if (files == finding.end()) return {};
  constexpr std::pair<const char*, std::string_view> kNames[] = {{"descriptor", "program.e5"},
                                                                 {"container", "model.hwx"}};
  for (const auto& [key, name] : kNames) {
    if (!files->is_object() || !files->contains(key) || !(*files)[key].is_string()) {
      return MakeError(ErrorCode::kInvalid, "finding: files: needs descriptor and container");
    }
    ANECHECK_ASSIGN(const std::vector<uint8_t> bytes,
                    Base64Decode((*files)[key].get<std::string>()));
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(in(name), std::span<const uint8_t>(bytes)));
  }
  return {};
}

// The files that only some findings have.
constexpr std::string_view kOptional[] = {"actual.npz",
                                          "inputs_again.npz",
                                          "expected_again.npz",
                                          "actual_again.npz",
                                          "inputs_at_shape.npz",
                                          "expected_at_shape.npz",
                                          "actual_at_shape.npz",
                                          "ranged.mil",
                                          "rewritten.mil",
                                          "expected_rewritten.npz",
                                          "actual_rewritten.npz",
                                          "net.plist",
                                          kNetlistWeightFile,
                                          "program.e5",
                                          "model.hwx"};

// Returns whether `folder` is the folder of a finding, judged by its finding.json.
bool HoldsFinding(const std::string& folder) {
  const auto text = ReadTextFile(folder + "/finding.json");
  if (!text.ok()) return false;
  const auto json = ParseJson(*text);
  return json.ok() && ArtifactFromJson(*json).ok();
}

// Removes the optional files of an earlier finding, because the script would use them to judge this
// finding. Does not change a folder that is no export.
Status RemoveEarlier(const std::string& folder) {
  if (!HoldsFinding(folder)) return {};
  for (const std::string_view name : kOptional) {
    const std::string path = fmt::format("{}/{}", folder, name);
    std::error_code error;
    std::filesystem::remove(path, error);
    if (error) {
      return MakeError(ErrorCode::kIo,
                       fmt::format("{}: cannot be removed: {}", path, error.message()));
    }
  }
  return {};
}

// Returns the command that judges the engine's outputs.
std::string Judge(const Json& finding) {
  return ScriptShows(finding)
             ? "    python3 check_output.py                    # judges actual.npz\n"
             : "";
}

// Returns the further commands for a reader of the finding.
std::string Further(const Artifact& artifact) {
  if (artifact.verdict != Verdict::kBiased)
    return "    anecheck shrink finding.json --out small.json\n";
  return "\nNo bound is broken: the errors of many cases together lean to one side, and this is "
         "one of "
         "them. A\nsecond run shows how this case leans, which proves nothing alone; `shrink` "
         "takes only findings that one case shows.\n";
}

std::string Readme(const Json& finding, const Artifact& artifact, const std::string& provenance) {
  const std::string known = finding.value("known_defect", "");
  const std::pair<std::string_view, std::string> fields[] = {
      {"{id}", artifact.id},
      {"{summary}", finding.value("message", "")},
      {"{verdict}", std::string(ToText(artifact.verdict))},
      {"{known_defect}", known.empty() ? "" : " " + known},
      {"{op}", finding.value("op", "")},
      {"{target}", artifact.item.target.name},
      {"{route}", std::string(ToText(artifact.item.route))},
      {"{runner}", artifact.options.runner},
      {"{provenance}", provenance},
      {"{tool_version}", finding.value("tool_version", "")},
      {"{seed}", std::to_string(artifact.options.seed)},
      {"{index}", std::to_string(artifact.item.index)},
      {"{judge}", Judge(finding)},
      {"{further}", Further(artifact)},
  };
  std::string text(finding_export::kFindingReadme);
  for (const auto& [key, value] : fields) {
    for (size_t at = 0; (at = text.find(key, at)) != std::string::npos; at += value.size()) {
      text.replace(at, key.size(), value);
    }
  }
  return text;
}

}  // namespace

bool HasOutputs(const Json& finding) {
  if (!finding.is_object()) return false;
  const auto actual = finding.find("actual");
  return actual != finding.end() && actual->is_array() && !actual->empty();
}

bool ScriptShows(const Json& finding) {
  if (!HasOutputs(finding)) return false;
  const auto relation = finding.find("relation");
  if (relation == finding.end() || !relation->is_object()) return true;
  const auto text = [](const Json& json, const char* key) -> std::string {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
  };
  // Recognises the messages of JudgeRelation. A message "with ..." states a fault of the rewritten
  // network alone. A message that begins with the relation's place states a difference between the
  // networks, which no interval shows. The case's own network shows every other fault.
  const std::string place = PlaceOf({text(*relation, "name"), text(*relation, "site")});
  const std::string message = text(finding, "message");
  if (message.starts_with("with " + place)) return HasOutputs(*relation);
  return !message.starts_with(place);
}

Status ExportFinding(const Json& finding, const std::string& provenance,
                     const std::string& folder) {
  ANECHECK_ASSIGN(const Artifact artifact, ArtifactFromJson(finding));
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(folder));
  ANECHECK_RETURN_IF_ERROR(RemoveEarlier(folder));
  const auto in = [&folder](std::string_view name) { return fmt::format("{}/{}", folder, name); };
  const Case& item = artifact.item;
  ANECHECK_RETURN_IF_ERROR(WriteInputsNpz(in("inputs.npz"), item.graph, item.inputs));
  ANECHECK_RETURN_IF_ERROR(
      WriteExpected(item.graph, item.inputs, item.target.family, in("expected.npz")));
  ANECHECK_RETURN_IF_ERROR(WriteActual(finding, in("actual.npz")));
  ANECHECK_RETURN_IF_ERROR(WriteAgain(finding, item, in));
  ANECHECK_RETURN_IF_ERROR(WriteShape(finding, item, in));
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(in("model.mil"), artifact.item.mil));
  ANECHECK_RETURN_IF_ERROR(WriteRewritten(finding, item, in));
  ANECHECK_RETURN_IF_ERROR(WriteDescription(item, in));
  ANECHECK_RETURN_IF_ERROR(WriteFiles(finding, in));
  ANECHECK_RETURN_IF_ERROR(
      WriteFileAtomic(in("graph.json"), GraphToJson(artifact.item.graph).dump(1) + "\n"));
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(in("finding.json"), finding.dump(1) + "\n"));
  ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(in("check_output.py"), finding_export::kCheckOutput));
  return WriteFileAtomic(in("README.md"), Readme(finding, artifact, provenance));
}

}  // namespace anecheck
