#include "harness/formats/mil/data_type.h"

#include <array>

namespace anecheck::mil {
namespace {

struct Row {
  std::string_view name;
  DataClass data_class;
  int bits;
};

// In the order of DataType.
constexpr std::array<Row, kDataTypeCount> kRows = {{
    {"?", DataClass::kOther, 0},          {"fp16", DataClass::kFloat, 16},
    {"fp32", DataClass::kFloat, 32},      {"fp64", DataClass::kFloat, 64},
    {"bf16", DataClass::kFloat, 16},      {"fp8e4m3fn", DataClass::kFloat, 8},
    {"fp8e5m2", DataClass::kFloat, 8},    {"int4", DataClass::kSigned, 4},
    {"int8", DataClass::kSigned, 8},      {"int16", DataClass::kSigned, 16},
    {"int32", DataClass::kSigned, 32},    {"int64", DataClass::kSigned, 64},
    {"uint1", DataClass::kUnsigned, 1},   {"uint2", DataClass::kUnsigned, 2},
    {"uint3", DataClass::kUnsigned, 3},   {"uint4", DataClass::kUnsigned, 4},
    {"uint6", DataClass::kUnsigned, 6},   {"uint8", DataClass::kUnsigned, 8},
    {"uint16", DataClass::kUnsigned, 16}, {"uint32", DataClass::kUnsigned, 32},
    {"uint64", DataClass::kUnsigned, 64}, {"bool", DataClass::kBool, 8},
    {"string", DataClass::kString, 0},
}};

const Row& RowOf(DataType type) {
  const auto index = static_cast<size_t>(type);
  return kRows[index < kRows.size() ? index : 0];
}

}  // namespace

std::string_view DataTypeName(DataType type) { return RowOf(type).name; }

DataType DataTypeFromName(std::string_view name) {
  // Tests the most common names of real files first, because the parser calls this for every type.
  if (name == "string") return DataType::kString;
  if (name == "fp16") return DataType::kFp16;
  if (name == "int32") return DataType::kInt32;
  for (size_t i = 1; i < kRows.size(); ++i) {
    if (kRows[i].name == name) return static_cast<DataType>(i);
  }
  return DataType::kOther;
}

DataClass DataTypeClass(DataType type) { return RowOf(type).data_class; }

int DataTypeBits(DataType type) { return RowOf(type).bits; }

}  // namespace anecheck::mil
