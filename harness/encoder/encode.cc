#include "harness/encoder/encode.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "harness/base/version.h"
#include "harness/encoder/ops/handlers.h"
#include "harness/encoder/planner.h"
#include "harness/encoder/task_words.h"
#include "harness/formats/hwx/builder.h"
#include "harness/formats/td/td.h"

namespace anecheck::encoder {
namespace {

constexpr std::array<std::string_view, 2> kTargets = {"h13", "h13g"};
constexpr uint32_t kVersion7 = 7;
constexpr uint32_t kFp16 = 5;  // of the catalog of element types
constexpr uint32_t kBssSection = 0x25;
constexpr uint32_t kCoefficientBase = 0x1f848;  // the one register with relocations

// How often each value is read, an output counting once.
std::vector<uint32_t> Readers(const Graph& graph) {
  std::vector<uint32_t> readers(graph.values().size());
  for (const Node& node : graph.nodes()) {
    for (const Argument& argument : graph.arguments(node)) ++readers[argument.value];
  }
  for (const ValueId id : graph.outputs()) ++readers[id];
  return readers;
}

// Lets tasks apply the function behind them, one each, where nothing else reads what is between.
Status FuseFunctions(const Graph& graph, Planner& planner) {
  const std::vector<uint32_t> readers = Readers(graph);
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const NodeView next(graph, id);
    if (next.node().argument_count == 0 || next.node().result_count != 1) continue;
    const ValueId between = graph.arguments(next.node())[0].value;
    const NodeId producer = graph.value(between).producer;
    if (producer == kNoNode || readers[between] != 1 || planner.IsFused(between)) continue;
    if (!Fuses(graph, NodeView(graph, producer), next)) continue;
    auto post = PostOf(planner, next);
    if (post.ok()) planner.Fuse(between, next.Result(), std::move(*post));
  }
  return {};
}

Status EncodeNode(const NodeView& node, Planner& planner) {
  const auto refuse = [&](std::string_view reason) {
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("{} ({}): {}", node.graph().value(node.Result()).name, node.op(), reason));
  };
  const Handler handler = HandlerOf(KindOf(node.schema()));
  if (handler == nullptr) return refuse("no fact tells its tasks on the engine");
  planner.ResetL2();
  const Status done = handler(planner, node);
  return done.ok() ? done : refuse(done.error().message);
}

Status Plan(const Graph& graph, Planner& planner) {
  ANECHECK_RETURN_IF_ERROR(planner.BindPorts());
  ANECHECK_RETURN_IF_ERROR(FuseFunctions(graph, planner));
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const NodeView node(graph, id);
    if (planner.IsFused(node.Result())) continue;
    ANECHECK_RETURN_IF_ERROR(EncodeNode(node, planner));
  }
  if (planner.tasks().empty()) return Refuse("nothing of it runs on the engine");
  return {};
}

Result<hwx::TensorSpec> PortOf(const Graph& graph, ValueId id, bool output) {
  ANECHECK_ASSIGN(const auto extents, ExtentsOf(graph, id));
  return hwx::TensorSpec{.name = graph.value(id).name,
                         .output = output,
                         .element_type = kFp16,
                         .shape = extents,
                         .strides = hwx::PackedStrides(extents, 2)};
}

// Streams in the constants are relocated with their section; runtime ones are offsets in a tensor.
void AddRelocations(const Task& task, uint32_t index, hwx::ContainerSpec& spec) {
  if (task.neural.kernel_bar != kConstantsBar) return;
  for (uint32_t engine = 0; engine < task.neural.streams.size(); ++engine) {
    spec.constant_registers.push_back({index, kCoefficientBase + 4 * engine});
  }
}

Result<hwx::ContainerSpec> SpecOf(const Graph& graph, const Planner& planner,
                                  const EncodeOptions& options) {
  ANECHECK_ASSIGN(const td::Generation* generation, td::GenerationOfVersion(kVersion7));
  hwx::ContainerSpec spec;
  spec.cpusubtype = generation->cpusubtype;
  spec.compiler_name = "anecheck";
  spec.compiler = kToolVersion;
  spec.options = {"-t " + options.target, "-i graph", "-o model.hwx"};
  spec.procedure = "main";
  for (const ValueId id : graph.ValuesOfKind(ValueKind::kInput)) {
    ANECHECK_ASSIGN(hwx::TensorSpec port, PortOf(graph, id, false));
    spec.tensors.push_back(std::move(port));
  }
  for (const ValueId id : graph.outputs()) {
    ANECHECK_ASSIGN(hwx::TensorSpec port, PortOf(graph, id, true));
    spec.tensors.push_back(std::move(port));
  }
  spec.tasks.generation = generation;
  spec.tasks.header_words = td::kV7HeaderWords;
  const auto count = static_cast<uint32_t>(planner.tasks().size());
  for (uint32_t i = 0; i < count; ++i) {
    spec.tasks.tasks.push_back(ToWords(planner.tasks()[i], i, count));
    AddRelocations(planner.tasks()[i], i, spec);
  }
  spec.constants = planner.constants();
  for (const KernelName& kernel : planner.kernel_names()) {
    spec.constant_symbols.push_back({kernel.name, kernel.offset});
  }
  if (planner.scratch_bytes() > 0) {
    spec.extra_segments.push_back({.segname = "__DATA",
                                   .sectname = "__bss",
                                   .section_flags = kBssSection,
                                   .size = planner.scratch_bytes()});
  }
  return spec;
}

}  // namespace

bool EncodesFor(std::string_view target) {
  return std::ranges::find(kTargets, target) != kTargets.end();
}

Result<Bytes> Encode(const Graph& graph, const EncodeOptions& options) {
  if (!EncodesFor(options.target)) {
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("containers of {} are not written: those of h13 are", options.target));
  }
  Planner planner(graph, options.fault);
  ANECHECK_RETURN_IF_ERROR(Plan(graph, planner));
  ANECHECK_ASSIGN(hwx::ContainerSpec spec, SpecOf(graph, planner, options));
  return hwx::BuildBytes(std::move(spec));
}

Result<std::vector<Task>> EncodeTasks(const Graph& graph) {
  Planner planner(graph, Fault::kNone);
  ANECHECK_RETURN_IF_ERROR(Plan(graph, planner));
  return planner.tasks();
}

}  // namespace anecheck::encoder
