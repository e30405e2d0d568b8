// What campaigns found, by operation and target: for each cell the furthest stage that the
// strongest evidence shows, and what the rules say. Shown by the report; the matrix of all evidence
// (attestation.h) takes its statements of campaigns from here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/verdict/stage.h"
#include "reports/report_data.h"

namespace anecheck::reports {

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

// Findings that name one operation on one target.
struct FindingTally {
  int64_t wrong = 0;    // new ones of values
  int64_t failed = 0;   // other new ones
  int64_t refused = 0;  // the compiler refused what the rules admit; says nothing of values
  int64_t known = 0;
  int64_t unconfirmed = 0;
};
// Counts `finding` in.
void Tally(const FindingInfo& finding, FindingTally& tally);

// What is known of one cell by one route, one kind of evidence and one machine.
struct CellEvidence {
  Route route = Route::kMil;
  Provenance provenance = Provenance::kReported;
  std::string chip, os, compiler_version;
  ReachCounts counts;
  FindingTally findings;
  Stage stage = Stage::kCatalogued;
};
// A case holds several operations and its verdict counts for each. Blame therefore rests on the
// findings, which name one operation, and the stage on the counts. An operation that compiles
// nowhere and was refused is kRejected.
Stage StageOf(const ReachCounts& counts, const FindingTally& findings);

struct MatrixCell {
  Attested attested = Attested::kUnknown;
  Stage stage = Stage::kCatalogued;      // of the strongest evidence, the furthest; or the rules'
  std::vector<CellEvidence> evidence;    // by route, provenance and machine
  std::optional<Provenance> provenance;  // what the stage rests on; nothing for the rules

  bool simulated() const { return provenance == Provenance::kSimulated; }
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

// First column `op`, then one column a target. A stage that rests on anything but silicon or the
// rules names it: "correct (simulated)".
std::string MatrixCsv(const Matrix& matrix);
// The same as a table of GitHub Flavored Markdown.
std::string MatrixMarkdown(const Matrix& matrix);

// What a cell is called in text: "correct (simulated)".
std::string CellText(const MatrixCell& cell);

}  // namespace anecheck::reports
