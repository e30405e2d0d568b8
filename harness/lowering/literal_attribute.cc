#include "harness/lowering/literal_attribute.h"

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/formats/mil/reader.h"
#include "harness/lowering/decoded_elements.h"
#include "harness/lowering/mil_types.h"

namespace anecheck {
namespace {

Status AddFloats(mil::ValueView literal, const OpSchema& schema, int parameter, Graph& graph) {
  if (schema.parameters[static_cast<size_t>(parameter)].kind == ParameterKind::kFloat) {
    auto number = mil::ReadFloat(literal);
    if (!number.ok()) {
      // MIL allows an integer instead of a float for some attributes (pad's constant_val).
      const auto integer = mil::ReadInteger(literal);
      if (!integer.ok()) return number.error();
      number = static_cast<double>(*integer);
    }
    graph.AddFloat(parameter, *number);
    return {};
  }
  if (literal.kind() != mil::ValueKind::kTyped) {
    return PlacedError(
        ErrorCode::kInvalid, literal.offset(),
        fmt::format("{}.{} has no type: write it as tensor<fp32, [N]>([...])", schema.name,
                    schema.parameters[static_cast<size_t>(parameter)].name));
  }
  ANECHECK_ASSIGN(const TensorType type, ReadMilType(literal.type(), literal.offset()));
  ANECHECK_ASSIGN(const std::vector<uint8_t> bytes, mil::ReadElements(literal));
  if (!IsDecoded(type.dtype) || type.dtype == DType::kBool) {
    return PlacedError(
        ErrorCode::kInvalid, literal.offset(),
        fmt::format("{}.{} must be numbers, the literal is {}", schema.name,
                    schema.parameters[static_cast<size_t>(parameter)].name, type.ToString()));
  }
  graph.AddFloats(parameter, ElementNumbers(type.dtype, bytes));
  return {};
}

}  // namespace

Status AddLiteralAttribute(mil::ValueView literal, const OpSchema& schema, int parameter,
                           Graph& graph) {
  switch (schema.parameters[static_cast<size_t>(parameter)].kind) {
    case ParameterKind::kInt: {
      ANECHECK_ASSIGN(const int64_t value, mil::ReadInteger(literal));
      graph.AddInt(parameter, value);
      return {};
    }
    case ParameterKind::kInts: {
      ANECHECK_ASSIGN(const std::vector<int64_t> values, mil::ReadIntegers(literal));
      graph.AddInts(parameter, values);
      return {};
    }
    case ParameterKind::kBool: {
      ANECHECK_ASSIGN(const bool value, mil::ReadBool(literal));
      graph.AddBool(parameter, value);
      return {};
    }
    case ParameterKind::kBools: {
      ANECHECK_ASSIGN(const std::vector<bool> values, mil::ReadBools(literal));
      graph.AddBools(parameter, std::vector<int64_t>(values.begin(), values.end()));
      return {};
    }
    case ParameterKind::kString: {
      ANECHECK_ASSIGN(const std::string value, mil::ReadString(literal));
      graph.AddString(parameter, value);
      return {};
    }
    case ParameterKind::kFloat:
    case ParameterKind::kFloats:
      return AddFloats(literal, schema, parameter, graph);
    case ParameterKind::kTensor:
    case ParameterKind::kTensorList:
      break;
  }
  return {};
}

std::string ComputedAttribute(std::string_view op, std::string_view attribute) {
  return fmt::format(
      "{}.{} is computed; only constants are read: convert the model again with fixed input "
      "shapes, "
      "which turns computed shapes into constants, or write the value as a constant in the MIL "
      "text",
      op, attribute);
}

Status AddTupleAttribute(mil::ValueView tuple, const OpSchema& schema, int parameter,
                         Graph& graph) {
  const Parameter& wanted = schema.parameters[static_cast<size_t>(parameter)];
  std::vector<int64_t> values;
  for (const mil::ValueView entry : mil::TupleOrOne(tuple)) {
    const auto literal = mil::FollowConstant(entry);
    if (!literal) {
      return PlacedError(ErrorCode::kUnsupported, entry.offset(),
                         ComputedAttribute(schema.name, wanted.name));
    }
    if (wanted.kind == ParameterKind::kBools) {
      ANECHECK_ASSIGN(const bool value, mil::ReadBool(*literal));
      values.push_back(value ? 1 : 0);
    } else {
      ANECHECK_ASSIGN(const int64_t value, mil::ReadInteger(*literal));
      values.push_back(value);
    }
  }
  if (wanted.kind == ParameterKind::kBools) {
    graph.AddBools(parameter, values);
  } else if (wanted.kind == ParameterKind::kInts) {
    graph.AddInts(parameter, values);
  } else {
    return PlacedError(ErrorCode::kInvalid, tuple.offset(),
                       fmt::format("{}.{} must be {}, not a tuple", schema.name, wanted.name,
                                   ParameterKindName(wanted.kind)));
  }
  return {};
}

}  // namespace anecheck
