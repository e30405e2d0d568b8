// The runs of `anecheck check`: a model as one program or, if an engine refuses that program or the
// model is large, in parts.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/check/model_values.h"
#include "harness/check/operation_errors.h"
#include "harness/results/store.h"
#include "harness/runners/runner.h"
#include "oracles/oracle.h"

namespace anecheck {

// The settings that all targets and routes share.
struct CheckSetting {
  std::string model;    // the file
  std::string command;  // the command line that checks it again
  const CampaignOptions& options;
  const RunnerIdentity& identity;
  // Receives progress as text for people, from any thread.
  std::function<void(std::string_view)> tell;
  // The number of threads that the evaluation of one place may use. Places that are checked at the
  // same time share the machine's threads.
  int threads = 1;
};

// The result of one run of the model or of a part of it.
struct CheckRun {
  RowBatch batch;        // the row of the case in a results file
  bool taken = false;    // compiled and executed on the requested device
  bool reached = false;  // compiled and executed on the engine
  std::optional<FindingRow> finding;
  std::string node;  // the operation of the finding, named by its first result
  Json location;     // null if nothing deviates
  // {right, known_defect, defects, unconfirmed, not_judged}. If the bounds of a whole execution are
  // too wide for a verdict, its operations are judged one by one on their actual operands, up to
  // the first wrong operation. Null if the operations were not judged one by one.
  Json one_by_one;

  const CaseRow& record() const { return batch.cases[0]; }
};

// The runs on one target by one route, in order, and the numbers of their cases.
struct CheckRuns {
  uint64_t first = 0;  // the number of the first case
  uint64_t step = 1;   // from one number to the next; keeps the numbers of places apart
  std::vector<CheckRun> list;
  // Returns whether the tables refuse any operation of a case. If they do, a refusal by the engine
  // is no finding.
  std::function<bool(const Case&)> stated;

  uint64_t Next() const { return first + step * list.size(); }
};

// Gives the case its number, runs it and judges it. `expected` is passed to JudgeCase. If the
// bounds of the whole execution are too wide for a verdict, also runs the first wrong operation
// alone. Returns the run of the case. Errors: kUnsupported for a model that the case's route cannot
// spell, and those of the runner.
Result<const CheckRun*> RunCheck(const CheckSetting& setting, Runner& runner, Case& item,
                                 Evaluation& evaluation, std::span<const Estimate> expected,
                                 CheckRuns& runs);

// The largest total size of the weights of one program, in bytes. A program is in memory several
// times while it is compiled and run.
inline constexpr uint64_t kMostProgramWeights = uint64_t{64} << 20;
// Returns whether a model has more weights than kMostProgramWeights. A large model runs only in
// parts.
bool IsLarge(const Graph& graph);

// Runs a case that compiled and ran again, with every fp16 result as an output. Adds the error of
// each result against the model's values to `errors`, by name. Adds nothing if the program with
// these outputs does not compile and run. Errors: those of the runner.
Status MeasureErrors(const CheckSetting& setting, const Graph& model, const ModelValues& values,
                     Runner& runner, const Case& item,
                     std::map<std::string, OperationError, std::less<>>& errors);

// The results of a model's parts on one target by one route.
struct PartsShown {
  // Objects {operations, first, last, verdict, stage, message, one_by_one}, in order.
  Json parts = Json::array();
  // Objects {op, name, verdict, message}: the operations that the engine refuses even alone
  // although the tables attest them.
  Json refused = Json::array();
  // Whether operations ran alone, to find those in `refused`. If they did and `refused` is empty,
  // the engine accepts each operation alone, but not all of them together.
  bool searched = false;
  std::set<NodeId> reached;
  std::set<NodeId> ran;  // the operations that ran, on any device
  std::map<std::string, OperationError, std::less<>> errors;  // of MeasureErrors
};

// Runs in parts a model that is large, or that the engine refuses as a whole. The parts lie between
// the operations in `outside`, which the tables refuse. If the engine refuses a part too, each
// operation of the part runs alone, and the model is cut around the operations that the engine
// refuses alone. `values` are those of the model. Errors: those of RunCheck.
Result<PartsShown> RunParts(const CheckSetting& setting, Runner& runner, const Case& item,
                            std::vector<bool> outside, const ModelValues& values, CheckRuns& runs);

// Returns {op, name} of an operation, for people. "name" is that of its first result.
Json OperationJson(const Graph& graph, NodeId node);

}  // namespace anecheck
