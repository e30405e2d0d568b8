// Error maps show the errors of one tensor of a finding as a small grid, for the page of trends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anecheck::reports {

// The maximum number of rows and columns. In larger tensors, several elements share a cell.
inline constexpr int64_t kMapSide = 32;

// The rows are all axes except the last, flattened. The columns are the last axis.
struct ErrorMap {
  std::string name, dtype, shape;
  int64_t rows = 0, columns = 0;  // of the grid
  int64_t tensor_rows = 0, tensor_columns = 0;
  int64_t outside = 0;  // elements outside their interval
  // Values of cells in row-major order. `ulp` is the largest error in ulp of the elements that
  // share the cell, or -1 if an element is NaN or its error is too large to count. `is_outside` is
  // 1 if an element lies outside its interval.
  std::vector<int64_t> ulp;
  std::vector<uint8_t> is_outside;
};

// Returns one map for each output whose elements and expectation can be read. Empty if `artifact`
// is not the artifact of a finding.
std::vector<ErrorMap> ReadErrorMaps(std::string_view artifact);

}  // namespace anecheck::reports
