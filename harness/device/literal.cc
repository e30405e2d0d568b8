#include "harness/device/literal.h"

#include <fmt/format.h>
#include <limits>

#include "harness/device/half_block.h"
#include "harness/formats/mil/number.h"
#include "harness/formats/mil/reader.h"

namespace anecheck::device {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 31;

template <typename T>
void AppendValue(std::vector<uint8_t>& data, T value) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
  data.insert(data.end(), bytes, bytes + sizeof(T));
}

Error BadLiteral(mil::ValueView value) {
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("'{}' is no literal of the required type", value.text()),
                   value.offset());
}

Status AppendNumber(mil::ValueView value, Element element, std::vector<uint8_t>& data) {
  if (element == Element::kFp16) {
    const auto half = mil::ToHalf(value.text());
    if (!half) return BadLiteral(value);
    AppendValue(data, half->bits);
    return {};
  }
  if (element == Element::kFp32) {
    const auto number = mil::ToFloat(value.text());
    if (!number) return BadLiteral(value);
    AppendValue(data, *number);
    return {};
  }
  const auto number = mil::ToInteger(value.text());
  if (!number || *number < std::numeric_limits<int32_t>::min() ||
      *number > std::numeric_limits<int32_t>::max()) {
    return BadLiteral(value);
  }
  AppendValue(data, static_cast<int32_t>(*number));
  return {};
}

// Reads the untyped literals of the public primer: 1, 0x1p-1, true, "text", [1, 2].
Result<Constant> ReadUntyped(mil::ValueView value, Element hint) {
  Constant constant;
  switch (value.kind()) {
    case mil::ValueKind::kString:
      constant.type.element = Element::kString;
      constant.text = mil::UnescapeString(value.text());
      return constant;
    case mil::ValueKind::kBool:
      constant.type.element = Element::kBool;
      constant.data.push_back(value.text() == "true" ? 1 : 0);
      return constant;
    case mil::ValueKind::kNumber:
      constant.type.element = hint;
      ANECHECK_RETURN_IF_ERROR(AppendNumber(value, hint, constant.data));
      return constant;
    case mil::ValueKind::kList:
      break;
    default:
      return BadLiteral(value);
  }
  constant.type.element = hint;
  int64_t count = 0;
  for (const mil::ValueView entry : value.children()) {
    if (entry.kind() != mil::ValueKind::kNumber) return BadLiteral(entry);
    ANECHECK_RETURN_IF_ERROR(AppendNumber(entry, hint, constant.data));
    ++count;
  }
  constant.type.shape = {count};
  return constant;
}

// Unpacks elements of `bits` bits, lowest bit first, to one byte each.
std::vector<uint8_t> Unpack(const std::vector<uint8_t>& packed, int64_t elements, int bits) {
  std::vector<uint8_t> bytes(static_cast<size_t>(elements));
  for (int64_t i = 0; i < elements * bits; ++i) {
    const int bit = packed[static_cast<size_t>(i / 8)] >> (i % 8) & 1;
    bytes[static_cast<size_t>(i / bits)] |= static_cast<uint8_t>(bit << (i % bits));
  }
  return bytes;
}

}  // namespace

Result<TensorType> ReadTensorType(mil::TypeView type, int64_t unknown) {
  TensorType result;
  result.element = type.data_type();
  if (type.kind() == mil::TypeKind::kScalar) return result;
  if (type.kind() != mil::TypeKind::kTensor) {
    return MakeError(ErrorCode::kUnsupported, "only tensors and scalars are accepted here");
  }
  int64_t elements = 1;
  for (const mil::Dimension& dimension : type.dimensions()) {
    if (result.shape.rank() == Shape::kMaxRank) {
      return MakeError(
          ErrorCode::kUnsupported,
          fmt::format("tensor rank {} exceeds the ANE maximum of 5", type.dimensions().size()));
    }
    const int64_t extent = dimension.value == mil::Dimension::kUnknown ? unknown : dimension.value;
    if (extent == mil::Dimension::kUnknown) {
      return MakeError(ErrorCode::kUnsupported, "symbolic dimensions have no range");
    }
    if (extent > kMaxElements || (extent > 0 && elements > kMaxElements / extent)) {
      return MakeError(ErrorCode::kLimit, "tensor has too many elements");
    }
    elements *= extent > 0 ? extent : 1;
    result.shape.Append(extent);
  }
  return result;
}

Result<Constant> ReadConstant(mil::ValueView literal, Element hint, BlobFiles& blobs) {
  if (literal.kind() != mil::ValueKind::kTyped) return ReadUntyped(literal, hint);
  Constant constant;
  ANECHECK_ASSIGN(constant.type, ReadTensorType(literal.type()));
  if (constant.type.element == Element::kString) {
    ANECHECK_ASSIGN(constant.text, mil::ReadString(literal));
    return constant;
  }
  if (ElementSize(constant.type.element) == 0 && mil::DataTypeBits(constant.type.element) == 0) {
    return MakeError(ErrorCode::kUnsupported, "the constant's element type is not known",
                     literal.offset());
  }
  ANECHECK_ASSIGN(const auto blob, mil::ReadBlobReference(literal));
  if (blob) {
    const int64_t bits = constant.type.shape.Elements() * mil::DataTypeBits(constant.type.element);
    ANECHECK_ASSIGN(constant.data,
                    blobs.Read(blob->path, blob->offset, static_cast<uint64_t>((bits + 7) / 8)));
    const int width = mil::DataTypeBits(constant.type.element);
    if (width < 8) {
      constant.data = Unpack(constant.data, constant.type.shape.Elements(), width);
    }
    return constant;
  }
  ANECHECK_ASSIGN(constant.data, mil::ReadElements(literal));
  const auto width = static_cast<size_t>((mil::DataTypeBits(constant.type.element) + 7) / 8);
  const auto elements = static_cast<size_t>(constant.type.shape.Elements());
  if (constant.data.size() != elements * width) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("the type has {} elements, but the literal has {}", elements,
                                 constant.data.size() / width),
                     literal.offset());
  }
  return constant;
}

}  // namespace anecheck::device
