// Facts about native layers, which only a network description can name.
#pragma once

#include <string_view>

namespace anecheck {

// Returns the axis of [N, C, H, W] that the attribute Dimension names. Every name other than
// "Channel" and "Height" means the width.
int NativeAxis(std::string_view dimension);

namespace params {
// The attributes of CrossCorrelation, after x and the template.
struct NativeTemplate {
  enum : int { kHeight = 2, kWidth = 3 };
};
}  // namespace params

}  // namespace anecheck
