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

// Elements shown of one tensor, and bytes shown of the MIL text. The artifact has them all.
inline constexpr size_t kShownElements = 64;
inline constexpr size_t kShownMil = size_t{32} << 10;

// Reads the JSON of harness/findings/artifact.h. An artifact that does not have that form gives a
// detail whose `problem` says so; nothing here fails, because a report of the rest is worth having.
FindingDetail ReadFindingDetail(std::string_view artifact);

// The elements of a tensor of an artifact.
struct TensorValues {
  DType dtype = DType::kFp16;
  std::vector<int64_t> shape;
  std::vector<double> values;
};

// Fills name, type and shape of `detail` as well; nothing where the entry, which must be an object,
// has bytes that do not fit its type.
std::optional<TensorValues> ReadTensorValues(const Json& json, TensorDetail& detail);

// An element of `expected`: a number, or the name of one that JSON has not; NaN for all else.
double ExpectedNumber(const Json& json);

// NaN ends admit NaN alone.
bool IsOutside(double actual, double low, double high);

// The elements of an output to show.
struct ShownElements {
  std::vector<size_t> outside, inside;  // kShownElements together, in order; those outside first
  size_t all_outside = 0;
  size_t worst = 0;  // the one that a finding's summary names; shown, and 0 where none is outside
};
// Without an interval, which has an entry per element else, the elements count as inside.
ShownElements ChooseElements(const TensorValues& actual, const std::vector<double>& low,
                             const std::vector<double>& high);

}  // namespace anecheck::reports
