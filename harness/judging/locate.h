// Finds the place at which a graph goes wrong: every intermediate is made an output, and each
// operation is judged on the values that the engine itself fed it. An error is then charged to the
// operation that made it, and a chain of documented defects is recognised link by link.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/cases/case.h"
#include "harness/cases/execution.h"
#include "harness/runners/runner.h"
#include "harness/verdict/defect_set.h"
#include "harness/verdict/verdict.h"
#include "oracles/contract.h"
#include "oracles/oracle.h"

namespace anecheck {

struct JudgedNode {
  // The verdict by its own results: kPass if nothing lies outside, or if no tap shows it (integers,
  // values written to a state) and its reader is judged with it; kKnownDefect, kUnconfirmed,
  // kWrong; kInconclusive if the oracle cannot evaluate it.
  Verdict verdict = Verdict::kInconclusive;
  DefectSet defects = {};  // of kKnownDefect
  std::string terms = {};  // of kUnconfirmed: their names
};

struct Location {
  // False where the tapped graph did not run, or its outputs differ from the original's and no
  // operation is wrong alone: nothing can then be said about single operations.
  bool judged = false;
  // The first operation in order whose result is wrong, both beside the others and as a program of
  // its own; without such a one, the first that is wrong beside the others; empty for none.
  std::string first_wrong;
  std::string node;            // that operation's place in the graph: the name of its first result
  std::string message;         // its output and its admitted values, at its actual operands
  std::string_view deviation;  // in which way that is wrong (DeviationName)
  DefectSet defects;  // documented, of the operations before it or, if none is wrong, of all
  std::vector<JudgedNode> nodes;  // in order, up to the last one that was judged
  // The first wrong operation alone, at its actual operands; empty for none.
  Graph wrong_alone;
  std::vector<Tensor> wrong_inputs;
};

// The case with every fp16 result as an output; nothing where it cannot be spelled as the case is.
std::optional<Case> Tapped(const Case& item);

// Runs the tapped graph once on `runner`, as the program of the case runs: with its range and,
// where the second execution is looked at, twice; and each operation that is wrong there alone, if
// the case is one program of fixed shapes, up to the first that is wrong alone too. `reply` is that
// of the original graph. Nodes are those of the graph of CaseOf(item, execution). `judging`, if
// given, receives the numbers of judged and of all operations. Errors: those of the runner.
Result<Location> Locate(const Case& item, const RunReply& reply, Runner& runner,
                        Evaluation& evaluation, const Execution& execution = {},
                        const std::function<void(size_t done, size_t of)>& judging = {});

// The explanation of one output by the operations that it depends on. Precondition: no operation is
// wrong.
struct Explanation {
  bool complete = true;  // each of them was judged
  DefectSet defects;
  std::string terms;  // never measured, that forbid outputs of some of them
};
Explanation ExplainOutput(const Graph& graph, size_t output, const Location& location);

// The first operation of which one of these documented defects explains an engine's output;
// kNoNode for none.
NodeId FirstWithDefect(const Location& location, const DefectSet& defects);
// The first of which only terms never measured forbid it; kNoNode for none.
NodeId FirstUnconfirmed(const Location& location);

// Whether a runner's answers are those of an engine, on which a term may have to be measured: not
// of the simulated one, which keeps to the terms as they are.
Result<bool> AnswersForAnEngine(Runner& runner);

}  // namespace anecheck
