#include "harness/formats/mlmodel/tensor_text.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <iterator>
#include <span>

#include "harness/base/half.h"
#include "harness/formats/mil/number.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mlmodel/schema.h"
#include "harness/formats/mlmodel/wire.h"

namespace anecheck::mlmodel {
namespace {

using mil::DataType;

// The elements of a tensor: the bits of each element, or the strings.
struct Elements {
  std::vector<uint64_t> words;
  std::vector<std::string_view> strings;

  size_t size() const { return words.size() + strings.size(); }
};

Error WrongField(DataType type) {
  return MakeError(ErrorCode::kInvalid, fmt::format("a tensor of {} holds elements of another kind",
                                                    mil::DataTypeName(type)));
}

// Unpacks elements of `bits` bits each, least significant bits first.
void Unpack(std::string_view bytes, int bits, uint64_t count, std::vector<uint64_t>& words) {
  words.reserve(count);
  const auto width = static_cast<uint64_t>(bits);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t word = 0;
    for (uint64_t bit = i * width; bit < (i + 1) * width;) {
      const uint64_t take = std::min<uint64_t>(8 - bit % 8, (i + 1) * width - bit);
      const uint64_t part = static_cast<uint8_t>(bytes[bit / 8]) >> (bit % 8);
      word |= (part & ((uint64_t{1} << take) - 1)) << (bit - i * width);
      bit += take;
    }
    words.push_back(word);
  }
}

// Reads the elements in `bytes`. If `wanted` is their number, ignores padding bits at the end.
Status ReadBytes(std::string_view bytes, DataType type, std::optional<uint64_t> wanted,
                 Elements& elements) {
  const int bits = mil::DataTypeBits(type);
  const uint64_t held = bytes.size() * 8 / static_cast<uint64_t>(bits);
  const bool padded =
      wanted && *wanted <= held && bytes.size() == (*wanted * static_cast<uint64_t>(bits) + 7) / 8;
  Unpack(bytes, bits, padded ? *wanted : held, elements.words);
  return {};
}

// Appends words of fixed width from a packed field or from a field with one element.
template <typename Word>
Status AppendWords(std::string_view bytes, std::vector<uint64_t>& words) {
  if (bytes.size() % sizeof(Word) != 0) {
    return MakeError(ErrorCode::kMalformed, "a packed list has a part of an element");
  }
  words.reserve(words.size() + bytes.size() / sizeof(Word));
  for (size_t at = 0; at < bytes.size(); at += sizeof(Word)) {
    Word word = 0;
    for (size_t i = 0; i < sizeof(Word); ++i) {
      word |= static_cast<Word>(static_cast<Word>(static_cast<uint8_t>(bytes[at + i])) << (8 * i));
    }
    words.push_back(word);
  }
  return {};
}

Status AppendVarints(const WireField& field, std::vector<uint64_t>& words) {
  if (field.type == protozero::pbf_wire_type::varint) {
    words.push_back(field.varint);
    return {};
  }
  const char* at = field.bytes.data();
  const char* const end = at + field.bytes.size();
  while (at != end) words.push_back(protozero::decode_varint(&at, end));
  return {};
}

// Returns whether a field of TensorValue may have this type. Integers may be varints or bytes.
bool Accepts(uint32_t list, DataType type) {
  if (list == static_cast<uint32_t>(ValueFieldOf(type))) return true;
  const mil::DataClass kind = mil::DataTypeClass(type);
  const bool integer = kind == mil::DataClass::kSigned || kind == mil::DataClass::kUnsigned;
  return integer && (list == field::kInts || list == field::kBytes);
}

Result<Elements> Read(std::string_view value, DataType type, std::optional<uint64_t> wanted) {
  Elements elements;
  ANECHECK_RETURN_IF_ERROR(ForEachField(value, [&](const WireField& list) -> Status {
    if (list.type != protozero::pbf_wire_type::length_delimited) return {};
    if (list.number > field::kBytes) return {};
    return ForEachField(list.bytes, [&](const WireField& field) -> Status {
      if (field.number != field::kValues) return {};
      if (!Accepts(list.number, type)) return WrongField(type);
      switch (list.number) {
        case field::kFloats:
          return AppendWords<uint32_t>(field.bytes, elements.words);
        case field::kDoubles:
          return AppendWords<uint64_t>(field.bytes, elements.words);
        case field::kInts:
        case field::kLongInts:
        case field::kBools:
          return AppendVarints(field, elements.words);
        case field::kStrings:
          elements.strings.push_back(field.bytes);
          return {};
        default:
          return ReadBytes(field.bytes, type, wanted, elements);
      }
    });
  }));
  return elements;
}

// Appends an integer whose bits are the low bits of `word`. Its type determines their number.
Status AppendInteger(uint64_t word, DataType type, std::string& out) {
  const int bits = mil::DataTypeBits(type);
  const int unused = 64 - bits;
  if (mil::DataTypeClass(type) == mil::DataClass::kSigned) {
    mil::AppendInteger(out, static_cast<int64_t>(word << unused) >> unused);
  } else {
    mil::AppendUnsigned(out, word << unused >> unused);
  }
  return {};
}

Status AppendElement(const Elements& elements, size_t index, DataType type, std::string& out) {
  if (type == DataType::kString) {
    out += '"';
    mil::AppendEscaped(out, elements.strings[index]);
    out += '"';
    return {};
  }
  const uint64_t word = elements.words[index];
  switch (type) {
    case DataType::kBool:
      out += word != 0 ? "true" : "false";
      return {};
    case DataType::kFp16:
      mil::AppendHalf(out, Half{static_cast<uint16_t>(word)});
      return {};
    case DataType::kFp32:
      mil::AppendFloat(out, std::bit_cast<float>(static_cast<uint32_t>(word)));
      return {};
    case DataType::kFp64:
      mil::AppendDouble(out, std::bit_cast<double>(word));
      return {};
    case DataType::kBf16:
    case DataType::kFp8E4M3Fn:
    case DataType::kFp8E5M2:
      fmt::format_to(std::back_inserter(out), "{:#x}", word);
      return {};
    default:
      return AppendInteger(word, type, out);
  }
}

class Nesting {
 public:
  Nesting(const Elements& elements, DataType type, uint64_t limit, std::string& out)
      : elements_(elements), type_(type), limit_(limit), out_(out) {}

  Status Append(std::span<const uint64_t> extents) {
    if (out_.size() > limit_) {
      return MakeError(ErrorCode::kLimit,
                       fmt::format("the text would have more than {} bytes", limit_));
    }
    if (extents.empty()) return AppendElement(elements_, next_++, type_, out_);
    out_ += '[';
    for (uint64_t i = 0; i < extents[0]; ++i) {
      if (i != 0) out_ += ", ";
      ANECHECK_RETURN_IF_ERROR(Append(extents.subspan(1)));
    }
    out_ += ']';
    return {};
  }

 private:
  const Elements& elements_;
  DataType type_;
  uint64_t limit_;
  std::string& out_;
  size_t next_ = 0;
};

// Returns the product of the known extents, or nothing if it does not fit in 64 bits.
std::optional<uint64_t> Product(std::span<const std::optional<uint64_t>> extents) {
  uint64_t product = 1;
  for (const auto& extent : extents) {
    if (extent && __builtin_mul_overflow(product, *extent, &product)) return std::nullopt;
  }
  return product;
}

}  // namespace

Status AppendTensor(std::string_view value, DataType type,
                    std::vector<std::optional<uint64_t>> extents, uint64_t limit,
                    std::string& out) {
  if (extents.size() > static_cast<size_t>(mil::kMaxDepth)) {
    return MakeError(ErrorCode::kLimit, fmt::format("a literal of rank {}; at most {} is read",
                                                    extents.size(), mil::kMaxDepth));
  }
  const auto product = Product(extents);
  const auto unknown =
      std::ranges::count_if(extents, [](const auto& extent) { return !extent.has_value(); });
  ANECHECK_ASSIGN(const Elements elements,
                  Read(value, type, unknown == 0 ? product : std::nullopt));
  if (unknown > 0 &&
      (!product || *product == 0 || unknown > 1 || elements.size() % *product != 0)) {
    return MakeError(ErrorCode::kInvalid,
                     "the extents of a literal do not follow from its elements");
  }
  std::vector<uint64_t> known;
  for (const auto& extent : extents) known.push_back(extent ? *extent : elements.size() / *product);
  if (unknown == 0 && product != elements.size()) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("a tensor's type requires {} elements, it has {}",
                    product ? std::to_string(*product) : "more than 2^64", elements.size()));
  }
  return Nesting(elements, type, limit, out).Append(known);
}

}  // namespace anecheck::mlmodel
