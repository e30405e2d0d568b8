// The numbers of kernel formats and each generation's treatment of a compressed form. Used by the
// codecs, the containers' print and the simulated engine's compiler.
// Sources: facts/more/weight_format_ranges.csv, weight_sections.csv, weight_codecs.csv and
// codegen_version_matrix.csv (guide, chapters 7, 25, 35, 36).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace anecheck::kernelweights {

// The kernel format enumeration runs from 1 to 31.
constexpr bool IsKernelFormat(uint32_t format) { return format >= 1 && format <= 31; }
// True for 7 to 27. The compiler's test is (f - 7) < 0x15.
constexpr bool IsPaletteFormat(uint32_t format) { return format - 7U < 0x15U; }
// True for 28 to 30. The compiler's test is (f - 0x1c) < 3.
constexpr bool IsUnityFormat(uint32_t format) { return format - 0x1cU < 3U; }

// True for 2, 4, 6 and 8.
constexpr bool IsPaletteIndexWidth(uint32_t bits) {
  return bits == 2 || bits == 4 || bits == 6 || bits == 8;
}
// True for 1, 2, 3, 4, 6 and 8, the widths of a palette with E4M3 entries.
constexpr bool IsE4m3PaletteIndexWidth(uint32_t bits) {
  return (bits >= 1 && bits <= 4) || bits == 6 || bits == 8;
}
// True for 1, 2, 4 and 5, the bits that are set in 0x36.
constexpr bool IsPaletteVectorSize(uint32_t size) {
  return size < 8 && ((0x36U >> size) & 1U) != 0;
}
// Bytes of one fp16 codebook: 32 for 4 bits, 512 for 8.
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
// The engine streams weights as they are stored (kStream), or the compiler folds them to dense fp16
// (kFold).
enum class Route : uint8_t { kFold, kStream };

// The route on a generation for a form of weights ("int8 affine", "int4 table", "sparse",
// "blockwise affine"). Unknown forms are folded, like all weights that the engine does not stream.
Route RouteOf(std::string_view form, Generation generation);

// Whether the encoder of a generation packs indices of this width: 4 and 8 on H13, and also 3 and 6
// on later generations.
bool EncoderPacksIndexWidth(uint32_t bits, Generation generation);

}  // namespace anecheck::kernelweights
