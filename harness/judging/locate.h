// Finds the operation at which a graph goes wrong. Makes every intermediate result an output (a
// "tapped" graph), and judges each operation on the operands that the engine computed. So an error
// is charged to the operation that made it, and a chain of documented defects is recognised
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
  // False if single operations cannot be judged: the tapped graph did not run, or its outputs
  // differ from the original's and no operation is wrong alone.
  bool judged = false;
  // The reason that no operation can be judged. It is the status of the tapped graph's run
  // ("garbled", "crashed"), or "other values". Empty if `judged` is true.
  std::string unseen;
  // The first operation whose result is wrong both in the tapped graph and as a separate program.
  // If there is none, the first operation for which the program from the graph's inputs to this
  // operation is wrong, because an engine that fuses passes values that no tap shows. If there is
  // none, the first operation that is wrong in the tapped graph. Empty if no operation is wrong.
  std::string first_wrong;
  std::string node;            // the name of that operation's first result
  std::string message;         // its output and the admitted values at its actual operands
  std::string_view deviation;  // how its output is wrong (DeviationName)
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

// Runs the tapped graph on `runner`, with the case's range and, if `execution` is a second one,
// twice. If the case is one program of fixed shapes, also runs the wrong operations as separate
// programs, up to the first that is wrong there too. `reply` is the reply for the original graph.
// Nodes are those of the graph of CaseOf(item, execution). `judging`, if given, receives the number
// of judged operations and the number of all operations. Errors: those of the runner.
Result<Location> Locate(const Case& item, const RunReply& reply, Runner& runner,
                        Evaluation& evaluation, const Execution& execution = {},
                        const std::function<void(size_t done, size_t of)>& judging = {});

// Returns the operations on which one output depends, in order.
std::vector<NodeId> NodesBehind(const Graph& graph, size_t output);

// Explains the deviation of one output by the operations on which it depends. Precondition: no
// operation is wrong.
struct Explanation {
  bool complete = true;  // all these operations were judged
  DefectSet defects;
  std::string terms;  // names of never measured terms that forbid results of these operations
};
Explanation ExplainOutput(const Graph& graph, size_t output, const Location& location);

// Returns the first operation whose output one of these documented defects explains, or kNoNode.
NodeId FirstWithDefect(const Location& location, const DefectSet& defects);
// Returns the first operation whose output only never measured terms forbid, or kNoNode.
NodeId FirstUnconfirmed(const Location& location);

// Returns whether a runner's answers come from an engine on which terms can be measured. The
// simulated engine is none, because it implements the terms as assumed.
Result<bool> AnswersForAnEngine(Runner& runner);

}  // namespace anecheck
