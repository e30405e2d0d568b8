#include "harness/formats/npz/npy.h"

#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/checked_math.h"
#include "harness/formats/message.h"
#include "harness/formats/npz/npy_header.h"

namespace anecheck::npz {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr uint64_t kMaxRank = 64;  // NumPy 2's own limit

struct TypeRow {
  ElementType type;
  std::string_view descr;
  uint64_t size;
};

// In the order of ElementType.
constexpr std::array<TypeRow, 12> kTypes = {{
    {ElementType::kFloat16, "<f2", 2},
    {ElementType::kFloat32, "<f4", 4},
    {ElementType::kFloat64, "<f8", 8},
    {ElementType::kInt8, "|i1", 1},
    {ElementType::kInt16, "<i2", 2},
    {ElementType::kInt32, "<i4", 4},
    {ElementType::kInt64, "<i8", 8},
    {ElementType::kUint8, "|u1", 1},
    {ElementType::kUint16, "<u2", 2},
    {ElementType::kUint32, "<u4", 4},
    {ElementType::kUint64, "<u8", 8},
    {ElementType::kBool, "|b1", 1},
}};

const TypeRow& Row(ElementType type) { return kTypes[static_cast<size_t>(type)]; }

// Reads the Python literal of a header: a dict with strings, booleans and tuples of integers, in
// any order and spacing.
class DictReader {
 public:
  DictReader(std::string_view text, uint64_t offset) : text_(text), offset_(offset) {}

  Status Read(Header& header) {
    ANECHECK_RETURN_IF_ERROR(Expect('{'));
    bool seen_descr = false;
    bool seen_order = false;
    bool seen_shape = false;
    while (!Take('}')) {
      ANECHECK_ASSIGN(const std::string key, String());
      ANECHECK_RETURN_IF_ERROR(Expect(':'));
      bool* seen = key == "descr"           ? &seen_descr
                   : key == "fortran_order" ? &seen_order
                   : key == "shape"         ? &seen_shape
                                            : nullptr;
      if (seen == nullptr || *seen)
        return Failure(fmt::format("key '{}' is not expected", Shown(key)));
      *seen = true;
      ANECHECK_RETURN_IF_ERROR(Value(key, header));
      if (!Take(',')) {
        ANECHECK_RETURN_IF_ERROR(Expect('}'));
        break;
      }
    }
    SkipSpace();
    if (position_ != text_.size()) return Failure("text after the dict");
    if (!seen_descr || !seen_order || !seen_shape) {
      return Failure("descr, fortran_order and shape must all be there");
    }
    return {};
  }

 private:
  Status Value(std::string_view key, Header& header) {
    if (key == "shape") return Shape(header.shape);
    if (key == "fortran_order") {
      header.fortran_order = TakeWord("True");
      if (header.fortran_order || TakeWord("False")) return {};
      return Failure("fortran_order is neither True nor False");
    }
    SkipSpace();
    if (position_ < text_.size() && text_[position_] == '[') {
      return MakeError(ErrorCode::kUnsupported, "npy header: structured types are not read",
                       offset_ + position_);
    }
    ANECHECK_ASSIGN(header.descr, String());
    return {};
  }

  Status Shape(std::vector<uint64_t>& shape) {
    ANECHECK_RETURN_IF_ERROR(Expect('('));
    while (!Take(')')) {
      if (shape.size() == kMaxRank) return Failure("more than 64 dimensions");
      ANECHECK_ASSIGN(const uint64_t extent, Number());
      shape.push_back(extent);
      if (!Take(',')) return Expect(')');
    }
    return {};
  }

  Result<uint64_t> Number() {
    SkipSpace();
    const size_t start = position_;
    std::optional<uint64_t> value = 0;
    while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9') {
      if (value) value = CheckedMul<uint64_t>(*value, 10);
      const auto digit = static_cast<uint64_t>(text_[position_++] - '0');
      if (value) value = CheckedAdd(*value, digit);
    }
    if (position_ == start) return Failure("a dimension is not a number");
    if (!value) return Failure("a dimension does not fit in 64 bits");
    if (position_ < text_.size() && text_[position_] == 'L') ++position_;  // Python 2 wrote 3L
    return *value;
  }

  Result<std::string> String() {
    SkipSpace();
    if (position_ >= text_.size() || (text_[position_] != '\'' && text_[position_] != '"')) {
      return Failure("a string is missing");
    }
    const char quote = text_[position_];
    const size_t end = text_.find(quote, position_ + 1);
    if (end == std::string_view::npos) return Failure("a string has no end");
    std::string value(text_.substr(position_ + 1, end - position_ - 1));
    position_ = end + 1;
    return value;
  }

  void SkipSpace() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) {
      ++position_;
    }
  }
  bool Take(char c) {
    SkipSpace();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }
  bool TakeWord(std::string_view word) {
    SkipSpace();
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }
  Status Expect(char c) {
    if (Take(c)) return {};
    return Failure(fmt::format("'{}' is missing", c));
  }
  Error Failure(std::string_view what) const {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("npy header: {} at 0x{:x}", what, offset_ + position_),
                     offset_ + position_);
  }

  std::string_view text_;
  uint64_t offset_;
  size_t position_ = 0;
};

std::string ShapeText(std::span<const uint64_t> shape) {
  return Shown(fmt::format("{}", fmt::join(shape, ", ")));
}

}  // namespace

uint64_t ElementSize(ElementType type) { return Row(type).size; }

std::string_view ElementDescr(ElementType type) { return Row(type).descr; }

std::optional<ElementType> ElementTypeOfDescr(std::string_view descr) {
  for (const TypeRow& row : kTypes) {
    if (descr.size() != row.descr.size() || descr.substr(1) != row.descr.substr(1)) continue;
    const bool little = descr[0] == '<' || descr[0] == '=';
    if (little || (row.size == 1 && (descr[0] == '|' || descr[0] == '>'))) return row.type;
  }
  return std::nullopt;
}

std::optional<uint64_t> ElementCount(std::span<const uint64_t> shape) {
  return CheckedProduct(shape);
}

bool IsNpy(std::span<const uint8_t> bytes) {
  return bytes.size() >= kMagic.size() &&
         std::string_view(reinterpret_cast<const char*>(bytes.data()), kMagic.size()) == kMagic;
}

Result<uint64_t> ReadHeaderLength(ByteReader& reader, Header& header) {
  const auto magic = reader.Bytes(kMagic.size(), "magic");
  if (reader.ok() && !IsNpy(magic)) {
    reader.Fail(ErrorCode::kMalformed, "magic", "not \\x93NUMPY");
  }
  kVersionRecord.Read(reader, header);
  if (reader.ok() && (header.major < 1 || header.major > 3 || header.minor != 0)) {
    reader.Fail(ErrorCode::kUnsupported, "version",
                fmt::format("{}.{} is not 1.0, 2.0 or 3.0", header.major, header.minor));
  }
  const uint64_t length =
      header.major == 1 ? reader.U16("header_length") : reader.U32("header_length");
  if (!reader.ok()) return reader.status().error();
  return length;
}

void WriteHeader(const Header& header, ByteWriter& writer) {
  writer.Text(kMagic);
  kVersionRecord.Write(header, writer);
  if (header.major == 1) {
    writer.U16(static_cast<uint16_t>(header.text.size()));
  } else {
    writer.U32(static_cast<uint32_t>(header.text.size()));
  }
  writer.Text(header.text);
}

Result<Header> ReadHeader(ByteReader& reader) {
  Header header;
  ANECHECK_ASSIGN(const uint64_t length, ReadHeaderLength(reader, header));
  const uint64_t offset = reader.offset();
  const auto text = reader.Bytes(length, "header");
  if (!reader.ok()) return reader.status().error();
  header.text.assign(text.begin(), text.end());
  ANECHECK_RETURN_IF_ERROR(DictReader(header.text, offset).Read(header));
  return header;
}

std::string HeaderDict(std::string_view descr, bool fortran_order,
                       std::span<const uint64_t> shape) {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}{}), }}", descr,
                     fortran_order ? "True" : "False", fmt::join(shape, ", "),
                     shape.size() == 1 ? "," : "");
}

Result<Layout> ReadNpyLayout(std::span<const uint8_t> head, uint64_t file_size, uint64_t base) {
  ByteReader reader(head, base, "npy");
  ANECHECK_ASSIGN(const Header header, ReadHeader(reader));
  const auto type = ElementTypeOfDescr(header.descr);
  if (!type) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("npy: element type '{}' is not read; convert it with astype()",
                                 Shown(header.descr)),
                     base);
  }
  if (header.fortran_order && header.shape.size() > 1) {
    return MakeError(ErrorCode::kUnsupported,
                     "npy: Fortran order is not read; save numpy.ascontiguousarray() of it", base);
  }
  const auto count = ElementCount(header.shape);
  const auto size = count ? CheckedMul(*count, ElementSize(*type)) : std::nullopt;
  const uint64_t data_offset = reader.offset() - base;
  if (!size || *size != file_size - data_offset) {
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("npy: shape ({}) of {} does not match {} bytes of data at 0x{:x}",
                                 ShapeText(header.shape), Shown(header.descr),
                                 file_size - data_offset, reader.offset()),
                     reader.offset());
  }
  return Layout{*type, header.shape, data_offset};
}

Result<Array> ReadNpy(std::span<const uint8_t> bytes, uint64_t base) {
  ANECHECK_ASSIGN(const Layout layout, ReadNpyLayout(bytes, bytes.size(), base));
  const auto data = bytes.subspan(layout.data_offset);
  return Array{layout.type, layout.shape, {data.begin(), data.end()}};
}

Result<std::vector<uint8_t>> WriteNpy(const Array& array) {
  const auto count = ElementCount(array.shape);
  const auto size = count ? CheckedMul(*count, ElementSize(array.type)) : std::nullopt;
  if (!size || *size != array.data.size() || array.shape.size() > kMaxRank) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("npy: shape ({}) of {} does not match {} bytes of data", ShapeText(array.shape),
                    ElementDescr(array.type), array.data.size()));
  }
  // 64 dimensions of 20 digits take less than the 65535 bytes that version 1.0 allows.
  Header header;
  std::string& text = header.text = HeaderDict(ElementDescr(array.type), false, array.shape);
  const size_t lead = kMagic.size() + kVersionRecord.kSize + sizeof(uint16_t);
  while ((lead + text.size() + 1) % kAlignment != 0) text += ' ';
  text += '\n';
  ByteWriter writer;
  WriteHeader(header, writer);
  writer.Bytes(array.data);
  return std::move(writer).Take();
}

}  // namespace anecheck::npz
