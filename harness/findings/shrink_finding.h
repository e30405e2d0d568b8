// Makes a finding's case smaller. Runs smaller candidates on the finding's runner and keeps those
// that show the same defect.
#pragma once

#include <string>

#include "generators/shrink/shrink.h"
#include "harness/base/result.h"
#include "harness/findings/artifact.h"
#include "harness/judging/judge_case.h"

namespace anecheck {

// A shrunk finding, with the runner's answer to the small case.
struct ShrunkFinding {
  Case item;  // with the relation that shows the finding, if a relation does
  CaseOutcome outcome;
  RunReply reply;
  CaseSize before, after;
  uint64_t tries = 0;
  // The reason why the runner did not answer the small case at the end; empty if it did. With a
  // reason, the outcome is the finding's verdict with the reason as message, and the reply is
  // empty.
  std::string unanswered;
};

// Returns whether the candidate in the file `path` (a finding.json) is still interesting.
using FilePredicate = std::function<bool(const std::string& path)>;

// Shrinks a finding. A candidate is accepted if it gets the finding's verdict. In addition, wrong
// values must be at the same operation, a known defect must be the same defect, and a refusal must
// have the same message (apart from its numbers). If a metamorphic relation shows the finding, a
// candidate is accepted if its graph passes alone and that relation, applied at any place, gives a
// graph with the verdict. For verdicts that show only after many cases in one process, each
// candidate runs many times in a new process (run_again.h). The `stop` of the options ends the
// search. After a stop, the result is the smallest case that was found, with the runner's answer to
// the trial of that case. Runner::StopWhen also ends the run of a candidate. Errors: kInvalid if
// the finding does not show on `runner`, or if no single case shows it (`biased`); kInterrupted if
// the stop came before the finding was reproduced.
Result<ShrunkFinding> ShrinkFinding(const Artifact& finding, Runner& runner,
                                    const ShrinkOptions& options = {});

// As ShrinkFinding, but the user's predicate decides instead of the verdict. The predicate is
// called with a file in `folder`. Errors: kInvalid if the predicate is false for the finding
// itself; kInterrupted if the stop came before the predicate was known for the finding.
Result<ShrunkFinding> ShrinkFindingIf(const Artifact& finding, Runner& runner,
                                      const FilePredicate& predicate, const std::string& folder,
                                      const ShrinkOptions& options = {});

}  // namespace anecheck
