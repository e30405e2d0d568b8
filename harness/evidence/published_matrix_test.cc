// Compares the public operation matrix (facts/op_device_matrix.csv) with the cells of `anecheck
// matrix`, target by target. Each mark agrees with its cell, or a conflict row states the reason.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/evidence/cell.h"
#include "harness/evidence/conflicts.h"
#include "harness/evidence/csv.h"
#include "harness/targets/catalog.h"

namespace anecheck::evidence {
namespace {

// Columns of the matrix, and their targets.
constexpr std::pair<const char*, const char*> kColumns[] = {{"m1_h13", "h13"},
                                                            {"m2_h14", "h14"},
                                                            {"m3_h15", "h15"},
                                                            {"m4_m5_h16_h17", "h16"},
                                                            {"m4_m5_h16_h17", "h17s"}};

Cell CellOn(const std::string& op, const char* target, Route route) {
  legality::Instance bare;
  bare.op = op;
  const auto answer = AnswerOf(bare, **FindTarget(target), route, Published());
  EXPECT_TRUE(answer.ok()) << op;
  return answer.ok() ? answer->cell : Cell();
}

bool Takes(const Cell& cell) {
  return cell.reached || cell.stage == Stage::kAttested || cell.stage == Stage::kDecomposed;
}

// A bridge is a workaround: a rewrite, the host, or direct authoring. For some bridges of the
// matrix no table of layers has an entry, so their cells are unknown.
bool Agrees(const std::string& mark, const Cell& mil, const Cell& netlist) {
  if (mark == "native") return Takes(mil);
  if (mark == "bridge") {
    return mil.stage == Stage::kDecomposed || mil.stage == Stage::kUnknown ||
           (Denied(mil.stage) && Takes(netlist));
  }
  return Denied(mil.stage);
}

bool HasConflict(const std::string& op, const char* target) {
  for (const KnownConflict& conflict : KnownConflicts()) {
    if (conflict.IsAbout(op, target) && conflict.readings.size() > 1) return true;
  }
  return false;
}

TEST(PublishedMatrix, EachDisagreementHasItsConflictRow) {
  const std::string path = testing::FactPath("op_device_matrix.csv");
  ANECHECK_SKIP_WITHOUT(path);
  const auto text = ReadTextFile(path);
  ASSERT_TRUE(text.ok());
  const auto rows = ParseCsv(*text, "op_device_matrix.csv");
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 187u);
  std::string table;
  for (const auto& [column, target] : kColumns) {
    size_t agree = 0;
    std::string others;
    for (const CsvRow& row : *rows) {
      const std::string& op = row.at("op");
      const Cell mil = CellOn(op, target, Route::kMil);
      const Cell netlist = CellOn(op, target, Route::kNetlist);
      if (Agrees(row.at(column), mil, netlist)) {
        ++agree;
        continue;
      }
      others += " " + op;
      EXPECT_TRUE(HasConflict(op, target))
          << op << " on " << target << ": " << row.at(column) << ", but " << CellText(mil)
          << " by conversion, " << CellText(netlist) << " directly";
    }
    table += fmt::format("{} {}:{}\n", target, agree, others);
  }
  EXPECT_EQ(table,
            "h13 187:\n"
            "h14 186: constexpr_affine_dequantize\n"
            "h15 185: constexpr_affine_dequantize constexpr_lut_to_sparse\n"
            "h16 180: cumsum reduce_argmax reduce_argmin range_1d constexpr_affine_dequantize "
            "constexpr_lut_to_sparse argsort\n"
            "h17s 165: cumsum reduce_argmax reduce_argmin reshape_like slice_by_index slice_update "
            "gather gather_along_axis gather_nd identity range_1d crop_resize cast "
            "constexpr_affine_dequantize constexpr_lut_to_sparse constexpr_cast read_state cond "
            "while_loop non_maximum_suppression argsort random_uniform\n");
}

}  // namespace
}  // namespace anecheck::evidence
