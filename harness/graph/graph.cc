#include "harness/graph/graph.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "harness/graph/validate.h"

namespace anecheck {

void Graph::Clear() {
  name = "main";
  values_.clear();
  nodes_.clear();
  arguments_.clear();
  attributes_.clear();
  ints_.clear();
  floats_.clear();
  text_.clear();
  constant_bytes_.clear();
  shared_.clear();
  outputs_.clear();
  blocks_.clear();
  open_ = Node{};
}

ValueId Graph::AddValue(const TensorType& type, ValueKind kind, std::string_view value_name) {
  if (values_.size() == values_.capacity()) {
    // Copies the type and the name, which may be part of values_. The vector moves when it grows.
    const TensorType kept_type = type;
    const std::string kept_name(value_name);
    values_.reserve(std::max<size_t>(16, 2 * values_.size()));
    return AddValue(kept_type, kind, kept_name);
  }
  const auto id = static_cast<ValueId>(values_.size());
  Value& value = values_.emplace_back();
  value.type = type;
  value.kind = kind;
  if (value_name.empty()) {
    char digits[12] = {'v'};
    const auto end = std::to_chars(digits + 1, digits + sizeof digits, id).ptr;
    value.name.assign(digits, static_cast<size_t>(end - digits));
  } else {
    value.name = value_name;
  }
  return id;
}

ValueId Graph::AddInput(const TensorType& type, std::string_view value_name) {
  return AddValue(type, ValueKind::kInput, value_name);
}

ValueId Graph::AddState(const TensorType& type, std::string_view value_name) {
  return AddValue(type, ValueKind::kState, value_name);
}

ValueId Graph::AddConst(const TensorType& type, std::span<const uint8_t> bytes,
                        std::string_view value_name) {
  const ValueId id = AddValue(type, ValueKind::kConst, value_name);
  const auto size = static_cast<size_t>(type.ByteSize());
  values_[id].data_begin = constant_bytes_.size();
  const auto kept = bytes.first(std::min(size, bytes.size()));
  constant_bytes_.insert(constant_bytes_.end(), kept.begin(), kept.end());
  constant_bytes_.resize(values_[id].data_begin + size);
  return id;
}

ValueId Graph::AddSharedConst(const TensorType& type, SharedBytes bytes,
                              std::string_view value_name) {
  const ValueId id = AddValue(type, ValueKind::kConst, value_name);
  values_[id].shared = true;
  values_[id].data_begin = shared_.size();
  shared_.push_back(std::move(bytes));
  return id;
}

ValueId Graph::CopyConst(const Graph& from, ValueId id, std::string_view value_name) {
  const Value& constant = from.value(id);
  if (!constant.shared) return AddConst(constant.type, from.ConstData(id), value_name);
  return AddSharedConst(constant.type, from.shared_[constant.data_begin], value_name);
}

ValueId Graph::CopyConstRows(const Graph& from, ValueId id, int64_t first, int64_t count,
                             std::string_view value_name) {
  const Value& constant = from.value(id);
  const int64_t row = constant.type.ByteSize() / constant.type.shape[0];
  TensorType part = constant.type;
  part.shape[0] = count;
  const auto bytes = from.ConstData(id).subspan(static_cast<size_t>(first * row),
                                                static_cast<size_t>(count * row));
  if (!constant.shared) return AddConst(part, bytes, value_name);
  return AddSharedConst(part, {bytes, from.shared_[constant.data_begin].owner}, value_name);
}

void Graph::SetConstData(ValueId value, std::span<const uint8_t> bytes) {
  Value& constant = values_[value];
  const auto size = static_cast<size_t>(constant.type.ByteSize());
  if (constant.shared) {
    // Makes a copy, because shared bytes must not be changed.
    const std::span<const uint8_t> old = shared_[constant.data_begin].bytes;
    constant.shared = false;
    constant.data_begin = constant_bytes_.size();
    constant_bytes_.insert(constant_bytes_.end(), old.begin(), old.end());
  }
  for (size_t i = 0; i < size && i < bytes.size(); ++i) {
    constant_bytes_[constant.data_begin + i] = bytes[i];
  }
}

void Graph::Rename(ValueId value, std::string_view value_name) { values_[value].name = value_name; }

void Graph::BeginNode(const OpSchema* schema) {
  open_ = Node{};
  open_.schema = schema;
  open_.first_argument = static_cast<uint32_t>(arguments_.size());
  open_.first_attribute = static_cast<uint32_t>(attributes_.size());
  open_.first_block = static_cast<uint32_t>(blocks_.size());
}

void Graph::AddArgument(int parameter, ValueId value) {
  arguments_.push_back({static_cast<uint16_t>(parameter), value});
  ++open_.argument_count;
}

Attribute& Graph::AddAttribute(int parameter, AttributeKind kind) {
  ++open_.attribute_count;
  Attribute& attribute = attributes_.emplace_back();
  attribute.parameter = static_cast<uint16_t>(parameter);
  attribute.kind = kind;
  return attribute;
}

void Graph::AddInt(int parameter, int64_t value) {
  AddAttribute(parameter, AttributeKind::kInt).integer = value;
}

void Graph::AddFloat(int parameter, double value) {
  AddAttribute(parameter, AttributeKind::kFloat).number = value;
}

void Graph::AddBool(int parameter, bool value) {
  AddAttribute(parameter, AttributeKind::kBool).integer = value ? 1 : 0;
}

void Graph::AddString(int parameter, std::string_view value) {
  Attribute& attribute = AddAttribute(parameter, AttributeKind::kString);
  attribute.begin = static_cast<uint32_t>(text_.size());
  attribute.count = static_cast<uint32_t>(value.size());
  text_ += value;
}

void Graph::AddInts(int parameter, std::span<const int64_t> values) {
  Attribute& attribute = AddAttribute(parameter, AttributeKind::kInts);
  attribute.begin = static_cast<uint32_t>(ints_.size());
  attribute.count = static_cast<uint32_t>(values.size());
  ints_.insert(ints_.end(), values.begin(), values.end());
}

void Graph::AddFloats(int parameter, std::span<const double> values) {
  Attribute& attribute = AddAttribute(parameter, AttributeKind::kFloats);
  attribute.begin = static_cast<uint32_t>(floats_.size());
  attribute.count = static_cast<uint32_t>(values.size());
  floats_.insert(floats_.end(), values.begin(), values.end());
}

void Graph::AddBools(int parameter, std::span<const int64_t> values) {
  AddInts(parameter, values);
  attributes_.back().kind = AttributeKind::kBools;
}

void Graph::AddBlock(Graph block) {
  blocks_.push_back(std::move(block));
  ++open_.block_count;
}

void Graph::DropOpenNode() {
  arguments_.resize(open_.first_argument);
  attributes_.resize(open_.first_attribute);
  blocks_.resize(open_.first_block);
}

Result<ValueId> Graph::FinishNode(std::span<const std::string> names) {
  const NodeView view(*this, open_);
  ResultTypes types;
  if (Status status = CheckNode(view); !status.ok()) {
    DropOpenNode();
    return std::move(status).error();
  }
  if (Status status = open_.schema->infer(view, types); !status.ok()) {
    DropOpenNode();
    return std::move(status).error();
  }
  const std::span<const TensorType> results(&types[0], types.size());
  for (const TensorType& type : results) {
    if (IsHoldable(type.shape)) continue;
    Error error = MakeError(ErrorCode::kLimit, fmt::format("{}: {} has more than 2^31 elements",
                                                           view.op(), type.ToString()));
    DropOpenNode();
    return error;
  }
  return FinishNodeAs(results, names);
}

ValueId Graph::FinishNodeAs(std::span<const TensorType> types, std::span<const std::string> names) {
  const auto node = static_cast<NodeId>(nodes_.size());
  open_.first_result = static_cast<ValueId>(values_.size());
  open_.result_count = static_cast<uint32_t>(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string_view result_name = i < names.size() ? std::string_view(names[i]) : "";
    const ValueId id = AddValue(types[i], ValueKind::kResult, result_name);
    values_[id].producer = node;
    values_[id].result_index = static_cast<uint32_t>(i);
  }
  nodes_.push_back(open_);
  return open_.first_result;
}

std::vector<ValueId> Graph::ValuesOfKind(ValueKind kind) const {
  std::vector<ValueId> ids;
  for (ValueId id = 0; id < values_.size(); ++id) {
    if (values_[id].kind == kind) ids.push_back(id);
  }
  return ids;
}

std::optional<ValueId> Graph::FindValue(std::string_view value_name) const {
  for (ValueId id = 0; id < values_.size(); ++id) {
    if (values_[id].name == value_name) return id;
  }
  return std::nullopt;
}

std::span<const Graph> Graph::blocks(const Node& node) const {
  return std::span(blocks_).subspan(node.first_block, node.block_count);
}

ValueId NodeView::Input(int parameter) const {
  for (const Argument& argument : graph_->arguments(*node_)) {
    if (argument.parameter == parameter) return argument.value;
  }
  return kNoValue;
}

std::vector<ValueId> NodeView::InputList(int parameter) const {
  std::vector<ValueId> values;
  for (const Argument& argument : graph_->arguments(*node_)) {
    if (argument.parameter == parameter) values.push_back(argument.value);
  }
  return values;
}

const Attribute* NodeView::FindAttribute(int parameter) const {
  for (const Attribute& attribute : graph_->attributes(*node_)) {
    if (attribute.parameter == parameter) return &attribute;
  }
  return nullptr;
}

int64_t NodeView::Int(int parameter, int64_t fallback) const {
  const Attribute* attribute = FindAttribute(parameter);
  return attribute == nullptr ? fallback : attribute->integer;
}

double NodeView::Float(int parameter, double fallback) const {
  const Attribute* attribute = FindAttribute(parameter);
  return attribute == nullptr ? fallback : attribute->number;
}

bool NodeView::Bool(int parameter, bool fallback) const {
  return Int(parameter, fallback ? 1 : 0) != 0;
}

std::string_view NodeView::String(int parameter, std::string_view fallback) const {
  const Attribute* attribute = FindAttribute(parameter);
  return attribute == nullptr ? fallback : graph_->string(*attribute);
}

std::span<const int64_t> NodeView::Ints(int parameter) const {
  const Attribute* attribute = FindAttribute(parameter);
  if (attribute == nullptr) return {};
  return graph_->ints(*attribute);
}

std::span<const double> NodeView::Floats(int parameter) const {
  const Attribute* attribute = FindAttribute(parameter);
  if (attribute == nullptr) return {};
  return graph_->floats(*attribute);
}

}  // namespace anecheck
