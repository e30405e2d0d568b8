#include "harness/base/json_tree.h"

#include <limits>

#include "harness/base/json_sax.h"

namespace anecheck {

using Kind = JsonValue::Kind;
using Node = JsonValue::Node;

double JsonValue::number() const {
  switch (node().kind) {
    case Kind::kReal:
      return node().real;
    case Kind::kInteger:
      return static_cast<double>(static_cast<int64_t>(node().whole));
    default:
      return static_cast<double>(node().whole);
  }
}

std::optional<int64_t> JsonValue::whole() const {
  constexpr auto kLargest = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (node().kind == Kind::kUnsigned && node().whole > kLargest) return std::nullopt;
  return static_cast<int64_t>(node().whole);
}

std::optional<JsonValue> JsonValue::Find(std::string_view name) const {
  if (!is_object()) return std::nullopt;
  for (const JsonValue member : *this) {
    if (SameText(member.name(), name)) return member;
  }
  return std::nullopt;
}

// Appends values in the order of the text.
class JsonTree::Builder final : public JsonReceiver {
 public:
  // Strings of parsed input are copied into a buffer of `text_bytes` bytes; strings of a Json
  // document stay in place.
  Builder(JsonTree& tree, std::string_view name, size_t text_bytes)
      : JsonReceiver(name), nodes_(tree.nodes_), texts_(tree.texts_) {
    constexpr size_t kBytesOfValue = 6;  // an estimate
    constexpr size_t kFewLevels = 8;
    nodes_.reserve(1 + text_bytes / kBytesOfValue);
    texts_.reserve(text_bytes);
    open_.reserve(kFewLevels);
  }

  bool null() override { return BeginValue() && Put(Kind::kNull, 0); }
  bool boolean(bool value) override { return BeginValue() && Put(Kind::kBoolean, value ? 1 : 0); }
  bool number_integer(int64_t value) override {
    return BeginValue() && Put(Kind::kInteger, static_cast<uint64_t>(value));
  }
  bool number_unsigned(uint64_t value) override {
    return BeginValue() && Put(Kind::kUnsigned, value);
  }
  bool number_float(double value, const std::string&) override {
    return BeginValue() && PutReal(value);
  }
  bool string(std::string& value) override { return BeginValue() && PutText(Kept(value)); }
  bool start_object(size_t) override { return BeginValue() && Enter() && Open(Kind::kObject); }
  bool start_array(size_t) override { return BeginValue() && Enter() && Open(Kind::kArray); }
  bool end_object() override { return Close(); }
  bool end_array() override { return Close(); }
  bool key(std::string& name) override {
    SawKey();
    member_ = FindMember(name);
    if (member_ == 0) member_ = Append(Kept(name));
    return true;
  }

  // Adds a document. The limits of json_text.h do not apply to it.
  void Add(const Json& json) {
    switch (json.kind()) {
      case Json::Kind::kObject:
        Open(Kind::kObject);
        for (const auto& [name, value] : json.members()) {
          member_ = Append(name);
          Add(value);
        }
        open_.pop_back();
        break;
      case Json::Kind::kArray:
        Open(Kind::kArray);
        for (const Json& element : json.elements()) Add(element);
        open_.pop_back();
        break;
      case Json::Kind::kString:
        PutText(json.text());
        break;
      case Json::Kind::kBoolean:
        Put(Kind::kBoolean, json.get<bool>() ? 1 : 0);
        break;
      case Json::Kind::kInteger:
        Put(Kind::kInteger, static_cast<uint64_t>(json.get<int64_t>()));
        break;
      case Json::Kind::kUnsigned:
        Put(Kind::kUnsigned, json.get<uint64_t>());
        break;
      case Json::Kind::kReal:
        PutReal(json.get<double>());
        break;
      case Json::Kind::kNull:
        Put(Kind::kNull, 0);
    }
  }

 private:
  // An escape is longer than its character, so the buffer is large enough and never moves.
  std::string_view Kept(const std::string& text) {
    const size_t begin = texts_.size();
    texts_.insert(texts_.end(), text.begin(), text.end());
    return {texts_.data() + begin, text.size()};
  }

  uint32_t FindMember(std::string_view name) const {
    uint32_t index = nodes_[open_.back()].first_last[0];
    while (index != 0 && !SameText(JsonValue(nodes_.data(), index).name(), name)) {
      index = nodes_[index].next;
    }
    return index;
  }

  // Appends a new value to the innermost container, or makes the root.
  uint32_t Append(std::string_view name) {
    const auto index = static_cast<uint32_t>(nodes_.size());
    Node& node = nodes_.emplace_back();
    node.name = name.data();
    node.name_size = static_cast<uint32_t>(name.size());
    if (open_.empty()) return index;
    Node& container = nodes_[open_.back()];
    auto& [first, last] = container.first_last;
    (first == 0 ? first : nodes_[last].next) = index;
    last = index;
    ++container.size;
    return index;
  }

  // Returns the node for the next value. If two members have the same name, the last value replaces
  // the first in its node.
  Node& Place(Kind kind) {
    const bool member = !open_.empty() && nodes_[open_.back()].kind == Kind::kObject;
    Node& node = nodes_[member ? member_ : Append({})];
    node.whole = 0;
    node.size = 0;
    node.kind = kind;
    return node;
  }
  bool Put(Kind kind, uint64_t value) {
    Place(kind).whole = value;
    return true;
  }
  bool PutReal(double value) {
    Place(Kind::kReal).real = value;
    return true;
  }
  bool PutText(std::string_view text) {
    Node& node = Place(Kind::kString);
    node.text = text.data();
    node.size = text.size();
    return true;
  }
  bool Open(Kind kind) {
    Node& node = Place(kind);
    node.first_last[0] = 0;
    node.first_last[1] = 0;
    open_.push_back(static_cast<uint32_t>(&node - nodes_.data()));
    return true;
  }
  bool Close() {
    Leave();
    open_.pop_back();
    return true;
  }

  std::vector<Node>& nodes_;
  std::vector<char>& texts_;
  std::vector<uint32_t> open_;  // the containers that are being read, each inside the one before it
  uint32_t member_ = 0;         // the current member, if the innermost container is an object
};

Result<JsonTree> JsonTree::Parse(std::string_view text, std::string_view name) {
  if (text.size() > std::numeric_limits<uint32_t>::max()) {
    return MakeError(ErrorCode::kLimit,
                     std::string(name) + ": texts of 4 GiB and more are not read");
  }
  JsonTree tree;
  Builder builder(tree, name, text.size());
  if (!ParserJson::sax_parse(text, &builder)) {
    return JsonTextError(text, name, std::move(builder).TakeError());
  }
  return tree;
}

JsonTree JsonTree::Of(const Json& json) {
  JsonTree tree;
  Builder(tree, {}, 0).Add(json);
  return tree;
}

}  // namespace anecheck
