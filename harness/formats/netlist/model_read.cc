// From the property list to the plain values of model.h.
#include <algorithm>
#include <fmt/format.h>

#include "harness/formats/message.h"
#include "harness/formats/netlist/model.h"
#include "harness/formats/netlist/port_keys.h"

namespace anecheck::netlist {

namespace {

using tree::Array;
using tree::Dict;
using tree::Entry;
using tree::Value;

Error Bad(std::string_view key, std::string_view what, uint64_t offset) {
  return MakeError(ErrorCode::kMalformed,
                   fmt::format("network description: {} {} at {:#x}", key, what, offset), offset);
}

// Takes keys out of a dictionary one by one; the remaining ones go to `extra`.
class KeyReader {
 public:
  explicit KeyReader(const Value& value) : value_(value) {
    if (const Dict* dict = value.AsDict()) {
      for (const Entry& entry : dict->entries) left_.push_back(&entry);
    }
  }

  const Value* Take(std::string_view key) {
    const auto it = std::ranges::find_if(left_, [&](const Entry* e) { return e->key == key; });
    if (it == left_.end()) return nullptr;
    const Value* value = &(*it)->value;
    left_.erase(it);
    return value;
  }

  Status Text(std::string_view key, std::string& out) {
    const Value* value = Take(key);
    if (value == nullptr) return {};
    if (value->AsString() == nullptr) return Bad(key, "takes a string", value->offset);
    out = *value->AsString();
    return {};
  }

  Status Text(std::string_view key, std::optional<std::string>& out) {
    std::string text;
    const bool present = value_.AsDict()->Find(key) != nullptr;
    ANECHECK_RETURN_IF_ERROR(Text(key, text));
    if (present) out = std::move(text);
    return {};
  }

  Status Integer(std::string_view key, std::optional<int64_t>& out) {
    const Value* value = Take(key);
    if (value == nullptr) return {};
    if (value->AsInteger() == nullptr) return Bad(key, "takes an integer", value->offset);
    out = *value->AsInteger();
    return {};
  }

  // A string or an array of strings.
  Status Texts(std::string_view key, std::vector<std::string>& out) {
    const Value* value = Take(key);
    if (value == nullptr) return {};
    if (const std::string* text = value->AsString()) {
      out.push_back(*text);
      return {};
    }
    const Array* array = value->AsArray();
    if (array == nullptr) return Bad(key, "takes names", value->offset);
    for (const Value& item : *array) {
      if (item.AsString() == nullptr) return Bad(key, "takes names", item.offset);
      out.push_back(*item.AsString());
    }
    return {};
  }

  Status Extents(const ExtentKeys& keys, netlist::Extents& out) {
    for (const auto& [key, field] : keys.fields) {
      ANECHECK_RETURN_IF_ERROR(Integer(key, out.*field));
    }
    return {};
  }

  Status Strides(const StrideKeys& keys, netlist::Strides& out) {
    for (const auto& [key, field] : keys.fields) {
      ANECHECK_RETURN_IF_ERROR(Integer(key, out.*field));
    }
    return {};
  }

  // The name of a port or a unit, which within a network is its key: another that its dictionary
  // spells stays among the rest.
  Status Name(std::string_view key, std::string& name) {
    const std::string by_key = name;
    const std::vector<const Entry*> before = left_;
    ANECHECK_RETURN_IF_ERROR(Text(key, name));
    if (by_key.empty() || name == by_key) return {};
    name = by_key;
    left_ = before;
    return {};
  }

  std::vector<Entry> Rest() const {
    std::vector<Entry> rest;
    for (const Entry* entry : left_) rest.push_back(*entry);
    return rest;
  }

 private:
  const Value& value_;
  std::vector<const Entry*> left_;
};

Result<Input> ReadInput(const Value& value, std::string name) {
  Input input;
  KeyReader keys(value);
  input.name = std::move(name);
  ANECHECK_RETURN_IF_ERROR(keys.Name("InputName", input.name));
  ANECHECK_RETURN_IF_ERROR(keys.Text("InputType", input.type));
  ANECHECK_RETURN_IF_ERROR(keys.Extents(kInputExtents, input.extents));
  ANECHECK_RETURN_IF_ERROR(keys.Strides(kInputStrides, input.strides));
  ANECHECK_RETURN_IF_ERROR(keys.Text("Name", input.unit));
  ANECHECK_RETURN_IF_ERROR(keys.Text("OperationName", input.operation));
  input.extra = keys.Rest();
  return input;
}

Result<Output> ReadOutput(const Value& value, std::string name, std::string_view bottom_key) {
  Output output;
  KeyReader keys(value);
  output.name = std::move(name);
  ANECHECK_RETURN_IF_ERROR(keys.Name("OutputName", output.name));
  ANECHECK_RETURN_IF_ERROR(keys.Text(bottom_key, output.bottom));
  ANECHECK_RETURN_IF_ERROR(keys.Text("OutputType", output.type));
  ANECHECK_RETURN_IF_ERROR(keys.Integer("OutputInterleave", output.interleave));
  ANECHECK_RETURN_IF_ERROR(keys.Strides(kOutputStrides, output.strides));
  ANECHECK_RETURN_IF_ERROR(keys.Text("OperationName", output.operation));
  output.extra = keys.Rest();
  return output;
}

Result<Constant> ReadConstant(const Value& value, std::string name) {
  Constant constant;
  KeyReader keys(value);
  constant.name = std::move(name);
  ANECHECK_RETURN_IF_ERROR(keys.Name("ConstantName", constant.name));
  ANECHECK_RETURN_IF_ERROR(keys.Text("ConstantType", constant.type));
  ANECHECK_RETURN_IF_ERROR(keys.Extents(kConstantExtents, constant.extents));
  ANECHECK_RETURN_IF_ERROR(keys.Integer("ConstantIndex", constant.index));
  ANECHECK_RETURN_IF_ERROR(keys.Integer("ConstantByteOffset", constant.byte_offset));
  constant.extra = keys.Rest();
  return constant;
}

Result<Unit> ReadUnit(const Value& value, std::string name) {
  Unit unit;
  KeyReader keys(value);
  unit.name = std::move(name);
  ANECHECK_RETURN_IF_ERROR(keys.Name("Name", unit.name));
  ANECHECK_RETURN_IF_ERROR(keys.Text("Type", unit.type));
  if (unit.type.empty()) return Bad("Type", "of a unit is missing", value.offset);
  ANECHECK_RETURN_IF_ERROR(keys.Texts("Bottom", unit.bottoms));
  ANECHECK_RETURN_IF_ERROR(keys.Texts("InputType", unit.input_types));
  ANECHECK_RETURN_IF_ERROR(keys.Integer("OutputChannels", unit.output_channels));
  ANECHECK_RETURN_IF_ERROR(keys.Integer("NumGroups", unit.num_groups));
  ANECHECK_RETURN_IF_ERROR(keys.Text("OutputType", unit.output_type));
  if (const Value* params = keys.Take("Params")) {
    if (params->AsDict() == nullptr) return Bad("Params", "takes a dictionary", params->offset);
    unit.params = *params->AsDict();
  }
  unit.extra = keys.Rest();
  return unit;
}

// The dictionary that `name` of the list `list` stands for.
Result<const Value*> TakeNamed(KeyReader& keys, std::string_view list, const std::string& name,
                               uint64_t offset) {
  const Value* value = keys.Take(name);
  if (value == nullptr || value->AsDict() == nullptr) {
    return Bad(list, "names " + Quoted(name) + ", which has no dictionary", offset);
  }
  return value;
}

Result<Network> ReadNetwork(const Value& value, const std::string& name) {
  Network network;
  network.name = name;
  KeyReader keys(value);
  std::vector<std::string> names;
  ANECHECK_RETURN_IF_ERROR(keys.Texts("Inputs", names));
  for (const std::string& input : names) {
    ANECHECK_ASSIGN(const Value* port, TakeNamed(keys, "Inputs", input, value.offset));
    ANECHECK_ASSIGN(Input read, ReadInput(*port, input));
    network.inputs.push_back(std::move(read));
  }
  names.clear();
  ANECHECK_RETURN_IF_ERROR(keys.Texts("Constants", names));
  for (const std::string& constant : names) {
    ANECHECK_ASSIGN(const Value* port, TakeNamed(keys, "Constants", constant, value.offset));
    ANECHECK_ASSIGN(Constant read, ReadConstant(*port, constant));
    network.constants.push_back(std::move(read));
  }
  names.clear();
  ANECHECK_RETURN_IF_ERROR(keys.Texts("Units", names));
  for (const std::string& unit : names) {
    ANECHECK_ASSIGN(const Value* body, TakeNamed(keys, "Units", unit, value.offset));
    ANECHECK_ASSIGN(Unit read, ReadUnit(*body, unit));
    network.units.push_back(std::move(read));
  }
  names.clear();
  ANECHECK_RETURN_IF_ERROR(keys.Texts("Outputs", names));
  for (const std::string& output : names) {
    ANECHECK_ASSIGN(const Value* port, TakeNamed(keys, "Outputs", output, value.offset));
    ANECHECK_ASSIGN(Output read, ReadOutput(*port, output, "Bottom"));
    network.outputs.push_back(std::move(read));
  }
  ANECHECK_RETURN_IF_ERROR(keys.Texts("Weights", network.weight_files));
  // Version 1.0.10 lists no Outputs: a port is a dictionary with a Bottom and no Type.
  for (Entry& entry : keys.Rest()) {
    const Dict* dict = entry.value.AsDict();
    if (dict != nullptr && dict->Find("Bottom") != nullptr && dict->Find("Type") == nullptr) {
      ANECHECK_ASSIGN(Output read, ReadOutput(entry.value, entry.key, "Bottom"));
      network.outputs.push_back(std::move(read));
    } else {
      network.extra.push_back(std::move(entry));
    }
  }
  return network;
}

Result<std::vector<const Value*>> Dictionaries(KeyReader& keys, std::string_view key) {
  std::vector<const Value*> values;
  const Value* list = keys.Take(key);
  if (list == nullptr) return values;
  if (list->AsArray() == nullptr) return Bad(key, "takes an array", list->offset);
  for (const Value& item : *list->AsArray()) {
    if (item.AsDict() == nullptr) return Bad(key, "takes dictionaries", item.offset);
    values.push_back(&item);
  }
  return values;
}

Result<Procedure> ReadProcedure(const Value& value) {
  Procedure procedure;
  KeyReader keys(value);
  ANECHECK_RETURN_IF_ERROR(keys.Text("Name", procedure.name));
  ANECHECK_ASSIGN(const auto inputs, Dictionaries(keys, "InputList"));
  for (const Value* input : inputs) {
    ANECHECK_ASSIGN(Input read, ReadInput(*input, ""));
    procedure.inputs.push_back(std::move(read));
  }
  ANECHECK_ASSIGN(const auto operations, Dictionaries(keys, "OperationList"));
  for (const Value* item : operations) {
    Operation operation;
    KeyReader operation_keys(*item);
    ANECHECK_RETURN_IF_ERROR(operation_keys.Text("NetworkName", operation.network));
    ANECHECK_RETURN_IF_ERROR(operation_keys.Text("OperationName", operation.name));
    procedure.operations.push_back(std::move(operation));
  }
  ANECHECK_ASSIGN(const auto outputs, Dictionaries(keys, "OutputList"));
  for (const Value* output : outputs) {
    ANECHECK_ASSIGN(Output read, ReadOutput(*output, "", "Name"));
    procedure.outputs.push_back(std::move(read));
  }
  procedure.extra = keys.Rest();
  return procedure;
}

}  // namespace

Result<Description> FromTree(const Value& root) {
  if (root.AsDict() == nullptr) return Bad("the root", "is no dictionary", root.offset);
  Description description;
  KeyReader keys(root);
  description.version.clear();
  ANECHECK_RETURN_IF_ERROR(keys.Text("Version", description.version));
  std::vector<std::string> names;
  if (root.AsDict()->Find("Networks") == nullptr) {
    return Bad("Networks", "is missing", root.offset);
  }
  ANECHECK_RETURN_IF_ERROR(keys.Texts("Networks", names));
  for (const std::string& name : names) {
    ANECHECK_ASSIGN(const Value* body, TakeNamed(keys, "Networks", name, root.offset));
    ANECHECK_ASSIGN(Network network, ReadNetwork(*body, name));
    description.networks.push_back(std::move(network));
  }
  if (root.AsDict()->Find("ProcedureList") != nullptr) {
    description.key_style = KeyStyle::kProcedures;
    ANECHECK_ASSIGN(const auto procedures, Dictionaries(keys, "ProcedureList"));
    for (const Value* item : procedures) {
      ANECHECK_ASSIGN(Procedure procedure, ReadProcedure(*item));
      description.procedures.push_back(std::move(procedure));
    }
  }
  description.extra = keys.Rest();
  return description;
}

Result<Description> Parse(ByteSpan bytes) {
  ANECHECK_ASSIGN(const plist::Document document, plist::Parse(bytes));
  return FromTree(document.root);
}

const Unit* Network::FindUnit(std::string_view unit_name) const {
  const auto it = std::ranges::find(units, unit_name, &Unit::name);
  return it == units.end() ? nullptr : &*it;
}

}  // namespace anecheck::netlist
