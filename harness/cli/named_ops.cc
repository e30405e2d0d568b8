#include "harness/cli/named_ops.h"

#include <algorithm>
#include <bitset>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

#include "harness/base/log.h"
#include "harness/cases/drawn_ops.h"

namespace anecheck {
namespace {

Route OtherThan(Route route) { return route == Route::kMil ? Route::kNetlist : Route::kMil; }

// Returns the routes that cases are drawn for. Cases of some modes are MIL text on every route.
std::vector<Route> RoutesOf(const CampaignOptions& options) {
  const bool of_mil = !options.modes.empty() && std::ranges::all_of(options.modes, IsOfMilAlone);
  std::vector<Route> routes;
  for (const Route route : AllWords<Route>()) {
    if (Has(of_mil ? RouteSet::kMil : options.routes, route)) routes.push_back(route);
  }
  return routes;
}

// Returns whether --mode names modes, and all of them draw only integers.
bool OfIntegers(const CampaignOptions& options) {
  return !options.modes.empty() && std::ranges::all_of(options.modes, [](CaseMode mode) {
    return ValuesOf(mode) == CaseMode::kInteger;
  });
}

class NamedOps {
 public:
  explicit NamedOps(const CampaignOptions& options)
      : options_(options), routes_(RoutesOf(options)), of_integers_(OfIntegers(options)) {
    for (const OpDefinition* op : AllOps()) {
      if (options.ops.test(op->schema.id)) ops_.push_back(op);
    }
  }

  // Returns a note for each operation that some or all targets do not draw. Removes from `drawn`
  // those that no target draws. Errors: no operation is left.
  Result<std::vector<std::string>> Notes(std::bitset<kOpCount>& drawn) const {
    std::vector<std::string> notes;
    for (const OpDefinition* op : ops_) {
      std::vector<std::string> lacking;
      std::string reason;
      for (const CampaignTarget& target : options_.targets) {
        if (IsDrawnOn(*op, target)) continue;
        if (lacking.empty()) reason = WhyNotOn(*op, target);
        lacking.push_back(target.name);
      }
      if (lacking.empty()) continue;
      const bool nowhere = lacking.size() == options_.targets.size();
      if (nowhere) drawn.reset(op->schema.id);
      if (drawn.none()) {
        return MakeError(ErrorCode::kInvalid, fmt::format("--ops {}: {}", op->schema.name, reason));
      }
      notes.push_back(fmt::format("{} is not drawn{} ({})", op->schema.name,
                                  nowhere ? "" : fmt::format(" on {}", fmt::join(lacking, ", ")),
                                  reason));
    }
    return notes;
  }

  // Returns whether any of the operations is drawn on the target. Errors: kInvalid if only one of
  // two routes draws any of them.
  Result<bool> HasAny(const CampaignTarget& target) const {
    std::vector<Route> with;
    for (const Route route : routes_) {
      const auto drawn = [&](const OpDefinition* op) { return IsDrawn(*op, target, route); };
      if (std::ranges::any_of(ops_, drawn)) with.push_back(route);
    }
    if (with.empty() || with.size() == routes_.size()) return !with.empty();
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("--route both: on {} the route {} draws none of the operations of "
                                 "--ops; give --route {}",
                                 target.name, OtherThan(with[0]), with[0]));
  }

 private:
  bool IsDrawn(const OpDefinition& op, const CampaignTarget& target, Route route) const {
    const bool fits = !of_integers_ || KeepsIntegers(KindOf(op.schema));
    return fits && IsDrawnByName(op, target.family, route);
  }
  bool IsDrawnOn(const OpDefinition& op, const CampaignTarget& target) const {
    return std::ranges::any_of(routes_, [&](Route route) { return IsDrawn(op, target, route); });
  }
  std::string WhyNotOn(const OpDefinition& op, const CampaignTarget& target) const {
    const Route route = routes_.front();
    if (IsDrawnByName(op, target.family, route)) {
      return "does not keep integers, and the named modes draw nothing else";
    }
    const std::string why = WhyNotDrawnByName(op, target.family, route);
    const Route other = OtherThan(route);
    const bool helps = options_.routes == SetOf(route) && IsDrawnByName(op, target.family, other);
    return helps ? fmt::format("{}; give --route {}", why, other) : why;
  }

  const CampaignOptions& options_;
  const std::vector<Route> routes_;
  const bool of_integers_;
  std::vector<const OpDefinition*> ops_;
};

}  // namespace

Status KeepNamedOps(const CampaignFlags& flags, CampaignOptions& options) {
  if (!flags.ops) return {};
  const NamedOps named(options);
  std::bitset<kOpCount> drawn = options.ops;
  ANECHECK_ASSIGN(const std::vector<std::string> notes, named.Notes(drawn));
  std::vector<CampaignTarget> kept;
  std::vector<std::string> left_out;
  for (const CampaignTarget& target : options.targets) {
    ANECHECK_ASSIGN(const bool any, named.HasAny(target));
    if (any) {
      kept.push_back(target);
    } else {
      left_out.push_back(target.name);
    }
  }
  if (!notes.empty()) {
    LogWarning(fmt::format(
        "--ops: {}{}", fmt::join(notes, "; "),
        left_out.empty() ? "" : fmt::format("; without cases on {}", fmt::join(left_out, ", "))));
  }
  options.targets = std::move(kept);
  options.ops = drawn;
  return {};
}

}  // namespace anecheck
