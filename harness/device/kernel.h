// The result of the compile step for one operation: a kernel with all parameters resolved. An
// execution runs the kernel once. Used by the operation table and the executor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/device/tensor_type.h"

namespace anecheck::device {

// Working memory of one operation's execution. It grows on demand and is reused.
class Scratch {
 public:
  // Slot of a kernel that prepares the input of another kernel. The other kernel uses the slots
  // below.
  static constexpr int kLowered = 4;

  // Returns memory for at least `count` floats, whose values are undefined. The memory is valid
  // until the next call with this slot.
  float* Floats(int slot, int64_t count) {
    std::vector<float>& buffer = buffers_[slot];
    if (buffer.size() < static_cast<size_t>(count)) buffer.resize(static_cast<size_t>(count));
    return buffer.data();
  }

 private:
  static constexpr int kSlots = 5;
  std::vector<float> buffers_[kSlots];
};

// The addresses of a kernel's operands. The operands are dense row-major tensors of the types for
// which the kernel was built. Outputs never overlap inputs.
struct Invocation {
  std::span<const void* const> inputs;
  std::span<void* const> outputs;
  Scratch& scratch;

  template <typename T>
  const T* Input(size_t index) const {
    return static_cast<const T*>(inputs[index]);
  }
};

// Immutable after construction. Several threads may call Run, each with its own scratch memory.
class Kernel {
 public:
  virtual ~Kernel() = default;
  virtual void Run(const Invocation& call) const = 0;
};

}  // namespace anecheck::device
