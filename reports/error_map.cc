#include "reports/error_map.h"

#include <algorithm>
#include <cmath>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "oracles/judge.h"
#include "reports/finding_detail.h"

namespace anecheck::reports {
namespace {

bool FillMap(const TensorValues& actual, const Json& expected, ErrorMap& map) {
  const Json value = expected.value("value", Json());
  const Json low = expected.value("low", Json());
  const Json high = expected.value("high", Json());
  const size_t count = actual.values.size();
  const bool fits = value.is_array() && low.is_array() && high.is_array() &&
                    value.size() == count && low.size() == count && high.size() == count;
  if (!fits || count == 0) return false;
  map.tensor_columns = actual.shape.empty() ? 1 : actual.shape.back();
  map.tensor_rows = static_cast<int64_t>(count) / map.tensor_columns;
  map.columns = std::min(map.tensor_columns, kMapSide);
  map.rows = std::min(map.tensor_rows, kMapSide);
  map.ulp.assign(static_cast<size_t>(map.rows * map.columns), 0);
  map.is_outside.assign(map.ulp.size(), 0);
  for (size_t i = 0; i < count; ++i) {
    const auto index = static_cast<int64_t>(i);
    const int64_t row = index / map.tensor_columns * map.rows / map.tensor_rows;
    const int64_t column = index % map.tensor_columns * map.columns / map.tensor_columns;
    const auto cell = static_cast<size_t>(row * map.columns + column);
    const bool both_nan = std::isnan(actual.values[i]) && std::isnan(ExpectedNumber(value[i]));
    const auto error = UlpError(actual.dtype, ExpectedNumber(value[i]), actual.values[i]);
    if (!error && !both_nan) map.ulp[cell] = -1;
    if (error && map.ulp[cell] >= 0) {
      map.ulp[cell] = std::max<int64_t>(map.ulp[cell], std::llabs(*error));
    }
    if (IsOutside(actual.values[i], ExpectedNumber(low[i]), ExpectedNumber(high[i]))) {
      map.is_outside[cell] = 1;
      ++map.outside;
    }
  }
  return true;
}

}  // namespace

std::vector<ErrorMap> ReadErrorMaps(std::string_view artifact) {
  std::vector<ErrorMap> maps;
  const Result<Json> json = ParseJson(artifact, "artifact");
  if (!json.ok() || !json->is_object()) return maps;
  const Json actual = json->value("actual", Json());
  const Json expected = json->value("expected", Json());
  if (!actual.is_array() || !expected.is_array()) return maps;
  for (size_t i = 0; i < actual.size() && i < expected.size(); ++i) {
    if (!actual[i].is_object() || !expected[i].is_object()) continue;
    TensorDetail detail;
    const auto values = ReadTensorValues(actual[i], detail);
    ErrorMap map;
    if (!values || !FillMap(*values, expected[i], map)) continue;
    map.name = detail.name;
    map.dtype = detail.dtype;
    map.shape = detail.shape;
    maps.push_back(std::move(map));
  }
  return maps;
}

}  // namespace anecheck::reports
