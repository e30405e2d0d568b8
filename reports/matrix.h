// The operation-by-target matrix: for each cell the furthest stage that some evidence shows, and
// what stands beside it. Shown by the page, the CSV file, the summary and `anecheck matrix`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// What a cell shows, least telling first. The first five are the stages in their order; an
// operation that compiles nowhere and was refused is `rejected`; the last two are stages of their
// own because a value was seen and was not right.
enum class CellState : uint8_t {
  kCatalogued,   // the operation is in the table
  kAttested,     // minimum family and capability byte admit it
  kRejected,     // the compiler refused every case
  kCompiled,     // a compiler accepted it
  kDispatched,   // ran on the engine, proved
  kCorrect,      // outputs inside the oracle's intervals
  kKnownDefect,  // a documented defect was seen in it
  kWrong,        // a new finding names it
};
std::string_view CellStateName(CellState state);

// Whether the tables admit an operation on a target: the minimum family of the conversion route
// and the capability byte (specification 003, tables 24.2 and 24.3).
enum class Attested : uint8_t { kYes, kNo, kUnknown };
std::string_view AttestedName(Attested attested);
// kUnknown for a name that no table has, or where the table lacks the value.
Attested Attest(std::string_view op, std::string_view target);

// A row of the matrix: an operation of the table, or a name that only the results have.
struct MatrixRow {
  std::string op, op_class;
  bool in_table = false;
};
struct MatrixColumn {
  std::string target, family, chips;
  bool in_table = false;
  bool met = false;  // some run has cases on it
};

// What is known of one cell by one route and one kind of evidence.
struct CellEvidence {
  std::string route, provenance;
  ReachCounts counts;
  int64_t new_findings = 0;  // findings that name this operation and target
  int64_t known_findings = 0;
  CellState state = CellState::kCatalogued;
};

struct MatrixCell {
  Attested attested = Attested::kUnknown;
  CellState state = CellState::kCatalogued;  // the furthest of the evidence, or of the tables
  std::vector<CellEvidence> evidence;        // by route and provenance
  // All evidence that the state rests on is simulated.
  bool simulated = false;
};

struct Matrix {
  std::vector<MatrixRow> rows;        // in the table's order, then names of the results alone
  std::vector<MatrixColumn> columns;  // all targets in the catalog's order, then others
  std::vector<std::vector<MatrixCell>> cells;  // [row][column]
};

// Every operation and every target has a place, also where nothing was run.
Matrix BuildMatrix(const ReportData& data);

// Leaves the columns that `targets` names: "all", "met" (those with results), or names separated by
// commas. A name that is neither a target nor met is kNotFound.
Status KeepTargets(std::string_view targets, Matrix& matrix);

// First column `op`, then one column a target. A state that rests on the simulated engine alone
// reads "correct (simulated)".
std::string MatrixCsv(const Matrix& matrix);
// The same as a table of GitHub Flavored Markdown.
std::string MatrixMarkdown(const Matrix& matrix);

// What a cell is called in text: "correct (simulated)".
std::string CellText(const MatrixCell& cell);

}  // namespace anecheck::reports
