// From the plain values of model.h to the property list.
#include <algorithm>

#include "harness/formats/netlist/model.h"
#include "harness/formats/netlist/port_keys.h"

namespace anecheck::netlist {

namespace {

using tree::Array;
using tree::Dict;
using tree::Entry;
using tree::Value;

void Put(Dict& dict, std::string_view key, const std::optional<std::string>& text) {
  if (text) dict.Set(key, Value::String(*text));
}
void Put(Dict& dict, std::string_view key, const std::string& text) {
  if (!text.empty()) dict.Set(key, Value::String(text));
}
void Put(Dict& dict, std::string_view key, const std::optional<int64_t>& integer) {
  if (integer) dict.Set(key, Value::Integer(*integer));
}
template <typename Record, size_t N>
void Put(Dict& dict, const KeyTable<Record, N>& keys, const Record& record) {
  for (const auto& [key, field] : keys.fields) Put(dict, key, record.*field);
}

// Adds the keys that no field holds and sorts by byte, as Apple's tools write.
Value Finish(Dict dict, const std::vector<Entry>& extra) {
  for (const Entry& entry : extra) dict.Set(entry.key, entry.value);
  std::ranges::sort(dict.entries, {}, &Entry::key);
  return Value(std::move(dict));
}

Value FromInput(const Input& input, KeyStyle style) {
  Dict dict;
  Put(dict, kInputExtents, input.extents);
  Put(dict, kInputStrides, input.strides);
  Put(dict, "InputType", input.type);
  if (style == KeyStyle::kProcedures) dict.Set("InputName", Value::String(input.name));
  Put(dict, "Name", input.unit);
  Put(dict, "OperationName", input.operation);
  return Finish(std::move(dict), input.extra);
}

Value FromOutput(const Output& output, bool in_list, KeyStyle style) {
  Dict dict;
  dict.Set(in_list ? "Name" : "Bottom", Value::String(output.bottom));
  Put(dict, kOutputStrides, output.strides);
  Put(dict, "OutputInterleave", output.interleave);
  if (style == KeyStyle::kProcedures) dict.Set("OutputName", Value::String(output.name));
  Put(dict, "OutputType", output.type);
  Put(dict, "OperationName", output.operation);
  return Finish(std::move(dict), output.extra);
}

Value FromConstant(const Constant& constant) {
  Dict dict;
  Put(dict, kConstantExtents, constant.extents);
  Put(dict, "ConstantByteOffset", constant.byte_offset);
  Put(dict, "ConstantIndex", constant.index);
  dict.Set("ConstantName", Value::String(constant.name));
  Put(dict, "ConstantType", constant.type);
  return Finish(std::move(dict), constant.extra);
}

Value FromUnit(const Unit& unit, KeyStyle style) {
  Dict dict;
  // Real files of version 1.0.9 write a single operand as a string, public ones of 1.0.10 as a
  // list.
  if (unit.bottoms.size() == 1 && style == KeyStyle::kPorts) {
    dict.Set("Bottom", Value::String(unit.bottoms[0]));
  } else {
    dict.Set("Bottom", Value::Strings(unit.bottoms));
  }
  if (!unit.input_types.empty()) dict.Set("InputType", Value::Strings(unit.input_types));
  dict.Set("Name", Value::String(unit.name));
  Put(dict, "NumGroups", unit.num_groups);
  Put(dict, "OutputChannels", unit.output_channels);
  Put(dict, "OutputType", unit.output_type);
  if (unit.params) {
    Dict params = *unit.params;
    std::ranges::sort(params.entries, {}, &Entry::key);
    dict.Set("Params", Value(std::move(params)));
  }
  dict.Set("Type", Value::String(unit.type));
  return Finish(std::move(dict), unit.extra);
}

template <typename Record>
Value NamesOf(const std::vector<Record>& records) {
  Array names;
  for (const Record& record : records) names.push_back(Value::String(record.name));
  return Value(std::move(names));
}

bool IsKnownByItsKeys(const Output& output) {
  return !output.bottom.empty() &&
         std::ranges::find(output.extra, "Type", &Entry::key) == output.extra.end();
}

// Files of version 1.0.10 list no outputs: the reader takes them in the order of their keys and
// knows them by a Bottom and no Type. The changes that it would take otherwise are listed all the
// same.
bool ListsOutputs(const Network& network, KeyStyle style) {
  return style == KeyStyle::kPorts || !std::ranges::all_of(network.outputs, IsKnownByItsKeys) ||
         !std::ranges::is_sorted(network.outputs, {}, &Output::name);
}

Value FromNetwork(const Network& network, KeyStyle style) {
  Dict dict;
  for (const Input& input : network.inputs) dict.Set(input.name, FromInput(input, style));
  for (const Constant& constant : network.constants) {
    dict.Set(constant.name, FromConstant(constant));
  }
  for (const Unit& unit : network.units) dict.Set(unit.name, FromUnit(unit, style));
  for (const Output& output : network.outputs) {
    dict.Set(output.name, FromOutput(output, false, style));
  }
  if (style == KeyStyle::kPorts || !network.inputs.empty()) {
    dict.Set("Inputs", NamesOf(network.inputs));
  }
  if (ListsOutputs(network, style)) dict.Set("Outputs", NamesOf(network.outputs));
  if (!network.constants.empty()) dict.Set("Constants", NamesOf(network.constants));
  dict.Set("Units", NamesOf(network.units));
  if (!network.weight_files.empty()) dict.Set("Weights", Value::Strings(network.weight_files));
  return Finish(std::move(dict), network.extra);
}

Value FromProcedure(const Procedure& procedure) {
  Dict dict;
  Array inputs;
  for (const Input& input : procedure.inputs) {
    inputs.push_back(FromInput(input, KeyStyle::kProcedures));
  }
  dict.Set("InputList", Value(std::move(inputs)));
  dict.Set("Name", Value::String(procedure.name));
  Array operations;
  for (const Operation& operation : procedure.operations) {
    Dict item;
    item.Set("NetworkName", Value::String(operation.network));
    item.Set("OperationName", Value::String(operation.name));
    operations.emplace_back(std::move(item));
  }
  dict.Set("OperationList", Value(std::move(operations)));
  Array outputs;
  for (const Output& output : procedure.outputs) {
    outputs.push_back(FromOutput(output, true, KeyStyle::kProcedures));
  }
  dict.Set("OutputList", Value(std::move(outputs)));
  return Finish(std::move(dict), procedure.extra);
}

}  // namespace

Value ToTree(const Description& description) {
  Dict dict;
  dict.Set("Networks", NamesOf(description.networks));
  dict.Set("Version", Value::String(description.version));
  if (description.key_style == KeyStyle::kProcedures) {
    Array procedures;
    for (const Procedure& procedure : description.procedures) {
      procedures.push_back(FromProcedure(procedure));
    }
    dict.Set("ProcedureList", Value(std::move(procedures)));
  }
  for (const Network& network : description.networks) {
    dict.Set(network.name, FromNetwork(network, description.key_style));
  }
  return Finish(std::move(dict), description.extra);
}

Bytes Write(const Description& description, plist::Encoding encoding) {
  plist::Document document;
  document.root = ToTree(description);
  document.encoding = encoding;
  Result<std::vector<uint8_t>> bytes = plist::Write(document);
  return bytes.ok() ? std::move(bytes).value() : Bytes{};
}

}  // namespace anecheck::netlist
