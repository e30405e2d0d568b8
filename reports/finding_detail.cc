#include "reports/finding_detail.h"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/base64.h"
#include "harness/base/json_text.h"
#include "harness/graph/types.h"
#include "oracles/oracle.h"

namespace anecheck::reports {
namespace {

std::string Text(const Json& json, const char* member) {
  const auto found = json.find(member);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string NumberText(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

// The rows of one output: first those outside, in order, then from the start.
void FillRows(const std::vector<double>& actual, const Json& low, const Json& high,
              TensorDetail& detail) {
  const bool judged = low.is_array() && high.is_array() && low.size() == actual.size() &&
                      high.size() == actual.size();
  std::vector<ElementRow> inside;
  for (size_t i = 0; i < actual.size(); ++i) {
    ElementRow row;
    row.index = static_cast<int64_t>(i);
    if (judged) {
      const double least = ExpectedNumber(low[i]), most = ExpectedNumber(high[i]);
      row.outside = IsOutside(actual[i], least, most);
      detail.outside += row.outside ? 1 : 0;
      std::vector<ElementRow>& list = row.outside ? detail.rows : inside;
      if (list.size() >= kShownElements) continue;
      row.low = NumberText(least);
      row.high = NumberText(most);
      row.actual = NumberText(actual[i]);
      list.push_back(std::move(row));
    } else if (detail.rows.size() < kShownElements) {
      row.actual = NumberText(actual[i]);
      detail.rows.push_back(std::move(row));
    }
  }
  // A few elements inside give the eye something to compare with.
  for (size_t i = 0; i < inside.size() && detail.rows.size() < kShownElements; ++i) {
    detail.rows.push_back(std::move(inside[i]));
  }
}

void ReadInputs(const Json& list, FindingDetail& detail) {
  if (!list.is_array()) return;
  for (const Json& entry : list) {
    TensorDetail& tensor = detail.inputs.emplace_back();
    const auto values = entry.is_object() ? ReadTensorValues(entry, tensor) : std::nullopt;
    if (!values.has_value()) continue;
    for (size_t i = 0; i < values->values.size() && i < kShownElements; ++i) {
      tensor.values.push_back(NumberText(values->values[i]));
    }
  }
}

void ReadOutputs(const Json& actual, const Json& expected, FindingDetail& detail) {
  if (!actual.is_array()) return;
  for (size_t i = 0; i < actual.size(); ++i) {
    TensorDetail& tensor = detail.outputs.emplace_back();
    const auto values = actual[i].is_object() ? ReadTensorValues(actual[i], tensor) : std::nullopt;
    if (!values.has_value()) continue;
    const bool has_interval = expected.is_array() && i < expected.size() && expected[i].is_object();
    FillRows(values->values, has_interval ? expected[i].value("low", Json()) : Json(),
             has_interval ? expected[i].value("high", Json()) : Json(), tensor);
  }
}

}  // namespace

double ExpectedNumber(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "Infinity") return HUGE_VAL;
  if (json == "-Infinity") return -HUGE_VAL;
  return std::nan("");
}

std::optional<TensorValues> ReadTensorValues(const Json& json, TensorDetail& detail) {
  detail.name = Text(json, "name");
  detail.dtype = Text(json, "dtype");
  const auto dtype = DTypeFromName(detail.dtype);
  const auto shape = json.find("shape");
  if (!dtype.has_value() || shape == json.end() || !shape->is_array()) return std::nullopt;
  detail.shape = DumpJson(*shape);
  const Result<std::vector<uint8_t>> bytes = Base64Decode(Text(json, "data"));
  if (!bytes.ok()) return std::nullopt;
  // The bytes say how many elements there are; sub-byte types may have some bits to spare.
  int64_t elements = 1;
  TensorValues tensor;
  tensor.dtype = *dtype;
  for (const Json& extent : *shape) {
    if (!extent.is_number_integer()) return std::nullopt;
    const auto value = extent.get<int64_t>();
    if (value < 0 || value > kMaxElements || elements * value > kMaxElements) return std::nullopt;
    elements *= value;
    tensor.shape.push_back(value);
  }
  if (static_cast<uint64_t>((elements * DTypeBits(*dtype) + 7) / 8) != bytes->size()) {
    return std::nullopt;
  }
  detail.elements = elements;
  tensor.values.resize(static_cast<size_t>(elements));
  DecodeElements(*dtype, *bytes, tensor.values);
  return tensor;
}

bool IsOutside(double actual, double low, double high) {
  if (std::isnan(low) || std::isnan(high)) return !std::isnan(actual);
  return !(actual >= low && actual <= high);
}

FindingDetail ReadFindingDetail(std::string_view artifact) {
  FindingDetail detail;
  const Result<Json> json = ParseJson(artifact, "artifact");
  if (!json.ok()) {
    detail.problem = json.error().message;
    return detail;
  }
  if (!json->is_object()) {
    detail.problem = "artifact: is no JSON object";
    return detail;
  }
  detail.message = Text(*json, "message");
  detail.mil = Text(*json, "mil");
  if (detail.mil.size() > kShownMil) {
    detail.mil.resize(kShownMil);
    detail.mil_cut = true;
  }
  ReadInputs(json->value("inputs", Json()), detail);
  ReadOutputs(json->value("actual", Json()), json->value("expected", Json()), detail);
  return detail;
}

}  // namespace anecheck::reports
