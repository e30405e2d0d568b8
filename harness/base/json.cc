#include "harness/base/json.h"

#include <algorithm>
#include <fmt/format.h>
#include <ostream>

#include "harness/base/json_text.h"

namespace anecheck {
namespace {

using Kind = Json::Kind;

bool IsMember(const Json& item) {
  return item.is_array() && item.size() == 2 && item[0].is_string();
}

// An unsigned number from 2^63 on does not fit a signed integer and is compared by its bits, as in
// nlohmann_json.
template <typename T>
bool SameNumber(T a, const Json& b) {
  if (b.is_number_float()) return static_cast<double>(a) == b.get<double>();
  return static_cast<int64_t>(a) == b.get<int64_t>();
}

}  // namespace

Json::Json(Kind kind) : kind_(kind), is_{.whole = 0} {
  switch (kind) {
    case Kind::kString:
      is_.text = new std::string();
      break;
    case Kind::kArray:
      is_.array = new Array();
      break;
    case Kind::kObject:
      is_.object = new Object();
      break;
    case Kind::kBoolean:
      is_.boolean = false;
      break;
    case Kind::kInteger:
      is_.integer = 0;
      break;
    case Kind::kReal:
      is_.real = 0;
      break;
    default:
      break;
  }
}

Json::Json(std::string_view text) : kind_(Kind::kString), is_{.text = new std::string(text)} {}
Json::Json(std::string text)
    : kind_(Kind::kString), is_{.text = new std::string(std::move(text))} {}
Json::Json(Array elements) : kind_(Kind::kArray), is_{.array = new Array(std::move(elements))} {}

Json::Json(std::initializer_list<JsonItem> items) : Json() {
  const bool object = std::all_of(items.begin(), items.end(),
                                  [](const JsonItem& item) { return IsMember(item.value_); });
  *this = object ? Json::object(items) : Json::array(items);
}

Json Json::array(std::initializer_list<JsonItem> items) {
  Json json = Kind::kArray;
  json.is_.array->reserve(items.size());
  for (const JsonItem& item : items) json.is_.array->push_back(std::move(item.value_));
  return json;
}

Json Json::object(std::initializer_list<JsonItem> members) {
  Json json = Kind::kObject;
  json.is_.object->reserve(members.size());
  for (const JsonItem& member : members) {
    if (!IsMember(member.value_)) member.value_.Fail("a name and a value");
    Array& pair = *member.value_.is_.array;
    if (!json.contains(*pair[0].is_.text)) {
      json.is_.object->push_back({std::move(*pair[0].is_.text), std::move(pair[1])});
    }
  }
  return json;
}

Json::Json(const Json& other) : kind_(other.kind_), is_(other.is_) {
  switch (kind_) {
    case Kind::kString:
      is_.text = new std::string(*other.is_.text);
      break;
    case Kind::kArray:
      is_.array = new Array(*other.is_.array);
      break;
    case Kind::kObject:
      is_.object = new Object(*other.is_.object);
      break;
    default:
      break;
  }
}

void Json::Release() noexcept {
  switch (kind_) {
    case Kind::kString:
      delete is_.text;
      break;
    case Kind::kArray:
      delete is_.array;
      break;
    default:
      delete is_.object;
  }
}

void Json::Fail(std::string_view needed) const {
  throw JsonError(fmt::format("needs {}, not {}", needed, kind_name()));
}

std::string_view Json::kind_name() const {
  switch (kind_) {
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return "boolean";
    case Kind::kString:
      return "string";
    case Kind::kArray:
      return "array";
    case Kind::kObject:
      return "object";
    default:
      return "number";
  }
}

template <typename T>
T Json::get() const {
  switch (kind_) {
    case Kind::kInteger:
      return static_cast<T>(is_.integer);
    case Kind::kUnsigned:
      return static_cast<T>(is_.whole);
    case Kind::kReal:
      return static_cast<T>(is_.real);
    default:
      Fail("a number");
  }
}

template <>
bool Json::get<bool>() const {
  if (!is_boolean()) Fail("a boolean");
  return is_.boolean;
}

template <>
std::string Json::get<std::string>() const {
  return text();
}

template <>
Json Json::get<Json>() const {
  return *this;
}

template <>
std::vector<std::string> Json::get<std::vector<std::string>>() const {
  std::vector<std::string> texts;
  for (const Json& element : elements()) texts.push_back(element.text());
  return texts;
}

namespace {

template <typename T>
std::vector<T> Numbers(const Json::Array& elements) {
  std::vector<T> numbers;
  for (const Json& element : elements) numbers.push_back(element.get<T>());
  return numbers;
}

}  // namespace

template <>
std::vector<uint64_t> Json::get<std::vector<uint64_t>>() const {
  return Numbers<uint64_t>(elements());
}

template <>
std::vector<int64_t> Json::get<std::vector<int64_t>>() const {
  return Numbers<int64_t>(elements());
}

template int8_t Json::get<int8_t>() const;
template int16_t Json::get<int16_t>() const;
template int32_t Json::get<int32_t>() const;
template int64_t Json::get<int64_t>() const;
template uint8_t Json::get<uint8_t>() const;
template uint16_t Json::get<uint16_t>() const;
template uint32_t Json::get<uint32_t>() const;
template uint64_t Json::get<uint64_t>() const;
template float Json::get<float>() const;
template double Json::get<double>() const;

const std::string& Json::text() const {
  if (!is_string()) Fail("a string");
  return *is_.text;
}
const Json::Array& Json::elements() const {
  if (!is_array()) Fail("an array");
  return *is_.array;
}
const Json::Object& Json::members() const {
  if (!is_object()) Fail("an object");
  return *is_.object;
}
std::string& Json::text() { return const_cast<std::string&>(std::as_const(*this).text()); }
Json::Array& Json::elements() { return const_cast<Array&>(std::as_const(*this).elements()); }
Json::Object& Json::members() { return const_cast<Object&>(std::as_const(*this).members()); }

size_t Json::size() const {
  switch (kind_) {
    case Kind::kNull:
      return 0;
    case Kind::kArray:
      return is_.array->size();
    case Kind::kObject:
      return is_.object->size();
    default:
      return 1;
  }
}

Json::ConstIterator Json::begin() const {
  switch (kind_) {
    case Kind::kArray:
      return {is_.array->data(), nullptr};
    case Kind::kObject:
      return {nullptr, is_.object->data()};
    default:
      return {this, nullptr};
  }
}

Json::ConstIterator Json::end() const { return begin() + static_cast<std::ptrdiff_t>(size()); }

Json::Iterator Json::begin() {
  const ConstIterator it = std::as_const(*this).begin();
  return {const_cast<Json*>(it.element_), const_cast<JsonMember*>(it.member_)};
}

Json::Iterator Json::end() { return begin() + static_cast<std::ptrdiff_t>(size()); }

Json::ConstIterator Json::find(std::string_view name) const {
  if (!is_object()) return end();
  const auto found = std::find_if(is_.object->begin(), is_.object->end(),
                                  [&](const JsonMember& member) { return member.key == name; });
  return begin() + (found - is_.object->begin());
}

Json::Iterator Json::find(std::string_view name) {
  return begin() + (std::as_const(*this).find(name) - std::as_const(*this).begin());
}

bool Json::contains(std::string_view name) const { return is_object() && find(name) != end(); }

const Json& Json::at(std::string_view name) const {
  if (!is_object()) Fail("an object");
  const ConstIterator found = find(name);
  if (found == end()) throw JsonError(fmt::format("\"{}\" is missing", name));
  return *found;
}

Json& Json::at(std::string_view name) { return const_cast<Json&>(std::as_const(*this).at(name)); }

Json& Json::operator[](std::string_view name) {
  if (is_null()) *this = object();
  if (!is_object()) Fail("an object");
  const Iterator found = find(name);
  if (found != end()) return *found;
  return is_.object->emplace_back(JsonMember{std::string(name), {}}).value;
}

const Json& Json::Element(size_t index) const {
  const Array& array = elements();
  if (index >= array.size()) throw JsonError(fmt::format("[{}] is missing", index));
  return array[index];
}

Json& Json::ElementOrNew(size_t index) {
  if (is_null()) *this = array();
  Array& array = elements();
  if (index >= array.size()) array.resize(index + 1);
  return array[index];
}

std::string Json::value(std::string_view name, const char* fallback) const {
  const ConstIterator found = find(name);
  return found == end() ? std::string(fallback) : found->text();
}

Json Json::value(std::string_view name, Json fallback) const {
  const ConstIterator found = find(name);
  if (found == end()) return fallback;
  return *found;
}

void Json::push_back(Json value) { emplace_back(std::move(value)); }

Json& Json::emplace_back(Json value) {
  if (is_null()) *this = array();
  return elements().emplace_back(std::move(value));
}

void Json::insert(ConstIterator before, Json value) {
  const std::ptrdiff_t at = before - begin();
  elements().insert(elements().begin() + at, std::move(value));
}

void Json::update(const Json& object) {
  if (is_null()) *this = Json::object();
  for (const auto& [key, value] : object.members()) (*this)[key] = value;
}

size_t Json::erase(std::string_view name) {
  return std::erase_if(members(), [&](const JsonMember& member) { return member.key == name; });
}

void Json::EraseElement(size_t index) {
  Element(index);
  is_.array->erase(is_.array->begin() + static_cast<std::ptrdiff_t>(index));
}

void Json::erase(ConstIterator first, ConstIterator last) {
  const std::ptrdiff_t from = first - begin();
  const std::ptrdiff_t to = last - begin();
  if (is_object()) {
    is_.object->erase(is_.object->begin() + from, is_.object->begin() + to);
  } else {
    elements().erase(is_.array->begin() + from, is_.array->begin() + to);
  }
}

void Json::clear() {
  if (kind_ >= Kind::kString) Release();
  *this = Json(std::exchange(kind_, Kind::kNull));
}

std::string Json::dump(int indent) const { return DumpJson(*this, indent); }

bool operator==(const Json& a, const Json& b) {
  if (a.is_number() && b.is_number()) {
    switch (a.kind_) {
      case Kind::kInteger:
        return SameNumber(a.is_.integer, b);
      case Kind::kUnsigned:
        return SameNumber(a.is_.whole, b);
      default:
        return a.is_.real == b.get<double>();
    }
  }
  if (a.kind_ != b.kind_) return false;
  switch (a.kind_) {
    case Kind::kBoolean:
      return a.is_.boolean == b.is_.boolean;
    case Kind::kString:
      return *a.is_.text == *b.is_.text;
    case Kind::kArray:
      return *a.is_.array == *b.is_.array;
    case Kind::kObject:
      return *a.is_.object == *b.is_.object;
    default:
      return true;
  }
}

std::ostream& operator<<(std::ostream& out, const Json& json) { return out << json.dump(); }

}  // namespace anecheck
