#include "harness/device/task_list.h"

#include <algorithm>
#include <limits>

namespace anecheck::device {
namespace {

const Constant* KernelOf(const Executable& executable, const Executable::Node& node) {
  if (node.weight == Executable::kNoValue) return nullptr;
  const Constant* kernel = executable.values[node.weight].constant.get();
  const bool dense = kernel != nullptr && kernel->type.element == Element::kFp16 &&
                     kernel->type.shape.rank() > 0 && kernel->type.shape.Elements() > 0;
  return dense ? kernel : nullptr;
}

std::optional<EngineTask> TaskOf(const Executable& executable, const Executable::Node& node) {
  EngineTask task{.op = node.op, .reflects = node.reflects};
  const auto given = std::ranges::find_if(
      node.inputs, [&](uint32_t value) { return executable.values[value].constant == nullptr; });
  if (given != node.inputs.end()) {
    const auto in = FrameOf(executable.values[*given].type.shape);
    if (!in) return std::nullopt;
    task.in = *in;
  }
  const auto out = FrameOf(executable.values[node.outputs.front()].type.shape);
  if (!out) return std::nullopt;
  task.out = *out;
  task.kernel = KernelOf(executable, node);
  return task;
}

}  // namespace

std::optional<Frame> FrameOf(const Shape& shape) {
  Frame frame = {1, 1, 1, 1};
  const int rank = shape.rank();
  if (rank > static_cast<int>(frame.size())) return std::nullopt;
  for (int axis = 0; axis < rank; ++axis) {
    if (shape[axis] > std::numeric_limits<uint32_t>::max()) return std::nullopt;
    frame[frame.size() - static_cast<size_t>(rank - axis)] = static_cast<uint32_t>(shape[axis]);
  }
  return frame;
}

std::optional<std::vector<EngineTask>> TasksOf(const Executable& executable) {
  std::vector<EngineTask> tasks;
  for (const Executable::Node& node : executable.nodes) {
    if (node.move || node.pass == Pass::kFolded) continue;
    auto task = TaskOf(executable, node);
    if (!task) return std::nullopt;
    tasks.push_back(*task);
  }
  return tasks;
}

}  // namespace anecheck::device
