// The element types that MIL text names, with their widths. Used by the MIL parser, writer and
// rules, and by the weight side file, whose records number the same types.
#pragma once

#include <cstdint>
#include <string_view>

namespace anecheck::mil {

// Names as MIL text spells them. Source: real files name fp16, fp32, int8, uint8, int16, int32,
// uint32, uint64, bool and string (facts/more/mil_text_forms.csv, facts/mil.md); the others are
// from the public Core ML program schema (coremltools, MIL.proto).
enum class DataType : uint8_t {
  kOther,  // a name that is none of these, or `?`
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

// The spelling of `type`, for example "fp16"; "?" for kOther.
std::string_view DataTypeName(DataType type);

// The type of that spelling, or kOther.
DataType DataTypeFromName(std::string_view name);

DataClass DataTypeClass(DataType type);

// Bits of one element; 0 where the type has no width (string, kOther). A bool is one byte.
int DataTypeBits(DataType type);

}  // namespace anecheck::mil
