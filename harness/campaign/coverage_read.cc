// Reads SpaceCoverage from results files, and prints it.
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/campaign/coverage.h"
#include "harness/cases/drawn_ops.h"

namespace anecheck {
namespace {

// The cases of one run, and those for which rules were evaluated.
struct CountedRun {
  uint64_t cases = 0, asked = 0;
};

// Whether CoverageCounter::Add evaluated the rules for the case.
bool IsAsked(const CaseRow& record) {
  if (record.status == RunStatus::kOk) {
    return IsAskedForRules(record.seed, kRulesEvery);
  }
  return record.mode == CaseMode::kMustReject && record.verdict == Verdict::kPass &&
         IsAskedForRules(record.seed, kRefusedRulesEvery);
}

// Adds each run once, by its uuid, because several files may contain the run or a part of it.
Status CountRun(Store& store, const RunRow& run, std::map<std::string, CountedRun>& runs) {
  CountedRun counted;
  ANECHECK_RETURN_IF_ERROR(store.EachCase(run.id, [&](const CaseRow& record) {
    ++counted.cases;
    counted.asked += IsAsked(record) ? 1 : 0;
  }));
  CountedRun& held = runs[run.uuid];
  if (counted.cases > held.cases) held = counted;
  return {};
}

// Whether no case on these routes can reach the cell.
bool IsOffRoute(const CoverageCell& cell, RouteSet routes) {
  const auto aim = AimAt(cell);
  return aim && (aim->routes & routes) == RouteSet::kNone;
}

// Returns the cells that exist only on routes by which no case went.
std::vector<ExcludedCell> OffRoute(RouteSet routes) {
  const std::string_view reason =
      routes == RouteSet::kMil
          ? "in network descriptions alone: no case took --route netlist or both"
          : "in MIL text alone: no case took --route mil or both";
  std::vector<ExcludedCell> cells;
  for (const OpDefinition* op : AllOps()) {
    const RouteSet own = RoutesOf(*op);
    if (own != RouteSet::kNone && (own & routes) == RouteSet::kNone) {
      cells.push_back({"op_attribute", op->schema.name, reason});
    }
  }
  return cells;
}

// Returns one line per reason, with the cells that have this reason.
std::string ExcludedText(std::span<const ExcludedCell> excluded) {
  std::vector<std::string_view> reasons;
  for (const ExcludedCell& cell : excluded) {
    if (std::ranges::find(reasons, cell.reason) == reasons.end()) reasons.push_back(cell.reason);
  }
  std::string text;
  for (const std::string_view reason : reasons) {
    text += "not counted:";
    for (const ExcludedCell& cell : excluded) {
      if (cell.reason == reason) text += fmt::format(" {}", cell.cell);
    }
    text += fmt::format(" ({})\n", reason);
  }
  return text;
}

}  // namespace

Result<SpaceCoverage> ReadCoverage(std::span<const std::string> paths) {
  std::set<CoverageCell> met;
  SpaceCoverage coverage;
  RouteSet routes = RouteSet::kNone;
  std::map<std::string, CountedRun> runs;
  for (const std::string& path : paths) {
    ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(path));
    ANECHECK_ASSIGN(const std::vector<RunRow> recorded, store.Runs());
    for (const RunRow& run : recorded) {
      ANECHECK_ASSIGN(const std::vector<CoverageRow> cells, store.Rows<CoverageRow>(run.id));
      for (const CoverageRow& row : cells) met.insert({row.kind, row.cell});
      ANECHECK_ASSIGN(const std::vector<ReachRow> reach, store.Rows<ReachRow>(run.id));
      for (const ReachRow& row : reach) routes = routes | SetOf(row.route);
      ANECHECK_RETURN_IF_ERROR(CountRun(store, run, runs));
    }
  }
  for (const auto& [uuid, run] : runs) {
    coverage.cases += run.cases;
    coverage.asked += run.asked;
  }
  if (routes == RouteSet::kNone) routes = RouteSet::kBoth;
  std::map<std::string_view, CoverageOfKind> kinds;
  for (const CoverageCell& cell : CoverageSpace()) {
    if (IsOffRoute(cell, routes)) continue;
    CoverageOfKind& kind = kinds[cell.kind];
    ++kind.cells;
    if (met.erase(cell) > 0) {
      ++kind.covered;
    } else {
      kind.empty.push_back(cell.cell);
    }
  }
  for (const CoverageCell& cell : met) ++kinds[cell.kind].others;
  for (const ExcludedCell& cell : ExcludedCells()) kinds[cell.kind].excluded.push_back(cell);
  for (const ExcludedCell& cell : OffRoute(routes)) kinds[cell.kind].excluded.push_back(cell);
  for (const std::string_view name : kCoverageKinds) {
    CoverageOfKind kind = std::move(kinds[name]);
    kind.kind = name;
    coverage.kinds.push_back(std::move(kind));
  }
  return coverage;
}

Json CoverageToJson(const SpaceCoverage& coverage) {
  Json kinds = Json::array();
  for (const CoverageOfKind& kind : coverage.kinds) {
    Json excluded = Json::array();
    for (const ExcludedCell& cell : kind.excluded) {
      excluded.push_back({{"cell", cell.cell}, {"reason", cell.reason}});
    }
    const Json share =
        kind.cells == 0 ? Json()
                        : Json(static_cast<double>(kind.covered) / static_cast<double>(kind.cells));
    kinds.push_back({{"kind", kind.kind},
                     {"cells", kind.cells},
                     {"covered", kind.covered},
                     {"share", share},
                     {"others", kind.others},
                     {"empty", kind.empty},
                     {"excluded", std::move(excluded)}});
  }
  return {
      {"cases", coverage.cases}, {"asked_for_rules", coverage.asked}, {"kinds", std::move(kinds)}};
}

std::string CoverageToText(const SpaceCoverage& coverage, size_t listed) {
  std::string text = fmt::format("{}, legality rules asked of {}\n{:<18}{:>9}{:>9}{:>9}{:>9}\n",
                                 Counted(coverage.cases, "case"), coverage.asked, "kind", "cells",
                                 "covered", "share", "others");
  for (const CoverageOfKind& kind : coverage.kinds) {
    const double share =
        kind.cells == 0 ? 0 : static_cast<double>(kind.covered) / static_cast<double>(kind.cells);
    text += fmt::format("{:<18}{:>9}{:>9}{:>9}{:>9}\n", kind.kind, kind.cells, kind.covered,
                        kind.cells == 0 ? "-" : fmt::format("{:.1f}%", 100 * share), kind.others);
  }
  for (const CoverageOfKind& kind : coverage.kinds) {
    if (kind.empty.empty() || listed == 0) continue;
    text += fmt::format("empty {}:", kind.kind);
    for (size_t i = 0; i < std::min(listed, kind.empty.size()); ++i) text += " " + kind.empty[i];
    if (kind.empty.size() > listed) text += fmt::format(" and {} more", kind.empty.size() - listed);
    text += "\n";
  }
  for (const CoverageOfKind& kind : coverage.kinds) {
    if (listed > 0) text += ExcludedText(kind.excluded);
  }
  return text;
}

}  // namespace anecheck
