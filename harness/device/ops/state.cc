// States: tensors that an operation of the runtime keeps from one execution to the next. A read
// copies the state, so that a later write does not change the value that was read. No public text
// describes the buffer movers. Assumed: the movers are the state operations under other names. Also
// assumed: a ring is a state that is read and written from a position on, and positions wrap round
// at the end of its axis (facts/more/op_notes.csv; specification 004, table 26.1).
#include <cstring>
#include <fmt/format.h>
#include <memory>

#include "harness/device/op_table.h"
#include "harness/device/ops/copy_kernel.h"

namespace anecheck::device {
namespace {

using Built = std::unique_ptr<const Kernel>;

Built BuildRead(OpBuilder& builder) {
  const Operand state = builder.State("input");
  if (!builder.ok()) return nullptr;
  builder.Reads(state);
  builder.Output(state.type);
  return std::make_unique<CopyKernel>(state.type.Bytes());
}

Built BuildWrite(OpBuilder& builder) {
  const Operand state = builder.State("input");
  const Operand data = builder.Tensor("data");
  if (!builder.ok()) return nullptr;
  if (data.type != state.type) {
    builder.Reject(Stage::kFrontend, fmt::format("data is {}, the state {}", data.type.ToString(),
                                                 state.type.ToString()));
    return nullptr;
  }
  builder.Writes(state);
  return std::make_unique<CopyKernel>(state.type.Bytes());
}

// ---- rings --------------------------------------------------------------------------------------

struct RingShape {
  int64_t outer = 1;   // number of positions before the axis
  int64_t extent = 1;  // extent of the ring along the axis
  int64_t count = 1;   // number of slices that are moved
  int64_t bytes = 0;   // bytes of a slice at one outer position
  int64_t first = 0;   // first slice of the ring that is moved
};

class RingKernel : public Kernel {
 public:
  RingKernel(const RingShape& shape, bool writes) : shape_(shape), writes_(writes) {}
  void Run(const Invocation& call) const override {
    const auto* from = static_cast<const char*>(call.inputs[0]);
    auto* to = static_cast<char*>(call.outputs[0]);
    for (int64_t outer = 0; outer < shape_.outer; ++outer) {
      for (int64_t k = 0; k < shape_.count; ++k) {
        const int64_t slice = (shape_.first + k) % shape_.extent;
        const int64_t ring = (outer * shape_.extent + slice) * shape_.bytes;
        const int64_t part = (outer * shape_.count + k) * shape_.bytes;
        std::memcpy(to + (writes_ ? ring : part), from + (writes_ ? part : ring),
                    static_cast<size_t>(shape_.bytes));
      }
    }
  }

 private:
  RingShape shape_;
  bool writes_;
};

// Reads the ring's axis and position. `axis` receives the axis of the ring.
RingShape ReadRing(OpBuilder& builder, const TensorType& ring, int& axis) {
  const int64_t given = builder.Int("axis");
  const int64_t position = builder.Int("position");
  RingShape shape;
  if (!builder.ok()) return shape;
  axis = builder.Axis("axis", given, ring.shape.rank());
  if (position < 0) builder.Reject(Stage::kFrontend, fmt::format("position is {}", position));
  if (!builder.ok()) return shape;
  shape.outer = ring.shape.Product(0, axis);
  shape.extent = ring.shape[axis];
  shape.bytes = ring.shape.Product(axis + 1, ring.shape.rank()) * ElementSize(ring.element);
  shape.first = position % shape.extent;
  return shape;
}

Built BuildRingRead(OpBuilder& builder) {
  const Operand state = builder.State("input");
  int axis = 0;
  RingShape ring = ReadRing(builder, state.type, axis);
  ring.count = builder.Int("size");
  if (!builder.ok()) return nullptr;
  if (ring.count < 1 || ring.count > ring.extent) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("size {} does not fit a ring of {}", ring.count, ring.extent));
    return nullptr;
  }
  TensorType result = state.type;
  result.shape[axis] = ring.count;
  builder.Reads(state);
  builder.Output(result);
  return std::make_unique<RingKernel>(ring, false);
}

Built BuildRingWrite(OpBuilder& builder) {
  const Operand state = builder.State("input");
  const Operand data = builder.Tensor("data");
  int axis = 0;
  RingShape ring = ReadRing(builder, state.type, axis);
  if (!builder.ok()) return nullptr;
  const bool alike = data.type.shape.rank() == state.type.shape.rank();
  ring.count = alike ? data.type.shape[axis] : 0;
  TensorType wanted = state.type;
  wanted.shape[axis] = ring.count;
  if (ring.count < 1 || ring.count > ring.extent || data.type != wanted) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("data {} does not fit the ring {} on axis {}", data.type.ToString(),
                               state.type.ToString(), axis));
    return nullptr;
  }
  builder.Writes(state);
  return std::make_unique<RingKernel>(ring, true);
}

constexpr OpRow kRows[] = {
    {"read_state", BuildRead},
    {"write_state", BuildWrite},
    {"tensor_buffer_to_tensor", BuildRead},
    {"tensor_to_tensor_buffer", BuildWrite},
    {"circular_buffer_to_tensor", BuildRingRead},
    {"tensor_to_circular_buffer", BuildRingWrite},
};

}  // namespace

std::span<const OpRow> StateRows() { return kRows; }

}  // namespace anecheck::device
