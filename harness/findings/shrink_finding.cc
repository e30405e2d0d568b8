#include "harness/findings/shrink_finding.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/cases/second_execution.h"
#include "harness/findings/run_again.h"
#include "harness/judging/lean_watch.h"
#include "oracles/right_tensor.h"

namespace anecheck {
namespace {

// A range as a number of steps below and above the extent of the case itself. When the extent
// becomes shorter, the range moves with it. The axis is counted from the last one, because
// shrinking removes leading axes.
class FollowingRange {
 public:
  // Empty if an end of the range is not a whole number of steps away from the extent.
  static std::optional<FollowingRange> Of(const Case& item) {
    if (!item.range) return std::nullopt;
    const CaseRange& range = *item.range;
    const auto input = item.graph.FindValue(range.input);
    if (!input || range.axis >= item.graph.type(*input).shape.rank()) return std::nullopt;
    const Shape& shape = item.graph.type(*input).shape;
    const int64_t below = shape[range.axis] - range.start, above = range.stop - shape[range.axis];
    if (below < 0 || above < 0 || below % range.step != 0 || above % range.step != 0) {
      return std::nullopt;
    }
    FollowingRange following;
    following.input_ = range.input;
    following.from_last_ = shape.rank() - range.axis;
    following.step_ = range.step;
    following.down_ = below / range.step;
    following.up_ = above / range.step;
    return following;
  }

  // Returns the range around the extent in `graph`; empty if the axis was removed.
  std::optional<CaseRange> About(const Graph& graph) const {
    const auto input = graph.FindValue(input_);
    if (!input || graph.type(*input).shape.rank() < from_last_) return std::nullopt;
    const Shape& shape = graph.type(*input).shape;
    CaseRange range = {.input = input_, .axis = shape.rank() - from_last_};
    const int64_t own = shape[range.axis];
    range.start = own - std::min(down_, (own - 1) / step_) * step_;
    range.stop = own + up_ * step_;
    range.step = step_;
    return range;
  }

  // Returns simpler ranges. For each number of the range, the smallest value comes first.
  std::vector<FollowingRange> Plainer() const {
    std::vector<FollowingRange> plainer;
    for (int64_t FollowingRange::* const number :
         {&FollowingRange::down_, &FollowingRange::up_, &FollowingRange::step_}) {
      const int64_t least = number == &FollowingRange::step_ ? 1 : 0, own = this->*number;
      for (const int64_t to : {least, own / 2, own - 1}) {
        if (to < least || to >= own) continue;
        plainer.push_back(*this);
        plainer.back().*number = to;
      }
    }
    return plainer;
  }

 private:
  std::string input_;
  int from_last_ = 0;
  int64_t step_ = 1, down_ = 0, up_ = 0;
};

bool IsStopped(const ShrinkOptions& options) {
  return options.stop != nullptr && options.stop->load();
}

// Returns the error if a stop may be the reason why the first run did not show the finding.
Error InterruptedAtFirst(const Artifact& finding) {
  return MakeError(
      ErrorCode::kInterrupted,
      fmt::format(
          "finding {}: interrupted before the finding itself was reproduced; nothing is written",
          finding.id));
}

// Cuts `tensor` to the first entries along each axis and drops leading axes until it has `type`;
// empty if that is impossible.
std::optional<Tensor> Fitted(Tensor tensor, const TensorType& type) {
  if (tensor.type.dtype != type.dtype || DTypeBits(type.dtype) % 8 != 0) return std::nullopt;
  while (tensor.type.shape.rank() > type.shape.rank()) {
    tensor = TakeAlong(tensor, 0, 1);
    tensor.type.shape = Shape::FromSpan(tensor.type.shape.dims().subspan(1));
  }
  if (tensor.type.shape.rank() < type.shape.rank()) return std::nullopt;
  for (int axis = 0; axis < type.shape.rank(); ++axis) {
    const int64_t own = tensor.type.shape[axis], wanted = type.shape[axis];
    if (own < wanted) return std::nullopt;
    if (own > wanted) tensor = TakeAlong(tensor, axis, wanted);
  }
  return tensor;
}

// The inputs of smaller cases in a second execution. Each input is the value of the same name in
// the second execution of the original case, as the oracle computes it, cut to the input's type.
class FollowingInputs {
 public:
  explicit FollowingInputs(const Case& item)
      : family_(item.target.family),
        twice_(ExecutedTwice(item.graph, true)),
        inputs_(InputsOfBoth(item.inputs, item.again)) {}

  // Returns one tensor per input of `graph`, or no tensors if one of them is not available.
  std::vector<Tensor> For(const Graph& graph) {
    std::vector<Tensor> tensors;
    for (const ValueId id : graph.ValuesOfKind(ValueKind::kInput)) {
      const auto found = twice_.FindValue(graph.value(id).name);
      std::optional<Tensor> tensor;
      if (found) tensor = ValueAt(*found);
      if (tensor) tensor = Fitted(*std::move(tensor), graph.type(id));
      if (!tensor) return {};
      tensors.push_back(*std::move(tensor));
    }
    return tensors;
  }

 private:
  std::optional<Tensor> ValueAt(ValueId id) {
    const std::vector<ValueId> given = twice_.ValuesOfKind(ValueKind::kInput);
    const auto place = std::ranges::find(given, id);
    if (place != given.end()) return inputs_[static_cast<size_t>(place - given.begin())];
    if (!evaluated_) {
      evaluated_ = evaluation_.Run(twice_, inputs_, ConformingContract(family_)).ok();
    }
    if (!*evaluated_) return std::nullopt;
    Estimate estimate;
    evaluation_.Stored(id, estimate);
    return RightTensor(estimate);
  }

  int family_;
  Graph twice_;
  std::vector<Tensor> inputs_;  // of both executions
  Evaluation evaluation_;
  std::optional<bool> evaluated_;
};

class FindingShrinker {
 public:
  FindingShrinker(const Artifact& finding, Runner& runner)
      : finding_(finding),
        runner_(runner),
        relation_(finding.item.relation),
        range_(FollowingRange::Of(finding.item)) {
    if (!finding.item.again.empty()) again_.emplace(finding.item);
  }

  // Makes candidates take the inputs of the first execution in the second one too.
  void TakeTheSameAgain() { again_.reset(); }

  // Stores the answer to the smallest case so far. It is the final answer if a stop prevents the
  // last run.
  void Note(AnsweredCase answer) { noted_ = std::move(answer); }

  // Rewrites candidates by this relation, at any place to which it applies.
  void Keep(const std::optional<CaseRelation>& relation) { relation_ = relation; }

  Result<ShrunkFinding> Run(const Interesting& interesting, const ShrinkOptions& options) {
    GraphCase item = {finding_.item.graph, finding_.item.inputs};
    ShrunkFinding shrunk;
    shrunk.before = SizeOf(item);
    const ValueOf value_of = [this](const GraphCase& c, ValueId id) { return ValueAt(c, id); };
    ShrinkResult result = Shrink(std::move(item), interesting, value_of, options);
    shrunk.tries = result.tries;
    // A simpler range permits shorter axes, so the graph is shrunk again.
    while (PlainerRange(result.smallest, interesting, options, shrunk.tries)) {
      ShrinkOptions left = options;
      left.max_tries -= shrunk.tries;
      result = Shrink(std::move(result.smallest), interesting, value_of, left);
      shrunk.tries += result.tries;
    }
    shrunk.after = SizeOf(result.smallest);
    shrunk.item = Wrap(result.smallest);
    ANECHECK_RETURN_IF_ERROR(SpellCase(shrunk.item));
    Result<AnsweredCase> answer = AskAtEnd(shrunk.item, options);
    if (!answer.ok()) {
      // The small case is still returned, because finding it may have taken hours.
      shrunk.unanswered = answer.error().message;
      shrunk.outcome.shown = Outcome({.verdict = finding_.verdict, .message = shrunk.unanswered});
      return shrunk;
    }
    shrunk.outcome = std::move(answer->outcome);
    if (shrunk.outcome.relation) shrunk.item.relation = shrunk.outcome.relation;
    shrunk.reply = std::move(answer->reply);
    return shrunk;
  }

  Case Wrap(const GraphCase& candidate) {
    Case item = InPlaceOf(finding_.item);
    item.graph = candidate.graph;
    item.inputs = candidate.inputs;
    if (again_) item.again = again_->For(item.graph);
    item.relation = relation_;
    // SpellCase drops the range if the candidate cannot take it.
    item.range = range_ ? range_->About(item.graph) : finding_.item.range;
    return item;
  }

  // Runs the case. Restarts the process first if its growth decides the verdict, because memory
  // that an earlier candidate left allocated must not count.
  Result<AnsweredCase> Ask(const Case& item) {
    if (ShowsAfterMany(finding_.verdict)) ANECHECK_RETURN_IF_ERROR(runner_.Restart());
    return AnswerAgain(item, finding_.verdict, runner_, evaluation_);
  }

  // Returns the answer to a candidate, or nothing if it cannot be lowered or run.
  std::optional<AnsweredCase> AnswerTo(const GraphCase& candidate) {
    Case item = Wrap(candidate);
    if (!SpellCase(item).ok()) return std::nullopt;
    Result<AnsweredCase> answer = Ask(item);
    if (!answer.ok()) return std::nullopt;
    return std::move(*answer);
  }

 private:
  // Returns the answer to the smallest case. After a stop this is the answer with which the case
  // was accepted, because a case that hangs would take its whole time limit again.
  Result<AnsweredCase> AskAtEnd(const Case& item, const ShrinkOptions& options) {
    if (!IsStopped(options)) {
      Result<AnsweredCase> answer = Ask(item);
      if (answer.ok() || !IsStopped(options)) return answer;
    }
    if (!noted_) return MakeError(ErrorCode::kInterrupted, "interrupted before it had answered");
    return *std::move(noted_);
  }

  std::optional<Tensor> ValueAt(const GraphCase& candidate, ValueId id) {
    if (candidate.graph.type(id).dtype != DType::kFp16) return std::nullopt;
    const Contract& contract = ConformingContract(finding_.item.target.family);
    if (!cut_evaluation_.Run(candidate.graph, candidate.inputs, contract).ok()) {
      return std::nullopt;
    }
    Estimate estimate;
    cut_evaluation_.Stored(id, estimate);
    return RightTensor(estimate);
  }

  // Makes the range simpler as long as the case stays interesting. Returns whether it became
  // simpler.
  bool PlainerRange(const GraphCase& item, const Interesting& interesting,
                    const ShrinkOptions& options, uint64_t& tries) {
    bool any = false;
    for (bool changed = range_.has_value(); changed;) {
      changed = false;
      const FollowingRange before = *range_;
      for (const FollowingRange& candidate : before.Plainer()) {
        if (tries >= options.max_tries || IsStopped(options)) return any;
        ++tries;
        range_ = candidate;
        changed = interesting(item);
        if (changed) break;
        range_ = before;
      }
      any |= changed;
    }
    return any;
  }

  const Artifact& finding_;
  Runner& runner_;
  std::optional<CaseRelation> relation_;
  std::optional<FollowingRange> range_;  // of the candidates
  std::optional<FollowingInputs> again_;
  std::optional<AnsweredCase> noted_;
  Evaluation evaluation_;
  Evaluation cut_evaluation_;
};

// Returns the name of the relation that showed the outcome, or an empty text.
std::string RelationOf(const CaseOutcome& outcome) {
  return outcome.relation ? outcome.relation->name : "";
}

}  // namespace

namespace {

std::string TextOf(Verdict verdict, const DefectSet& defects, std::string_view op) {
  return fmt::format("{}{}{}{}{}", verdict, defects.empty() ? "" : " ", defects.ToText(),
                     op.empty() ? "" : " in ", op);
}

// Returns whether a verdict concerns numbers. With another catalogue of defects, one such verdict
// may become another.
bool IsOfNumbers(Verdict verdict) {
  return verdict == Verdict::kWrong || verdict == Verdict::kUnconfirmed ||
         verdict == Verdict::kOften || verdict == Verdict::kKnownDefect;
}

// Returns whether each of `defects` is among the documented defects that explain the outcome.
bool ShowsDefects(const CaseOutcome& outcome, const DefectSet& defects) {
  return std::ranges::all_of(
      defects, [&](const std::string& id) { return outcome.shown.defects().Has(id); });
}

// Returns whether the outcome shows the finding's documented defects. They may be at any operation,
// because the case may also need a defect at another operation.
bool ShowsRecordedDefect(const Artifact& finding, const CaseOutcome& outcome) {
  return finding.verdict == Verdict::kKnownDefect && !finding.defects.empty() &&
         outcome.verdict() == finding.verdict && ShowsDefects(outcome, finding.defects);
}

// Returns whether a candidate shows the finding. `first` is the signature of the recorded case.
bool ShowsTheSame(const Artifact& finding, const std::string& first, const CaseOutcome& outcome) {
  return ShowsRecordedDefect(finding, outcome) || Signature(outcome) == first;
}

// Returns an error if the case shows another defect than the recorded one, as it may on another
// engine or after a repair. Accepts any outcome of a flaky finding, and a verdict that differs only
// because of another catalogue.
Status IsTheRecordedOne(const Artifact& finding, const CaseOutcome& outcome) {
  const Verdict now = outcome.verdict();
  const bool numbers = IsOfNumbers(now) && IsOfNumbers(finding.verdict);
  const bool same_op = finding.op.empty() || !numbers || finding.op == outcome.shown.op();
  const bool same_defect = finding.verdict != now || ShowsDefects(outcome, finding.defects);
  const bool same_verdict = finding.verdict == now || numbers;
  if (finding.verdict == Verdict::kFlaky || ShowsRecordedDefect(finding, outcome)) return {};
  if (same_verdict && same_defect && same_op) return {};
  return MakeError(
      ErrorCode::kInvalid,
      fmt::format("finding {}: the recorded verdict is {}, now it is {}: another defect; run the "
                  "campaign again to find that one, or name a condition with --if",
                  finding.id, TextOf(finding.verdict, finding.defects, finding.op),
                  TextOf(now, outcome.shown.defects(), outcome.shown.op())));
}

}  // namespace

Result<ShrunkFinding> ShrinkFinding(const Artifact& finding, Runner& runner,
                                    const ShrinkOptions& options) {
  if (finding.verdict == Verdict::kBiased) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("finding {}: only many cases together show a bias, so that one "
                                 "small case proves nothing; name a condition with --if",
                                 finding.id));
  }
  FindingShrinker shrinker(finding, runner);
  std::optional<AnsweredCase> first = shrinker.AnswerTo({finding.item.graph, finding.item.inputs});
  if (!first || !IsSuspect(first->outcome.verdict())) {
    if (IsStopped(options)) return InterruptedAtFirst(finding);
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("finding {}: the recorded verdict is {}, now it is {}; only a finding that "
                    "still shows can be shrunk",
                    finding.id, finding.verdict,
                    first ? ToText(first->outcome.verdict()) : "that it cannot be run"));
  }
  ANECHECK_RETURN_IF_ERROR(IsTheRecordedOne(finding, first->outcome));
  std::string wanted = Signature(first->outcome);
  // The recorded case may be too large to show which operation is wrong. All later candidates must
  // show the operation that the first smaller case shows.
  bool of_any = first->outcome.verdict() == Verdict::kWrong && first->outcome.shown.op().empty();
  const std::string relation = RelationOf(first->outcome);
  if (first->outcome.relation) shrinker.Keep(first->outcome.relation);
  shrinker.Note(*std::move(first));
  if (!finding.item.again.empty()) {
    Artifact same = finding;
    same.item.again.clear();
    FindingShrinker plainer(same, runner);
    std::optional<AnsweredCase> answer =
        plainer.AnswerTo({finding.item.graph, finding.item.inputs});
    if (answer && ShowsTheSame(finding, wanted, answer->outcome)) {
      shrinker.TakeTheSameAgain();
      shrinker.Note(*std::move(answer));
    }
  }
  const Interesting interesting = [&](const GraphCase& candidate) {
    std::optional<AnsweredCase> answer = shrinker.AnswerTo(candidate);
    if (!answer) return false;
    const bool found = of_any && answer->outcome.verdict() == Verdict::kWrong;
    if (!found && !ShowsTheSame(finding, wanted, answer->outcome)) return false;
    if (RelationOf(answer->outcome) != relation) return false;
    if (found && !answer->outcome.shown.op().empty()) {
      wanted = Signature(answer->outcome);
      of_any = false;
    }
    shrinker.Note(*std::move(answer));
    return true;
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
    outcome.shown = Outcome({.verdict = finding.verdict});
    const auto json = ArtifactToJson(finding.options, identity, item, outcome, {}, finding.id);
    return WriteFileAtomic(path, json.dump()).ok() && predicate(path);
  };
  if (!interesting({finding.item.graph, finding.item.inputs})) {
    if (IsStopped(options)) return InterruptedAtFirst(finding);
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("finding {}: the command does not accept the finding itself", finding.id));
  }
  return shrinker.Run(interesting, options);
}

}  // namespace anecheck
