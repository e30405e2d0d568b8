// Makes a finding's case small: runs smaller candidates on the finding's runner for as long as the
// same defect shows.
#pragma once

#include <string>

#include "generators/shrink/shrink.h"
#include "harness/base/result.h"
#include "harness/findings/artifact.h"
#include "harness/judging/judge_case.h"

namespace anecheck {

// A finding reduced, with the runner's answer to the small case.
struct ShrunkFinding {
  Case item;  // with the relation that shows it, where one does
  CaseOutcome outcome;
  RunReply reply;
  CaseSize before, after;
  uint64_t tries = 0;
  // The reason that the runner gave no answer to the small case at the end; empty if it gave one.
  // The outcome then is the finding's verdict with these words, and the reply is empty.
  std::string unanswered;
};

// Whether a candidate, written as the file at `path` (a finding.json), is still interesting.
using FilePredicate = std::function<bool(const std::string& path)>;

// A candidate counts where it gets the finding's verdict, at the same operation for wrong values,
// with the same known defect for those, and with the same words (numbers apart) for refusals. The
// finding of a metamorphic relation counts if that relation shows it again, at any place: the graph
// passes by itself, and rewritten by the relation it gets the verdict. For verdicts that show only
// after many cases in one process each candidate is run as often in a fresh one (run_again.h). A
// `stop` among the options ends the search: the smallest case by then is the result, with the
// runner's answer from when it was tried. StopWhen makes a runner end a candidate's run then, too.
// Errors: kInvalid where the finding does not show on `runner` at all, or is one that no single
// case shows (`biased`); kInterrupted where the stop came before it was seen to show.
Result<ShrunkFinding> ShrinkFinding(const Artifact& finding, Runner& runner,
                                    const ShrinkOptions& options = {});

// As above, with the user's own predicate in place of the verdict; it is called with a file in
// `folder`, whatever the verdict. Errors: kInvalid where it does not hold for the finding itself,
// kInterrupted where the stop came before it was seen to.
Result<ShrunkFinding> ShrinkFindingIf(const Artifact& finding, Runner& runner,
                                      const FilePredicate& predicate, const std::string& folder,
                                      const ShrinkOptions& options = {});

}  // namespace anecheck
