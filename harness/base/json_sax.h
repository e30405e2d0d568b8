// The common part of the readers of JSON text. It checks the limits and turns the library's
// exceptions into errors. Only harness/base includes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "harness/base/json_text.h"

namespace anecheck {

using ParserJson = nlohmann::ordered_json;  // only names types of the parser

// Returns the error for a text that the library refuses, with the wording of ParseJson.
Error JsonSyntaxError(const ParserJson::exception& error, std::string_view name);

// Whether kMaxJsonMembers limits the number of members of an object.
enum class JsonMembers : uint8_t { kCapped, kAny };

// Returns the error for a text that a receiver refused: `syntax`, unless the text exceeds a limit.
Error JsonTextError(std::string_view text, std::string_view name, Error syntax,
                    JsonMembers members = JsonMembers::kCapped);

// Receives the events of the library's parser and refuses texts beyond the limits of json_text.h.
// It stores the first error and does not throw it, because many texts are not JSON, and an
// exception costs more than reading the text.
class JsonReceiver : public nlohmann::json_sax<ParserJson> {
 public:
  explicit JsonReceiver(std::string_view name, JsonMembers members = JsonMembers::kCapped)
      : name_(name),
        max_members_(members == JsonMembers::kCapped ? kMaxJsonMembers
                                                     : std::numeric_limits<int>::max()) {}

  bool binary(ParserJson::binary_t&) final { return false; }  // JSON text has none
  bool parse_error(size_t, const std::string&, const ParserJson::exception& error) final {
    error_ = JsonSyntaxError(error, name_);
    return false;
  }

  Error TakeError() && { return std::move(error_); }

 protected:
  // Enter returns false beyond the limit of nesting, and BeginValue beyond that of members. A
  // member counts when its value begins.
  bool Enter() {
    if (depth_ == kMaxJsonDepth) return false;
    members_[depth_++] = 0;
    return true;
  }
  bool BeginValue() {
    if (!has_key_) return true;
    has_key_ = false;
    return ++members_[depth_ - 1] <= max_members_;
  }
  void Leave() { --depth_; }
  void SawKey() { has_key_ = true; }

 private:
  std::string_view name_;
  int max_members_;
  Error error_;
  size_t depth_ = 0;
  bool has_key_ = false;
  std::array<int, kMaxJsonDepth> members_;  // the number of members in each open container
};

}  // namespace anecheck
