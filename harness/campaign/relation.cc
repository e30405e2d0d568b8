#include "harness/campaign/relation.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/lowering/graph_to_netlist.h"
#include "harness/targets/catalog.h"
#include "oracles/legality/instance.h"
#include "oracles/legality/legality.h"

namespace anecheck {
namespace {

// The same case with the rewritten graph; judged as a plain one, without a relation of its own.
Result<Case> Partner(const Case& item, const Rewritten& rewritten) {
  Case partner = item;
  partner.graph = rewritten.graph;
  partner.mode = CaseMode::kFloat;
  partner.movement = {};
  partner.relation.reset();
  if (rewritten.relation->direct) partner.route = "netlist";
  ANECHECK_RETURN_IF_ERROR(SpellCase(partner));
  return partner;
}

// Whether the case can be run as a network description too. Somebody else's program may take MIL
// text alone.
bool RunsDirectly(const Case& item, Runner& runner) {
  if (item.route != "mil") return false;
  const Result<RunnerIdentity> identity = runner.Identify();
  const bool engine = identity.ok() && (identity->provenance == Provenance::kSimulated ||
                                        identity->provenance == Provenance::kSilicon);
  return engine && GraphToNetlist(item.graph).ok();
}

// The rule that speaks of operations which compilers make, and no program names.
constexpr std::string_view kNoOperationOfAProgram = "inside_the_compiler";

// Whether some layer refuses the operation on the conversion route.
bool IsRefused(const NodeView& node, const Target& target) {
  const auto verdict = legality::Judge(legality::InstanceOf(node), target, legality::Route::kMil);
  return !verdict.ok() ||
         std::ranges::any_of(verdict->layers, [](const legality::LayerVerdict& layer) {
           return layer.ruling == legality::Ruling::kReject || layer.rule == kNoOperationOfAProgram;
         });
}

// Operations of the original were drawn to be legal; of the others, which have results of new
// names, none may be refused.
bool AdmitsOthers(const Graph& original, const Graph& rewritten, const Target& target) {
  return std::ranges::none_of(rewritten.nodes(), [&](const Node& node) {
    if (node.result_count == 0) return false;
    const bool known = original.FindValue(rewritten.value(node.first_result).name).has_value();
    return !known && IsRefused(NodeView(rewritten, node), target);
  });
}

Status Inconclusive(CaseOutcome& outcome, std::string why) {
  outcome.record.verdict = "inconclusive";
  outcome.record.message = std::move(why);
  return {};
}

// What is wrong is the relation, of one operation where it rewrites one.
std::string NameOf(const Graph& graph, const Rewritten& rewritten) {
  const std::string name(rewritten.relation->name);
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
    outcome.record.verdict = outcome.record.outputs[i].verdict = "wrong";
    outcome.op = NameOf(item.graph, rewritten);
    outcome.record.message =
        fmt::format("{}: element {} of output {} is {} without it and {} with it", place,
                    found->element, i, found->original, found->rewritten);
    outcome.record.outputs[i].reason = outcome.record.message;
    return {};
  }
  return {};
}

// Judges both graphs' outputs: the rewritten one's by itself, then against each other.
Status JudgeBoth(const Case& item, const Case& partner, const Rewritten& rewritten,
                 const RunReply& reply, const RunReply& other_reply, Runner& runner,
                 Evaluation& evaluation, CaseOutcome& outcome) {
  const std::string place = PlaceOf(*outcome.relation);
  CaseOutcome other = JudgeCase(partner, partner.route, other_reply, evaluation);
  ANECHECK_RETURN_IF_ERROR(Refine(partner, other_reply, runner, evaluation, other));
  if (other.record.verdict != "pass" && other.record.verdict != "inconclusive") {
    outcome.record.verdict = other.record.verdict;
    outcome.record.stage = other.record.stage;
    outcome.record.message = fmt::format("with {}: {}", place, other.record.message);
    outcome.known_defect = other.known_defect;
    outcome.op = other.op;
    return {};
  }
  if (other_reply.outputs.size() < reply.outputs.size()) {
    return Inconclusive(outcome, fmt::format("with {} there are no outputs to compare: {}", place,
                                             other.record.message));
  }
  return Compare(item, partner, rewritten, reply, other_reply, evaluation, outcome);
}

}  // namespace

std::string PlaceOf(const CaseRelation& relation) {
  return fmt::format("{} at {}", relation.name, relation.site.empty() ? "-" : relation.site);
}

std::optional<Rewritten> RewriteCase(const Case& item, bool direct) {
  const Result<const Target*> target = FindTarget(item.target.name);
  if (!target.ok()) return std::nullopt;
  const GraphFilter admits = [&](const Graph& graph) {
    return AdmitsOthers(item.graph, graph, **target);
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
  if (outcome.record.verdict != "pass" || outcome.verified || reply.outputs.empty()) return {};
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
  if (outcome.record.verdict == "pass") return {};
  outcome.rewritten = {std::move(partner->graph), std::move(partner->mil),
                       std::move(replies[0].outputs)};
  return {};
}

}  // namespace anecheck
