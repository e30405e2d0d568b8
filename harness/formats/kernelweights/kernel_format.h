// The numbers of kernel formats, and the treatment of compressed weights by each generation. Used
// by the codecs, the print of containers and the simulated engine's compiler. Sources:
// facts/more/weight_format_ranges.csv, weight_sections.csv, weight_codecs.csv and
// codegen_version_matrix.csv (guide, chapters 7, 25, 35, 36).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace anecheck::kernelweights {

// Kernel formats have the numbers 1 to 31.
constexpr bool IsKernelFormat(uint32_t format) { return format >= 1 && format <= 31; }
// Returns true for 7 to 27. The compiler's test is (f - 7) < 0x15.
constexpr bool IsPaletteFormat(uint32_t format) { return format - 7U < 0x15U; }
// Returns true for 28 to 30. The compiler's test is (f - 0x1c) < 3.
constexpr bool IsUnityFormat(uint32_t format) { return format - 0x1cU < 3U; }

// Returns true for 2, 4, 6 and 8.
constexpr bool IsPaletteIndexWidth(uint32_t bits) {
  return bits == 2 || bits == 4 || bits == 6 || bits == 8;
}
// Returns true for 1, 2, 3, 4, 6 and 8, the index widths of a palette with E4M3 entries.
constexpr bool IsE4m3PaletteIndexWidth(uint32_t bits) {
  return (bits >= 1 && bits <= 4) || bits == 6 || bits == 8;
}
// Returns true for 1, 2, 4 and 5, the bits that are set in 0x36.
constexpr bool IsPaletteVectorSize(uint32_t size) {
  return size < 8 && ((0x36U >> size) & 1U) != 0;
}
// Returns the bytes of one fp16 codebook, for example 32 for 4 bits and 512 for 8 bits.
constexpr uint32_t CodebookBytes(uint32_t index_bits, uint32_t vector_size = 1) {
  return 2U * vector_size << index_bits;
}

// The names and numbers of the sections and types of a compressed kernel.
struct TypeNumber {
  uint8_t number;
  std::string_view name;
};
std::span<const TypeNumber> UnitTypeNumbers();
std::span<const std::string_view> UnitSections();  // in their order

// The generations that weight_codecs.csv distinguishes.
enum class Generation : uint8_t { kH13, kA14, kA15AndLater };
// kStream: the engine reads compressed weights. kFold: the compiler makes them dense fp16.
enum class Route : uint8_t { kFold, kStream };

// Returns the route on a generation for a form of weights ("int8 affine", "int4 table", "sparse",
// "blockwise affine"). Returns kFold for unknown forms.
Route RouteOf(std::string_view form, Generation generation);

// Returns whether the encoder of a generation packs indices of this width. The widths are 4 and 8
// on H13, and also 3 and 6 on later generations.
bool EncoderPacksIndexWidth(uint32_t bits, Generation generation);

}  // namespace anecheck::kernelweights
