// The runs of `anecheck check`: a model as one program and, where an engine does not take it so,
// its parts.
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

// The settings that every target and route shares.
struct CheckSetting {
  std::string model;    // the file
  std::string command;  // the command that checks it again
  const CampaignOptions& options;
  const RunnerIdentity& identity;
  // Receives progress in words, from any thread.
  std::function<void(std::string_view)> tell;
  // Threads that the evaluation of one place may use: the machine's, shared by the places that run
  // at once.
  int threads = 1;
};

// The result of one run of the model or of a part of it.
struct CheckRun {
  RowBatch batch;        // the case, as a results file has it
  bool taken = false;    // compiled and executed on the requested device
  bool reached = false;  // the same, and it was the engine that did
  std::optional<FindingRow> finding;
  std::string node;  // the operation that it is about: its first result
  Json location;     // null if nothing deviates
  // For an execution that proves too little as a whole: its operations, each judged on its actual
  // operands: {right, known_defect, defects, unconfirmed, not_judged}, up to the first wrong one;
  // null if that was not asked or not possible.
  Json one_by_one;

  const CaseRow& record() const { return batch.cases[0]; }
};

// The runs of one target by one route, in order, and the numbers of their cases.
struct CheckRuns {
  uint64_t first = 0;  // the number of the first
  uint64_t step = 1;   // between one and the next: no other place has these
  std::vector<CheckRun> list;
  // Whether the tables refuse an operation of a case: that an engine refuses it too is no finding.
  std::function<bool(const Case&)> stated;

  uint64_t Next() const { return first + step * list.size(); }
};

// Runs and judges a case, whose number it gets; `expected` as JudgeCase takes it. The operation
// that goes wrong in an execution that says too little as a whole is run alone too. Returns the run
// of the case. Errors: kUnsupported for a model that the case's route cannot spell, and those of
// the runner.
Result<const CheckRun*> RunCheck(const CheckSetting& setting, Runner& runner, Case& item,
                                 Evaluation& evaluation, std::span<const Estimate> expected,
                                 CheckRuns& runs);

// The weights of one program, in bytes: it is held several times while it is compiled and run.
inline constexpr uint64_t kMostProgramWeights = uint64_t{64} << 20;
// Whether a model has more weights than that. It is run in parts alone.
bool IsLarge(const Graph& graph);

// Runs a case that was taken once more, with every fp16 result as an output, and adds how far each
// lies from the model's values, by name. A program that is not taken so adds nothing. Errors: those
// of the runner.
Status MeasureErrors(const Graph& model, const ModelValues& values, Runner& runner,
                     const Case& item, std::map<std::string, OperationError, std::less<>>& errors);

// The results of a model's parts on one target by one route.
struct PartsShown {
  // Objects {operations, first, last, verdict, stage, message}, in order.
  Json parts = Json::array();
  // The operations that the engine does not take alone though the tables attest them: {op, name,
  // verdict, message}.
  Json refused = Json::array();
  bool searched =
      false;  // for those; `refused` empty then: it takes each alone, together it does not
  std::set<NodeId> reached;
  std::set<NodeId> ran;                                       // by whichever engine
  std::map<std::string, OperationError, std::less<>> errors;  // of MeasureErrors
};

// Runs the parts between the operations `outside`, which the tables refuse, of a model that is
// large or that the engine does not take as a whole. If it refuses a part too, each operation of
// the part runs alone, and the model is cut around the operations that it refuses alone. `values`
// are those of the model. Errors: those of RunCheck.
Result<PartsShown> RunParts(const CheckSetting& setting, Runner& runner, const Case& item,
                            std::vector<bool> outside, const ModelValues& values, CheckRuns& runs);

// An operation of a graph for people: {op, name}, the name of its first result.
Json OperationJson(const Graph& graph, NodeId node);

}  // namespace anecheck
