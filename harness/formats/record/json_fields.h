// Reads JSON objects and keeps the first error, which has the path of the member. Also has the
// spellings of numbers and bytes that the JSON forms of binary formats share. Used by every format
// but those with a grammar of their own.
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

// Reads members of one object. After the first failure, *status is that failure and every read
// returns a zero or empty value. The caller owns *status; several readers may share it. The object
// must outlive the reader. RefuseOthers refuses members that were not read, so that a misspelt
// member is not ignored. Not thread-safe.
class JsonFields {
 public:
  JsonFields(const Json& object, std::string path, Status* status);

  bool Has(std::string_view key) const;
  // A JSON number or a string "0x..." of hexadecimal digits. The number must be at most `max`.
  uint64_t Uint(std::string_view key, uint64_t max = UINT64_MAX);
  uint64_t UintOr(std::string_view key, uint64_t fallback, uint64_t max = UINT64_MAX);
  uint32_t U32(std::string_view key) { return static_cast<uint32_t>(Uint(key, UINT32_MAX)); }
  uint32_t U32Or(std::string_view key, uint32_t fallback) {
    return static_cast<uint32_t>(UintOr(key, fallback, UINT32_MAX));
  }
  uint16_t U16Or(std::string_view key, uint16_t fallback) {
    return static_cast<uint16_t>(UintOr(key, fallback, UINT16_MAX));
  }
  // An array that must have `least` to `most` numbers, each at most `max`. Empty after a failure.
  std::vector<uint64_t> Uints(std::string_view key, uint64_t max, size_t least = 0,
                              size_t most = SIZE_MAX);
  int64_t IntOr(std::string_view key, int64_t fallback);
  bool Bool(std::string_view key);
  bool BoolOr(std::string_view key, bool fallback);
  std::string Text(std::string_view key);
  // An array of texts; empty after a failure.
  std::vector<std::string> Texts(std::string_view key);
  std::string TextOr(std::string_view key, std::string_view fallback);
  // Bytes spelled as hexadecimal digits; empty if the key is absent.
  Bytes HexBytesOr(std::string_view key);
  Bytes HexBytes(std::string_view key);
  // Bytes in base64.
  Bytes Base64(std::string_view key);
  // Array returns a member that must be an array, Object one that must be an object. If the member
  // is absent, they return an empty array or object.
  const Json& Array(std::string_view key);
  const Json& Object(std::string_view key);
  // In returns a reader of the object under `key`. ForEach visits a reader of each object in the
  // array under `key`, until one fails.
  JsonFields In(std::string_view key) { return {Object(key), Path(key), status_}; }
  template <typename Visit>
  void ForEach(std::string_view key, Visit visit) {
    const Json& items = Array(key);
    for (size_t i = 0; i < items.size() && status_->ok(); ++i) {
      visit(JsonFields(items[i], fmt::format("{}[{}]", Path(key), i), status_));
    }
  }
  const Json& object() const { return object_; }
  // Marks the members `keys` as read, because other code reads them from this object.
  void ReadElsewhere(std::initializer_list<std::string_view> keys);
  // Fails at the first member that was not read. "derived" has values that follow from other
  // members and is never read.
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

// Reads a JSON number or "0x..." string. Returns false if `value` is neither, or is above `max`.
bool ReadJsonUint(const Json& value, uint64_t max, uint64_t& result);
// Makes text that JSON can represent: bytes that are not UTF-8 are escaped as \xHH, and a backslash
// as \\. UnescapeText is the inverse.
std::string EscapeText(std::string_view text);
Result<std::string> UnescapeText(std::string_view text);

}  // namespace anecheck
