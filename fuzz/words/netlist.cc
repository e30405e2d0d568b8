#include <span>
#include <string>
#include <utility>

#include "fuzz/words/words.h"
#include "harness/formats/netlist/layers.h"
#include "harness/formats/netlist/port_keys.h"
#include "harness/formats/plist/plist.h"

namespace anecheck::fuzz {
namespace {

void AddParams(std::span<const netlist::ParamSpec> params, WordTable& keys, WordTable& names) {
  for (const netlist::ParamSpec& param : params) {
    keys.Text(param.key);
    for (const std::string_view name : param.names) names.Text(name);
    for (const std::string_view name : param.spelled) names.Text(name);
    AddParams(param.members, keys, names);
  }
}

template <typename Keys>
void AddKeys(const Keys& table, WordTable& keys) {
  for (const auto& field : table.fields) keys.Text(field.first);
}

// The tags that the writer uses for a property list with an element of each kind.
WordTable XmlTags() {
  tree::Dict dict;
  dict.Set("bool", tree::Value::Bool(true));
  dict.Set("other", tree::Value::Bool(false));
  dict.Set("integer", tree::Value::Integer(1));
  dict.Set("real", tree::Value::Real(0.5));
  dict.Set("string", tree::Value::String("s"));
  dict.Set("data", tree::Value(tree::Data{Bytes(1, 0)}));
  dict.Set("date", tree::Value(tree::Date{}));
  dict.Set("uid", tree::Value(tree::Uid{1}));
  dict.Set("array", tree::Value(tree::Array{tree::Value::Integer(1)}));
  dict.Set("empty", tree::Value(tree::Array{}));
  const std::string text = plist::WriteXml(tree::Value(std::move(dict)), plist::XmlLayout{});
  WordTable tags = {"xml_tags"};
  for (size_t open = text.find('<'); open != std::string::npos; open = text.find('<', open + 1)) {
    tags.Text(text.substr(open, text.find('>', open) + 1 - open));
  }
  return tags;
}

}  // namespace

WordTables words::netlist() {
  WordTable types = {"layer_types"};
  WordTable params = {"params"};
  WordTable names = {"param_names"};
  for (const netlist::LayerSpec& layer : netlist::Layers()) {
    types.Text(layer.type);
    AddParams(layer.params, params, names);
  }
  WordTable ports = {"port_keys"};
  AddKeys(netlist::kInputExtents, ports);
  AddKeys(netlist::kConstantExtents, ports);
  AddKeys(netlist::kInputStrides, ports);
  AddKeys(netlist::kOutputStrides, ports);
  return {types, params, names, ports, XmlTags()};
}

}  // namespace anecheck::fuzz
