#include "harness/campaign/judge_case.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <utility>

#include "harness/base/hash.h"
#include "harness/campaign/compiled_plan.h"
#include "harness/campaign/execution.h"
#include "harness/campaign/masked_message.h"
#include "harness/campaign/rejected_graph.h"
#include "harness/campaign/relation.h"
#include "harness/graph/fingerprint.h"
#include "harness/targets/catalog.h"
#include "oracles/defect_search.h"
#include "oracles/judge.h"
#include "oracles/judge_pairs.h"

namespace anecheck {
namespace {

constexpr std::string_view kOrder[] = {"pass",      "inconclusive", "known-defect",   "unconfirmed",
                                       "misplaced", "stray-output", "memory-growth",  "slot-leak",
                                       "accepted",  "rejected",     "failed",         "garbled",
                                       "hung",      "crashed",      "not-repeatable", "wrong"};

std::string ProducerOf(const Graph& graph, ValueId value) {
  const Value& info = graph.value(value);
  if (info.kind != ValueKind::kResult) return "";
  return std::string(graph.node(info.producer).schema->name);
}

CaseRecord Describe(const Case& item, const std::string& route, const RunReply& reply) {
  CaseRecord record;
  record.index = item.index;
  record.seed = item.seed;
  record.target = item.target.name;
  record.route = route;
  record.mode = CaseModeName(item.mode);
  record.fingerprint = GraphFingerprint(item.graph);
  record.nodes = static_cast<int64_t>(item.graph.nodes().size());
  record.status = RunStatusName(reply.status);
  record.stage = reply.stage;
  record.backend = reply.backend;
  record.message = reply.message;
  record.compile_us = reply.compile_us;
  record.run_us = reply.run_us;
  record.verdict = reply.status == RunStatus::kOk       ? "pass"
                   : reply.status == RunStatus::kNotRun ? "inconclusive"
                                                        : record.status;
  return record;
}

// Outputs that were right one by one, held against each other.
void JudgePairs(const Case& item, const RunReply& reply, Evaluation& evaluation, bool evaluated,
                CaseOutcome& outcome) {
  if (VerdictRank(outcome.record.verdict) > VerdictRank("inconclusive")) return;
  const Contract& contract = ConformingContract(item.target.family);
  if (!HasPairs(item.graph)) return;
  if (!evaluated && !evaluation.Run(item.graph, item.inputs, contract).ok()) return;
  const auto found = FindUnpaired(item.graph, reply.outputs, contract, evaluation);
  if (!found) return;
  outcome.unpaired = true;
  outcome.op = ProducerOf(item.graph, item.graph.outputs()[found->output]);
  outcome.record.verdict = "wrong";
  outcome.record.message = found->reason;
  outcome.record.outputs[found->output].verdict = "wrong";
  outcome.record.outputs[found->output].reason = found->reason;
}

void JudgeOutputs(const Case& item, const RunReply& reply, Evaluation& evaluation,
                  std::span<const Estimate> known, CaseOutcome& outcome) {
  CaseRecord& record = outcome.record;
  const Status evaluated = known.empty() ? evaluation.Run(item.graph, item.inputs,
                                                          ConformingContract(item.target.family))
                                         : Status();
  if (!evaluated.ok()) {
    record.verdict = "inconclusive";
    record.message = evaluated.error().message;
    return;
  }
  Estimate stored;
  const auto outputs = item.graph.outputs();
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (i >= reply.outputs.size()) {
      record.verdict = "garbled";
      record.message = fmt::format("output {} is missing from the reply", i);
      return;
    }
    if (known.empty()) evaluation.Stored(outputs[i], stored);
    const Estimate& expected = known.empty() ? stored : known[i];
    const OutputJudgement judged =
        Judge(item.graph, item.inputs, i, expected, reply.outputs[i], item.target.family);
    OutputRecord output;
    output.op = ProducerOf(item.graph, outputs[i]);
    output.verdict = VerdictName(judged.verdict);
    output.elements = judged.elements;
    output.outside = judged.outside;
    output.worst_ulp = judged.worst_ulp;
    output.known_defect = judged.known_defect;
    output.reason = judged.reason;
    outcome.histograms.push_back(judged.ulp_histogram);
    const bool measurable =
        reply.outputs[i].type == expected.type &&
        reply.outputs[i].bytes.size() == static_cast<size_t>(expected.type.ByteSize());
    const bool tested = measurable && judged.verdict == Verdict::kPass &&
                        IsTested(item.graph, i, item.target.family);
    OutputLean& lean = outcome.leans.emplace_back();
    outcome.errors.push_back(tested       ? MeasureOutput(expected, reply.outputs[i], lean)
                             : measurable ? MeasureOutput(expected, reply.outputs[i])
                                          : OutputErrors{});
    if (VerdictRank(output.verdict) > VerdictRank(record.verdict)) {
      record.verdict = output.verdict;
      record.message = judged.reason;
      outcome.known_defect = judged.known_defect;
      outcome.op = output.op;
    }
    if (judged.vague) outcome.vague.push_back(i);
    record.outputs.push_back(std::move(output));
  }
  JudgePairs(item, reply, evaluation, known.empty(), outcome);
}

// One more execution of the program: what computes its outputs, and what it gave.
struct FurtherRun {
  std::string where;
  const Graph& graph;
  std::span<const Tensor> inputs;
  const std::vector<Tensor>& outputs;
  Execution execution;
  // Its inputs were not chosen so that outputs can be judged: that they cannot says nothing.
  bool by_chance = false;
};

// What it shows counts where it is worse.
void JudgeFurtherRun(const FurtherRun& run, int family, Evaluation& evaluation,
                     CaseOutcome& outcome) {
  const auto take = [&](std::string_view verdict, const std::string& why, ValueId output) {
    if (VerdictRank(verdict) <= VerdictRank(outcome.record.verdict)) return false;
    if (run.by_chance && verdict == "inconclusive") return false;
    outcome.record.verdict = verdict;
    outcome.record.message = fmt::format("{}: {}", run.where, why);
    outcome.op = ProducerOf(run.graph, output);
    outcome.known_defect.clear();
    outcome.execution = run.execution;
    return true;
  };
  const auto ids = run.graph.outputs();
  const Status evaluated = evaluation.Run(run.graph, run.inputs, ConformingContract(family));
  if (!evaluated.ok()) {
    take("inconclusive", evaluated.error().message, ids[0]);
    return;
  }
  Estimate expected;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i >= run.outputs.size()) {
      take("garbled", fmt::format("output {} is missing from the reply", i), ids[i]);
      return;
    }
    evaluation.Stored(ids[i], expected);
    const OutputJudgement judged =
        Judge(run.graph, run.inputs, i, expected, run.outputs[i], family);
    outcome.vague_further |= judged.vague;
    if (!take(VerdictName(judged.verdict), judged.reason, ids[i])) continue;
    outcome.known_defect = judged.known_defect;
    if (judged.known_defect.empty()) continue;
    const NodeId first = FirstToDepart(run.graph, run.inputs, family, judged.known_defect);
    if (first != kNoNode) outcome.op = run.graph.node(first).schema->name;
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
    // The first execution was right: what it left, or how that was read, is not.
    const std::string reader = ReaderOfState(item.graph);
    const bool explained = !outcome.known_defect.empty();
    if (outcome.of_second_run() && !explained && !reader.empty()) outcome.op = reader;
  }
  const size_t first = GivesSecond(RequestOf(item)) ? 1 : 0;
  const size_t made = reply.further.size(), wanted = first + item.further.size();
  if (item.further.empty() || made >= wanted || outcome.record.verdict != "pass") return;
  outcome.record.verdict = "inconclusive";
  outcome.record.message =
      fmt::format("the runner ran at {} of the {} shapes of the range",
                  made < first ? 1 : made - first + 1, item.further.size() + 1);
}

// Whether the files that the compiler left are those of the plan.
void JudgeFiles(const Case& item, const RunReply& reply, CaseOutcome& outcome) {
  if (!reply.files || item.route != "mil" ||
      VerdictRank(outcome.record.verdict) >= VerdictRank("failed"))
    return;
  std::string difference = CompareEngineFiles(
      item.graph, item.target.name, {reply.files->descriptor, reply.files->container, {}});
  if (difference.empty()) return;
  outcome.record.verdict = "failed";
  outcome.record.stage = "files";
  outcome.record.message = std::move(difference);
  outcome.op = ProducerOf(item.graph, item.graph.outputs().back());
  outcome.known_defect.clear();
}

// What the engine did besides answering counts where it is worse than the answer.
void JudgeConduct(const Case& item, const RunReply& reply, CaseOutcome& outcome) {
  const auto outputs = item.graph.outputs();
  for (const Misconduct& misconduct : reply.misconduct) {
    const std::string_view verdict = MisconductName(misconduct.kind);
    if (VerdictRank(verdict) <= VerdictRank(outcome.record.verdict)) continue;
    const bool of_values = misconduct.kind == MisconductKind::kNotRepeatable;
    const size_t last = outputs.size() - 1;
    outcome.record.verdict = verdict;
    outcome.record.message = misconduct.message;
    outcome.op = ProducerOf(item.graph,
                            outputs[of_values ? std::min<size_t>(misconduct.output, last) : last]);
    outcome.known_defect.clear();
  }
}

// The simulated engine's own words.
bool LacksOp(const RunReply& reply) {
  return reply.status == RunStatus::kRejected &&
         reply.message.find("the simulated engine has no kernel") != std::string::npos;
}

// Runs of three letters and more, in lower case. Numbers name the case.
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

// Whether a message has at least half of a wording's words.
bool Says(std::string_view message, std::string_view wording) {
  const std::set<std::string> said = WordsOf(message), words = WordsOf(wording);
  const auto shared = std::ranges::count_if(words, [&](const auto& w) { return said.contains(w); });
  return 2 * static_cast<size_t>(shared) >= words.size();
}

// Whether a refusal may be that by the rule as far as its words go. Where no source gives the
// layer's words, any will do; an external program that gives none is taken at its stage.
bool SpeaksOf(std::string_view message, const legality::LayerVerdict& rule) {
  constexpr std::string_view kOwnWords = "(own words";
  if (message.empty() || rule.reason.find(kOwnWords) != std::string::npos) return true;
  return Says(message, rule.reason) ||
         std::ranges::any_of(rule.others, [&](const legality::OtherReading& other) {
           return Says(message, other.says);
         });
}

// The stage that an engine or an external program names for a refusal by `layer`
// (scripts/examples/README.md), or one that names no layer.
bool SpeaksFor(std::string_view stage, legality::Layer layer) {
  using legality::Layer;
  constexpr std::pair<std::string_view, Layer> kStages[] = {
      {"frontend", Layer::kFrontEnd},      {"floor", Layer::kMinimumFamily},
      {"hal", Layer::kCapability},         {"validator", Layer::kValidator},
      {"codegen", Layer::kCodeGeneration}, {"codegen", Layer::kKernelMemory}};
  bool named = stage == "load" || stage == "parser";
  for (const auto& [name, of] : kStages) {
    if (name == stage && of == layer) return true;
    named |= name == stage;
  }
  return !named;
}

// A graph that breaks a rule passes where it is refused for it. Values are no matter.
void JudgeRefusal(const Case& item, const RunReply& reply, CaseOutcome& outcome) {
  CaseRecord& record = outcome.record;
  const bool refused = reply.status == RunStatus::kRejected;
  if (!refused) outcome.op = ProducerOf(item.graph, item.graph.outputs().back());
  if (!refused && reply.status != RunStatus::kOk) return;
  const auto inconclusive = [&](std::string why) {
    record.verdict = "inconclusive";
    record.message = std::move(why);
  };
  const auto target = FindTarget(item.target.name);
  if (!target.ok()) return inconclusive(target.error().message);
  const auto rules = RefusingRules(item.graph, **target);
  if (!rules.ok()) return inconclusive(rules.error().message);
  // A case that somebody made smaller may have become legal, which shows nothing.
  if (rules->empty())
    return inconclusive("the graph breaks no rule, so that nothing must refuse it");
  bool at_stage = false, in_words = false;
  std::vector<std::string_view> names;
  for (const auto& [rule, verdict] : *rules) {
    const bool stage = SpeaksFor(reply.stage, verdict.layer);
    at_stage |= stage;
    in_words |= stage && SpeaksOf(reply.message, verdict);
    names.push_back(rule);
  }
  if (!refused) {
    record.verdict = "accepted";
    record.message = fmt::format("breaks {} and was not refused", fmt::join(names, ", "));
    return;
  }
  record.verdict = "pass";
  if (LacksOp(reply)) {
    inconclusive("refused because the engine lacks an operation: " + reply.message);
  } else if (!at_stage) {
    inconclusive(fmt::format("breaks {}, and was refused at {}, where no such rule is held: {}",
                             fmt::join(names, ", "), reply.stage, reply.message));
  } else if (!in_words) {
    inconclusive(fmt::format("breaks {}, and was refused in words that do not speak of it: {}",
                             fmt::join(names, ", "), reply.message));
  }
}

}  // namespace

size_t VerdictRank(std::string_view verdict) {
  return static_cast<size_t>(std::find(std::begin(kOrder), std::end(kOrder), verdict) -
                             std::begin(kOrder));
}

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
  const CaseRecord& record = outcome.record;
  if (record.verdict == "known-defect") {
    return fmt::format("known-defect|{}|{}", outcome.known_defect, record.target);
  }
  if (record.verdict == "wrong" || record.verdict == "unconfirmed" ||
      record.verdict == "not-repeatable" || record.verdict == "biased") {
    const std::string_view apart = outcome.apart;
    return fmt::format("{}|{}|{}{}{}", record.verdict, outcome.op, record.target,
                       apart.empty() ? "" : "|", apart);
  }
  // Numbers in an engine's message name the case, not the defect, and so does what it printed, and
  // what values it gave where it should not have run.
  const char end = record.verdict == "stray-output" ? ':' : record.verdict == "misplaced" ? ';' : 0;
  std::string message = record.message;
  if (outcome.relation) {
    const std::string place = PlaceOf(*outcome.relation);
    const size_t at = message.find(place);
    if (at != std::string::npos) message.replace(at, place.size(), outcome.relation->name);
  }
  if (end != 0) message.resize(std::min(message.find(end), message.size()));
  return fmt::format("{}|{}|{}|{}", record.verdict, record.stage, record.target,
                     MaskedMessage(message));
}

std::vector<std::string> DefectsOf(const CaseOutcome& outcome) {
  std::vector<std::string> ids;
  const std::string& list = outcome.known_defect;
  for (size_t from = 0; outcome.record.verdict == "known-defect" && from < list.size();) {
    const size_t comma = std::min(list.find(',', from), list.size());
    ids.push_back(list.substr(from, comma - from));
    from = comma + 1;
  }
  return ids;
}

FindingRecord DescribeFinding(const Case& item, const CaseOutcome& outcome) {
  FindingRecord finding;
  finding.case_index = item.index;
  finding.op = outcome.op;
  finding.target = item.target.name;
  finding.route = item.route;
  finding.verdict = outcome.record.verdict;
  finding.known_defect = outcome.known_defect;
  finding.signature = Signature(outcome);
  finding.summary = outcome.record.message;
  return finding;
}

std::string FindingId(std::string_view signature, uint64_t seed) {
  return fmt::format("f{:011x}", Fnv1a(seed ^ Fnv1a::kBasis).Add(signature).value() >> 20);
}

namespace {

// The mask asks for the engine; analytics that name something else prove a silent fallback. What
// the other backend computed is no word of the engine's, whether it is right or wrong.
bool RanElsewhere(const RunReply& reply) {
  return reply.status == RunStatus::kOk && !reply.backend.empty() && reply.backend != "ane";
}

void JudgePlacement(const Case& item, const RunReply& reply, CaseOutcome& outcome) {
  CaseRecord& record = outcome.record;
  if (!RanElsewhere(reply)) return;
  const bool told = VerdictRank(record.verdict) > VerdictRank("misplaced");
  const std::string there =
      told ? fmt::format("; {} there: {}", record.verdict, record.message) : "";
  record.verdict = "misplaced";
  record.message = fmt::format("asked for the engine, ran on {}{}", reply.backend, there);
  outcome.known_defect.clear();
  outcome.op = ProducerOf(item.graph, item.graph.outputs().back());
  outcome.histograms.clear();
  outcome.errors.clear();
  outcome.leans.clear();
}

}  // namespace

CaseOutcome JudgeCase(const Case& item, const std::string& route, const RunReply& reply,
                      Evaluation& evaluation, std::span<const Estimate> expected) {
  static_assert(kUlpBuckets == OutputJudgement::kHistogramSize);
  CaseOutcome outcome;
  outcome.record = Describe(item, route, reply);
  if (item.mode == CaseMode::kMustReject && !reply.verified) {
    JudgeRefusal(item, reply, outcome);
    JudgePlacement(item, reply, outcome);
    JudgeConduct(item, reply, outcome);
    return outcome;
  }
  if (reply.status != RunStatus::kOk) {
    // That says nothing about an engine.
    if (LacksOp(reply)) outcome.record.verdict = "inconclusive";
    outcome.op = ProducerOf(item.graph, item.graph.outputs().back());
    JudgeConduct(item, reply, outcome);
    return outcome;
  }
  outcome.verified = reply.verified;
  if (reply.verified) return outcome;
  JudgeOutputs(item, reply, evaluation, expected, outcome);
  JudgeFurther(item, reply, evaluation, outcome);
  JudgeFiles(item, reply, outcome);
  JudgePlacement(item, reply, outcome);
  JudgeConduct(item, reply, outcome);
  return outcome;
}

}  // namespace anecheck
