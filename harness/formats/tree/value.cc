#include "harness/formats/tree/value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "harness/base/base64.h"
#include "harness/base/json.h"

namespace anecheck::tree {

Dict::Dict() = default;
Dict::Dict(const Dict& other) = default;
Dict::Dict(Dict&& other) noexcept = default;
Dict& Dict::operator=(const Dict& other) = default;
Dict& Dict::operator=(Dict&& other) noexcept = default;
Dict::~Dict() = default;

const Value* Dict::Find(std::string_view key) const {
  for (const Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

Value* Dict::Find(std::string_view key) {
  return const_cast<Value*>(static_cast<const Dict*>(this)->Find(key));
}

void Dict::Set(std::string_view key, Value value) {
  if (Value* old = Find(key)) {
    *old = std::move(value);
  } else {
    entries.push_back(Entry{std::string(key), std::move(value)});
  }
}

bool Dict::Erase(std::string_view key) {
  return std::erase_if(entries, [&](const Entry& entry) { return entry.key == key; }) != 0;
}

bool operator==(const Dict& a, const Dict& b) { return std::ranges::equal(a.entries, b.entries); }

bool operator==(const Entry& a, const Entry& b) { return a.key == b.key && a.value == b.value; }

bool operator==(const Value& a, const Value& b) { return a.data == b.data; }

Value Value::Unsigned(uint64_t value) {
  if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return Integer(static_cast<int64_t>(value));
  }
  return Value(Payload(std::in_place_type<uint64_t>, value));
}

Value Value::Strings(const std::vector<std::string>& values) {
  Array array;
  for (const std::string& value : values) array.push_back(String(value));
  return Value(Payload(std::move(array)));
}

namespace {

// `key_at(i)` returns key i of `count` keys.
template <typename KeyAt>
size_t FindRepeated(size_t count, KeyAt key_at) {
  constexpr size_t kFew = 24;
  if (count <= kFew) {
    for (size_t i = 1; i < count; ++i) {
      for (size_t k = 0; k < i; ++k) {
        if (key_at(i) == key_at(k)) return i;
      }
    }
    return count;
  }
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](uint32_t a, uint32_t b) {
    return std::pair(key_at(a), a) < std::pair(key_at(b), b);
  });
  size_t first = count;
  for (size_t i = 1; i < count; ++i) {
    if (key_at(order[i]) == key_at(order[i - 1])) first = std::min<size_t>(first, order[i]);
  }
  return first;
}

}  // namespace

size_t FindRepeatedKey(const std::vector<Entry>& entries) {
  return FindRepeated(entries.size(), [&](size_t i) { return std::string_view(entries[i].key); });
}

size_t FindRepeatedKey(std::span<const std::string_view> keys) {
  return FindRepeated(keys.size(), [&](size_t i) { return keys[i]; });
}

namespace {

constexpr std::string_view kDataKey = "$data";
constexpr std::string_view kDateKey = "$date";
constexpr std::string_view kUidKey = "$uid";
constexpr std::string_view kRealKey = "$real";

struct JsonWriter {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(bool value) const { return value; }
  Json operator()(int64_t value) const { return value; }
  Json operator()(uint64_t value) const { return value; }
  Json operator()(double value) const {
    if (std::isfinite(value)) return value;
    return Json{{kRealKey, std::isnan(value) ? "nan" : value < 0 ? "-infinity" : "infinity"}};
  }
  Json operator()(const std::string& value) const { return value; }
  Json operator()(const Data& value) const { return Json{{kDataKey, Base64Encode(value.bytes)}}; }
  Json operator()(const Date& value) const { return Json{{kDateKey, value.seconds}}; }
  Json operator()(const Uid& value) const { return Json{{kUidKey, value.number}}; }
  Json operator()(const Array& values) const {
    Json json = Json::array();
    for (const Value& value : values) json.push_back(ToJson(value));
    return json;
  }
  Json operator()(const Dict& dict) const {
    // Keys are unique, so this code adds entries without the search of operator[].
    Json json = Json::object();
    Json::Object& members = json.members();
    members.reserve(dict.entries.size());
    for (const Entry& entry : dict.entries) {
      const bool escape = !entry.key.empty() && entry.key[0] == '$';
      members.push_back({escape ? "$" + entry.key : entry.key, ToJson(entry.value)});
    }
    return json;
  }
};

Error BadJson(std::string_view what) {
  return MakeError(ErrorCode::kInvalid, "document JSON: " + std::string(what));
}

Result<Value> RealFromName(const Json& name) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (name == "nan") return Value::Real(std::numeric_limits<double>::quiet_NaN());
  if (name == "infinity") return Value::Real(kInfinity);
  if (name == "-infinity") return Value::Real(-kInfinity);
  return BadJson("$real takes nan, infinity or -infinity");
}

Result<Value> Read(const Json& json, int depth);

Result<Value> ReadObject(const Json& json, int depth) {
  if (json.size() == 1 && json.begin().key() == kRealKey) return RealFromName(*json.begin());
  if (json.size() == 1 && json.begin().key() == kDataKey) {
    if (!json.begin()->is_string()) return BadJson("$data takes a base64 string");
    ANECHECK_ASSIGN(std::vector<uint8_t> bytes, Base64Decode(json.begin()->text()));
    return Value(Data{std::move(bytes)});
  }
  if (json.size() == 1 && json.begin().key() == kDateKey) {
    const Date date{json.begin()->is_number() ? json.begin()->get<double>() : NAN};
    if (!HasFourDigitYear(date))
      return BadJson("$date takes seconds since 2001, of year 1 to 9999");
    return Value(date);
  }
  if (json.size() == 1 && json.begin().key() == kUidKey) {
    if (!json.begin()->is_number_unsigned()) return BadJson("$uid takes a whole number from 0");
    return Value(Uid{json.begin()->get<uint64_t>()});
  }
  Dict dict;
  dict.entries.reserve(json.size());
  for (auto it = json.begin(); it != json.end(); ++it) {
    std::string key = it.key();
    if (key.size() > 1 && key[0] == '$') key.erase(0, 1);
    ANECHECK_ASSIGN(Value value, Read(*it, depth + 1));
    dict.entries.push_back(Entry{std::move(key), std::move(value)});
  }
  if (FindRepeatedKey(dict.entries) != dict.entries.size()) return BadJson("a key occurs twice");
  return Value(std::move(dict));
}

Result<Value> Read(const Json& json, int depth) {
  if (depth > kMaxDepth) return BadJson("nested deeper than 64 levels");
  switch (json.kind()) {
    case Json::Kind::kNull:
      return Value();
    case Json::Kind::kBoolean:
      return Value::Bool(json.get<bool>());
    case Json::Kind::kInteger:
      return Value::Integer(json.get<int64_t>());
    case Json::Kind::kUnsigned:
      return Value::Unsigned(json.get<uint64_t>());
    case Json::Kind::kReal:
      return Value::Real(json.get<double>());
    case Json::Kind::kString:
      return Value::String(json.text());
    case Json::Kind::kArray: {
      Array array;
      array.reserve(json.size());
      for (const Json& item : json) {
        ANECHECK_ASSIGN(Value value, Read(item, depth + 1));
        array.push_back(std::move(value));
      }
      return Value(std::move(array));
    }
    case Json::Kind::kObject:
      return ReadObject(json, depth);
  }
  std::unreachable();
}

}  // namespace

Json ToJson(const Value& value) { return std::visit(JsonWriter{}, value.data); }

Result<Value> FromJson(const Json& json) { return Read(json, 0); }

}  // namespace anecheck::tree
