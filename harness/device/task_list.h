// The engine's own lowering, from which its compiler's files are written. The lowering lists the
// passes of an executable in order. A pass has the extents that it reads and writes, and its
// kernel. The engine makes this lowering from the executed program, without the rules of the
// harness's lowering plan, so that the lowering can be compared with the plan.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/device/executable.h"

namespace anecheck::device {

// Batch, channel, height, width. A tensor of rank r has the last r of these axes, because
// specification 000 decodes a vector of 64 elements as [1, 1, 1, 64]. Ranks 2 and 3 are assumed to
// follow the same rule.
using Frame = std::array<uint32_t, 4>;

// Empty for higher ranks, because no decoded file shows them.
std::optional<Frame> FrameOf(const Shape& shape);

struct EngineTask {
  std::string_view op;
  Frame in = {1, 1, 1, 1};  // the frame of the first operand that is not a constant
  Frame out = {1, 1, 1, 1};
  const Constant* kernel = nullptr;  // a constant fp16 weight, output channel outermost
  bool reflects = false;             // pads by reflection
};

// Returns one task per executed operation, in the order of the dispatches. A step is not a task if
// it only copies a port's data to another port, or is folded into another pass. Empty if an operand
// has no frame.
std::optional<std::vector<EngineTask>> TasksOf(const Executable& executable);

}  // namespace anecheck::device
