// What campaigns found, by operation and target: for each cell the furthest stage that some run
// shows, and what the rules say. Shown by the report; the matrix of all evidence (attestation.h)
// takes its statements of campaigns from here.
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
  kAttested,     // the legality rules admit it
  kRejected,     // the compiler refused every case
  kCompiled,     // a compiler accepted it
  kDispatched,   // ran on the engine, proved
  kCorrect,      // outputs inside the oracle's intervals
  kKnownDefect,  // a documented defect was seen in it
  kWrong,        // a new finding names it
};
std::string_view CellStateName(CellState state);

// Whether the legality rules admit an operation on a target by either route, as it is or after a
// rewrite; the same verdicts as those of attestation.h.
enum class Attested : uint8_t { kYes, kNo, kUnknown };
std::string_view AttestedName(Attested attested);
// kUnknown for a name that no table has, or where a verdict rests on a value that no source gives.
// Thread-safe.
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

// Leaves the columns of targets with results.
void KeepMetTargets(Matrix& matrix);

// First column `op`, then one column a target. A state that rests on the simulated engine alone
// reads "correct (simulated)".
std::string MatrixCsv(const Matrix& matrix);
// The same as a table of GitHub Flavored Markdown.
std::string MatrixMarkdown(const Matrix& matrix);

// What a cell is called in text: "correct (simulated)".
std::string CellText(const MatrixCell& cell);

}  // namespace anecheck::reports
