#include "harness/encoder/encode.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/round_up.h"
#include "harness/base/version.h"
#include "harness/encoder/ops/handlers.h"
#include "harness/encoder/planner.h"
#include "harness/encoder/task_words.h"
#include "harness/formats/hwx/builder.h"
#include "harness/formats/td/td.h"

namespace anecheck::encoder {
namespace {

constexpr uint32_t kFp16 = 5, kUint8 = 3;  // ids in the catalog of element types; bools are uint8
constexpr uint32_t kBssSection = 0x25;
constexpr uint32_t kCoefficientBase = 0x1f848;  // the first of the only registers with relocations
// The size of __const in a container of H14 and later without constants (header_forms.md, 4).
constexpr uint64_t kEmptyConstants = 16384;

// Counts the readers of each value. An output of the graph counts as one reader.
std::vector<uint32_t> Readers(const Graph& graph) {
  std::vector<uint32_t> readers(graph.values().size());
  for (const Node& node : graph.nodes()) {
    for (const Argument& argument : graph.arguments(node)) ++readers[argument.value];
  }
  for (const ValueId id : graph.outputs()) ++readers[id];
  return readers;
}

// Makes each task apply the function that follows it, if nothing else reads the value between them.
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

bool HasRankAbove(const NodeView& node, int rank) {
  const Graph& graph = node.graph();
  for (const Argument& argument : graph.arguments(node.node())) {
    if (graph.type(argument.value).shape.rank() > rank) return true;
  }
  for (uint32_t i = 0; i < node.node().result_count; ++i) {
    if (graph.type(node.Result(i)).shape.rank() > rank) return true;
  }
  return false;
}

Status EncodeNode(const NodeView& node, Planner& planner, Refusal* refusal) {
  const auto refuse = [&](std::string_view reason) {
    if (refusal != nullptr) *refusal = {std::string(node.op()), std::string(reason)};
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("{} ({}): {}", node.graph().value(node.Result()).name, node.op(), reason));
  };
  const Handler handler = HandlerOf(KindOf(node.schema()));
  if (handler == nullptr) return refuse("no fact describes its tasks on the engine");
  if (HasRankAbove(node, kAxes) && !TakesAnyRank(KindOf(node.schema()))) {
    return refuse("ranks above 4: surfaces have four axes");
  }
  planner.ResetL2();
  const Status done = handler(planner, node);
  return done.ok() ? done : refuse(done.error().message);
}

Status Plan(const Graph& graph, Planner& planner, Refusal* refusal) {
  ANECHECK_RETURN_IF_ERROR(planner.BindPorts());
  ANECHECK_RETURN_IF_ERROR(FuseFunctions(graph, planner));
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const NodeView node(graph, id);
    if (planner.IsFused(node.Result())) continue;
    ANECHECK_RETURN_IF_ERROR(EncodeNode(node, planner, refusal));
    for (uint32_t i = 0; i < node.node().result_count; ++i) {
      ANECHECK_RETURN_IF_ERROR(planner.StoreBools(node.Result(i)));
    }
  }
  if (planner.tasks().empty()) return Refuse("none of its operations runs on the engine");
  return {};
}

Result<hwx::TensorSpec> PortOf(const Graph& graph, ValueId id, bool output) {
  ANECHECK_ASSIGN(const auto extents, ExtentsOf(graph, id));
  const bool bools = graph.type(id).dtype == DType::kBool;
  return hwx::TensorSpec{.name = graph.value(id).name,
                         .output = output,
                         .element_type = bools ? kUint8 : kFp16,
                         .shape = extents,
                         .strides = hwx::PackedStrides(extents, bools ? 1 : 2)};
}

// Streams in the constants are relocated with their section. Streams that a task computes are
// offsets in a tensor and have no relocations.
void AddRelocations(const Task& task, const Machine& machine, uint32_t index,
                    hwx::ContainerSpec& spec) {
  const bool constant =
      task.neural.kernel_bar.value_or(machine.constants_bar) == machine.constants_bar;
  // Later generations have packets of addresses instead of relocations.
  if (!constant || machine.generation != emulator::Generation::kH13) return;
  for (uint32_t engine = 0; engine < task.neural.streams.size(); ++engine) {
    spec.constant_registers.push_back({index, kCoefficientBase + 4 * engine});
  }
}

constexpr uint32_t kFiller = 0xdead, kFillerRegister = 0x1524;
constexpr uint32_t kLineWords = 16, kUnitWords = 4;

uint32_t WordsOf(const td::Task& task, const Machine& machine) {
  return machine.header_words + (task.extra_word ? 1u : 0u) +
         static_cast<uint32_t>(task.writes.size() + task.values.size());
}

// The frame has 16 bytes, and each task begins at the next multiple of 16 bytes. On H14 no task
// ends at a multiple of 64 bytes. To avoid this end, writes of a register without effect precede
// the packets (header_forms.md, 3).
void FinishLater(const Machine& machine, td::Chain& chain) {
  uint32_t at = td::kSectionHeaderWords;
  for (td::Task& task : chain.tasks) {
    while (machine.generation == emulator::Generation::kH14 &&
           RoundUp(at + WordsOf(task, machine), kUnitWords) % kLineWords == 0) {
      const auto packet = std::ranges::find_if(
          task.writes, [](const td::RegisterWrite& write) { return write.reserved != 0; });
      task.writes.insert(packet, {.byte_address = kFillerRegister,
                                  .first = static_cast<uint32_t>(task.values.size()),
                                  .count = 1});
      task.values.push_back(kFiller);
    }
    at = RoundUp(at + WordsOf(task, machine), kUnitWords);
  }
}

Result<hwx::ContainerSpec> SpecOf(const Graph& graph, const Planner& planner,
                                  const EncodeOptions& options) {
  const Machine& machine = planner.machine();
  ANECHECK_ASSIGN(const td::Generation* generation, td::GenerationOfVersion(machine.version));
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
  spec.slot_step = machine.slot_step;
  spec.first_tensor_slot = machine.first_tensor_bar / machine.bar_step;
  spec.slots_by_name = machine.tensors_by_name;
  spec.tasks.header_words = machine.header_words;
  if (machine.generation != emulator::Generation::kH13) spec.tasks.section_header.emplace();
  const auto count = static_cast<uint32_t>(planner.tasks().size());
  for (uint32_t i = 0; i < count; ++i) {
    const TaskPlace place{.index = i, .count = count, .kernel_bar = planner.kernel_bar()};
    spec.tasks.tasks.push_back(ToWords(planner.tasks()[i], machine, place));
    AddRelocations(planner.tasks()[i], machine, i, spec);
  }
  if (machine.generation != emulator::Generation::kH13) FinishLater(machine, spec.tasks);
  spec.constants = planner.constants();
  spec.kernel_segment = machine.kernel_segment;
  spec.kernel_data = planner.kernels();
  if (machine.generation != emulator::Generation::kH13 && spec.constants.empty()) {
    spec.const_size = kEmptyConstants;
  }
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

Result<Bytes> Encode(const Graph& graph, const EncodeOptions& options, Refusal* refusal) {
  const Machine* const machine = MachineOf(options.target);
  if (machine == nullptr) {
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("containers of {} are not written: those of h13 to h18 are", options.target));
  }
  Planner planner(graph, *machine, options.fault, options.exact);
  ANECHECK_RETURN_IF_ERROR(Plan(graph, planner, refusal));
  ANECHECK_ASSIGN(hwx::ContainerSpec spec, SpecOf(graph, planner, options));
  return hwx::BuildBytes(std::move(spec));
}

}  // namespace anecheck::encoder
