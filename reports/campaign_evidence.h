// The findings of campaigns by operation: counts and findings by target, route, kind of evidence
// and machine, and the statement that each comes to.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/evidence/evidence.h"
#include "harness/verdict/stage.h"
#include "reports/report_data.h"

namespace anecheck::reports {

// Findings that name one operation on one target.
struct FindingTally {
  int64_t wrong = 0;    // new ones of values
  int64_t failed = 0;   // other new ones
  int64_t refused = 0;  // the compiler refused a graph that the rules admit; says nothing of values
  int64_t known = 0;
  int64_t unconfirmed = 0;
};
// Counts `finding` in.
void Tally(const FindingInfo& finding, FindingTally& tally);

// One operation on one target by one route, one kind of evidence and one machine.
struct CellEvidence {
  ReachKey key;
  ReachCounts counts;
  FindingTally findings;
  Stage stage = Stage::kCatalogued;
};
// Blame rests on the findings, which name one operation; how far it got rests on the counts. An
// operation that never ran can have failed but not be wrong, and a finding alone reaches nothing.
Stage StageOf(const ReachCounts& counts, const FindingTally& findings);

// By key. Findings may name an operation and target that no count names.
std::vector<CellEvidence> EvidenceOf(const ReportData& data);
// One statement for each of EvidenceOf, in its order.
std::vector<evidence::Statement> StatementsOf(const ReportData& data);

}  // namespace anecheck::reports
