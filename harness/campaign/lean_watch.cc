#include "harness/campaign/lean_watch.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <limits>
#include <span>

#include "harness/targets/catalog.h"
#include "oracles/catalogue.h"

namespace anecheck {
namespace {

std::string_view Words(Lean lean) {
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

// Above the outputs of one operation in any campaign, so that sums of many runs hold.
constexpr int64_t kMostOutputs = int64_t{1} << 32;
// What one output changes a number of LeanSums by at the most: the boldest player loses 2.2 of
// these units.
constexpr int64_t kMostOfOne = 4 * static_cast<int64_t>(LeanSums::kUnit);

constexpr std::string_view kNumbers[] = {"outputs",   "sum",       "capital_1", "capital_2",
                                         "capital_3", "capital_4", "extreme",   "extreme_case"};
constexpr size_t kOutputs = 0, kSum = 1, kCapital = 2, kExtreme = 6, kCase = 7;

// How far from 0 the number of that column may lie.
int64_t MostOf(size_t column, int64_t outputs) {
  switch (column) {
    case kOutputs:
      return kMostOutputs;
    case kExtreme:
      return kMostOfOne;
    case kCase:
      return std::numeric_limits<int64_t>::max();
    default:
      return outputs * kMostOfOne;
  }
}

// The numbers of a row of error_leans in that order.
Result<LeanSums> ReadSums(const std::string& path, std::span<const std::string> texts) {
  std::array<int64_t, std::size(kNumbers)> numbers{};
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::string& text = texts[i];
    int64_t& number = numbers[i];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    const int64_t most = MostOf(i, numbers[kOutputs]);
    const int64_t least = i == kOutputs || i == kCase ? 0 : -most;
    if (!whole || number < least || number > most) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("{}: error_leans has {} '{}', {}; the file is damaged", path,
                                   kNumbers[i], text,
                                   whole ? fmt::format("which is not within {} to {}", least, most)
                                         : "which is no whole number"));
    }
  }
  LeanSums sums;
  sums.outputs = static_cast<uint64_t>(numbers[kOutputs]);
  sums.sum = numbers[kSum];
  std::copy_n(numbers.begin() + kCapital, kBets, sums.capitals.begin());
  sums.extreme = numbers[kExtreme];
  sums.extreme_case = static_cast<uint64_t>(numbers[kCase]);
  return sums;
}

}  // namespace

double LogOdds(const LeanSums& sums) { return LeanSums::Part(Richest(sums)); }

std::optional<Leaning> LeaningOf(const OperationLeans& leans, const std::string& target) {
  const bool ties_away = TiesGoAway(target);
  std::optional<Leaning> found;
  for (size_t i = 0; i < kLeanCount; ++i) {
    const auto lean = static_cast<Lean>(i);
    // An engine that rounds where it may and nowhere else fills its bounds and errs to neither
    // side.
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
      "inside the bound, {}: by {:.3f} of what the contract permits in the mean, over {} outputs "
      "(odds 2^{:.0f})",
      Words(leaning.lean), sums.Mean(), sums.outputs, std::floor(LogOdds(sums)));
}

Result<RunLeans> ReadLeans(Store& store, int64_t run) {
  const std::string id = std::to_string(run);
  ANECHECK_ASSIGN(const auto rows,
                  store.Query(fmt::format("SELECT target, route, op, lean, {} FROM error_leans "
                                          "WHERE run = CAST(? AS INTEGER)",
                                          fmt::join(kNumbers, ", ")),
                              {&id, 1}));
  RunLeans leans;
  for (const auto& row : rows) {
    const auto lean = LeanFromName(row[3]);
    if (!lean) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("{}: error_leans has lean '{}', which is none; the file is "
                                   "damaged",
                                   store.path(), row[3]));
    }
    ANECHECK_ASSIGN(leans[std::tie(row[0], row[1], row[2])][static_cast<size_t>(*lean)],
                    ReadSums(store.path(), std::span(row).subspan(4)));
  }
  return leans;
}

Status LeanWatch::Recall(Store& store, int64_t run) {
  ANECHECK_ASSIGN(sums_, ReadLeans(store, run));
  return {};
}

std::vector<Leaning> LeanWatch::Add(const BatchRecord& batch) {
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
  if (outcome.record.verdict != "pass") return;
  std::string lean = "no output's errors lean inside their bound";
  double most = kLeastLean;
  for (size_t i = 0; i < outcome.leans.size() && i < outcome.record.outputs.size(); ++i) {
    const OutputLean& output = outcome.leans[i];
    const double leans = std::max(std::fabs(output.up), std::fabs(output.away));
    if (leans <= most) continue;
    most = leans;
    outcome.op = outcome.record.outputs[i].op;
    lean = fmt::format(
        "inside the bound, the errors of {} elements lean by {:+.3f} of what the contract permits, "
        "{:+.3f} away from zero",
        output.free, output.up, output.away);
  }
  outcome.record.message =
      lean + "; one case proves nothing either way: run the campaign again, which counts many";
}

}  // namespace anecheck
