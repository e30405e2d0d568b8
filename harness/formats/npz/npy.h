// The .npy array file of NumPy. It has a magic number, a version, a Python dict as text, and the
// elements. Users and external runners exchange tensors with this project as .npy files in an .npz
// archive. Source: NumPy's format specification (numpy.lib.format, versions 1.0, 2.0 and 3.0).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/byte_reader.h"
#include "harness/base/result.h"

namespace anecheck::npz {

enum class ElementType : uint8_t {
  kFloat16,
  kFloat32,
  kFloat64,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kBool,
};

uint64_t ElementSize(ElementType type);
// Returns NumPy's `descr`, for example "<f2" or "|b1".
std::string_view ElementDescr(ElementType type);
// Accepts the byte orders "<" and "=", and for types of one byte also "|" and ">". Returns nothing
// for other types, including big-endian types of several bytes.
std::optional<ElementType> ElementTypeOfDescr(std::string_view descr);

// An array in C order, elements little endian. Rank 0 is a scalar with one element.
struct Array {
  ElementType type = ElementType::kFloat32;
  std::vector<uint64_t> shape;
  std::vector<uint8_t> data;  // ElementCount * ElementSize bytes

  friend bool operator==(const Array&, const Array&) = default;
};

// Returns the number of elements, or nothing if it overflows 64 bits.
std::optional<uint64_t> ElementCount(std::span<const uint64_t> shape);

inline constexpr std::string_view kMagic = "\x93NUMPY";

// Returns whether the bytes begin like an .npy file.
bool IsNpy(std::span<const uint8_t> bytes);

// The header of an .npy file. `text` is the text in the file from the brace to the line feed.
struct Header {
  uint8_t major = 1;
  uint8_t minor = 0;
  std::string text;
  std::string descr;
  bool fortran_order = false;
  std::vector<uint64_t> shape;
};

// Reads a header and leaves `reader` at the first element. Accepts any `descr` string. Returns
// kUnsupported for a structured type, whose `descr` is a list.
Result<Header> ReadHeader(ByteReader& reader);

// Returns the header text that NumPy writes for these fields, without padding and line feed.
std::string HeaderDict(std::string_view descr, bool fortran_order, std::span<const uint64_t> shape);

// The header of an .npy file.
struct Layout {
  ElementType type = ElementType::kFloat32;
  std::vector<uint64_t> shape;
  uint64_t data_offset = 0;  // from the start of the file
};

// Returns the layout of a file of `size` bytes that begins with `head`. Precondition: `head` has
// the whole header. Errors: those of ReadNpy.
Result<Layout> ReadNpyLayout(std::span<const uint8_t> head, uint64_t size, uint64_t base = 0);

// Reads a whole .npy file. Errors: kUnsupported for types that ElementType lacks and for Fortran
// order of rank 2 and more, kMalformed if the length of the data does not match the shape. Offsets
// count from `base`.
Result<Array> ReadNpy(std::span<const uint8_t> bytes, uint64_t base = 0);

// Writes version 1.0, with elements aligned to 64 bytes. Errors: kInvalid if data and shape
// disagree.
Result<std::vector<uint8_t>> WriteNpy(const Array& array);

}  // namespace anecheck::npz
