#include "oracles/defect_words.h"

#include "oracles/catalogue.h"
#include "oracles/contract.h"

namespace anecheck {

std::string_view DefectWords(std::string_view id, std::string_view op) {
  std::string_view words;
  for (const Departure& departure : DeparturesInForce()) {
    if (departure.id != id) continue;
    if (departure.op == op) return departure.what;
    if (words.empty()) words = departure.what;
  }
  return words;
}

std::string DefectWords(const DefectSet& defects, std::string_view op) {
  std::string text;
  for (const std::string& id : defects) {
    const std::string_view words = DefectWords(id, op);
    text += text.empty() ? "" : "; ";
    text += id;
    if (!words.empty()) text += ": ";
    text += words;
  }
  return text;
}

}  // namespace anecheck
