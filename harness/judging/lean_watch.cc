#include "harness/judging/lean_watch.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "harness/targets/catalog.h"
#include "oracles/catalogue.h"

namespace anecheck {
namespace {

std::string_view Side(Lean lean) {
  switch (lean) {
    case Lean::kUp:
      return "errors lie above the value";
    case Lean::kDown:
      return "errors lie below the value";
    case Lean::kAway:
      return "errors lie away from zero";
    case Lean::kToward:
      return "errors lie toward zero";
    case Lean::kFills:
      break;
  }
  return "";
}

int64_t Richest(const LeanSums& sums) { return *std::ranges::max_element(sums.capitals); }

bool TiesGoAway(const std::string& target) {
  const auto found = FindTarget(target);
  if (!found.ok() || !(*found)->family().known()) return false;
  const auto family = static_cast<int>((*found)->family().value());
  return std::ranges::any_of(DeparturesInForce(), [family](const Departure& departure) {
    return departure.effect == Effect::kTiesAway && (departure.families >> family & 1) != 0;
  });
}

}  // namespace

double LogOdds(const LeanSums& sums) { return LeanSums::Part(Richest(sums)); }

std::optional<Leaning> LeaningOf(const OperationLeans& leans, const std::string& target) {
  const bool ties_away = TiesGoAway(target);
  std::optional<Leaning> found;
  for (size_t i = 0; i < kLeanCount; ++i) {
    const auto lean = static_cast<Lean>(i);
    // kFills is no finding, because an engine that makes exactly the admitted roundings may have
    // it.
    if (lean == Lean::kFills || !leans[i].Significant()) continue;
    if (ties_away && lean != Lean::kToward) continue;
    if (found && Richest(found->sums) >= Richest(leans[i])) continue;
    found.emplace();
    found->target = target;
    found->lean = lean;
    found->sums = leans[i];
  }
  return found;
}

std::string DescribeLeaning(const Leaning& leaning) {
  const LeanSums& sums = leaning.sums;
  return fmt::format(
      "inside the bound, {}: by {:.3f} of the permitted error in the mean, over {} outputs "
      "(odds 2^{:.0f})",
      Side(leaning.lean), sums.Mean(), sums.outputs, std::floor(LogOdds(sums)));
}

Status LeanWatch::Recall(Store& store, int64_t run) {
  ANECHECK_ASSIGN(const std::vector<LeanRow> rows, store.Rows<LeanRow>(run));
  for (const LeanRow& row : rows) {
    sums_[{row.target, row.route, row.op}][static_cast<size_t>(row.lean)] = row;
  }
  return {};
}

std::vector<Leaning> LeanWatch::Add(const RowBatch& batch) {
  std::vector<Leaning> found;
  for (const auto& [key, leans] : batch.leans) {
    OperationLeans& sums = sums_[key];
    sums += leans;
    std::optional<Leaning> leaning = LeaningOf(sums, std::get<0>(key));
    if (!leaning) continue;
    std::tie(leaning->target, leaning->route, leaning->op) = key;
    found.push_back(std::move(*leaning));
  }
  return found;
}

void TellLean(CaseOutcome& outcome) {
  if (outcome.verdict() != Verdict::kPass) return;
  std::string op = outcome.shown.op();
  std::string lean = "no output's errors lean inside their bound";
  double most = kLeastLean;
  for (size_t i = 0; i < outcome.leans.size() && i < outcome.outputs.size(); ++i) {
    const OutputLean& output = outcome.leans[i];
    const double leans = std::max(std::fabs(output.up), std::fabs(output.away));
    if (leans <= most) continue;
    most = leans;
    op = outcome.outputs[i].op;
    lean = fmt::format(
        "inside the bound, the errors of {} elements lean by {:+.3f} of the permitted error, "
        "{:+.3f} away from zero",
        output.free, output.up, output.away);
  }
  lean += "; one case proves nothing either way: run the campaign again, which counts many";
  outcome.shown = Outcome({.message = std::move(lean), .op = std::move(op)});
}

}  // namespace anecheck
