// Metamorphic cases: the graph of a case is rewritten by a relation, run, judged like any case, and
// compared with the original.
#pragma once

#include <optional>
#include <string>

#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/runner.h"
#include "oracles/metamorphic/relation.h"
#include "oracles/oracle.h"

namespace anecheck {

// Rewrites the graph of `item` by the case's own relation or, if it has none, by one that its seed
// picks. The target refuses no operation that the rewritten graph adds. `direct`: whether a network
// description of the graph can be run. Nothing if no relation applies or the target is unknown.
std::optional<Rewritten> RewriteCase(const Case& item, bool direct);

// Rewrites the graph of `item`, runs the result on `runner`, and updates `outcome`. It becomes the
// verdict of the rewritten graph if that is worse than a pass, `wrong` if both graphs pass but
// their outputs contradict the relation, and `inconclusive`, with the reason, if this cannot be
// decided. Does nothing unless the case passed with outputs. Errors: those of the runner.
Status JudgeRelation(const Case& item, const RunReply& reply, Runner& runner,
                     Evaluation& evaluation, CaseOutcome& outcome);

// The relation and its place as messages name them: "in-batches at v3".
std::string PlaceOf(const CaseRelation& relation);

}  // namespace anecheck
