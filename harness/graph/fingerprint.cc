#include "harness/graph/fingerprint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>
#include <vector>

namespace anecheck {
namespace {

// The finaliser of splitmix64 over a running sum: every input bit reaches every output bit.
constexpr uint64_t Step(uint64_t state, uint64_t word) {
  uint64_t z = state + word + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

class Hasher {
 public:
  void Add(uint64_t word) { state_ = Step(state_, word); }
  void Add(std::string_view text) {
    Add(text.size());
    for (const char c : text) Add(static_cast<uint8_t>(c));
  }
  void Add(const TensorType& type) {
    Add(static_cast<uint64_t>(type.dtype));
    Add(static_cast<uint64_t>(type.shape.rank()));
    for (const int64_t dim : type.shape.dims()) Add(static_cast<uint64_t>(dim));
  }
  uint64_t state() const { return state_; }

 private:
  uint64_t state_ = 0x616e65636865636b;
};

// Values are numbered by the order in which inputs, states and results appear, so that the numbers
// do not depend on where constants stand.
std::vector<uint64_t> NumberValues(const Graph& graph) {
  std::vector<uint64_t> numbers(graph.values().size(), 0);
  uint64_t next = 1;
  for (const ValueKind kind : {ValueKind::kInput, ValueKind::kState, ValueKind::kResult}) {
    for (ValueId id = 0; id < graph.values().size(); ++id) {
      if (graph.value(id).kind == kind) numbers[id] = next++;
    }
  }
  return numbers;
}

void AddOperand(Hasher& hash, const Graph& graph, const std::vector<uint64_t>& numbers,
                ValueId id) {
  hash.Add(numbers[id]);
  if (graph.value(id).kind != ValueKind::kConst) return;
  hash.Add(graph.type(id));
  for (const uint8_t byte : graph.ConstData(id)) hash.Add(byte);
}

// One operand of a node: its hash so far, and the bytes of a constant that are still to be added.
struct Operand {
  uint64_t hash = 0;
  const uint8_t* at = nullptr;
  size_t left = 0;
};

template <size_t kLanes>
void AddBytes(std::span<Operand*> lanes, size_t count) {
  std::array<uint64_t, kLanes> hashes;
  for (size_t lane = 0; lane < kLanes; ++lane) hashes[lane] = lanes[lane]->hash;
  for (size_t i = 0; i < count; ++i) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      hashes[lane] = Step(hashes[lane], lanes[lane]->at[i]);
    }
  }
  for (size_t lane = 0; lane < kLanes; ++lane) {
    lanes[lane]->hash = hashes[lane];
    lanes[lane]->at += count;
    lanes[lane]->left -= count;
  }
}

// The steps of one hash wait for each other, those of several do not: four constants at a time take
// little longer than one.
void AddConstants(std::span<Operand> operands) {
  std::array<Operand*, 4> lanes;
  size_t used = 0;
  for (size_t next = 0;;) {
    for (; used < lanes.size() && next < operands.size(); ++next) {
      if (operands[next].left > 0) lanes[used++] = &operands[next];
    }
    if (used == 0) return;
    size_t count = lanes[0]->left;
    for (size_t lane = 1; lane < used; ++lane) count = std::min(count, lanes[lane]->left);
    const std::span<Operand*> open(lanes.data(), used);
    switch (used) {
      case 4:
        AddBytes<4>(open, count);
        break;
      case 3:
        AddBytes<3>(open, count);
        break;
      case 2:
        AddBytes<2>(open, count);
        break;
      default:
        AddBytes<1>(open, count);
        break;
    }
    const auto done = [](const Operand* operand) { return operand->left == 0; };
    used = static_cast<size_t>(std::remove_if(open.begin(), open.end(), done) - open.begin());
  }
}

// Of every node, in order. Arguments and attributes are keyed by parameter, so that their textual
// order does not count; operands of one list keep their order by position.
std::vector<Operand> HashOperands(const Graph& graph, const std::vector<uint64_t>& numbers) {
  std::vector<Operand> operands;
  for (const Node& node : graph.nodes()) {
    uint64_t position = 0;
    int last = -1;
    for (const Argument& argument : graph.arguments(node)) {
      position = argument.parameter == last ? position + 1 : 0;
      last = argument.parameter;
      Hasher part;
      part.Add(argument.parameter);
      part.Add(position);
      part.Add(numbers[argument.value]);
      const bool constant = graph.value(argument.value).kind == ValueKind::kConst;
      if (constant) part.Add(graph.type(argument.value));
      const auto bytes = constant ? graph.ConstData(argument.value) : std::span<const uint8_t>();
      operands.push_back({part.state(), bytes.data(), bytes.size()});
    }
  }
  AddConstants(operands);
  return operands;
}

uint64_t AttributeHash(const Graph& graph, const Attribute& attribute) {
  Hasher hash;
  hash.Add(attribute.parameter);
  hash.Add(static_cast<uint64_t>(attribute.kind));
  switch (attribute.kind) {
    case AttributeKind::kInt:
    case AttributeKind::kBool:
      hash.Add(static_cast<uint64_t>(attribute.integer));
      break;
    case AttributeKind::kFloat:
      hash.Add(std::bit_cast<uint64_t>(attribute.number));
      break;
    case AttributeKind::kString:
      hash.Add(graph.string(attribute));
      break;
    case AttributeKind::kInts:
    case AttributeKind::kBools:
      for (const int64_t value : graph.ints(attribute)) hash.Add(static_cast<uint64_t>(value));
      break;
    case AttributeKind::kFloats:
      for (const double value : graph.floats(attribute)) hash.Add(std::bit_cast<uint64_t>(value));
      break;
  }
  hash.Add(attribute.count);
  return hash.state();
}

// The hashes of operands and attributes are added, not chained.
void AddNode(Hasher& hash, const Graph& graph, std::span<const Operand> operands,
             const Node& node) {
  hash.Add(node.schema->name);
  uint64_t sum = 0;
  for (const Operand& operand : operands) sum += operand.hash;
  for (const Attribute& attribute : graph.attributes(node)) sum += AttributeHash(graph, attribute);
  hash.Add(sum);
  for (const Graph& block : graph.blocks(node)) hash.Add(GraphFingerprint(block));
  for (uint32_t i = 0; i < node.result_count; ++i) hash.Add(graph.type(node.first_result + i));
}

}  // namespace

uint64_t GraphFingerprint(const Graph& graph) {
  const std::vector<uint64_t> numbers = NumberValues(graph);
  Hasher hash;
  for (const ValueKind kind : {ValueKind::kInput, ValueKind::kState}) {
    for (const Value& value : graph.values()) {
      if (value.kind != kind) continue;
      hash.Add(static_cast<uint64_t>(value.kind));
      hash.Add(value.type);
    }
  }
  const std::vector<Operand> operands = HashOperands(graph, numbers);
  std::span<const Operand> left = operands;
  for (const Node& node : graph.nodes()) {
    AddNode(hash, graph, left.first(node.argument_count), node);
    left = left.subspan(node.argument_count);
  }
  for (const ValueId output : graph.outputs()) AddOperand(hash, graph, numbers, output);
  return hash.state();
}

}  // namespace anecheck
