#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <initializer_list>
#include <limits>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/base/base64.h"
#include "harness/base/json_tree.h"
#include "harness/base/one_line.h"
#include "harness/graph/find_operand.h"
#include "harness/graph/json.h"
#include "harness/graph/validate.h"

namespace anecheck {
namespace {

constexpr int kMaxBlockDepth = 16;

// The path of a value ("ops[3].inputs.weight"), as a link to the place of the enclosing value. The
// text is built only for a message.
struct Place {
  std::string_view name = {};
  const Place* around = nullptr;
  std::optional<size_t> index = {};

  Place operator[](size_t element) const { return {{}, this, element}; }
  Place operator/(std::string_view member) const { return {member, this, {}}; }

  std::string Text() const {
    if (around == nullptr) return std::string(name);
    if (index) return fmt::format("{}[{}]", around->Text(), *index);
    return fmt::format("{}.{}", around->Text(), name);
  }
};

Error Wrong(const Place& place, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{}: {}", place.Text(), what));
}
Error Wrong(std::string_view name, std::string_view what) { return Wrong(Place{name}, what); }

// Checks that the object has all `required` members, and besides them only `optional` members.
Status CheckKeys(JsonValue json, const Place& place,
                 std::initializer_list<std::string_view> required,
                 std::initializer_list<std::string_view> optional) {
  if (!json.is_object()) return Wrong(place, "must be an object");
  size_t found = 0;
  for (const JsonValue member : json) {
    const std::string_view name = member.name();
    const auto is_this = [&](std::string_view known) { return SameText(known, name); };
    const bool is_required = std::ranges::any_of(required, is_this);
    found += is_required ? 1 : 0;
    if (!is_required && std::ranges::none_of(optional, is_this)) {
      return Wrong(place, fmt::format("unknown key \"{}\"", name));
    }
  }
  if (found == required.size()) return {};
  for (const std::string_view key : required) {
    if (!json.Find(key)) return Wrong(place, fmt::format("\"{}\" is missing", key));
  }
  return {};
}

// The result points into the document.
Result<std::string_view> ReadString(JsonValue json, const Place& place) {
  if (!json.is_string()) return Wrong(place, "must be a string");
  return json.text();
}

Result<int64_t> ReadInteger(JsonValue json, const Place& place) {
  if (!json.is_whole()) return Wrong(place, "must be an integer");
  const std::optional<int64_t> value = json.whole();
  if (!value) return Wrong(place, "is too large");
  return *value;
}

Result<double> ReadNumber(JsonValue json, const Place& place) {
  if (json.is_number()) return json.number();
  const std::string_view text = json.is_string() ? json.text() : std::string_view();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return Wrong(place, "must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
}

struct Declaration {
  std::string_view name;
  TensorType type;
};

Result<Declaration> ReadDeclaration(JsonValue json, const Place& place, bool data) {
  if (data) {
    ANECHECK_RETURN_IF_ERROR(CheckKeys(json, place, {"name", "dtype", "shape", "data"}, {}));
  } else {
    ANECHECK_RETURN_IF_ERROR(CheckKeys(json, place, {"name", "dtype", "shape"}, {}));
  }
  Declaration declaration;
  ANECHECK_ASSIGN(declaration.name, ReadString(*json.Find("name"), place / "name"));
  if (declaration.name.empty()) return Wrong(place, "name is empty");
  ANECHECK_ASSIGN(const std::string_view dtype, ReadString(*json.Find("dtype"), place / "dtype"));
  const auto known = DTypeFromName(dtype);
  if (!known) return Wrong(place, fmt::format("dtype \"{}\" is unknown", dtype));
  declaration.type.dtype = *known;
  const JsonValue shape = *json.Find("shape");
  if (!shape.is_array() || shape.size() > Shape::kMaxRank) {
    return Wrong(place, fmt::format("shape must be a list of at most {} extents", Shape::kMaxRank));
  }
  for (const JsonValue entry : shape) {
    ANECHECK_ASSIGN(const int64_t dim, ReadInteger(entry, place / "shape"));
    if (dim < 0) return Wrong(place, fmt::format("extent {} is negative", dim));
    declaration.type.shape.Append(dim);
  }
  if (!IsHoldable(declaration.type.shape)) return Wrong(place, "has more than 2^31 elements");
  return declaration;
}

// The document must outlive the reader.
class Reader {
 public:
  Reader(const Vocabulary& vocabulary, int depth) : vocabulary_(vocabulary), depth_(depth) {}

  Result<Graph> Read(JsonValue json) {
    if (depth_ > kMaxBlockDepth) return Wrong("blocks", "are nested too deeply");
    ANECHECK_RETURN_IF_ERROR(CheckKeys(json, {"graph"}, {"version", "inputs", "ops", "outputs"},
                                       {"name", "states", "consts"}));
    const JsonValue version = *json.Find("version");
    if (!version.is_whole() || version.whole() != 1) return Wrong("version", "must be 1");
    if (const auto name = json.Find("name")) {
      ANECHECK_ASSIGN(graph_.name, ReadString(*name, {"name"}));
    }
    ANECHECK_RETURN_IF_ERROR(ReadValues(json, "inputs", ValueKind::kInput));
    ANECHECK_RETURN_IF_ERROR(ReadValues(json, "states", ValueKind::kState));
    ANECHECK_RETURN_IF_ERROR(ReadValues(json, "consts", ValueKind::kConst));
    const Place at_ops = {"ops"};
    const JsonValue ops = *json.Find("ops");
    if (!ops.is_array()) return Wrong(at_ops, "must be a list");
    size_t index = 0;
    for (const JsonValue op : ops) ANECHECK_RETURN_IF_ERROR(ReadNode(op, at_ops[index++]));
    const JsonValue outputs = *json.Find("outputs");
    if (!outputs.is_array()) return Wrong("outputs", "must be a list");
    for (const JsonValue entry : outputs) {
      ANECHECK_ASSIGN(const ValueId id, ReadReference(entry, {"outputs"}));
      graph_.AddOutput(id);
    }
    return std::move(graph_);
  }

 private:
  Status Define(std::string_view name, ValueId id, const Place& place) {
    if (!by_name_.emplace(name, id).second) {
      return Wrong(place, fmt::format("name \"{}\" is used twice", name));
    }
    return {};
  }

  // Reads the elements of the list `key`, which may be absent.
  Status ReadValues(JsonValue json, std::string_view key, ValueKind kind) {
    const auto list = json.Find(key);
    if (!list) return {};
    const Place at_list = {key};
    if (!list->is_array()) return Wrong(at_list, "must be a list");
    size_t index = 0;
    for (const JsonValue entry : *list) {
      const Place place = at_list[index++];
      ANECHECK_ASSIGN(const Declaration read,
                      ReadDeclaration(entry, place, kind == ValueKind::kConst));
      ValueId id = kNoValue;
      if (kind == ValueKind::kConst) {
        ANECHECK_ASSIGN(id, ReadConst(*entry.Find("data"), read, place / "data"));
      } else {
        id = kind == ValueKind::kInput ? graph_.AddInput(read.type, read.name)
                                       : graph_.AddState(read.type, read.name);
      }
      ANECHECK_RETURN_IF_ERROR(Define(read.name, id, place));
    }
    return {};
  }

  Result<ValueId> ReadConst(JsonValue json, const Declaration& read, const Place& place) {
    ANECHECK_ASSIGN(const std::string_view text, ReadString(json, place));
    const auto bytes = Base64Decode(text);
    if (!bytes.ok()) return Wrong(place, bytes.error().message);
    if (bytes->size() != static_cast<size_t>(read.type.ByteSize())) {
      return Wrong(place, fmt::format("has {} bytes, {} needs {}", bytes->size(),
                                      read.type.ToString(), read.type.ByteSize()));
    }
    return graph_.AddConst(read.type, *bytes, read.name);
  }

  Result<ValueId> ReadReference(JsonValue json, const Place& place) {
    ANECHECK_ASSIGN(const std::string_view name, ReadString(json, place));
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
      return Wrong(place, fmt::format("\"{}\" is not defined before it", name));
    }
    return found->second;
  }

  Result<const OpSchema*> ReadOperation(JsonValue json, const Place& place) {
    ANECHECK_ASSIGN(const std::string_view op, ReadString(json, place / "op"));
    const OpSchema* schema = vocabulary_.Find(op);
    if (schema != nullptr) return schema;
    const std::string_view reason = vocabulary_.ReasonWithout(op);
    return Wrong(place, reason.empty()
                            ? fmt::format("operation \"{}\" is unknown", op)
                            : fmt::format("operation \"{}\" cannot be judged: {}", op, reason));
  }

  Status ReadNode(JsonValue json, const Place& place) {
    ANECHECK_RETURN_IF_ERROR(
        CheckKeys(json, place, {"op", "inputs", "outputs"}, {"name", "attrs", "blocks"}));
    ANECHECK_ASSIGN(const OpSchema* schema, ReadOperation(*json.Find("op"), place));
    graph_.BeginNode(schema);
    ANECHECK_RETURN_IF_ERROR(ReadArguments(*json.Find("inputs"), *schema, place / "inputs"));
    if (const auto attributes = json.Find("attrs")) {
      ANECHECK_RETURN_IF_ERROR(ReadAttributes(*attributes, *schema, place / "attrs"));
    }
    if (const auto blocks = json.Find("blocks")) {
      ANECHECK_RETURN_IF_ERROR(ReadBlocks(*blocks, place / "blocks"));
    }
    const JsonValue outputs = *json.Find("outputs");
    ANECHECK_RETURN_IF_ERROR(ReadResults(outputs, *schema, place));
    const auto name = json.Find("name");
    return !name ? Status() : CheckName(*name, outputs, place / "name");
  }

  Status ReadBlocks(JsonValue json, const Place& place) {
    if (!json.is_array()) return Wrong(place, "must be a list");
    size_t index = 0;
    for (const JsonValue entry : json) {
      const Place at_block = place[index++];
      auto block = Reader(vocabulary_, depth_ + 1).Read(entry);
      if (!block.ok()) return Wrong(at_block, block.error().message);
      graph_.AddBlock(std::move(block).value());
    }
    return {};
  }

  // Checks that the name of an operation is that of its first output. A graph cannot store another
  // name.
  static Status CheckName(JsonValue json, JsonValue outputs, const Place& place) {
    ANECHECK_ASSIGN(const std::string_view name, ReadString(json, place));
    if (outputs.size() == 0) return {};
    const std::string_view first = (*outputs.begin()).Find("name")->text();
    if (name == first) return {};
    return Wrong(place,
                 fmt::format("\"{}\" is not the name of its first output, \"{}\"", name, first));
  }

  Status ReadResults(JsonValue json, const OpSchema& schema, const Place& place) {
    const Place at_outputs = place / "outputs";
    if (!json.is_array() || (json.size() == 0 && schema.has_results))
      return Wrong(at_outputs, "must be a list, not empty");
    if (json.size() > ResultTypes::kMaxResults) return Wrong(at_outputs, "is too long");
    result_types_.clear();
    result_names_.clear();
    for (const JsonValue result : json) {
      const Place at_result = at_outputs[result_types_.size()];
      ANECHECK_ASSIGN(const Declaration read, ReadDeclaration(result, at_result, false));
      result_types_.push_back(read.type);
      result_names_.emplace_back(read.name);
    }
    ValueId id = graph_.FinishNodeAs(result_types_, result_names_);
    for (const JsonValue result : json) {
      ANECHECK_RETURN_IF_ERROR(Define(result.Find("name")->text(), id++, place));
    }
    return {};
  }

  Status ReadArguments(JsonValue json, const OpSchema& schema, const Place& place) {
    if (!json.is_object()) return Wrong(place, "must be an object");
    for (const JsonValue value : json) {
      const std::string_view name = value.name();
      const Place where = place / name;
      int parameter = FindOperand(schema, name);
      // If an attribute is given as an argument, validation reports that later.
      if (parameter < 0) parameter = schema.FindParameter(name);
      if (parameter < 0) return Wrong(where, fmt::format("{} has no such argument", schema.name));
      if (!value.is_array()) return Wrong(where, "must be a list of names");
      for (const JsonValue entry : value) {
        ANECHECK_ASSIGN(const ValueId id, ReadReference(entry, where));
        graph_.AddArgument(parameter, id);
      }
    }
    return {};
  }

  Status ReadAttributes(JsonValue json, const OpSchema& schema, const Place& place) {
    if (!json.is_object()) return Wrong(place, "must be an object");
    for (const JsonValue value : json) {
      const Place where = place / value.name();
      const int parameter = schema.FindParameter(value.name());
      if (parameter < 0) return Wrong(where, fmt::format("{} has no such attribute", schema.name));
      ANECHECK_RETURN_IF_ERROR(ReadAttribute(value, schema, parameter, where));
    }
    return {};
  }

  Status ReadAttribute(JsonValue json, const OpSchema& schema, int parameter, const Place& where) {
    switch (schema.parameters[static_cast<size_t>(parameter)].kind) {
      case ParameterKind::kInt: {
        ANECHECK_ASSIGN(const int64_t value, ReadInteger(json, where));
        graph_.AddInt(parameter, value);
        return {};
      }
      case ParameterKind::kFloat: {
        ANECHECK_ASSIGN(const double value, ReadNumber(json, where));
        graph_.AddFloat(parameter, value);
        return {};
      }
      case ParameterKind::kBool:
        if (!json.is_boolean()) return Wrong(where, "must be true or false");
        graph_.AddBool(parameter, json.boolean());
        return {};
      case ParameterKind::kString: {
        ANECHECK_ASSIGN(const std::string_view value, ReadString(json, where));
        graph_.AddString(parameter, value);
        return {};
      }
      case ParameterKind::kInts:
      case ParameterKind::kFloats:
      case ParameterKind::kBools:
        return ReadListAttribute(json, schema.parameters[static_cast<size_t>(parameter)].kind,
                                 parameter, where);
      case ParameterKind::kTensor:
      case ParameterKind::kTensorList:
        return Wrong(where, "is a tensor argument and belongs under inputs");
    }
    return {};
  }

  Status ReadListAttribute(JsonValue json, ParameterKind kind, int parameter, const Place& where) {
    if (!json.is_array()) return Wrong(where, "must be a list");
    std::vector<int64_t> ints;
    std::vector<double> floats;
    if (kind == ParameterKind::kFloats) {
      floats.reserve(json.size());
    } else {
      ints.reserve(json.size());
    }
    for (const JsonValue entry : json) {
      if (kind == ParameterKind::kInts) {
        ANECHECK_ASSIGN(const int64_t value, ReadInteger(entry, where));
        ints.push_back(value);
      } else if (kind == ParameterKind::kFloats) {
        ANECHECK_ASSIGN(const double value, ReadNumber(entry, where));
        floats.push_back(value);
      } else {
        if (!entry.is_boolean()) return Wrong(where, "must be a list of true and false");
        ints.push_back(entry.boolean() ? 1 : 0);
      }
    }
    if (kind == ParameterKind::kInts) graph_.AddInts(parameter, ints);
    if (kind == ParameterKind::kFloats) graph_.AddFloats(parameter, floats);
    if (kind == ParameterKind::kBools) graph_.AddBools(parameter, ints);
    return {};
  }

  const Vocabulary& vocabulary_;
  const int depth_;
  Graph graph_;
  std::array<std::byte, 1024> room_;  // for the names of a small graph
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
  std::pmr::unordered_map<std::string_view, ValueId> by_name_{&memory_};
  std::vector<TensorType> result_types_;  // of the operation that is being read
  std::vector<std::string> result_names_;
};

// Makes a message one line, because it may quote names of the file, which may contain any
// character.
Error OnOneLine(Error error) {
  error.message = OneLine(error.message);
  return error;
}

}  // namespace

namespace {

Result<Graph> GraphFromTree(const JsonTree& tree, const Vocabulary& vocabulary) {
  Result<Graph> graph = Reader(vocabulary, 0).Read(tree.root());
  if (!graph.ok()) return OnOneLine(std::move(graph).error());
  Status valid = ValidateGraph(*graph);
  if (!valid.ok()) return OnOneLine(std::move(valid).error());
  return graph;
}

}  // namespace

Result<Graph> GraphFromJson(const Json& json, const Vocabulary& vocabulary) {
  return GraphFromTree(JsonTree::Of(json), vocabulary);
}

Result<Graph> GraphFromText(std::string_view text, const Vocabulary& vocabulary,
                            std::string_view name) {
  ANECHECK_ASSIGN(const JsonTree tree, JsonTree::Parse(text, name));
  return GraphFromTree(tree, vocabulary);
}

}  // namespace anecheck
