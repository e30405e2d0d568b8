// Checked access to the fields of a JSON document, for the loaders of harness/targets. Messages
// name the path of the field.
#pragma once

#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json_text.h"
#include "harness/base/one_line.h"
#include "harness/base/result.h"

namespace anecheck::json_fields {
inline Error Bad(std::string_view path, std::string_view what) {
  return MakeError(ErrorCode::kMalformed, OneLine(fmt::format("{}: {}", path, what)));
}

inline Result<Json> ParseDocument(std::string_view text, std::string_view name) {
  ANECHECK_ASSIGN(Json document, ParseJson(text, name));
  if (!document.is_object()) return Bad(name, "not a JSON object");
  return document;
}

inline Result<std::string> String(const Json& object, std::string_view key, std::string_view path) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) {
    return Bad(path, fmt::format("needs a string \"{}\"", key));
  }
  return found->get<std::string>();
}

inline std::string StringOr(const Json& object, std::string_view key, std::string_view fallback) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : std::string(fallback);
}

// Reads a number, or a string with a hexadecimal number such as "0x238".
inline Result<uint64_t> Number(const Json& value, std::string_view path) {
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  if (value.is_number_integer() && value.get<int64_t>() >= 0) {
    return static_cast<uint64_t>(value.get<int64_t>());
  }
  if (value.is_string()) {
    const auto& text = value.text();
    uint64_t number = 0;
    if (text.size() > 2 && text[0] == '0' && text[1] == 'x') {
      const auto [end, error] =
          std::from_chars(text.data() + 2, text.data() + text.size(), number, 16);
      if (error == std::errc() && end == text.data() + text.size()) return number;
    }
  }
  return Bad(path, "needs a number of 0 or more, or a string such as \"0x238\"");
}

inline Result<uint64_t> Number(const Json& object, std::string_view key, std::string_view path) {
  const auto found = object.find(key);
  if (found == object.end()) return Bad(path, fmt::format("needs \"{}\"", key));
  return Number(*found, fmt::format("{}.{}", path, key));
}

// Returns the elements of the array under `key`; none if the key is missing.
inline Result<std::vector<const Json*>> Array(const Json& object, std::string_view key,
                                              std::string_view path) {
  std::vector<const Json*> items;
  const auto found = object.find(key);
  if (found == object.end()) return items;
  if (!found->is_array()) return Bad(path, fmt::format("\"{}\" must be an array", key));
  for (const Json& item : *found) items.push_back(&item);
  return items;
}

inline Result<std::vector<std::string>> Strings(const Json& object, std::string_view key,
                                                std::string_view path) {
  ANECHECK_ASSIGN(const std::vector<const Json*> items, Array(object, key, path));
  std::vector<std::string> strings;
  for (const Json* item : items) {
    if (!item->is_string()) return Bad(path, fmt::format("\"{}\" must hold strings", key));
    strings.push_back(item->get<std::string>());
  }
  return strings;
}

}  // namespace anecheck::json_fields
