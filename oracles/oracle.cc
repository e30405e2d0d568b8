#include "oracles/oracle.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "harness/ops/op.h"
#include "oracles/reference/departures.h"
#include "oracles/reference/kernel.h"
#include "oracles/reference/store.h"

namespace anecheck {
namespace {

using reference::BoundedTensor;

// The elements that one evaluation may hold over all values of a graph.
constexpr int64_t kMaxEvaluatedElements = int64_t{1} << 26;

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
  const Contract* contract = nullptr;

  void Load(ValueId id, const TensorType& type, std::span<const uint8_t> bytes) {
    BoundedTensor& tensor = values[id];
    tensor.value = arena.Allocate<double>(tensor.size);
    DecodeElements(type.dtype, bytes, std::span(tensor.value, tensor.size));
    tensor.low = tensor.high = tensor.value;
    tensor.signed_zero = true;
    tensor.whole = !IsFloat(type.dtype);
    if (tensor.whole) return;
    for (size_t i = 0; i < tensor.size; ++i) {
      tensor.special |= !(std::fabs(tensor.value[i]) < reference::kInfinity);
    }
    reference::DepartFromInput(*contract, arena, tensor);
  }
};

Evaluation::Evaluation() : state_(std::make_unique<State>()) {}
Evaluation::~Evaluation() = default;
Evaluation::Evaluation(Evaluation&&) noexcept = default;
Evaluation& Evaluation::operator=(Evaluation&&) noexcept = default;

namespace {

// Types and sizes of every value; refuses what would not fit in memory.
Status PrepareValues(const Graph& graph, std::vector<BoundedTensor>& values) {
  values.resize(graph.values().size());
  int64_t total = 0;
  for (ValueId id = 0; id < values.size(); ++id) {
    values[id] = BoundedTensor{};
    values[id].type = graph.type(id);
    const int64_t elements = graph.type(id).shape.Elements();
    values[id].size = static_cast<size_t>(elements);
    if (elements > kMaxEvaluatedElements - total) {
      return MakeError(
          ErrorCode::kLimit,
          fmt::format("the graph's values have more than {} elements", kMaxEvaluatedElements));
    }
    total += elements;
  }
  return {};
}

Status CheckInput(const Graph& graph, ValueId id, const Tensor& tensor) {
  const Value& input = graph.value(id);
  if (tensor.type == input.type &&
      tensor.bytes.size() == static_cast<size_t>(input.type.ByteSize())) {
    return {};
  }
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("input {} is {} with {} bytes, the graph wants {}", input.name,
                               tensor.type.ToString(), tensor.bytes.size(), input.type.ToString()));
}

Status RunNode(const Graph& graph, const Node& node, const Contract& contract,
               reference::Arena& arena, std::span<BoundedTensor> values) {
  const ReferenceKernel& kernel = *AllReferenceKernels()[node.schema->id];
  if (kernel.evaluate == nullptr) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{} has no numeric reference: {}", node.schema->name,
                                 DefinitionOf(*node.schema).no_reference_reason));
  }
  reference::KernelContext context(NodeView(graph, node), contract, arena, values);
  ANECHECK_RETURN_IF_ERROR(kernel.evaluate(context));
  if (contract.departure_count == 0) return {};
  for (uint32_t i = 0; i < node.result_count; ++i) {
    reference::DepartFromResult(context, context.Result(i));
  }
  return {};
}

}  // namespace

Status Evaluation::Run(const Graph& graph, std::span<const Tensor> inputs,
                       const Contract& contract) {
  State& state = *state_;
  state.arena.Reset();
  state.contract = &contract;
  ANECHECK_RETURN_IF_ERROR(PrepareValues(graph, state.values));
  size_t next_input = 0;
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    const Value& value = graph.value(id);
    switch (value.kind) {
      case ValueKind::kResult:
        break;
      case ValueKind::kConst:
        state.Load(id, value.type, graph.ConstData(id));
        break;
      case ValueKind::kState:
        return MakeError(ErrorCode::kUnsupported,
                         fmt::format("state {} has no numeric reference", value.name));
      case ValueKind::kInput:
        if (next_input == inputs.size()) {
          return MakeError(ErrorCode::kInvalid, fmt::format("input {} is missing", value.name));
        }
        ANECHECK_RETURN_IF_ERROR(CheckInput(graph, id, inputs[next_input]));
        state.Load(id, value.type, inputs[next_input].bytes);
        ++next_input;
        break;
    }
  }
  if (next_input != inputs.size()) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{} inputs given, the graph has {}", inputs.size(), next_input));
  }
  for (const Node& node : graph.nodes()) {
    ANECHECK_RETURN_IF_ERROR(RunNode(graph, node, contract, state.arena, state.values));
  }
  return {};
}

void Evaluation::Stored(ValueId id, Estimate& estimate) const {
  const BoundedTensor& tensor = state_->values[id];
  CopyEstimate(tensor, estimate);
  if (tensor.point() || !IsFloat(tensor.type.dtype)) return;
  const reference::Grid grid(tensor.type.dtype,
                             state_->contract->Find(Effect::kTiesAway) != nullptr);
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

bool Admits(const Estimate& expected, size_t index, double actual) {
  if (actual != actual) return (expected.flags[index] & Estimate::kNanAllowed) != 0;
  if (!(expected.low[index] <= actual && actual <= expected.high[index])) return false;
  if (!expected.finite_low.empty() && std::fabs(actual) < reference::kInfinity &&
      !(expected.finite_low[index] <= actual && actual <= expected.finite_high[index])) {
    return false;
  }
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

bool IsVacuous(const Estimate& expected) {
  double floor = -reference::kInfinity;
  double ceiling = reference::kInfinity;
  bool zero = true;
  for (size_t i = 0; i < expected.value.size(); ++i) {
    if ((expected.flags[i] & Estimate::kNanOnly) != 0) return false;
    floor = std::max(floor, expected.low[i]);
    ceiling = std::min(ceiling, expected.high[i]);
    zero &= expected.low[i] <= 0 && expected.high[i] >= 0;
  }
  return zero || (expected.value.size() > 1 && floor <= ceiling);
}

}  // namespace anecheck
