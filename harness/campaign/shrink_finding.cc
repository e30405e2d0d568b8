#include "harness/campaign/shrink_finding.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/file.h"
#include "harness/campaign/run_again.h"

namespace anecheck {
namespace {

class FindingShrinker {
 public:
  FindingShrinker(const Artifact& finding, Runner& runner)
      : finding_(finding), runner_(runner), relation_(finding.item.relation) {}

  // Candidates are rewritten by this relation from now on, wherever it applies to them.
  void Keep(const std::optional<CaseRelation>& relation) { relation_ = relation; }

  Result<ShrunkFinding> Run(const Interesting& interesting, const ShrinkOptions& options) {
    GraphCase item = {finding_.item.graph, finding_.item.inputs};
    ShrunkFinding shrunk;
    shrunk.before = SizeOf(item);
    const ValueOf value_of = [this](const GraphCase& c, ValueId id) { return ValueAt(c, id); };
    ShrinkResult result = Shrink(std::move(item), interesting, value_of, options);
    shrunk.tries = result.tries;
    shrunk.after = SizeOf(result.smallest);
    shrunk.item = Wrap(result.smallest);
    ANECHECK_RETURN_IF_ERROR(SpellCase(shrunk.item));
    Result<AnsweredCase> answer = Ask(shrunk.item);
    if (!answer.ok()) {
      // Hours of work are not given up for that.
      shrunk.unanswered = answer.error().message;
      shrunk.outcome.record.verdict = finding_.verdict;
      shrunk.outcome.record.message = shrunk.unanswered;
      return shrunk;
    }
    shrunk.outcome = std::move(answer->outcome);
    if (shrunk.outcome.relation) shrunk.item.relation = shrunk.outcome.relation;
    shrunk.reply = std::move(answer->reply);
    return shrunk;
  }

  Case Wrap(const GraphCase& candidate) const {
    Case item;
    item.index = finding_.item.index;
    item.seed = finding_.item.seed;
    item.target = finding_.item.target;
    item.mode = finding_.item.mode;
    item.route = finding_.item.route;
    item.graph = candidate.graph;
    item.inputs = candidate.inputs;
    item.relation = relation_;
    item.range = finding_.item.range;  // SpellCase drops it where the candidate cannot take it
    return item;
  }

  // What a process has kept of an earlier candidate must not count against this one.
  Result<AnsweredCase> Ask(const Case& item) {
    if (ShowsAfterMany(finding_.verdict)) ANECHECK_RETURN_IF_ERROR(runner_.Restart());
    return AnswerAgain(item, finding_.verdict, runner_, evaluation_);
  }

  // The outcome of a candidate, or nothing where it cannot be lowered or run.
  std::optional<CaseOutcome> OutcomeOf(const GraphCase& candidate) {
    Case item = Wrap(candidate);
    if (!SpellCase(item).ok()) return std::nullopt;
    Result<AnsweredCase> answer = Ask(item);
    if (!answer.ok()) return std::nullopt;
    return std::move(answer->outcome);
  }

 private:
  std::optional<Tensor> ValueAt(const GraphCase& candidate, ValueId id) {
    if (candidate.graph.type(id).dtype != DType::kFp16) return std::nullopt;
    const Contract& contract = ConformingContract(finding_.item.target.family);
    if (!cut_evaluation_.Run(candidate.graph, candidate.inputs, contract).ok()) {
      return std::nullopt;
    }
    Estimate estimate;
    cut_evaluation_.Stored(id, estimate);
    Tensor tensor = {estimate.type,
                     std::vector<uint8_t>(static_cast<size_t>(estimate.type.ByteSize()))};
    EncodeElements(estimate.type.dtype, estimate.value, tensor.bytes);
    return tensor;
  }

  const Artifact& finding_;
  Runner& runner_;
  std::optional<CaseRelation> relation_;
  Evaluation evaluation_;
  Evaluation cut_evaluation_;
};

// The relation that showed something, or an empty name.
std::string RelationOf(const CaseOutcome& outcome) {
  return outcome.relation ? outcome.relation->name : "";
}

}  // namespace

Result<ShrunkFinding> ShrinkFinding(const Artifact& finding, Runner& runner,
                                    const ShrinkOptions& options) {
  FindingShrinker shrinker(finding, runner);
  const auto first = shrinker.OutcomeOf({finding.item.graph, finding.item.inputs});
  if (!first || !IsSuspect(first->record.verdict)) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("finding {}: the recorded verdict is {}, now it is {}; only what "
                                 "still shows can be made smaller",
                                 finding.id, finding.verdict,
                                 first ? first->record.verdict : "that it cannot be run"));
  }
  const std::string wanted = Signature(*first);
  const std::string relation = RelationOf(*first);
  if (first->relation) shrinker.Keep(first->relation);
  const Interesting interesting = [&](const GraphCase& candidate) {
    const auto outcome = shrinker.OutcomeOf(candidate);
    return outcome && Signature(*outcome) == wanted && RelationOf(*outcome) == relation;
  };
  return shrinker.Run(interesting, options);
}

Result<ShrunkFinding> ShrinkFindingIf(const Artifact& finding, Runner& runner,
                                      const FilePredicate& predicate, const std::string& folder,
                                      const ShrinkOptions& options) {
  ANECHECK_ASSIGN(const RunnerIdentity identity, runner.Identify());
  FindingShrinker shrinker(finding, runner);
  const std::string path = folder + "/finding.json";
  const Interesting interesting = [&](const GraphCase& candidate) {
    Case item = shrinker.Wrap(candidate);
    if (!SpellCase(item).ok()) return false;
    CaseOutcome outcome;
    outcome.record.verdict = finding.verdict;
    const auto json = ArtifactToJson(finding.options, identity, item, outcome, {}, finding.id);
    return WriteFileAtomic(path, json.dump()).ok() && predicate(path);
  };
  if (!interesting({finding.item.graph, finding.item.inputs})) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("finding {}: the command does not accept the finding itself", finding.id));
  }
  return shrinker.Run(interesting, options);
}

}  // namespace anecheck
