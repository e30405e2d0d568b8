// A documented defect whose values lie near the right ones may explain a single wrong element by
// chance. Executions on other inputs then decide whether the engine has the defect.
#pragma once

#include <functional>
#include <string>

#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/runners/runner.h"
#include "harness/verdict/defect_set.h"
#include "oracles/contract.h"
#include "oracles/oracle.h"

namespace anecheck {

// The contract of the family with the documented departures of `defects`; of all defects if it is
// empty.
Contract DepartingContract(int family, const DefectSet& defects = {});

// Whether only one element in all executions on different inputs shows the outcome's documented
// defects, and one of these defects admits values near the right ones. False for graphs that are
// too large to run again and again.
bool NeedsWitness(const Case& item, const CaseOutcome& outcome);

// Refines the outcome of a case without a search for a witness.
using RefineFunction = std::function<Status(const Case&, const RunReply&, CaseOutcome&)>;

// Runs the case's graph on other inputs, several times at most. Returns "" if these `defects`
// explain two runs and no run before is wrong; otherwise a clause that says why the defects are not
// confirmed. Errors: those of the runner.
Result<std::string> SeekWitness(const Case& item, const DefectSet& defects, Runner& runner,
                                Evaluation& evaluation, const RefineFunction& refine);

}  // namespace anecheck
