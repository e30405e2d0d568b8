// The executions of one case's program. These are the first execution, a second one
// (second_execution.h), and executions at further shapes of a range (shape_range.h). Each can be
// judged as a separate case.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cases/case.h"
#include "harness/runners/runner.h"

namespace anecheck {

struct Execution {
  bool second = false;          // the second execution, on the same inputs or on Case::again
  std::optional<size_t> shape;  // the index of its shape in Case::further

  bool first() const { return !second && !shape; }
};

// Returns the further executions whose outputs are in `reply`, in the order of RunReply::further.
std::vector<Execution> FurtherExecutions(const Case& item, const RunReply& reply);

// Returns "in the second execution" or "at 3 along axis 1 of x"; empty for the first execution.
std::string WhereIs(const Case& item, const Execution& execution);

// Returns a case whose graph, on its inputs, computes that execution's outputs. The case has no
// range, and is executed once. Its program is not yet written (SpellCase).
Case CaseOf(const Case& item, const Execution& execution);
// OutputsOf returns the outputs of the execution, and ReplyOf returns a reply with them to the case
// of CaseOf. Precondition: the execution is the first one or is in FurtherExecutions.
const std::vector<Tensor>& OutputsOf(const Case& item, const RunReply& reply,
                                     const Execution& execution);
RunReply ReplyOf(const Case& item, const RunReply& reply, const Execution& execution);

// Whether a separate program must return the outputs of this execution in its own first execution.
// False if states hold earlier content, or if the execution already has a separate program.
bool HasOwnProgram(const Case& item, const Execution& execution);

// Returns the name of the first operation that reads a state; empty if there is none.
std::string ReaderOfState(const Graph& graph);

}  // namespace anecheck
