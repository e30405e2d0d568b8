// Element-type sets that the schemas share.
#pragma once

#include "harness/graph/types.h"

namespace anecheck {

inline constexpr DTypeSet kFloats = {DType::kFp16, DType::kFp32};
inline constexpr DTypeSet kNumbers = {DType::kFp16,  DType::kFp32,  DType::kInt32, DType::kInt8,
                                      DType::kUint8, DType::kInt16, DType::kUint16};
inline constexpr DTypeSet kAnything = {DType::kFp16,  DType::kFp32,  DType::kInt32,  DType::kInt8,
                                       DType::kUint8, DType::kInt16, DType::kUint16, DType::kBool};
// The types of indices, lengths and positions (MIL from iOS 17 on).
inline constexpr DTypeSet kIntegers = {DType::kInt32, DType::kInt16, DType::kUint16, DType::kInt8,
                                       DType::kUint8};
inline constexpr DTypeSet kBoolOnly = {DType::kBool};

}  // namespace anecheck
