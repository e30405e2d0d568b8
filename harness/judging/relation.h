// Judges metamorphic cases. A relation rewrites the graph of a case. The rewritten graph is run,
// judged like any case, and compared with the original.
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
// picks. The target refuses no operation that the relation adds. If `direct`, the relation may run
// the graph as a network description. Returns nothing if no relation applies or the target is
// unknown.
std::optional<Rewritten> RewriteCase(const Case& item, bool direct);

// Rewrites the graph of `item`, runs the result on `runner`, and updates `outcome`. Takes the
// verdict of the rewritten graph if that is worse than a pass. If both graphs pass, but their
// outputs contradict the relation, the verdict is `wrong`; if this cannot be decided, it is
// `inconclusive`. Does nothing unless the case passed with outputs. Errors: those of the runner.
Status JudgeRelation(const Case& item, const RunReply& reply, Runner& runner,
                     Evaluation& evaluation, CaseOutcome& outcome);

// Returns the relation and its place as messages name them, such as "in-batches at v3".
std::string PlaceOf(const CaseRelation& relation);

}  // namespace anecheck
