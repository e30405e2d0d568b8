#include "oracles/lifetimes.h"

#include <algorithm>

#include "harness/base/mapped_file.h"
#include "oracles/reference/load.h"

namespace anecheck {

using reference::BoundedTensor;

namespace {

bool Shares(const BoundedTensor& a, const BoundedTensor& b) {
  return a.value == b.value || a.low == b.low || a.high == b.high ||
         (a.nan != nullptr && a.nan == b.nan) || a.members != nullptr || b.members != nullptr;
}

BoundedTensor Unloaded(const BoundedTensor& constant) {
  BoundedTensor unloaded;
  unloaded.type = constant.type;
  unloaded.size = constant.size;
  return unloaded;
}

}  // namespace

Lifetimes::Lifetimes(const Graph& graph)
    : graph_(graph),
      arenas_(graph.nodes().size() + graph.values().size()),
      holders_(arenas_.size(), 0),
      owners_(graph.values().size()),
      last_use_(graph.values().size(), 0) {
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    for (const Argument& argument : graph.arguments(graph.node(node))) {
      last_use_[argument.value] = node;
    }
  }
  for (const ValueId id : graph.outputs()) last_use_[id] = kNoNode;
}

void Lifetimes::LoadConstantsOf(NodeId id, const Contract& contract,
                                std::span<BoundedTensor> values) {
  for (const Argument& argument : graph_.arguments(graph_.node(id))) {
    LoadConstant(argument.value, contract, values);
  }
}

void Lifetimes::LoadConstantOutputs(const Contract& contract, std::span<BoundedTensor> values) {
  for (const ValueId id : graph_.outputs()) LoadConstant(id, contract, values);
}

void Lifetimes::Finish(NodeId id, std::span<BoundedTensor> values) {
  const Node& node = graph_.node(id);
  HoldForStates(id);
  HoldResultsOf(id, values);
  for (uint32_t i = 0; i < node.result_count; ++i) {
    if (last_use_[node.first_result + i] <= id) Drop(node.first_result + i);
  }
  for (const Argument& argument : graph_.arguments(node)) {
    if (graph_.value(argument.value).kind == ValueKind::kConst) {
      Drop(argument.value);
      values[argument.value] = Unloaded(values[argument.value]);
    } else if (last_use_[argument.value] <= id) {
      Drop(argument.value);
    }
  }
}

reference::Arena& Lifetimes::NewArena(size_t owner) {
  arenas_[owner] = std::make_unique<reference::Arena>(&pool_);
  return *arenas_[owner];
}

void Lifetimes::LoadConstant(ValueId id, const Contract& contract,
                             std::span<BoundedTensor> values) {
  if (graph_.value(id).kind != ValueKind::kConst || values[id].value != nullptr) return;
  const size_t owner = graph_.nodes().size() + id;
  Load(contract, NewArena(owner), values[id], graph_.ConstData(id));
  DropPages(graph_.ConstData(id));
  Hold(id, owner);
}

void Lifetimes::HoldForStates(NodeId id) {
  const auto arguments = graph_.arguments(graph_.node(id));
  const bool writes = std::ranges::any_of(arguments, [&](const Argument& argument) {
    return graph_.value(argument.value).kind == ValueKind::kState;
  });
  if (!writes) return;
  ++holders_[id];
  for (const Argument& argument : arguments) {
    for (const size_t owner : owners_[argument.value]) ++holders_[owner];
  }
}

void Lifetimes::HoldResultsOf(NodeId id, std::span<const BoundedTensor> values) {
  const Node& node = graph_.node(id);
  for (uint32_t i = 0; i < node.result_count; ++i) {
    const ValueId result = node.first_result + i;
    Hold(result, id);
    for (const Argument& argument : graph_.arguments(node)) {
      if (!Shares(values[result], values[argument.value])) continue;
      const std::vector<size_t> owners = owners_[argument.value];
      for (const size_t owner : owners) Hold(result, owner);
    }
  }
}

void Lifetimes::Hold(ValueId value, size_t owner) {
  owners_[value].push_back(owner);
  ++holders_[owner];
}

void Lifetimes::Drop(ValueId value) {
  for (const size_t owner : owners_[value]) {
    if (--holders_[owner] == 0) arenas_[owner].reset();
  }
  owners_[value].clear();
}

}  // namespace anecheck
