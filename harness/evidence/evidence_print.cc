#include "harness/evidence/evidence_print.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/json.h"

namespace anecheck::evidence {
namespace {

bool Names(std::span<const std::string> subjects, std::string_view subject) {
  const std::string_view name = subject.substr(0, subject.find(" ["));
  return !name.empty() && std::find(subjects.begin(), subjects.end(), name) != subjects.end();
}

std::string Joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + std::string(part);
  }
  return text;
}

std::string StatementText(const Statement& statement) {
  const std::string basis =
      statement.basis.empty() || statement.basis == ToText(statement.provenance)
          ? ""
          : fmt::format("rests on {}", statement.basis);
  return fmt::format("  {:<16} {:<11} {} [{}]\n", statement.subject, statement.stage,
                     Joined({statement.status, statement.relative_error,
                             statement.route ? ToText(*statement.route) : "",
                             ToText(statement.provenance), basis, statement.chip, statement.os,
                             statement.compiler_version, statement.date, statement.note}),
                     statement.source);
}

std::string ConflictText(const Found& found, const Conflict& conflict) {
  return fmt::format("  conflict: {} {} {} ({})\n", found.statements[conflict.stronger].source,
                     conflict.decided ? "is stronger than" : "against",
                     found.statements[conflict.weaker].source, conflict.why);
}

std::string KnownConflictText(const KnownConflict& conflict) {
  std::string text =
      fmt::format("  {} ({}): {}\n", conflict.subject, conflict.targets, conflict.why);
  for (const KnownConflict::Reading& reading : conflict.readings) {
    text += fmt::format("    {}{} [{}]\n", reading.stronger ? "stronger: " : "", reading.says,
                        reading.source);
  }
  return text;
}

}  // namespace

Found About(std::span<const Statement> statements, std::span<const std::string> subjects,
            std::string_view target, RouteSet routes) {
  Found found;
  for (const Statement& statement : statements) {
    const bool by_route = !statement.route || Has(routes, *statement.route);
    if (by_route && statement.target == target && Names(subjects, statement.subject)) {
      found.statements.push_back(statement);
    }
  }
  // Sorts equally strong statements by their index, because std::sort is not stable.
  std::vector<size_t> order(found.statements.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const Strength strength_a = StrengthOf(found.statements[a]);
    const Strength strength_b = StrengthOf(found.statements[b]);
    return strength_a != strength_b ? strength_a > strength_b : a < b;
  });
  std::vector<Statement> sorted;
  for (const size_t index : order) sorted.push_back(std::move(found.statements[index]));
  found.statements = std::move(sorted);
  for (const KnownConflict& conflict : KnownConflicts()) {
    const bool about = std::ranges::any_of(subjects, [&](const std::string& subject) {
      return !subject.empty() && conflict.IsAbout(subject, target);
    });
    if (about) found.conflicts.push_back(conflict);
  }
  return found;
}

std::string FoundText(const Found& found) {
  std::string text = found.statements.empty() ? "evidence: none\n" : "evidence\n";
  for (const Statement& statement : found.statements) text += StatementText(statement);
  for (const Conflict& conflict : FindConflicts(found.statements)) {
    text += ConflictText(found, conflict);
  }
  if (!found.conflicts.empty()) text += "known conflicts between sources\n";
  for (const KnownConflict& conflict : found.conflicts) text += KnownConflictText(conflict);
  return text;
}

Json FoundJson(const Found& found) {
  Json statements = Json::array(), conflicts = Json::array(), known = Json::array();
  for (const Statement& statement : found.statements) {
    statements.push_back(StatementJson(statement));
  }
  for (const Conflict& conflict : FindConflicts(found.statements)) {
    conflicts.push_back(ConflictJson(conflict));
  }
  for (const KnownConflict& conflict : found.conflicts) {
    known.push_back(KnownConflictJson(conflict));
  }
  return {{"evidence", std::move(statements)},
          {"conflicts", std::move(conflicts)},
          {"known_conflicts", std::move(known)}};
}

Json ConflictJson(const Conflict& conflict) {
  return {{"stronger", conflict.stronger},
          {"weaker", conflict.weaker},
          {"decided", conflict.decided},
          {"why", conflict.why}};
}

Json KnownConflictJson(const KnownConflict& conflict) {
  Json readings = Json::array();
  for (const KnownConflict::Reading& reading : conflict.readings) {
    readings.push_back(
        {{"says", reading.says}, {"source", reading.source}, {"stronger", reading.stronger}});
  }
  return {{"id", conflict.id},
          {"subject", conflict.subject},
          {"targets", conflict.targets},
          {"why", conflict.why},
          {"readings", std::move(readings)}};
}

}  // namespace anecheck::evidence
