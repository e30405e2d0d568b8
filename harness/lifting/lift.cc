#include "harness/lifting/lift.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numbers>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/half.h"
#include "harness/emulator/coefficients.h"
#include "harness/emulator/surface.h"
#include "harness/graph/copy_node.h"
#include "harness/graph/validate.h"
#include "harness/lifting/builder.h"
#include "harness/lifting/element_memory.h"
#include "harness/lifting/steps.h"
#include "harness/lifting/table_function.h"

namespace anecheck::lifting {
namespace {

using emulator::Extents;
using emulator::NeuralOperation;
using emulator::NeuralTask;
using emulator::PlanarOperation;
using emulator::PlanarTask;
using emulator::Task;
using emulator::TaskKind;

// Returns the elements of a value in row-major order.
Elements ElementsOf(ValueId value, uint64_t count) {
  Elements elements(count);
  for (uint32_t i = 0; i < count; ++i) elements[i] = {value, i};
  return elements;
}

// Lifts one task. Computes the elements of its result from the elements of its sources.
class TaskLift {
 public:
  TaskLift(const Task& task, emulator::Memory& memory, ElementMemory& elements, Builder& build,
           Steps& steps, Elements& chain)
      : task_(task),
        memory_(memory),
        elements_(elements),
        build_(build),
        steps_(steps),
        chain_(chain) {}

  Status Run() {
    if (task_.output.Count() > kMostOfTask) {
      return MakeError(ErrorCode::kLimit,
                       fmt::format("{}: {} elements; at most {} are lifted", Who("the result"),
                                   task_.output.Count(), kMostOfTask));
    }
    ANECHECK_ASSIGN(const Elements source1, Fetch(task_.source1, "source 1"));
    Elements source2;
    if (task_.source2) {
      ANECHECK_ASSIGN(source2, Fetch(*task_.source2, "source 2"));
    }
    if (IsCopy()) return Store(source1);
    ANECHECK_ASSIGN(const ValueId value,
                    task_.kind == TaskKind::kNeural ? Neural(source1) : Planar(source1, source2));
    return Store(ElementsOf(value, task_.output.Count()));
  }

 private:
  std::string Who(std::string_view what) const {
    return fmt::format("task {}, {}", task_.index, what);
  }
  Error Refuse(std::string_view what) const {
    return MakeError(ErrorCode::kUnsupported, fmt::format("task {}: {}", task_.index, what),
                     task_.offset);
  }

  Result<Elements> Fetch(const emulator::Source& source, std::string_view what) {
    const Surface l2{.l2 = true};
    if (source.chained) return std::exchange(chain_, {});
    if (!source.by_dma) return elements_.Read(l2, source.l2, source.extents, Who(what));
    ANECHECK_ASSIGN(Elements fetched,
                    elements_.Read({.bar = source.bar}, source.memory, source.extents, Who(what)));
    if (source.keep) {
      ANECHECK_RETURN_IF_ERROR(elements_.Write(l2, source.l2, source.extents, fetched, Who(what)));
    }
    return fetched;
  }

  Status Store(const Elements& result) {
    const emulator::Destination& to = task_.result;
    const auto fits = [&](const Element& e) { return e.IsNumber() || build_.IsBool(e.value); };
    if (to.memory.OfBytes() && !std::ranges::all_of(result, fits)) {
      return Refuse("a result of bytes that are no bools");
    }
    if (to.by_dma) {
      ANECHECK_RETURN_IF_ERROR(
          elements_.Write({.bar = to.bar}, to.memory, task_.output, result, Who("the result")));
    }
    if (to.chained) chain_ = result;
    if (!to.to_l2) return {};
    return elements_.Write({.l2 = true}, to.l2, task_.output, result, Who("the result in L2"));
  }

  // Whether the task only moves elements.
  bool IsCopy() const {
    const NeuralTask& neural = task_.neural;
    return task_.kind == TaskKind::kNeural && !neural.coefficients &&
           neural.unicast_channels == 1 && !HasPost();
  }

  // ---- neural engines ----

  bool HasPost() const {
    const NeuralTask& neural = task_.neural;
    return neural.accumulator_bias != 0 || neural.post_scale != 1 ||
           neural.nonlinear != emulator::Nonlinear::kNone;
  }

  Shape OutputShape() const {
    const Extents& e = task_.output;
    return {1, int64_t{e.groups} * e.channels, e.height, e.width};
  }

  Result<ValueId> Neural(const Elements& source) {
    ANECHECK_ASSIGN(const emulator::Coefficients coefficients,
                    emulator::ReadCoefficients(task_, memory_, emulator::WithPlaces::kYes));
    ANECHECK_ASSIGN(const ValueId sums,
                    task_.neural.coefficients ? Products(source, coefficients) : Combined(source));
    return Finished(sums, coefficients);
  }

  // Computes, for each output channel, the sum, product or maximum of its own input channels.
  Result<ValueId> Combined(const Elements& source) {
    const Extents& in = task_.input;
    const int64_t each = task_.neural.unicast_channels;
    if (each == 1) return build_.Assemble(source, OutputShape());
    const int64_t outputs = int64_t{in.groups} * task_.output.channels;
    ANECHECK_ASSIGN(const ValueId x, build_.Assemble(source, {outputs, each, in.height, in.width}));
    ANECHECK_ASSIGN(const OpKind kind, CombiningOp());
    const std::array<int64_t, 1> axes = {1};
    ANECHECK_ASSIGN(const ValueId result, build_.Reduce(kind, x, axes));
    return build_.Reshape(result, OutputShape());
  }
  Result<OpKind> CombiningOp() const {
    switch (task_.neural.operation) {
      case NeuralOperation::kMultiply:
        return OpKind::kReduceSum;
      case NeuralOperation::kProduct:
        return OpKind::kReduceProd;
      case NeuralOperation::kMaximum:
        return OpKind::kReduceMax;
      case NeuralOperation::kCopy:
        break;
    }
    return Refuse("a copy of several channels to one");
  }

  // Returns the weights if a task or an input wrote into the coefficient streams, because the
  // weights are then not constant. Otherwise returns no elements.
  Result<Elements> RuntimeWeights(const emulator::Coefficients& coefficients) {
    if (coefficients.places.empty()) return Elements{};
    ANECHECK_ASSIGN(Elements weights,
                    elements_.ReadAt({.bar = task_.neural.kernel_bar}, coefficients.places,
                                     task_.neural.CoefficientBytes(), Who("the coefficients")));
    if (std::ranges::all_of(weights, &Element::IsNumber)) return Elements{};
    return weights;
  }

  Result<ValueId> Products(const Elements& source, const emulator::Coefficients& coefficients) {
    ANECHECK_ASSIGN(const Elements weights, RuntimeWeights(coefficients));
    return weights.empty() ? Convolution(source, coefficients) : MatrixProduct(source, weights);
  }

  Result<ValueId> Convolution(const Elements& source, const emulator::Coefficients& coefficients) {
    const NeuralTask& neural = task_.neural;
    const Extents& in = task_.input;
    const Extents& out = task_.output;
    const auto channels = static_cast<int64_t>(neural.ChannelsPerOutput(in.channels));
    const int64_t outputs = int64_t{out.groups} * out.channels;
    ANECHECK_ASSIGN(ValueId x, build_.Assemble(source, {1, int64_t{in.groups} * in.channels,
                                                        in.height, in.width}));
    const int64_t below =
        PaddingBehind(in.height, out.height, neural.kernel_height, neural.stride_y, neural.pad_top);
    const int64_t right =
        PaddingBehind(in.width, out.width, neural.kernel_width, neural.stride_x, neural.pad_left);
    // Cuts off rows and columns that no element of the kernel reaches.
    const std::array<int64_t, 4> begin = {};
    const std::array<int64_t, 4> size = {1, int64_t{in.groups} * in.channels,
                                         in.height + std::min<int64_t>(below, 0),
                                         in.width + std::min<int64_t>(right, 0)};
    ANECHECK_ASSIGN(x, build_.Slice(x, begin, size));
    const ValueId weight =
        build_.Constant({outputs, channels, neural.kernel_height, neural.kernel_width},
                        BitsOf(coefficients.weights));
    const ValueId bias = coefficients.bias.empty()
                             ? kNoValue
                             : build_.Constant({outputs}, BitsOf(coefficients.bias));
    return build_.Conv(x, weight, bias,
                       {.strides = {neural.stride_y, neural.stride_x},
                        .pad = {neural.pad_top, std::max<int64_t>(below, 0), neural.pad_left,
                                std::max<int64_t>(right, 0)},
                        .groups = neural.unicast ? outputs : int64_t{out.groups}});
  }

  static int64_t PaddingBehind(int64_t input, int64_t output, int64_t kernel, int64_t stride,
                               int64_t before) {
    return (output - 1) * stride + kernel - input - before;
  }

  static std::vector<uint16_t> BitsOf(const std::vector<float>& numbers) {
    std::vector<uint16_t> bits;
    bits.reserve(numbers.size());
    for (const float number : numbers) bits.push_back(FloatToHalf(number).bits);
    return bits;
  }

  // Multiplies computed weights [output channels, input channels] by [input channels, positions].
  Result<ValueId> MatrixProduct(const Elements& source, const Elements& weights) {
    const NeuralTask& neural = task_.neural;
    const Extents& in = task_.input;
    const Extents& out = task_.output;
    if (neural.unicast || neural.kernel_width != 1 || neural.kernel_height != 1 ||
        neural.stride_x != 1 || neural.stride_y != 1 || in.height != out.height ||
        in.width != out.width || neural.pad_left != 0 || neural.pad_top != 0) {
      return Refuse("computed weights with a window or with separate channels");
    }
    if (neural.bias_row) return Refuse("a bias row beside computed weights");
    const int64_t positions = int64_t{in.height} * in.width;
    ANECHECK_ASSIGN(const ValueId w,
                    build_.Assemble(weights, {out.groups, out.channels, in.channels}));
    ANECHECK_ASSIGN(const ValueId x, build_.Assemble(source, {in.groups, in.channels, positions}));
    ANECHECK_ASSIGN(const ValueId product, build_.Binary(OpKind::kMatmul, w, x));
    return build_.Reshape(product, OutputShape());
  }

  // Applies the accumulator bias, the factor and the activation.
  Result<ValueId> Finished(ValueId value, const emulator::Coefficients& coefficients) {
    const NeuralTask& neural = task_.neural;
    const bool has_table = neural.nonlinear == emulator::Nonlinear::kTable;
    const bool steps = has_table && IsSteps(*coefficients.table);
    std::optional<TableFunction> function;
    if (has_table && !steps) {
      function = FunctionOf(*coefficients.table, neural.post_scale);
      if (!function) return Refuse("an activation table of no known function");
    }
    const bool epsilon = function && TakesEpsilon(function->op) && neural.post_scale == 1 &&
                         neural.accumulator_bias >= 0;
    if (neural.accumulator_bias != 0 && !epsilon) {
      ANECHECK_ASSIGN(value, WithScalar(OpKind::kAdd, value, neural.accumulator_bias));
    }
    if (neural.post_scale != 1 && !(function && function->op == OpKind::kExp)) {
      ANECHECK_ASSIGN(value, WithScalar(OpKind::kMul, value, neural.post_scale));
    }
    if (neural.nonlinear == emulator::Nonlinear::kRelu) return build_.Unary(OpKind::kRelu, value);
    if (steps) return Stepped(*coefficients.table, value);
    if (!function) return value;
    return Applied(*function, value, epsilon ? neural.accumulator_bias : 0);
  }

  static bool IsSteps(const emulator::ActivationTable& table) {
    return table.Steps() || table.mode == emulator::TableMode::kWhole ||
           table.mode == emulator::TableMode::kFraction;
  }

  Result<ValueId> Stepped(const emulator::ActivationTable& table, ValueId value) {
    if (table.mode == emulator::TableMode::kWhole) return steps_.Whole(value);
    if (table.mode == emulator::TableMode::kFraction) return steps_.Fraction(value);
    ANECHECK_ASSIGN(const ValueId bools, steps_.OfTable(*table.Steps(), value));
    if (bools == kNoValue) return Refuse("an activation table of one constant");
    return bools;
  }

  static bool TakesEpsilon(OpKind op) {
    return op == OpKind::kRsqrt || op == OpKind::kInverse || op == OpKind::kLog;
  }

  Result<ValueId> Applied(const TableFunction& function, ValueId value, double epsilon) {
    if (function.op == OpKind::kLeakyRelu) return build_.LeakyRelu(value, function.alpha);
    if (function.op == OpKind::kClip) return build_.Clip(value, function.alpha, function.beta);
    if (!TakesEpsilon(function.op)) return build_.Unary(function.op, value);
    ANECHECK_ASSIGN(value, build_.WithEpsilon(function.op, value, epsilon));
    if (function.op != OpKind::kLog) return value;
    // The table computes log2.
    return WithScalar(OpKind::kMul, value, HalfToDouble(DoubleToHalf(std::numbers::log2e)));
  }

  Result<ValueId> WithScalar(OpKind kind, ValueId value, double number) {
    auto constant = build_.Scalar(number);
    if (!constant.ok()) return Refuse(constant.error().message);
    return build_.Binary(kind, value, *constant);
  }

  // ---- planar engine ----

  // Returns the shape of extents. Depth has a separate axis only if the task's depth is not 1.
  Shape PlanarShape(const Extents& e) const {
    if (task_.input.depth == 1) return {e.groups, e.channels, e.height, e.width};
    return {e.groups, e.depth, e.channels, e.height, e.width};
  }

  Result<ValueId> Planar(const Elements& source1, const Elements& source2) {
    ANECHECK_ASSIGN(ValueId value, build_.Assemble(source1, PlanarShape(task_.source1.extents)));
    if (task_.kind == TaskKind::kPlanarPerChannel) {
      ANECHECK_ASSIGN(value, PerChannel(value, source2));
    } else if (task_.source2) {
      ANECHECK_ASSIGN(const ValueId other,
                      build_.Assemble(source2, PlanarShape(task_.source2->extents)));
      ANECHECK_ASSIGN(value, Elementwise(value, other));
    }
    if (task_.kind == TaskKind::kPlanarReduction ||
        task_.kind == TaskKind::kPlanarElementwiseReduction) {
      return Reduced(value);
    }
    ANECHECK_ASSIGN(value, Scaled(value));
    return Broadcast(value);
  }

  Result<ValueId> Elementwise(ValueId a, ValueId b) {
    const PlanarTask& planar = task_.planar;
    if (planar.operation == PlanarOperation::kAdd && build_.ShapeOf(a) == build_.ShapeOf(b)) {
      ANECHECK_ASSIGN(const ValueId completed, steps_.Completed(a, b, planar.negate2));
      if (completed != kNoValue) return completed;
    }
    switch (planar.operation) {
      case PlanarOperation::kAdd:
        return build_.Binary(planar.negate2 ? OpKind::kSub : OpKind::kAdd, a, b);
      case PlanarOperation::kMultiply:
        return build_.Binary(OpKind::kMul, a, b);
      case PlanarOperation::kMaximum:
        return build_.Binary(OpKind::kMaximum, a, b);
      case PlanarOperation::kMinimum:
        return build_.Binary(OpKind::kMinimum, a, b);
      case PlanarOperation::kSquareOfSum:
        break;
    }
    // Negating both operands does not change the square, so only different signs matter.
    const bool differ = planar.negate1 != planar.negate2;
    ANECHECK_ASSIGN(const ValueId sum, build_.Binary(differ ? OpKind::kSub : OpKind::kAdd, a, b));
    return build_.Unary(OpKind::kSquare, sum);
  }

  // Adds row 0 of source 2 (or subtracts it if negated), then multiplies by row 1. Omits a row of
  // zeros or ones that would change nothing.
  Result<ValueId> PerChannel(ValueId value, const Elements& rows) {
    std::array<Elements, 2> row;
    for (size_t i = 0; i < rows.size(); ++i) row[i % 2].push_back(rows[i]);
    Extents one = task_.source2->extents;
    one.height = 1;
    const auto all = [](const Elements& elements, uint32_t bits) {
      return std::ranges::all_of(elements,
                                 [&](const Element& e) { return e.IsNumber() && e.index == bits; });
    };
    if (!all(row[0], 0)) {
      ANECHECK_ASSIGN(const ValueId added, build_.Assemble(row[0], PlanarShape(one)));
      ANECHECK_ASSIGN(
          value, build_.Binary(task_.planar.negate2 ? OpKind::kSub : OpKind::kAdd, value, added));
    }
    if (all(row[1], kOneBits)) return value;
    ANECHECK_ASSIGN(const ValueId factor, build_.Assemble(row[1], PlanarShape(one)));
    return build_.Binary(OpKind::kMul, value, factor);
  }

  Result<ValueId> Scaled(ValueId value) {
    const PlanarTask& planar = task_.planar;
    if (planar.scale != 1) {
      ANECHECK_ASSIGN(value, WithScalar(OpKind::kMul, value, planar.scale));
    }
    if (planar.bias != 0) {
      ANECHECK_ASSIGN(value, WithScalar(OpKind::kAdd, value, planar.bias));
    }
    if (planar.absolute) {
      ANECHECK_ASSIGN(value, build_.Unary(OpKind::kAbs, value));
    }
    return planar.relu ? build_.Unary(OpKind::kRelu, value) : value;
  }

  // Broadcasts to the extents of the task if every source was narrower.
  Result<ValueId> Broadcast(ValueId value) {
    const Shape whole = PlanarShape(task_.input);
    if (build_.ShapeOf(value) == whole) return value;
    const std::vector<uint16_t> zeros(static_cast<size_t>(whole.Elements()));
    return build_.Binary(OpKind::kAdd, value, build_.Constant(whole, zeros));
  }

  Result<ValueId> Reduced(ValueId value) {
    const PlanarTask& planar = task_.planar;
    ANECHECK_ASSIGN(value, Broadcast(value));
    const std::vector<int64_t> axes =
        task_.input.depth == 1 ? std::vector<int64_t>{2, 3} : std::vector<int64_t>{1, 3, 4};
    const Extents& e = task_.input;
    const double count = static_cast<double>(uint64_t{e.depth} * e.height * e.width);
    const bool mean = planar.final_scale != 1 &&
                      static_cast<float>(planar.final_scale) == static_cast<float>(1 / count);
    const OpKind kind = planar.maximum ? OpKind::kReduceMax
                        : mean         ? OpKind::kReduceMean
                                       : OpKind::kReduceSum;
    ANECHECK_ASSIGN(value, build_.Reduce(kind, value, axes));
    if (planar.final_scale != 1 && !mean) {
      ANECHECK_ASSIGN(value, WithScalar(OpKind::kMul, value, planar.final_scale));
    }
    switch (planar.post) {
      case emulator::PostFunction::kReciprocal:
        return build_.WithEpsilon(OpKind::kInverse, value, planar.epsilon);
      case emulator::PostFunction::kReciprocalRoot:
        return build_.WithEpsilon(OpKind::kRsqrt, value, planar.epsilon);
      case emulator::PostFunction::kNone:
        break;
    }
    if (planar.epsilon == 0) return value;
    return WithScalar(OpKind::kAdd, value, planar.epsilon);
  }

  static constexpr uint32_t kOneBits = 0x3c00;

  const Task& task_;
  emulator::Memory& memory_;
  ElementMemory& elements_;
  Builder& build_;
  Steps& steps_;
  Elements& chain_;  // elements that one task passes to the next
};

std::string NameOf(const emulator::Port& port) {
  constexpr std::string_view kMark = "@output";
  std::string_view name = port.name;
  if (port.output && name.ends_with(kMark)) name.remove_suffix(kMark.size());
  return std::string(name);
}

Shape ShapeOfPort(const emulator::Port& port) {
  Shape shape;
  for (const uint32_t extent : port.shape) shape.Append(extent);
  return shape;
}

DType TypeOfPort(const emulator::Port& port) {
  return port.element == 1 ? DType::kBool : DType::kFp16;
}

Status AddInputs(const emulator::Program& program, Graph& graph, ElementMemory& elements) {
  for (const emulator::Port& port : program.ports) {
    if (port.output) continue;
    const ValueId value = graph.AddInput({TypeOfPort(port), ShapeOfPort(port)}, NameOf(port));
    ANECHECK_RETURN_IF_ERROR(elements.Bind(port, value));
  }
  return {};
}

// Each output must be a separate result, so an identity is added if the output is an input, a
// constant or another output.
Status AddOutputs(const emulator::Program& program, Graph& graph, ElementMemory& elements,
                  Builder& build) {
  for (const emulator::Port& port : program.ports) {
    if (!port.output) continue;
    ANECHECK_ASSIGN(const Elements stored, elements.ReadPort(port));
    const Shape shape = ShapeOfPort(port);
    ANECHECK_ASSIGN(ValueId value, TypeOfPort(port) == DType::kBool
                                       ? build.AssembleBools(stored, shape)
                                       : build.Assemble(stored, shape));
    const bool taken = graph.value(value).kind != ValueKind::kResult ||
                       std::ranges::find(graph.outputs(), value) != graph.outputs().end();
    if (taken) {
      ANECHECK_ASSIGN(value, build.Unary(OpKind::kIdentity, value));
    }
    graph.AddOutput(value);
  }
  return {};
}

// Copies the inputs, the outputs and all values that the outputs need. The other operations come
// from tasks that Steps replaced by one operation.
Graph WithoutUnread(const Graph& graph) {
  std::vector<bool> read(graph.values().size());
  for (const ValueId output : graph.outputs()) read[output] = true;
  for (size_t i = graph.nodes().size(); i-- > 0;) {
    const Node& node = graph.nodes()[i];
    if (!read[node.first_result]) continue;
    for (const Argument& argument : graph.arguments(node)) read[argument.value] = true;
  }
  Graph kept;
  std::vector<ValueId> known(graph.values().size(), kNoValue);
  for (ValueId id = 0; id < known.size(); ++id) {
    const Value& value = graph.value(id);
    if (value.kind != ValueKind::kResult) {
      if (read[id] || value.kind == ValueKind::kInput) CopyLeaf(graph, id, known, kept);
    } else if (read[id]) {
      CopyNode(graph, graph.node(value.producer), known, kept);
    }
  }
  for (const ValueId output : graph.outputs()) kept.AddOutput(known[output]);
  return kept;
}

// Names the values. Ports keep their names, and other values are numbered. An output whose name
// without "@output" is already taken keeps the mark.
void Name(const emulator::Program& program, Graph& graph) {
  std::set<std::string> taken;
  for (const ValueId id : graph.ValuesOfKind(ValueKind::kInput)) {
    taken.emplace(graph.value(id).name);
  }
  std::vector<std::string> outputs;
  for (const emulator::Port& port : program.ports) {
    if (!port.output) continue;
    const std::string name = NameOf(port);
    outputs.push_back(taken.contains(name) ? port.name : name);
    taken.insert(outputs.back());
  }
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    if (graph.value(id).kind == ValueKind::kInput) continue;
    std::string name = fmt::format("value_{}", id);
    while (taken.contains(name)) name += '_';
    graph.Rename(id, name);
  }
  for (size_t i = 0; i < outputs.size(); ++i) graph.Rename(graph.outputs()[i], outputs[i]);
}

}  // namespace

Result<Graph> LiftProgram(const emulator::Program& program) {
  std::vector<std::string> warnings;
  ANECHECK_ASSIGN(const std::vector<Task> tasks, emulator::DecodeProgram(program, {}, warnings));
  emulator::Memory memory = program.memory;
  memory.Clear();
  Graph graph;
  ElementMemory elements(memory);
  Builder build(graph);
  Steps steps(build);
  Elements chain;
  ANECHECK_RETURN_IF_ERROR(AddInputs(program, graph, elements));
  for (const Task& task : tasks) {
    ANECHECK_RETURN_IF_ERROR(TaskLift(task, memory, elements, build, steps, chain).Run());
  }
  ANECHECK_RETURN_IF_ERROR(AddOutputs(program, graph, elements, build));
  if (graph.outputs().empty()) {
    return MakeError(ErrorCode::kInvalid, "the container has no output");
  }
  graph = WithoutUnread(graph);
  Name(program, graph);
  ANECHECK_RETURN_IF_ERROR(ValidateGraph(graph));
  return graph;
}

}  // namespace anecheck::lifting
