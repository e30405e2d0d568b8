#include "harness/findings/artifact.h"

#include <fmt/format.h>

#include "harness/base/base64.h"
#include "harness/base/json.h"
#include "harness/base/version.h"
#include "harness/cases/case_json.h"
#include "harness/cases/options_json.h"
#include "harness/graph/json.h"
#include "harness/judging/relation.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

Json TensorToJson(const std::string& name, const Tensor& tensor) {
  Json json;
  json["name"] = name;
  json["dtype"] = DTypeName(tensor.type.dtype);
  json["shape"] = Json::array();
  for (const int64_t dim : tensor.type.shape.dims()) json["shape"].push_back(dim);
  json["data"] = Base64Encode(tensor.bytes);
  return json;
}

Json RunnerToJson(const CampaignOptions& options) {
  Json json;
  json["kind"] = options.runner;
  if (!options.against.empty()) json["against"] = options.against;
  json["library"] = options.worker.library;
  json["faults"] = options.worker.faults;
  json["quirks"] = Json::array();
  for (const QuirkSetting& quirk : options.worker.quirks) {
    json["quirks"].push_back(QuirkText(quirk));
  }
  if (options.worker.keep_files) json["files"] = true;
  json["case_timeout_ms"] = options.worker.case_timeout_ms;
  json["memory_limit"] = options.worker.memory_limit;
  return json;
}

Json ExpectedToJson(const Case& item) {
  Json list = Json::array();
  const auto estimates = Evaluate(item.graph, item.inputs, ConformingContract(item.target.family));
  if (!estimates.ok()) return list;
  const auto number = [](double value) -> Json {
    if (value != value) return "NaN";
    if (value - value != 0) return value > 0 ? "Infinity" : "-Infinity";
    return value;
  };
  for (size_t i = 0; i < estimates->size(); ++i) {
    const Estimate& estimate = (*estimates)[i];
    Json& json = list.emplace_back();
    json["name"] = item.graph.value(item.graph.outputs()[i]).name;
    for (const double value : estimate.value) json["value"].push_back(number(value));
    for (const double value : estimate.low) json["low"].push_back(number(value));
    for (const double value : estimate.high) json["high"].push_back(number(value));
  }
  return list;
}

Json OutputsToJson(const Graph& graph, std::span<const Tensor> outputs) {
  Json list = Json::array();
  for (size_t i = 0; i < outputs.size(); ++i) {
    list.push_back(TensorToJson(graph.value(graph.outputs()[i]).name, outputs[i]));
  }
  return list;
}

Json InputsToJson(const Graph& graph, std::span<const Tensor> inputs) {
  Json list = Json::array();
  const std::vector<ValueId> ids = graph.ValuesOfKind(ValueKind::kInput);
  for (size_t i = 0; i < ids.size(); ++i) {
    list.push_back(TensorToJson(graph.value(ids[i]).name, inputs[i]));
  }
  return list;
}

// Returns the relation of a metamorphic case with the rewritten graph. This is the graph that ran
// or, if none ran, the graph that would run.
Json RelationToJson(const Case& item, const CaseOutcome& outcome) {
  const CaseRelation& relation = outcome.relation ? *outcome.relation : *item.relation;
  Json json = {{"name", relation.name}, {"site", relation.site}};
  std::optional<RewrittenCase> rewritten = outcome.rewritten;
  if (!rewritten) {
    Case pinned = item;
    pinned.relation = relation;
    std::optional<Rewritten> made = RewriteCase(pinned, true);
    if (!made) return json;
    rewritten = {.graph = std::move(made->graph)};
    const Result<std::string> text = GraphToMil(rewritten->graph);
    if (text.ok()) rewritten->mil = *text;
  }
  json["graph"] = GraphToJson(rewritten->graph);
  json["mil"] = rewritten->mil;
  json["actual"] = OutputsToJson(rewritten->graph, rewritten->outputs);
  return json;
}

Error Wrong(std::string_view member, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("finding: {}: {}", member, what));
}

// An exception of the JSON library means that a member has an unexpected type.
template <typename T>
Result<T> Get(const Json& json, const char* member) {
  if (!json.is_object() || !json.contains(member)) return Wrong(member, "is missing");
  try {
    return json.at(member).get<T>();
  } catch (const JsonError&) {
    return Wrong(member, "has the wrong type");
  }
}

Status ReadRunner(const Json& json, CampaignOptions& options) {
  ANECHECK_ASSIGN(options.runner, Get<std::string>(json, "kind"));
  if (json.contains("against")) {
    ANECHECK_ASSIGN(options.against, Get<std::string>(json, "against"));
  }
  ANECHECK_ASSIGN(options.worker.library, Get<std::string>(json, "library"));
  ANECHECK_ASSIGN(options.worker.faults, Get<std::vector<std::string>>(json, "faults"));
  ANECHECK_ASSIGN(const auto quirks, Get<std::vector<std::string>>(json, "quirks"));
  for (const std::string& text : quirks) {
    Result<QuirkSetting> quirk = ParseQuirk(text);
    if (!quirk.ok()) return Wrong("runner.quirks", quirk.error().message);
    options.worker.quirks.push_back(std::move(quirk).value());
  }
  // Findings of earlier versions lack the limits, because these versions always used the defaults.
  if (json.contains("case_timeout_ms")) {
    ANECHECK_ASSIGN(options.worker.case_timeout_ms, Get<int>(json, "case_timeout_ms"));
    if (options.worker.case_timeout_ms < 1) {
      return Wrong("runner.case_timeout_ms", "must be 1 or more");
    }
  }
  if (json.contains("memory_limit")) {
    ANECHECK_ASSIGN(options.worker.memory_limit, Get<uint64_t>(json, "memory_limit"));
  }
  if (json.contains("files")) {
    ANECHECK_ASSIGN(options.worker.keep_files, Get<bool>(json, "files"));
  }
  return {};
}

// Reads only the relation's name and site, because they determine the rewritten graph.
Status ReadRelation(const Json& json, Case& item) {
  if (!json.contains("relation")) return {};
  ANECHECK_ASSIGN(const Json written, Get<Json>(json, "relation"));
  CaseRelation relation;
  ANECHECK_ASSIGN(relation.name, Get<std::string>(written, "name"));
  ANECHECK_ASSIGN(relation.site, Get<std::string>(written, "site"));
  if (FindRelation(relation.name) == nullptr) {
    return Wrong("relation.name", fmt::format("\"{}\" is no relation", relation.name));
  }
  item.relation = std::move(relation);
  return {};
}

Status ReadInputs(const Json& json, const char* member, const Graph& graph,
                  std::vector<Tensor>& inputs) {
  if (!json.is_array()) return Wrong(member, "must be a list");
  const std::vector<ValueId> ids = graph.ValuesOfKind(ValueKind::kInput);
  if (json.size() != ids.size()) {
    return Wrong(member,
                 fmt::format("has {} tensors, the graph takes {}", json.size(), ids.size()));
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    ANECHECK_ASSIGN(const std::string data, Get<std::string>(json[i], "data"));
    ANECHECK_ASSIGN(std::vector<uint8_t> bytes, Base64Decode(data));
    const TensorType& type = graph.type(ids[i]);
    if (bytes.size() != static_cast<size_t>(type.ByteSize())) {
      return Wrong(member, fmt::format("tensor {} has {} bytes, must have {}", i, bytes.size(),
                                       type.ByteSize()));
    }
    inputs.push_back({type, std::move(bytes)});
  }
  return {};
}

// Returns the member "at_shape" for further shape `index` of the program's range.
Json ShapeToJson(const Case& item, const RunReply& reply, size_t index) {
  const RunShape& shape = item.further[index];
  const ValueId input = *shape.graph.FindValue(item.range->input);
  const size_t second = GivesSecond(RequestOf(item)) ? 1 : 0;
  return {{"extent", shape.graph.type(input).shape[item.range->axis]},
          {"mil", item.ranged_mil},
          {"inputs", InputsToJson(shape.graph, shape.inputs)},
          {"actual", OutputsToJson(shape.graph, reply.further[second + index])}};
}

}  // namespace

Json ArtifactToJson(const CampaignOptions& options, const RunnerIdentity& identity,
                    const Case& item, const CaseOutcome& outcome, const RunReply& reply,
                    const std::string& id) {
  Json json;
  json["version"] = 1;
  json["tool_version"] = kToolVersion;
  json["provenance"] = ToText(identity.provenance);
  json["engine"] = identity.engine;
  json["id"] = id;
  json["verdict"] = ToText(outcome.verdict());
  json["known_defect"] = outcome.shown.defects().ToText();
  json["op"] = outcome.shown.op();
  json["node"] = outcome.shown.node();
  json["message"] = outcome.message();
  json["case"] = {{"seed", options.seed}};
  WriteCase(item, json["case"]);
  json["runner"] = RunnerToJson(options);
  json["graph"] = GraphToJson(item.graph);
  json["mil"] = item.mil;
  json["inputs"] = InputsToJson(item.graph, item.inputs);
  json["expected"] = ExpectedToJson(item);
  json["actual"] = OutputsToJson(item.graph, reply.outputs);
  if (!item.again.empty()) json["again"]["inputs"] = InputsToJson(item.graph, item.again);
  if (GivesSecond(RequestOf(item)) && !reply.further.empty()) {
    json["again"]["actual"] = OutputsToJson(item.graph, reply.further[0]);
  }
  if (outcome.execution.shape)
    json["at_shape"] = ShapeToJson(item, reply, *outcome.execution.shape);
  // If the finding concerns values, the files are correct and are left out.
  if (reply.files && outcome.step == Step::kFiles) {
    json["files"] = {{"descriptor", Base64Encode(reply.files->descriptor)},
                     {"container", Base64Encode(reply.files->container)}};
  }
  if (outcome.relation || item.relation) json["relation"] = RelationToJson(item, outcome);
  if (!options.defects.empty()) json["defects"] = options.defects;
  return json;
}

Result<Artifact> ArtifactFromJson(const Json& json) {
  Artifact artifact;
  ANECHECK_ASSIGN(const int version, Get<int>(json, "version"));
  if (version != 1) return Wrong("version", "must be 1");
  ANECHECK_ASSIGN(artifact.id, Get<std::string>(json, "id"));
  ANECHECK_ASSIGN(const std::string verdict, Get<std::string>(json, "verdict"));
  const auto known = FromText<Verdict>(verdict);
  if (!known.ok()) return Wrong("verdict", known.error().message);
  artifact.verdict = *known;
  if (json.contains("op")) {
    ANECHECK_ASSIGN(artifact.op, Get<std::string>(json, "op"));
  }
  if (json.contains("known_defect")) {
    ANECHECK_ASSIGN(const std::string defects, Get<std::string>(json, "known_defect"));
    artifact.defects = DefectSet::FromText(defects);
  }
  ANECHECK_ASSIGN(const Json item, Get<Json>(json, "case"));
  ANECHECK_ASSIGN(artifact.options.seed, Get<uint64_t>(item, "seed"));
  const Status read_case = ReadCase(item, artifact.item);
  if (!read_case.ok()) {
    return MakeError(ErrorCode::kInvalid, "finding: case." + read_case.error().message);
  }
  artifact.options.routes = SetOf(artifact.item.route);
  artifact.options.targets = {artifact.item.target};
  ANECHECK_ASSIGN(const Json runner, Get<Json>(json, "runner"));
  ANECHECK_RETURN_IF_ERROR(ReadRunner(runner, artifact.options));
  if (json.contains("defects")) {
    ANECHECK_ASSIGN(artifact.options.defects, Get<std::vector<std::string>>(json, "defects"));
  }
  ANECHECK_ASSIGN(const Json graph, Get<Json>(json, "graph"));
  ANECHECK_ASSIGN(artifact.item.graph, GraphFromJson(graph, OpVocabulary()));
  ANECHECK_ASSIGN(const Json inputs, Get<Json>(json, "inputs"));
  Case& read = artifact.item;
  ANECHECK_RETURN_IF_ERROR(ReadInputs(inputs, "inputs", read.graph, read.inputs));
  const auto again = json.find("again");
  if (again != json.end() && again->is_object() && again->contains("inputs")) {
    ANECHECK_RETURN_IF_ERROR(
        ReadInputs(again->at("inputs"), "again.inputs", read.graph, read.again));
  }
  ANECHECK_RETURN_IF_ERROR(ReadRelation(json, artifact.item));
  ANECHECK_RETURN_IF_ERROR(SpellCase(artifact.item));
  return artifact;
}

}  // namespace anecheck
