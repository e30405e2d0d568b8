// The matrix of the results of campaigns by operation and target, which the report shows. For each
// route it has the same cell as the matrix of all evidence (attestation.h), and the counts on which
// the cell is based.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/evidence/cell.h"
#include "oracles/legality/legality.h"
#include "reports/campaign_evidence.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// A row of the matrix: an operation of the table, or a name that occurs only in results.
struct MatrixRow {
  std::string op, op_class;
  bool in_table = false;
};
struct MatrixColumn {
  std::string target, family, chips;
  bool in_table = false;
  bool met = false;  // a run has cases on this target
};

struct MatrixCell {
  struct ByRoute {
    legality::Outcome rules = legality::Outcome::kUnknown;
    evidence::Cell cell;
  };
  std::array<ByRoute, 2> routes;       // by Route
  std::vector<CellEvidence> evidence;  // by route, provenance and machine

  const ByRoute& by(Route route) const { return routes[static_cast<size_t>(route)]; }
  // Returns the cell that represents both routes. Among cells that evidence shows as reached, this
  // is the cell with the strongest evidence. Otherwise it is the cell with the furthest stage.
  const evidence::Cell& folded() const;
};

struct Matrix {
  std::vector<MatrixRow> rows;        // in the table's order, then names that only results have
  std::vector<MatrixColumn> columns;  // all targets of the catalog in its order, then others
  std::vector<std::vector<MatrixCell>> cells;  // [row][column]
};

// Every operation and every target has a cell, even if nothing was run.
Result<Matrix> BuildMatrix(const ReportData& data);

// Keeps only the columns of targets with results.
void KeepMetTargets(Matrix& matrix);

// The CSV has the same columns as AttestationCsv.
std::string MatrixCsv(const Matrix& matrix);
// The matrix as a table of GitHub Flavored Markdown. If no table lists any of its targets, only
// operations and routes with evidence are shown.
std::string MatrixMarkdown(const Matrix& matrix);

}  // namespace anecheck::reports
