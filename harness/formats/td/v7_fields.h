// The table of named bit fields of the version-7 (H13) task descriptor image.
// Used by the task descriptor codec.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace anecheck::td {

// The public source that names a field.
enum class FieldSource : uint8_t {
  kRegisterList,  // tinygrad's register list, 258 fields
  kRegisterMap,   // freedomtan's H13 register map, for fields that the list lacks
};

// `image_offset` is the byte offset of the field's 32-bit word in the task image. `bit` is the
// lowest bit of the field in that word. No field extends over two words.
struct V7Field {
  uint16_t image_offset;
  uint8_t bit;
  uint8_t width;
  std::string_view register_name;
  std::string_view name;
  FieldSource source;
};

// A field that the two sources place differently. The print shows its value at both positions.
struct V7Conflict {
  uint16_t image_offset;
  std::string_view register_name;
  std::string_view name;
  uint8_t list_bit;
  uint8_t list_width;  // 0: absent from the register list
  uint8_t map_bit;
  uint8_t map_width;
};

// Sorted by image offset and bit. Valid for the life of the program.
std::span<const V7Field> V7Fields();
std::span<const V7Conflict> V7Conflicts();

}  // namespace anecheck::td
