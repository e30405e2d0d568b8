#include "reports/site/cell_map.h"

#include <gtest/gtest.h>

namespace anecheck::reports {
namespace {

TEST(CellMap, FindsTheValueOfEachOperationAndRoute) {
  CellMap<int> cells;
  cells[{7, Route::kNetlist}] = 1;
  cells[{2, Route::kMil}] = 2;
  cells[{7, Route::kNetlist}] += 10;
  ASSERT_NE(cells.Find({7, Route::kNetlist}), nullptr);
  EXPECT_EQ(*cells.Find({7, Route::kNetlist}), 11);
  EXPECT_EQ(*cells.Find({2, Route::kMil}), 2);
  EXPECT_EQ(cells.Find({7, Route::kMil}), nullptr);
  EXPECT_EQ(cells.Find({3, Route::kMil}), nullptr);
  EXPECT_EQ(cells.Find({1000, Route::kMil}), nullptr);
}

TEST(CellMap, ErasingKeepsTheOtherCellsFindable) {
  CellMap<int> cells;
  for (size_t op = 0; op < 9; ++op) cells[{op, Route::kMil}] = static_cast<int>(op);
  cells.EraseIf([](const auto& entry) { return entry.second % 3 == 0; });
  for (size_t op = 0; op < 9; ++op) {
    const int* found = cells.Find({op, Route::kMil});
    ASSERT_EQ(found == nullptr, op % 3 == 0) << op;
    if (found != nullptr) EXPECT_EQ(*found, static_cast<int>(op));
  }
  cells[{3, Route::kMil}] = 30;
  EXPECT_EQ(*cells.Find({3, Route::kMil}), 30);
  EXPECT_EQ(std::ranges::distance(cells), 7);
}

}  // namespace
}  // namespace anecheck::reports
