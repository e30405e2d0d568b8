#include "harness/evidence/evidence.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <utility>

#include "harness/base/json_fields.h"
#include "harness/base/log.h"
#include "harness/base/lower_case.h"
#include "harness/evidence/csv.h"
#include "harness/evidence/embedded.h"
#include "harness/evidence/evidence_print.h"

namespace anecheck::evidence {
namespace {

// The stages that a statement may name. Only rules and findings use the other stages.
constexpr Stage kStated[] = {
    Stage::kNoPath,   Stage::kRejected, Stage::kCatalogued, Stage::kDecomposed, Stage::kAttested,
    Stage::kCompiled, Stage::kPlanned,  Stage::kDispatched, Stage::kCorrect,    Stage::kWrong};

constexpr std::string_view kRouteKey = "route", kProvenanceKey = "provenance";

using Member = std::string Statement::*;
// The members of a statement in the order of the JSON form, except the stage. Members that are
// enumerations are null.
constexpr std::pair<std::string_view, Member> kMembers[] = {
    {"subject", &Statement::subject},
    {"target", &Statement::target},
    {kRouteKey, nullptr},
    {"status", &Statement::status},
    {"relative_error", &Statement::relative_error},
    {kProvenanceKey, nullptr},
    {"basis", &Statement::basis},
    {"source", &Statement::source},
    {"date", &Statement::date},
    {"tool_version", &Statement::tool_version},
    {"chip", &Statement::chip},
    {"os", &Statement::os},
    {"compiler_version", &Statement::compiler_version},
    {"note", &Statement::note},
};

Error Bad(std::string_view name, size_t row, std::string_view what) {
  return MakeError(ErrorCode::kMalformed, fmt::format("{}: statement {}: {}", name, row + 1, what));
}

Result<Statement> FromRow(const CsvRow& row, std::string_view name, size_t index) {
  Statement statement;
  const auto text_of = [&row](std::string_view key) {
    const auto found = row.find(key);
    return found == row.end() ? std::string() : found->second;
  };
  for (const auto& [key, member] : kMembers) {
    if (member != nullptr) statement.*member = text_of(key);
  }
  const std::string stage = text_of("stage");
  const auto* const stated = std::ranges::find(kStated, FindWord<Stage>(stage));
  if (stated == std::end(kStated)) {
    return Bad(name, index, fmt::format("stage \"{}\" is none of no_path ... wrong", stage));
  }
  statement.stage = *stated;
  if (statement.subject.empty() || statement.target.empty() || statement.source.empty()) {
    return Bad(name, index, "needs a subject, a target and a source");
  }
  const std::string origin = text_of(kProvenanceKey), route = text_of(kRouteKey);
  const auto provenance = FindWord<Provenance>(origin);
  if (!provenance) {
    return Bad(name, index,
               fmt::format("provenance \"{}\" is none of {}", origin,
                           fmt::join(AllWords<Provenance>(), ", ")));
  }
  statement.provenance = *provenance;
  statement.route = FindWord<Route>(route);
  if (!route.empty() && !statement.route) {
    return Bad(name, index, fmt::format("route \"{}\" is neither mil nor netlist", route));
  }
  statement.subject = Canonical(statement.subject);
  statement.target = LowerCase(statement.target);
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

const std::map<std::string, std::string, std::less<>>& Aliases() {
  static const auto* const kAliases = [] {
    auto* aliases = new std::map<std::string, std::string, std::less<>>;
    for (const CsvRow& row : EmbeddedCsv(evidence_data::kAliases, "aliases")) {
      aliases->emplace(row.at("name"), row.at("subject"));
    }
    return aliases;
  }();
  return *kAliases;
}

Result<std::vector<Statement>> ParseAsWritten(std::string_view text, std::string_view name) {
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

}  // namespace

Result<std::vector<Statement>> ParseStatements(std::string_view text, std::string_view name) {
  ANECHECK_ASSIGN(std::vector<Statement> statements, ParseAsWritten(text, name));
  for (Statement& statement : statements) {
    const bool claims = statement.provenance == Provenance::kSilicon ||
                        statement.provenance == Provenance::kPublished;
    if (!claims) continue;
    statement.note += fmt::format("{}calls itself {}, without a proof",
                                  statement.note.empty() ? "" : "; ", statement.provenance);
    statement.provenance = Provenance::kReported;
  }
  return statements;
}

namespace {

std::string TextOf(const Statement& statement, std::string_view key, Member member) {
  if (member != nullptr) return statement.*member;
  if (key == kProvenanceKey) return std::string(ToText(statement.provenance));
  return statement.route ? std::string(ToText(*statement.route)) : "";
}

}  // namespace

Json StatementJson(const Statement& statement) {
  Json item = Json::object();
  for (const auto& [key, member] : kMembers) {
    const std::string text = TextOf(statement, key, member);
    if (!text.empty()) item[std::string(key)] = text;
  }
  item["stage"] = ToText(statement.stage);
  return item;
}

std::string StatementsJson(std::span<const Statement> statements) {
  Json list = Json::array();
  for (const Statement& statement : statements) list.push_back(StatementJson(statement));
  return DumpJson(Json{{"version", 1}, {"statements", std::move(list)}}, 2);
}

const std::vector<Statement>& Published() {
  static const std::vector<Statement>* const kStatements = [] {
    auto parsed = ParseAsWritten(evidence_data::kPublished, "published");
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

Strength StrengthOf(const Statement& statement) {
  const auto rests_on = [&](Provenance provenance) {
    return statement.provenance == provenance || statement.basis == ToText(provenance);
  };
  if (statement.provenance == Provenance::kSilicon) return Strength::kProvedSilicon;
  if (rests_on(Provenance::kRoundtrip)) return Strength::kNoEngine;
  if (rests_on(Provenance::kSimulated) || rests_on(Provenance::kEmulated)) {
    return Strength::kModelled;
  }
  if (statement.provenance == Provenance::kReported) return Strength::kReported;
  return rests_on(Provenance::kSilicon) ? Strength::kPublishedSilicon : Strength::kStated;
}

std::string_view StrengthReason(const Statement& statement) {
  switch (StrengthOf(statement)) {
    case Strength::kNoEngine:
      return "a round trip without an engine";
    case Strength::kModelled:
      return statement.provenance == Provenance::kEmulated ? "an emulated engine"
                                                           : "a simulated engine";
    case Strength::kStated:
      return "stated or derived from tables";
    case Strength::kReported:
      return "reported without a proof";
    case Strength::kPublishedSilicon:
      return "published, measured on silicon";
    case Strength::kProvedSilicon:
      break;
  }
  return "measured on silicon with proof";
}

bool Decides(const Statement& statement) {
  const bool instance = statement.subject.find(" [") != std::string::npos;
  return !instance &&
         (Reached(statement.stage) || Denied(statement.stage) || statement.stage == Stage::kFailed);
}

}  // namespace anecheck::evidence
