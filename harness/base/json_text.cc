#include "harness/base/json_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/base/json_sax.h"

namespace anecheck {
namespace {

// Returns the error for the limit that `text` exceeds first. The text need not be valid JSON.
Status CheckLimits(std::string_view text, std::string_view name, JsonMembers allowed) {
  const bool capped = allowed == JsonMembers::kCapped;
  std::vector<int> members;  // one counter for each open bracket
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (members.size() == kMaxJsonDepth) {
        return MakeError(ErrorCode::kLimit,
                         fmt::format("{}: nested deeper than {} at {}", name, kMaxJsonDepth, i), i);
      }
      members.push_back(0);
    } else if ((c == '}' || c == ']') && !members.empty()) {
      members.pop_back();
    } else if (capped && c == ':' && !members.empty() && ++members.back() > kMaxJsonMembers) {
      return MakeError(
          ErrorCode::kLimit,
          fmt::format("{}: an object with more than {} members at {}", name, kMaxJsonMembers, i),
          i);
    }
  }
  return {};
}

// Builds the value. If two members have the same name, the last value replaces the first at its
// position.
class Builder final : public JsonReceiver {
 public:
  Builder(Json& root, std::string_view name, JsonMembers members)
      : JsonReceiver(name, members), root_(root) {}

  bool null() override { return Put(nullptr); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(int64_t value) override { return Put(value); }
  bool number_unsigned(uint64_t value) override { return Put(value); }
  bool number_float(double value, const std::string&) override { return Put(value); }
  bool string(std::string& value) override { return Put(std::move(value)); }
  bool start_object(size_t) override { return Open(Json::Kind::kObject); }
  bool start_array(size_t) override { return Open(Json::Kind::kArray); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& name) override {
    SawKey();
    member_ = Member(open_.back(), std::move(name));
    return true;
  }

 private:
  struct Container {
    Json* value;
    std::unordered_map<std::string, size_t> index = {};  // members by name, if the object has many
  };
  static constexpr size_t kIndexed = 32;

  // A linear search for each new member would take quadratic time.
  static Json* Member(Container& object, std::string name) {
    Json::Object& members = object.value->members();
    if (members.size() < kIndexed) return &(*object.value)[name];
    if (object.index.empty()) {
      for (size_t i = 0; i < members.size(); ++i) object.index.emplace(members[i].key, i);
    }
    const auto [place, fresh] = object.index.emplace(name, members.size());
    if (fresh) members.push_back({std::move(name), {}});
    return &members[place->second].value;
  }

  Json& Place() {
    if (open_.empty()) return root_;
    if (open_.back().value->is_object()) return *member_;
    return open_.back().value->emplace_back();
  }
  bool Put(Json value) {
    if (!BeginValue()) return false;
    Place() = std::move(value);
    return true;
  }
  bool Open(Json::Kind kind) {
    if (!BeginValue() || !Enter()) return false;
    Json& place = Place();
    place = kind;
    open_.push_back({&place});
    return true;
  }
  bool Close() {
    Leave();
    open_.pop_back();
    return true;
  }

  Json& root_;
  std::vector<Container> open_;  // open containers, each inside the one before it
  Json* member_ = nullptr;       // the current member, if the innermost container is an object
};

Result<Json> Parse(std::string_view text, std::string_view name, JsonMembers members) {
  Json json;
  Builder builder(json, name, members);
  if (!ParserJson::sax_parse(text, &builder)) {
    return JsonTextError(text, name, std::move(builder).TakeError(), members);
  }
  return json;
}

// Prints values in the format of the library.
class Printer {
 public:
  explicit Printer(int indent) : indent_(indent) {}

  void Print(const Json& json) {
    switch (json.kind()) {
      case Json::Kind::kNull:
        text_ += "null";
        break;
      case Json::Kind::kBoolean:
        text_ += json.get<bool>() ? "true" : "false";
        break;
      case Json::Kind::kInteger:
        fmt::format_to(std::back_inserter(text_), "{}", json.get<int64_t>());
        break;
      case Json::Kind::kUnsigned:
        fmt::format_to(std::back_inserter(text_), "{}", json.get<uint64_t>());
        break;
      case Json::Kind::kReal:
        text_ += ParserJson(json.get<double>()).dump();
        break;
      case Json::Kind::kString:
        PrintText(json.text());
        break;
      case Json::Kind::kArray:
        PrintContainer('[', json.elements(), ']', [&](const Json& element) { Print(element); });
        break;
      case Json::Kind::kObject:
        PrintContainer('{', json.members(), '}', [&](const JsonMember& member) {
          PrintText(member.key);
          text_ += indent_ < 0 ? ":" : ": ";
          Print(member.value);
        });
    }
  }
  std::string Take() && { return std::move(text_); }

 private:
  // Most texts need no escapes; the library escapes the others.
  void PrintText(const std::string& text) {
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
      return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
    });
    if (plain) {
      text_ += '"';
      text_ += text;
      text_ += '"';
    } else {
      text_ += ParserJson(text).dump(-1, ' ', false, ParserJson::error_handler_t::replace);
    }
  }

  template <typename Values, typename PrintOne>
  void PrintContainer(char open, const Values& values, char close, PrintOne print) {
    text_ += open;
    ++depth_;
    for (const auto& value : values) {
      if (&value != &values.front()) text_ += ',';
      BreakLine();
      print(value);
    }
    --depth_;
    if (!values.empty()) BreakLine();
    text_ += close;
  }

  void BreakLine() {
    if (indent_ < 0) return;
    text_ += '\n';
    text_.append(static_cast<size_t>(indent_ * depth_), ' ');
  }

  int indent_;
  int depth_ = 0;
  std::string text_;
};

// Removes the beginning "[json.exception.parse_error.101] parse error at ...: " of a message.
std::string_view Reason(std::string_view message) {
  const size_t lead = message.find("] ");
  if (lead != std::string_view::npos) message.remove_prefix(lead + 2);
  const size_t colon = message.find(": ");
  if (colon != std::string_view::npos) message.remove_prefix(colon + 2);
  return message;
}

}  // namespace

Error JsonSyntaxError(const ParserJson::exception& error, std::string_view name) {
  const std::string_view reason = Reason(error.what());
  if (const auto* misread = dynamic_cast<const ParserJson::parse_error*>(&error)) {
    const uint64_t at = misread->byte == 0 ? 0 : misread->byte - 1;  // the library counts from one
    return MakeError(ErrorCode::kMalformed, fmt::format("{}: at {}: {}", name, at, reason), at);
  }
  return MakeError(ErrorCode::kMalformed, fmt::format("{}: {}", name, reason));
}

Error JsonTextError(std::string_view text, std::string_view name, Error syntax,
                    JsonMembers members) {
  Status within = CheckLimits(text, name, members);
  return within.ok() ? std::move(syntax) : std::move(within).error();
}

Result<Json> ParseJson(std::string_view text, std::string_view name) {
  return Parse(text, name, JsonMembers::kCapped);
}

Result<Json> ParseLargeJson(std::string_view text, std::string_view name) {
  return Parse(text, name, JsonMembers::kAny);
}

std::string DumpJson(const Json& json, int indent) {
  Printer printer(indent);
  printer.Print(json);
  return std::move(printer).Take();
}

std::string JsonLibraryVersion() {
  return fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                     NLOHMANN_JSON_VERSION_PATCH);
}

}  // namespace anecheck
