#include "harness/campaign/coverage.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>

#include "harness/base/half.h"
#include "harness/campaign/judge_case.h"
#include "harness/targets/catalog.h"
#include "oracles/legality/legality.h"

namespace anecheck {
namespace {

constexpr uint64_t kRulesEvery = 16;

class Recorder {
 public:
  Recorder(const Case& item, BatchRecord& batch) : item_(item), batch_(batch) {}

  void Run() {
    Met();
    Flush();
  }

  // Rules alone: what an engine refused reached nothing else.
  void RunRules() {
    if (item_.index % kRulesEvery == 0) Rules();
    Flush();
  }

 private:
  void Met() {
    const Graph& graph = item_.graph;
    for (NodeId id = 0; id < graph.nodes().size(); ++id) {
      const NodeView node(graph, id);
      Parameters(node);
      Operands(node);
    }
    for (const Value& value : graph.values()) Extents(value.type.shape);
    for (const Tensor& input : item_.inputs) Values(input);
    if (item_.index % kRulesEvery == 0) Rules();
  }

  void Meet(std::string_view kind, std::string cell) {
    met_.insert({std::string(kind), std::move(cell)});
  }

  void Flush() {
    for (const CoverageCell& cell : met_) {
      CoverageCounts& counts = batch_.coverage[{cell.kind, cell.cell}];
      counts.first_case =
          counts.cases++ == 0 ? item_.index : std::min(counts.first_case, item_.index);
    }
  }

  void Parameters(const NodeView& node) {
    const OpSchema& schema = node.schema();
    for (size_t i = 0; i < schema.parameters.size(); ++i) {
      const Parameter& parameter = schema.parameters[i];
      const int index = static_cast<int>(i);
      const std::string name = fmt::format("{}.{}=", schema.name, parameter.name);
      if (IsTensorKind(parameter.kind)) {
        const ValueId operand = node.Input(index);
        Meet("op_attribute", name + std::string(Source(node.graph(), operand)));
        continue;
      }
      const Attribute* attribute = node.FindAttribute(index);
      if (attribute == nullptr) {
        Meet("op_attribute", name + "absent");
      } else if (attribute->kind == AttributeKind::kBool) {
        Meet("op_attribute", name + (attribute->integer != 0 ? "true" : "false"));
      } else if (attribute->kind == AttributeKind::kString && !parameter.choices.empty()) {
        Meet("op_attribute", name + std::string(node.graph().string(*attribute)));
      } else {
        Meet("op_attribute", name + "given");
        Meet("attribute_value", name + ValueClass(node.graph(), *attribute));
      }
    }
  }

  static std::string_view Source(const Graph& graph, ValueId operand) {
    if (operand == kNoValue) return "absent";
    switch (graph.value(operand).kind) {
      case ValueKind::kConst:
        return "constant";
      case ValueKind::kState:
        return "state";
      case ValueKind::kInput:
      case ValueKind::kResult:
        break;
    }
    return "computed";
  }

  static std::string_view NumberClass(double number) {
    if (number < 0) return "negative";
    if (number == 0) return "zero";
    if (number == 1) return "one";
    return number < 1 ? "fraction" : "more";
  }

  // Of a list: its length and whether all its elements are alike.
  template <typename T>
  static std::string ListClass(std::span<const T> list) {
    if (list.empty()) return "empty";
    const bool alike = std::ranges::all_of(list, [&](T element) { return element == list[0]; });
    return fmt::format("{} {}", list.size(),
                       alike ? NumberClass(static_cast<double>(list[0])) : "mixed");
  }

  static std::string ValueClass(const Graph& graph, const Attribute& attribute) {
    switch (attribute.kind) {
      case AttributeKind::kInt:
        return std::string(NumberClass(static_cast<double>(attribute.integer)));
      case AttributeKind::kFloat:
        return std::string(NumberClass(attribute.number));
      case AttributeKind::kInts:
        return ListClass(graph.ints(attribute));
      case AttributeKind::kFloats:
        return ListClass(graph.floats(attribute));
      default:
        return "other";
    }
  }

  void Operands(const NodeView& node) {
    const Graph& graph = node.graph();
    const std::string_view op = node.op();
    for (const Argument& argument : graph.arguments(node.node())) {
      const Value& value = graph.value(argument.value);
      const Parameter& parameter = node.schema().parameters[argument.parameter];
      Meet("dtype", fmt::format("{}.{}={}", op, parameter.name, DTypeName(value.type.dtype)));
      if (value.kind == ValueKind::kResult) {
        const std::string_view producer = graph.node(value.producer).schema->name;
        Meet("op_pair", fmt::format("{}>{}", producer, op));
      }
    }
    if (node.node().result_count > 0) {
      Meet("shape", fmt::format("{}.rank={}", op, node.ResultType().shape.rank()));
    }
  }

  void Extents(const Shape& shape) {
    for (const int64_t extent : shape.dims()) {
      Meet("shape", fmt::format("all.extent={}", ExtentClass(extent)));
    }
  }

  static std::string_view ExtentClass(int64_t extent) {
    const auto bits = static_cast<uint64_t>(extent);
    if (extent <= 1) return "one";
    if (extent > 1024) return "large";
    if (std::has_single_bit(bits)) return "power of two";
    if (std::has_single_bit(bits - 1) || std::has_single_bit(bits + 1)) return "next to a power";
    return extent % 2 != 0 ? "odd" : "even";
  }

  void Values(const Tensor& input) {
    if (input.type.dtype != DType::kFp16) return;
    for (size_t i = 0; i + 1 < input.bytes.size(); i += 2) {
      const Half half{static_cast<uint16_t>(input.bytes[i] | input.bytes[i + 1] << 8)};
      seen_[static_cast<size_t>(ClassOf(half))] = true;
    }
    for (size_t i = 0; i < std::size(kValueClasses); ++i) {
      if (seen_[i]) Meet("value", fmt::format("all.input={}", kValueClasses[i]));
    }
  }

 public:
  static constexpr std::string_view kValueClasses[] = {
      "zero",     "negative zero", "subnormal", "fraction", "integer to 2048",
      "to 32752", "above 32752",   "infinite",  "nan"};

 private:
  static int ClassOf(Half half) {
    const int exponent = half.bits >> 10 & 0x1f, fraction = half.bits & 0x3ff;
    if (exponent == 0x1f) return fraction != 0 ? 8 : 7;
    if (exponent == 0) return fraction != 0 ? 2 : half.bits == 0 ? 0 : 1;
    const double magnitude = std::fabs(HalfToDouble(half));
    if (magnitude > 32752) return 6;
    if (magnitude > 2048) return 5;
    return magnitude == std::trunc(magnitude) ? 4 : 3;
  }

  void Rules() {
    const auto target = TargetCatalog::Builtin().Find(item_.target.name);
    if (!target.ok()) return;
    const auto route = item_.route == "netlist" ? legality::Route::kNetlist : legality::Route::kMil;
    for (NodeId id = 0; id < item_.graph.nodes().size(); ++id) {
      const auto verdict =
          legality::Judge(legality::InstanceOf(NodeView(item_.graph, id)), **target, route);
      if (!verdict.ok()) continue;
      for (const legality::LayerVerdict& layer : verdict->layers) {
        if (!layer.rule.empty()) Meet("rule", layer.rule);
      }
    }
  }

  const Case& item_;
  BatchRecord& batch_;
  std::set<CoverageCell> met_;
  std::array<bool, std::size(kValueClasses)> seen_{};
};

}  // namespace

void CountCoverage(const Case& item, const CaseOutcome& outcome, BatchRecord& batch) {
  const bool refused_as_due =
      item.mode == CaseMode::kMustReject && outcome.record.verdict == "pass";
  if (outcome.record.status == RunStatusName(RunStatus::kOk)) {
    Recorder(item, batch).Run();
  } else if (refused_as_due) {
    Recorder(item, batch).RunRules();
  }
}

}  // namespace anecheck
