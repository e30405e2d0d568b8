// The part of a finding's artifact that a report shows: MIL text, inputs, and the output elements
// with their expected intervals.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/graph/types.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// The number of elements shown of one tensor, and of bytes shown of the MIL text. The artifact has
// all.
inline constexpr size_t kShownElements = 64;
inline constexpr size_t kShownMil = size_t{32} << 10;

// Reads the JSON of harness/findings/artifact.h. If an artifact does not have that form, `problem`
// of the detail states it. Never fails, so that a report can show the rest.
FindingDetail ReadFindingDetail(std::string_view artifact);

// The elements of a tensor of an artifact.
struct TensorValues {
  DType dtype = DType::kFp16;
  std::vector<int64_t> shape;
  std::vector<double> values;
};

// Also fills name, type and shape of `detail`. Returns nothing if the bytes of the entry do not fit
// its type. Precondition: the entry is an object.
std::optional<TensorValues> ReadTensorValues(const Json& json, TensorDetail& detail);

// Reads an element of `expected`: a number, or the name of a number that JSON lacks (infinity,
// NaN). Returns NaN for anything else.
double ExpectedNumber(const Json& json);

// An interval with NaN ends contains NaN alone.
bool IsOutside(double actual, double low, double high);

// The elements of an output to show.
struct ShownElements {
  std::vector<size_t> outside, inside;  // kShownElements together, in order; outside first
  size_t all_outside = 0;
  size_t worst = 0;  // the element that a summary names; always shown; 0 if none is outside
};
// `low` and `high` have an entry for each element, or are empty. If they are empty, all elements
// count as inside.
ShownElements ChooseElements(const TensorValues& actual, const std::vector<double>& low,
                             const std::vector<double>& high);

}  // namespace anecheck::reports
