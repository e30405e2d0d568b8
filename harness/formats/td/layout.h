// The names of a generation's registers and header words. Used by the JSON form, the print and the
// byte counts of task descriptors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/formats/td/td.h"

namespace anecheck::td {

// A bit field of a word. If a second source gives another position or width, `other_width` is not
// 0.
struct WordField {
  std::string_view name;
  uint8_t bit = 0;
  uint8_t width = 0;
  uint8_t other_bit = 0;
  uint8_t other_width = 0;
};

// A word with its fields. There are no fields if no source names any.
struct WordLayout {
  std::string_view name;  // for example "Common.InDim" or "Header[1]"
  std::span<const WordField> fields;
};

inline uint32_t FieldMask(uint8_t width) {
  return width >= 32 ? UINT32_MAX : (uint32_t{1} << width) - 1;
}
inline uint32_t ExtractField(uint32_t word, const WordField& field) {
  return word >> field.bit & FieldMask(field.width);
}
// Returns a mask of the bits of `layout` that belong to a named field.
uint32_t NamedBits(const WordLayout& layout);

// Returns the layout of word `index` of a task header.
WordLayout HeaderWord(const Generation& generation, uint32_t index);
// Returns the layout of the register at a byte address.
WordLayout Register(const Generation& generation, uint32_t byte_address);

}  // namespace anecheck::td
