#include "harness/cli/explain_term.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

#include "harness/base/json_words.h"
#include "harness/ops/op.h"
#include "oracles/contract.h"
#include "oracles/laws.h"
#include "oracles/reference/kernel.h"

namespace anecheck {
namespace {

Json FamiliesJson(uint32_t families) {
  Json names = Json::array();
  for (int family = 0; family < kContractFamilies; ++family) {
    if ((families >> family & 1) != 0) names.push_back(ConformingContract(family).name);
  }
  return names;
}

Json Entry(std::string_view name, std::string_view kind, std::string_view what, uint32_t measured,
           std::string_view source) {
  return {{"name", name},
          {"kind", kind},
          {"what", what},
          {"value", nullptr},
          {"measured", FamiliesJson(measured)},
          {"inferred", Json::array()},
          {"targets", ""},
          {"open", ""},
          {"source", source},
          {"ops", Json::array()}};
}

void AddTabledOps(Json& entry) {
  for (const OpDefinition* op : AllOps()) {
    if (IsTabled(KindOf(op->schema))) entry["ops"].push_back(op->schema.name);
  }
}

Json TermJson(const TermFact& term) {
  Json entry = Entry(term.name, "term", term.what, term.measured, term.source);
  entry["value"] = term.conforming;
  for (const OpDefinition* op : AllOps()) {
    const auto& terms = AllReferenceKernels()[op->schema.id]->terms;
    if (std::ranges::find(terms, term.term) != terms.end()) {
      entry["ops"].push_back(op->schema.name);
    }
  }
  return entry;
}

Json LawJson(const LawFact& law) {
  Json entry = Entry(law.name, "law", law.what, law.measured, law.source);
  entry["inferred"] = FamiliesJson(law.inferred);
  entry["targets"] = law.targets;
  entry["open"] = law.open;
  if (law.law == &Laws::tables) AddTabledOps(entry);
  return entry;
}

Json RuleJson(const Departure& rule) {
  Json entry = Entry(rule.id, "rule", rule.what, rule.holds, rule.source);
  if (rule.effect == Effect::kTableAtZero) AddTabledOps(entry);
  return entry;
}

std::string Line(std::string_view word, const std::string& fact) {
  return fact.empty() ? "" : fmt::format("  {}: {}\n", word, fact);
}

}  // namespace

std::vector<std::string> ContractTermNames() {
  std::vector<std::string> names;
  names.reserve(TermFacts().size() + LawFacts().size() + OpenRules().size());
  for (const TermFact& term : TermFacts()) names.emplace_back(term.name);
  for (const LawFact& law : LawFacts()) names.emplace_back(law.name);
  for (const Departure& rule : OpenRules()) names.emplace_back(rule.id);
  return names;
}

Json ContractTermJson(std::string_view name) {
  for (const TermFact& term : TermFacts()) {
    if (term.name == name) return TermJson(term);
  }
  for (const LawFact& law : LawFacts()) {
    if (law.name == name) return LawJson(law);
  }
  for (const Departure& rule : OpenRules()) {
    if (rule.id == name) return RuleJson(rule);
  }
  return {};
}

std::string ContractTermText(const Json& term) {
  const std::string kind = MemberText(term, "kind");
  std::string text =
      fmt::format("{}: a {} of the numeric contract\n  meaning: {}\n", MemberText(term, "name"),
                  kind == "rule" ? "rule that holds until an engine is measured" : kind,
                  MemberText(term, "what"));
  if (term["value"].is_number()) {
    text += fmt::format("  value on every family: {:g}\n", term["value"].get<double>());
  }
  const bool never = term["measured"].empty();
  text += fmt::format("  measured on: {}{}\n", never ? "no family" : JoinedTexts(term["measured"]),
                      kind != "law" ? "; assumed on the others" : "");
  text += Line("inferred on", JoinedTexts(term["inferred"]));
  text += Line("targets of the measurement", MemberText(term, "targets"));
  text += Line("left open", MemberText(term, "open"));
  text += Line("operations", JoinedTexts(term["ops"]));
  return text + Line("source", MemberText(term, "source"));
}

}  // namespace anecheck
