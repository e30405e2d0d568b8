// If the values of a documented defect lie near the right ones, the defect may explain a single
// wrong element by chance. Executions on other inputs decide whether the engine has the defect.
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

// Returns the contract of the family with the documented departures of `defects`. If `defects` is
// empty, it has those of all defects.
Contract DepartingContract(int family, const DefectSet& defects = {});

// Returns whether only one element, in all executions on different inputs, shows the outcome's
// documented defects, and one of these defects admits values near the right ones. Returns false for
// graphs that are too large to run many times.
bool NeedsWitness(const Case& item, const CaseOutcome& outcome);

// Refines the outcome of a case without SeekWitness.
using RefineFunction = std::function<Status(const Case&, const RunReply&, CaseOutcome&)>;

// Runs the case's graph on other inputs, a limited number of times. Returns "" if `defects` explain
// two runs and no run before them is wrong. Otherwise returns a clause with the reason that the
// defects are not confirmed. Errors: those of the runner.
Result<std::string> SeekWitness(const Case& item, const DefectSet& defects, Runner& runner,
                                Evaluation& evaluation, const RefineFunction& refine);

}  // namespace anecheck
