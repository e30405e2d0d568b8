#include "harness/formats/mil/json.h"

#include <fmt/format.h>
#include <utility>

#include "harness/base/base64.h"
#include "harness/base/json.h"
#include "harness/formats/message.h"
#include "harness/formats/mil/lexer.h"
#include "harness/formats/mil/number.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/printer.h"

namespace anecheck::mil {
namespace {

// ---- to JSON ------------------------------------------------------------------------------------

bool IsUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<uint8_t>(text[i]);
    const int length = lead < 0x80   ? 1
                       : lead < 0xc2 ? 0
                       : lead < 0xe0 ? 2
                       : lead < 0xf0 ? 3
                       : lead < 0xf5 ? 4
                                     : 0;
    if (length == 0 || text.size() - i < static_cast<size_t>(length)) return false;
    for (int k = 1; k < length; ++k) {
      if ((static_cast<uint8_t>(text[i + static_cast<size_t>(k)]) & 0xc0) != 0x80) return false;
    }
    const auto second = length > 1 ? static_cast<uint8_t>(text[i + 1]) : uint8_t{0x80};
    const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
    const bool outside = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
    if (overlong || outside) return false;
    i += static_cast<size_t>(length);
  }
  return true;
}

Json RawText(std::string_view text) {
  if (IsUtf8(text)) return std::string(text);
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  return {{"base64", Base64Encode(std::span(bytes, text.size()))}};
}

Json NumberToJson(std::string_view token) {
  const auto value = ToInteger(token);
  if (value) {
    std::string spelling;
    AppendInteger(spelling, *value);
    if (spelling == token) return *value;
  }
  return std::string(token);
}

Json ValueToJson(ValueView value);

Json ChildrenToJson(ValueView value) {
  Json out = Json::array();
  for (const ValueView child : value.children()) out.push_back(ValueToJson(child));
  return out;
}

Json ValueToJson(ValueView value) {
  Json out;
  switch (value.kind()) {
    case ValueKind::kName:
      out["name"] = std::string(value.text());
      return out;
    case ValueKind::kNumber:
      return NumberToJson(value.text());
    case ValueKind::kString:
      out["string"] = RawText(value.text());
      return out;
    case ValueKind::kBool:
      return value.text() == "true";
    case ValueKind::kUnknown:
      return "?";
    case ValueKind::kTyped:
      out["type"] = PrintType(value.type());
      out["value"] = ValueToJson(value.Inner());
      return out;
    case ValueKind::kTuple:
      out["tuple"] = ChildrenToJson(value);
      return out;
    case ValueKind::kDict:
      out["dict"] = ChildrenToJson(value);
      return out;
    case ValueKind::kBlobFile:
      out["blobfile"]["path"] = ValueToJson(value.path());
      out["blobfile"]["offset"] = ValueToJson(value.blob_offset());
      return out;
    case ValueKind::kList:
    case ValueKind::kPair:
    case ValueKind::kType:
      break;
  }
  return ChildrenToJson(value);
}

Json ArgumentsToJson(Sequence<ArgumentView> arguments) {
  Json out = Json::array();
  for (const ArgumentView argument : arguments) {
    Json entry;
    if (!argument.name().empty()) entry["name"] = std::string(argument.name());
    entry["value"] = ValueToJson(argument.value());
    out.push_back(std::move(entry));
  }
  return out;
}

Json BindingsToJson(Sequence<BindingView> bindings) {
  Json out = Json::array();
  for (const BindingView binding : bindings) {
    out.push_back({{"type", PrintType(binding.type())}, {"name", std::string(binding.name())}});
  }
  return out;
}

void PutBody(const Program& program, uint32_t index, Json& out) {
  const BlockView block(&program, index);
  out["statements"] = Json::array();
  for (const StatementView statement : block.statements()) {
    const Statement& raw = program.statements[statement.index()];
    Json entry;
    entry["results"] = BindingsToJson(statement.results());
    entry["op"] = std::string(statement.op());
    if (!statement.opset().empty()) entry["opset"] = std::string(statement.opset());
    entry["arguments"] = ArgumentsToJson(statement.arguments());
    if (raw.has_attributes != 0) entry["attributes"] = ArgumentsToJson(statement.attributes());
    for (uint32_t i = raw.block_first; i < raw.block_end; i = program.blocks[i].end) {
      const BlockView nested(&program, i);
      Json block_entry;
      if (!nested.label().empty()) block_entry["label"] = std::string(nested.label());
      if (program.blocks[i].has_parameters) {
        block_entry["parameters"] = BindingsToJson(nested.parameters());
      }
      PutBody(program, i, block_entry);
      entry["blocks"].push_back(std::move(block_entry));
    }
    out["statements"].push_back(std::move(entry));
  }
  out["outputs"] = Json::array();
  for (const ValueView output : block.outputs()) {
    out["outputs"].push_back(std::string(output.text()));
  }
}

// ---- from JSON ----------------------------------------------------------------------------------

// Fills the tables of a Program. Its text is the concatenation of all strings in the JSON.
class Builder {
 public:
  Result<std::string> Run(const Json& json) {
    if (!Build(json)) return std::move(error_);
    const std::string text = Print(program_, layout_);
    ANECHECK_ASSIGN(const Program parsed, Parse(text));
    // If a gap joins two tokens or splits a token, the parsed text has another number of tokens.
    const uint32_t tokens = LayoutTokens();
    if (LayoutOf(parsed).tokens != tokens ||
        (!layout_.gaps.empty() && layout_.gaps.back().token > tokens)) {
      return MakeError(ErrorCode::kMalformed,
                       "mil json: gaps: they join tokens or lie behind the last; leave a space");
    }
    return text;
  }

 private:
  uint32_t LayoutTokens() const {
    auto standard = Parse(Print(program_));
    return standard.ok() ? LayoutOf(*standard).tokens : 0;
  }

  bool Fail(std::string_view what) {
    error_ =
        MakeError(ErrorCode::kMalformed,
                  Clipped(fmt::format("mil json: {}: {}", path_.empty() ? "file" : path_, what)));
    return false;
  }

  // Extends the path in error messages during its lifetime.
  class Scope {
   public:
    Scope(Builder& builder, std::string_view step)
        : builder_(builder), size_(builder.path_.size()) {
      if (!builder_.path_.empty() && step[0] != '[') builder_.path_ += '.';
      builder_.path_ += step;
    }
    Scope(Builder& builder, size_t index) : Scope(builder, fmt::format("[{}]", index)) {}
    ~Scope() {
      if (builder_.error_.message.empty()) builder_.path_.resize(size_);
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Builder& builder_;
    size_t size_;
  };

  Text Keep(std::string_view text) {
    const auto offset = static_cast<uint32_t>(program_.text.size());
    program_.text += text;
    return {offset, static_cast<uint32_t>(text.size())};
  }

  bool GetName(const Json& object, const char* key, Text& out) {
    const Scope scope(*this, key);
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) return Fail("must be a name");
    return KeepName(found->text(), out);
  }

  bool KeepName(const std::string& name, Text& out) {
    const bool good =
        IsNameStart(name.c_str()[0]) && SkipName(name.c_str()) == name.c_str() + name.size();
    if (!good) return Fail("must be a name: letters, digits and _, no digit first");
    out = Keep(name);
    return true;
  }

  bool GetRaw(const Json& json, std::string& out) {
    if (json.is_string()) {
      out = json.get<std::string>();
      return true;
    }
    const auto encoded = json.is_object() ? json.find("base64") : json.end();
    if (!json.is_object() || encoded == json.end() || !encoded->is_string()) {
      return Fail("must be text or {\"base64\": text}");
    }
    const auto bytes = Base64Decode(encoded->text());
    if (!bytes.ok()) return Fail(bytes.error().message);
    out.assign(bytes->begin(), bytes->end());
    return true;
  }

  bool GetType(const Json& object, uint32_t& index) {
    const Scope scope(*this, "type");
    const auto found = object.find("type");
    if (found == object.end() || !found->is_string()) return Fail("must be a type as text");
    const auto& text = found->text();
    auto type = ParseTypeAt(program_, Keep(text).offset);
    if (!type.ok()) return Fail(fmt::format("{} is no type", Shown(text)));
    index = *type;
    return true;
  }

  // Finds the array `key` of `object`. If it is absent, `out` becomes null, and the call fails
  // unless `optional`.
  bool GetArray(const Json& object, const char* key, const Json*& out, bool optional) {
    const auto found = object.find(key);
    out = nullptr;
    if (found == object.end()) {
      if (optional) return true;
      const Scope scope(*this, key);
      return Fail("is missing; it must be an array");
    }
    if (!found->is_array()) {
      const Scope scope(*this, key);
      return Fail("must be an array");
    }
    out = &*found;
    return true;
  }

  // Calls element(json) for each element of `array`, which must all be objects.
  template <typename Element>
  bool ForEachObject(const char* key, const Json& array, Element element) {
    const Scope scope(*this, key);
    for (size_t i = 0; i < array.size(); ++i) {
      const Scope entry(*this, i);
      if (!array[i].is_object()) return Fail("must be an object");
      if (!element(array[i])) return false;
    }
    return true;
  }

  // ---- values

  bool Leaf(ValueKind kind, std::string_view text) {
    if (text.size() > Value::kMaxLength) return Fail("a token longer than 16 MiB");
    const Text kept = Keep(text);
    program_.values.push_back({kept.offset, Value::Pack(kind, kept.length), kNone});
    return true;
  }
  uint32_t Open(ValueKind kind) {
    program_.values.push_back({0, Value::Pack(kind, 0), kNone});
    return program_.values.size() - 1;
  }
  bool Close(uint32_t index) {
    program_.values[index].link = program_.values.size();
    return true;
  }

  bool BuildValue(const Json& json, int depth) {
    if (depth > kMaxDepth) return Fail(fmt::format("nested deeper than {}", kMaxDepth));
    if (json.is_boolean()) return Leaf(ValueKind::kBool, json.get<bool>() ? "true" : "false");
    if (json.is_number_integer()) {
      std::string digits;
      if (json.is_number_unsigned()) {
        AppendUnsigned(digits, json.get<uint64_t>());
      } else {
        AppendInteger(digits, json.get<int64_t>());
      }
      return Leaf(ValueKind::kNumber, digits);
    }
    if (json.is_string()) return BuildToken(json.text());
    if (json.is_array()) return BuildChildren(ValueKind::kList, json, depth);
    if (json.is_object()) return BuildObject(json, depth);
    return Fail("must be a value");
  }

  bool BuildToken(const std::string& token) {
    if (token == "?") return Leaf(ValueKind::kUnknown, token);
    const char* end = SkipNumber(token.c_str());
    if (end != token.c_str() + token.size()) return Fail("must be a number's spelling or ?");
    return Leaf(ValueKind::kNumber, token);
  }

  bool BuildChildren(ValueKind kind, const Json& array, int depth) {
    const uint32_t index = Open(kind);
    for (size_t i = 0; i < array.size(); ++i) {
      const Scope scope(*this, i);
      if (!BuildValue(array[i], depth + 1)) return false;
    }
    return Close(index);
  }

  bool BuildObject(const Json& json, int depth) {
    if (const auto found = json.find("name"); found != json.end()) {
      Text name;
      if (!GetName(json, "name", name)) return false;
      program_.values.push_back({name.offset, Value::Pack(ValueKind::kName, name.length), kNone});
      return true;
    }
    if (const auto found = json.find("string"); found != json.end()) {
      std::string raw;
      if (!GetRaw(*found, raw)) return false;
      const std::string quoted = '"' + raw + '"';
      if (FindStringEnd(quoted.c_str()) != quoted.c_str() + quoted.size() - 1) {
        return Fail("the string must have its quotes, line ends and \\ escaped");
      }
      return Leaf(ValueKind::kString, raw);
    }
    if (const auto found = json.find("tuple"); found != json.end() && found->is_array()) {
      return BuildChildren(ValueKind::kTuple, *found, depth);
    }
    if (const auto found = json.find("dict"); found != json.end() && found->is_array()) {
      return BuildDict(*found, depth);
    }
    if (const auto found = json.find("blobfile"); found != json.end() && found->is_object()) {
      return BuildBlob(*found, depth);
    }
    return BuildTyped(json, depth);
  }

  bool BuildTyped(const Json& json, int depth) {
    const uint32_t index = Open(ValueKind::kTyped);
    uint32_t type = 0;
    if (!GetType(json, type)) return false;
    program_.values.push_back({0, Value::Pack(ValueKind::kType, 0), type});
    const Scope scope(*this, "value");
    const auto value = json.find("value");
    if (value == json.end()) return Fail("is missing");
    return BuildValue(*value, depth + 1) && Close(index);
  }

  bool BuildDict(const Json& pairs, int depth) {
    const Scope scope(*this, "dict");
    const uint32_t index = Open(ValueKind::kDict);
    for (size_t i = 0; i < pairs.size(); ++i) {
      const Scope entry(*this, i);
      if (!pairs[i].is_array() || (pairs[i].size() != 2 && !pairs[i].empty())) {
        return Fail("must be [key, value] or []");
      }
      if (!BuildChildren(ValueKind::kPair, pairs[i], depth)) return false;
    }
    return Close(index);
  }

  bool BuildBlob(const Json& json, int depth) {
    const uint32_t index = Open(ValueKind::kBlobFile);
    for (const char* key : {"path", "offset"}) {
      const Scope scope(*this, key);
      const auto found = json.find(key);
      if (found == json.end()) return Fail("is missing");
      if (!BuildValue(*found, depth + 1)) return false;
    }
    return Close(index);
  }

  // ---- statements

  bool BuildArguments(const char* key, const Json& array, bool names, Slice& out) {
    const auto first = program_.arguments.size();
    const bool ok = ForEachObject(key, array, [&](const Json& json) {
      Argument argument;
      if ((names || json.contains("name")) && !GetName(json, "name", argument.name)) return false;
      const Scope scope(*this, "value");
      const auto value = json.find("value");
      if (value == json.end()) return Fail("is missing");
      argument.value = program_.values.size();
      if (!BuildValue(*value, 0)) return false;
      program_.arguments.push_back(argument);
      return true;
    });
    out = {first, program_.arguments.size() - first};
    return ok;
  }

  bool BuildAttributes(const Json& object, Slice& out, bool& present) {
    const Json* array = nullptr;
    if (!GetArray(object, "attributes", array, true)) return false;
    present = array != nullptr;
    return !present || BuildArguments("attributes", *array, true, out);
  }

  bool BuildBindings(const char* key, const Json& array, Slice& out) {
    const auto first = program_.bindings.size();
    const bool ok = ForEachObject(key, array, [&](const Json& json) {
      Binding binding;
      if (!GetType(json, binding.type) || !GetName(json, "name", binding.name)) return false;
      program_.bindings.push_back(binding);
      return true;
    });
    out = {first, program_.bindings.size() - first};
    return ok;
  }

  bool BuildStatement(const Json& json, int depth) {
    const auto index = program_.statements.size();
    program_.statements.push_back({});
    Statement statement;
    const Json* results = nullptr;
    const Json* arguments = nullptr;
    const Json* blocks = nullptr;
    if (!GetArray(json, "results", results, true) ||
        !GetArray(json, "arguments", arguments, false) || !GetArray(json, "blocks", blocks, true)) {
      return false;
    }
    if (results != nullptr && !BuildBindings("results", *results, statement.results)) return false;
    if (!GetName(json, "op", statement.op)) return false;
    if (json.contains("opset") && !GetName(json, "opset", statement.opset)) return false;
    if (!BuildArguments("arguments", *arguments, false, statement.arguments)) return false;
    Slice attributes;
    bool has_attributes = false;
    if (!BuildAttributes(json, attributes, has_attributes)) return false;
    statement.attribute_count = attributes.count;
    statement.has_attributes = has_attributes ? 1 : 0;
    statement.block_first = program_.blocks.size();
    if (blocks != nullptr) {
      const bool ok = ForEachObject(
          "blocks", *blocks, [&](const Json& block) { return BuildNested(block, depth + 1); });
      if (!ok) return false;
    }
    statement.block_end = program_.blocks.size();
    program_.statements[index] = statement;
    return true;
  }

  bool BuildNested(const Json& json, int depth) {
    if (depth > kMaxDepth) return Fail(fmt::format("nested deeper than {}", kMaxDepth));
    const auto index = program_.blocks.size();
    program_.blocks.push_back({});
    Block block;
    if (json.contains("label") && !GetName(json, "label", block.label)) return false;
    const Json* parameters = nullptr;
    if (!GetArray(json, "parameters", parameters, true)) return false;
    block.has_parameters = parameters != nullptr;
    if (block.has_parameters && !BuildBindings("parameters", *parameters, block.parameters)) {
      return false;
    }
    if (!BuildBody(json, block, depth)) return false;
    block.end = program_.blocks.size();
    program_.blocks[index] = block;
    return true;
  }

  bool BuildBody(const Json& json, Block& block, int depth) {
    const Json* statements = nullptr;
    const Json* outputs = nullptr;
    if (!GetArray(json, "statements", statements, false) ||
        !GetArray(json, "outputs", outputs, false)) {
      return false;
    }
    block.statement_first = program_.statements.size();
    const bool ok = ForEachObject("statements", *statements, [&](const Json& statement) {
      return BuildStatement(statement, depth);
    });
    if (!ok) return false;
    block.statement_end = program_.statements.size();
    block.outputs.first = program_.values.size();
    block.outputs.count = static_cast<uint32_t>(outputs->size());
    const Scope scope(*this, "outputs");
    for (size_t i = 0; i < outputs->size(); ++i) {
      const Scope entry(*this, i);
      Text name;
      if (!(*outputs)[i].is_string()) return Fail("must be a name");
      if (!KeepName((*outputs)[i].text(), name)) return false;
      program_.values.push_back({name.offset, Value::Pack(ValueKind::kName, name.length), kNone});
    }
    return true;
  }

  bool BuildFunction(const Json& json) {
    Function function;
    if (!GetName(json, "name", function.name)) return false;
    if (json.contains("opset") && !GetName(json, "opset", function.opset)) return false;
    function.block = program_.blocks.size();
    program_.blocks.push_back({});
    Block block;
    const Json* parameters = nullptr;
    if (!GetArray(json, "parameters", parameters, false)) return false;
    if (!BuildBindings("parameters", *parameters, block.parameters)) return false;
    if (!BuildAttributes(json, function.attributes, function.has_attributes)) return false;
    if (!BuildBody(json, block, 0)) return false;
    block.end = program_.blocks.size();
    program_.blocks[function.block] = block;
    program_.functions.push_back(function);
    return true;
  }

  bool BuildGap(const Json& json) {
    const auto before = json.find("before");
    const bool number = before != json.end() && before->is_number_integer() &&
                        (before->is_number_unsigned() || before->get<int64_t>() >= 0);
    if (!number || before->get<uint64_t>() > UINT32_MAX ||
        (!layout_.gaps.empty() && before->get<uint64_t>() <= layout_.gaps.back().token)) {
      return Fail("before must be a token's index, larger than the one before");
    }
    std::string text;
    const auto found = json.find("text");
    if (found == json.end() || !GetRaw(*found, text)) return Fail("text must be spacing");
    if (SkipTrivia(text.c_str()) != text.c_str() + text.size()) {
      return Fail("text must be white space and comments");
    }
    layout_.gaps.push_back({before->get<uint32_t>(), Keep(text)});
    return true;
  }

  bool Build(const Json& json) {
    if (!json.is_object()) return Fail("must be an object");
    const auto version = json.find("version");
    if (version == json.end() || !version->is_string()) return Fail("version must be text");
    const auto& number = version->text();
    if (SkipNumber(number.c_str()) != number.c_str() + number.size()) {
      return Fail("version must be a number, for example \"1.3\"");
    }
    program_.version = Keep(number);
    if (!BuildAttributes(json, program_.attributes, program_.has_attributes)) return false;
    const Json* functions = nullptr;
    const Json* gaps = nullptr;
    if (!GetArray(json, "functions", functions, false) || !GetArray(json, "gaps", gaps, true)) {
      return false;
    }
    if (!ForEachObject("functions", *functions,
                       [this](const Json& function) { return BuildFunction(function); })) {
      return false;
    }
    return gaps == nullptr ||
           ForEachObject("gaps", *gaps, [this](const Json& gap) { return BuildGap(gap); });
  }

  Program program_;
  Layout layout_;
  std::string path_;
  Error error_;
};

}  // namespace

Json ProgramToJson(const Program& program) {
  Json json;
  json["format"] = "mil";
  json["version"] = std::string(program.View(program.version));
  if (program.has_attributes) json["attributes"] = ArgumentsToJson(ProgramAttributes(program));
  json["functions"] = Json::array();
  for (const Function& raw : program.functions) {
    const BlockView block(&program, raw.block);
    Json function;
    function["name"] = std::string(program.View(raw.name));
    if (raw.opset.length != 0) function["opset"] = std::string(program.View(raw.opset));
    function["parameters"] = BindingsToJson(block.parameters());
    if (raw.has_attributes) {
      function["attributes"] = ArgumentsToJson(Sequence<ArgumentView>(
          &program, raw.attributes.first, raw.attributes.first + raw.attributes.count));
    }
    PutBody(program, raw.block, function);
    json["functions"].push_back(std::move(function));
  }
  for (const Gap& gap : LayoutOf(program).gaps) {
    json["gaps"].push_back({{"before", gap.token}, {"text", RawText(program.View(gap.text))}});
  }
  return json;
}

Result<std::string> TextFromJson(const Json& json) { return Builder().Run(json); }

}  // namespace anecheck::mil
