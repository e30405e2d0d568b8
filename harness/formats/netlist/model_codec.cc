// Converts between the plain values of model.h and the property list. One function per record lists
// the keys for both directions. Its argument `keys` is a KeyReader, which fills the record, or a
// KeyWriter.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "harness/formats/message.h"
#include "harness/formats/netlist/model.h"
#include "harness/formats/netlist/port_keys.h"

namespace anecheck::netlist {

namespace {

using tree::Array;
using tree::Dict;
using tree::Entry;
using tree::Value;

constexpr auto kInput = [](auto& keys, auto& input) {
  keys.PortName("InputName", input.name);
  keys.Text("InputType", input.type);
  keys.Table(kInputExtents, input.extents);
  keys.Table(kInputStrides, input.strides);
  keys.Text("Name", input.unit);
  keys.Text("OperationName", input.operation);
};

template <typename Keys, typename Record>
void MapOutput(Keys& keys, Record& output, std::string_view bottom) {
  keys.PortName("OutputName", output.name);
  keys.AlwaysText(bottom, output.bottom);
  keys.Text("OutputType", output.type);
  keys.Integer("OutputInterleave", output.interleave);
  keys.Table(kOutputStrides, output.strides);
  keys.Text("OperationName", output.operation);
}
constexpr auto kOutput = [](auto& keys, auto& output) { MapOutput(keys, output, "Bottom"); };
constexpr auto kListedOutput = [](auto& keys, auto& output) { MapOutput(keys, output, "Name"); };

constexpr auto kConstant = [](auto& keys, auto& constant) {
  keys.Name("ConstantName", constant.name);
  keys.Text("ConstantType", constant.type);
  keys.Table(kConstantExtents, constant.extents);
  keys.Integer("ConstantIndex", constant.index);
  keys.Integer("ConstantByteOffset", constant.byte_offset);
};

constexpr auto kUnit = [](auto& keys, auto& unit) {
  keys.Name("Name", unit.name);
  keys.UnitType("Type", unit.type);
  keys.Operands("Bottom", unit.bottoms);
  keys.Texts("InputType", unit.input_types);
  keys.Integer("OutputChannels", unit.output_channels);
  keys.Integer("NumGroups", unit.num_groups);
  keys.Text("OutputType", unit.output_type);
  keys.Dictionary("Params", unit.params);
};

constexpr auto kNetwork = [](auto& keys, auto& network) {
  keys.Named("Inputs", network.inputs, kInput);
  keys.Named("Constants", network.constants, kConstant);
  keys.Named("Units", network.units, kUnit);
  keys.Named("Outputs", network.outputs, kOutput);
  keys.Texts("Weights", network.weight_files);
  keys.UnlistedOutputs(network.outputs);
};

constexpr auto kOperation = [](auto& keys, auto& operation) {
  keys.AlwaysText("NetworkName", operation.network);
  keys.AlwaysText("OperationName", operation.name);
};

constexpr auto kProcedure = [](auto& keys, auto& procedure) {
  keys.AlwaysText("Name", procedure.name);
  keys.List("InputList", procedure.inputs, kInput);
  keys.List("OperationList", procedure.operations, kOperation);
  keys.List("OutputList", procedure.outputs, kListedOutput);
};

// Takes keys out of a dictionary one by one. Stops at the first error, which is in `status`.
class KeyReader {
 public:
  KeyReader(const Value& value, Status& status) : value_(value), status_(status) {
    if (const Dict* dict = value.AsDict()) entries_ = dict->entries;
    left_.resize(entries_.size(), true);
    by_key_.resize(entries_.size());
    std::iota(by_key_.begin(), by_key_.end(), size_t{0});
    std::ranges::sort(by_key_, {}, [&](size_t place) { return KeyAt(place); });
  }

  void Text(std::string_view key, std::string& out) {
    const Value* value = Take(key);
    if (value == nullptr) return;
    if (value->AsString() == nullptr) return Fail(key, "takes a string", value->offset);
    out = *value->AsString();
  }
  void AlwaysText(std::string_view key, std::string& out) { Text(key, out); }
  void Text(std::string_view key, std::optional<std::string>& out) {
    if (Find(key)) Text(key, out.emplace());
  }
  void UnitType(std::string_view key, std::string& out) {
    Text(key, out);
    if (out.empty()) Fail(key, "of a unit is missing", value_.offset);
  }

  // Reads the name of a port or unit. In a network the key of its dictionary is the name. A
  // different Name in the dictionary stays among the other keys.
  void Name(std::string_view key, std::string& name) {
    const std::string by_key = name;
    Text(key, name);
    if (by_key.empty() || name == by_key) return;
    name = by_key;
    left_[*Find(key)] = true;
  }
  void PortName(std::string_view key, std::string& name) { Name(key, name); }

  void Integer(std::string_view key, std::optional<int64_t>& out) {
    const Value* value = Take(key);
    if (value == nullptr) return;
    if (value->AsInteger() == nullptr) return Fail(key, "takes an integer", value->offset);
    out = *value->AsInteger();
  }
  template <typename Record, size_t N>
  void Table(const KeyTable<Record, N>& keys, Record& out) {
    for (const auto& [key, field] : keys.fields) Integer(key, out.*field);
  }

  // Reads a string or an array of strings.
  void Texts(std::string_view key, std::vector<std::string>& out) {
    const Value* value = Take(key);
    if (value == nullptr) return;
    if (const std::string* text = value->AsString()) return out.push_back(*text);
    const Array* array = value->AsArray();
    if (array == nullptr) return Fail(key, "takes names", value->offset);
    for (const Value& item : *array) {
      if (item.AsString() == nullptr) return Fail(key, "takes names", item.offset);
      out.push_back(*item.AsString());
    }
  }
  void Operands(std::string_view key, std::vector<std::string>& out) { Texts(key, out); }

  void Dictionary(std::string_view key, std::optional<Dict>& out) {
    const Value* value = Take(key);
    if (value == nullptr) return;
    if (value->AsDict() == nullptr) return Fail(key, "takes a dictionary", value->offset);
    out = *value->AsDict();
  }

  template <typename Record, typename Map>
  void List(std::string_view key, std::vector<Record>& out, Map map) {
    const Value* list = Take(key);
    if (list == nullptr) return;
    if (list->AsArray() == nullptr) return Fail(key, "takes an array", list->offset);
    for (const Value& item : *list->AsArray()) {
      if (item.AsDict() == nullptr) return Fail(key, "takes dictionaries", item.offset);
      Read(item, {}, out, map);
    }
  }

  // Reads dictionaries whose names are in a list of the same dictionary.
  template <typename Record, typename Map>
  void Named(std::string_view list, std::vector<Record>& out, Map map) {
    std::vector<std::string> names;
    Texts(list, names);
    for (const std::string& name : names) {
      const Value* value = Take(name);
      if (value == nullptr || value->AsDict() == nullptr) {
        return Fail(list, "names " + Quoted(name) + ", which has no dictionary", value_.offset);
      }
      Read(*value, name, out, map);
    }
  }

  // Reads the outputs of version 1.0.10, which does not list them. There an output port is a
  // dictionary with a Bottom and without a Type.
  void UnlistedOutputs(std::vector<Output>& out) {
    for (size_t place = 0; place < entries_.size(); ++place) {
      const Dict* dict = left_[place] ? entries_[place].value.AsDict() : nullptr;
      if (dict == nullptr || dict->Find("Bottom") == nullptr || dict->Find("Type") != nullptr) {
        continue;
      }
      left_[place] = false;
      Read(entries_[place].value, entries_[place].key, out, kOutput);
    }
  }

  std::vector<Entry> Rest() const {
    std::vector<Entry> rest;
    rest.reserve(static_cast<size_t>(std::ranges::count(left_, true)));
    for (size_t place = 0; place < entries_.size(); ++place) {
      if (left_[place]) rest.push_back(entries_[place]);
    }
    return rest;
  }

  void Fail(std::string_view key, std::string_view what, uint64_t offset) {
    if (!status_.ok()) return;
    status_ =
        MakeError(ErrorCode::kMalformed,
                  fmt::format("network description: {} {} at {:#x}", key, what, offset), offset);
  }

 private:
  std::string_view KeyAt(size_t place) const { return entries_[place].key; }

  std::optional<size_t> Find(std::string_view key) const {
    const auto it =
        std::ranges::lower_bound(by_key_, key, {}, [&](size_t place) { return KeyAt(place); });
    if (it == by_key_.end() || KeyAt(*it) != key) return std::nullopt;
    return *it;
  }

  const Value* Take(std::string_view key) {
    const std::optional<size_t> place = Find(key);
    if (!place || !left_[*place] || !status_.ok()) return nullptr;
    left_[*place] = false;
    return &entries_[*place].value;
  }

  template <typename Record, typename Map>
  void Read(const Value& value, const std::string& name, std::vector<Record>& out, Map map) {
    if (!status_.ok()) return;
    Record& record = out.emplace_back();
    record.name = name;
    KeyReader keys(value, status_);
    map(keys, record);
    if constexpr (requires { record.extra; }) record.extra = keys.Rest();
  }

  const Value& value_;
  Status& status_;
  std::span<const Entry> entries_;
  std::vector<size_t> by_key_;  // indices of the entries, sorted by key for a fast search
  std::vector<bool> left_;      // by index of the entry
};

bool IsKnownByItsKeys(const Output& output) {
  return !output.bottom.empty() &&
         std::ranges::find(output.extra, "Type", &Entry::key) == output.extra.end();
}

class KeyWriter {
 public:
  explicit KeyWriter(KeyStyle style) : style_(style) {}

  void AlwaysText(std::string_view key, const std::string& text) { Set(key, Value::String(text)); }
  void Text(std::string_view key, const std::string& text) {
    if (!text.empty()) AlwaysText(key, text);
  }
  void Text(std::string_view key, const std::optional<std::string>& text) {
    if (text) AlwaysText(key, *text);
  }
  void UnitType(std::string_view key, const std::string& type) { AlwaysText(key, type); }
  void Name(std::string_view key, const std::string& name) { AlwaysText(key, name); }
  void PortName(std::string_view key, const std::string& name) {
    if (style_ == KeyStyle::kProcedures) AlwaysText(key, name);
  }

  void Integer(std::string_view key, const std::optional<int64_t>& integer) {
    if (integer) Set(key, Value::Integer(*integer));
  }
  template <typename Record, size_t N>
  void Table(const KeyTable<Record, N>& keys, const Record& record) {
    for (const auto& [key, field] : keys.fields) Integer(key, record.*field);
  }

  void Texts(std::string_view key, const std::vector<std::string>& texts) {
    if (!texts.empty()) Set(key, Value::Strings(texts));
  }
  // A single operand is a string in real files of 1.0.9, and a list in public files of 1.0.10.
  void Operands(std::string_view key, const std::vector<std::string>& names) {
    if (names.size() == 1 && style_ == KeyStyle::kPorts) return AlwaysText(key, names[0]);
    Set(key, Value::Strings(names));
  }

  void Dictionary(std::string_view key, const std::optional<Dict>& dict) {
    if (dict) Set(key, Sorted(*dict));
  }

  template <typename Record, typename Map>
  void List(std::string_view key, const std::vector<Record>& records, Map map) {
    Array items;
    for (const Record& record : records) items.push_back(Written(record, map));
    Set(key, Value(std::move(items)));
  }

  template <typename Record, typename Map>
  void Named(std::string_view list, const std::vector<Record>& records, Map map) {
    Array names;
    for (const Record& record : records) {
      names.push_back(Value::String(record.name));
      Set(record.name, Written(record, map));
    }
    if (IsListed(records)) lists_.push_back({std::string(list), Value(std::move(names))});
  }
  void UnlistedOutputs(const std::vector<Output>& /*outputs*/) {}

  // Adds the keys without a field. Sorts keys by their bytes, as Apple's tools do.
  Value Finish(const std::vector<Entry>& extra) && {
    for (const Entry& list : lists_) Set(list.key, list.value);
    for (const Entry& entry : extra) Set(entry.key, entry.value);
    Dict dict;
    dict.entries.reserve(values_.size());
    for (auto& [key, value] : values_) dict.entries.push_back({key, std::move(value)});
    return Value(std::move(dict));
  }

 private:
  void Set(std::string_view key, Value value) {
    values_.insert_or_assign(std::string(key), std::move(value));
  }

  static Value Sorted(Dict dict) {
    std::ranges::sort(dict.entries, {}, &Entry::key);
    return Value(std::move(dict));
  }

  template <typename Record, typename Map>
  Value Written(const Record& record, Map map) const {
    KeyWriter keys(style_);
    map(keys, record);
    if constexpr (requires { record.extra; }) return std::move(keys).Finish(record.extra);
    return std::move(keys).Finish({});
  }

  template <typename Record>
  static bool IsListed(const std::vector<Record>& /*records*/) {
    return true;
  }
  static bool IsListed(const std::vector<Constant>& constants) { return !constants.empty(); }
  bool IsListed(const std::vector<Input>& inputs) const {
    return style_ == KeyStyle::kPorts || !inputs.empty();
  }
  // Returns whether the writer must list the outputs. Files of version 1.0.10 do not list them, so
  // the reader takes each dictionary with a Bottom and without a Type as an output, in the order of
  // keys. The writer lists the outputs if the reader would miss one or find them in another order.
  bool IsListed(const std::vector<Output>& outputs) const {
    return style_ == KeyStyle::kPorts || !std::ranges::all_of(outputs, IsKnownByItsKeys) ||
           !std::ranges::is_sorted(outputs, {}, &Output::name);
  }

  KeyStyle style_;
  std::map<std::string, Value> values_;
  std::vector<Entry> lists_;  // the lists of names
};

template <typename Keys, typename Record>
void MapDescription(Keys& keys, Record& description) {
  keys.AlwaysText("Version", description.version);
  keys.Named("Networks", description.networks, kNetwork);
  if (description.key_style == KeyStyle::kProcedures) {
    keys.List("ProcedureList", description.procedures, kProcedure);
  }
}

}  // namespace

Result<Description> FromTree(const Value& root) {
  Status status;
  KeyReader keys(root, status);
  Description description;
  description.version.clear();
  const auto refuse = [&](std::string_view key, std::string_view what) {
    keys.Fail(key, what, root.offset);
    return status.error();
  };
  if (root.AsDict() == nullptr) return refuse("the root", "is no dictionary");
  if (root.AsDict()->Find("Networks") == nullptr) return refuse("Networks", "is missing");
  if (root.AsDict()->Find("ProcedureList") != nullptr) {
    description.key_style = KeyStyle::kProcedures;
  }
  MapDescription(keys, description);
  if (!status.ok()) return status.error();
  description.extra = keys.Rest();
  return description;
}

Value ToTree(const Description& description) {
  KeyWriter keys(description.key_style);
  MapDescription(keys, description);
  return std::move(keys).Finish(description.extra);
}

Result<Description> Parse(ByteSpan bytes) {
  ANECHECK_ASSIGN(const plist::Document document, plist::Parse(bytes));
  return FromTree(document.root);
}

Bytes Write(const Description& description, plist::Encoding encoding) {
  plist::Document document;
  document.root = ToTree(description);
  document.encoding = encoding;
  Result<std::vector<uint8_t>> bytes = plist::Write(document);
  return bytes.ok() ? std::move(bytes).value() : Bytes{};
}

const Unit* Network::FindUnit(std::string_view unit_name) const {
  const auto it = std::ranges::find(units, unit_name, &Unit::name);
  return it == units.end() ? nullptr : &*it;
}

}  // namespace anecheck::netlist
