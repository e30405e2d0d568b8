#include "harness/device/ops/sampling.h"

#include <algorithm>
#include <cmath>

#include "harness/device/half_block.h"

namespace anecheck::device {
namespace {

// Points farther out are clamped, so that they fit the range of integers. They read only the
// border.
constexpr double kFarthest = 0x1p+40;

int64_t CellOf(double position) {
  return static_cast<int64_t>(std::floor(std::clamp(position, -kFarthest, kFarthest)));
}

int64_t Folded(int64_t index, int64_t period) {
  const int64_t place = index % period;
  return place < 0 ? place + period : place;
}

// Returns the index that a border reads instead of `index`, or -1 if it reads the constant. `index`
// must be outside [0, extent).
int64_t BorderIndex(Border border, int64_t index, int64_t extent) {
  if (border == Border::kConstant) return -1;
  if (border == Border::kEdge) return std::clamp<int64_t>(index, 0, extent - 1);
  if (border == Border::kSymmetric) {
    return std::min(Folded(index, 2 * extent), Folded(-1 - index, 2 * extent));
  }
  if (extent == 1) return 0;
  return std::min(Folded(index, 2 * extent - 2), Folded(-index, 2 * extent - 2));
}

}  // namespace

GridMode GridModeOf(std::string_view name) {
  constexpr std::string_view kNames[] = {"DEFAULT", "STRICT_ALIGN_CORNERS", "ALIGN_CORNERS",
                                         "OFFSET_CORNERS", "UNALIGN_CORNERS"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  return static_cast<GridMode>(found - std::begin(kNames));
}

double GridPoint(GridMode mode, int64_t index, int64_t count, double begin, double end) {
  const auto i = static_cast<double>(index);
  const auto n = static_cast<double>(count);
  const double pixels = end - begin + 1;
  // The position is over / under. Integer positions are exact, because there is only one division.
  double over = 0;
  double under = n;
  if (mode == GridMode::kDefault) {
    over = begin * n + (count > 1 ? i * pixels : 0);
  } else if (mode == GridMode::kOffset) {
    over = begin * 2 * n + (2 * i + 1) * std::max(1.0, pixels - 1);
    under = 2 * n;
  } else if (mode == GridMode::kUnalign) {
    over = begin * 2 * n + (2 * i + 1) * pixels - n;
    under = 2 * n;
  } else if (count > 1) {
    over = begin * (n - 1) + i * (pixels - 1);
    under = n - 1;
  } else {
    over = mode == GridMode::kAlign ? begin + end : 2 * begin;
    under = 2;
  }
  return std::clamp(over / under, std::min(begin, end), std::max(begin, end));
}

Border BorderOf(std::string_view name) {
  constexpr std::string_view kNames[] = {"constant", "border", "reflection", "symmetric"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), name);
  return static_cast<Border>(found - std::begin(kNames));
}

float Image::At(int64_t row, int64_t column) const {
  if (row < 0 || row >= height) row = BorderIndex(border, row, height);
  if (column < 0 || column >= width) column = BorderIndex(border, column, width);
  return row < 0 || column < 0 ? outside : pixels[row * width + column];
}

float Blending::Between(float a, float b, double weight) const {
  const bool half = element == Element::kFp16;
  const auto rounded = [half](double value) {
    const auto single = static_cast<float>(value);
    return half ? RoundToHalf(single, Rounding::kNearestEven) : single;
  };
  const float sum = a * rounded(1 - weight) + b * rounded(weight);
  return std::isnan(sum) && invalid_is_zero ? 0.0f : sum;
}

float Blending::Linear(const Image& image, double row, double column) const {
  const int64_t top = CellOf(row);
  const int64_t left = CellOf(column);
  const double down = drops_weight ? 0 : row - static_cast<double>(top);
  const double right = drops_weight ? 0 : column - static_cast<double>(left);
  // Pixels of weight 0 are not read, because an infinity times 0 would turn the sum into NaN.
  const auto line = [&](int64_t at) {
    const float first = image.At(at, left);
    if (!(right > 0)) return first;
    const float blended = Between(first, image.At(at, left + 1), right);
    return stores_rows && element == Element::kFp16 ? RoundToHalf(blended, Rounding::kNearestEven)
                                                    : blended;
  };
  const float upper = line(top);
  return down > 0 ? Between(upper, line(top + 1), down) : upper;
}

float NearestPixel(const Image& image, double row, double column) {
  return image.At(CellOf(row + 0.5), CellOf(column + 0.5));
}

}  // namespace anecheck::device
