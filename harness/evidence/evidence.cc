#include "harness/evidence/evidence.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <utility>

#include "harness/base/json_fields.h"
#include "harness/base/log.h"
#include "harness/evidence/csv.h"
#include "harness/evidence/embedded.h"
#include "harness/evidence/evidence_print.h"

namespace anecheck::evidence {
namespace {

constexpr std::string_view kStageNames[] = {"no_path",  "rejected",   "catalogued", "attested",
                                            "compiled", "dispatched", "correct",    "wrong"};
constexpr std::string_view kProvenances[] = {"silicon", "simulated", "roundtrip", "reported",
                                             "published"};

using Member = std::string Statement::*;
constexpr std::pair<std::string_view, Member> kTexts[] = {
    {"subject", &Statement::subject},
    {"target", &Statement::target},
    {"route", &Statement::route},
    {"status", &Statement::status},
    {"relative_error", &Statement::relative_error},
    {"provenance", &Statement::provenance},
    {"basis", &Statement::basis},
    {"source", &Statement::source},
    {"date", &Statement::date},
    {"tool_version", &Statement::tool_version},
    {"chip", &Statement::chip},
    {"os", &Statement::os},
    {"compiler_version", &Statement::compiler_version},
    {"note", &Statement::note},
};

template <size_t kSize>
bool IsIn(std::string_view name, const std::string_view (&names)[kSize]) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

Error Bad(std::string_view name, size_t row, std::string_view what) {
  return MakeError(ErrorCode::kMalformed, fmt::format("{}: statement {}: {}", name, row + 1, what));
}

Result<Statement> FromRow(const CsvRow& row, std::string_view name, size_t index) {
  Statement statement;
  for (const auto& [key, member] : kTexts) {
    const auto found = row.find(key);
    if (found != row.end()) statement.*member = found->second;
  }
  const auto stage = row.find("stage");
  const std::string word = stage == row.end() ? "" : stage->second;
  if (!IsIn(word, kStageNames)) {
    return Bad(name, index, fmt::format("stage \"{}\" is none of no_path ... wrong", word));
  }
  statement.stage = static_cast<Stage>(
      std::find(std::begin(kStageNames), std::end(kStageNames), word) - std::begin(kStageNames));
  if (statement.subject.empty() || statement.target.empty() || statement.source.empty()) {
    return Bad(name, index, "needs a subject, a target and a source");
  }
  if (!IsIn(statement.provenance, kProvenances)) {
    return Bad(name, index,
               fmt::format("provenance \"{}\" is none of silicon, simulated, "
                           "roundtrip, reported, published",
                           statement.provenance));
  }
  if (!statement.route.empty() && statement.route != "mil" && statement.route != "netlist") {
    return Bad(name, index,
               fmt::format("route \"{}\" is neither mil nor netlist", statement.route));
  }
  statement.subject = Canonical(statement.subject);
  std::transform(statement.target.begin(), statement.target.end(), statement.target.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return statement;
}

Result<std::vector<CsvRow>> JsonRows(std::string_view text, std::string_view name) {
  ANECHECK_ASSIGN(const Json document, json_fields::ParseDocument(text, name));
  ANECHECK_ASSIGN(const std::vector<const Json*> items,
                  json_fields::Array(document, "statements", name));
  std::vector<CsvRow> rows;
  for (const Json* item : items) {
    if (!item->is_object()) return Bad(name, rows.size(), "not an object");
    CsvRow& row = rows.emplace_back();
    for (const auto& [key, value] : item->items()) {
      if (!value.is_string()) return Bad(name, rows.size() - 1, key + " is no text");
      row.insert_or_assign(key, value.get<std::string>());
    }
  }
  return rows;
}

// The embedded tables are part of the program: a fault in them ends it.
std::vector<CsvRow> Embedded(std::string_view text, std::string_view name) {
  auto rows = ParseCsv(text, name);
  if (!rows.ok()) {
    LogError("embedded evidence: " + rows.error().message);
    std::abort();
  }
  return std::move(*rows);
}

const std::map<std::string, std::string, std::less<>>& Aliases() {
  static const auto* const kAliases = [] {
    auto* aliases = new std::map<std::string, std::string, std::less<>>;
    for (const CsvRow& row : Embedded(evidence_data::kAliases, "aliases")) {
      aliases->emplace(row.at("name"), row.at("subject"));
    }
    return aliases;
  }();
  return *kAliases;
}

bool SameConditions(const Statement& a, const Statement& b) {
  const auto meets = [](const std::string& x, const std::string& y) {
    return x.empty() || y.empty() || x == y;
  };
  return meets(a.route, b.route) && meets(a.os, b.os) &&
         meets(a.compiler_version, b.compiler_version);
}

Conflict Weigh(std::span<const Statement> statements, size_t a, size_t b) {
  const int difference = Strength(statements[a]) - Strength(statements[b]);
  if (difference < 0) std::swap(a, b);
  const std::string why =
      difference != 0
          ? fmt::format("{}, against {}", StrengthReason(statements[a]),
                        StrengthReason(statements[b]))
          : fmt::format("both: {}; no source decides between them", StrengthReason(statements[a]));
  return {a, b, difference != 0, why};
}

}  // namespace

std::string_view StageName(Stage stage) { return kStageNames[static_cast<size_t>(stage)]; }

Result<std::vector<Statement>> ParseStatements(std::string_view text, std::string_view name) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && text[first] == '{';
  ANECHECK_ASSIGN(const std::vector<CsvRow> rows,
                  json ? JsonRows(text, name) : ParseCsv(text, name));
  std::vector<Statement> statements;
  for (const CsvRow& row : rows) {
    ANECHECK_ASSIGN(Statement statement, FromRow(row, name, statements.size()));
    statements.push_back(std::move(statement));
  }
  return statements;
}

Json StatementJson(const Statement& statement) {
  Json item = Json::object();
  for (const auto& [key, member] : kTexts) {
    if (!(statement.*member).empty()) item[std::string(key)] = statement.*member;
  }
  item["stage"] = StageName(statement.stage);
  return item;
}

std::string StatementsJson(std::span<const Statement> statements) {
  Json list = Json::array();
  for (const Statement& statement : statements) list.push_back(StatementJson(statement));
  return DumpJson(Json{{"version", 1}, {"statements", std::move(list)}}, 2);
}

const std::vector<Statement>& Published() {
  static const std::vector<Statement>* const kStatements = [] {
    auto parsed = ParseStatements(evidence_data::kPublished, "published");
    if (!parsed.ok()) {
      LogError("embedded evidence: " + parsed.error().message);
      std::abort();
    }
    return new std::vector<Statement>(std::move(*parsed));
  }();
  return *kStatements;
}

std::string Canonical(std::string_view subject) {
  const size_t bracket = subject.find(" [");
  const std::string_view name = subject.substr(0, bracket);
  const auto found = Aliases().find(name);
  if (found == Aliases().end()) return std::string(subject);
  return found->second +
         std::string(bracket == std::string_view::npos ? "" : subject.substr(bracket));
}

int Strength(const Statement& statement) {
  if (statement.provenance == "silicon") return 5;
  if (statement.provenance == "roundtrip" || statement.basis == "roundtrip") return 0;
  if (statement.provenance == "simulated" || statement.basis == "simulated") return 1;
  if (statement.basis == "silicon") return 4;
  if (statement.provenance == "reported") return 3;
  return 2;
}

std::string_view StrengthReason(const Statement& statement) {
  constexpr std::string_view kReasons[] = {
      "a round trip without an engine", "a simulated engine",
      "stated or derived from tables",  "reported by another machine",
      "published, measured on silicon", "measured on silicon with proof"};
  return kReasons[static_cast<size_t>(Strength(statement))];
}

std::vector<Conflict> FindConflicts(std::span<const Statement> statements) {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<size_t>> places;
  for (size_t i = 0; i < statements.size(); ++i) {
    places[{statements[i].subject, statements[i].target}].push_back(i);
  }
  std::vector<Conflict> conflicts;
  for (const auto& [place, indices] : places) {
    for (size_t i = 0; i < indices.size(); ++i) {
      for (size_t j = i + 1; j < indices.size(); ++j) {
        const Statement &a = statements[indices[i]], &b = statements[indices[j]];
        const bool opposed =
            (Reached(a.stage) && Denied(b.stage)) || (Denied(a.stage) && Reached(b.stage));
        if (opposed && SameConditions(a, b)) {
          conflicts.push_back(Weigh(statements, indices[i], indices[j]));
        }
      }
    }
  }
  return conflicts;
}

const std::vector<KnownConflict>& KnownConflicts() {
  static const std::vector<KnownConflict>* const kConflicts = [] {
    auto* conflicts = new std::vector<KnownConflict>;
    for (const CsvRow& row : Embedded(evidence_data::kConflicts, "conflicts")) {
      if (conflicts->empty() || conflicts->back().id != row.at("id")) {
        conflicts->push_back({row.at("id"), row.at("subject"), row.at("targets"), {}, {}});
      }
      KnownConflict& conflict = conflicts->back();
      conflict.readings.push_back(
          {row.at("reading"), row.at("source"), row.at("stronger") == "yes"});
      if (!row.at("why").empty()) conflict.why = row.at("why");
    }
    return conflicts;
  }();
  return *kConflicts;
}

}  // namespace anecheck::evidence
