// The place of an error in an output: the errors of one tensor of a finding as a small grid, for
// the page of trends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anecheck::reports {

// At most this many rows and columns; larger tensors share their cells.
inline constexpr int64_t kMapSide = 32;

// Rows are all axes but the last, flattened; columns are the last one.
struct ErrorMap {
  std::string name, dtype, shape;
  int64_t rows = 0, columns = 0;  // of the grid
  int64_t tensor_rows = 0, tensor_columns = 0;
  int64_t outside = 0;  // elements outside their interval
  // Row-major, of the elements that share the cell: the largest error in ulp, -1 where one is NaN
  // or too far off to count; and whether one lies outside its interval.
  std::vector<int64_t> ulp;
  std::vector<uint8_t> is_outside;
};

// One map an output whose elements and expectation can be read; none where `artifact` is no
// finding.
std::vector<ErrorMap> ReadErrorMaps(std::string_view artifact);

}  // namespace anecheck::reports
