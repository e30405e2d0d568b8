// The forms in which the matrix of attested against reached is written.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <string_view>
#include <vector>

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

// Empty if the simulated engine supports every target.
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
  for (size_t row = 0; row < matrix.rows.size(); ++row) {
    for (size_t target = 0; target < matrix.targets.size(); ++target) {
      for (size_t route = 0; route < matrix.routes.size(); ++route) {
        const auto found = states.find(fmt::format("{}\n{}\n{}", matrix.rows[row].name,
                                                   matrix.targets[target]->compiler_name,
                                                   ToText(matrix.routes[route])));
        AttestationCell& cell =
            matrix.cells[(row * matrix.targets.size() + target) * matrix.routes.size() + route];
        cell.fresh = found == states.end() || found->second != evidence::StageText(cell.stage);
      }
    }
  }
  return {};
}

std::string AttestationCsv(const Attestation& matrix) { return TableOf(matrix).Csv(); }

std::string AttestationText(const Attestation& matrix, size_t columns) {
  return TableOf(matrix).Text(columns) + NotSimulatedText(matrix);
}

std::string AttestationMarkdown(const Attestation& matrix) {
  return TableOf(matrix).Markdown() + NotSimulatedText(matrix);
}

}  // namespace anecheck::reports
