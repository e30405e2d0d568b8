// The evidence of campaigns for each operation. It has counts and findings for each target, route,
// kind of evidence and machine, and a statement for each.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/evidence/evidence.h"
#include "harness/verdict/stage.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// Findings that name one operation on one target.
struct FindingTally {
  int64_t wrong = 0;    // new findings of wrong values
  int64_t failed = 0;   // other new findings
  int64_t refused = 0;  // the compiler refused a graph that the rules admit
  int64_t known = 0;
  int64_t unconfirmed = 0;
};
// Adds `finding` to the tally.
void Tally(const FindingInfo& finding, FindingTally& tally);

// One operation on one target by one route, one kind of evidence and one machine.
struct CellEvidence {
  ReachKey key;
  ReachCounts counts;
  FindingTally findings;
  Stage stage = Stage::kCatalogued;
};
// Findings decide whether the operation failed, is wrong or was refused, because a finding names
// one operation. Counts decide the stage that the operation reached. An operation that never ran
// can have failed but cannot be wrong. A finding alone does not show that the operation reached a
// stage.
Stage StageOf(const ReachCounts& counts, const FindingTally& findings);

// Returns the evidence sorted by key. Includes those that only findings name.
std::vector<CellEvidence> EvidenceOf(const ReportData& data);
// Returns one statement for each element of EvidenceOf, in the same order.
std::vector<evidence::Statement> StatementsOf(const ReportData& data);

}  // namespace anecheck::reports
