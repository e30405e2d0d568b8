#include "oracles/plan/plan_print.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <vector>

#include "harness/base/counted.h"
#include "harness/base/json.h"

namespace anecheck::plan {
namespace {

Json TextOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string WeightText(const WeightPlan& weights) {
  if (!weights.unknown.empty()) return "weights unknown: " + weights.unknown;
  std::string text = fmt::format("{} {} {} of {}", weights.format, Counted(weights.bytes, "byte"),
                                 weights.streamed ? "streamed" : "dense", weights.cap);
  if (weights.parts > 1) text += fmt::format(", {} sub-layers", weights.parts);
  return text;
}

// "host" alone would say that the operation runs there.
std::string_view OccasionText(Occasion occasion) {
  return occasion == Occasion::kHost ? "rewritten before the compiler" : OccasionName(occasion);
}

// A large layer has hundreds of sub-layers: the text has the first ones and the last one, which has
// the result; the JSON has all.
std::string NamesText(const std::vector<std::string>& names) {
  constexpr size_t kMostNames = 8;
  constexpr size_t kFirstNames = 3;
  if (names.size() <= kMostNames) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, {} more, {}", fmt::join(std::span(names).first(kFirstNames), ", "),
                     names.size() - kFirstNames - 1, names.back());
}

std::string RewriteText(const Rewrite& rewrite) {
  std::string text = fmt::format("  {} ({}), {}: {}", rewrite.name, rewrite.op,
                                 OccasionText(rewrite.occasion), rewrite.what);
  if (!rewrite.no_graph.empty()) {
    text += fmt::format("; no graph shows it: {}", rewrite.no_graph);
  } else if (!rewrite.into.empty()) {
    text += " -> " + NamesText(rewrite.into);
  }
  if (!rewrite.reason.empty()) text += fmt::format("\n    because: {}", rewrite.reason);
  if (IsNeeded(rewrite)) text += "; the engine takes only the rewritten form";
  return text + fmt::format("\n    {}\n", rewrite.source);
}

std::string LayerText(const Layer& layer) {
  std::string text = fmt::format("    {} ({}): {}", layer.name, layer.op, FateName(layer.fate));
  if (!layer.native_layer.empty()) text += ", layer " + layer.native_layer;
  if (layer.weights) text += ", " + WeightText(*layer.weights);
  if (!layer.streams.empty()) text += fmt::format(", streams {}", fmt::join(layer.streams, ", "));
  if (!layer.reason.empty()) text += fmt::format(": {} ({})", layer.reason, layer.source);
  return text + "\n";
}

std::string StateText(const StateBuffer& state) {
  if (!state.shared)
    return fmt::format("  {}: resident, {}\n", state.name, Counted(state.bytes, "byte"));
  return fmt::format("  {}: shared buffer at 0x{:x}, {}\n", state.name, state.offset,
                     Counted(state.bytes, "byte"));
}

Json LayerJson(const Layer& layer) {
  Json json = {{"name", layer.name},
               {"op", layer.op},
               {"layer", TextOrNull(layer.native_layer)},
               {"from", layer.from},
               {"fate", FateName(layer.fate)},
               {"rule", TextOrNull(layer.rule)},
               {"reason", TextOrNull(layer.reason)},
               {"source", TextOrNull(layer.source)},
               {"segment", layer.segment < 0 ? Json(nullptr) : Json(layer.segment)}};
  if (layer.weights && layer.weights->unknown.empty()) {
    json["weights"] = {{"format", layer.weights->format},
                       {"streamed", layer.weights->streamed},
                       {"bytes", layer.weights->bytes},
                       {"cap", layer.weights->cap},
                       {"parts", layer.weights->parts}};
  } else if (layer.weights) {
    json["weights"] = {{"format", layer.weights->format}, {"unknown", layer.weights->unknown}};
  }
  if (!layer.streams.empty()) json["streams"] = layer.streams;
  return json;
}

std::string_view CompilesText(const Plan& plan) {
  if (plan.compiles()) return "compiles";
  return plan.compiles_with_bridges() ? "does not compile; with bridges it does"
                                      : "does not compile";
}

std::string SegmentText(const Plan& plan, size_t index) {
  const Segment& segment = plan.segments[index];
  std::string text = fmt::format("segment {}, {}", index, SegmentKindName(segment.kind));
  if (plan.compiles_with_bridges()) {
    text += ", " + Counted(segment.dispatches, "dispatch", "dispatches");
  }
  for (const Rewrite& rewrite : plan.rewrites) {
    const bool here = std::ranges::any_of(
        segment.layers, [&](size_t layer) { return plan.layers[layer].from == rewrite.name; });
    if (!IsNeeded(rewrite) || !here) continue;
    text += fmt::format(", with {} ({}) in rewritten form", rewrite.name, rewrite.op);
  }
  return text + "\n";
}

// Each dispatch of a segment has the segment's name.
std::string DescriptorText(const std::vector<DescriptorOperation>& operations) {
  std::string text = "descriptor";
  for (size_t i = 0; i < operations.size();) {
    const DescriptorOperation& operation = operations[i];
    size_t end = i + 1;
    while (end < operations.size() && operations[end].kind == operation.kind &&
           operations[end].name == operation.name) {
      ++end;
    }
    text += fmt::format(" {}({})", operation.kind, operation.name);
    if (end - i > 1) text += fmt::format(" {} times", end - i);
    i = end;
  }
  return text + "\n";
}

}  // namespace

std::string PlanHeadline(const Plan& plan) {
  std::string text =
      fmt::format("{}, {}", CompilesText(plan), Counted(plan.layers.size(), "layer"));
  if (plan.compiles_with_bridges()) {
    text += " in " + Counted(plan.dispatches, "dispatch", "dispatches");
  }
  return text;
}

std::string PlanText(const Plan& plan) {
  std::string text =
      fmt::format("{} by {}: {}\n", plan.target, ToText(plan.route), PlanHeadline(plan));
  if (!plan.rewrites.empty()) text += "rewritten\n";
  for (const Rewrite& rewrite : plan.rewrites) text += RewriteText(rewrite);
  bool heading = false;
  for (const Layer& layer : plan.layers) {
    if (layer.segment >= 0) continue;
    if (!heading) text += "without a dispatch\n";
    heading = true;
    text += LayerText(layer);
  }
  for (size_t i = 0; i < plan.segments.size(); ++i) {
    text += SegmentText(plan, i);
    for (const size_t layer : plan.segments[i].layers) text += LayerText(plan.layers[layer]);
  }
  if (!plan.states.empty()) text += "states\n";
  for (const StateBuffer& state : plan.states) text += StateText(state);
  return text + DescriptorText(plan.descriptor);
}

Json PlanJson(const Plan& plan) {
  Json json = {{"target", plan.target},
               {"route", ToText(plan.route)},
               {"compiles", plan.compiles()},
               {"compiles_with_bridges", plan.compiles_with_bridges()},
               {"dispatches", plan.dispatches}};
  json["rewrites"] = Json::array();
  for (const Rewrite& rewrite : plan.rewrites) {
    json["rewrites"].push_back({{"name", rewrite.name},
                                {"op", rewrite.op},
                                {"occasion", OccasionName(rewrite.occasion)},
                                {"rule", TextOrNull(rewrite.rule)},
                                {"reason", TextOrNull(rewrite.reason)},
                                {"what", rewrite.what},
                                {"source", rewrite.source},
                                {"into", rewrite.into},
                                {"no_graph", TextOrNull(rewrite.no_graph)}});
  }
  json["layers"] = Json::array();
  for (const Layer& layer : plan.layers) json["layers"].push_back(LayerJson(layer));
  json["segments"] = Json::array();
  for (const Segment& segment : plan.segments) {
    Json names = Json::array();
    for (const size_t layer : segment.layers) names.push_back(plan.layers[layer].name);
    json["segments"].push_back({{"kind", SegmentKindName(segment.kind)},
                                {"dispatches", segment.dispatches},
                                {"layers", std::move(names)}});
  }
  json["states"] = Json::array();
  for (const StateBuffer& state : plan.states) {
    json["states"].push_back({{"name", state.name},
                              {"bytes", state.bytes},
                              {"shared", state.shared},
                              {"offset", state.shared ? Json(state.offset) : Json(nullptr)}});
  }
  json["descriptor"] = Json::array();
  for (const DescriptorOperation& operation : plan.descriptor) {
    json["descriptor"].push_back({{"kind", operation.kind}, {"name", operation.name}});
  }
  return json;
}

}  // namespace anecheck::plan
