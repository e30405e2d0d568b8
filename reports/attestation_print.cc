// Writes the matrix of attested and reached operations in its forms.
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string_view>
#include <vector>

#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/device/target.h"
#include "harness/evidence/evidence_print.h"
#include "harness/targets/chip_names.h"
#include "oracles/legality/explain.h"
#include "reports/attestation.h"
#include "reports/state_table.h"

namespace anecheck::reports {
namespace {

int Flags(const AttestationCell& cell) {
  return (cell.admitted ? 1 : 0) | (cell.reached ? 2 : 0) | (cell.conflict ? 4 : 0) |
         (cell.silicon ? 8 : 0) | (cell.fresh ? 16 : 0);
}

std::string LimitText(const Known<LimitValue>& known) {
  if (!known) return "unknown";
  std::string text;
  for (const LimitValue& value : known.values()) {
    if (!text.empty()) text += " or ";
    for (size_t i = 0; i < value.size(); ++i) {
      text += i > 0 ? ", " : "";
      text += value[i] == kUnlimited ? "unlimited" : std::to_string(value[i]);
    }
  }
  return text;
}

// Whether the simulated engine can compile for the target.
bool IsSimulated(const Target& target) {
  const device::Target* simulated = device::FindTarget(target.compiler_name);
  return simulated != nullptr && simulated->takes_mil;
}

Json TargetJson(const Target& target) {
  Json limits = Json::object();
  for (const auto& [name, known] : target.limits) limits[name] = LimitText(known);
  return {{"name", target.compiler_name},
          {"tier", TierName(target.tier)},
          {"chips", ChipsText(target)},
          {"simulated", IsSimulated(target)},
          {"limits", std::move(limits)}};
}

Json ConflictsJson() {
  Json list = Json::array();
  for (const evidence::KnownConflict& conflict : evidence::KnownConflicts()) {
    list.push_back(evidence::KnownConflictJson(conflict));
  }
  return list;
}

Json FoundConflictsJson(const Attestation& matrix) {
  Json list = Json::array();
  for (const evidence::Conflict& conflict : matrix.conflicts) {
    list.push_back(evidence::ConflictJson(conflict));
  }
  return list;
}

Json CellsJson(const Attestation& matrix) {
  Json cells = Json::array();
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    for (size_t target = 0; target < matrix.targets.size(); ++target) {
      for (size_t route = 0; route < matrix.routes.size(); ++route) {
        const AttestationCell& cell = matrix.at(row, target, route);
        cells.push_back(Json::array({row, target, route, evidence::StageText(cell.stage), cell.kind,
                                     cell.verdict, Flags(cell), Json(cell.statements)}));
      }
    }
  }
  return cells;
}

StateTable TableOf(const Attestation& matrix) {
  std::vector<std::string> targets;
  targets.reserve(matrix.targets.size());
  for (const Target* target : matrix.targets) targets.push_back(target->compiler_name);
  StateTable table(std::move(targets), matrix.routes);
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    table.BeginRow(matrix.rows[row].name);
    for (size_t target = 0; target < matrix.targets.size(); ++target) {
      for (size_t route = 0; route < matrix.routes.size(); ++route) {
        const AttestationCell& cell = matrix.at(row, target, route);
        table.Add(cell, matrix.verdicts[cell.verdict].outcome);
      }
    }
  }
  return table;
}

// Returns a note about targets that the simulated engine does not support. Empty if there are none.
std::string NotSimulatedText(const Attestation& matrix) {
  std::vector<std::string_view> names;
  for (const Target* target : matrix.targets) {
    if (!IsSimulated(*target)) names.push_back(target->compiler_name);
  }
  if (names.empty()) return "";
  return fmt::format(
      "\nNot simulated: {}. The simulated engine compiles nothing for them: no source states how "
      "they compute.\n",
      fmt::join(names, ", "));
}

// Returns a note about cells in which published evidence hides a lab's own results, if any.
std::string OutrankedText(const Attestation& matrix) {
  const auto published = [&](uint32_t index) {
    return matrix.statements[index].provenance == Provenance::kPublished;
  };
  const auto hidden = std::ranges::count_if(matrix.cells, [&](const AttestationCell& cell) {
    const auto own = [&](uint32_t index) {
      return !published(index) && evidence::Decides(matrix.statements[index]);
    };
    return !cell.by.empty() && std::ranges::all_of(cell.by, published) &&
           std::ranges::any_of(cell.statements, own);
  });
  if (hidden == 0) return "";
  return fmt::format(
      "\n{} results of runs that stronger published evidence outranks; --no-published shows "
      "them.\n",
      hidden == 1 ? "1 cell has" : fmt::format("{} cells have", hidden));
}

// Returns the changes since the baseline. Empty if there is no baseline.
std::string ChangesText(const Attestation& matrix) {
  constexpr size_t kShown = 100;
  if (!matrix.changes) return "";
  const size_t count = matrix.changes->size();
  if (count == 0) return "\nNo cell changed since the baseline.\n";
  std::string text = fmt::format("\nChanged since the baseline: {}.\n\n", Counted(count, "cell"));
  for (size_t i = 0; i < std::min(count, kShown); ++i) {
    const AttestationChange& change = (*matrix.changes)[i];
    text += fmt::format("- {} on {}, {}: {}, before: {}\n", matrix.rows[change.row].name,
                        matrix.targets[change.target]->compiler_name,
                        ToText(matrix.routes[change.route]),
                        evidence::CellText(matrix.at(change.row, change.target, change.route)),
                        change.before.empty() ? "not in the baseline" : change.before);
  }
  if (count > kShown) text += fmt::format("- {} more in --format html\n", count - kShown);
  return text;
}

std::string Notes(const Attestation& matrix) {
  return ChangesText(matrix) + OutrankedText(matrix) + NotSimulatedText(matrix);
}

std::string Key(const Json& document, const Json& cell) {
  const auto at = [&](size_t member) { return cell.at(member).get<size_t>(); };
  return fmt::format("{}\n{}\n{}", document.at("ops").at(at(0)).at("name").get<std::string>(),
                     document.at("targets").at(at(1)).at("name").get<std::string>(),
                     document.at("routes").at(at(2)).get<std::string>());
}

}  // namespace

Json AttestationJson(const Attestation& matrix) {
  Json targets = Json::array(), routes = Json::array(), rows = Json::array();
  for (const Target* target : matrix.targets) targets.push_back(TargetJson(*target));
  for (const Route route : matrix.routes) routes.push_back(ToText(route));
  for (const AttestationRow& row : matrix.rows) {
    Json tested_by = Json::object();
    for (const Route route : AllWords<Route>()) {
      tested_by[std::string(ToText(route))] = row.tested_by[static_cast<size_t>(route)];
    }
    rows.push_back({{"name", row.name},
                    {"class", row.row_class},
                    {"native", row.native_layer},
                    {"tested_by", std::move(tested_by)}});
  }
  Json verdicts = Json::array();
  for (const legality::Verdict& verdict : matrix.verdicts) {
    const Json full = legality::VerdictJson(verdict);
    verdicts.push_back({{"outcome", full["outcome"]},
                        {"native_layer", full["native_layer"]},
                        {"layers", full["layers"]}});
  }
  Json statements = Json::array();
  for (const evidence::Statement& statement : matrix.statements) {
    statements.push_back(evidence::StatementJson(statement));
  }
  return {{"version", 1},
          {"targets", std::move(targets)},
          {"routes", std::move(routes)},
          {"ops", std::move(rows)},
          {"verdicts", std::move(verdicts)},
          {"statements", std::move(statements)},
          {"conflicts", FoundConflictsJson(matrix)},
          {"known_conflicts", ConflictsJson()},
          {"cells", CellsJson(matrix)}};
}

Status CompareWithBaseline(std::string_view baseline_json, std::string_view name,
                           Attestation& matrix) {
  ANECHECK_ASSIGN(const Json before, ParseJson(baseline_json, name));
  std::map<std::string, std::string> states;
  try {
    for (const Json& cell : before.at("cells")) {
      states[Key(before, cell)] = cell.at(size_t{3}).get<std::string>();
    }
  } catch (const JsonError&) {
    return MakeError(
        ErrorCode::kMalformed,
        fmt::format("{}: is no matrix; make one with `anecheck matrix --format json`", name));
  }
  matrix.changes.emplace();
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    for (size_t target = 0; target < matrix.targets.size(); ++target) {
      for (size_t route = 0; route < matrix.routes.size(); ++route) {
        const auto found = states.find(fmt::format("{}\n{}\n{}", matrix.rows[row].name,
                                                   matrix.targets[target]->compiler_name,
                                                   ToText(matrix.routes[route])));
        AttestationCell& cell =
            matrix.cells[(row * matrix.targets.size() + target) * matrix.routes.size() + route];
        cell.fresh = found == states.end() || found->second != evidence::StageText(cell.stage);
        if (!cell.fresh) continue;
        matrix.changes->push_back({row, target, route, found == states.end() ? "" : found->second});
      }
    }
  }
  return {};
}

std::string AttestationCsv(const Attestation& matrix) { return TableOf(matrix).Csv(); }

std::string AttestationText(const Attestation& matrix, size_t columns) {
  return TableOf(matrix).Text(columns) + Notes(matrix);
}

std::string AttestationMarkdown(const Attestation& matrix) {
  return TableOf(matrix).Markdown() + Notes(matrix);
}

}  // namespace anecheck::reports
