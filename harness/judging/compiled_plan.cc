#include "harness/judging/compiled_plan.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/encoder/encode.h"
#include "harness/judging/compiled_round_trip.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

using plan::Segment;

bool IsConstant(const Graph& graph, ValueId id) {
  return graph.value(id).kind == ValueKind::kConst;
}

Result<EngineShape> ShapeOf(const Graph& graph, ValueId id, const plan::Layer& layer) {
  const auto shape = ToEngineShape(graph.type(id).shape);
  if (shape) return *shape;
  return MakeError(ErrorCode::kUnsupported,
                   fmt::format("{}: {} does not fit batch, channel, height and width", layer.name,
                               graph.type(id).shape.ToString()));
}

Result<CompiledTask> TaskOf(const Graph& graph, const plan::Layer& layer) {
  const NodeView node(graph, layer.node);
  CompiledTask task{.layer = layer.name};
  for (const Argument& argument : graph.arguments(node.node())) {
    if (IsConstant(graph, argument.value)) continue;
    ANECHECK_ASSIGN(task.in, ShapeOf(graph, argument.value, layer));
    break;
  }
  ANECHECK_ASSIGN(task.out, ShapeOf(graph, node.Result(), layer));
  return task;
}

// Returns the layer's constant kernel, if the container stores it dense.
std::optional<CompiledKernel> KernelOf(const Graph& graph, const plan::Layer& layer) {
  if (!layer.weights) return std::nullopt;
  const Node& node = graph.node(layer.node);
  for (const Argument& argument : graph.arguments(node)) {
    const TensorType& type = graph.type(argument.value);
    const bool kernel = node.schema->parameters[argument.parameter].name == "weight" &&
                        IsConstant(graph, argument.value) && type.dtype == DType::kFp16 &&
                        type.shape.rank() > 0 && type.shape.Elements() > 0;
    if (!kernel) continue;
    const auto data = graph.ConstData(argument.value);
    return CompiledKernel{.channels = type.shape[0], .bytes = Bytes(data.begin(), data.end())};
  }
  return std::nullopt;
}

Status AddLayer(const plan::Plan& plan, const plan::Layer& layer, CompiledProgram& program) {
  ANECHECK_ASSIGN(const CompiledTask task, TaskOf(plan.lowered, layer));
  if (auto kernel = KernelOf(plan.lowered, layer)) {
    kernel->task = program.tasks.size();
    program.kernels.push_back(std::move(*kernel));
  }
  const int64_t parts = layer.weights ? std::max<int64_t>(layer.weights->parts, 1) : 1;
  program.tasks.insert(program.tasks.end(), static_cast<size_t>(parts), task);
  return {};
}

e5::OpType TypeOf(const plan::DescriptorOperation& operation) {
  return operation.kind == "CpuInference" ? e5::OpType::kCpuInference : e5::OpType::kAneInference;
}

// Returns whether an engine's compiler must cut the graph at the same places as the plan. If the
// plan authors an operation as a layer, an engine may support the operation and not cut there. A
// rewritten operation may be before a cut in the plan and after it in the engine.
bool CutsAlike(const plan::Plan& plan) {
  for (const Segment& segment : plan.segments) {
    if (segment.kind != Segment::Kind::kBridge) continue;
    const bool by_compiler = std::ranges::all_of(
        segment.layers, [&](size_t layer) { return plan.layers[layer].fate == plan::Fate::kCut; });
    if (!by_compiler || !plan.rewrites.empty()) return false;
  }
  return true;
}

CompiledTensor TensorOf(const Graph& graph, ValueId id) {
  return {graph.value(id).name, graph.type(id)};
}

}  // namespace

Result<CompiledProgram> OutlineOf(const plan::Plan& plan, const Target& target) {
  if (!plan.compiles_with_bridges()) {
    return MakeError(ErrorCode::kUnsupported, "the program does not compile for the target");
  }
  CompiledProgram program{.target = plan.target};
  if (target.cpu_subtype.known()) program.cpu_subtype = target.cpu_subtype.value();
  for (const ValueId id : plan.lowered.ValuesOfKind(ValueKind::kInput)) {
    program.inputs.push_back(TensorOf(plan.lowered, id));
  }
  for (const ValueId id : plan.lowered.outputs()) {
    program.outputs.push_back(TensorOf(plan.lowered, id));
  }
  for (const plan::StateBuffer& state : plan.states) {
    if (!state.shared) continue;
    program.states.push_back({state.name, static_cast<uint32_t>(state.offset)});
  }
  for (const plan::DescriptorOperation& operation : plan.descriptor) {
    if (operation.kind != "Cast") program.inferences.push_back(TypeOf(operation));
  }
  for (const Segment& segment : plan.segments) {
    if (segment.kind == Segment::Kind::kElsewhere) continue;
    for (const size_t layer : segment.layers) {
      ANECHECK_RETURN_IF_ERROR(AddLayer(plan, plan.layers[layer], program));
    }
  }
  return program;
}

std::string CompareEngineFiles(const Graph& graph, std::string_view target_name,
                               const CompiledFiles& files) {
  const auto target = FindTarget(target_name);
  if (!target.ok()) return {};
  const auto plan = plan::PlanLowering(graph, **target);
  if (!plan.ok() || !plan->states.empty()) return {};
  const auto program = OutlineOf(*plan, **target);
  if (!program.ok()) return {};
  const std::string none = NoContainer(*program);
  // Checks that both files can express the program's tensors.
  if (!WriteCompiledFiles(*program, MakeError(ErrorCode::kUnsupported, none)).ok()) return {};
  if (files.descriptor.empty()) return "program.e5: was not written";
  if (files.container.empty() == none.empty()) {
    return files.container.empty() ? "model.hwx: was not written"
                                   : "model.hwx: was written, the plan has none: " + none;
  }
  ComparedParts parts;
  parts.chain = CutsAlike(*plan);
  parts.tasks = parts.chain && plan->rewrites.empty();
  for (const plan::Layer& layer : plan->layers) {
    if (layer.weights && layer.weights->parts > 1) parts = {false, false};
  }
  for (const plan::Rewrite& rewrite : plan->rewrites) {
    if (rewrite.occasion == plan::Occasion::kSplit) parts.chain = false;
  }
  return CompareCompiledFiles(*program, files, parts);
}

RoundTrip CompiledRoundTrip(const Graph& graph, std::string_view target_name) {
  RoundTrip trip = {.form = Step::kCompiled};
  const auto leave_out = [&](const Error& error) {
    if (error.code == ErrorCode::kUnsupported) {
      trip.reason = error.message;
    } else {
      trip.difference = "cannot be written: " + error.message;
    }
    return trip;
  };
  const auto target = FindTarget(target_name);
  if (!target.ok()) return leave_out(target.error());
  const auto plan = plan::PlanLowering(graph, **target);
  if (!plan.ok()) return leave_out(plan.error());
  const auto program = OutlineOf(*plan, **target);
  if (!program.ok()) return leave_out(program.error());
  const auto files =
      WriteCompiledFiles(*program, encoder::Encode(graph, {.target = std::string(target_name)}));
  if (!files.ok()) return leave_out(files.error());
  trip.written = true;
  // Tasks and streams are those of the engine, so they are not compared with the plan.
  trip.difference = CompareCompiledFiles(*program, *files, {.tasks = false});
  return trip;
}

}  // namespace anecheck
