// The graph that the project generates, lowers, runs and judges. It has typed values, constants,
// and operations in an order in which every operand is defined before its use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/schema.h"
#include "harness/graph/types.h"

namespace anecheck {

using ValueId = uint32_t;
using NodeId = uint32_t;
inline constexpr ValueId kNoValue = ~ValueId{0};
inline constexpr NodeId kNoNode = ~NodeId{0};

enum class ValueKind : uint8_t { kInput, kConst, kResult, kState };

struct Value {
  std::string name;
  TensorType type;
  ValueKind kind = ValueKind::kInput;
  bool shared = false;        // kConst: its bytes are SharedBytes and not in the constant pool
  NodeId producer = kNoNode;  // kResult: the node
  uint32_t result_index = 0;  // kResult: the index among the node's results
  uint64_t data_begin = 0;    // kConst: offset in the constant pool, or index of its SharedBytes
};

// Bytes of a constant that the graph does not copy, for example in a mapped file. `owner` keeps
// them alive.
struct SharedBytes {
  std::span<const uint8_t> bytes;
  std::shared_ptr<const void> owner;
};

// A tensor operand: the index of its parameter in the schema, and its value. The operands of a list
// parameter are consecutive entries with the same parameter index.
struct Argument {
  uint16_t parameter = 0;
  ValueId value = kNoValue;
};

enum class AttributeKind : uint8_t { kInt, kFloat, kBool, kString, kInts, kFloats, kBools };

// One attribute. Scalars are stored inline; lists and strings are ranges of the graph's pools.
struct Attribute {
  uint16_t parameter = 0;
  AttributeKind kind = AttributeKind::kInt;
  int64_t integer = 0;  // kInt, kBool
  double number = 0;    // kFloat
  uint32_t begin = 0;   // lists and strings: index of the first element in the pool
  uint32_t count = 0;
};

struct Node {
  const OpSchema* schema = nullptr;
  uint32_t first_argument = 0;
  uint32_t argument_count = 0;
  uint32_t first_attribute = 0;
  uint32_t attribute_count = 0;
  ValueId first_result = 0;  // results are consecutive values
  uint32_t result_count = 0;
  uint32_t first_block = 0;
  uint32_t block_count = 0;
  bool added = false;  // the tool added it; the source model lacks this operation
};

// A graph, with values and nodes in arrays. Copies are deep. Any number of threads may read, but a
// thread that writes needs exclusive access.
class Graph {
 public:
  std::string name = "main";

  // Empties the graph and keeps its memory, for generators that make many graphs.
  void Clear();

  // ---- building. Names may be empty: the value is then called "v<id>". ----
  ValueId AddInput(const TensorType& type, std::string_view value_name = {});
  ValueId AddState(const TensorType& type, std::string_view value_name = {});
  // `bytes` are type.ByteSize() bytes in little-endian order; shorter input is padded with zeros.
  ValueId AddConst(const TensorType& type, std::span<const uint8_t> bytes,
                   std::string_view value_name = {});
  // Adds a constant whose bytes are not copied. Precondition: there are type.ByteSize() bytes.
  ValueId AddSharedConst(const TensorType& type, SharedBytes bytes,
                         std::string_view value_name = {});
  // Adds a copy of a constant of `from`. Shared bytes stay shared.
  ValueId CopyConst(const Graph& from, ValueId id, std::string_view value_name = {});
  // Adds a constant with `count` rows of the first axis of a constant of `from`. Shared bytes stay
  // shared. Precondition: the rows exist, and each is a whole number of bytes.
  ValueId CopyConstRows(const Graph& from, ValueId id, int64_t first, int64_t count,
                        std::string_view value_name = {});

  // A node is built between BeginNode and FinishNode. Only one node may be open at a time.
  void BeginNode(const OpSchema* schema);
  void AddArgument(int parameter, ValueId value);
  void AddInt(int parameter, int64_t value);
  void AddFloat(int parameter, double value);
  void AddBool(int parameter, bool value);
  void AddString(int parameter, std::string_view value);
  void AddInts(int parameter, std::span<const int64_t> values);
  void AddFloats(int parameter, std::span<const double> values);
  void AddBools(int parameter, std::span<const int64_t> values);
  void AddBlock(Graph block);
  // Sets Node::added of the open node.
  void MarkAdded() { open_.added = true; }
  // Checks the open node against its schema, infers its result types, and appends one value for
  // each result. The results take their names from `names` in order; results beyond `names` have no
  // name. On an error, drops the open node and restores the graph to its state before BeginNode.
  // Returns the first result.
  Result<ValueId> FinishNode(std::span<const std::string> names = {});
  // Like FinishNode, but with result types from the caller, which validation checks later. Readers
  // of files use it, because they must keep the types of the file.
  ValueId FinishNodeAs(std::span<const TensorType> types, std::span<const std::string> names);

  void AddOutput(ValueId value) { outputs_.push_back(value); }
  void ClearOutputs() { outputs_.clear(); }
  // Replaces a constant's bytes. Precondition: the size stays the same.
  void SetConstData(ValueId value, std::span<const uint8_t> bytes);
  void Rename(ValueId value, std::string_view value_name);

  // ---- reading ----
  // Spans are made from a pointer and a size. Making them from the vector would double the compile
  // time of every source that includes this header, because of the library's range constraints.
  std::span<const Value> values() const { return {values_.data(), values_.size()}; }
  std::span<const Node> nodes() const { return {nodes_.data(), nodes_.size()}; }
  std::span<const ValueId> outputs() const { return {outputs_.data(), outputs_.size()}; }
  const Value& value(ValueId id) const { return values_[id]; }
  const Node& node(NodeId id) const { return nodes_[id]; }
  const TensorType& type(ValueId id) const { return values_[id].type; }
  // Returns the values of a kind in the order of their ids.
  std::vector<ValueId> ValuesOfKind(ValueKind kind) const;
  std::optional<ValueId> FindValue(std::string_view value_name) const;

  std::span<const Argument> arguments(const Node& node) const {
    return {arguments_.data() + node.first_argument, node.argument_count};
  }
  std::span<const Attribute> attributes(const Node& node) const {
    return {attributes_.data() + node.first_attribute, node.attribute_count};
  }
  std::span<const Graph> blocks(const Node& node) const;
  std::span<const uint8_t> ConstData(ValueId id) const {
    const Value& constant = values_[id];
    if (constant.shared) return shared_[constant.data_begin].bytes;
    return {constant_bytes_.data() + constant.data_begin,
            static_cast<size_t>(constant.type.ByteSize())};
  }
  std::span<const int64_t> ints(const Attribute& attribute) const {
    return {ints_.data() + attribute.begin, attribute.count};
  }
  std::span<const double> floats(const Attribute& attribute) const {
    return {floats_.data() + attribute.begin, attribute.count};
  }
  std::string_view string(const Attribute& attribute) const {
    return std::string_view(text_).substr(attribute.begin, attribute.count);
  }

 private:
  friend class NodeView;
  ValueId AddValue(const TensorType& type, ValueKind kind, std::string_view value_name);
  Attribute& AddAttribute(int parameter, AttributeKind kind);
  void DropOpenNode();

  std::vector<Value> values_;
  std::vector<Node> nodes_;
  std::vector<Argument> arguments_;
  std::vector<Attribute> attributes_;
  std::vector<int64_t> ints_;
  std::vector<double> floats_;
  std::string text_;
  std::vector<uint8_t> constant_bytes_;
  std::vector<SharedBytes> shared_;
  std::vector<ValueId> outputs_;
  std::vector<Graph> blocks_;
  Node open_;
};

// Gives typed access to the operands and attributes of a node by parameter index. Cheap to copy;
// valid until the graph changes.
class NodeView {
 public:
  NodeView(const Graph& graph, const Node& node) : graph_(&graph), node_(&node) {}
  NodeView(const Graph& graph, NodeId node) : NodeView(graph, graph.node(node)) {}

  const Graph& graph() const { return *graph_; }
  const Node& node() const { return *node_; }
  const OpSchema& schema() const { return *node_->schema; }
  std::string_view op() const { return node_->schema->name; }

  // Returns the operand of a tensor parameter, or kNoValue. For a list parameter, returns the first
  // operand.
  ValueId Input(int parameter) const;
  bool HasInput(int parameter) const { return Input(parameter) != kNoValue; }
  // Precondition: HasInput(parameter).
  const TensorType& InputType(int parameter) const { return graph_->type(Input(parameter)); }
  const Shape& InputShape(int parameter) const { return InputType(parameter).shape; }
  // Returns all operands of a list parameter, in order.
  std::vector<ValueId> InputList(int parameter) const;

  // Returns null if the attribute is absent.
  const Attribute* FindAttribute(int parameter) const;
  bool HasAttribute(int parameter) const { return FindAttribute(parameter) != nullptr; }
  int64_t Int(int parameter, int64_t fallback) const;
  double Float(int parameter, double fallback) const;
  bool Bool(int parameter, bool fallback) const;
  std::string_view String(int parameter, std::string_view fallback) const;
  // Empty if the attribute is absent.
  std::span<const int64_t> Ints(int parameter) const;
  std::span<const double> Floats(int parameter) const;

  ValueId Result(uint32_t index = 0) const { return node_->first_result + index; }
  const TensorType& ResultType(uint32_t index = 0) const { return graph_->type(Result(index)); }

 private:
  const Graph* graph_;
  const Node* node_;
};

// The data of one tensor outside a graph, such as an input or output of a runner.
struct Tensor {
  TensorType type;
  std::vector<uint8_t> bytes;  // type.ByteSize(), little endian, row major
};

}  // namespace anecheck
