// The element types of MIL text, with their widths. Used by the MIL parser, writer and rules. The
// weight side file uses them too, because its records have a number for each of these types.
#pragma once

#include <cstdint>
#include <string_view>

namespace anecheck::mil {

// The spelling follows MIL text. Sources: real files contain fp16, fp32, int8, uint8, int16, int32,
// uint32, uint64, bool and string (facts/more/mil_text_forms.csv, facts/mil.md). The public Core ML
// program schema (coremltools, MIL.proto) has the other types.
enum class DataType : uint8_t {
  kOther,  // any other name, or `?`
  kFp16,
  kFp32,
  kFp64,
  kBf16,
  kFp8E4M3Fn,
  kFp8E5M2,
  kInt4,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint1,
  kUint2,
  kUint3,
  kUint4,
  kUint6,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kBool,
  kString,
};
inline constexpr int kDataTypeCount = 23;

enum class DataClass : uint8_t { kOther, kFloat, kSigned, kUnsigned, kBool, kString };

// Returns the spelling of `type`, for example "fp16", or "?" for kOther.
std::string_view DataTypeName(DataType type);

// Returns the type with the spelling `name`, or kOther.
DataType DataTypeFromName(std::string_view name);

DataClass DataTypeClass(DataType type);

// Returns the bits of one element, or 0 for string and kOther. A bool has 8 bits.
int DataTypeBits(DataType type);

}  // namespace anecheck::mil
