// The file form of a baseline: schema in reports/schemas/baseline.schema.json.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

#include "harness/base/base64.h"
#include "harness/base/json.h"
#include "harness/base/json_fields.h"
#include "harness/base/real_text.h"
#include "harness/baseline/baseline.h"
#include "harness/graph/json.h"
#include "harness/ops/op.h"

namespace anecheck {
namespace {

using json_fields::Bad;

constexpr std::string_view kFormat = "anecheck-baseline";
// The text for a case whose outputs the runner itself compared.
constexpr std::string_view kVerified = "verified";

// Rounds to six significant digits, which are short and enough for any threshold.
Json Short(double value) {
  return RealFromText<double>(fmt::format("{:.6g}", value)).value_or(value);
}

Json ErrorsToJson(const BaselineEntry& entry) {
  Json json = Json::object();
  const OutputErrors& errors = entry.errors;
  json["elements"] = errors.elements;
  json["outside"] = entry.outside;
  json["max_ulp"] = errors.max_ulp;
  json["mean_ulp"] = Short(errors.MeanUlp());
  json["bias_ulp"] = Short(errors.Bias());
  json["mean_relative"] = Short(errors.MeanRelative());
  json["max_relative"] = Short(errors.max_relative);
  size_t used = entry.histogram.size();
  while (used > 0 && entry.histogram[used - 1] == 0) --used;
  json["histogram"] = Json::array();
  for (size_t i = 0; i < used; ++i) json["histogram"].push_back(entry.histogram[i]);
  // If every answer is exact, the errors by magnitude are all 0.
  if (errors.sum_ulp == 0) return json;
  json["magnitudes"] = Json::array();
  for (const auto& [exponent, magnitude] : errors.by_exponent) {
    json["magnitudes"].push_back(
        Json::array({exponent, magnitude.elements, magnitude.sum_ulp, magnitude.max_ulp}));
  }
  return json;
}

Json EntryToJson(const BaselineEntry& entry) {
  Json json;
  json["op"] = entry.op;
  json["configuration"] = entry.configuration;
  json["target"] = entry.target;
  json["route"] = ToText(entry.route);
  json["question"] = entry.question;
  json["cases"] = Json::array();
  for (const CaseFate& fate : entry.cases) json["cases"].push_back(ToText(fate));
  const bool measured = std::ranges::any_of(entry.histogram, [](uint64_t n) { return n > 0; });
  if (measured) json["errors"] = ErrorsToJson(entry);
  return json;
}

Result<double> Real(const Json& object, const char* key, std::string_view path) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) {
    return Bad(path, fmt::format("needs a number \"{}\"", key));
  }
  return found->get<double>();
}

Status ReadMagnitudes(const Json& json, const std::string& path, OutputErrors& errors) {
  ANECHECK_ASSIGN(const auto rows, json_fields::Array(json, "magnitudes", path));
  for (const Json* row : rows) {
    if (!row->is_array() || row->size() != 4 || !(*row)[0].is_number_integer()) {
      return Bad(path, "\"magnitudes\" must hold [exponent, elements, sum_ulp, max_ulp]");
    }
    MagnitudeErrors magnitude;
    ANECHECK_ASSIGN(magnitude.elements, json_fields::Number((*row)[1], path));
    ANECHECK_ASSIGN(magnitude.sum_ulp, json_fields::Number((*row)[2], path));
    ANECHECK_ASSIGN(magnitude.max_ulp, json_fields::Number((*row)[3], path));
    const auto exponent = (*row)[0].get<int64_t>();
    if (exponent < kLeastExponent || exponent > kMostExponent) {
      return Bad(path, fmt::format("\"magnitudes\": an exponent must be {} to {}", kLeastExponent,
                                   kMostExponent));
    }
    errors.by_exponent[static_cast<int>(exponent)] = magnitude;
  }
  return {};
}

Status ReadErrors(const Json& json, const std::string& path, BaselineEntry& entry) {
  if (!json.is_object()) return Bad(path, "must be an object");
  OutputErrors& errors = entry.errors;
  ANECHECK_ASSIGN(errors.elements, json_fields::Number(json, "elements", path));
  ANECHECK_ASSIGN(entry.outside, json_fields::Number(json, "outside", path));
  ANECHECK_ASSIGN(errors.max_ulp, json_fields::Number(json, "max_ulp", path));
  ANECHECK_ASSIGN(const double mean, Real(json, "mean_ulp", path));
  ANECHECK_ASSIGN(const double bias, Real(json, "bias_ulp", path));
  ANECHECK_ASSIGN(const double relative, Real(json, "mean_relative", path));
  ANECHECK_ASSIGN(errors.max_relative, Real(json, "max_relative", path));
  if (errors.elements > (uint64_t{1} << 40) || !(mean >= 0 && mean <= kMostUlp) ||
      !(std::fabs(bias) <= kMostUlp)) {
    return Bad(path, "\"elements\", \"mean_ulp\" or \"bias_ulp\" is out of range");
  }
  const auto elements = static_cast<double>(errors.elements);
  errors.sum_ulp = static_cast<uint64_t>(std::llround(mean * elements));
  errors.sum_signed_ulp = std::llround(bias * elements);
  errors.relative_elements = errors.elements;
  errors.sum_relative = relative * elements;
  ANECHECK_ASSIGN(const auto histogram, json_fields::Array(json, "histogram", path));
  if (histogram.size() > kUlpBuckets) {
    return Bad(path, fmt::format("\"histogram\" has more than {} buckets", kUlpBuckets));
  }
  for (size_t i = 0; i < histogram.size(); ++i) {
    ANECHECK_ASSIGN(entry.histogram[i], json_fields::Number(*histogram[i], path));
  }
  return ReadMagnitudes(json, path, errors);
}

Result<BaselineEntry> ReadEntry(const Json& json, const std::string& path) {
  BaselineEntry entry;
  if (!json.is_object()) return Bad(path, "must be an object");
  ANECHECK_ASSIGN(entry.op, json_fields::String(json, "op", path));
  ANECHECK_ASSIGN(entry.configuration, json_fields::String(json, "configuration", path));
  ANECHECK_ASSIGN(entry.target, json_fields::String(json, "target", path));
  ANECHECK_ASSIGN(const std::string route, json_fields::String(json, "route", path));
  const auto known = FromText<Route>(route);
  if (!known.ok()) return Bad(path, known.error().message);
  entry.route = *known;
  ANECHECK_ASSIGN(entry.question, json_fields::String(json, "question", path));
  ANECHECK_ASSIGN(const auto cases, json_fields::Strings(json, "cases", path));
  for (const std::string& text : cases) {
    const auto fate = FateFromText(text);
    if (!fate.ok()) return Bad(path, fate.error().message);
    entry.cases.push_back(*fate);
  }
  const auto errors = json.find("errors");
  if (errors != json.end()) ANECHECK_RETURN_IF_ERROR(ReadErrors(*errors, path + ".errors", entry));
  return entry;
}

Json CaseToJson(const BaselineCase& item) {
  Json json;
  json["op"] = item.op;
  json["configuration"] = item.configuration;
  json["graph"] = GraphToJson(item.graph);
  json["inputs"] = Json::array();
  for (const Tensor& input : item.inputs) json["inputs"].push_back(Base64Encode(input.bytes));
  return json;
}

Result<BaselineCase> ReadCase(const Json& json, const std::string& path) {
  BaselineCase item;
  if (!json.is_object()) return Bad(path, "must be an object");
  ANECHECK_ASSIGN(item.op, json_fields::String(json, "op", path));
  ANECHECK_ASSIGN(item.configuration, json_fields::String(json, "configuration", path));
  Result<Graph> graph = GraphFromJson(json.value("graph", Json()), OpVocabulary());
  if (!graph.ok()) return Bad(path, graph.error().message);
  item.graph = std::move(*graph);
  ANECHECK_ASSIGN(const std::vector<std::string> inputs,
                  json_fields::Strings(json, "inputs", path));
  const std::vector<ValueId> ids = item.graph.ValuesOfKind(ValueKind::kInput);
  if (inputs.size() != ids.size()) {
    return Bad(path, fmt::format("has {} inputs, the graph takes {}", inputs.size(), ids.size()));
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    ANECHECK_ASSIGN(std::vector<uint8_t> bytes, Base64Decode(inputs[i]));
    const TensorType& type = item.graph.type(ids[i]);
    if (bytes.size() != static_cast<size_t>(type.ByteSize())) {
      return Bad(path, fmt::format("input {} has {} bytes, must have {}", i, bytes.size(),
                                   type.ByteSize()));
    }
    item.inputs.push_back({type, std::move(bytes)});
  }
  return item;
}

}  // namespace

std::string ToText(const CaseFate& fate) {
  if (fate.status != RunStatus::kOk) return std::string(ToText(fate.status));
  if (fate.misplaced) return std::string(ToText(Verdict::kMisplaced));
  return fate.verified ? std::string(kVerified) : fmt::format("{:016x}", fate.bits);
}

Result<CaseFate> FateFromText(std::string_view text) {
  CaseFate fate;
  if (const auto status = FindWord<RunStatus>(text); status && *status != RunStatus::kOk) {
    fate.status = *status;
    return fate;
  }
  fate.misplaced = text == ToText(Verdict::kMisplaced);
  fate.verified = text == kVerified;
  if (fate.misplaced || fate.verified) return fate;
  constexpr size_t kDigits = 16;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fate.bits, 16);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (whole && text.size() == kDigits) return fate;
  return MakeError(
      ErrorCode::kInvalid,
      fmt::format(
          "\"{}\" is not the result of a case: expected {} hexadecimal digits, \"{}\", \"{}\" or "
          "a status",
          text, kDigits, kVerified, ToText(Verdict::kMisplaced)));
}

std::string BaselineToJson(const Baseline& baseline) {
  Json head;
  head["format"] = kFormat;
  head["version"] = kBaselineVersion;
  head["recorded"] = baseline.recorded;
  head["tool_version"] = baseline.tool_version;
  head["engine"] = baseline.engine;
  head["runner"] = baseline.runner;
  head["provenance"] = ToText(baseline.provenance);
  head["chip"] = baseline.chip;
  head["os"] = baseline.os;
  head["compiler_version"] = baseline.compiler_version;
  head["seed"] = baseline.seed;
  head["cases"] = baseline.cases;
  std::string text = DumpJson(head);
  text.pop_back();
  text += ",\"entries\":[";
  for (size_t i = 0; i < baseline.entries.size(); ++i) {
    text += (i == 0 ? "\n" : ",\n") + DumpJson(EntryToJson(baseline.entries[i]));
  }
  text += "\n]";
  if (baseline.stored.empty()) return text + "}\n";
  text += ",\"stored\":[";
  for (size_t i = 0; i < baseline.stored.size(); ++i) {
    text += (i == 0 ? "\n" : ",\n") + DumpJson(CaseToJson(baseline.stored[i]));
  }
  return text + "\n]}\n";
}

Result<Baseline> BaselineFromJson(std::string_view text, std::string_view name) {
  ANECHECK_ASSIGN(const Json json, json_fields::ParseDocument(text, name));
  if (json_fields::StringOr(json, "format", "") != kFormat) {
    return Bad(name, "is no baseline; `anecheck baseline record` writes them");
  }
  ANECHECK_ASSIGN(const uint64_t version, json_fields::Number(json, "version", name));
  if (version != kBaselineVersion) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: has version {}, this tool reads {}; use the tool that wrote "
                                 "it",
                                 name, version, kBaselineVersion));
  }
  Baseline baseline;
  std::string provenance;
  std::string* const fields[] = {
      &baseline.recorded, &baseline.tool_version, &baseline.engine, &baseline.runner,
      &provenance,        &baseline.chip,         &baseline.os,     &baseline.compiler_version};
  constexpr const char* kNames[] = {"recorded",   "tool_version", "engine", "runner",
                                    "provenance", "chip",         "os",     "compiler_version"};
  for (size_t i = 0; i < std::size(fields); ++i) {
    ANECHECK_ASSIGN(*fields[i], json_fields::String(json, kNames[i], name));
  }
  const auto known = FromText<Provenance>(provenance);
  if (!known.ok()) return Bad(name, known.error().message);
  baseline.provenance = *known;
  ANECHECK_ASSIGN(baseline.seed, json_fields::Number(json, "seed", name));
  ANECHECK_ASSIGN(baseline.cases, json_fields::Number(json, "cases", name));
  ANECHECK_ASSIGN(const auto entries, json_fields::Array(json, "entries", name));
  for (size_t i = 0; i < entries.size(); ++i) {
    ANECHECK_ASSIGN(BaselineEntry entry,
                    ReadEntry(*entries[i], fmt::format("{}: entries[{}]", name, i)));
    baseline.entries.push_back(std::move(entry));
  }
  ANECHECK_ASSIGN(const auto stored, json_fields::Array(json, "stored", name));
  for (size_t i = 0; i < stored.size(); ++i) {
    ANECHECK_ASSIGN(BaselineCase item,
                    ReadCase(*stored[i], fmt::format("{}: stored[{}]", name, i)));
    baseline.stored.push_back(std::move(item));
  }
  return baseline;
}

}  // namespace anecheck
