#include <cmath>
#include <nlohmann/json.hpp>

#include "harness/base/base64.h"
#include "harness/graph/json.h"

namespace anecheck {
namespace {

using nlohmann::ordered_json;

ordered_json NumberToJson(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return number;
}

ordered_json DeclarationToJson(const Value& value) {
  ordered_json json;
  json["name"] = value.name;
  json["dtype"] = DTypeName(value.type.dtype);
  json["shape"] = ordered_json::array();
  for (const int64_t dim : value.type.shape.dims()) json["shape"].push_back(dim);
  return json;
}

ordered_json AttributeToJson(const Graph& graph, const Attribute& attribute) {
  ordered_json list = ordered_json::array();
  switch (attribute.kind) {
    case AttributeKind::kInt:
      return attribute.integer;
    case AttributeKind::kFloat:
      return NumberToJson(attribute.number);
    case AttributeKind::kBool:
      return attribute.integer != 0;
    case AttributeKind::kString:
      return graph.string(attribute);
    case AttributeKind::kInts:
      for (const int64_t value : graph.ints(attribute)) list.push_back(value);
      return list;
    case AttributeKind::kFloats:
      for (const double value : graph.floats(attribute)) list.push_back(NumberToJson(value));
      return list;
    case AttributeKind::kBools:
      for (const int64_t value : graph.ints(attribute)) list.push_back(value != 0);
      return list;
  }
  return list;
}

ordered_json NodeToJson(const Graph& graph, const Node& node) {
  ordered_json json;
  json["op"] = node.schema->name;
  json["name"] =
      node.result_count > 0 ? graph.value(node.first_result).name : std::string(node.schema->name);
  json["inputs"] = ordered_json::object();
  for (const Argument& argument : graph.arguments(node)) {
    const std::string parameter(node.schema->parameters[argument.parameter].name);
    json["inputs"][parameter].push_back(graph.value(argument.value).name);
  }
  json["attrs"] = ordered_json::object();
  for (const Attribute& attribute : graph.attributes(node)) {
    const std::string parameter(node.schema->parameters[attribute.parameter].name);
    json["attrs"][parameter] = AttributeToJson(graph, attribute);
  }
  json["outputs"] = ordered_json::array();
  for (uint32_t i = 0; i < node.result_count; ++i) {
    json["outputs"].push_back(DeclarationToJson(graph.value(node.first_result + i)));
  }
  if (node.block_count > 0) {
    json["blocks"] = ordered_json::array();
    for (const Graph& block : graph.blocks(node)) json["blocks"].push_back(GraphToJson(block));
  }
  return json;
}

}  // namespace

nlohmann::ordered_json GraphToJson(const Graph& graph) {
  ordered_json json;
  json["version"] = 1;
  json["name"] = graph.name;
  json["inputs"] = ordered_json::array();
  ordered_json states = ordered_json::array();
  ordered_json consts = ordered_json::array();
  for (ValueId id = 0; id < graph.values().size(); ++id) {
    const Value& value = graph.value(id);
    if (value.kind == ValueKind::kInput) json["inputs"].push_back(DeclarationToJson(value));
    if (value.kind == ValueKind::kState) states.push_back(DeclarationToJson(value));
    if (value.kind != ValueKind::kConst) continue;
    consts.push_back(DeclarationToJson(value));
    consts.back()["data"] = Base64Encode(graph.ConstData(id));
  }
  if (!states.empty()) json["states"] = std::move(states);
  json["consts"] = std::move(consts);
  json["ops"] = ordered_json::array();
  for (const Node& node : graph.nodes()) json["ops"].push_back(NodeToJson(graph, node));
  json["outputs"] = ordered_json::array();
  for (const ValueId output : graph.outputs()) json["outputs"].push_back(graph.value(output).name);
  return json;
}

}  // namespace anecheck
