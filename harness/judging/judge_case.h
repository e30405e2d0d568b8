// Judges a runner's reply: finds the verdict, the evidence of one case about the engine, and the
// first wrong operation of the graph.
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

// The stage that one graph of a case reached, and the operations for which that stage counts.
struct GraphReach {
  Route route = Route::kMil;
  RunStatus status = RunStatus::kOk;
  Step step = Step::kNone;
  std::string backend;
  Verdict verdict = Verdict::kPass;
  std::bitset<kOpCount> ops;
  std::bitset<kOpCount> planned;  // of `ops`, those that a plan puts on the engine and nowhere else
};

// The operations of a graph, by their index in the operation table.
std::bitset<kOpCount> OpsOf(const Graph& graph);

// The result of judging a case.
struct CaseOutcome {
  std::string target;  // the case's
  RunStatus status = RunStatus::kOk;
  Step step = Step::kNone;
  std::string backend;
  std::string proof;              // RunReply::proof
  std::bitset<kOpCount> planned;  // GraphReach::planned
  uint64_t compile_us = 0, run_us = 0;
  std::string refused_op, reason;      // RunReply's
  std::vector<OutputVerdict> outputs;  // one an output that was judged
  // The worst outcome. For a known defect, `op` is the operation that made the output until
  // ChargeDefect is called.
  Outcome shown;
  std::vector<size_t> vague;  // outputs that a defect explains only because its interval is wide
  // No operation is to blame: each output is right, but two do not fit (oracles/judge_pairs.h), or
  // the outputs are exchanged.
  bool unpaired = false;
  bool verified = false;  // the runner itself judged the case, without compiler and engine
  // The execution of the program that the verdict is about.
  Execution execution;
  // The elements outside that documented defects explain, in all executions on different inputs: of
  // the outputs or, if only single operations explain the case, of their results.
  uint64_t explained = 0;
  // Whether a defect explains some output of a further execution only because its interval is wide.
  bool vague_further = false;
  // kRange or kSecond if only executions of that kind show the outcome, because a program of one
  // shape, or a first execution, yields other values. Empty if it yields the same values or was not
  // run.
  std::string_view apart;
  // Set for a metamorphic case whose own graph passed. `relation` is the relation that then rewrote
  // the graph, with the place. `rewritten` is the rewritten graph; it is set only if it did not
  // pass.
  std::optional<CaseRelation> relation;
  std::optional<RewrittenCase> rewritten;
  // Set for a metamorphic case whose own graph passed: that graph and, if it was run, the rewritten
  // graph. The rewritten graph counts with the operations that the original lacks or, if there are
  // none, with all its operations. An operation is listed with one graph for each route. Empty for
  // other cases, whose result counts for each of their operations.
  std::vector<GraphReach> reached;
  std::vector<std::array<uint64_t, kUlpBuckets>> histograms;  // one per output
  std::vector<std::array<uint64_t, kUlpBuckets>> widths;      // of bounds, one per output
  std::vector<OutputErrors> errors;                           // one per output
  // One for each output; empty for outputs that did not pass and for outputs to which the test of
  // lean_sums.h does not apply.
  std::vector<OutputLean> leans;

  Verdict verdict() const { return shown.verdict(); }
  const std::string& message() const { return shown.message(); }
  bool of_further_run() const { return !execution.first(); }
  bool of_second_run() const { return execution.second; }
};

// CaseOutcome::apart: a program with a range of shapes; a second execution.
inline constexpr std::string_view kRange = "range of shapes";
inline constexpr std::string_view kSecond = "second execution";

// Judges `reply`. `evaluation` is scratch memory; `expected` is the oracle's expectation of each
// output, or null if it was not computed yet. Never fails: a case that cannot be judged is
// inconclusive with a reason.
CaseOutcome JudgeCase(const Case& item, const RunReply& reply, Evaluation& evaluation,
                      std::span<const Estimate> expected = {});

// The operation that makes the graph's last output; "" if that is an input.
std::string LastProducer(const Graph& graph);

// Returns how far the case's own graph got. This result counts for all operations of the graph.
GraphReach ReachOf(const Case& item, const CaseOutcome& outcome);

// The row of the results file.
CaseRow RecordOf(const Case& item, const CaseOutcome& outcome);

// Judges the compiler's files and the engine's side effects, which count if they are worse than the
// outcome by values.
void JudgeBeside(const Case& item, const RunReply& reply, CaseOutcome& outcome);

// Refines an outcome that is wrong, or explained vaguely, by judging every operation separately
// (locate.h), in each of the executions. Names the operation that went wrong first. If all
// operations on which an output depends were judged and are right except for documented defects,
// makes the outcome a known defect. A value is `unconfirmed` if only terms never measured on the
// engine's family forbid it, or if a single element shows a documented defect that runs on other
// inputs do not confirm (second_witness.h). Metamorphic cases are judged by their relation. Other
// outcomes stay unchanged. Precondition: JudgeCase made `outcome` from `item` and `reply`. Errors:
// those of the runner.
Status Refine(const Case& item, const RunReply& reply, Runner& runner, Evaluation& evaluation,
              CaseOutcome& outcome);

// Names the operation that has the documented defect of a known-defect outcome, rather than the
// operation that made the output: the first that shows the defect alone or, if none can be judged
// alone, the first that the defect changes according to its description. Other outcomes stay
// unchanged. Costs one more run, so campaigns call it once for each signature. Errors: those of the
// runner.
Status ChargeDefect(const Case& item, const RunReply& reply, Runner& runner, Evaluation& evaluation,
                    CaseOutcome& outcome);

// A key that outcomes of one defect share. The key begins with the verdict. For wrong values, the
// operation, the kind of deviation and the only executions that show them follow. For known
// defects, the documented id follows. For everything else, the message follows, without numbers and
// without the place where a graph was rewritten.
std::string Signature(const CaseOutcome& outcome);

// The record of an outcome other than a pass, without id, replay command and artifact.
FindingRow DescribeFinding(const Case& item, const CaseOutcome& outcome);
// The id of a finding: a function of its signature and of the case's seed.
std::string FindingId(std::string_view signature, uint64_t seed);

}  // namespace anecheck
