#include "harness/base/json_large.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace anecheck {
namespace {

// Builds the value from the parser's events. The library's own builder looks through an object's
// members for each new one; this one keeps an index of those of large objects.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Json Take() && { return std::move(root_); }
  const std::string& message() const { return message_; }
  uint64_t offset() const { return offset_; }
  bool too_deep() const { return too_deep_; }

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(number_integer_t value) override { return Add(value); }
  bool number_unsigned(number_unsigned_t value) override { return Add(value); }
  bool number_float(number_float_t value, const string_t&) override { return Add(value); }
  bool string(string_t& value) override { return Add(std::move(value)); }
  bool binary(binary_t& value) override { return Add(Json::binary(std::move(value))); }
  bool start_object(std::size_t) override { return Open(Json::object()); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(Json::array()); }
  bool end_array() override { return Close(); }
  bool key(string_t& value) override {
    open_.back().key = std::move(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    offset_ = position == 0 ? 0 : position - 1;
    message_ = error.what();
    return false;
  }

 private:
  using Members = Json::object_t;

  struct Container {
    Json value;
    std::string key;                                // of the member that comes next
    std::unordered_map<std::string, size_t> index;  // of an object of many members
  };
  static constexpr size_t kIndexed = 32;

  bool Open(Json value) {
    if (open_.size() == kMaxJsonDepth) {
      too_deep_ = true;
      return false;
    }
    open_.push_back({std::move(value), {}, {}});
    return true;
  }

  bool Close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return Add(std::move(value));
  }

  bool Add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().value.is_array()) {
      open_.back().value.push_back(std::move(value));
    } else {
      AddMember(open_.back(), std::move(value));
    }
    return true;
  }

  // Of two members with one name the last value counts.
  static void AddMember(Container& object, Json value) {
    auto& members = object.value.get_ref<Members&>();
    if (members.size() < kIndexed) {
      members[object.key] = std::move(value);
      return;
    }
    if (object.index.empty()) {
      for (size_t i = 0; i < members.size(); ++i) {
        object.index.emplace((members.begin() + static_cast<ptrdiff_t>(i))->first, i);
      }
    }
    const auto [place, fresh] = object.index.emplace(object.key, members.size());
    if (fresh) {
      static_cast<Members::Container&>(members).emplace_back(std::move(object.key),
                                                             std::move(value));
    } else {
      (members.begin() + static_cast<ptrdiff_t>(place->second))->second = std::move(value);
    }
  }

  Json root_;
  std::vector<Container> open_;
  std::string message_;
  uint64_t offset_ = 0;
  bool too_deep_ = false;
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

Result<Json> ParseLargeJson(std::string_view text, std::string_view name) {
  Builder builder;
  if (Json::sax_parse(text, &builder)) return std::move(builder).Take();
  if (builder.too_deep()) {
    return MakeError(ErrorCode::kLimit,
                     fmt::format("{}: nested deeper than {}", name, kMaxJsonDepth));
  }
  return MakeError(ErrorCode::kMalformed,
                   fmt::format("{}: at {}: {}", name, builder.offset(), Reason(builder.message())),
                   builder.offset());
}

}  // namespace anecheck
