#include "harness/graph/fingerprint.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/hash.h"
#include "harness/base/mapped_file.h"

namespace anecheck {
namespace {

class Hasher {
 public:
  void Add(uint64_t word) { state_ = MixBits(state_ + word + kGoldenRatio64); }
  void Add(std::string_view text) {
    Add(text.size());
    Add(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
  }
  // Adds eight bytes at a time, and pads the last ones with zeros. Earlier additions must determine
  // the number of bytes, because the padding hides it.
  void Add(std::span<const uint8_t> bytes) {
    static_assert(std::endian::native == std::endian::little,
                  "words are loaded in little-endian order");
    while (!bytes.empty()) {
      const size_t size = std::min(bytes.size(), sizeof(uint64_t));
      uint64_t word = 0;
      std::memcpy(&word, bytes.data(), size);
      Add(word);
      bytes = bytes.subspan(size);
    }
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

// Numbers inputs, then states, then results, each in their order. The numbers do not depend on the
// order of constants.
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
  hash.Add(graph.ConstData(id));
  DropPages(graph.ConstData(id));
}

// Each argument is hashed with its parameter, and the hashes are added, so the textual order of
// arguments does not matter. Operands of one list are also hashed with their position.
uint64_t ArgumentsHash(const Graph& graph, const std::vector<uint64_t>& numbers, const Node& node) {
  uint64_t sum = 0;
  uint64_t position = 0;
  int last = -1;
  for (const Argument& argument : graph.arguments(node)) {
    position = argument.parameter == last ? position + 1 : 0;
    last = argument.parameter;
    Hasher part;
    part.Add(argument.parameter);
    part.Add(position);
    AddOperand(part, graph, numbers, argument.value);
    sum += part.state();
  }
  return sum;
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

// Adds the hashes of operands and attributes, so that their order does not matter.
void AddNode(Hasher& hash, const Graph& graph, const std::vector<uint64_t>& numbers,
             const Node& node) {
  hash.Add(node.schema->name);
  uint64_t sum = ArgumentsHash(graph, numbers, node);
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
  for (const Node& node : graph.nodes()) AddNode(hash, graph, numbers, node);
  for (const ValueId output : graph.outputs()) AddOperand(hash, graph, numbers, output);
  return hash.state();
}

}  // namespace anecheck
