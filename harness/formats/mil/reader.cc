#include "harness/formats/mil/reader.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "harness/base/counted.h"
#include "harness/formats/message.h"
#include "harness/formats/mil/number.h"
#include "harness/formats/mil/printer.h"

namespace anecheck::mil {
namespace {

Error Wrong(ValueView value, std::string_view what) {
  const bool composite = value.children().begin() != value.children().end();
  const std::string shown = composite ? "a composite value" : Shown(value.text());
  return MakeError(
      ErrorCode::kInvalid,
      fmt::format("expected {}, found {} (offset 0x{:x})", what, shown, value.offset()),
      value.offset());
}

// Calls `element` for each leaf under nested lists, in order, until it returns false. Returns the
// leaf for which it returned false, or nothing. In the table, the node of a list comes before the
// nodes of its members.
template <typename Element>
std::optional<ValueView> FirstRefused(ValueView value, const Element& element) {
  const uint32_t end = value.next();
  for (uint32_t at = value.index(); at != end;) {
    const ValueView leaf(value.program(), at);
    if (leaf.kind() == ValueKind::kList) {
      ++at;
      continue;
    }
    if (!element(leaf)) return leaf;
    at = leaf.next();
  }
  return std::nullopt;
}

// Returns whether a value is of a kind that an element of a tensor can have.
bool IsPlainLeaf(ValueView value) {
  return value.kind() == ValueKind::kNumber || value.kind() == ValueKind::kBool ||
         value.kind() == ValueKind::kString;
}

// Calls `element` for each leaf of a tensor's literal, in order, and refuses the first leaf for
// which it returns false. The literal must have one level of lists for each axis, or one flat list
// of all elements.
template <typename Element>
class TensorLiteral {
 public:
  TensorLiteral(TypeView type, std::string_view wanted, const Element& element)
      : type_(type), wanted_(wanted), element_(element) {}

  Status Visit(ValueView value) const {
    const TableSlice<Dimension> axes = type_.dimensions();
    return IsFlatList(axes, value) ? VisitFlat(value) : VisitNested(axes, value);
  }

 private:
  Status VisitFlat(ValueView value) const {
    uint64_t count = 0;
    for (const ValueView child : value.children()) {
      ++count;
      if (child.kind() == ValueKind::kList || !element_(child)) return Wrong(child, wanted_);
    }
    const auto expected = ElementCount(type_);
    if (!expected || count == *expected) return {};
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{} takes {}, the flat list has {} (offset 0x{:x})", Name(),
                                 Counted(*expected, "value"), count, value.offset()),
                     value.offset());
  }

  Status VisitNested(TableSlice<Dimension> axes, ValueView value) const {
    const bool list = value.kind() == ValueKind::kList;
    if (list == axes.empty() && (list || IsPlainLeaf(value))) {
      return Wrong(value, fmt::format("one level of lists for each axis of {}", Name()));
    }
    if (!list) return element_(value) ? Status() : Wrong(value, wanted_);
    const TableSlice<Dimension> inner = axes.Rest();
    int64_t count = 0;
    for (const ValueView child : value.children()) {
      ++count;
      // A fast path without a Status, because almost all children are elements.
      if (inner.empty() && child.kind() != ValueKind::kList && element_(child)) continue;
      ANECHECK_RETURN_IF_ERROR(VisitNested(inner, child));
    }
    if (axes[0].value < 0 || count == axes[0].value) return {};
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("an axis of {} takes {}, the literal has {} (offset 0x{:x})",
                                 Name(), Counted(axes[0].value, "value"), count, value.offset()),
                     value.offset());
  }

  std::string Name() const { return PrintType(type_); }
  TypeView type_;
  std::string_view wanted_;
  const Element& element_;
};

// Returns whether the value is written without a type, as a plain value or a list.
bool IsBare(ValueView value) { return value.kind() == ValueKind::kList || IsPlainLeaf(value); }

// Calls `element` for a value that has no type, or for each member if it is a list.
template <typename Element>
Status ForEachBare(ValueView value, std::string_view wanted, const Element& element) {
  if (value.kind() != ValueKind::kList) return element(value) ? Status() : Wrong(value, wanted);
  for (const ValueView child : value.children()) {
    if (!element(child)) return Wrong(child, wanted);
  }
  return {};
}

// Calls `element` for each leaf of a literal, in order. Refuses the first leaf that is not an
// element or has the wrong depth. `wanted` names the kind of element in the error.
template <typename Element>
Status ForEachElement(ValueView literal, std::string_view wanted, const Element& element) {
  if (literal.kind() != ValueKind::kTyped) return ForEachBare(literal, wanted, element);
  const TypeView type = literal.type();
  const ValueView inner = literal.Inner();
  if (type.kind() == TypeKind::kTensor) {
    return TensorLiteral(type, wanted, element).Visit(inner);
  }
  const auto wrong = FirstRefused(inner, element);
  return wrong ? Status(Wrong(*wrong, wanted)) : Status();
}

Status RequireTyped(ValueView literal, std::string_view what) {
  if (literal.kind() != ValueKind::kTyped) return Wrong(literal, what);
  return {};
}

// Accepts only a number that fp16, and so every float type, represents exactly. The value of such a
// number does not depend on the type.
Result<double> ReadBareFloat(ValueView number) {
  const auto value = ToDouble(number.text());
  const auto half = ToHalf(number.text());
  if (value && half && HalfToDouble(*half) == *value) return *value;
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("{} differs between fp16 and fp32: write it with its type, as "
                               "fp16({}) (offset 0x{:x})",
                               Shown(number.text()), Shown(number.text()), number.offset()),
                   number.offset());
}

bool IsIntegerClass(DataClass c) { return c == DataClass::kSigned || c == DataClass::kUnsigned; }

// Collects elements of `bytes` bytes each, in little endian. Allocates for `expected` elements and
// grows if there are more.
class ElementBytes {
 public:
  ElementBytes(size_t bytes, uint64_t expected) : bytes_(bytes), out_(bytes * expected) {}

  void Append(uint64_t word) {
    if (used_ + bytes_ > out_.size()) out_.resize(2 * (used_ + bytes_));
    for (size_t i = 0; i < bytes_; ++i) out_[used_ + i] = static_cast<uint8_t>(word >> (8 * i));
    used_ += bytes_;
  }
  std::vector<uint8_t> Take() && {
    out_.resize(used_);
    return std::move(out_);
  }

 private:
  size_t bytes_;
  size_t used_ = 0;
  std::vector<uint8_t> out_;
};

bool FitsInteger(int64_t value, DataType type) {
  const int bits = DataTypeBits(type);
  if (DataTypeClass(type) == DataClass::kUnsigned) {
    return value >= 0 && (bits >= 63 || value < int64_t{1} << bits);
  }
  return bits == 64 || (value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1));
}

// Returns the element's bits, or nothing if the leaf is not a value of the type.
std::optional<uint64_t> ElementBits(ValueView leaf, DataType type) {
  if (type == DataType::kFp16 && leaf.kind() == ValueKind::kNumber) {
    const auto value = ToHalf(leaf.text());
    return value ? std::optional<uint64_t>(value->bits) : std::nullopt;
  }
  const DataClass data_class = DataTypeClass(type);
  if (data_class == DataClass::kBool) {
    if (leaf.kind() != ValueKind::kBool) return std::nullopt;
    return leaf.text() == "true" ? 1 : 0;
  }
  if (leaf.kind() != ValueKind::kNumber) return std::nullopt;
  if (type == DataType::kUint64) return ToUnsigned(leaf.text());
  if (IsIntegerClass(data_class)) {
    const auto value = ToInteger(leaf.text());
    if (!value || !FitsInteger(*value, type)) return std::nullopt;
    return static_cast<uint64_t>(*value);
  }
  if (type == DataType::kFp32) {
    const auto value = ToFloat(leaf.text());
    return value ? std::optional<uint64_t>(std::bit_cast<uint32_t>(*value)) : std::nullopt;
  }
  if (type == DataType::kFp64) {
    const auto value = ToDouble(leaf.text());
    return value ? std::optional<uint64_t>(std::bit_cast<uint64_t>(*value)) : std::nullopt;
  }
  // For bf16 and fp8, accepts only the bit pattern in hex, as the text writer writes it.
  const auto word = ToUnsigned(leaf.text());
  const bool raw = leaf.text().starts_with("0x") && word && *word >> DataTypeBits(type) == 0;
  return raw ? word : std::nullopt;
}

}  // namespace

bool IsFlatList(TableSlice<Dimension> axes, ValueView value) {
  if (axes.size() < 2 || value.kind() != ValueKind::kList) return false;
  const auto children = value.children();
  return children.begin() != children.end() && (*children.begin()).kind() != ValueKind::kList;
}

std::optional<ValueView> FindValue(Sequence<ArgumentView> arguments, std::string_view name) {
  for (const ArgumentView argument : arguments) {
    if (argument.name() == name) return argument.value();
  }
  return std::nullopt;
}

std::optional<ValueView> ConstantValue(StatementView statement) {
  if (statement.op() != "const") return std::nullopt;
  if (const auto value = FindValue(statement.attributes(), "val")) return value;
  if (const auto value = FindValue(statement.arguments(), "val")) return value;
  return FindValue(statement.arguments(), "");
}

std::optional<ValueView> FollowConstant(ValueView value) {
  // The loop ends, because a chain of constants that name constants is at most as long as the
  // program.
  while (value.kind() == ValueKind::kName) {
    if (!value.IsResolved() || value.binding().IsParameter()) return std::nullopt;
    const auto constant =
        ConstantValue(StatementView(value.program(), value.binding().statement()));
    if (!constant) return std::nullopt;
    value = *constant;
  }
  return value;
}

std::vector<ValueView> TupleOrOne(ValueView value) {
  if (value.kind() != ValueKind::kTuple) return {value};
  std::vector<ValueView> values;
  for (const ValueView child : value.children()) values.push_back(child);
  return values;
}

Result<std::vector<int64_t>> ReadIntegers(ValueView literal) {
  const bool typed = literal.kind() == ValueKind::kTyped;
  if (!typed && !IsBare(literal)) return Wrong(literal, "an integer literal");
  const DataType type = typed ? literal.type().data_type() : DataType::kInt32;
  if (!IsIntegerClass(DataTypeClass(type))) return Wrong(literal, "a literal of an integer type");
  std::vector<int64_t> values;
  ANECHECK_RETURN_IF_ERROR(ForEachElement(
      literal, fmt::format("a value of {}", DataTypeName(type)), [&](ValueView leaf) {
        const auto value =
            leaf.kind() == ValueKind::kNumber ? ToInteger(leaf.text()) : std::nullopt;
        if (!value || !FitsInteger(*value, type)) return false;
        values.push_back(*value);
        return true;
      }));
  return values;
}

Result<int64_t> ReadInteger(ValueView literal) {
  ANECHECK_ASSIGN(const std::vector<int64_t> values, ReadIntegers(literal));
  if (values.size() != 1) return Wrong(literal, "one integer");
  return values[0];
}

Result<std::vector<bool>> ReadBools(ValueView literal) {
  if (literal.kind() != ValueKind::kTyped && !IsBare(literal)) {
    return Wrong(literal, "a bool literal");
  }
  std::vector<bool> values;
  ANECHECK_RETURN_IF_ERROR(ForEachElement(literal, "true or false", [&](ValueView leaf) {
    if (leaf.kind() != ValueKind::kBool) return false;
    values.push_back(leaf.text() == "true");
    return true;
  }));
  return values;
}

Result<bool> ReadBool(ValueView literal) {
  ANECHECK_ASSIGN(const std::vector<bool> values, ReadBools(literal));
  if (values.size() != 1) return Wrong(literal, "one bool");
  return static_cast<bool>(values[0]);
}

Result<std::string> ReadString(ValueView literal) {
  const ValueView inner = literal.Inner();
  if (inner.kind() != ValueKind::kString) return Wrong(inner, "a string");
  return UnescapeString(inner.text());
}

Result<double> ReadFloat(ValueView literal) {
  if (literal.kind() == ValueKind::kNumber) return ReadBareFloat(literal);
  ANECHECK_RETURN_IF_ERROR(RequireTyped(literal, "a float literal"));
  const DataType type = literal.type().data_type();
  ANECHECK_ASSIGN(const std::vector<uint8_t> bytes, ReadElements(literal));
  uint64_t word = 0;
  for (size_t i = 0; i < bytes.size() && i < 8; ++i)
    word |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  if (type == DataType::kFp16 && bytes.size() == 2) {
    return HalfToDouble(Half{static_cast<uint16_t>(word)});
  }
  if (type == DataType::kFp32 && bytes.size() == 4) {
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(word)));
  }
  if (type == DataType::kFp64 && bytes.size() == 8) return std::bit_cast<double>(word);
  return Wrong(literal, "one number of fp16, fp32 or fp64");
}

namespace {

// Returns the bytes of all elements. `visit` takes a function and calls it for each element.
template <typename Visit>
Result<std::vector<uint8_t>> Elements(ValueView value, DataType type, uint64_t expected,
                                      const Visit& visit) {
  const auto bytes = static_cast<size_t>((DataTypeBits(type) + 7) / 8);
  if (bytes == 0) return Wrong(value, "a literal of a number type or bool");
  // Allocates for at most as many elements as the text can have, because the type may claim more.
  ElementBytes out(bytes, std::min<uint64_t>(expected, value.program()->text.size() / 2));
  ANECHECK_RETURN_IF_ERROR(
      visit(fmt::format("a value of {}", DataTypeName(type)), [&](ValueView leaf) {
        const auto word = ElementBits(leaf, type);
        if (word) out.Append(*word);
        return word.has_value();
      }));
  return std::move(out).Take();
}

}  // namespace

Result<std::vector<uint8_t>> ReadElements(ValueView literal) {
  ANECHECK_RETURN_IF_ERROR(RequireTyped(literal, "a literal"));
  return Elements(literal, literal.type().data_type(), ElementCount(literal.type()).value_or(0),
                  [&](std::string_view wanted, const auto& element) {
                    return ForEachElement(literal, wanted, element);
                  });
}

Result<std::vector<uint8_t>> ReadElementsAs(ValueView value, DataType type) {
  return Elements(value, type, 0, [&](std::string_view wanted, const auto& element) {
    const auto wrong = FirstRefused(value.Inner(), element);
    return wrong ? Status(Wrong(*wrong, wanted)) : Status();
  });
}

bool IsElementOf(ValueView leaf, DataType type) {
  if (type == DataType::kString) return leaf.kind() == ValueKind::kString;
  const bool any_number =
      type == DataType::kBf16 || type == DataType::kFp8E4M3Fn || type == DataType::kFp8E5M2;
  if (any_number) return leaf.kind() == ValueKind::kNumber;
  if (DataTypeBits(type) == 0) return false;
  return ElementBits(leaf, type).has_value();
}

Result<std::optional<BlobReference>> ReadBlobReference(ValueView literal) {
  const ValueView inner = literal.Inner();
  if (inner.kind() != ValueKind::kBlobFile) return std::optional<BlobReference>();
  BlobReference reference;
  ANECHECK_ASSIGN(reference.path, ReadString(inner.path()));
  const ValueView offset = inner.blob_offset().Inner();
  const auto value = offset.kind() == ValueKind::kNumber ? ToUnsigned(offset.text()) : std::nullopt;
  if (!value) return Wrong(offset, "an offset of uint64");
  reference.offset = *value;
  return std::optional(reference);
}

std::optional<uint64_t> ElementCount(TypeView type) {
  if (type.kind() != TypeKind::kTensor) return 1;
  uint64_t count = 1;
  for (const Dimension& dimension : type.dimensions()) {
    if (dimension.value < 0) return std::nullopt;
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(dimension.value), &count) ||
        count > uint64_t{1} << 62) {
      return std::nullopt;
    }
  }
  return count;
}

}  // namespace anecheck::mil
