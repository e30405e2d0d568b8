// Reads an image between its pixels. Used by image.cc.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/device/numeric_model.h"
#include "harness/device/tensor_type.h"

namespace anecheck::device {

// The placement of a grid of points over a range of pixels: MIL's sampling_mode of resize_bilinear.
enum class GridMode : uint8_t { kDefault, kStrictAlign, kAlign, kOffset, kUnalign, kUnknown };
GridMode GridModeOf(std::string_view name);

// Returns point `index` of `count` over the pixels from `begin` to `end`, clamped to that range. A
// point that coincides with a pixel is exact.
double GridPoint(GridMode mode, int64_t index, int64_t count, double begin, double end);

// The rule for values beyond the edge of an image: MIL's padding_mode of resample.
enum class Border : uint8_t { kConstant, kEdge, kReflection, kSymmetric, kUnknown };
Border BorderOf(std::string_view name);

// One image of height x width elements.
struct Image {
  const float* pixels = nullptr;
  int64_t height = 1;
  int64_t width = 1;
  Border border = Border::kEdge;
  float outside = 0;  // the value outside the image for Border::kConstant

  float At(int64_t row, int64_t column) const;
};

// The blending of a family. The software of A13 stores its values in the element type after each
// axis. The texture engine from A14 on is assumed to round only once, at the end.
struct Blending {
  Element element = Element::kFp16;
  bool stores_rows = false;
  bool invalid_is_zero = false;
  bool drops_weight = false;  // a planted defect: the point takes the pixel before it

  float Linear(const Image& image, double row, double column) const;

 private:
  float Between(float a, float b, double weight) const;
};

// Returns the pixel nearest to the point. At a tie this is the pixel with the higher index.
float NearestPixel(const Image& image, double row, double column);

}  // namespace anecheck::device
