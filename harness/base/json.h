// A JSON value (RFC 8259) that is built, read and changed in memory. Members keep their order. Most
// of its functions are compiled once, in json.cc, so that sources that include this header compile
// quickly. harness/base/json_text.h reads and prints JSON text.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace anecheck {

class JsonItem;
class JsonPointer;
struct JsonMember;

// Thrown by `at` and `get` for a value of the wrong kind, or for a missing member or element.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Numbers keep their kind: integer, unsigned integer (parsed from an integer without a sign), or
// real. Numbers of different kinds are equal if their values are.
//
// Several threads may read at once. An iterator is valid until its container changes.
class Json {
 public:
  enum class Kind : uint8_t {
    kNull,
    kBoolean,
    kInteger,
    kUnsigned,
    kReal,
    kString,
    kArray,
    kObject
  };
  using Array = std::vector<Json>;
  using Object = std::vector<JsonMember>;

  // Iterates over the values of an array or object in order. Null has no values. A value of any
  // other kind is its own only value.
  template <bool kConst>
  class BasicIterator {
    using Value = std::conditional_t<kConst, const Json, Json>;
    using Member = std::conditional_t<kConst, const JsonMember, JsonMember>;

   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = Json;
    using difference_type = std::ptrdiff_t;
    using pointer = Value*;
    using reference = Value&;

    BasicIterator() = default;
    BasicIterator(Value* element, Member* member) : element_(element), member_(member) {}
    operator BasicIterator<true>() const { return {element_, member_}; }  // NOLINT

    inline Value& operator*() const;
    Value* operator->() const { return &**this; }
    // Returns the name of the member. Precondition: the container is an object.
    inline const std::string& key() const;
    Value& value() const { return **this; }

    inline BasicIterator& operator+=(difference_type count);
    BasicIterator& operator++() { return *this += 1; }
    BasicIterator& operator--() { return *this += -1; }
    BasicIterator operator++(int) {
      const BasicIterator before = *this;
      ++*this;
      return before;
    }
    BasicIterator operator+(difference_type count) const { return BasicIterator(*this) += count; }
    BasicIterator operator-(difference_type count) const { return BasicIterator(*this) += -count; }
    inline difference_type operator-(const BasicIterator& other) const;
    bool operator==(const BasicIterator& other) const {
      return element_ == other.element_ && member_ == other.member_;
    }

   private:
    friend class Json;
    Value* element_ = nullptr;  // in an array
    Member* member_ = nullptr;  // in an object, where it is set
  };
  using Iterator = BasicIterator<false>;
  using ConstIterator = BasicIterator<true>;

  Json() noexcept : kind_(Kind::kNull), is_{.whole = 0} {}
  Json(std::nullptr_t) noexcept : Json() {}  // NOLINT: values are written as in JSON
  Json(Kind kind);                           // NOLINT: an empty value of that kind
  template <std::same_as<bool> T>
  Json(T value) noexcept : kind_(Kind::kBoolean), is_{.boolean = value} {}  // NOLINT
  template <std::signed_integral T>
  Json(T value) noexcept : kind_(Kind::kInteger), is_{.integer = value} {}  // NOLINT
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  Json(T value) noexcept : kind_(Kind::kUnsigned), is_{.whole = value} {}  // NOLINT
  Json(double value) noexcept : kind_(Kind::kReal), is_{.real = value} {}  // NOLINT
  Json(std::string_view text);                                             // NOLINT
  Json(std::string text);                                                  // NOLINT
  Json(const char* text) : Json(std::string_view(text)) {}                 // NOLINT
  Json(Array elements);                                                    // NOLINT
  // Makes an array from any other range of values.
  template <typename Range>
    requires(!std::convertible_to<const Range&, std::string_view> &&
             !std::convertible_to<const Range&, Array> && !std::same_as<Range, Json> &&
             requires(const Range& range) {
               range.begin() != range.end();
               range.size();
               Json(*range.begin());
             })
  Json(const Range& range) : Json(Kind::kArray) {  // NOLINT
    for (const auto& element : range) push_back(Json(element));
  }
  // Makes an object if every item is an array of a string and a value, else an array.
  Json(std::initializer_list<JsonItem> items);

  Json(const Json& other);
  Json(Json&& other) noexcept : kind_(other.kind_), is_(other.is_) { other.kind_ = Kind::kNull; }
  Json& operator=(Json other) noexcept {
    swap(other);
    return *this;
  }
  ~Json() {
    if (kind_ >= Kind::kString) Release();
  }
  void swap(Json& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(is_, other.is_);
  }

  static Json array() { return Kind::kArray; }
  static Json array(std::initializer_list<JsonItem> items);
  static Json object() { return Kind::kObject; }
  static Json object(std::initializer_list<JsonItem> members);

  Kind kind() const { return kind_; }
  // "null", "boolean", "number", "string", "array", "object".
  std::string_view kind_name() const;
  bool is_null() const { return kind_ == Kind::kNull; }
  bool is_boolean() const { return kind_ == Kind::kBoolean; }
  bool is_number() const { return kind_ >= Kind::kInteger && kind_ <= Kind::kReal; }
  // Whether the number was made from an integer.
  bool is_number_integer() const { return kind_ == Kind::kInteger || kind_ == Kind::kUnsigned; }
  bool is_number_unsigned() const { return kind_ == Kind::kUnsigned; }
  bool is_number_float() const { return kind_ == Kind::kReal; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_array() const { return kind_ == Kind::kArray; }
  bool is_object() const { return kind_ == Kind::kObject; }
  bool is_structured() const { return kind_ >= Kind::kArray; }

  // T may be bool, an arithmetic type (any number is cast to it), std::string, a vector of
  // std::string or uint64_t, or Json itself. Throws JsonError if the value is of another kind.
  template <typename T>
  T get() const;
  // text() throws JsonError unless the value is a string, elements() unless it is an array, and
  // members() unless it is an object.
  const std::string& text() const;
  std::string& text();
  const Array& elements() const;
  Array& elements();
  const Object& members() const;
  Object& members();

  // Returns the number of values in a container, 0 for null, and 1 for any other value.
  size_t size() const;
  bool empty() const { return size() == 0; }
  Iterator begin();
  Iterator end();
  ConstIterator begin() const;
  ConstIterator end() const;
  // Returns the members of an object, for `auto& [key, value]`. Throws JsonError for other kinds.
  Object& items() { return members(); }
  const Object& items() const { return members(); }

  // Returns the member or element. Throws JsonError if it is missing.
  const Json& at(std::string_view name) const;
  Json& at(std::string_view name);
  template <std::integral T>
  const Json& at(T index) const {
    return Element(static_cast<size_t>(index));
  }
  template <std::integral T>
  Json& at(T index) {
    return const_cast<Json&>(Element(static_cast<size_t>(index)));
  }
  // Like `at`, but on a mutable value it adds a missing member as null, and turns a null value into
  // an object or array.
  const Json& operator[](std::string_view name) const { return at(name); }
  Json& operator[](std::string_view name);
  template <std::integral T>
  const Json& operator[](T index) const {
    return Element(static_cast<size_t>(index));
  }
  template <std::integral T>
  Json& operator[](T index) {
    return ElementOrNew(static_cast<size_t>(index));
  }
  // Returns the value at a place in this document (harness/base/json_pointer.h).
  const Json& operator[](const JsonPointer& place) const;
  Json& operator[](const JsonPointer& place);
  bool contains(const JsonPointer& place) const;
  bool contains(std::string_view name) const;
  ConstIterator find(std::string_view name) const;
  Iterator find(std::string_view name);
  // Returns the member, converted by get<T>, or `fallback` if it is missing.
  template <typename T>
  T value(std::string_view name, T fallback) const {
    const ConstIterator found = find(name);
    return found == end() ? std::move(fallback) : found->get<T>();
  }
  std::string value(std::string_view name, const char* fallback) const;
  Json value(std::string_view name, Json fallback) const;
  // The first or last element. Precondition: an array that is not empty.
  const Json& front() const { return at(size_t{0}); }
  Json& front() { return at(size_t{0}); }
  const Json& back() const { return at(size() - 1); }
  Json& back() { return at(size() - 1); }

  // Appends to an array. Null becomes an array. Throws JsonError for other kinds.
  void push_back(Json value);
  Json& emplace_back() { return emplace_back(Json()); }
  Json& emplace_back(Json value);
  void insert(ConstIterator before, Json value);
  // Copies each member of `object`. It replaces a member of the same name.
  void update(const Json& object);
  // Removes a member; returns the number of members removed, 0 or 1.
  size_t erase(std::string_view name);
  template <std::integral T>
  void erase(T index) {
    EraseElement(static_cast<size_t>(index));
  }
  void erase(ConstIterator first, ConstIterator last);
  void erase(ConstIterator at) { erase(at, at + 1); }
  void clear();

  // The text of DumpJson (json_text.h).
  std::string dump(int indent = -1) const;

  friend bool operator==(const Json& a, const Json& b);
  template <typename T>
    requires(!std::same_as<T, Json> && std::constructible_from<Json, const T&>)
  friend bool operator==(const Json& a, const T& b) {
    return a == Json(b);
  }

 private:
  void Release() noexcept;
  [[noreturn]] void Fail(std::string_view needed) const;
  const Json* Find(const JsonPointer& place) const;
  const Json& Element(size_t index) const;
  Json& ElementOrNew(size_t index);
  void EraseElement(size_t index);

  union Payload {
    uint64_t whole;
    int64_t integer;
    double real;
    bool boolean;
    std::string* text;  // these three are owned
    Array* array;
    Object* object;
  };
  Kind kind_;
  Payload is_;
};

struct JsonMember {
  std::string key;
  Json value;

  friend bool operator==(const JsonMember&, const JsonMember&) = default;
};

// An item of an initializer list. The Json that is made from the list moves the value out of it.
class JsonItem {
 public:
  JsonItem() = default;
  template <typename T>
    requires std::constructible_from<Json, T&&>
  JsonItem(T&& value) : value_(std::forward<T>(value)) {}  // NOLINT
  JsonItem(std::initializer_list<JsonItem> items) : value_(items) {}

 private:
  friend class Json;
  mutable Json value_;
};

template <bool kConst>
auto Json::BasicIterator<kConst>::operator*() const -> Value& {
  return member_ == nullptr ? *element_ : member_->value;
}

template <bool kConst>
const std::string& Json::BasicIterator<kConst>::key() const {
  return member_->key;
}

template <bool kConst>
auto Json::BasicIterator<kConst>::operator+=(difference_type count) -> BasicIterator& {
  if (member_ == nullptr) {
    element_ += count;
  } else {
    member_ += count;
  }
  return *this;
}

template <bool kConst>
std::ptrdiff_t Json::BasicIterator<kConst>::operator-(const BasicIterator& other) const {
  return member_ == nullptr ? element_ - other.element_ : member_ - other.member_;
}

std::ostream& operator<<(std::ostream& out, const Json& json);

}  // namespace anecheck
