#include "harness/campaign/relation.h"

#include <fmt/format.h>

#include "harness/lowering/graph_to_mil.h"
#include "oracles/metamorphic/relation.h"

namespace anecheck {
namespace {

// The same case with the rewritten graph; judged as a plain one, without a relation of its own.
Result<Case> Partner(const Case& item, const Rewritten& rewritten) {
  Case partner = item;
  partner.graph = rewritten.graph;
  partner.mode = CaseMode::kFloat;
  partner.movement = {};
  ANECHECK_ASSIGN(partner.mil, GraphToMil(partner.graph));
  return partner;
}

void Compare(const Case& item, const Case& partner, const Rewritten& rewritten,
             const RunReply& reply, const RunReply& other, Evaluation& evaluation,
             CaseOutcome& outcome) {
  const Contract& contract = ConformingContract(item.target.family);
  const auto expected = Evaluate(item.graph, item.inputs, contract);
  if (!expected.ok() || !evaluation.Run(partner.graph, partner.inputs, contract).ok()) return;
  Estimate estimate;
  for (size_t i = 0; i < expected->size(); ++i) {
    evaluation.Stored(partner.graph.outputs()[i], estimate);
    const auto found = Compare(rewritten.relation->law, (*expected)[i], estimate, reply.outputs[i],
                               other.outputs[i]);
    if (!found) continue;
    outcome.record.verdict = outcome.record.outputs[i].verdict = "wrong";
    outcome.op = rewritten.relation->name;
    outcome.record.message =
        fmt::format("{} at {}: element {} of output {} is {} without it and {} with it",
                    rewritten.relation->name, rewritten.site.empty() ? "-" : rewritten.site,
                    found->element, i, found->original, found->rewritten);
    outcome.record.outputs[i].reason = outcome.record.message;
    return;
  }
}

}  // namespace

void JudgeRelation(const Case& item, const RunReply& reply, Runner& runner, Evaluation& evaluation,
                   CaseOutcome& outcome) {
  if (outcome.record.verdict != "pass" || outcome.verified || reply.outputs.empty()) return;
  const Rewritten rewritten = Rewrite(item.graph, item.seed);
  if (rewritten.relation == nullptr) return;
  const Result<Case> partner = Partner(item, rewritten);
  if (!partner.ok()) return;
  const RunRequest request = {item.index, item.target.name, partner->mil, &partner->graph,
                              partner->inputs};
  const Result<std::vector<RunReply>> replies = runner.Run({&request, 1});
  if (!replies.ok()) return;
  CaseOutcome other = JudgeCase(*partner, outcome.record.route, (*replies)[0], evaluation);
  Refine(*partner, (*replies)[0], runner, evaluation, other);
  if (other.record.verdict != "pass" && other.record.verdict != "inconclusive") {
    outcome.record.verdict = other.record.verdict;
    outcome.record.stage = other.record.stage;
    outcome.record.message =
        fmt::format("with {} at {}: {}", rewritten.relation->name,
                    rewritten.site.empty() ? "-" : rewritten.site, other.record.message);
    outcome.known_defect = other.known_defect;
    outcome.op = other.op;
    outcome.engine_lacks_op = other.engine_lacks_op;
    return;
  }
  if ((*replies)[0].outputs.size() < reply.outputs.size()) return;
  Compare(item, *partner, rewritten, reply, (*replies)[0], evaluation, outcome);
}

}  // namespace anecheck
