#include "harness/cli/explain_term.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>

#include "harness/base/json_words.h"
#include "harness/ops/op.h"
#include "oracles/contract.h"
#include "oracles/laws.h"
#include "oracles/reference/kernel.h"

namespace anecheck {
namespace {

// The meaning of each term, in the order of Term.
constexpr std::array<std::string_view, kTermCount> kMeanings = {
    "1: a fused intermediate may skip its rounding to fp16",
    "1: the products of one operation may all be rounded to fp16",
    "unit roundoff of the accumulator of products",
    "1: the accumulator may be rounded to fp16 before bias or scale",
    "relative error of 1/n in averages",
    "quotients and reciprocals may be neighbours of the rounded result, in ulp",
    "roots may be neighbours of the rounded result, in ulp",
    "exp, exp2, log and other evaluated functions may be neighbours of the rounded result, in ulp",
    "1: the mean, x - mean and x - max may be rounded to fp16",
    "absolute error of the sigmoid's table",
    "absolute error of the table of tanh",
    "absolute error of the table of gelu",
    "absolute error of the table of silu",
    "absolute error of the table of softplus",
    "absolute error of the table of erf",
    "absolute error of the table of elu, for alpha = 1",
    "absolute error of the table of sine and cosine",
    "the same error of sine and cosine relative to the result; the smaller bound counts",
    "relative error of the argument that the table of sine and cosine takes",
    "absolute error of the table of the arc tangent",
    "1: any of several equal elements may be chosen or come first",
    "1: a position may be rounded to fp16",
    "1: interpolation may round weights, products and the sums of one axis",
    "relative error of a sampling position that is not a whole number",
    "1: the flags of a row may be in its first bytes, not one in each cell",
    "unit roundoff of the sums of reductions and averages, without products",
    "1: corners, areas and quotients of boxes may be rounded to fp16",
    "1: differences, squares and sums of distances may be rounded to fp16",
    "functions for which an ANE has tables may be neighbours of the rounded result, in ulp",
    "unit roundoff of a constant that a compiler multiplies into the weights of an earlier "
    "operation; 0: the compiler may not do so",
};
static_assert(std::ranges::none_of(kMeanings, &std::string_view::empty));

struct LawMeaning {
  std::string_view name;
  std::string_view what;
};
constexpr LawMeaning kLawMeanings[] = {
    {"fixed_sums", "sums of products are those of a 32-bit fixed-point accumulator"},
    {"perhaps_fixed_sums",
     "sums of products may be those of the fixed-point accumulator or of a wide one"},
    {"plain_numbers",
     "sums, differences and products of two elements treat exponent 31 like any other exponent, "
     "and every result is rounded with ties away from zero"},
    {"tables", "functions of one fp16 element come from the recorded tables"},
    {"perhaps_zero_roots", "a root of a negative number may be NaN, or +0 as on A13"},
};

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
  Json entry = Entry(term.name, "term", kMeanings[static_cast<size_t>(term.term)], term.measured,
                     term.source);
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
  const auto meaning = std::ranges::find(kLawMeanings, law.name, &LawMeaning::name);
  const bool told = meaning != std::end(kLawMeanings);
  Json entry = Entry(law.name, "law", told ? meaning->what : "", law.measured, law.source);
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
