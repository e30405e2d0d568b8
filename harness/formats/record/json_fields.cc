#include "harness/formats/record/json_fields.h"

#include <fmt/format.h>

#include "harness/base/base64.h"
#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/formats/message.h"

namespace anecheck {
namespace {

const Json& EmptyArray() {
  static const Json empty = Json::array();
  return empty;
}

const Json& EmptyObject() {
  static const Json empty = Json::object();
  return empty;
}

}  // namespace

JsonFields::JsonFields(const Json& object, std::string path, Status* status)
    : object_(object), path_(std::move(path)), status_(status) {
  if (!object_.is_object()) Fail("", "must be an object");
  read_.resize(object_.size());
}

const Json* JsonFields::Find(std::string_view key) const {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(std::string(key));
  return found == object_.end() ? nullptr : &*found;
}

const Json* JsonFields::Read(std::string_view key) {
  if (!object_.is_object()) return nullptr;
  const auto found = object_.find(std::string(key));
  if (found == object_.end()) return nullptr;
  read_[static_cast<size_t>(std::distance(object_.begin(), found))] = true;
  return &*found;
}

void JsonFields::ReadElsewhere(std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) Read(key);
}

void JsonFields::RefuseOthers() {
  if (!object_.is_object()) return;
  size_t place = 0;
  for (const auto& [key, value] : object_.items()) {
    if (!read_[place++] && key != "derived") Fail(key, "is an unknown member");
  }
}

int64_t JsonFields::IntOr(std::string_view key, int64_t fallback) {
  const Json* value = Read(key);
  if (value == nullptr) return fallback;
  if (!value->is_number_integer() ||
      (value->is_number_unsigned() && value->get<uint64_t>() > INT64_MAX)) {
    Fail(key, "must be a whole number");
    return 0;
  }
  return value->get<int64_t>();
}

bool JsonFields::Has(std::string_view key) const { return Find(key) != nullptr; }

uint64_t JsonFields::Uint(std::string_view key, uint64_t max) {
  const Json* value = Read(key);
  uint64_t number = 0;
  if (value == nullptr) {
    Fail(key, "is missing");
  } else if (!ReadJsonUint(*value, max, number)) {
    Fail(key, fmt::format("must be a number from 0 to {} or a \"0x\" string", max));
    return 0;
  }
  return number;
}

uint64_t JsonFields::UintOr(std::string_view key, uint64_t fallback, uint64_t max) {
  return Has(key) ? Uint(key, max) : fallback;
}

std::vector<uint64_t> JsonFields::Uints(std::string_view key, uint64_t max, size_t least,
                                        size_t most) {
  const Json& array = Array(key);
  std::vector<uint64_t> numbers(array.size());
  bool good = least <= array.size() && array.size() <= most;
  for (size_t i = 0; good && i < array.size(); ++i) good = ReadJsonUint(array[i], max, numbers[i]);
  if (good && status_->ok()) return numbers;
  Fail(key, fmt::format("must be {} to {} numbers from 0 to {}", least, most, max));
  return {};
}

bool JsonFields::Bool(std::string_view key) {
  if (!Has(key)) Fail(key, "is missing");
  return BoolOr(key, false);
}

bool JsonFields::BoolOr(std::string_view key, bool fallback) {
  const Json* value = Read(key);
  if (value == nullptr) return fallback;
  if (!value->is_boolean()) {
    Fail(key, "must be true or false");
    return fallback;
  }
  return value->get<bool>();
}

std::string JsonFields::Text(std::string_view key) {
  const Json* value = Read(key);
  if (value == nullptr || !value->is_string()) {
    Fail(key, value == nullptr ? "is missing" : "must be a string");
    return {};
  }
  auto text = UnescapeText(value->text());
  if (!text.ok()) {
    Fail(key, text.error().message);
    return {};
  }
  return std::move(text).value();
}

std::vector<std::string> JsonFields::Texts(std::string_view key) {
  std::vector<std::string> texts;
  for (const Json& item : Array(key)) {
    auto text = UnescapeText(item.is_string() ? std::string_view(item.text()) : "\\");
    if (!text.ok()) {
      Fail(key, "must be strings");
      return {};
    }
    texts.push_back(std::move(text).value());
  }
  return texts;
}

std::string JsonFields::TextOr(std::string_view key, std::string_view fallback) {
  return Has(key) ? Text(key) : std::string(fallback);
}

Bytes JsonFields::HexBytesOr(std::string_view key) {
  const Json* value = Read(key);
  if (value == nullptr) return {};
  Result<Bytes> bytes =
      value->is_string() ? BytesFromHex(value->text()) : MakeError(ErrorCode::kInvalid, "no text");
  if (!bytes.ok()) {
    Fail(key, "must be a string of hexadecimal digits, two per byte");
    return {};
  }
  return std::move(bytes).value();
}

Bytes JsonFields::HexBytes(std::string_view key) {
  if (!Has(key)) Fail(key, "is missing");
  return HexBytesOr(key);
}

Bytes JsonFields::Base64(std::string_view key) {
  const Json* value = Read(key);
  if (value == nullptr || !value->is_string()) {
    Fail(key, value == nullptr ? "is missing" : "must be a string in base64");
    return {};
  }
  Result<Bytes> bytes = Base64Decode(value->text());
  if (bytes.ok()) return std::move(bytes).value();
  Fail(key, bytes.error().message);
  return {};
}

const Json& JsonFields::Array(std::string_view key) {
  const Json* value = Read(key);
  if (value == nullptr) return EmptyArray();
  if (!value->is_array()) {
    Fail(key, "must be an array");
    return EmptyArray();
  }
  return *value;
}

const Json& JsonFields::Object(std::string_view key) {
  const Json* value = Read(key);
  if (value == nullptr) return EmptyObject();
  if (!value->is_object()) {
    Fail(key, "must be an object");
    return EmptyObject();
  }
  return *value;
}

void JsonFields::Fail(std::string_view key, std::string_view what) {
  if (!status_->ok()) return;
  *status_ = MakeError(ErrorCode::kInvalid, Clipped(fmt::format("{}: {}", Path(Shown(key)), what)));
}

std::string JsonFields::Path(std::string_view key) const {
  if (path_.empty()) return std::string(key.empty() ? "document" : key);
  return key.empty() ? path_ : fmt::format("{}.{}", path_, key);
}

bool ReadJsonUint(const Json& value, uint64_t max, uint64_t& result) {
  if (value.is_number_unsigned()) {
    result = value.get<uint64_t>();
    return result <= max;
  }
  if (value.is_number_integer()) {
    const int64_t number = value.get<int64_t>();
    result = static_cast<uint64_t>(number);
    return number >= 0 && result <= max;
  }
  if (!value.is_string()) return false;
  const std::string& text = value.text();
  if (text.size() < 3 || text.size() > 18 || text[0] != '0' || text[1] != 'x') return false;
  result = 0;
  for (const char c : text.substr(2)) {
    const int digit = HexDigit(c);
    if (digit < 0) return false;
    result = result << 4 | static_cast<uint64_t>(digit);
  }
  return result <= max;
}

std::string EscapeText(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '\\') {
      escaped += "\\\\";
    } else if (byte < 0x80) {
      escaped.push_back(c);
    } else {
      escaped += fmt::format("\\x{:02x}", byte);
    }
  }
  return escaped;
}

Result<std::string> UnescapeText(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      plain.push_back(text[i]);
    } else if (i + 1 < text.size() && text[i + 1] == '\\') {
      plain.push_back('\\');
      ++i;
    } else if (i + 3 < text.size() && text[i + 1] == 'x' && HexDigit(text[i + 2]) >= 0 &&
               HexDigit(text[i + 3]) >= 0) {
      plain.push_back(static_cast<char>(HexDigit(text[i + 2]) << 4 | HexDigit(text[i + 3])));
      i += 3;
    } else {
      return MakeError(ErrorCode::kInvalid, "a backslash must be followed by \\ or xHH");
    }
  }
  return plain;
}

}  // namespace anecheck
