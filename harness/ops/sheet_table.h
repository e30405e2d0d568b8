// The rows of ops.def. Used by the operation files and by sheet.cc only.
#pragma once

#include "harness/ops/sheet.h"

namespace anecheck {
namespace sheets {

using enum OpClass;
using enum AxisRule;

// Family indices, as the compiler counts them.
inline constexpr uint8_t kA13 = 2;
inline constexpr uint8_t kA14 = 3;
inline constexpr uint8_t kA15 = 4;

consteval FamilyReach Everywhere(Reach reach) { return {reach, reach, reach, reach}; }
inline constexpr FamilyReach kNativeReach = Everywhere(Reach::kNative);
inline constexpr FamilyReach kBridgeReach = Everywhere(Reach::kBridge);
inline constexpr FamilyReach kNoReach = Everywhere(Reach::kNoPath);

// The reach kNative from `family` on, and `before` on lower families.
consteval FamilyReach From(uint8_t family, Reach before) {
  FamilyReach row = kNativeReach;
  for (uint8_t i = kA13; i < family; ++i) row[i - kA13] = before;
  return row;
}

inline constexpr OpSheet kWithSchema[] = {
#define ANECHECK_OP(mil_name, Name, mil_class, ...) \
  {.name = #mil_name, .op_class = mil_class, __VA_ARGS__},
#include "harness/ops/ops.def"
};

#define ANECHECK_OP(mil_name, Name, mil_class, ...)                                           \
  static_assert(!OpSheet{.name = #mil_name, .op_class = mil_class, __VA_ARGS__}.axes.empty(), \
                #mil_name " says nothing of its axes: see AxisRule in sheet.h");
#include "harness/ops/ops.def"

inline constexpr OpSheet kNamesOnly[] = {
#define ANECHECK_OP_NAME(mil_name, mil_class, row, why) \
  {.name = #mil_name, .op_class = mil_class, .reach = row, .no_reference_reason = why},
#include "harness/ops/ops.def"
};

}  // namespace sheets
}  // namespace anecheck
