// Reads the part of a finding's artifact that a report shows. It is the MIL text, the inputs, and
// the output elements with their expected intervals.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/graph/types.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// The maximum number of elements shown of one tensor, and of bytes shown of the MIL text. The
// artifact has all.
inline constexpr size_t kShownElements = 64;
inline constexpr size_t kShownMil = size_t{32} << 10;

// Reads the JSON of harness/findings/artifact.h. Never fails, so that a report can show the rest.
// If an artifact does not have that form, `problem` of the detail states the fault.
FindingDetail ReadFindingDetail(std::string_view artifact);

// The elements of a tensor of an artifact.
struct TensorValues {
  DType dtype = DType::kFp16;
  std::vector<int64_t> shape;
  std::vector<double> values;
};

// Reads the elements of an entry. Also fills name, type and shape of `detail`. Returns nothing if
// the bytes of the entry do not fit its type. Precondition: the entry is an object.
std::optional<TensorValues> ReadTensorValues(const Json& json, TensorDetail& detail);

// Reads an element of `expected`. It is a number, or the name of a number that JSON cannot
// represent (infinity, NaN). Returns NaN for anything else.
double ExpectedNumber(const Json& json);

// Whether `actual` lies outside of the interval. An interval whose ends are NaN contains only NaN.
bool IsOutside(double actual, double low, double high);

// The elements of an output to show.
struct ShownElements {
  std::vector<size_t> outside, inside;  // at most kShownElements in total, in order
  size_t all_outside = 0;
  // the element that a summary names, which is always shown; 0 if no element is outside
  size_t worst = 0;
};
// Chooses the elements of an output to show. `low` and `high` have an entry for each element or are
// empty. If they are empty, all elements count as inside.
ShownElements ChooseElements(const TensorValues& actual, const std::vector<double>& low,
                             const std::vector<double>& high);

}  // namespace anecheck::reports
