#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>

#include "harness/base/base64.h"
#include "harness/graph/find_operand.h"
#include "harness/graph/json.h"
#include "harness/graph/validate.h"

namespace anecheck {
namespace {

using nlohmann::ordered_json;

constexpr int kMaxBlockDepth = 16;

Error Wrong(std::string_view path, std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{}: {}", path, what));
}

// The object's members are all among `allowed`, and `required` are there.
Status CheckKeys(const ordered_json& json, std::string_view path,
                 std::initializer_list<std::string_view> required,
                 std::initializer_list<std::string_view> optional) {
  if (!json.is_object()) return Wrong(path, "must be an object");
  for (const auto& member : json.items()) {
    const auto is = [&](std::string_view key) { return member.key() == key; };
    if (std::none_of(required.begin(), required.end(), is) &&
        std::none_of(optional.begin(), optional.end(), is)) {
      return Wrong(path, fmt::format("unknown key \"{}\"", member.key()));
    }
  }
  for (const std::string_view key : required) {
    if (!json.contains(key)) return Wrong(path, fmt::format("\"{}\" is missing", key));
  }
  return {};
}

Result<std::string> ReadString(const ordered_json& json, std::string_view path) {
  if (!json.is_string()) return Wrong(path, "must be a string");
  return json.get<std::string>();
}

Result<int64_t> ReadInteger(const ordered_json& json, std::string_view path) {
  if (!json.is_number_integer()) return Wrong(path, "must be an integer");
  if (json.is_number_unsigned() &&
      json.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return Wrong(path, "is too large");
  }
  return json.get<int64_t>();
}

Result<double> ReadNumber(const ordered_json& json, std::string_view path) {
  if (json.is_number()) return json.get<double>();
  if (json == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (json == "Infinity") return std::numeric_limits<double>::infinity();
  if (json == "-Infinity") return -std::numeric_limits<double>::infinity();
  return Wrong(path, "must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
}

struct Declaration {
  std::string name;
  TensorType type;
};

Result<Declaration> ReadDeclaration(const ordered_json& json, std::string_view path, bool data) {
  if (data) {
    ANECHECK_RETURN_IF_ERROR(CheckKeys(json, path, {"name", "dtype", "shape", "data"}, {}));
  } else {
    ANECHECK_RETURN_IF_ERROR(CheckKeys(json, path, {"name", "dtype", "shape"}, {}));
  }
  Declaration declaration;
  ANECHECK_ASSIGN(declaration.name, ReadString(json["name"], fmt::format("{}.name", path)));
  if (declaration.name.empty()) return Wrong(path, "name is empty");
  ANECHECK_ASSIGN(const std::string dtype,
                  ReadString(json["dtype"], fmt::format("{}.dtype", path)));
  const auto known = DTypeFromName(dtype);
  if (!known) return Wrong(path, fmt::format("dtype \"{}\" is unknown", dtype));
  declaration.type.dtype = *known;
  const ordered_json& shape = json["shape"];
  if (!shape.is_array() || shape.size() > Shape::kMaxRank) {
    return Wrong(path, fmt::format("shape must be a list of at most {} extents", Shape::kMaxRank));
  }
  int64_t elements = 1;
  for (const ordered_json& entry : shape) {
    ANECHECK_ASSIGN(const int64_t dim, ReadInteger(entry, fmt::format("{}.shape", path)));
    if (dim < 0) return Wrong(path, fmt::format("extent {} is negative", dim));
    if (dim != 0 && elements > kMaxElements / dim)
      return Wrong(path, "has more than 2^31 elements");
    elements *= dim;
    declaration.type.shape.Append(dim);
  }
  return declaration;
}

class Reader {
 public:
  Reader(const Vocabulary& vocabulary, int depth) : vocabulary_(vocabulary), depth_(depth) {}

  Result<Graph> Read(const ordered_json& json) {
    if (depth_ > kMaxBlockDepth) return Wrong("blocks", "are nested too deeply");
    ANECHECK_RETURN_IF_ERROR(CheckKeys(json, "graph", {"version", "inputs", "ops", "outputs"},
                                       {"name", "states", "consts"}));
    if (!json["version"].is_number_integer() || json["version"] != 1) {
      return Wrong("version", "must be 1");
    }
    if (json.contains("name")) {
      ANECHECK_ASSIGN(graph_.name, ReadString(json["name"], "name"));
    }
    ANECHECK_RETURN_IF_ERROR(ReadValues(json, "inputs", ValueKind::kInput));
    if (json.contains("states")) {
      ANECHECK_RETURN_IF_ERROR(ReadValues(json, "states", ValueKind::kState));
    }
    if (json.contains("consts")) {
      ANECHECK_RETURN_IF_ERROR(ReadValues(json, "consts", ValueKind::kConst));
    }
    if (!json["ops"].is_array()) return Wrong("ops", "must be a list");
    for (size_t i = 0; i < json["ops"].size(); ++i) {
      ANECHECK_RETURN_IF_ERROR(ReadNode(json["ops"][i], fmt::format("ops[{}]", i)));
    }
    if (!json["outputs"].is_array()) return Wrong("outputs", "must be a list");
    for (const ordered_json& entry : json["outputs"]) {
      ANECHECK_ASSIGN(const ValueId id, ReadReference(entry, "outputs"));
      graph_.AddOutput(id);
    }
    return std::move(graph_);
  }

 private:
  Status Define(const std::string& name, ValueId id, std::string_view path) {
    if (!by_name_.emplace(name, id).second) {
      return Wrong(path, fmt::format("name \"{}\" is used twice", name));
    }
    return {};
  }

  Status ReadValues(const ordered_json& json, std::string_view key, ValueKind kind) {
    if (!json[key].is_array()) return Wrong(key, "must be a list");
    for (size_t i = 0; i < json[key].size(); ++i) {
      const ordered_json& entry = json[key][i];
      const std::string path = fmt::format("{}[{}]", key, i);
      ANECHECK_ASSIGN(const Declaration read,
                      ReadDeclaration(entry, path, kind == ValueKind::kConst));
      ValueId id = kNoValue;
      if (kind == ValueKind::kConst) {
        ANECHECK_ASSIGN(const std::string text, ReadString(entry["data"], path + ".data"));
        auto bytes = Base64Decode(text);
        if (!bytes.ok()) return Wrong(path + ".data", bytes.error().message);
        if (bytes->size() != static_cast<size_t>(read.type.ByteSize())) {
          return Wrong(path + ".data", fmt::format("has {} bytes, {} needs {}", bytes->size(),
                                                   read.type.ToString(), read.type.ByteSize()));
        }
        id = graph_.AddConst(read.type, *bytes, read.name);
      } else {
        id = kind == ValueKind::kInput ? graph_.AddInput(read.type, read.name)
                                       : graph_.AddState(read.type, read.name);
      }
      ANECHECK_RETURN_IF_ERROR(Define(read.name, id, path));
    }
    return {};
  }

  Result<ValueId> ReadReference(const ordered_json& json, std::string_view path) {
    ANECHECK_ASSIGN(const std::string name, ReadString(json, path));
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
      return Wrong(path, fmt::format("\"{}\" is not defined before it", name));
    }
    return found->second;
  }

  Status ReadNode(const ordered_json& json, const std::string& path) {
    ANECHECK_RETURN_IF_ERROR(
        CheckKeys(json, path, {"op", "inputs", "outputs"}, {"name", "attrs", "blocks"}));
    ANECHECK_ASSIGN(const std::string op, ReadString(json["op"], path + ".op"));
    const OpSchema* schema = vocabulary_.Find(op);
    if (schema == nullptr) {
      const std::string_view reason = vocabulary_.ReasonWithout(op);
      return Wrong(path, reason.empty()
                             ? fmt::format("operation \"{}\" is unknown", op)
                             : fmt::format("operation \"{}\" cannot be judged: it {}", op, reason));
    }
    graph_.BeginNode(schema);
    ANECHECK_RETURN_IF_ERROR(ReadArguments(json["inputs"], *schema, path + ".inputs"));
    if (json.contains("attrs")) {
      ANECHECK_RETURN_IF_ERROR(ReadAttributes(json["attrs"], *schema, path + ".attrs"));
    }
    if (json.contains("blocks")) {
      if (!json["blocks"].is_array()) return Wrong(path + ".blocks", "must be a list");
      for (size_t i = 0; i < json["blocks"].size(); ++i) {
        auto block = Reader(vocabulary_, depth_ + 1).Read(json["blocks"][i]);
        if (!block.ok()) return Wrong(fmt::format("{}.blocks[{}]", path, i), block.error().message);
        graph_.AddBlock(std::move(block).value());
      }
    }
    ANECHECK_RETURN_IF_ERROR(ReadResults(json["outputs"], *schema, path));
    return CheckName(json, path);
  }

  // An operation has no name beside that of its first output; another one would be lost.
  static Status CheckName(const ordered_json& json, const std::string& path) {
    if (!json.contains("name")) return {};
    const std::string where = path + ".name";
    ANECHECK_ASSIGN(const std::string name, ReadString(json["name"], where));
    if (json["outputs"].empty()) return {};
    const auto first = json["outputs"][0]["name"].get<std::string>();
    if (name == first) return {};
    return Wrong(where,
                 fmt::format("\"{}\" is not the name of its first output, \"{}\"", name, first));
  }

  Status ReadResults(const ordered_json& json, const OpSchema& schema, const std::string& path) {
    if (!json.is_array() || (json.empty() && schema.has_results))
      return Wrong(path + ".outputs", "must be a list, not empty");
    if (json.size() > ResultTypes::kMaxResults) return Wrong(path + ".outputs", "is too long");
    std::vector<TensorType> types;
    std::vector<std::string> names;
    for (size_t i = 0; i < json.size(); ++i) {
      ANECHECK_ASSIGN(Declaration read,
                      ReadDeclaration(json[i], fmt::format("{}.outputs[{}]", path, i), false));
      types.push_back(read.type);
      names.push_back(std::move(read.name));
    }
    const ValueId first = graph_.FinishNodeAs(types, names);
    for (size_t i = 0; i < names.size(); ++i) {
      ANECHECK_RETURN_IF_ERROR(Define(names[i], first + static_cast<ValueId>(i), path));
    }
    return {};
  }

  Status ReadArguments(const ordered_json& json, const OpSchema& schema, const std::string& path) {
    if (!json.is_object()) return Wrong(path, "must be an object");
    for (const auto& member : json.items()) {
      const std::string where = fmt::format("{}.{}", path, member.key());
      int parameter = FindOperand(schema, member.key());
      // Validation says what is wrong with an attribute among the arguments.
      if (parameter < 0) parameter = schema.FindParameter(member.key());
      if (parameter < 0) return Wrong(where, fmt::format("{} has no such argument", schema.name));
      if (!member.value().is_array()) return Wrong(where, "must be a list of names");
      for (const ordered_json& entry : member.value()) {
        ANECHECK_ASSIGN(const ValueId id, ReadReference(entry, where));
        graph_.AddArgument(parameter, id);
      }
    }
    return {};
  }

  Status ReadAttributes(const ordered_json& json, const OpSchema& schema, const std::string& path) {
    if (!json.is_object()) return Wrong(path, "must be an object");
    for (const auto& member : json.items()) {
      const std::string where = fmt::format("{}.{}", path, member.key());
      const int parameter = schema.FindParameter(member.key());
      if (parameter < 0) return Wrong(where, fmt::format("{} has no such attribute", schema.name));
      ANECHECK_RETURN_IF_ERROR(ReadAttribute(member.value(), schema, parameter, where));
    }
    return {};
  }

  Status ReadAttribute(const ordered_json& json, const OpSchema& schema, int parameter,
                       const std::string& where) {
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
        ANECHECK_ASSIGN(const std::string value, ReadString(json, where));
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
                           const std::string& where) {
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
  std::unordered_map<std::string, ValueId> by_name_;
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
