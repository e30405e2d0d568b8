#include "harness/lowering/stored_attribute.h"

#include <bit>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "harness/base/half.h"

namespace anecheck {
namespace {

bool IsReal(DType dtype) { return dtype == DType::kFp16 || dtype == DType::kFp32; }

// The elements as words, signed ones extended.
std::vector<int64_t> Words(DType dtype, std::span<const uint8_t> bytes) {
  const auto size = static_cast<size_t>(DTypeBits(dtype) / 8);
  const bool has_sign = dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32;
  std::vector<int64_t> words;
  for (size_t at = 0; at + size <= bytes.size(); at += size) {
    uint64_t word = 0;
    for (size_t i = 0; i < size; ++i) word |= uint64_t{bytes[at + i]} << (8 * i);
    const auto unused = static_cast<int>(64 - 8 * size);
    words.push_back(has_sign ? static_cast<int64_t>(word << unused) >> unused
                             : static_cast<int64_t>(word));
  }
  return words;
}

std::vector<double> Numbers(DType dtype, std::span<const int64_t> words) {
  std::vector<double> numbers;
  for (const int64_t word : words) {
    if (dtype == DType::kFp16) {
      numbers.push_back(HalfToDouble(Half{static_cast<uint16_t>(word)}));
    } else if (dtype == DType::kFp32) {
      numbers.push_back(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(word))));
    } else {
      numbers.push_back(static_cast<double>(word));
    }
  }
  return numbers;
}

bool WantsOne(ParameterKind kind) {
  return kind == ParameterKind::kInt || kind == ParameterKind::kFloat ||
         kind == ParameterKind::kBool;
}

bool Serves(DType dtype, ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kInt:
    case ParameterKind::kInts:
      return !IsReal(dtype) && dtype != DType::kBool;
    case ParameterKind::kFloat:
    case ParameterKind::kFloats:
      return dtype != DType::kBool;
    case ParameterKind::kBool:
    case ParameterKind::kBools:
      return dtype == DType::kBool;
    default:
      return false;
  }
}

}  // namespace

Status AddStoredAttribute(const TensorType& type, std::span<const uint8_t> bytes,
                          const OpSchema& schema, int parameter, Graph& graph) {
  const Parameter& wanted = schema.parameters[static_cast<size_t>(parameter)];
  const std::string name = fmt::format("{}.{}", schema.name, wanted.name);
  if (DTypeBits(type.dtype) < 8 || (IsFloat(type.dtype) && !IsReal(type.dtype))) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{} is not read from a weight file as {}", name, type.ToString()));
  }
  if (!Serves(type.dtype, wanted.kind) || (WantsOne(wanted.kind) && type.shape.Elements() != 1)) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{} must be {}, its constant is {}", name,
                                 ParameterKindName(wanted.kind), type.ToString()));
  }
  const std::vector<int64_t> words = Words(type.dtype, bytes);
  switch (wanted.kind) {
    case ParameterKind::kInt:
      graph.AddInt(parameter, words.front());
      break;
    case ParameterKind::kInts:
      graph.AddInts(parameter, words);
      break;
    case ParameterKind::kBool:
      graph.AddBool(parameter, words.front() != 0);
      break;
    case ParameterKind::kBools:
      graph.AddBools(parameter, words);
      break;
    case ParameterKind::kFloat:
      graph.AddFloat(parameter, Numbers(type.dtype, words).front());
      break;
    default:
      graph.AddFloats(parameter, Numbers(type.dtype, words));
      break;
  }
  return {};
}

}  // namespace anecheck
