// Judges a runner's reply to a case. Finds the verdict, the evidence that the case gives about the
// engine, and the first wrong operation of the graph.
#pragma once

#include <bitset>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/cases/case.h"
#include "harness/cases/execution.h"
#include "harness/judging/output_errors.h"
#include "harness/ops/op.h"
#include "harness/results/store.h"
#include "harness/runners/runner.h"
#include "harness/verdict/outcome.h"
#include "oracles/oracle.h"

namespace anecheck {

// The second graph of a metamorphic case, and the engine's outputs for it.
struct RewrittenCase {
  Graph graph;
  std::string mil;
  std::vector<Tensor> outputs;
};

// How far one graph of a case got, and the operations for which this counts.
struct GraphReach {
  Route route = Route::kMil;
  RunStatus status = RunStatus::kOk;
  Step step = Step::kNone;
  std::string backend;
  Verdict verdict = Verdict::kPass;
  std::bitset<kOpCount> ops;
  std::bitset<kOpCount> planned;  // those of `ops` that a plan puts on the engine and nowhere else
};

// Returns the operations of a graph, by their index in the operation table.
std::bitset<kOpCount> OpsOf(const Graph& graph);

// The result of judging a case.
struct CaseOutcome {
  std::string target;  // of the case
  RunStatus status = RunStatus::kOk;
  Step step = Step::kNone;
  std::string backend;
  std::string proof;              // RunReply::proof
  std::bitset<kOpCount> planned;  // GraphReach::planned
  uint64_t compile_us = 0, run_us = 0;
  std::string refused_op, reason;      // as in RunReply
  std::vector<OutputVerdict> outputs;  // one for each judged output
  // The worst verdict, with its message. Until ChargeDefect is called, the `op` of a known defect
  // is the operation that made the output.
  Outcome shown;
  std::vector<size_t> vague;  // outputs that a defect explains only because its interval is wide
  // Set if no operation is to blame, because each output is right but two outputs contradict each
  // other (oracles/judge_pairs.h), or because the outputs are exchanged.
  bool unpaired = false;
  bool verified = false;  // the runner itself judged the case, without compiler and engine
  // The execution of the program to which the verdict belongs.
  Execution execution;
  // The number of elements outside their bounds that documented defects explain, in all executions
  // on different inputs: elements of the outputs or, if the operations were judged one by one, of
  // their results.
  uint64_t explained = 0;
  // Whether a defect explains some output of a further execution only because its interval is wide.
  bool vague_further = false;
  // kRange if only a program with a range of shapes shows the outcome, and kSecond if only a second
  // execution does. A program of one shape, or a first execution, then yields other values. Empty
  // if it yields the same values or was not run.
  std::string_view apart;
  // Set for a metamorphic case whose own graph passed. `relation` is the relation that then rewrote
  // the graph, with the place. `rewritten` is the rewritten graph, if it did not pass.
  std::optional<CaseRelation> relation;
  std::optional<RewrittenCase> rewritten;
  // Set for a metamorphic case whose own graph passed: that graph and, if it was run, the rewritten
  // graph. The rewritten graph counts with the operations that the original lacks or, if there are
  // none, with all its operations. On each route, an operation is listed with only one graph. Empty
  // for other cases, whose result counts for each of their operations.
  std::vector<GraphReach> reached;
  std::vector<std::array<uint64_t, kUlpBuckets>> histograms;  // one per output
  std::vector<std::array<uint64_t, kUlpBuckets>> widths;      // of the bounds, one per output
  std::vector<OutputErrors> errors;                           // one per output
  // One per output. Empty for an output that did not pass, or to which the test of lean_sums.h does
  // not apply.
  std::vector<OutputLean> leans;

  Verdict verdict() const { return shown.verdict(); }
  const std::string& message() const { return shown.message(); }
  bool of_further_run() const { return !execution.first(); }
  bool of_second_run() const { return execution.second; }
};

// The values of CaseOutcome::apart.
inline constexpr std::string_view kRange = "range of shapes";
inline constexpr std::string_view kSecond = "second execution";

// Judges `reply`. `evaluation` is scratch memory. `expected` has the oracle's expectation of each
// output, or is empty if it was not computed yet. Never fails: a case that cannot be judged is
// inconclusive with a reason.
CaseOutcome JudgeCase(const Case& item, const RunReply& reply, Evaluation& evaluation,
                      std::span<const Estimate> expected = {});

// Returns the operation that makes the graph's last output, or "" if that output is an input.
std::string LastProducer(const Graph& graph);

// Returns how far the case's own graph got. This result counts for all operations of the graph.
GraphReach ReachOf(const Case& item, const CaseOutcome& outcome);

// Returns the case's row of the results file.
CaseRow RecordOf(const Case& item, const CaseOutcome& outcome);

// Judges the compiler's files and the engine's side effects. Their verdict counts if it is worse
// than that of the outcome.
void JudgeBeside(const Case& item, const RunReply& reply, CaseOutcome& outcome);

// Refines an outcome that is wrong, or that a defect explains only by a wide interval. Judges every
// operation separately (locate.h), in each of the executions, and names the operation that went
// wrong first. If all operations on which an output depends are right except for documented
// defects, makes the outcome a known defect. A value becomes `unconfirmed` if only terms that were
// never measured on the engine's family forbid it. So does a documented defect that only one
// element shows, if runs on other inputs do not confirm it (second_witness.h). Metamorphic cases
// are judged by their relation. Other outcomes stay unchanged. Precondition: JudgeCase made
// `outcome` from `item` and `reply`. Errors: those of the runner.
Status Refine(const Case& item, const RunReply& reply, Runner& runner, Evaluation& evaluation,
              CaseOutcome& outcome);

// Charges a known defect to the operation that has it, instead of the operation that made the
// output. This is the first operation that shows the defect alone. If none can be judged alone, it
// is the first that the defect changes according to its description. Leaves other outcomes
// unchanged. Costs one more run, so campaigns call it once for each signature. Errors: those of the
// runner.
Status ChargeDefect(const Case& item, const RunReply& reply, Runner& runner, Evaluation& evaluation,
                    CaseOutcome& outcome);

// Returns a key that outcomes of one defect share. The key begins with the verdict. Wrong values
// add the operation, the kind of deviation and CaseOutcome::apart. Known defects add the documented
// id. All other outcomes add the message, without numbers and without the place where a graph was
// rewritten.
std::string Signature(const CaseOutcome& outcome);

// Returns the record of an outcome other than a pass, without id, replay command and artifact.
FindingRow DescribeFinding(const Case& item, const CaseOutcome& outcome);
// Returns the id of a finding, which depends only on its signature and on `seed`.
std::string FindingId(std::string_view signature, uint64_t seed);

}  // namespace anecheck
