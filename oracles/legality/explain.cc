#include "oracles/legality/explain.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/json_text.h"

namespace anecheck::legality {
namespace {

std::string LayerText(const LayerVerdict& layer) {
  const std::string_view verdict = layer.reached ? RulingName(layer.ruling) : "not reached";
  std::string text = fmt::format("  {:<16} {:<11}", LayerName(layer.layer), verdict);
  if (!layer.reached && layer.ruling > Ruling::kNotRead) {
    text += fmt::format(" would {}:", RulingName(layer.ruling));
  }
  if (!layer.reason.empty()) text += " " + layer.reason;
  if (!layer.source.empty()) text += fmt::format(" [{}]", layer.source);
  while (text.ends_with(' ')) text.pop_back();
  text += "\n";
  for (const OtherReading& other : layer.others) {
    text += fmt::format("{:<20}otherwise: {} [{}]\n", "", other.says, other.source);
  }
  return text;
}

}  // namespace

std::string VerdictText(const Verdict& verdict, const Target& target) {
  std::string text = fmt::format("{} on {} ({}), route {}: {}\n", verdict.op, verdict.target,
                                 target.chips ? target.chips.value() : TierName(target.tier),
                                 RouteName(verdict.route), OutcomeName(verdict.outcome));
  if (!verdict.native_layer.empty()) {
    text += fmt::format("  {:<16} {}\n", "native layer", verdict.native_layer);
  }
  size_t open = 0;
  for (const LayerVerdict& layer : verdict.layers) {
    text += LayerText(layer);
    open += layer.open.size();
  }
  if (open > 0) {
    text += fmt::format("  {} rules need attributes or shapes that are not given (--json)\n", open);
  }
  return text;
}

Json VerdictJson(const Verdict& verdict) {
  Json layers = Json::array();
  for (const LayerVerdict& layer : verdict.layers) {
    Json others = Json::array();
    for (const OtherReading& other : layer.others) {
      others.push_back({{"says", other.says}, {"source", other.source}});
    }
    Json open = Json::array();
    for (const std::string& what : layer.open) open.push_back(what);
    layers.push_back({{"layer", LayerName(layer.layer)},
                      {"verdict", RulingName(layer.ruling)},
                      {"reached", layer.reached},
                      {"rule", layer.rule},
                      {"reason", layer.reason},
                      {"source", layer.source},
                      {"others", std::move(others)},
                      {"depends_on", std::move(open)}});
  }
  return {{"op", verdict.op},
          {"native_layer", verdict.native_layer},
          {"target", verdict.target},
          {"route", RouteName(verdict.route)},
          {"outcome", OutcomeName(verdict.outcome)},
          {"layers", std::move(layers)}};
}

}  // namespace anecheck::legality
