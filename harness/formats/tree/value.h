// The value tree of a text or binary document: dictionaries that keep their order, arrays and
// scalars, each with its place in the file. Property lists (harness/formats/plist) and espresso
// JSON (harness/formats/espresso) are read into it and written from it.
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

// Containers nest no deeper than this in any document the readers accept.
inline constexpr int kMaxDepth = 64;

struct Value;
struct Entry;

struct Data {
  std::vector<uint8_t> bytes;
  friend bool operator==(const Data&, const Data&) = default;
};

// A moment in UTC, in seconds since the beginning of 2001.
struct Date {
  double seconds = 0;
  friend bool operator==(const Date&, const Date&) = default;
};

// Whether the moment lies in the years 1 to 9999, which four digits can spell.
bool HasFourDigitYear(const Date& date);
// "2020-01-01T00:00:00Z": whole seconds, with any fraction rounded down. Precondition:
// HasFourDigitYear.
std::string TextOf(const Date& date);
// Reads the form that TextOf writes. Trailing parts may be left out, but not the year, as in
// "2020-01Z".
std::optional<Date> DateFromText(std::string_view text);

// A reference from one object of a keyed archive to another, by number.
struct Uid {
  uint64_t number = 0;
  friend bool operator==(const Uid&, const Uid&) = default;
};

using Array = std::vector<Value>;

// Keys are unique; the readers reject a document that repeats one.
struct Dict {
  std::vector<Entry> entries;

  // Defined in value.cc, where Entry is complete.
  Dict();
  Dict(const Dict& other);
  Dict(Dict&& other) noexcept;
  Dict& operator=(const Dict& other);
  Dict& operator=(Dict&& other) noexcept;
  ~Dict();

  // The value of `key`, or nullptr.
  const Value* Find(std::string_view key) const;
  Value* Find(std::string_view key);
  // Replaces the value of `key`, or appends an entry.
  void Set(std::string_view key, Value value);
  // Removes `key`; false if it is absent.
  bool Erase(std::string_view key);
};

bool operator==(const Dict& a, const Dict& b);

struct Value {
  // uint64_t holds only numbers above INT64_MAX, so that equal numbers compare equal.
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

  // The payload if it is of that kind, otherwise nullptr.
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

// Compares payloads and ignores places.
bool operator==(const Value& a, const Value& b);

struct Entry {
  std::string key;
  Value value;
  uint32_t key_offset = 0;
};

// Compares keys and values and ignores places.
bool operator==(const Entry& a, const Entry& b);

// The first key that occurs twice, as an index into the list, or the list's size.
size_t FindRepeatedKey(const std::vector<Entry>& entries);
size_t FindRepeatedKey(std::span<const std::string_view> keys);

// The tree as JSON and back. Only offsets are lost. Data is {"$data": base64}, a date is {"$date":
// seconds since 2001}, a reference {"$uid": number}, a real that JSON cannot spell is {"$real":
// "nan"}, and a key that begins with $ gets one $ more.
Json ToJson(const Value& value);
Result<Value> FromJson(const Json& json);

}  // namespace anecheck::tree
