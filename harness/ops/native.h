// Facts that several rooms share about the native layers that only direct authoring reaches.
#pragma once

#include <string_view>

namespace anecheck {

// The axis of [N, C, H, W] that the attribute Dimension names. Every name other than "Channel" and
// "Height" means the width.
int NativeAxis(std::string_view dimension);

namespace params {
// The attributes of CrossCorrelation, after x and the template.
struct NativeTemplate {
  enum : int { kHeight = 2, kWidth = 3 };
};
}  // namespace params

}  // namespace anecheck
