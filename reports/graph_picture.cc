#include "reports/graph_picture.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "reports/text.h"

namespace anecheck::reports {
namespace {

// Sizes in pixels.
constexpr double kLetter = 7.3, kLine = 16, kPadding = 8;
constexpr double kGapX = 24, kGapY = 34, kBend = 10;
constexpr size_t kLongestText = 44;

struct Box {
  std::vector<std::string> lines;  // empty for a bend, at which a long edge crosses a layer
  std::string style;
  std::string words;  // shown under the pointer
  size_t layer = 0;
  double x = 0, width = 0, height = 0;  // x is that of the centre
  double place = 0;                     // the sort key of the boxes of a layer
  std::vector<size_t> above, below;
};

std::string Shortened(std::string text) {
  if (text.size() <= kLongestText) return text;
  return text.substr(0, kLongestText - 3) + "...";
}

class Picture {
 public:
  Picture(const Graph& graph, NodeId wrong, std::span<const NodeMark> marks) : graph_(graph) {
    for (ValueId id = 0; id < graph.values().size(); ++id) {
      const ValueKind kind = graph.value(id).kind;
      if (kind == ValueKind::kInput) holder_[id] = Add({"input", Typed(id)}, "input", 0);
      if (kind == ValueKind::kState) holder_[id] = Add({"state", Typed(id)}, "input", 0);
    }
    for (NodeId id = 0; id < graph.nodes().size(); ++id) {
      AddNode(id, id == wrong, marks.empty() ? NodeMark{} : marks[id]);
    }
    for (const ValueId id : graph.outputs()) {
      const auto from = holder_.find(id);
      const size_t layer = from == holder_.end() ? 0 : boxes_[from->second].layer + 1;
      const size_t box = Add({"output", Typed(id)}, "output", layer);
      if (from != holder_.end()) Connect(from->second, box);
    }
  }

  std::string Draw() {
    LowerSources();
    SplitLongEdges();
    Order();
    Place();
    return Svg();
  }

 private:
  std::string Typed(ValueId id) const {
    const Value& value = graph_.value(id);
    return Shortened(value.name) + ": " + std::string(DTypeName(value.type.dtype)) + " " +
           value.type.shape.ToString();
  }

  size_t Add(std::vector<std::string> lines, std::string style, size_t layer) {
    Box box;
    box.lines = std::move(lines);
    box.style = std::move(style);
    box.layer = layer;
    size_t letters = 0;
    for (const std::string& line : box.lines) letters = std::max(letters, line.size());
    box.width = static_cast<double>(letters) * kLetter + 2 * kPadding;
    box.height = static_cast<double>(box.lines.size()) * kLine + kPadding;
    boxes_.push_back(std::move(box));
    return boxes_.size() - 1;
  }

  void AddNode(NodeId id, bool wrong, const NodeMark& mark) {
    const Node& node = graph_.node(id);
    std::vector<size_t> sources;
    size_t layer = 0;
    for (const Argument& argument : graph_.arguments(node)) {
      const auto from = holder_.find(argument.value);
      if (from == holder_.end()) continue;  // the value is a constant
      sources.push_back(from->second);
      layer = std::max(layer, boxes_[from->second].layer + 1);
    }
    std::vector<std::string> lines = {std::string(node.schema->name)};
    if (wrong) lines[0] += " - first wrong";
    if (!mark.line.empty()) lines.push_back(mark.line);
    for (uint32_t i = 0; i < std::min<uint32_t>(node.result_count, 4); ++i) {
      lines.push_back(Typed(node.first_result + i));
    }
    if (node.result_count > 4) lines.push_back(fmt::format("and {} more", node.result_count - 4));
    std::string style = wrong ? "node wrong" : "node";
    if (!mark.style.empty()) style += " " + mark.style;
    const size_t box = Add(std::move(lines), std::move(style), layer);
    boxes_[box].words = mark.words;
    for (uint32_t i = 0; i < node.result_count; ++i) holder_[node.first_result + i] = box;
    for (const size_t source : sources) Connect(source, box);
  }

  void Connect(size_t from, size_t to) {
    boxes_[from].below.push_back(to);
    boxes_[to].above.push_back(from);
  }

  // Places an operation whose operands are all constants in the layer above its first reader.
  void LowerSources() {
    for (Box& box : boxes_) {
      if (!box.above.empty() || box.below.empty() || box.style == "input") continue;
      size_t lowest = boxes_[box.below[0]].layer;
      for (const size_t reader : box.below) lowest = std::min(lowest, boxes_[reader].layer);
      box.layer = lowest - 1;
    }
  }

  // Puts a bend into each layer that an edge crosses, so that the edge goes around the layer's
  // boxes.
  void SplitLongEdges() {
    const size_t count = boxes_.size();
    for (size_t from = 0; from < count; ++from) {
      for (size_t i = 0; i < boxes_[from].below.size(); ++i) {
        const size_t to = boxes_[from].below[i];
        size_t last = from;
        for (size_t layer = boxes_[from].layer + 1; layer < boxes_[to].layer; ++layer) {
          const size_t bend = Add({}, "", layer);
          boxes_[bend].width = kBend;
          if (last == from) {
            boxes_[from].below[i] = bend;
          } else {
            boxes_[last].below.push_back(bend);
          }
          boxes_[bend].above.push_back(last);
          last = bend;
        }
        if (last == from) continue;
        boxes_[last].below.push_back(to);
        *std::find(boxes_[to].above.begin(), boxes_[to].above.end(), from) = last;
      }
    }
    for (size_t i = 0; i < boxes_.size(); ++i) {
      if (layers_.size() <= boxes_[i].layer) layers_.resize(boxes_[i].layer + 1);
      layers_[boxes_[i].layer].push_back(i);
    }
  }

  // Orders each layer by the mean position of its neighbours, in alternating sweeps down and up.
  void Order() {
    for (auto& layer : layers_) Number(layer);
    for (int sweep = 0; sweep < 6; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (size_t i = 0; i < layers_.size(); ++i) {
        auto& layer = layers_[down ? i : layers_.size() - 1 - i];
        std::vector<std::pair<double, size_t>> order;
        for (const size_t box : layer) {
          const auto& near = down ? boxes_[box].above : boxes_[box].below;
          double sum = 0;
          for (const size_t other : near) sum += boxes_[other].place;
          order.emplace_back(
              near.empty() ? boxes_[box].place : sum / static_cast<double>(near.size()), box);
        }
        std::sort(order.begin(), order.end());
        for (size_t k = 0; k < order.size(); ++k) layer[k] = order[k].second;
        Number(layer);
      }
    }
  }

  void Number(const std::vector<size_t>& layer) {
    for (size_t k = 0; k < layer.size(); ++k) boxes_[layer[k]].place = static_cast<double>(k);
  }

  // Computes positions. Every layer is centred.
  void Place() {
    for (const auto& layer : layers_) {
      double width = -kGapX;
      for (const size_t box : layer) width += boxes_[box].width + kGapX;
      width_ = std::max(width_, width);
    }
    double top = kPadding;
    for (const auto& layer : layers_) {
      double width = -kGapX, height = 0;
      for (const size_t box : layer) {
        width += boxes_[box].width + kGapX;
        height = std::max(height, boxes_[box].height);
      }
      double x = kPadding + (width_ - width) / 2;
      for (const size_t box : layer) {
        boxes_[box].x = x + boxes_[box].width / 2;
        x += boxes_[box].width + kGapX;
      }
      tops_.push_back(top);
      heights_.push_back(height);
      top += height + kGapY;
    }
    height_ = top - kGapY + kPadding;
  }

  std::string Edge(const Box& from, const Box& to) const {
    const double y1 = tops_[from.layer] + (from.lines.empty() ? heights_[from.layer] : from.height);
    const double y2 = tops_[to.layer];
    const double middle = (y1 + y2) / 2;
    std::string path = fmt::format("<path class=\"edge\" d=\"M{:.0f} {:.0f}", from.x, y1);
    // At a bend, the edge runs straight through the layer.
    path +=
        fmt::format(" C{0:.0f} {2:.0f} {1:.0f} {2:.0f} {1:.0f} {3:.0f}", from.x, to.x, middle, y2);
    if (to.lines.empty()) {
      path += fmt::format(" L{:.0f} {:.0f}\"/>", to.x, y2 + heights_[to.layer]);
      return path;
    }
    return path + "\" marker-end=\"url(#arrow)\"/>";
  }

  std::string Svg() const {
    std::string svg = fmt::format(
        "<svg class=\"graph\" role=\"img\" aria-label=\"The graph of the case\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\"><defs><marker id=\"arrow\" "
        "viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
        "orient=\"auto\"><path class=\"head\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n",
        width_ + 2 * kPadding, height_);
    for (const Box& box : boxes_) {
      for (const size_t to : box.below) svg += Edge(box, boxes_[to]) + "\n";
    }
    for (const Box& box : boxes_) {
      if (box.lines.empty()) continue;
      const double top = tops_[box.layer];
      svg += fmt::format(
          "<g class=\"{}\"><rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" "
          "rx=\"5\"/>",
          box.style, box.x - box.width / 2, top, box.width, box.height);
      if (!box.words.empty()) svg += "<title>" + EscapeXml(box.words) + "</title>";
      for (size_t i = 0; i < box.lines.size(); ++i) {
        svg += fmt::format(
            "<text{} x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", i == 0 ? " class=\"title\"" : "", box.x,
            top + kPadding / 2 + kLine * (static_cast<double>(i) + 0.75), EscapeXml(box.lines[i]));
      }
      svg += "</g>\n";
    }
    return svg + "</svg>\n";
  }

  const Graph& graph_;
  std::vector<Box> boxes_;
  std::map<ValueId, size_t> holder_;  // the box that produces a value
  std::vector<std::vector<size_t>> layers_;
  std::vector<double> tops_, heights_;
  double width_ = 0, height_ = 0;
};

}  // namespace

std::string GraphPicture(const Graph& graph, NodeId marked) {
  if (graph.nodes().size() > kDrawnNodes) return {};
  return Picture(graph, marked, {}).Draw();
}

std::string MarkedPicture(const Graph& graph, std::span<const NodeMark> marks) {
  if (graph.nodes().size() > kMarkedNodes) return {};
  return Picture(graph, kNoNode, marks).Draw();
}

std::string GraphSentence(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes()) {
    std::string line;
    for (uint32_t i = 0; i < node.result_count; ++i) {
      line += (i == 0 ? "" : ", ") + graph.value(node.first_result + i).name;
    }
    line += fmt::format("{}{}(", node.result_count == 0 ? "" : " = ", node.schema->name);
    for (const Argument& argument : graph.arguments(node)) {
      line += (line.back() == '(' ? "" : ", ") + graph.value(argument.value).name;
    }
    text += line + ")\n";
  }
  return text;
}

}  // namespace anecheck::reports
