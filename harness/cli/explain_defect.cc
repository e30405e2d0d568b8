#include "harness/cli/explain_defect.h"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

#include "harness/base/json_words.h"
#include "harness/check/advice.h"
#include "harness/device/quirk.h"
#include "harness/targets/catalog.h"
#include "harness/targets/chip_names.h"
#include "oracles/contract.h"

namespace anecheck {
namespace {

std::vector<std::string> NamesOfFamilies(uint32_t families) {
  std::vector<std::string> names;
  for (int family = 0; family < kContractFamilies; ++family) {
    if ((families >> family & 1) != 0) names.emplace_back(ConformingContract(family).name);
  }
  return names;
}

// Returns the titles of the families' targets, with their chips.
Json ChipsOfFamilies(uint32_t families) {
  Json chips = Json::array();
  for (const Target& target : AllTargets()) {
    const auto& family = target.family();
    if (!family.known() || (families >> static_cast<int>(family.value()) & 1) == 0) continue;
    if (!ChipsOf(target.compiler_name).empty()) chips.push_back(TargetTitle(target.compiler_name));
  }
  return chips;
}

}  // namespace

bool LooksLikeDefect(std::string_view word) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return word.size() > 1 && std::string_view("DdPp").find(word[0]) != std::string_view::npos &&
         std::ranges::all_of(word.substr(1), digit);
}

std::vector<std::string> DefectIds() {
  std::vector<std::string> ids;
  for (const device::Quirk& quirk : device::Quirks()) ids.emplace_back(quirk.id);
  return ids;
}

Json DefectJson(std::string_view id) {
  const int index = device::FindQuirk(id);
  if (index < 0) return {};
  const device::Quirk& row = device::Quirks()[static_cast<size_t>(index)];
  uint32_t families = 0;
  Json effects = Json::array();
  std::string_view op;
  for (const Departure& departure : KnownDepartures()) {
    if (departure.id != id) continue;
    families |= departure.families;
    if (op.empty()) op = departure.op;
    effects.push_back({{"op", departure.op},
                       {"what", departure.what},
                       {"families", NamesOfFamilies(departure.families)},
                       {"measured_right_on", NamesOfFamilies(departure.holds)},
                       {"source", departure.source}});
  }
  const Advice* advice = AdviceOnCliff(op, id);
  return {
      {"id", id},
      {"area", row.area},
      {"trigger", row.trigger},
      {"symptom", row.symptom},
      {"kind", row.kind},
      {"families", row.families},
      {"chips", ChipsOfFamilies(families)},
      {"effects", std::move(effects)},
      {"source", id.starts_with('D') ? "facts/known_defects.csv" : "facts/more/defects_plus.csv"},
      {"workaround", advice == nullptr ? Json() : Json(advice->change)},
      {"workaround_source", advice == nullptr ? Json() : Json(advice->source)}};
}

std::string DefectText(const Json& defect) {
  std::string text = fmt::format(
      "{}: {}: {}\n  when: {}\n  kind: {}\n  families, as the source names them: {}\n  source: "
      "{}\n",
      MemberText(defect, "id"), MemberText(defect, "area"), MemberText(defect, "symptom"),
      MemberText(defect, "trigger"), MemberText(defect, "kind"), MemberText(defect, "families"),
      MemberText(defect, "source"));
  for (const Json& effect : defect["effects"]) {
    const std::string op = MemberText(effect, "op");
    text +=
        fmt::format("  {}{}; on {}{} [{}]\n", op.empty() ? "" : op + ": ",
                    MemberText(effect, "what"), JoinedTexts(effect["families"]),
                    effect["measured_right_on"].empty()
                        ? ""
                        : "; measured as correct on " + JoinedTexts(effect["measured_right_on"]),
                    MemberText(effect, "source"));
  }
  if (!defect["chips"].empty()) text += fmt::format("  chips: {}\n", JoinedTexts(defect["chips"]));
  if (defect["workaround"].is_null()) {
    text += "way around it: no source names one\n";
  } else {
    text += fmt::format("way around it: {} [{}]\n", MemberText(defect, "workaround"),
                        MemberText(defect, "workaround_source"));
  }
  return text;
}

}  // namespace anecheck
