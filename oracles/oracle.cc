#include "oracles/oracle.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>

#include "harness/base/parallel_for.h"
#include "harness/ops/op.h"
#include "oracles/laws.h"
#include "oracles/lifetimes.h"
#include "oracles/reference/both_readings.h"
#include "oracles/reference/departures.h"
#include "oracles/reference/folding.h"
#include "oracles/reference/kernel.h"
#include "oracles/reference/load.h"
#include "oracles/reference/store.h"
#include "oracles/reference/store_loops.h"

namespace anecheck {
namespace {

using reference::BoundedTensor;

// The most elements that one evaluation may hold in all values of a graph.
constexpr int64_t kMaxEvaluatedElements = int64_t{1} << 26;
// The most elements if intermediate values are freed, so that only a few values are held at a time.
constexpr int64_t kMaxStreamedElements = int64_t{1} << 33;

void CopyMembers(const BoundedTensor& tensor, Estimate& estimate) {
  estimate.member_begin.clear();
  estimate.members.clear();
  if (tensor.members == nullptr || tensor.point()) return;
  for (size_t i = 0; i < tensor.size; ++i) {
    const reference::Members& set = tensor.members[i];
    estimate.member_begin.push_back(static_cast<uint32_t>(estimate.members.size()));
    estimate.members.insert(estimate.members.end(), set.data, set.data + set.count);
  }
  estimate.member_begin.push_back(static_cast<uint32_t>(estimate.members.size()));
}

void CopyEstimate(const BoundedTensor& tensor, Estimate& estimate) {
  const size_t size = tensor.size;
  estimate.type = tensor.type;
  estimate.value.assign(tensor.value, tensor.value + size);
  estimate.low.assign(tensor.low, tensor.low + size);
  estimate.high.assign(tensor.high, tensor.high + size);
  estimate.flags.assign(size, 0);
  estimate.whole = tensor.whole || !IsFloat(tensor.type.dtype);
  estimate.distinct_axis = tensor.distinct_axis;
  estimate.loose = tensor.loose;
  estimate.signed_zeros = tensor.signed_zero && IsFloat(tensor.type.dtype);
  CopyMembers(tensor, estimate);
  estimate.finite_low.clear();
  estimate.finite_high.clear();
  if (tensor.beyond != nullptr) {
    estimate.finite_low.assign(tensor.finite_low, tensor.finite_low + size);
    estimate.finite_high.assign(tensor.finite_high, tensor.finite_high + size);
  }
  if (!tensor.special) return;
  for (size_t i = 0; i < size; ++i) {
    if (tensor.low[i] != tensor.low[i]) {
      estimate.flags[i] = Estimate::kNanAllowed | Estimate::kNanOnly;
    } else if (tensor.NanAt(i)) {
      estimate.flags[i] = Estimate::kNanAllowed;
    }
  }
}

}  // namespace

struct Evaluation::State {
  reference::Arena arena;
  std::vector<BoundedTensor> values;
  const Graph* graph = nullptr;
  const Contract* contract = nullptr;

  // Of RunWithout and RunWith.
  Contract own_contract;
  ValueId output = kNoValue;
  std::vector<bool> needed;  // for each node, whether `output` depends on it
  // The departures on which constants and inputs depend, and those of the results of each node.
  uint64_t of_loads = 0;
  std::vector<uint64_t> of_nodes;
  std::atomic<uint64_t> looked_for = 0;

  // The departures on which a value depends.
  uint64_t DeparturesOf(ValueId id) const {
    const Value& value = graph->value(id);
    return value.kind == ValueKind::kResult ? of_nodes[value.producer] : of_loads;
  }

  // The common start of every evaluation of `graph` under `contract`.
  void Begin(const Graph& new_graph, const Contract& new_contract) {
    arena.Reset();
    graph = &new_graph;
    contract = &new_contract;
  }
};

namespace {

// Sets the type and size of every value; refuses a graph that would not fit in memory.
Status PrepareValues(const Graph& graph, std::vector<BoundedTensor>& values,
                     int64_t limit = kMaxEvaluatedElements) {
  values.resize(graph.values().size());
  int64_t total = 0;
  for (ValueId id = 0; id < values.size(); ++id) {
    values[id] = BoundedTensor{};
    values[id].type = graph.type(id);
    const int64_t elements = graph.type(id).shape.Elements();
    values[id].size = static_cast<size_t>(elements);
    if (elements > kMaxEvaluatedElements || elements > limit - total) {
      return MakeError(ErrorCode::kLimit,
                       fmt::format("the graph's values have more than {} elements", limit));
    }
    total += elements;
  }
  return {};
}

// A tensor of the type and size of `known`, without elements.
BoundedTensor Unset(const BoundedTensor& known) {
  BoundedTensor unset;
  unset.type = known.type;
  unset.size = known.size;
  return unset;
}

// As PrepareValues, with the types and sizes of the values in `known`.
void PrepareLike(std::span<const BoundedTensor> known, std::vector<BoundedTensor>& values) {
  values.resize(known.size());
  std::ranges::transform(known, values.begin(), Unset);
}

Status CheckInput(const Graph& graph, ValueId id, const Tensor& tensor) {
  const Value& input = graph.value(id);
  if (tensor.type == input.type &&
      tensor.bytes.size() == static_cast<size_t>(input.type.ByteSize())) {
    return {};
  }
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("input {} is {} with {} bytes, the graph needs {}", input.name,
                               tensor.type.ToString(), tensor.bytes.size(), input.type.ToString()));
}

Status RunKernel(const ReferenceKernel& kernel, reference::Arena& arena,
                 reference::KernelContext& context) {
  ANECHECK_RETURN_IF_ERROR(kernel.evaluate(context));
  if (!context.literals_differ() || context.contract().ideal) return {};
  std::vector<BoundedTensor> exact;
  const uint32_t results = context.node().node().result_count;
  for (uint32_t i = 0; i < results; ++i) {
    BoundedTensor& result = context.Result(i);
    exact.push_back(result);
    result = Unset(exact.back());
  }
  context.RoundLiterals();
  ANECHECK_RETURN_IF_ERROR(kernel.evaluate(context));
  for (uint32_t i = 0; i < results; ++i) reference::AdmitBoth(arena, exact[i], context.Result(i));
  return {};
}

Status RunNode(const Graph& graph, const Node& node, const Contract& contract,
               reference::Arena& arena, std::span<BoundedTensor> values,
               std::span<const uint8_t> wanted = {}) {
  const ReferenceKernel& kernel = *AllReferenceKernels()[node.schema->id];
  if (kernel.evaluate == nullptr) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{} has no numeric reference: {}", node.schema->name,
                                 DefinitionOf(*node.schema).no_reference_reason));
  }
  const reference::FoldedConstants folded(graph, node, contract, arena, values);
  reference::KernelContext context(NodeView(graph, node), contract, arena, values);
  context.Want(wanted);
  ANECHECK_RETURN_IF_ERROR(RunKernel(kernel, arena, context));
  if (contract.departure_count == 0) return {};
  bool loose = false;
  for (const Argument& argument : graph.arguments(node)) loose |= values[argument.value].loose;
  for (uint32_t i = 0; i < node.result_count; ++i) {
    context.Result(i).loose |= loose;
    reference::DepartFromResult(context, context.Result(i));
  }
  return {};
}

}  // namespace

Status reference::EvaluateBlock(KernelContext& context, const Graph& block,
                                std::span<const BoundedTensor> inputs,
                                std::vector<BoundedTensor>& outputs) {
  std::vector<BoundedTensor> values;
  ANECHECK_RETURN_IF_ERROR(PrepareValues(block, values));
  size_t next_input = 0;
  for (ValueId id = 0; id < values.size(); ++id) {
    if (block.value(id).kind == ValueKind::kInput) values[id] = inputs[next_input++];
    if (block.value(id).kind == ValueKind::kConst) {
      Load(context.contract(), context.arena(), values[id], block.ConstData(id));
    }
  }
  for (const Node& node : block.nodes()) {
    ANECHECK_RETURN_IF_ERROR(RunNode(block, node, context.contract(), context.arena(), values));
  }
  for (const ValueId output : block.outputs()) {
    outputs.push_back(values[output]);
    for (uint32_t i = 0; i < context.node().node().result_count; ++i) {
      context.Result(i).loose |= values[output].loose;
    }
  }
  return {};
}

namespace {

// When a graph's constants are loaded: at the start, by an earlier evaluation, or where they are
// read.
enum class Constants : uint8_t { kLoaded, kKept, kOnDemand };

// Sets every input and state, and the constants as `constants` says; kKept takes them from
// `loaded`.
Status LoadValues(const Graph& graph, std::span<const Tensor> inputs, const Contract& contract,
                  reference::Arena& arena, std::span<BoundedTensor> values,
                  Constants constants = Constants::kLoaded,
                  std::span<const BoundedTensor> loaded = {}) {
  size_t next_input = 0;
  for (ValueId id = 0; id < values.size(); ++id) {
    const Value& value = graph.value(id);
    switch (value.kind) {
      case ValueKind::kResult:
        break;
      case ValueKind::kConst:
        if (constants == Constants::kKept) values[id] = loaded[id];
        if (constants == Constants::kLoaded) {
          Load(contract, arena, values[id], graph.ConstData(id));
        }
        break;
      case ValueKind::kState:
        LoadZeros(arena, values[id]);
        break;
      case ValueKind::kInput:
        if (next_input == inputs.size()) {
          return MakeError(ErrorCode::kInvalid, fmt::format("input {} is missing", value.name));
        }
        ANECHECK_RETURN_IF_ERROR(CheckInput(graph, id, inputs[next_input]));
        Load(contract, arena, values[id], inputs[next_input].bytes);
        ++next_input;
        break;
    }
  }
  if (next_input != inputs.size()) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{} inputs given, the graph has {}", inputs.size(), next_input));
  }
  return {};
}

}  // namespace

struct Evaluation::Streams {
  explicit Streams(const Graph& graph) : lifetimes(graph) {}
  Lifetimes lifetimes;
};

void Evaluation::UseThreads(int threads, uint64_t worth) {
  state_->arena.UseThreads(threads < 1 ? DefaultJobs() : threads, worth);
}

int Evaluation::threads() const { return state_->arena.threads(); }

Evaluation::Evaluation() : state_(std::make_unique<State>()) {}
Evaluation::~Evaluation() = default;
Evaluation::Evaluation(Evaluation&&) noexcept = default;
Evaluation& Evaluation::operator=(Evaluation&&) noexcept = default;

Status Evaluation::Run(const Graph& graph, std::span<const Tensor> inputs,
                       const Contract& contract) {
  State& state = *state_;
  streams_.reset();
  state.Begin(graph, contract);
  ANECHECK_RETURN_IF_ERROR(PrepareValues(graph, state.values));
  ANECHECK_RETURN_IF_ERROR(LoadValues(graph, inputs, contract, state.arena, state.values));
  for (const Node& node : graph.nodes()) {
    ANECHECK_RETURN_IF_ERROR(RunNode(graph, node, contract, state.arena, state.values));
  }
  return {};
}

namespace {

// For each node, whether `output` depends on it.
std::vector<bool> NodesBefore(const Graph& graph, ValueId output) {
  std::vector<bool> values(graph.values().size(), false);
  std::vector<bool> nodes(graph.nodes().size(), false);
  values[output] = true;
  for (NodeId id = static_cast<NodeId>(graph.nodes().size()); id-- > 0;) {
    const Node& node = graph.node(id);
    for (uint32_t i = 0; i < node.result_count; ++i) {
      if (values[node.first_result + i]) nodes[id] = true;
    }
    if (!nodes[id]) continue;
    for (const Argument& argument : graph.arguments(node)) values[argument.value] = true;
  }
  return nodes;
}

}  // namespace

Status Evaluation::RunTo(const Graph& graph, std::span<const Tensor> inputs,
                         const Contract& contract, ValueId output,
                         std::span<const uint8_t> wanted) {
  if (!graph.ValuesOfKind(ValueKind::kState).empty()) return Run(graph, inputs, contract);
  State& state = *state_;
  streams_.reset();
  state.Begin(graph, contract);
  ANECHECK_RETURN_IF_ERROR(PrepareValues(graph, state.values));
  ANECHECK_RETURN_IF_ERROR(LoadValues(graph, inputs, contract, state.arena, state.values));
  const std::vector<bool> needed = NodesBefore(graph, output);
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (!needed[id]) continue;
    const Node& node = graph.node(id);
    const bool last = node.result_count == 1 && node.first_result == output;
    ANECHECK_RETURN_IF_ERROR(RunNode(graph, node, contract, state.arena, state.values,
                                     last ? wanted : std::span<const uint8_t>()));
  }
  return {};
}

Status Evaluation::RunWithout(const Graph& graph, std::span<const Tensor> inputs,
                              const Contract& contract, ValueId output) {
  State& state = *state_;
  streams_.reset();
  state.own_contract = contract;
  state.own_contract.in_force = 0;
  state.own_contract.looked_for = &state.looked_for;
  state.looked_for = 0;
  state.Begin(graph, state.own_contract);
  ANECHECK_RETURN_IF_ERROR(PrepareValues(graph, state.values));
  ANECHECK_RETURN_IF_ERROR(
      LoadValues(graph, inputs, state.own_contract, state.arena, state.values));
  state.of_loads = state.looked_for.exchange(0);
  state.output = output;
  state.needed = NodesBefore(graph, output);
  state.of_nodes.assign(graph.nodes().size(), 0);
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (!state.needed[id]) continue;
    const Node& node = graph.node(id);
    ANECHECK_RETURN_IF_ERROR(RunNode(graph, node, state.own_contract, state.arena, state.values));
    state.of_nodes[id] = state.looked_for.exchange(0);
    for (const Argument& argument : graph.arguments(node)) {
      state.of_nodes[id] |= state.DeparturesOf(argument.value);
    }
  }
  return {};
}

uint64_t Evaluation::StoredWithout(Estimate& estimate) {
  Stored(state_->output, estimate);
  return state_->DeparturesOf(state_->output) | state_->looked_for.exchange(0);
}

Status Evaluation::RunWith(const Evaluation& base, std::span<const Tensor> inputs,
                           uint64_t departures) {
  State& state = *state_;
  const State& without = *base.state_;
  const Graph& graph = *without.graph;
  streams_.reset();
  state.own_contract = without.own_contract;
  state.own_contract.in_force = departures;
  state.own_contract.looked_for = nullptr;
  state.Begin(graph, state.own_contract);
  state.values = without.values;
  if ((without.of_loads & departures) != 0) {
    PrepareLike(without.values, state.values);
    ANECHECK_RETURN_IF_ERROR(
        LoadValues(graph, inputs, state.own_contract, state.arena, state.values));
  }
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    if (!without.needed[id]) continue;
    const Node& node = graph.node(id);
    const bool departs = (without.of_nodes[id] & departures) != 0;
    for (uint32_t i = 0; i < node.result_count; ++i) {
      const BoundedTensor& shared = without.values[node.first_result + i];
      state.values[node.first_result + i] = departs ? Unset(shared) : shared;
    }
    if (!departs) continue;
    ANECHECK_RETURN_IF_ERROR(RunNode(graph, node, state.own_contract, state.arena, state.values));
  }
  return {};
}

namespace {

// The contract under which the values of an operation are cheapest to compute. The values are the
// same under every contract without departures, except for operations that follow a law or whose
// kernels need bounds.
const Contract* ContractForValue(const Graph& graph, const Node& node, const Contract* contract) {
  if (contract->departure_count != 0 || LawsOf(*contract).plain_numbers) return contract;
  const bool tabled =
      LawsOf(*contract).tables && (IsTabled(KindOf(*node.schema)) || !graph.blocks(node).empty());
  const bool bounded = AllReferenceKernels()[node.schema->id]->value_needs_bounds;
  return tabled || bounded ? contract : &IeeeContract();
}

const Contract* ContractForValues(const Graph& graph, const Contract* contract) {
  const bool free = std::ranges::all_of(graph.nodes(), [&](const Node& node) {
    return ContractForValue(graph, node, contract) != contract;
  });
  return free ? &IeeeContract() : contract;
}

}  // namespace

Status Evaluation::RunValues(const Evaluation& other, std::span<const Tensor> inputs) {
  State& state = *state_;
  const Graph& graph = *other.state_->graph;
  streams_.reset();
  state.Begin(graph, *ContractForValues(graph, other.state_->contract));
  PrepareLike(other.state_->values, state.values);
  ANECHECK_RETURN_IF_ERROR(LoadValues(graph, inputs, *state.contract, state.arena, state.values,
                                      Constants::kKept, other.state_->values));
  for (const Node& node : graph.nodes()) {
    ANECHECK_RETURN_IF_ERROR(RunNode(graph, node, *state.contract, state.arena, state.values));
  }
  return {};
}

std::span<const double> Evaluation::Values(ValueId id) const {
  const BoundedTensor& tensor = state_->values[id];
  return {tensor.value, tensor.size};
}

namespace {

// The tensor with only its value admitted.
BoundedTensor PointOf(const BoundedTensor& tensor) {
  BoundedTensor point;
  point.type = tensor.type;
  point.size = tensor.size;
  point.value = point.low = point.high = tensor.value;
  point.special = tensor.special;
  point.signed_zero = tensor.signed_zero;
  point.whole = tensor.whole;
  return point;
}

}  // namespace

Status Evaluation::RunValuesForOutputs(const Graph& graph, std::span<const Tensor> inputs,
                                       const Contract& contract) {
  const bool bounded = std::ranges::any_of(graph.nodes(), [](const Node& node) {
    return AllReferenceKernels()[node.schema->id]->value_needs_bounds;
  });
  if (bounded || contract.departure_count != 0 || LawsOf(contract).plain_numbers) {
    return RunForOutputs(graph, inputs, contract);
  }
  // An operation that follows a law has the values of the contract; its bounds are dropped.
  const auto take_values = [&](NodeId id) {
    const Node& node = graph.node(id);
    for (uint32_t i = 0; i < node.result_count; ++i) {
      BoundedTensor& result = state_->values[node.first_result + i];
      result = PointOf(result);
    }
  };
  return RunStreamed(graph, inputs, contract, ContractForValue, take_values);
}

Status Evaluation::RunForOutputs(const Graph& graph, std::span<const Tensor> inputs,
                                 const Contract& contract,
                                 const std::function<void(NodeId)>& visit) {
  const auto same = [](const Graph&, const Node&, const Contract* one) { return one; };
  return RunStreamed(graph, inputs, contract, same, visit);
}

Status Evaluation::RunStreamed(const Graph& graph, std::span<const Tensor> inputs,
                               const Contract& contract, ContractOfNode contract_of,
                               const std::function<void(NodeId)>& visit) {
  State& state = *state_;
  streams_ = std::make_unique<Streams>(graph);
  state.Begin(graph, contract);
  ANECHECK_RETURN_IF_ERROR(PrepareValues(graph, state.values, kMaxStreamedElements));
  ANECHECK_RETURN_IF_ERROR(
      LoadValues(graph, inputs, contract, state.arena, state.values, Constants::kOnDemand));
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    streams_->lifetimes.LoadConstantsOf(id, contract, state.values);
    reference::Arena& arena = streams_->lifetimes.ArenaOf(id);
    arena.UseThreads(state.arena.threads(), state.arena.worth_threads());
    const Node& node = graph.node(id);
    const Contract& own = *contract_of(graph, node, &contract);
    ANECHECK_RETURN_IF_ERROR(RunNode(graph, node, own, arena, state.values));
    if (visit) visit(id);
    streams_->lifetimes.Finish(id, state.values);
  }
  streams_->lifetimes.LoadConstantOutputs(contract, state.values);
  return {};
}

void Evaluation::Stored(ValueId id, Estimate& estimate) const {
  const BoundedTensor& tensor = state_->values[id];
  CopyEstimate(tensor, estimate);
  if (state_->contract->Find(Effect::kMovedZero) != nullptr) estimate.signed_zeros = false;
  if (tensor.point() || !IsFloat(tensor.type.dtype)) return;
  const bool ties_away = RoundsTiesAway(*state_->contract);
  if (tensor.type.dtype == DType::kFp16 && !ties_away && estimate.members.empty() &&
      estimate.finite_low.empty()) {
    reference::RoundValuesToHalf(estimate.low.data(), tensor.size, estimate.low.data());
    reference::RoundValuesToHalf(estimate.high.data(), tensor.size, estimate.high.data());
    return;
  }
  const reference::Grid grid(tensor.type.dtype, ties_away);
  for (size_t i = 0; i < tensor.size; ++i) {
    estimate.low[i] = grid.Store(estimate.low[i]);
    estimate.high[i] = grid.Store(estimate.high[i]);
  }
  for (double& member : estimate.members) member = grid.Store(member);
  for (double& end : estimate.finite_low) end = grid.Store(end);
  for (double& end : estimate.finite_high) end = grid.Store(end);
}

void Evaluation::Intermediate(ValueId id, Estimate& estimate) const {
  CopyEstimate(state_->values[id], estimate);
}

Result<std::vector<Estimate>> Evaluate(const Graph& graph, std::span<const Tensor> inputs,
                                       const Contract& contract) {
  Evaluation evaluation;
  ANECHECK_RETURN_IF_ERROR(evaluation.Run(graph, inputs, contract));
  std::vector<Estimate> estimates(graph.outputs().size());
  for (size_t i = 0; i < estimates.size(); ++i) {
    evaluation.Stored(graph.outputs()[i], estimates[i]);
  }
  return estimates;
}

namespace {

// Whether a zero has the sign that its interval requires.
bool HasSignOfZero(const Estimate& expected, size_t index, double zero) {
  const double low = expected.low[index];
  const double high = expected.high[index];
  const bool open = low != 0 || high != 0 || std::signbit(low) != std::signbit(high);
  return open || std::signbit(zero) == std::signbit(low);
}

}  // namespace

bool Admits(const Estimate& expected, size_t index, double actual) {
  if (actual != actual) return (expected.flags[index] & Estimate::kNanAllowed) != 0;
  if (!(expected.low[index] <= actual && actual <= expected.high[index])) return false;
  if (!expected.finite_low.empty() && std::fabs(actual) < reference::kInfinity &&
      !(expected.finite_low[index] <= actual && actual <= expected.finite_high[index])) {
    return false;
  }
  if (expected.signed_zeros && actual == 0 && !HasSignOfZero(expected, index, actual)) return false;
  if (expected.whole && std::trunc(actual) != actual) return false;
  if (expected.member_begin.empty()) return true;
  const auto begin = expected.members.begin() + expected.member_begin[index];
  const auto end = expected.members.begin() + expected.member_begin[index + 1];
  return begin == end || std::binary_search(begin, end, actual);
}

uint64_t CountAdmitted(const Estimate& expected, size_t index) {
  if (!expected.member_begin.empty()) {
    const uint32_t count = expected.member_begin[index + 1] - expected.member_begin[index];
    if (count != 0) return count;
  }
  const double width = expected.high[index] - expected.low[index];
  return expected.whole && width < 0x1p53 ? static_cast<uint64_t>(width) + 1 : 0;
}

}  // namespace anecheck
