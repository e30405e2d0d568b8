// Finds the operation at which a graph goes wrong: every intermediate result becomes an output (a
// "tapped" graph), and each operation is judged on the operands that the engine computed. An error
// is then charged to the operation that made it, and a chain of documented defects is recognised
// operation by operation.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/cases/case.h"
#include "harness/cases/execution.h"
#include "harness/judging/judge_nodes.h"
#include "harness/runners/runner.h"
#include "harness/verdict/defect_set.h"
#include "harness/verdict/verdict.h"
#include "oracles/contract.h"
#include "oracles/oracle.h"

namespace anecheck {

struct Location {
  // False if the tapped graph did not run, or if its outputs differ from the original's and no
  // operation is wrong alone. If it is false, single operations cannot be judged.
  bool judged = false;
  // The reason why no operation can be judged: the end of the tapped graph's run ("garbled",
  // "crashed"), or "other values". Empty if `judged` is true.
  std::string unseen;
  // The first operation whose result is wrong both in the tapped graph and as a separate program.
  // If there is none, the first operation at which a program is wrong that begins at the inputs of
  // the graph and ends there: an engine that fuses gives an operation values that no tap shows.
  // Otherwise, the first operation that is wrong in the tapped graph. Empty if no operation is
  // wrong.
  std::string first_wrong;
  std::string node;            // that operation's place in the graph: the name of its first result
  std::string message;         // its output and its admitted values, at its actual operands
  std::string_view deviation;  // the way in which its output is wrong (DeviationName)
  DefectSet defects;  // of the operations before it or, if none is wrong, of all operations
  std::vector<JudgedNode> nodes;  // in order, up to the last one that was judged
  // The first wrong operation as a separate graph, and its actual operands. Empty if no operation
  // is wrong.
  Graph wrong_alone;
  std::vector<Tensor> wrong_inputs;
};

// Returns the case with every fp16 result as an output, or nothing if the form of the case cannot
// express it.
std::optional<Case> Tapped(const Case& item);

// Runs the tapped graph once on `runner`, in the same way as the case: with its range and, if the
// second execution is of interest, twice. If the case is one program of fixed shapes, also runs, as
// separate programs, the operations that were wrong, up to the first that is wrong as a separate
// program too. `reply` is the reply for the original graph. Nodes are those of the graph of
// CaseOf(item, execution). `judging`, if given, receives the number of judged operations and the
// number of all operations. Errors: those of the runner.
Result<Location> Locate(const Case& item, const RunReply& reply, Runner& runner,
                        Evaluation& evaluation, const Execution& execution = {},
                        const std::function<void(size_t done, size_t of)>& judging = {});

// The operations on which one output depends, in order.
std::vector<NodeId> NodesBehind(const Graph& graph, size_t output);

// The explanation of one output by the operations on which it depends. Precondition: no operation
// is wrong.
struct Explanation {
  bool complete = true;  // all these operations were judged
  DefectSet defects;
  std::string terms;  // names of terms never measured that forbid outputs of some operations
};
Explanation ExplainOutput(const Graph& graph, size_t output, const Location& location);

// The first operation whose output one of these documented defects explains; kNoNode for none.
NodeId FirstWithDefect(const Location& location, const DefectSet& defects);
// The first operation whose output only terms never measured forbid; kNoNode for none.
NodeId FirstUnconfirmed(const Location& location);

// Whether a runner's answers come from an engine on which terms can be measured, unlike the
// simulated engine, which implements the terms as assumed.
Result<bool> AnswersForAnEngine(Runner& runner);

}  // namespace anecheck
