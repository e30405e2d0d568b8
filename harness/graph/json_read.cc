#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/base/base64.h"
#include "harness/graph/find_operand.h"
#include "harness/graph/json.h"
#include "harness/graph/validate.h"

namespace anecheck {
namespace {

using nlohmann::ordered_json;

constexpr int kMaxBlockDepth = 16;

// Where a value stands, as messages tell it ("ops[3].inputs.weight"): a member or an element of
// what is around it. Its text is made for messages only.
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

// The object's members are all among `required` and `optional`, and those are there.
Status CheckKeys(const ordered_json& json, const Place& place,
                 std::initializer_list<std::string_view> required,
                 std::initializer_list<std::string_view> optional) {
  if (!json.is_object()) return Wrong(place, "must be an object");
  size_t found = 0;
  for (const auto& [name, value] : json.get_ref<const ordered_json::object_t&>()) {
    const bool is_required = std::ranges::find(required, name) != required.end();
    found += is_required ? 1 : 0;
    if (!is_required && std::ranges::find(optional, name) == optional.end()) {
      return Wrong(place, fmt::format("unknown key \"{}\"", name));
    }
  }
  if (found == required.size()) return {};
  for (const std::string_view key : required) {
    if (!json.contains(key)) return Wrong(place, fmt::format("\"{}\" is missing", key));
  }
  return {};
}

// The text stands in `json`.
Result<std::string_view> ReadString(const ordered_json& json, const Place& place) {
  if (!json.is_string()) return Wrong(place, "must be a string");
  return std::string_view(json.get_ref<const std::string&>());
}

Result<int64_t> ReadInteger(const ordered_json& json, const Place& place) {
  if (!json.is_number_integer()) return Wrong(place, "must be an integer");
  if (json.is_number_unsigned() &&
      json.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return Wrong(place, "is too large");
  }
  return json.get<int64_t>();
}

Result<double> ReadNumber(const ordered_json& json, const Place& place) {
  if (json.is_number()) return json.get<double>();
  if (json == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (json == "Infinity") return std::numeric_limits<double>::infinity();
  if (json == "-Infinity") return -std::numeric_limits<double>::infinity();
  return Wrong(place, "must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
}

struct Declaration {
  std::string_view name;
  TensorType type;
};

Result<Declaration> ReadDeclaration(const ordered_json& json, const Place& place, bool data) {
  if (data) {
    ANECHECK_RETURN_IF_ERROR(CheckKeys(json, place, {"name", "dtype", "shape", "data"}, {}));
  } else {
    ANECHECK_RETURN_IF_ERROR(CheckKeys(json, place, {"name", "dtype", "shape"}, {}));
  }
  Declaration declaration;
  ANECHECK_ASSIGN(declaration.name, ReadString(*json.find("name"), place / "name"));
  if (declaration.name.empty()) return Wrong(place, "name is empty");
  ANECHECK_ASSIGN(const std::string_view dtype, ReadString(*json.find("dtype"), place / "dtype"));
  const auto known = DTypeFromName(dtype);
  if (!known) return Wrong(place, fmt::format("dtype \"{}\" is unknown", dtype));
  declaration.type.dtype = *known;
  const ordered_json& shape = *json.find("shape");
  if (!shape.is_array() || shape.size() > Shape::kMaxRank) {
    return Wrong(place, fmt::format("shape must be a list of at most {} extents", Shape::kMaxRank));
  }
  int64_t elements = 1;
  for (const ordered_json& entry : shape) {
    ANECHECK_ASSIGN(const int64_t dim, ReadInteger(entry, place / "shape"));
    if (dim < 0) return Wrong(place, fmt::format("extent {} is negative", dim));
    if (dim != 0 && elements > kMaxElements / dim)
      return Wrong(place, "has more than 2^31 elements");
    elements *= dim;
    declaration.type.shape.Append(dim);
  }
  return declaration;
}

// The document must outlive it.
class Reader {
 public:
  Reader(const Vocabulary& vocabulary, int depth) : vocabulary_(vocabulary), depth_(depth) {}

  Result<Graph> Read(const ordered_json& json) {
    if (depth_ > kMaxBlockDepth) return Wrong("blocks", "are nested too deeply");
    ANECHECK_RETURN_IF_ERROR(CheckKeys(json, {"graph"}, {"version", "inputs", "ops", "outputs"},
                                       {"name", "states", "consts"}));
    const ordered_json& version = *json.find("version");
    if (!version.is_number_integer() || version != 1) return Wrong("version", "must be 1");
    if (const auto name = json.find("name"); name != json.end()) {
      ANECHECK_ASSIGN(graph_.name, ReadString(*name, {"name"}));
    }
    ANECHECK_RETURN_IF_ERROR(ReadValues(json, "inputs", ValueKind::kInput));
    ANECHECK_RETURN_IF_ERROR(ReadValues(json, "states", ValueKind::kState));
    ANECHECK_RETURN_IF_ERROR(ReadValues(json, "consts", ValueKind::kConst));
    const Place at_ops = {"ops"};
    const ordered_json& ops = *json.find("ops");
    if (!ops.is_array()) return Wrong(at_ops, "must be a list");
    for (size_t i = 0; i < ops.size(); ++i) {
      ANECHECK_RETURN_IF_ERROR(ReadNode(ops[i], at_ops[i]));
    }
    const ordered_json& outputs = *json.find("outputs");
    if (!outputs.is_array()) return Wrong("outputs", "must be a list");
    for (const ordered_json& entry : outputs) {
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

  // The document's list `key`, which may be absent.
  Status ReadValues(const ordered_json& json, std::string_view key, ValueKind kind) {
    const auto list = json.find(key);
    if (list == json.end()) return {};
    const Place at_list = {key};
    if (!list->is_array()) return Wrong(at_list, "must be a list");
    for (size_t i = 0; i < list->size(); ++i) {
      const Place place = at_list[i];
      ANECHECK_ASSIGN(const Declaration read,
                      ReadDeclaration((*list)[i], place, kind == ValueKind::kConst));
      ValueId id = kNoValue;
      if (kind == ValueKind::kConst) {
        ANECHECK_ASSIGN(id, ReadConst(*(*list)[i].find("data"), read, place / "data"));
      } else {
        id = kind == ValueKind::kInput ? graph_.AddInput(read.type, read.name)
                                       : graph_.AddState(read.type, read.name);
      }
      ANECHECK_RETURN_IF_ERROR(Define(read.name, id, place));
    }
    return {};
  }

  Result<ValueId> ReadConst(const ordered_json& json, const Declaration& read, const Place& place) {
    ANECHECK_ASSIGN(const std::string_view text, ReadString(json, place));
    const auto bytes = Base64Decode(text);
    if (!bytes.ok()) return Wrong(place, bytes.error().message);
    if (bytes->size() != static_cast<size_t>(read.type.ByteSize())) {
      return Wrong(place, fmt::format("has {} bytes, {} needs {}", bytes->size(),
                                      read.type.ToString(), read.type.ByteSize()));
    }
    return graph_.AddConst(read.type, *bytes, read.name);
  }

  Result<ValueId> ReadReference(const ordered_json& json, const Place& place) {
    ANECHECK_ASSIGN(const std::string_view name, ReadString(json, place));
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
      return Wrong(place, fmt::format("\"{}\" is not defined before it", name));
    }
    return found->second;
  }

  Result<const OpSchema*> ReadOperation(const ordered_json& json, const Place& place) {
    ANECHECK_ASSIGN(const std::string_view op, ReadString(json, place / "op"));
    const OpSchema* schema = vocabulary_.Find(op);
    if (schema != nullptr) return schema;
    const std::string_view reason = vocabulary_.ReasonWithout(op);
    return Wrong(place, reason.empty()
                            ? fmt::format("operation \"{}\" is unknown", op)
                            : fmt::format("operation \"{}\" cannot be judged: it {}", op, reason));
  }

  Status ReadNode(const ordered_json& json, const Place& place) {
    ANECHECK_RETURN_IF_ERROR(
        CheckKeys(json, place, {"op", "inputs", "outputs"}, {"name", "attrs", "blocks"}));
    ANECHECK_ASSIGN(const OpSchema* schema, ReadOperation(*json.find("op"), place));
    graph_.BeginNode(schema);
    ANECHECK_RETURN_IF_ERROR(ReadArguments(*json.find("inputs"), *schema, place / "inputs"));
    if (const auto attributes = json.find("attrs"); attributes != json.end()) {
      ANECHECK_RETURN_IF_ERROR(ReadAttributes(*attributes, *schema, place / "attrs"));
    }
    if (const auto blocks = json.find("blocks"); blocks != json.end()) {
      ANECHECK_RETURN_IF_ERROR(ReadBlocks(*blocks, place / "blocks"));
    }
    const ordered_json& outputs = *json.find("outputs");
    ANECHECK_RETURN_IF_ERROR(ReadResults(outputs, *schema, place));
    const auto name = json.find("name");
    return name == json.end() ? Status() : CheckName(*name, outputs, place / "name");
  }

  Status ReadBlocks(const ordered_json& json, const Place& place) {
    if (!json.is_array()) return Wrong(place, "must be a list");
    for (size_t i = 0; i < json.size(); ++i) {
      auto block = Reader(vocabulary_, depth_ + 1).Read(json[i]);
      if (!block.ok()) return Wrong(place[i], block.error().message);
      graph_.AddBlock(std::move(block).value());
    }
    return {};
  }

  // An operation has no name beside that of its first output; another one would be lost.
  static Status CheckName(const ordered_json& json, const ordered_json& outputs,
                          const Place& place) {
    ANECHECK_ASSIGN(const std::string_view name, ReadString(json, place));
    if (outputs.empty()) return {};
    const auto& first = outputs[0].find("name")->get_ref<const std::string&>();
    if (name == first) return {};
    return Wrong(place,
                 fmt::format("\"{}\" is not the name of its first output, \"{}\"", name, first));
  }

  Status ReadResults(const ordered_json& json, const OpSchema& schema, const Place& place) {
    const Place at_outputs = place / "outputs";
    if (!json.is_array() || (json.empty() && schema.has_results))
      return Wrong(at_outputs, "must be a list, not empty");
    if (json.size() > ResultTypes::kMaxResults) return Wrong(at_outputs, "is too long");
    std::vector<TensorType> types;
    std::vector<std::string> names;
    types.reserve(json.size());
    names.reserve(json.size());
    for (size_t i = 0; i < json.size(); ++i) {
      ANECHECK_ASSIGN(const Declaration read, ReadDeclaration(json[i], at_outputs[i], false));
      types.push_back(read.type);
      names.emplace_back(read.name);
    }
    const ValueId first = graph_.FinishNodeAs(types, names);
    for (size_t i = 0; i < json.size(); ++i) {
      const auto& name = json[i].find("name")->get_ref<const std::string&>();
      ANECHECK_RETURN_IF_ERROR(Define(name, first + static_cast<ValueId>(i), place));
    }
    return {};
  }

  Status ReadArguments(const ordered_json& json, const OpSchema& schema, const Place& place) {
    if (!json.is_object()) return Wrong(place, "must be an object");
    for (const auto& [name, value] : json.get_ref<const ordered_json::object_t&>()) {
      const Place where = place / name;
      int parameter = FindOperand(schema, name);
      // Validation says what is wrong with an attribute among the arguments.
      if (parameter < 0) parameter = schema.FindParameter(name);
      if (parameter < 0) return Wrong(where, fmt::format("{} has no such argument", schema.name));
      if (!value.is_array()) return Wrong(where, "must be a list of names");
      for (const ordered_json& entry : value) {
        ANECHECK_ASSIGN(const ValueId id, ReadReference(entry, where));
        graph_.AddArgument(parameter, id);
      }
    }
    return {};
  }

  Status ReadAttributes(const ordered_json& json, const OpSchema& schema, const Place& place) {
    if (!json.is_object()) return Wrong(place, "must be an object");
    for (const auto& [name, value] : json.get_ref<const ordered_json::object_t&>()) {
      const Place where = place / name;
      const int parameter = schema.FindParameter(name);
      if (parameter < 0) return Wrong(where, fmt::format("{} has no such attribute", schema.name));
      ANECHECK_RETURN_IF_ERROR(ReadAttribute(value, schema, parameter, where));
    }
    return {};
  }

  Status ReadAttribute(const ordered_json& json, const OpSchema& schema, int parameter,
                       const Place& where) {
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
        graph_.AddBool(parameter, json.get<bool>());
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

  Status ReadListAttribute(const ordered_json& json, ParameterKind kind, int parameter,
                           const Place& where) {
    if (!json.is_array()) return Wrong(where, "must be a list");
    std::vector<int64_t> ints;
    std::vector<double> floats;
    for (const ordered_json& entry : json) {
      if (kind == ParameterKind::kInts) {
        ANECHECK_ASSIGN(const int64_t value, ReadInteger(entry, where));
        ints.push_back(value);
      } else if (kind == ParameterKind::kFloats) {
        ANECHECK_ASSIGN(const double value, ReadNumber(entry, where));
        floats.push_back(value);
      } else {
        if (!entry.is_boolean()) return Wrong(where, "must be a list of true and false");
        ints.push_back(entry.get<bool>() ? 1 : 0);
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
  std::unordered_map<std::string_view, ValueId> by_name_;
};

// The names that messages repeat are the file's own and may hold anything; a message is one line.
Error OneLine(Error error) {
  std::string shown;
  for (const char c : error.message) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7f) {
      shown += fmt::format("\\x{:02x}", byte);
    } else {
      shown += c;
    }
  }
  error.message = std::move(shown);
  return error;
}

}  // namespace

Result<Graph> GraphFromJson(const nlohmann::ordered_json& json, const Vocabulary& vocabulary) {
  Result<Graph> graph = Reader(vocabulary, 0).Read(json);
  if (!graph.ok()) return OneLine(std::move(graph).error());
  Status valid = ValidateGraph(*graph);
  if (!valid.ok()) return OneLine(std::move(valid).error());
  return graph;
}

}  // namespace anecheck
