// Metamorphic cases: the graph of a case rewritten by a relation is run too, judged like any case,
// and compared with the original.
#pragma once

#include "harness/campaign/campaign.h"
#include "harness/campaign/judge_case.h"
#include "harness/runners/runner.h"
#include "oracles/oracle.h"

namespace anecheck {

// Rewrites the graph of `item` as its seed picks, runs the result on `runner`, and turns `outcome`
// into what that shows: the verdict of the rewritten graph where it is worse than a pass, `wrong`
// where both pass and break the relation's law, `inconclusive` with the reason where that cannot be
// told. Does nothing unless the case passed with outputs. Errors: those of the runner.
Status JudgeRelation(const Case& item, const RunReply& reply, Runner& runner,
                     Evaluation& evaluation, CaseOutcome& outcome);

}  // namespace anecheck
