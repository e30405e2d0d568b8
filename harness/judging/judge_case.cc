#include "harness/judging/judge_case.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

#include "harness/base/hash.h"
#include "harness/cases/execution.h"
#include "harness/cases/rejected_graph.h"
#include "harness/graph/fingerprint.h"
#include "harness/judging/against.h"
#include "harness/judging/compiled_plan.h"
#include "harness/judging/cpu_run.h"
#include "harness/judging/masked_message.h"
#include "harness/judging/relation.h"
#include "harness/runners/analytics.h"
#include "harness/targets/catalog.h"
#include "oracles/admitted_element.h"
#include "oracles/defect_search.h"
#include "oracles/judge.h"
#include "oracles/judge_pairs.h"

namespace anecheck {
namespace {

std::string ProducerOf(const Graph& graph, ValueId value) {
  const Value& info = graph.value(value);
  if (info.kind != ValueKind::kResult) return "";
  return std::string(graph.node(info.producer).schema->name);
}

// Returns the operation to charge for a failure: the only operation of the graph. If there are
// several, none is charged until each was tried alone (isolate.h).
std::string OnlyOperation(const Graph& graph) {
  return graph.nodes().size() == 1 ? std::string(graph.nodes().front().schema->name) : "";
}

// Returns the operations of the graph that a plan places on the engine and nowhere else.
std::bitset<kOpCount> PlannedOps(const Graph& graph, std::span<const PlannedOp> plan) {
  std::bitset<kOpCount> there, elsewhere;
  for (const PlannedOp& planned : plan) {
    const OpDefinition* op = FindOp(planned.op);
    if (op != nullptr) (planned.device == Device::kAne ? there : elsewhere).set(op->schema.id);
  }
  return there & ~elsewhere & OpsOf(graph);
}

// Returns the outcome before any value is judged.
CaseOutcome Begin(const Case& item, const RunReply& reply) {
  CaseOutcome outcome;
  outcome.target = item.target.name;
  outcome.status = reply.status;
  outcome.step = reply.step;
  outcome.backend = reply.backend;
  outcome.proof = reply.proof;
  outcome.planned = PlannedOps(item.graph, reply.plan);
  outcome.compile_us = reply.compile_us;
  outcome.run_us = reply.run_us;
  outcome.refused_op = reply.refused_op;
  outcome.reason = reply.reason;
  // An engine that lacks a kernel shows nothing about engines that have it.
  const Verdict verdict = reply.no_kernel ? Verdict::kInconclusive : VerdictOf(reply.status);
  outcome.shown = Outcome({.verdict = verdict, .message = reply.message});
  return outcome;
}

// If the case passed so far, sets its message to the reason of the first output that has one, which
// is a difference from the CPU's output.
void NoteCpu(CaseOutcome& outcome) {
  if (outcome.verdict() != Verdict::kPass) return;
  for (const OutputVerdict& output : outcome.outputs) {
    if (output.reason.empty()) continue;
    outcome.shown = Outcome({.message = output.reason});
    return;
  }
}

// Compares outputs that are right individually with each other.
void JudgePairs(const Case& item, const RunReply& reply, Evaluation& evaluation, bool evaluated,
                CaseOutcome& outcome) {
  if (IsSuspect(outcome.verdict())) return;
  const Contract& contract = ConformingContract(item.target.family);
  if (!HasPairs(item.graph)) return;
  if (!evaluated && !evaluation.Run(item.graph, item.inputs, contract).ok()) return;
  const auto found = FindUnpaired(item.graph, reply.outputs, contract, evaluation);
  if (!found) return;
  outcome.unpaired = true;
  outcome.shown.Worsen({.verdict = Verdict::kWrong,
                        .message = found->reason,
                        .op = ProducerOf(item.graph, item.graph.outputs()[found->output])});
  outcome.outputs[found->output].verdict = Verdict::kWrong;
  outcome.outputs[found->output].reason = found->reason;
}

bool HasRightValues(const Estimate& expected, const Tensor& actual) {
  const auto size = static_cast<size_t>(expected.type.ByteSize());
  if (actual.type != expected.type || actual.bytes.size() != size) return false;
  std::vector<double> elements(expected.value.size());
  DecodeElements(actual.type.dtype, actual.bytes, elements);
  return AdmitsEvery(expected, elements);
}

// If each wrong output has the right values of another wrong output, the program exchanged its
// outputs, and no operation is charged. Results of one operation do not count, as that operation
// may have exchanged them.
void JudgeExchange(const Case& item, const RunReply& reply, const Evaluation& evaluation,
                   std::span<const Estimate> known, CaseOutcome& outcome) {
  const Graph& graph = item.graph;
  const auto outputs = graph.outputs();
  std::vector<size_t> wrong;
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    if (outcome.outputs[i].verdict == Verdict::kWrong) wrong.push_back(i);
  }
  const auto is_right = [&](size_t i, const Tensor& actual) {
    if (!known.empty()) return HasRightValues(known[i], actual);
    Estimate expected;
    evaluation.Stored(outputs[i], expected);
    return HasRightValues(expected, actual);
  };
  size_t place = 0;  // of the first wrong output's values
  for (const size_t i : wrong) {
    const auto other = std::ranges::find_if(wrong, [&](size_t j) {
      return graph.value(outputs[i]).producer != graph.value(outputs[j]).producer &&
             is_right(j, reply.outputs[i]) && is_right(i, reply.outputs[j]);
    });
    if (other == wrong.end()) return;
    if (i == wrong[0]) place = *other;
  }
  if (wrong.empty() || outcome.verdict() != Verdict::kWrong) return;
  const auto name = [&](size_t i) { return graph.value(outputs[i]).name; };
  outcome.unpaired = true;
  outcome.shown =
      Outcome({.verdict = outcome.verdict(),
               .message = fmt::format("outputs {} and {} have the right values of each other",
                                      name(wrong[0]), name(place)),
               .deviation = "exchanged"});
}

void JudgeOutputs(const Case& item, const RunReply& reply, Evaluation& evaluation,
                  std::span<const Estimate> known, CaseOutcome& outcome) {
  const Status evaluated = known.empty() ? evaluation.Run(item.graph, item.inputs,
                                                          ConformingContract(item.target.family))
                                         : Status();
  if (!evaluated.ok()) {
    outcome.shown.Worsen({.verdict = Verdict::kInconclusive, .message = evaluated.error().message});
    return;
  }
  Estimate stored;
  const CpuRun beside(item.graph, item.inputs, reply.outputs, reply.cpu_outputs);
  const auto outputs = item.graph.outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (i >= reply.outputs.size()) {
      outcome.shown.Worsen({.verdict = Verdict::kGarbled,
                            .message = fmt::format("output {} is missing from the reply", i)});
      return;
    }
    if (known.empty()) evaluation.Stored(outputs[i], stored);
    const Estimate& expected = known.empty() ? stored : known[i];
    const OutputJudgement judged = Judge(item.graph, item.inputs, i, expected, reply.outputs[i],
                                         item.target.family, evaluation.threads());
    OutputVerdict output;
    output.op = ProducerOf(item.graph, outputs[i]);
    output.verdict = judged.verdict;
    output.elements = judged.elements;
    output.outside = judged.outside;
    output.worst_ulp = judged.worst_ulp;
    output.defects = judged.defects;
    output.reason = beside.Beside(i, judged);
    outcome.histograms.push_back(judged.ulp_histogram);
    outcome.widths.push_back(judged.widths);
    const bool measurable =
        reply.outputs[i].type == expected.type &&
        reply.outputs[i].bytes.size() == static_cast<size_t>(expected.type.ByteSize());
    const bool tested = measurable && judged.verdict == Verdict::kPass &&
                        IsTested(item.graph, i, item.target.family);
    OutputLean& lean = outcome.leans.emplace_back();
    outcome.errors.push_back(tested       ? MeasureOutput(expected, reply.outputs[i], lean)
                             : measurable ? MeasureOutput(expected, reply.outputs[i])
                                          : OutputErrors{});
    outcome.shown.Worsen({.verdict = judged.verdict,
                          .message = output.reason,
                          .op = output.op,
                          .defects = judged.defects,
                          .deviation = DeviationName(judged.deviation)});
    if (judged.vague) outcome.vague.push_back(i);
    if (judged.verdict == Verdict::kKnownDefect) outcome.explained += judged.outside;
    outcome.outputs.push_back(std::move(output));
  }
  JudgeExchange(item, reply, evaluation, known, outcome);
  JudgePairs(item, reply, evaluation, known.empty(), outcome);
}

// A further execution of the program: the graph and the inputs that give its outputs, and the
// engine's outputs.
struct FurtherRun {
  std::string where;
  const Graph& graph;
  std::span<const Tensor> inputs;
  const std::vector<Tensor>& outputs;
  Execution execution;
  // Set if the inputs were not searched for outputs that can be judged. An output that cannot be
  // judged is then no reason for a worse verdict.
  bool by_chance = false;

  bool has_other_inputs() const { return by_chance || execution.shape; }
};

// Judges a further run. Its verdict counts if it is worse.
void JudgeFurtherRun(const FurtherRun& run, int family, Evaluation& evaluation,
                     CaseOutcome& outcome) {
  const auto take = [&](Verdict verdict, const std::string& why, ValueId output,
                        const DefectSet& defects = {}, std::string_view deviation = {}) {
    if (run.by_chance && verdict == Verdict::kInconclusive) return false;
    const bool worse = outcome.shown.Worsen({.verdict = verdict,
                                             .message = fmt::format("{}: {}", run.where, why),
                                             .op = ProducerOf(run.graph, output),
                                             .defects = defects,
                                             .deviation = deviation});
    if (worse) outcome.execution = run.execution;
    return worse;
  };
  const auto ids = run.graph.outputs();
  const Status evaluated = evaluation.Run(run.graph, run.inputs, ConformingContract(family));
  if (!evaluated.ok()) {
    take(Verdict::kInconclusive, evaluated.error().message, ids[0]);
    return;
  }
  Estimate expected;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i >= run.outputs.size()) {
      take(Verdict::kGarbled, fmt::format("output {} is missing from the reply", i), ids[i]);
      return;
    }
    evaluation.Stored(ids[i], expected);
    const OutputJudgement judged =
        Judge(run.graph, run.inputs, i, expected, run.outputs[i], family, evaluation.threads());
    outcome.vague_further |= judged.vague;
    const bool known = judged.verdict == Verdict::kKnownDefect;
    if (known && run.has_other_inputs()) outcome.explained += judged.outside;
    const std::string_view deviation = DeviationName(judged.deviation);
    if (!take(judged.verdict, judged.reason, ids[i], judged.defects, deviation)) continue;
    if (judged.defects.empty()) continue;
    const NodeId first = FirstToDepart(run.graph, run.inputs, family, judged.defects);
    if (first != kNoNode) outcome.shown.Charge(std::string(run.graph.node(first).schema->name));
  }
}

void JudgeFurther(const Case& item, const RunReply& reply, Evaluation& evaluation,
                  CaseOutcome& outcome) {
  for (const Execution& execution : FurtherExecutions(item, reply)) {
    const std::string where = WhereIs(item, execution);
    if (execution.shape) {
      const RunShape& shape = item.further[*execution.shape];
      JudgeFurtherRun(
          {where, shape.graph, shape.inputs, OutputsOf(item, reply, execution), execution},
          item.target.family, evaluation, outcome);
      continue;
    }
    const Case own = CaseOf(item, execution);
    JudgeFurtherRun({where, own.graph, own.inputs, OutputsOf(item, reply, execution), execution,
                     !item.again.empty()},
                    item.target.family, evaluation, outcome);
    // The first execution was right, so the state that it left, or the reading of that state, is
    // wrong.
    const std::string reader = ReaderOfState(item.graph);
    const bool explained = !outcome.shown.defects().empty();
    if (outcome.of_second_run() && !explained && !reader.empty()) outcome.shown.Charge(reader);
  }
  const size_t first = GivesSecond(RequestOf(item)) ? 1 : 0;
  const size_t made = reply.further.size(), wanted = first + item.further.size();
  if (item.further.empty() || made >= wanted) return;
  outcome.shown.Worsen(
      {.verdict = Verdict::kInconclusive,
       .message = fmt::format("the runner ran at {} of the {} shapes of the range",
                              made < first ? 1 : made - first + 1, item.further.size() + 1)});
}

// Compares the files that the compiler wrote with the plan.
void JudgeFiles(const Case& item, const RunReply& reply, CaseOutcome& outcome) {
  if (!reply.files || item.route != Route::kMil || outcome.verdict() >= Verdict::kFailed) return;
  std::string difference = CompareEngineFiles(
      item.graph, item.target.name, {reply.files->descriptor, reply.files->container, {}});
  if (difference.empty()) return;
  outcome.shown.Worsen({.verdict = Verdict::kFailed,
                        .message = std::move(difference),
                        .op = LastProducer(item.graph)});
  outcome.step = Step::kFiles;
}

// Judges the engine's side effects.
void JudgeConduct(const Case& item, const RunReply& reply, CaseOutcome& outcome) {
  const auto outputs = item.graph.outputs();
  for (const Misconduct& misconduct : reply.misconduct) {
    const bool of_values = misconduct.verdict == Verdict::kNotRepeatable;
    const size_t last = outputs.size() - 1;
    const ValueId output = outputs[of_values ? std::min<size_t>(misconduct.output, last) : last];
    outcome.shown.Worsen({.verdict = misconduct.verdict,
                          .message = misconduct.message,
                          .op = ProducerOf(item.graph, output)});
  }
}

// Returns the words of a message, which are runs of three letters or more, in lower case. Leaves
// out numbers, because they depend on the case.
std::set<std::string> WordsOf(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    if (low >= 'a' && low <= 'z') {
      word += low;
      continue;
    }
    if (word.size() >= 3) words.insert(word);
    word.clear();
  }
  if (word.size() >= 3) words.insert(word);
  return words;
}

// Returns whether a message contains at least half of the words of a known wording.
bool Says(std::string_view message, std::string_view wording) {
  const std::set<std::string> said = WordsOf(message), words = WordsOf(wording);
  const auto shared = std::ranges::count_if(words, [&](const auto& w) { return said.contains(w); });
  return 2 * static_cast<size_t>(shared) >= words.size();
}

// Returns whether the wording of a refusal fits the rule. Any wording fits if no source quotes the
// layer's message. An empty message of an external program fits too, because the stage that the
// program names decides.
bool SpeaksOf(std::string_view message, const legality::LayerVerdict& rule) {
  constexpr std::string_view kOwnWords = "(own words";
  if (message.empty() || rule.reason.find(kOwnWords) != std::string::npos) return true;
  return Says(message, rule.reason) ||
         std::ranges::any_of(rule.others, [&](const legality::OtherReading& other) {
           return Says(message, other.says);
         });
}

// Returns whether a refusal at `step` (harness/runners/PROTOCOL.md) can be due to a rule of
// `layer`. The step must name that layer or no layer.
bool SpeaksFor(Step step, legality::Layer layer) {
  using legality::Layer;
  constexpr std::pair<Step, Layer> kLayers[] = {
      {Step::kFrontend, Layer::kFrontEnd},      {Step::kFloor, Layer::kMinimumFamily},
      {Step::kHal, Layer::kCapability},         {Step::kValidator, Layer::kValidator},
      {Step::kCodegen, Layer::kCodeGeneration}, {Step::kCodegen, Layer::kKernelMemory}};
  bool named = step == Step::kLoad || step == Step::kParser;
  for (const auto& [at, of] : kLayers) {
    if (at == step && of == layer) return true;
    named |= at == step;
  }
  return !named;
}

// Judges a graph that breaks a rule. It passes if the engine refused it for that rule. Values do
// not count.
ShownVerdict JudgeRefusal(const Case& item, const RunReply& reply) {
  const bool refused = reply.status == RunStatus::kRejected;
  const auto shown = [&](Verdict verdict, std::string why) {
    return ShownVerdict{.verdict = verdict,
                        .message = std::move(why),
                        .op = refused ? "" : LastProducer(item.graph)};
  };
  const auto inconclusive = [&](std::string why) {
    return shown(Verdict::kInconclusive, std::move(why));
  };
  if (!refused && reply.status != RunStatus::kOk) {
    return shown(VerdictOf(reply.status), reply.message);
  }
  const auto target = FindTarget(item.target.name);
  if (!target.ok()) return inconclusive(target.error().message);
  const auto rules = RefusingRules(item.graph, **target);
  if (!rules.ok()) return inconclusive(rules.error().message);
  // A shrunk case may have become legal, and then it shows nothing.
  if (rules->empty()) {
    return inconclusive("the graph breaks no rule, so that nothing must refuse it");
  }
  bool at_step = false, in_words = false;
  std::vector<std::string_view> names;
  for (const auto& [rule, verdict] : *rules) {
    const bool speaks = SpeaksFor(reply.step, verdict.layer);
    at_step |= speaks;
    in_words |= speaks && SpeaksOf(reply.message, verdict);
    names.push_back(rule);
  }
  if (!refused) {
    return shown(Verdict::kAccepted,
                 fmt::format("breaks {} and was not refused", fmt::join(names, ", ")));
  }
  if (reply.no_kernel) {
    return inconclusive("refused because the engine lacks an operation: " + reply.message);
  }
  if (!at_step) {
    return inconclusive(
        fmt::format("breaks {}, and was refused at {}, where no such rule is held: {}",
                    fmt::join(names, ", "), reply.step, reply.message));
  }
  if (!in_words) {
    return inconclusive(
        fmt::format("breaks {}, and was refused in words that do not speak of it: {}",
                    fmt::join(names, ", "), reply.message));
  }
  return shown(Verdict::kPass, reply.message);
}

}  // namespace

void JudgeBeside(const Case& item, const RunReply& reply, CaseOutcome& outcome) {
  JudgeFiles(item, reply, outcome);
  JudgeConduct(item, reply, outcome);
}

std::bitset<kOpCount> OpsOf(const Graph& graph) {
  std::bitset<kOpCount> ops;
  for (const Node& node : graph.nodes()) ops.set(node.schema->id);
  return ops;
}

std::string Signature(const CaseOutcome& outcome) {
  const Verdict verdict = outcome.verdict();
  const Outcome& shown = outcome.shown;
  if (verdict == Verdict::kKnownDefect) {
    return fmt::format("{}|{}|{}", verdict, shown.defects().ToText(), outcome.target);
  }
  constexpr Verdict kOfValues[] = {Verdict::kWrong,  Verdict::kUnconfirmed,
                                   Verdict::kOften,  Verdict::kNotRepeatable,
                                   Verdict::kBiased, Verdict::kDiffers};
  if (std::ranges::find(kOfValues, verdict) != std::end(kOfValues)) {
    const auto part = [](std::string_view word) {
      return word.empty() ? std::string() : fmt::format("|{}", word);
    };
    // Two defects of one operation usually make its values wrong in different ways.
    const std::string_view deviation = verdict == Verdict::kWrong ? shown.deviation() : "";
    return fmt::format("{}|{}|{}{}{}", verdict, shown.op(), outcome.target, part(deviation),
                       part(outcome.apart));
  }
  // Leaves out the parts that are specific to the case: numbers in an engine's message, text that
  // the engine printed, and values of a run that should not have happened.
  const char end = verdict == Verdict::kStrayOutput ? ':'
                   : verdict == Verdict::kMisplaced ? ';'
                                                    : 0;
  std::string message = shown.message();
  if (outcome.relation) {
    const std::string place = PlaceOf(*outcome.relation);
    const size_t at = message.find(place);
    if (at != std::string::npos) message.replace(at, place.size(), outcome.relation->name);
  }
  if (end != 0) message.resize(std::min(message.find(end), message.size()));
  return fmt::format("{}|{}|{}|{}", verdict, outcome.step, outcome.target, MaskedMessage(message));
}

GraphReach ReachOf(const Case& item, const CaseOutcome& outcome) {
  return {item.route,        outcome.status,    outcome.step,   outcome.backend,
          outcome.verdict(), OpsOf(item.graph), outcome.planned};
}

CaseRow RecordOf(const Case& item, const CaseOutcome& outcome) {
  CaseRow record;
  record.index = item.index;
  record.seed = item.seed;
  record.target = item.target.name;
  record.route = item.route;
  record.mode = item.mode;
  record.fingerprint = GraphFingerprint(item.graph);
  record.nodes = static_cast<int64_t>(item.graph.nodes().size());
  record.status = outcome.status;
  record.step = outcome.step;
  record.backend = outcome.backend;
  record.verdict = outcome.verdict();
  record.message = outcome.message();
  record.compile_us = outcome.compile_us;
  record.run_us = outcome.run_us;
  record.outputs = outcome.outputs;
  if (!outcome.reason.empty() && outcome.outputs.empty()) {
    record.outputs.push_back({.op = outcome.refused_op,
                              .verdict = outcome.verdict(),
                              .defects = {},
                              .reason = outcome.reason});
  }
  return record;
}

FindingRow DescribeFinding(const Case& item, const CaseOutcome& outcome) {
  FindingRow finding;
  finding.case_index = item.index;
  finding.op = outcome.shown.op();
  finding.target = item.target.name;
  finding.route = item.route;
  finding.verdict = outcome.verdict();
  finding.defects = outcome.shown.defects();
  finding.signature = Signature(outcome);
  finding.summary = outcome.message();
  return finding;
}

std::string FindingId(std::string_view signature, uint64_t seed) {
  return fmt::format("f{:011x}", Fnv1a(seed ^ Fnv1a::kBasis).Add(signature).value() >> 20);
}

namespace {

std::optional<ShownVerdict> RanElsewhere(const Case& item, std::string_view backend) {
  if (backend == kEngineBackend) return std::nullopt;
  return ShownVerdict{.verdict = Verdict::kMisplaced,
                      .message = fmt::format("asked for the engine, ran on {}", backend),
                      .op = LastProducer(item.graph)};
}

// One operation that is planned on another device is enough, because its result is not the
// engine's. This is no fault if the engine must refuse the graph, because the host may compute
// refused operations.
std::optional<ShownVerdict> PlannedElsewhere(const Case& item, std::span<const PlannedOp> plan) {
  const PlannedOp* const first = FirstElsewhere(plan);
  if (first == nullptr || IsAnyEngine(item.target.family)) return std::nullopt;
  const auto count = std::ranges::count_if(
      plan, [](const PlannedOp& planned) { return planned.device != Device::kAne; });
  const std::string cost =
      first->cost ? fmt::format(", {:.0f} % of the cost", *first->cost * 100) : "";
  const bool refused = item.mode == CaseMode::kMustReject;
  return ShownVerdict{
      .verdict = refused ? Verdict::kInconclusive : Verdict::kMisplaced,
      .message = fmt::format("asked for the engine, the plan puts {} on {}; {} of {} operations "
                             "are not on the engine{}",
                             first->op, first->device, count, plan.size(), cost),
      .op = FindOp(first->op) != nullptr ? first->op : LastProducer(item.graph)};
}

// The device mask requests the engine, so analytics that name another backend prove a silent
// fallback. Right or wrong values that the other backend computed are no evidence about the engine.
void JudgePlacement(const Case& item, const RunReply& reply, CaseOutcome& outcome) {
  if (reply.status != RunStatus::kOk) return;
  std::optional<ShownVerdict> elsewhere = reply.backend.empty() ? PlannedElsewhere(item, reply.plan)
                                                                : RanElsewhere(item, reply.backend);
  if (!elsewhere) return;
  const bool told = outcome.verdict() > elsewhere->verdict;
  if (told && elsewhere->verdict == Verdict::kMisplaced) {
    elsewhere->message += fmt::format("; {} there: {}", outcome.verdict(), outcome.message());
  }
  outcome.shown = Outcome(*std::move(elsewhere));
  outcome.histograms.clear();
  outcome.widths.clear();
  outcome.errors.clear();
  outcome.leans.clear();
}

}  // namespace

std::string LastProducer(const Graph& graph) { return ProducerOf(graph, graph.outputs().back()); }

CaseOutcome JudgeCase(const Case& item, const RunReply& reply, Evaluation& evaluation,
                      std::span<const Estimate> expected) {
  static_assert(kUlpBuckets == OutputJudgement::kHistogramSize);
  CaseOutcome outcome = Begin(item, reply);
  if (item.mode == CaseMode::kMustReject && !reply.verified) {
    outcome.shown = Outcome(JudgeRefusal(item, reply));
    JudgePlacement(item, reply, outcome);
    JudgeConduct(item, reply, outcome);
    return outcome;
  }
  if (reply.status != RunStatus::kOk) {
    outcome.shown.Charge(OnlyOperation(item.graph));
    JudgeConduct(item, reply, outcome);
    return outcome;
  }
  outcome.verified = reply.verified;
  if (reply.verified) return outcome;
  JudgeOutputs(item, reply, evaluation, expected, outcome);
  NoteCpu(outcome);
  JudgeFurther(item, reply, evaluation, outcome);
  JudgeFiles(item, reply, outcome);
  JudgeOther(item, reply, outcome);
  JudgePlacement(item, reply, outcome);
  JudgeConduct(item, reply, outcome);
  return outcome;
}

}  // namespace anecheck
