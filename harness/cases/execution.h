// The executions that one case asks of its program: the first, a second one (second_execution.h),
// and those at further shapes of a range (shape_range.h). Each can be looked at as a case of its
// own.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cases/case.h"
#include "harness/runners/runner.h"

namespace anecheck {

struct Execution {
  bool second = false;          // of the same program, on the same inputs or on Case::again
  std::optional<size_t> shape;  // at this one of Case::further

  bool first() const { return !second && !shape; }
};

// The further executions whose outputs `reply` holds, in the order of RunReply::further.
std::vector<Execution> FurtherExecutions(const Case& item, const RunReply& reply);

// "in the second execution", "at 3 along axis 1 of x"; empty of the first.
std::string WhereIs(const Case& item, const Execution& execution);

// A case whose graph, on its inputs, computes that execution's outputs: without a range, and
// executed once. It is not spelled.
Case CaseOf(const Case& item, const Execution& execution);
// The outputs of the execution, and those as the reply to that case. Precondition: it is the first,
// or one of FurtherExecutions.
const std::vector<Tensor>& OutputsOf(const Case& item, const RunReply& reply,
                                     const Execution& execution);
RunReply ReplyOf(const Case& item, const RunReply& reply, const Execution& execution);

// Whether a program of its own, executed for the first time, must give the same: not if states hold
// content of an earlier execution, and not if it is already a separate program.
bool HasOwnProgram(const Case& item, const Execution& execution);

// The first operation that reads a state, by its name; empty for none.
std::string ReaderOfState(const Graph& graph);

}  // namespace anecheck
