#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>
#include <map>

#include "harness/formats/kernelweights/codec.h"
#include "harness/formats/kernelweights/kernel_format.h"

namespace anecheck::kernelweights {

namespace {

// The maximum vector size.
constexpr size_t kMaxVector = 5;
using Vector = std::array<uint16_t, kMaxVector>;  // bits of halves; unused elements are 0

struct Shape {
  uint64_t rows = 0;  // rows of indices
  uint64_t rows_per_codebook = 0;
  size_t entries = 0;  // entries per codebook
};

Shape ShapeOf(const Palette& weights) {
  Shape shape;
  shape.rows = weights.extent.channels / weights.vector_size;
  shape.rows_per_codebook = shape.rows / weights.codebook_count;
  shape.entries = size_t{1} << weights.index_bits;
  return shape;
}

Status CheckShape(const Palette& weights) {
  ANECHECK_RETURN_IF_ERROR(internal::CheckExtent(weights.extent));
  if (!IsPaletteIndexWidth(weights.index_bits)) {
    return MakeError(ErrorCode::kInvalid, fmt::format("weights: palette indices of {} bits; legal "
                                                      "are 2, 4, 6 and 8",
                                                      weights.index_bits));
  }
  if (!IsPaletteVectorSize(weights.vector_size)) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("weights: palette vectors of {}; legal are 1, 2, 4 and 5",
                                 weights.vector_size));
  }
  if (weights.extent.channels % weights.vector_size != 0 || weights.codebook_count == 0 ||
      weights.extent.channels / weights.vector_size % weights.codebook_count != 0) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("weights: {} channels do not divide into vectors of {} and {} "
                    "codebooks",
                    weights.extent.channels, weights.vector_size, weights.codebook_count));
  }
  return {};
}

// Returns the vectors of one codebook's rows, in the order of their indices.
std::vector<Vector> Gather(const Palette& weights, std::span<const Half> values, uint64_t book) {
  const Shape shape = ShapeOf(weights);
  const uint64_t elements = weights.extent.elements;
  std::vector<Vector> vectors;
  vectors.reserve(shape.rows_per_codebook * elements);
  const uint64_t first = book * shape.rows_per_codebook;
  for (uint64_t row = first; row < first + shape.rows_per_codebook; ++row) {
    for (uint64_t element = 0; element < elements; ++element) {
      Vector vector{};
      for (size_t i = 0; i < weights.vector_size; ++i) {
        vector[i] = values[(row * weights.vector_size + i) * elements + element].bits;
      }
      vectors.push_back(vector);
    }
  }
  return vectors;
}

struct Coded {
  std::vector<Vector> codebook;  // has `entries` vectors
  std::vector<uint8_t> indices;
};

// If a codebook has room for all distinct vectors, fills it with them in the order of first use and
// returns true. Then the encoding is exact.
bool EncodeExact(std::span<const Vector> vectors, size_t entries, Coded& coded) {
  std::map<Vector, uint8_t> seen;
  for (const Vector& vector : vectors) {
    const auto [it, added] = seen.try_emplace(vector, static_cast<uint8_t>(coded.codebook.size()));
    if (added) {
      if (coded.codebook.size() == entries) return false;
      coded.codebook.push_back(vector);
    }
    coded.indices.push_back(it->second);
  }
  coded.codebook.resize(entries);
  return true;
}

double Component(const Vector& vector, size_t i) { return HalfToDouble(Half{vector[i]}); }

uint8_t Nearest(const Vector& vector, std::span<const Vector> codebook, size_t width) {
  size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t k = 0; k < codebook.size(); ++k) {
    double distance = 0;
    for (size_t i = 0; i < width; ++i) {
      const double step = Component(vector, i) - Component(codebook[k], i);
      distance += step * step;
    }
    if (distance < least) {
      least = distance;
      best = k;
    }
  }
  return static_cast<uint8_t>(best);
}

// Replaces each codebook entry by the mean of the vectors that are assigned to it, rounded to fp16.
void MoveToMeans(std::span<const Vector> vectors, size_t width, Coded& coded) {
  std::vector<std::array<double, kMaxVector>> sums(coded.codebook.size());
  std::vector<uint64_t> counts(coded.codebook.size(), 0);
  for (size_t n = 0; n < vectors.size(); ++n) {
    ++counts[coded.indices[n]];
    for (size_t i = 0; i < width; ++i) {
      sums[coded.indices[n]][i] += Component(vectors[n], i);
    }
  }
  for (size_t k = 0; k < coded.codebook.size(); ++k) {
    for (size_t i = 0; i < width && counts[k] != 0; ++i) {
      coded.codebook[k][i] = DoubleToHalf(sums[k][i] / static_cast<double>(counts[k])).bits;
    }
  }
}

Coded EncodeNearest(std::span<const Vector> vectors, size_t entries, size_t width) {
  std::vector<Vector> sorted(vectors.begin(), vectors.end());
  std::ranges::sort(sorted, [](const Vector& a, const Vector& b) {
    for (size_t i = 0; i < kMaxVector; ++i) {
      const int32_t x = HalfOrdinal(Half{a[i]});
      const int32_t y = HalfOrdinal(Half{b[i]});
      if (x != y) return x < y;
    }
    return false;
  });
  Coded coded;
  for (size_t k = 0; k < entries; ++k) {
    coded.codebook.push_back(sorted[(2 * k + 1) * sorted.size() / (2 * entries)]);
  }
  constexpr int kRounds = 16;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<uint8_t> indices;
    indices.reserve(vectors.size());
    for (const Vector& vector : vectors) indices.push_back(Nearest(vector, coded.codebook, width));
    if (indices == coded.indices) break;
    coded.indices = std::move(indices);
    if (round + 1 < kRounds) MoveToMeans(vectors, width, coded);
  }
  return coded;
}

}  // namespace

namespace internal {

Status ValidateOne(const Palette& weights) {
  ANECHECK_RETURN_IF_ERROR(CheckShape(weights));
  const Shape shape = ShapeOf(weights);
  const uint64_t index_count = shape.rows * weights.extent.elements;
  ANECHECK_RETURN_IF_ERROR(
      CheckLength("indices", weights.indices.size(), (index_count * weights.index_bits + 7) / 8));
  return CheckLength("codebooks", weights.codebooks.size(),
                     uint64_t{weights.codebook_count} * shape.entries * weights.vector_size);
}

std::vector<Half> ReconstructOne(const Palette& weights) {
  const Shape shape = ShapeOf(weights);
  const uint64_t elements = weights.extent.elements;
  std::vector<Half> values(weights.extent.Count());
  for (uint64_t channel = 0; channel < weights.extent.channels; ++channel) {
    const uint64_t row = channel / weights.vector_size;
    const uint64_t book = row / shape.rows_per_codebook;
    for (uint64_t element = 0; element < elements; ++element) {
      const uint64_t k = UnpackBits(weights.indices, row * elements + element, weights.index_bits);
      values[channel * elements + element] =
          weights.codebooks[(book * shape.entries + k) * weights.vector_size +
                            channel % weights.vector_size];
    }
  }
  return values;
}

}  // namespace internal

Result<Palette> EncodePalette(Extent extent, std::span<const Half> values, uint8_t index_bits,
                              uint8_t vector_size, uint32_t codebook_count) {
  Palette weights{extent, index_bits, vector_size, codebook_count, {}, {}};
  ANECHECK_RETURN_IF_ERROR(CheckShape(weights));
  ANECHECK_RETURN_IF_ERROR(internal::CheckValues(extent, values, false));
  const Shape shape = ShapeOf(weights);
  std::vector<uint8_t> indices;
  for (uint64_t book = 0; book < codebook_count; ++book) {
    const std::vector<Vector> vectors = Gather(weights, values, book);
    Coded coded;
    if (!EncodeExact(vectors, shape.entries, coded)) {
      ANECHECK_RETURN_IF_ERROR(internal::CheckValues(extent, values, true));
      coded = EncodeNearest(vectors, shape.entries, vector_size);
    }
    indices.insert(indices.end(), coded.indices.begin(), coded.indices.end());
    for (const Vector& vector : coded.codebook) {
      for (size_t i = 0; i < vector_size; ++i) weights.codebooks.push_back(Half{vector[i]});
    }
  }
  weights.indices = PackBits(indices, index_bits);
  return weights;
}

}  // namespace anecheck::kernelweights
