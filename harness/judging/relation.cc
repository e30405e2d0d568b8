#include "harness/judging/relation.h"

#include <algorithm>
#include <bitset>
#include <fmt/format.h>

#include "harness/lowering/graph_to_netlist.h"
#include "harness/targets/catalog.h"
#include "oracles/contract.h"
#include "oracles/legality/instance.h"
#include "oracles/legality/legality.h"

namespace anecheck {
namespace {

// Returns the case with the rewritten graph in place of its own. It is judged as a plain case,
// without a relation.
Result<Case> Partner(const Case& item, const Rewritten& rewritten) {
  Case partner = item;
  partner.graph = rewritten.graph;
  partner.mode = CaseMode::kFloat;
  partner.sensitivity = {};
  partner.relation.reset();
  if (rewritten.relation->direct) partner.route = Route::kNetlist;
  ANECHECK_RETURN_IF_ERROR(SpellCase(partner));
  return partner;
}

// Returns whether the case can also be run as a network description. An external program may
// support MIL text only.
bool RunsDirectly(const Case& item, Runner& runner) {
  if (item.route != Route::kMil) return false;
  const Result<RunnerIdentity> identity = runner.Identify();
  const bool engine = identity.ok() && (identity->provenance == Provenance::kSimulated ||
                                        identity->provenance == Provenance::kSilicon);
  return engine && GraphToNetlist(item.graph).ok();
}

// The rule for operations that only compilers make, and that no program can name.
constexpr std::string_view kNoOperationOfAProgram = "inside_the_compiler";

// Returns whether a layer refuses the operation on the conversion route.
bool IsRefused(const NodeView& node, const Target& target) {
  const auto verdict = legality::Judge(legality::InstanceOf(node), target, Route::kMil);
  return !verdict.ok() ||
         std::ranges::any_of(verdict->layers, [](const legality::LayerVerdict& layer) {
           return layer.ruling == legality::Ruling::kReject || layer.rule == kNoOperationOfAProgram;
         });
}

// Returns whether the relation added the operation. The original then has no value with the name of
// its first result.
bool IsAdded(const Graph& original, const Graph& rewritten, const Node& node) {
  return node.result_count > 0 &&
         !original.FindValue(rewritten.value(node.first_result).name).has_value();
}

// Returns whether the target admits all added operations. It admits those of the original.
bool AdmitsOthers(const Graph& original, const Graph& rewritten, const Target& target) {
  return std::ranges::none_of(rewritten.nodes(), [&](const Node& node) {
    return IsAdded(original, rewritten, node) && IsRefused(NodeView(rewritten, node), target);
  });
}

std::bitset<kOpCount> AddedOps(const Graph& original, const Graph& rewritten) {
  std::bitset<kOpCount> ops;
  for (const Node& node : rewritten.nodes()) {
    if (IsAdded(original, rewritten, node)) ops.set(node.schema->id);
  }
  return ops;
}

// Returns whether a text contains the name as a separate word.
bool Names(std::string_view text, std::string_view name) {
  const auto of_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (size_t at = 0; (at = text.find(name, at)) != std::string_view::npos; ++at) {
    const size_t end = at + name.size();
    const bool begins = at == 0 || !of_word(text[at - 1]);
    if (begins && (end == text.size() || !of_word(text[end]))) return true;
  }
  return false;
}

// Returns the operation that kept a rewritten graph from running on the engine, although the
// original ran there. It is the added operation that the message names, or else the first added
// operation.
std::string WhatStopped(const Case& item, const Case& partner, const CaseOutcome& other) {
  std::string first;
  for (const Node& node : partner.graph.nodes()) {
    if (!IsAdded(item.graph, partner.graph, node)) continue;
    if (Names(other.message(), node.schema->name)) return std::string(node.schema->name);
    if (first.empty()) first = node.schema->name;
  }
  return first.empty() ? other.shown.op() : first;
}

// Adds the reach of the rewritten graph to that of the original, which passed. On one route, each
// operation counts for one graph only.
void AddReach(const Case& item, const Case& partner, const CaseOutcome& other,
              CaseOutcome& outcome) {
  std::bitset<kOpCount> ops = AddedOps(item.graph, partner.graph);
  if (ops.none()) ops = OpsOf(partner.graph);
  // If the error is located at an operation of the original, adds that operation.
  if (!other.shown.node().empty()) {
    const auto id = partner.graph.FindValue(other.shown.node());
    if (id) ops.set(partner.graph.node(partner.graph.value(*id).producer).schema->id);
  }
  GraphReach& own = outcome.reached.front();
  if (own.route == partner.route) own.ops &= ~ops;
  outcome.reached.push_back(ReachOf(partner, other));
  outcome.reached.back().ops = ops;
}

Status Inconclusive(CaseOutcome& outcome, std::string why) {
  outcome.shown.Worsen({.verdict = Verdict::kInconclusive, .message = std::move(why)});
  return {};
}

// Returns the name of the relation for a finding. Adds the operation if the relation rewrites only
// one operation.
std::string NameOf(const Graph& graph, const Rewritten& rewritten) {
  std::string name(rewritten.relation->name);
  const auto site = graph.FindValue(rewritten.site);
  const bool of_one = rewritten.relation->site == RelationSite::kNode && site &&
                      graph.value(*site).kind == ValueKind::kResult;
  if (!of_one) return name;
  return fmt::format("{} of {}", name, graph.node(graph.value(*site).producer).schema->name);
}

Status Compare(const Case& item, const Case& partner, const Rewritten& rewritten,
               const RunReply& reply, const RunReply& other, Evaluation& evaluation,
               CaseOutcome& outcome) {
  const Contract& contract = ConformingContract(item.target.family);
  const auto expected = Evaluate(item.graph, item.inputs, contract);
  if (!expected.ok()) return Inconclusive(outcome, expected.error().message);
  const std::string place = PlaceOf(*outcome.relation);
  const Status evaluated = evaluation.Run(partner.graph, partner.inputs, contract);
  if (!evaluated.ok()) {
    return Inconclusive(outcome, fmt::format("with {}: {}", place, evaluated.error().message));
  }
  Estimate estimate;
  for (size_t i = 0; i < expected->size(); ++i) {
    evaluation.Stored(partner.graph.outputs()[i], estimate);
    const auto found =
        Compare(rewritten.laws[i], (*expected)[i], estimate, reply.outputs[i], other.outputs[i]);
    if (!found) continue;
    outcome.shown.Worsen(
        {.verdict = Verdict::kWrong,
         .message = fmt::format("{}: element {} of output {} is {} without it and {} with it",
                                place, found->element, i, found->original, found->rewritten),
         .op = NameOf(item.graph, rewritten)});
    outcome.reached.back().verdict = Verdict::kWrong;
    outcome.outputs[i].verdict = Verdict::kWrong;
    outcome.outputs[i].reason = outcome.message();
    return {};
  }
  return {};
}

// Judges the outputs of the rewritten graph alone, then compares the outputs of both graphs.
Status JudgeBoth(const Case& item, const Case& partner, const Rewritten& rewritten,
                 const RunReply& reply, const RunReply& other_reply, Runner& runner,
                 Evaluation& evaluation, CaseOutcome& outcome) {
  const std::string place = PlaceOf(*outcome.relation);
  CaseOutcome other = JudgeCase(partner, other_reply, evaluation);
  ANECHECK_RETURN_IF_ERROR(Refine(partner, other_reply, runner, evaluation, other));
  AddReach(item, partner, other, outcome);
  if (IsSuspect(other.verdict())) {
    const bool ran = other.status == RunStatus::kOk;
    const bool stopped = !ran || other.verdict() == Verdict::kMisplaced;
    outcome.shown.Worsen({.verdict = other.verdict(),
                          .message = fmt::format("with {}: {}", place, other.message()),
                          .op = stopped ? WhatStopped(item, partner, other) : other.shown.op(),
                          .defects = other.shown.defects(),
                          .deviation = other.shown.deviation()});
    outcome.step = other.step;
    return {};
  }
  if (other_reply.outputs.size() < reply.outputs.size()) {
    return Inconclusive(outcome, fmt::format("with {} there are no outputs to compare: {}", place,
                                             other.message()));
  }
  return Compare(item, partner, rewritten, reply, other_reply, evaluation, outcome);
}

}  // namespace

std::string PlaceOf(const CaseRelation& relation) {
  return fmt::format("{} at {}", relation.name, relation.site.empty() ? "-" : relation.site);
}

std::optional<Rewritten> RewriteCase(const Case& item, bool direct) {
  const bool any = IsAnyEngine(item.target.family);  // no rule of a chip binds such an engine
  const Result<const Target*> target = FindTarget(any ? "h13" : item.target.name);
  if (!target.ok()) return std::nullopt;
  const GraphFilter admits = [&](const Graph& graph) {
    return any || AdmitsOthers(item.graph, graph, **target);
  };
  if (!item.relation) {
    Rewritten made = Rewrite(item.graph, item.seed, direct, admits);
    return made.relation == nullptr ? std::nullopt : std::optional(std::move(made));
  }
  const Relation* relation = FindRelation(item.relation->name);
  if (relation == nullptr || (relation->direct && !direct)) return std::nullopt;
  return RewriteBy(*relation, item.graph, item.seed, admits, item.relation->site);
}

Status JudgeRelation(const Case& item, const RunReply& reply, Runner& runner,
                     Evaluation& evaluation, CaseOutcome& outcome) {
  if (outcome.verdict() != Verdict::kPass || outcome.verified || reply.outputs.empty()) return {};
  outcome.reached = {ReachOf(item, outcome)};
  const std::optional<Rewritten> rewritten = RewriteCase(item, RunsDirectly(item, runner));
  if (!rewritten) return Inconclusive(outcome, "no metamorphic relation applies to the graph");
  outcome.relation = {std::string(rewritten->relation->name), rewritten->site};
  Result<Case> partner = Partner(item, *rewritten);
  if (!partner.ok()) {
    return Inconclusive(outcome, fmt::format("with {} the graph cannot be written: {}",
                                             PlaceOf(*outcome.relation), partner.error().message));
  }
  const RunRequest request = RequestOf(*partner);
  ANECHECK_ASSIGN(std::vector<RunReply> replies, runner.Run({&request, 1}));
  ANECHECK_RETURN_IF_ERROR(
      JudgeBoth(item, *partner, *rewritten, reply, replies[0], runner, evaluation, outcome));
  if (outcome.verdict() == Verdict::kPass) return {};
  outcome.rewritten = {std::move(partner->graph), std::move(partner->mil),
                       std::move(replies[0].outputs)};
  return {};
}

}  // namespace anecheck
