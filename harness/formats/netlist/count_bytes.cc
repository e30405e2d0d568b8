#include "harness/formats/netlist/count_bytes.h"

#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <vector>

#include "harness/formats/bytekinds/byte_kinds.h"
#include "harness/formats/netlist/field_facts.h"
#include "harness/formats/netlist/layers.h"

namespace anecheck::netlist {
namespace {

using tree::Dict;
using tree::Entry;
using tree::Value;

// Finds the byte ranges of entries whose key no source names.
class UnknownEntries {
 public:
  // In a binary file, the bytes of a key do not directly precede the bytes of its value.
  explicit UnknownEntries(bool is_binary) : is_binary_(is_binary) {}

  std::vector<ByteRange> Find(const Value& root) && {
    if (root.AsDict() == nullptr) {
      Add(root);
    } else {
      FindInRoot(*root.AsDict());
    }
    return std::move(unknown_);
  }

 private:
  void FindInRoot(const Dict& dict) {
    std::unordered_set<std::string_view> known = {"Networks", "ProcedureList", "Version"};
    const std::vector<std::string> networks = NamesAt(dict, "Networks");
    for (const std::string& name : networks) {
      const Value* network = dict.Find(name);
      if (network != nullptr && known.insert(name).second) FindInNetwork(*network);
    }
    for (const Entry& entry : dict.entries) {
      if (!known.contains(entry.key)) Add(entry);
    }
    if (const Value* list = dict.Find("ProcedureList")) FindInProcedures(*list);
  }

  static std::vector<std::string> NamesAt(const Dict& dict, std::string_view key) {
    std::vector<std::string> names;
    const Value* list = dict.Find(key);
    if (list == nullptr || list->AsArray() == nullptr) return names;
    for (const Value& item : *list->AsArray()) {
      if (item.AsString() != nullptr) names.push_back(*item.AsString());
    }
    return names;
  }

  void Add(const Entry& entry) {
    const uint64_t end = uint64_t{entry.value.offset} + entry.value.size;
    unknown_.push_back({is_binary_ ? entry.value.offset : entry.key_offset, end});
  }
  void Add(const Value& value) {
    unknown_.push_back({value.offset, uint64_t{value.offset} + value.size});
  }

  void FindIn(const Value& value, std::span<const KeyFact> known, std::string_view also = {}) {
    if (value.AsDict() == nullptr) return;
    for (const Entry& entry : value.AsDict()->entries) {
      const bool listed = std::ranges::find(known, entry.key, &KeyFact::key) != known.end();
      if (!listed && entry.key != also) Add(entry);
    }
  }

  void FindInUnit(const Value& value) {
    const Dict* dict = value.AsDict();
    if (dict == nullptr) return;
    FindIn(value, UnitKeys(), "Params");
    const Value* params = dict->Find("Params");
    const Value* type = dict->Find("Type");
    if (params == nullptr || params->AsDict() == nullptr) return;
    const LayerSpec* layer =
        type == nullptr || type->AsString() == nullptr ? nullptr : FindLayer(*type->AsString());
    for (const Entry& entry : params->AsDict()->entries) {
      if (layer == nullptr || FindParam(layer->params, entry.key) == nullptr) Add(entry);
    }
  }

  void FindInNetwork(const Value& value) {
    const Dict* dict = value.AsDict();
    if (dict == nullptr) return Add(value);
    const std::vector<std::string> listed = NamesAt(*dict, "Units");
    const std::unordered_set<std::string_view> units(listed.begin(), listed.end());
    const std::span<const KeyFact> lists = NetworkKeys();
    for (const Entry& entry : dict->entries) {
      if (std::ranges::find(lists, entry.key, &KeyFact::key) != lists.end()) continue;
      if (units.contains(entry.key)) {
        FindInUnit(entry.value);
      } else if (entry.value.AsDict() != nullptr) {
        FindIn(entry.value, PortKeys());
      } else {
        Add(entry);
      }
    }
  }

  void FindInProcedures(const Value& list) {
    static constexpr std::array<KeyFact, 4> kKnown = {
        {{"InputList"}, {"Name"}, {"OperationList"}, {"OutputList"}}};
    if (list.AsArray() == nullptr) return;
    for (const Value& procedure : *list.AsArray()) {
      if (procedure.AsDict() == nullptr) continue;
      FindIn(procedure, kKnown);
      for (const std::string_view key : {"InputList", "OutputList"}) {
        const Value* ports = procedure.AsDict()->Find(key);
        if (ports == nullptr || ports->AsArray() == nullptr) continue;
        for (const Value& port : *ports->AsArray()) FindIn(port, PortKeys());
      }
    }
  }

  bool is_binary_;
  std::vector<ByteRange> unknown_;
};

// Divides XML into tags, contents and the text between them. Precondition: the text parses.
class XmlCounter {
 public:
  XmlCounter(std::string_view text, std::vector<ByteRange> unknown)
      : text_(text), coverage_(std::move(unknown)) {}

  ByteCounts Run() && {
    while (at_ < text_.size()) {
      if (text_[at_] != '<') {
        Between();
      } else if (text_.substr(at_).starts_with("<!--")) {
        Take(ByteKind::kFill, Past("-->", at_ + 4));
      } else {
        Tag();
      }
    }
    return std::move(coverage_).Count(text_.size());
  }

 private:
  static constexpr std::string_view kSpace = " \t\r\n";

  void Take(ByteKind kind, size_t end) {
    coverage_.Add(kind, end - at_);
    at_ = end;
  }
  // Returns the position after the next occurrence of `word`.
  size_t Past(std::string_view word, size_t from) const {
    const size_t found = text_.find(word, from);
    return found == std::string_view::npos ? text_.size() : found + word.size();
  }

  // Counts white space, or a byte order mark at the start.
  void Between() {
    const bool space = kSpace.find(text_[at_]) != std::string_view::npos;
    const size_t end = space ? text_.find_first_not_of(kSpace, at_) : at_ + 1;
    Take(space ? ByteKind::kFill : ByteKind::kTyped, std::min(end, text_.size()));
  }

  // Counts a tag, and the content of an element with text.
  void Tag() {
    static constexpr std::string_view kOfText[] = {"<key",  "<string", "<integer", "<real",
                                                   "<data", "<true",   "<false"};
    const size_t end = Past(">", at_);
    const std::string_view tag = text_.substr(at_, end - at_);
    Take(ByteKind::kTyped, end);
    const bool of_text =
        std::ranges::any_of(kOfText, [&](std::string_view name) { return tag.starts_with(name); });
    if (of_text && !tag.ends_with("/>")) Take(ByteKind::kTyped, ContentEnd());
  }

  // Returns the position of the tag that ends the current text. Skips CDATA sections, which may
  // contain text that looks like a tag.
  size_t ContentEnd() const {
    size_t end = text_.find('<', at_);
    while (end != std::string_view::npos && text_.substr(end).starts_with("<![CDATA[")) {
      end = text_.find('<', Past("]]>", end));
    }
    return std::min(end, text_.size());
  }

  std::string_view text_;
  size_t at_ = 0;
  TextByteKinds coverage_;
};

// Equal strings share an object, so an unknown and a known entry may have the same string object.
// Its bytes count as opaque.
ByteCounts CountBinaryBytes(std::span<const ByteRange> unknown, ByteSpan bytes) {
  constexpr uint64_t kTrailer = 32;
  constexpr uint64_t kUnused = 5;  // bytes at the trailer's start, which known writers set to 0
  ByteKindMap map(bytes);
  map.Claim(ByteKind::kTyped, 0, bytes.size() - kTrailer);
  map.Claim(ByteKind::kTyped, bytes.size() - kTrailer + kUnused, kTrailer - kUnused);
  for (const ByteRange& range : unknown) {
    map.Claim(ByteKind::kOpaque, range.begin, range.end - range.begin);
  }
  return std::move(map).Count();
}

}  // namespace

ByteCounts CountDocumentBytes(const plist::Document& document, ByteSpan bytes) {
  const bool is_binary = document.encoding == plist::Encoding::kBinary;
  std::vector<ByteRange> unknown = UnknownEntries(is_binary).Find(document.root);
  if (is_binary) return CountBinaryBytes(unknown, bytes);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return XmlCounter(text, std::move(unknown)).Run();
}

}  // namespace anecheck::netlist
