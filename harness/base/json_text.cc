#include "harness/base/json_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "harness/base/json_sax.h"

namespace anecheck {
namespace {

// The cap that a text breaks first, whether it is JSON or not.
Status CheckLimits(std::string_view text, std::string_view name) {
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
    } else if (c == ':' && !members.empty() && ++members.back() > kMaxJsonMembers) {
      return MakeError(
          ErrorCode::kLimit,
          fmt::format("{}: an object with more than {} members at {}", name, kMaxJsonMembers, i),
          i);
    }
  }
  return {};
}

// Builds the value, as the library's own parser does.
class Builder final : public JsonReceiver {
 public:
  Builder(Json& root, std::string_view name) : JsonReceiver(name), root_(root) {}

  bool null() override { return Put(nullptr); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(int64_t value) override { return Put(value); }
  bool number_unsigned(uint64_t value) override { return Put(value); }
  bool number_float(double value, const std::string&) override { return Put(value); }
  bool string(std::string& value) override { return Put(std::move(value)); }
  bool start_object(size_t) override { return Open(Json::value_t::object); }
  bool start_array(size_t) override { return Open(Json::value_t::array); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& name) override {
    SawKey();
    auto& members = open_.back()->get_ref<Members&>();
    if (members.size() == members.capacity()) Grow(members);
    member_ = &members[name];
    return true;
  }

 private:
  using Members = Json::object_t;

  // The keys of members are constant, so that a list which grows by itself copies all that they
  // hold instead of moving it.
  static void Grow(Members& members) {
    Members larger;
    larger.reserve(std::max<size_t>(kFewMembers, 2 * members.size()));
    for (auto& [key, value] : members) {
      static_cast<Members::Container&>(larger).emplace_back(key, std::move(value));
    }
    members.swap(larger);
  }
  static constexpr size_t kFewMembers = 4;

  Json& Place() {
    if (open_.empty()) return root_;
    if (open_.back()->is_object()) return *member_;
    return open_.back()->emplace_back();
  }
  template <typename T>
  bool Put(T&& value) {
    if (!BeginValue()) return false;
    Place() = std::forward<T>(value);
    return true;
  }
  bool Open(Json::value_t type) {
    if (!BeginValue() || !Enter()) return false;
    Json& place = Place();
    place = type;
    open_.push_back(&place);
    return true;
  }
  bool Close() {
    Leave();
    open_.pop_back();
    return true;
  }

  Json& root_;
  std::vector<Json*> open_;  // the containers that are being read, each inside the one before it
  Json* member_ = nullptr;   // of the innermost, where that is an object
};

// The library's message without its "[json.exception.parse_error.101] parse error at ...: " lead.
std::string_view Reason(std::string_view message) {
  const size_t lead = message.find("] ");
  if (lead != std::string_view::npos) message.remove_prefix(lead + 2);
  const size_t colon = message.find(": ");
  if (colon != std::string_view::npos) message.remove_prefix(colon + 2);
  return message;
}

}  // namespace

Error JsonSyntaxError(const Json::exception& error, std::string_view name) {
  const std::string_view reason = Reason(error.what());
  if (const auto* misread = dynamic_cast<const Json::parse_error*>(&error)) {
    const uint64_t at = misread->byte == 0 ? 0 : misread->byte - 1;  // the library counts from one
    return MakeError(ErrorCode::kMalformed, fmt::format("{}: at {}: {}", name, at, reason), at);
  }
  return MakeError(ErrorCode::kMalformed, fmt::format("{}: {}", name, reason));
}

Error JsonTextError(std::string_view text, std::string_view name, Error syntax) {
  Status within = CheckLimits(text, name);
  return within.ok() ? std::move(syntax) : std::move(within).error();
}

Result<Json> ParseJson(std::string_view text, std::string_view name) {
  Json json;
  Builder builder(json, name);
  if (!Json::sax_parse(text, &builder)) {
    return JsonTextError(text, name, std::move(builder).TakeError());
  }
  return json;
}

std::string DumpJson(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace anecheck
