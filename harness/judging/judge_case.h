// From a runner's reply to a verdict: one case's evidence about the engine, and the first wrong
// place in the graph.
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

// The stage that one of several graphs of a case reached, and the operations that reached it.
struct GraphReach {
  Route route = Route::kMil;
  RunStatus status = RunStatus::kOk;
  Step step = Step::kNone;
  std::string backend;
  Verdict verdict = Verdict::kPass;
  std::bitset<kOpCount> ops;
  std::bitset<kOpCount> planned;  // of these, those that a plan puts on the engine and nowhere else
};

// The operations of a graph, by their place in the table.
std::bitset<kOpCount> OpsOf(const Graph& graph);

// All that judging a case has shown.
struct CaseOutcome {
  std::string target;  // the case's
  RunStatus status = RunStatus::kOk;
  Step step = Step::kNone;
  std::string backend;
  std::string proof;              // RunReply::proof
  std::bitset<kOpCount> planned;  // GraphReach::planned
  uint64_t compile_us = 0, run_us = 0;
  std::vector<OutputVerdict> outputs;  // one an output that was judged
  // The worst of it. For a known defect, `op` is the operation that made the output until
  // ChargeDefect is called.
  Outcome shown;
  std::vector<size_t> vague;  // outputs that a documented defect explains by a wide interval only
  bool unpaired = false;      // right one by one, the outputs do not fit (oracles/judge_pairs.h)
  bool verified = false;      // the runner judged it; no compiler and no engine had a part
  // The execution of the program that the verdict is about.
  Execution execution;
  // Some output of a further execution is explained by a wide interval only.
  bool vague_further = false;
  // The executions that alone show it, a kRange or a kSecond: a program of one shape, or a first
  // execution, gives other values there. Empty if it gives the same, and if none was run.
  std::string_view apart;
  // For a metamorphic case that passed by itself: the relation that then rewrote it, and the place.
  // The rewritten graph where that is no pass.
  std::optional<CaseRelation> relation;
  std::optional<RewrittenCase> rewritten;
  // For a metamorphic case that passed by itself: its own graph and, where that was run, the
  // rewritten one, with the operations that this has and the original lacks or, where there are
  // none, with all of them. An operation stands with one graph a route. Empty of other cases, which
  // say the same of each of their operations.
  std::vector<GraphReach> reached;
  std::vector<std::array<uint64_t, kUlpBuckets>> histograms;  // one per output
  std::vector<std::array<uint64_t, kUlpBuckets>> widths;      // of bounds, one per output
  std::vector<OutputErrors> errors;                           // one per output
  // One per output; empty of those that are no pass or of which the test of lean_sums.h says
  // nothing.
  std::vector<OutputLean> leans;

  Verdict verdict() const { return shown.verdict(); }
  const std::string& message() const { return shown.message(); }
  bool of_further_run() const { return !execution.first(); }
  bool of_second_run() const { return execution.second; }
};

// CaseOutcome::apart: a program with a range of shapes; a second execution.
inline constexpr std::string_view kRange = "range of shapes";
inline constexpr std::string_view kSecond = "second execution";

// Judges `reply`. `evaluation` is scratch memory; `expected` holds the oracle's expectation of each
// output if that is known already. Never fails: a case that cannot be judged is inconclusive with a
// reason.
CaseOutcome JudgeCase(const Case& item, const RunReply& reply, Evaluation& evaluation,
                      std::span<const Estimate> expected = {});

// The operation that makes the graph's last output; "" where that is an input.
std::string LastProducer(const Graph& graph);

// How far the case's own graph got; said of all its operations.
GraphReach ReachOf(const Case& item, const CaseOutcome& outcome);

// The row of the results file.
CaseRow RecordOf(const Case& item, const CaseOutcome& outcome);

// The compiler's files and the engine's side effects count if they are worse than the outcome by
// values.
void JudgeBeside(const Case& item, const RunReply& reply, CaseOutcome& outcome);

// Refines an outcome that is wrong, or explained vaguely, by judging every operation on its own
// (locate.h), in each of the executions: names the operation that went wrong first or, where each
// that an output depends on was judged and is right but for documented defects, makes it a known
// defect. A value is `unconfirmed` if only terms never measured on the engine's family forbid it.
// Metamorphic cases are judged by their relation. Other outcomes stay as they are. Errors: those
// of the runner.
Status Refine(const Case& item, const RunReply& reply, Runner& runner, Evaluation& evaluation,
              CaseOutcome& outcome);

// Names the operation that has the documented defect of a known-defect outcome, rather than the one
// that made the output: the first that shows it on its own or, where none can be judged so, the
// first that the defect changes by its description. Others stay as they are. It takes one more run,
// so that campaigns ask it once a signature. Errors: those of the runner.
Status ChargeDefect(const Case& item, const RunReply& reply, Runner& runner, Evaluation& evaluation,
                    CaseOutcome& outcome);

// The common key of two outcomes that show one defect: the verdict, with the operation for wrong
// values, the kind of their deviation and the executions that alone show them, the documented id
// for known defects, and the words without numbers, and without the place where a graph was
// rewritten, for everything else.
std::string Signature(const CaseOutcome& outcome);

// The record of an outcome that is no pass, but for id, replay command and artifact.
FindingRow DescribeFinding(const Case& item, const CaseOutcome& outcome);
// The id of a finding: a function of its signature and of the case's seed.
std::string FindingId(std::string_view signature, uint64_t seed);

}  // namespace anecheck
