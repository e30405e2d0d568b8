#include <cmath>

#include "harness/base/base64.h"
#include "harness/base/json.h"
#include "harness/graph/json.h"

namespace anecheck {
namespace {

Json NumberToJson(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  return number;
}

Json DeclarationToJson(const Value& value) {
  Json json;
  json["name"] = value.name;
  json["dtype"] = DTypeName(value.type.dtype);
  json["shape"] = Json::array();
  for (const int64_t dim : value.type.shape.dims()) json["shape"].push_back(dim);
  return json;
}

Json AttributeToJson(const Graph& graph, const Attribute& attribute) {
  Json list = Json::array();
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

Json NodeToJson(const Graph& graph, const Node& node) {
  Json json;
  json["op"] = node.schema->name;
  json["name"] =
      node.result_count > 0 ? graph.value(node.first_result).name : std::string(node.schema->name);
  json["inputs"] = Json::object();
  for (const Argument& argument : graph.arguments(node)) {
    const std::string parameter(node.schema->parameters[argument.parameter].name);
    json["inputs"][parameter].push_back(graph.value(argument.value).name);
  }
  json["attrs"] = Json::object();
  for (const Attribute& attribute : graph.attributes(node)) {
    const std::string parameter(node.schema->parameters[attribute.parameter].name);
    json["attrs"][parameter] = AttributeToJson(graph, attribute);
  }
  json["outputs"] = Json::array();
  for (uint32_t i = 0; i < node.result_count; ++i) {
    json["outputs"].push_back(DeclarationToJson(graph.value(node.first_result + i)));
  }
  if (node.block_count > 0) {
    json["blocks"] = Json::array();
    for (const Graph& block : graph.blocks(node)) json["blocks"].push_back(GraphToJson(block));
  }
  return json;
}

}  // namespace

Json GraphToJson(const Graph& graph) {
  Json json;
  json["version"] = 1;
  json["name"] = graph.name;
  json["inputs"] = Json::array();
  Json states = Json::array();
  Json consts = Json::array();
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
  json["ops"] = Json::array();
  for (const Node& node : graph.nodes()) json["ops"].push_back(NodeToJson(graph, node));
  json["outputs"] = Json::array();
  for (const ValueId output : graph.outputs()) json["outputs"].push_back(graph.value(output).name);
  return json;
}

}  // namespace anecheck
