#include "harness/cli/check_open.h"

#include <array>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <utility>

#include "harness/cli/check_answer.h"
#include "harness/cli/prepared_model.h"
#include "harness/lowering/mil_types.h"
#include "harness/targets/chip_names.h"
#include "oracles/plan/plan.h"

namespace anecheck {
namespace {

// Extents from one element to a long sequence. Every engine takes longer axes than these.
constexpr std::array<int64_t, 8> kTried = {1, 2, 3, 8, 64, 256, 1024, 4096};
constexpr std::string_view kDepends = "depends";

std::string ShapeText(const Shape& shape) {
  std::string text;
  for (const int64_t dim : shape.dims()) {
    text += text.empty() ? "" : ", ";
    text += dim == kOpenExtent ? "?" : fmt::format("{}", dim);
  }
  return "[" + text + "]";
}

std::vector<ModelShape> At(std::span<const ModelShape> open, int64_t extent) {
  std::vector<ModelShape> shapes(open.begin(), open.end());
  for (ModelShape& input : shapes) {
    Shape shape;
    for (const int64_t dim : input.shape.dims()) shape.Append(dim == kOpenExtent ? extent : dim);
    input.shape = shape;
  }
  return shapes;
}

// The answers on one operation at all extents. Its name identifies the operation at each extent.
struct Judged {
  std::string op, name, placement, reason;
  std::vector<int64_t> not_on_engine;
};

class PlaceJudge {
 public:
  explicit PlaceJudge(const JudgedPlace& place) : place_(place) {}

  Status Add(const PreparedModel& model, int64_t extent) {
    Case item = model.item;
    item.target = place_.target;
    item.route = place_.route;
    ANECHECK_ASSIGN(const evidence::GraphAnswer answer,
                    AnswerOf(item, *place_.values, place_.order));
    const std::vector<PlacedNode> placed = PlaceNodes(answer);
    for (NodeId id = 0; id < item.graph.nodes().size(); ++id) {
      if (!item.graph.node(id).added) Add(item.graph, id, placed[id], extent);
    }
    return {};
  }

  Json ToJson() const {
    Json rows = Json::array();
    for (const Judged& row : rows_) {
      rows.push_back({{"op", row.op},
                      {"name", row.name},
                      {"placement", row.placement},
                      {"reason", row.reason},
                      {"not_on_engine_at", row.not_on_engine}});
    }
    return {{"target", place_.target.name},
            {"title", TargetTitle(place_.target.name)},
            {"route", ToText(place_.route)},
            {"operations", std::move(rows)}};
  }

 private:
  void Add(const Graph& graph, NodeId id, const PlacedNode& placed, int64_t extent) {
    const Node& node = graph.node(id);
    const std::string name = plan::OperationName(NodeView(graph, id));
    const std::string_view placement = PlacementOf(placed);
    const auto [found, fresh] = places_.emplace(name, rows_.size());
    if (fresh)
      rows_.push_back(
          {std::string(node.schema->name), name, std::string(placement), placed.reason, {}});
    Judged& row = rows_[found->second];
    if (row.placement != placement) row.placement = kDepends;
    if (placed.on_engine) return;
    row.not_on_engine.push_back(extent);
    if (row.reason.empty()) row.reason = placed.reason;
  }

  const JudgedPlace& place_;
  std::vector<Judged> rows_;
  std::map<std::string, size_t> places_;  // indices in `rows_`, by name
};

std::string OperationText(const Json& row, const Json& tried) {
  const Json& extents = row["not_on_engine_at"];
  std::string at;
  for (const Json& extent : extents) {
    at += fmt::format("{}{}", at.empty() ? "" : ", ", extent.get<int64_t>());
  }
  const bool always = extents.size() == tried.size();
  return fmt::format("  {}: {} \"{}\"{}: {}\n", row["placement"].get<std::string>(),
                     row["op"].get<std::string>(), row["name"].get<std::string>(),
                     always ? "" : ", not on the engine at " + at,
                     row["reason"].get<std::string>());
}

}  // namespace

Result<Json> JudgeOpenAxes(const Model& model, const std::string& function,
                           std::span<const ModelShape> open, std::span<const JudgedPlace> places) {
  std::vector<PlaceJudge> judges(places.begin(), places.end());
  Json inputs = Json::array(), tried = Json::array(), targets = Json::array();
  std::optional<Error> refused;
  for (const ModelShape& input : open) {
    inputs.push_back({{"name", input.input}, {"shape", ShapeText(input.shape)}});
  }
  for (const int64_t extent : kTried) {
    const auto prepared = PrepareModel(model, function, {.tried = At(open, extent)});
    if (!prepared.ok()) {
      if (!refused) refused = prepared.error();
      continue;
    }
    tried.push_back(extent);
    for (PlaceJudge& judge : judges) ANECHECK_RETURN_IF_ERROR(judge.Add(*prepared, extent));
  }
  if (tried.empty()) return *refused;
  for (const PlaceJudge& judge : judges) targets.push_back(judge.ToJson());
  return Json{{"open_inputs", std::move(inputs)},
              {"tried", std::move(tried)},
              {"targets", std::move(targets)}};
}

std::string OpenAxesText(const Json& judged) {
  std::string text;
  for (const Json& input : judged["open_inputs"]) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", input["name"].get<std::string>(),
                        input["shape"].get<std::string>());
  }
  std::string tried;
  for (const Json& extent : judged["tried"]) {
    tried += fmt::format("{}{}", tried.empty() ? "" : ", ", extent.get<int64_t>());
  }
  text += fmt::format(": open axes, judged by the rules alone, at {}\n", tried);
  for (const Json& target : judged["targets"]) {
    std::map<std::string, size_t> counts;
    std::string lines;
    for (const Json& row : target["operations"]) {
      ++counts[row["placement"].get<std::string>()];
      if (row["placement"] != "engine") lines += OperationText(row, judged["tried"]);
    }
    text += fmt::format(
        "{} by {}: {} may run on the engine, {} on the host, {} refused, {} by the "
        "extents\n{}",
        target["title"].get<std::string>(), target["route"].get<std::string>(), counts["engine"],
        counts["host"], counts["refused"], counts[std::string(kDepends)], lines);
  }
  return text;
}

}  // namespace anecheck
