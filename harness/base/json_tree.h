// JSON text as a flat, read-only tree, with all values in one array and all strings in another. It
// is for readers that convert the text once into another form. A value of the library nlohmann_json
// takes several times as long to build, because it allocates each string and container.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/json_text.h"

namespace anecheck {

// One value of a JsonTree. The tree must outlive the value, but may be moved. Cheap to copy.
class JsonValue {
 public:
  enum class Kind : uint8_t {
    kNull,
    kBoolean,
    kInteger,  // below 0
    kUnsigned,
    kReal,
    kString,
    kArray,
    kObject
  };
  // Nodes are small, because a tree has one for every value.
  struct Node {
    const char* name = nullptr;  // the name of a member of an object
    union {
      uint64_t whole = 0;  // an integer in two's complement, or a boolean as 0 or 1
      double real;
      const char* text;        // the characters of a string
      uint32_t first_last[2];  // the first and the last value of a container; 0 if it is empty
    };
    size_t size = 0;  // of a string in bytes, or of a container in values
    uint32_t name_size = 0;
    uint32_t next = 0;  // the next value in the same container; 0 if there is none
    Kind kind = Kind::kNull;
  };

  // The values of a container, in order.
  class Iterator {
   public:
    using value_type = JsonValue;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const Node* nodes, uint32_t index) : nodes_(nodes), index_(index) {}
    JsonValue operator*() const { return {nodes_, index_}; }
    Iterator& operator++() {
      index_ = nodes_[index_].next;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const Node* nodes_ = nullptr;
    uint32_t index_ = 0;
  };

  JsonValue(const Node* nodes, uint32_t index) : nodes_(nodes), index_(index) {}

  bool is_object() const { return node().kind == Kind::kObject; }
  bool is_array() const { return node().kind == Kind::kArray; }
  bool is_string() const { return node().kind == Kind::kString; }
  bool is_boolean() const { return node().kind == Kind::kBoolean; }
  // Whether the number was written as an integer.
  bool is_whole() const { return node().kind == Kind::kInteger || node().kind == Kind::kUnsigned; }
  bool is_number() const { return is_whole() || node().kind == Kind::kReal; }

  // Precondition of boolean(), text(), number() and whole(): the value is of the matching kind.
  bool boolean() const { return node().whole != 0; }
  std::string_view text() const { return {node().text, node().size}; }
  double number() const;
  // Returns the number, or nothing if it does not fit in int64_t.
  std::optional<int64_t> whole() const;

  std::string_view name() const { return {node().name, node().name_size}; }
  // The number of values in a container.
  size_t size() const { return node().size; }
  // Precondition: a container.
  Iterator begin() const { return {nodes_, node().first_last[0]}; }
  Iterator end() const { return {nodes_, 0}; }
  // Returns the member of this name, if there is one.
  std::optional<JsonValue> Find(std::string_view name) const;

 private:
  const Node& node() const { return nodes_[index_]; }

  const Node* nodes_;
  uint32_t index_;
};

// Returns whether two texts are equal. It compares the first characters first, because most
// different texts differ there.
inline bool SameText(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.empty() || (a.front() == b.front() && a == b));
}

class JsonTree {
 public:
  // Like ParseJson.
  static Result<JsonTree> Parse(std::string_view text, std::string_view name = "json");
  // Makes the tree of a document. The tree refers to the strings of `json`, which must outlive it.
  static JsonTree Of(const Json& json);

  JsonValue root() const { return {nodes_.data(), 0}; }

  JsonTree(JsonTree&&) = default;
  JsonTree& operator=(JsonTree&&) = default;

 private:
  class Builder;
  JsonTree() = default;

  std::vector<JsonValue::Node> nodes_;
  std::vector<char> texts_;
};

}  // namespace anecheck
