// The executions of one case's program: the first, a second one (second_execution.h), and those at
// further shapes of a range (shape_range.h). Each can be treated as a separate case.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cases/case.h"
#include "harness/runners/runner.h"

namespace anecheck {

struct Execution {
  bool second = false;  // the second one of the program, on the same inputs or on Case::again
  std::optional<size_t> shape;  // the index of its shape in Case::further

  bool first() const { return !second && !shape; }
};

// The further executions whose outputs are in `reply`, in the order of RunReply::further.
std::vector<Execution> FurtherExecutions(const Case& item, const RunReply& reply);

// "in the second execution", "at 3 along axis 1 of x"; empty for the first.
std::string WhereIs(const Case& item, const Execution& execution);

// A case whose graph, on its inputs, computes that execution's outputs. It has no range and is
// executed once. SpellCase has not written its program.
Case CaseOf(const Case& item, const Execution& execution);
// The outputs of the execution, alone and as a reply to the case of CaseOf. Precondition: it is the
// first execution, or one of FurtherExecutions.
const std::vector<Tensor>& OutputsOf(const Case& item, const RunReply& reply,
                                     const Execution& execution);
RunReply ReplyOf(const Case& item, const RunReply& reply, const Execution& execution);

// Whether a separate program, executed for the first time, must return the same outputs. False if
// states hold content of an earlier execution, and if the execution already has a separate program.
bool HasOwnProgram(const Case& item, const Execution& execution);

// The name of the first operation that reads a state; empty if there is none.
std::string ReaderOfState(const Graph& graph);

}  // namespace anecheck
