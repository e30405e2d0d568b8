// Compressed weights in the form that the engine stores, and the exact fp16 values that they
// represent. The lowering packs weights with the Encode functions. The simulated engine and the
// tests unpack them with Reconstruct.
//
// Every reconstruction computes the exact value and rounds once to fp16, to nearest, ties to even.
// The constexpr operations of MIL define it this way. Sources: facts/more/weight_codecs.csv,
// weight_format_ranges.csv, weight_sections.csv and fp8_formats.csv (guide, chapters 25 and 36).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/base/float8.h"
#include "harness/base/half.h"
#include "harness/base/result.h"

namespace anecheck::kernelweights {

// The shape of a weight tensor: the output channels, and the elements of one channel in row-major
// order. The codecs check the limit of 2^28 elements before they allocate memory.
struct Extent {
  uint32_t channels = 0;
  uint32_t elements = 0;
  uint64_t Count() const { return uint64_t{channels} * elements; }
  friend bool operator==(const Extent&, const Extent&) = default;
};
inline constexpr uint64_t kMaxElements = uint64_t{1} << 28;

struct Dense {
  Extent extent;
  std::vector<Half> values;
};

// w = scale * (q - zero_point). There is one scale, or one per channel. There is one zero point,
// one per channel, or none (0). On the M1 a zero point other than 0 fails an assertion.
struct AffineInt8 {
  Extent extent;
  bool is_signed = true;       // true for int8, false for uint8
  std::vector<uint8_t> bytes;  // one per element
  std::vector<Half> scales;
  std::vector<int16_t> zero_points;  // within the range of the type
};

// Indices into codebooks of vectors. An index selects a vector for `vector_size` consecutive
// channels at one position, so there are channels / vector_size rows of indices. Each codebook
// applies to the same number of consecutive rows: w[c][e] = codebook[row / rows_per_codebook][k][c
// mod vector_size], row = c / vector_size, k = index[row][e]. The source has "codebook[g/v][k][c
// mod v]" and does not define g. The assignment of codebooks to rows is an interpretation of this
// project.
struct Palette {
  Extent extent;
  uint8_t index_bits = 4;        // 2, 4, 6 or 8
  uint8_t vector_size = 1;       // 1, 2, 4 or 5
  uint32_t codebook_count = 1;   // divides the rows of indices
  std::vector<uint8_t> indices;  // packed, least significant bit first, no padding between rows
  std::vector<Half> codebooks;   // [codebook_count][2^index_bits][vector_size]
};

// A mask of one bit per element, least significant bit first, in ceil(n / 8) bytes, followed by the
// elements whose bit is set. All other elements are +0.
struct Sparse {
  Extent extent;
  std::vector<uint8_t> mask;
  std::vector<Half> nonzeros;
};

// w = scale of the block * q, where q is int8. A block has block_channels by block_elements
// elements. Both numbers must divide the extent. Scales are in row-major order of the blocks.
struct BlockwiseInt8 {
  Extent extent;
  uint32_t block_channels = 1;
  uint32_t block_elements = 1;
  std::vector<uint8_t> bytes;
  std::vector<Half> scales;
};

// w = scale * value of the byte. There is no zero point (the source says "0 only"). Without scales,
// the scale is 1.
struct Float8 {
  Extent extent;
  Float8Format format = Float8Format::kE4M3;
  std::vector<uint8_t> bytes;
  std::vector<Half> scales;  // none, one, or one per channel
};

using Weights = std::variant<Dense, AffineInt8, Palette, Sparse, BlockwiseInt8, Float8>;

// Checks lengths, widths and ranges. Errors: kInvalid, with the name of the wrong part.
Status Validate(const Weights& weights);

// Returns extent.Count() values, or the error of Validate.
Result<std::vector<Half>> Reconstruct(const Weights& weights);

// Returns the bytes in a container: indices, masks, values, scales and codebooks.
uint64_t StoredBytes(const Weights& weights);

// Encode to symmetric int8 (zero point 0). Each scale is the smallest fp16 number for which the
// largest magnitude is at most 127 times the scale. So no value is clamped, and the error is at
// most half a scale plus the final rounding. Errors: a value is not finite, or the length is not
// extent.Count().
Result<AffineInt8> EncodeAffineInt8(Extent extent, std::span<const Half> values, bool per_channel);
Result<BlockwiseInt8> EncodeBlockwiseInt8(Extent extent, std::span<const Half> values,
                                          uint32_t block_channels, uint32_t block_elements);

// The palette is exact, bit for bit, if the rows of each codebook have at most 2^index_bits
// distinct vectors. Otherwise Lloyd's algorithm makes the codebooks (16 rounds, starting from
// quantiles), and values must be finite.
Result<Palette> EncodePalette(Extent extent, std::span<const Half> values, uint8_t index_bits,
                              uint8_t vector_size = 1, uint32_t codebook_count = 1);

// The result is exact, bit for bit, because the encoder leaves out only +0.
Result<Sparse> EncodeSparse(Extent extent, std::span<const Half> values);

// Rounds each value to the nearest fp8. `overflow` controls overflow. Stores no scale.
Result<Float8> EncodeFloat8(Extent extent, std::span<const Half> values, Float8Format format,
                            Float8Overflow overflow);

// PackBits packs values of `bits` bits (1 to 8), least significant bit first. UnpackBits returns
// value number `index`.
std::vector<uint8_t> PackBits(std::span<const uint8_t> values, uint8_t bits);
uint8_t UnpackBits(std::span<const uint8_t> packed, uint64_t index, uint8_t bits);

// Functions that the source files of the codecs share.
namespace internal {
Status CheckExtent(Extent extent);
Status CheckLength(std::string_view what, uint64_t have, uint64_t need);
Status CheckValues(Extent extent, std::span<const Half> values, bool finite);
// Returns the smallest scale with largest <= 127 * scale, or 1 if `largest` is 0.
Half ScaleFor(double largest);
// Returns round-half-even(value / scale), clamped to -127 to 127, as the bits of an int8.
uint8_t Quantize(Half value, Half scale);

Status ValidateOne(const Dense& weights);
Status ValidateOne(const AffineInt8& weights);
Status ValidateOne(const Palette& weights);
Status ValidateOne(const Sparse& weights);
Status ValidateOne(const BlockwiseInt8& weights);
Status ValidateOne(const Float8& weights);
std::vector<Half> ReconstructOne(const Dense& weights);
std::vector<Half> ReconstructOne(const AffineInt8& weights);
std::vector<Half> ReconstructOne(const Palette& weights);
std::vector<Half> ReconstructOne(const Sparse& weights);
std::vector<Half> ReconstructOne(const BlockwiseInt8& weights);
std::vector<Half> ReconstructOne(const Float8& weights);
}  // namespace internal

}  // namespace anecheck::kernelweights
