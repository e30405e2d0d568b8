#include "harness/graph/types.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace anecheck {
namespace {

constexpr std::array<std::string_view, kDTypeCount> kNames = {
    "fp16", "fp32",  "int8",      "uint8",   "int16", "uint16", "int32", "bool",
    "int4", "uint4", "fp8e4m3fn", "fp8e5m2", "uint1", "uint2",  "uint3", "uint6"};

}  // namespace

std::string_view DTypeName(DType dtype) { return kNames[static_cast<size_t>(dtype)]; }

std::optional<DType> DTypeFromName(std::string_view name) {
  const auto* found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<DType>(found - kNames.begin());
}

std::string DTypeSet::ToString() const {
  std::string text;
  for (size_t i = 0; i < kDTypeCount; ++i) {
    if (!Contains(static_cast<DType>(i))) continue;
    if (!text.empty()) text += ", ";
    text += kNames[i];
  }
  return text;
}

std::string Shape::ToString() const { return fmt::format("[{}]", fmt::join(dims(), ", ")); }

std::string TensorType::ToString() const {
  return fmt::format("tensor<{}, {}>", DTypeName(dtype), shape.ToString());
}

std::optional<Shape> BroadcastShapes(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  Shape result = Shape::Filled(rank, 1);
  for (int i = 1; i <= rank; ++i) {
    const int64_t from_a = i <= a.rank() ? a[a.rank() - i] : 1;
    const int64_t from_b = i <= b.rank() ? b[b.rank() - i] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) return std::nullopt;
    result[rank - i] = from_a == 1 ? from_b : from_a;
  }
  return result;
}

}  // namespace anecheck
