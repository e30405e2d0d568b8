#include "harness/evidence/conflicts.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "harness/evidence/csv.h"
#include "harness/evidence/embedded.h"

namespace anecheck::evidence {
namespace {

bool SameConditions(const Statement& a, const Statement& b) {
  const auto meets = [](const std::string& x, const std::string& y) {
    return x.empty() || y.empty() || x == y;
  };
  const bool routes_meet = !a.route || !b.route || a.route == b.route;
  return routes_meet && meets(a.os, b.os) && meets(a.compiler_version, b.compiler_version);
}

bool Opposed(const Statement& a, const Statement& b) {
  const bool differ =
      (Reached(a.stage) && Denied(b.stage)) || (Denied(a.stage) && Reached(b.stage));
  return differ && SameConditions(a, b);
}

// Whether the statement lost to the declared winner of a known conflict. A winner decides only
// between published claims, so later findings are never overruled.
bool Overruled(const Statement& statement, const KnownConflict* conflict) {
  return conflict != nullptr && statement.provenance == Provenance::kPublished &&
         Decides(statement) && Reached(statement.stage) != *conflict->Winner();
}

Conflict Weigh(std::span<const Statement> statements, size_t a, size_t b) {
  const KnownConflict* known = DecidingConflict(statements[a].subject, statements[a].target);
  const bool lost_a = Overruled(statements[a], known), lost_b = Overruled(statements[b], known);
  const bool published = statements[a].provenance == Provenance::kPublished &&
                         statements[b].provenance == Provenance::kPublished;
  if (published && lost_a != lost_b) {
    if (lost_a) std::swap(a, b);
    return {a, b, true, known->why};
  }
  if (StrengthOf(statements[a]) < StrengthOf(statements[b])) std::swap(a, b);
  if (StrengthOf(statements[a]) != StrengthOf(statements[b])) {
    return {a, b, true,
            fmt::format("{}, against {}", StrengthReason(statements[a]),
                        StrengthReason(statements[b]))};
  }
  return {a, b, false,
          fmt::format("both: {}; no source decides between them", StrengthReason(statements[a]))};
}

std::vector<KnownConflict> ReadConflicts() {
  std::vector<KnownConflict> conflicts;
  for (const CsvRow& row : EmbeddedCsv(evidence_data::kConflicts, "conflicts")) {
    if (conflicts.empty() || conflicts.back().id != row.at("id")) {
      conflicts.push_back(
          {row.at("id"), row.at("subject"), row.at("cell"), row.at("targets"), {}, {}});
    }
    KnownConflict& conflict = conflicts.back();
    std::optional<bool> reached;
    if (!row.at("holds").empty()) reached = row.at("holds") == "reached";
    conflict.readings.push_back(
        {row.at("reading"), row.at("source"), row.at("stronger") == "yes", reached});
    if (!row.at("why").empty()) conflict.why = row.at("why");
  }
  return conflicts;
}

}  // namespace

bool KnownConflict::IsAbout(std::string_view operation, std::string_view target) const {
  if (cell.empty() || cell != operation) return false;
  std::string_view rest = targets;
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view name = rest.substr(0, comma);
    if (name == "all" || name == target) return true;
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return false;
}

std::optional<bool> KnownConflict::Winner() const {
  const auto winner = std::ranges::find(readings, true, &Reading::stronger);
  return winner == readings.end() ? std::nullopt : winner->reached;
}

const std::vector<KnownConflict>& KnownConflicts() {
  static const auto* const kConflicts = new std::vector<KnownConflict>(ReadConflicts());
  return *kConflicts;
}

const KnownConflict* DecidingConflict(std::string_view operation, std::string_view target) {
  const auto found = std::ranges::find_if(KnownConflicts(), [&](const KnownConflict& conflict) {
    return conflict.IsAbout(operation, target) && conflict.Winner().has_value();
  });
  return found == KnownConflicts().end() ? nullptr : &*found;
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
        if (!Opposed(statements[indices[i]], statements[indices[j]])) continue;
        conflicts.push_back(Weigh(statements, indices[i], indices[j]));
      }
    }
  }
  return conflicts;
}

Settled Settle(std::span<const Statement> statements, std::span<const uint32_t> of_cell) {
  Settled settled;
  Strength best = Strength::kNoEngine;
  for (const uint32_t index : of_cell) {
    const Statement& statement = statements[index];
    if (!Decides(statement)) continue;
    const KnownConflict* known = DecidingConflict(statement.subject, statement.target);
    if (known != nullptr) settled.conflict = known;
    if (Overruled(statement, known)) continue;
    const Strength strength = StrengthOf(statement);
    if (strength < best) continue;
    if (strength > best) settled.by.clear();
    best = strength;
    settled.by.push_back(index);
  }
  const auto rank = [](Stage stage) { return std::pair(!Denied(stage), stage); };
  for (const uint32_t a : settled.by) {
    for (const uint32_t b : settled.by) {
      if (!Opposed(statements[a], statements[b])) continue;
      settled.stage = Stage::kDisputed;
      return settled;
    }
    const Stage stage = statements[a].stage;
    if (settled.by.front() == a || rank(stage) > rank(settled.stage)) settled.stage = stage;
  }
  return settled;
}

}  // namespace anecheck::evidence
