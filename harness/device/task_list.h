// The engine's own lowering, read from its compiler's files: the passes that an executable runs, in
// order, each with the extents that it reads and writes and the kernel that it holds. Made from the
// executed program, by no rule of the harness's lowering plan, so that the two can be compared.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/device/executable.h"

namespace anecheck::device {

// Batch, channel, height, width. A tensor of rank r takes the last r of them: specification 000
// decodes a vector of 64 as [1, 1, 1, 64]; that ranks 2 and 3 follow it is assumed.
using Frame = std::array<uint32_t, 4>;

// Nothing for higher ranks, which no decoded file shows.
std::optional<Frame> FrameOf(const Shape& shape);

struct EngineTask {
  std::string_view op;
  Frame in = {1, 1, 1, 1};  // of the first operand that is no constant
  Frame out = {1, 1, 1, 1};
  const Constant* kernel = nullptr;  // a constant fp16 weight, output channel outermost
  bool reflects = false;             // pads by reflection
};

// One task an executed operation, in the order of the dispatches. A step that only moves a port's
// data to another port, or is folded into another pass, is none. Nothing where an operand has no
// frame.
std::optional<std::vector<EngineTask>> TasksOf(const Executable& executable);

}  // namespace anecheck::device
