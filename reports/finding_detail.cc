#include "reports/finding_detail.h"

#include <algorithm>
#include <cmath>

#include "harness/base/base64.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/real_text.h"
#include "harness/graph/types.h"
#include "oracles/admitted_element.h"

namespace anecheck::reports {
namespace {

std::string Text(const Json& json, const char* member) {
  const auto found = json.find(member);
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// Returns the distance of an element from its interval, as the judge measures it (oracles/judge.h).
// Returns 0 for an element inside.
uint32_t StepsOutside(DType dtype, double actual, double low, double high) {
  if (!IsOutside(actual, low, high)) return 0;
  if (std::isnan(actual) || std::isnan(low) || std::isnan(high)) return kFarInUlp;
  return std::max(1u, UlpBetween(dtype, actual, actual < low ? low : high));
}

// Returns one end of the interval of each element. Empty if the list has another length.
std::vector<double> Ends(const Json& list, size_t elements) {
  std::vector<double> ends;
  if (!list.is_array() || list.size() != elements) return ends;
  for (const Json& number : list) ends.push_back(ExpectedNumber(number));
  return ends;
}

void FillRows(const TensorValues& actual, const Json& low_list, const Json& high_list,
              TensorDetail& detail) {
  std::vector<double> low = Ends(low_list, actual.values.size());
  std::vector<double> high = Ends(high_list, actual.values.size());
  if (low.size() != high.size()) low = high = {};
  const ShownElements shown = ChooseElements(actual, low, high);
  detail.outside = static_cast<int64_t>(shown.all_outside);
  const auto add = [&](size_t i, bool outside) {
    detail.rows.push_back({.index = static_cast<int64_t>(i),
                           .low = low.empty() ? "" : NumberText(low[i]),
                           .high = low.empty() ? "" : NumberText(high[i]),
                           .actual = NumberText(actual.values[i]),
                           .outside = outside});
  };
  for (const size_t i : shown.outside) add(i, true);
  for (const size_t i : shown.inside) add(i, false);
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
    FillRows(*values, has_interval ? expected[i].value("low", Json()) : Json(),
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
  // The number of bytes must match the shape. The last byte of sub-byte types may have unused bits.
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

ShownElements ChooseElements(const TensorValues& actual, const std::vector<double>& low,
                             const std::vector<double>& high) {
  ShownElements shown;
  uint32_t most = 0;
  for (size_t i = 0; i < actual.values.size(); ++i) {
    const uint32_t steps =
        low.empty() ? 0 : StepsOutside(actual.dtype, actual.values[i], low[i], high[i]);
    if (steps > most) shown.worst = i;
    most = std::max(most, steps);
    shown.all_outside += steps > 0 ? 1 : 0;
    std::vector<size_t>& list = steps > 0 ? shown.outside : shown.inside;
    if (list.size() < kShownElements) list.push_back(i);
  }
  if (shown.all_outside > 0 && shown.worst > shown.outside.back()) {
    shown.outside.back() = shown.worst;
  }
  // Elements inside their intervals fill the rest of the table, for comparison.
  shown.inside.resize(std::min(shown.inside.size(), kShownElements - shown.outside.size()));
  return shown;
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
