#include "harness/campaign/relation.h"

#include <fmt/format.h>

#include "harness/lowering/graph_to_netlist.h"
#include "oracles/metamorphic/relation.h"

namespace anecheck {
namespace {

// The same case with the rewritten graph; judged as a plain one, without a relation of its own.
Result<Case> Partner(const Case& item, const Rewritten& rewritten) {
  Case partner = item;
  partner.graph = rewritten.graph;
  partner.mode = CaseMode::kFloat;
  partner.movement = {};
  if (rewritten.relation->direct) partner.route = "netlist";
  ANECHECK_RETURN_IF_ERROR(SpellCase(partner));
  return partner;
}

std::string Place(const Rewritten& rewritten) {
  return fmt::format("{} at {}", rewritten.relation->name,
                     rewritten.site.empty() ? "-" : rewritten.site);
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

Status Inconclusive(CaseOutcome& outcome, std::string why) {
  outcome.record.verdict = "inconclusive";
  outcome.record.message = std::move(why);
  return {};
}

Status Compare(const Case& item, const Case& partner, const Rewritten& rewritten,
               const RunReply& reply, const RunReply& other, Evaluation& evaluation,
               CaseOutcome& outcome) {
  const Contract& contract = ConformingContract(item.target.family);
  const auto expected = Evaluate(item.graph, item.inputs, contract);
  if (!expected.ok()) return Inconclusive(outcome, expected.error().message);
  const Status evaluated = evaluation.Run(partner.graph, partner.inputs, contract);
  if (!evaluated.ok()) {
    return Inconclusive(outcome,
                        fmt::format("with {}: {}", Place(rewritten), evaluated.error().message));
  }
  Estimate estimate;
  for (size_t i = 0; i < expected->size(); ++i) {
    evaluation.Stored(partner.graph.outputs()[i], estimate);
    const auto found = Compare(rewritten.relation->law, (*expected)[i], estimate, reply.outputs[i],
                               other.outputs[i]);
    if (!found) continue;
    outcome.record.verdict = outcome.record.outputs[i].verdict = "wrong";
    outcome.op = rewritten.relation->name;
    outcome.record.message =
        fmt::format("{}: element {} of output {} is {} without it and {} with it", Place(rewritten),
                    found->element, i, found->original, found->rewritten);
    outcome.record.outputs[i].reason = outcome.record.message;
    return {};
  }
  return {};
}

}  // namespace

Status JudgeRelation(const Case& item, const RunReply& reply, Runner& runner,
                     Evaluation& evaluation, CaseOutcome& outcome) {
  if (outcome.record.verdict != "pass" || outcome.verified || reply.outputs.empty()) return {};
  const Rewritten rewritten = Rewrite(item.graph, item.seed, RunsDirectly(item, runner));
  if (rewritten.relation == nullptr) {
    return Inconclusive(outcome, "no metamorphic relation applies to the graph");
  }
  const Result<Case> partner = Partner(item, rewritten);
  if (!partner.ok()) {
    return Inconclusive(outcome, fmt::format("with {} the graph cannot be written: {}",
                                             Place(rewritten), partner.error().message));
  }
  const RunRequest request = RequestOf(*partner);
  ANECHECK_ASSIGN(const std::vector<RunReply> replies, runner.Run({&request, 1}));
  CaseOutcome other = JudgeCase(*partner, partner->route, replies[0], evaluation);
  ANECHECK_RETURN_IF_ERROR(Refine(*partner, replies[0], runner, evaluation, other));
  if (other.record.verdict != "pass" && other.record.verdict != "inconclusive") {
    outcome.record.verdict = other.record.verdict;
    outcome.record.stage = other.record.stage;
    outcome.record.message = fmt::format("with {}: {}", Place(rewritten), other.record.message);
    outcome.known_defect = other.known_defect;
    outcome.op = other.op;
    return {};
  }
  if (replies[0].outputs.size() < reply.outputs.size()) {
    return Inconclusive(outcome, fmt::format("with {} there are no outputs to compare: {}",
                                             Place(rewritten), other.record.message));
  }
  return Compare(item, *partner, rewritten, reply, replies[0], evaluation, outcome);
}

}  // namespace anecheck
