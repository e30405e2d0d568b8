// Reads JSON objects and keeps the first error, which has the path of the member. Also converts the
// numbers and bytes in the JSON forms of binary formats. Used by every format except those with a
// text grammar.
#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/formats/format.h"

namespace anecheck {

// Reads members of one object. The first failure sets *status. After it every read returns a zero
// or empty value. The caller owns *status, and several readers may share it. The object must
// outlive the reader. RefuseOthers refuses members that were not read, so that a misspelt member is
// an error. Not thread-safe.
class JsonFields {
 public:
  JsonFields(const Json& object, std::string path, Status* status);

  bool Has(std::string_view key) const;
  // Reads a JSON number or a string of hexadecimal digits, "0x...". It must be at most `max`.
  uint64_t Uint(std::string_view key, uint64_t max = UINT64_MAX);
  uint64_t UintOr(std::string_view key, uint64_t fallback, uint64_t max = UINT64_MAX);
  uint32_t U32(std::string_view key) { return static_cast<uint32_t>(Uint(key, UINT32_MAX)); }
  uint32_t U32Or(std::string_view key, uint32_t fallback) {
    return static_cast<uint32_t>(UintOr(key, fallback, UINT32_MAX));
  }
  uint16_t U16Or(std::string_view key, uint16_t fallback) {
    return static_cast<uint16_t>(UintOr(key, fallback, UINT16_MAX));
  }
  // Reads an array of `least` to `most` numbers, each at most `max`. Empty after a failure.
  std::vector<uint64_t> Uints(std::string_view key, uint64_t max, size_t least = 0,
                              size_t most = SIZE_MAX);
  int64_t IntOr(std::string_view key, int64_t fallback);
  bool Bool(std::string_view key);
  bool BoolOr(std::string_view key, bool fallback);
  std::string Text(std::string_view key);
  // Reads an array of strings. Empty after a failure.
  std::vector<std::string> Texts(std::string_view key);
  std::string TextOr(std::string_view key, std::string_view fallback);
  // Read bytes as hexadecimal digits. HexBytesOr returns no bytes if the key is absent.
  Bytes HexBytesOr(std::string_view key);
  Bytes HexBytes(std::string_view key);
  // Reads bytes as base64.
  Bytes Base64(std::string_view key);
  // Array returns a member that must be an array, and Object a member that must be an object. If
  // the member is absent, they return an empty array or object.
  const Json& Array(std::string_view key);
  const Json& Object(std::string_view key);
  // In returns a reader of the object under `key`. ForEach calls `visit` with a reader of each
  // object in the array under `key`, and stops at the first failure.
  JsonFields In(std::string_view key) { return {Object(key), Path(key), status_}; }
  template <typename Visit>
  void ForEach(std::string_view key, Visit visit) {
    const Json& items = Array(key);
    for (size_t i = 0; i < items.size() && status_->ok(); ++i) {
      visit(JsonFields(items[i], fmt::format("{}[{}]", Path(key), i), status_));
    }
  }
  const Json& object() const { return object_; }
  // Marks the members `keys` as read, for members that other code reads from this object.
  void ReadElsewhere(std::initializer_list<std::string_view> keys);
  // Fails if a member other than "derived" (values that follow from others) was not read.
  void RefuseOthers();

  void Fail(std::string_view key, std::string_view what);
  std::string Path(std::string_view key) const;
  Status* status() const { return status_; }

 private:
  const Json* Find(std::string_view key) const;
  const Json* Read(std::string_view key);

  const Json& object_;
  std::string path_;
  Status* status_;
  std::vector<bool> read_;  // whether each member was read, in the order of the object
};

// Reads a JSON number or "0x..." string. Returns false for another form or above `max`.
bool ReadJsonUint(const Json& value, uint64_t max, uint64_t& result);
// Makes text that JSON can represent. Escapes bytes that are not UTF-8 as \xHH, and a backslash as
// \\. UnescapeText is the inverse.
std::string EscapeText(std::string_view text);
Result<std::string> UnescapeText(std::string_view text);

}  // namespace anecheck
