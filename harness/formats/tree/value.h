// The value tree of a text or binary document. It has dictionaries that keep their order, arrays
// and scalars, each with its offset in the file. The readers and writers of property lists
// (harness/formats/plist) and espresso JSON (harness/formats/espresso) use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"

namespace anecheck::tree {

// The maximum nesting depth of containers that the readers accept.
inline constexpr int kMaxDepth = 64;

struct Value;
struct Entry;

struct Data {
  std::vector<uint8_t> bytes;
  friend bool operator==(const Data&, const Data&) = default;
};

// A point in time in UTC, in seconds since the beginning of 2001.
struct Date {
  double seconds = 0;
  friend bool operator==(const Date&, const Date&) = default;
};

// Returns whether the date is in the years 1 to 9999, which have at most four digits.
bool HasFourDigitYear(const Date& date);
// Returns a text like "2020-01-01T00:00:00Z". Rounds down to whole seconds. Precondition:
// HasFourDigitYear.
std::string TextOf(const Date& date);
// Reads the form that TextOf writes. Trailing parts except the year may be absent, as in
// "2020-01Z".
std::optional<Date> DateFromText(std::string_view text);

// A reference between objects of a keyed archive, by the number of the object.
struct Uid {
  uint64_t number = 0;
  friend bool operator==(const Uid&, const Uid&) = default;
};

using Array = std::vector<Value>;

// Keys are unique. The readers reject a document with a repeated key.
struct Dict {
  std::vector<Entry> entries;

  // Defined in value.cc, where Entry is complete.
  Dict();
  Dict(const Dict& other);
  Dict(Dict&& other) noexcept;
  Dict& operator=(const Dict& other);
  Dict& operator=(Dict&& other) noexcept;
  ~Dict();

  // Returns the value of `key`, or nullptr.
  const Value* Find(std::string_view key) const;
  Value* Find(std::string_view key);
  // Replaces the value of `key`, or appends an entry.
  void Set(std::string_view key, Value value);
  // Removes `key`. Returns false if it is absent.
  bool Erase(std::string_view key);
};

bool operator==(const Dict& a, const Dict& b);

struct Value {
  // uint64_t is used only for numbers above INT64_MAX, so that equal numbers compare equal.
  using Payload = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Data,
                               Date, Uid, Array, Dict>;
  Payload data;
  uint32_t offset = 0;  // absolute offset of the first byte of its text or object
  uint32_t size = 0;    // bytes of its text or object

  Value() = default;
  explicit Value(Payload payload) : data(std::move(payload)) {}
  static Value Bool(bool value) { return Value(Payload(std::in_place_type<bool>, value)); }
  static Value Integer(int64_t value) { return Value(Payload(std::in_place_type<int64_t>, value)); }
  static Value Unsigned(uint64_t value);
  static Value Real(double value) { return Value(Payload(std::in_place_type<double>, value)); }
  static Value String(std::string_view value) {
    return Value(Payload(std::in_place_type<std::string>, value));
  }
  static Value Strings(const std::vector<std::string>& values);

  // Return the payload if it is of that kind, otherwise nullptr.
  const bool* AsBool() const { return std::get_if<bool>(&data); }
  const int64_t* AsInteger() const { return std::get_if<int64_t>(&data); }
  const double* AsReal() const { return std::get_if<double>(&data); }
  const std::string* AsString() const { return std::get_if<std::string>(&data); }
  const Array* AsArray() const { return std::get_if<Array>(&data); }
  const Dict* AsDict() const { return std::get_if<Dict>(&data); }
  Array* AsArray() { return std::get_if<Array>(&data); }
  Dict* AsDict() { return std::get_if<Dict>(&data); }
  bool IsNumber() const { return data.index() >= 2 && data.index() <= 4; }
};

// Compares payloads and ignores offsets and sizes.
bool operator==(const Value& a, const Value& b);

struct Entry {
  std::string key;
  Value value;
  uint32_t key_offset = 0;
};

// Compares keys and values and ignores offsets and sizes.
bool operator==(const Entry& a, const Entry& b);

// Returns the index of the first key that occurs twice, or the size of the list.
size_t FindRepeatedKey(const std::vector<Entry>& entries);
size_t FindRepeatedKey(std::span<const std::string_view> keys);

// Convert the tree to JSON and back. Only offsets and sizes are lost. Data is {"$data": base64}, a
// date is {"$date": seconds since 2001}, a reference is {"$uid": number}, a real that JSON cannot
// express is {"$real": "nan"}, and a key that begins with $ gets another $.
Json ToJson(const Value& value);
Result<Value> FromJson(const Json& json);

}  // namespace anecheck::tree
