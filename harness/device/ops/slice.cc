// Slices. On A13 and A14 a slice that starts inside the width axis passes through a fixed-point
// gain of 16 (D02).
#include <fmt/format.h>
#include <memory>

#include "harness/device/half_block.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/strided_copy.h"

namespace anecheck::device {
namespace {

struct SliceShape {
  Element element = Element::kFp16;
  Shape result;
  Strides strides{};  // the strides of the input multiplied by the slice's steps
  int64_t first = 0;  // index of the slice's first element
  bool gain = false;  // D02
};

class SliceKernel : public Kernel {
 public:
  explicit SliceKernel(const SliceShape& shape)
      : shape_(shape), dense_(DenseStrides(shape.result)) {}

  void Run(const Invocation& call) const override {
    const int64_t size = ElementSize(shape_.element);
    CopyStrided(shape_.result, size, static_cast<const char*>(call.inputs[0]) + shape_.first * size,
                shape_.strides, call.outputs[0], dense_);
    if (shape_.gain) PassGain(static_cast<uint16_t*>(call.outputs[0]));
  }

 private:
  // The value times 16 must fit fp16. 4094 is the greatest integer that passes.
  void PassGain(uint16_t* halves) const {
    const int64_t count = shape_.result.Elements();
    for (int64_t i = 0; i < count; ++i) {
      const Half half{halves[i]};
      if (half.IsNan()) continue;
      const float scaled = LoadHalf(half.bits) * 16.0f;
      if (Half{StoreHalfNearestEven(scaled)}.IsInf()) {
        halves[i] = static_cast<uint16_t>((half.bits & 0x8000) | 0x7c00);
      }
    }
  }

  SliceShape shape_;
  Strides dense_;
};

// By MIL's definition, a size of -1 means all elements from begin to the end of the axis.
std::unique_ptr<const Kernel> BuildSliceBySize(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const IntList begin = builder.Ints("begin");
  const IntList size = builder.Ints("size");
  if (!builder.ok()) return nullptr;
  const int rank = x.type.shape.rank();
  if (begin.size() != static_cast<size_t>(rank) || size.size() != begin.size()) {
    builder.Reject(Stage::kFrontend, fmt::format("begin and size need {} entries", rank));
    return nullptr;
  }
  SliceShape shape;
  shape.element = x.type.element;
  shape.strides = DenseStrides(x.type.shape);
  for (int axis = 0; axis < rank; ++axis) {
    const auto a = static_cast<size_t>(axis);
    const int64_t extent = x.type.shape[axis];
    int64_t from = begin[a] < 0 ? begin[a] + extent : begin[a];
    const int64_t count = size[a] == -1 ? extent - from : size[a];
    if (from < 0 || from >= extent || count < 1 || count > extent - from) {
      builder.Reject(Stage::kFrontend, fmt::format("axis {}: begin {} size {} is outside 0 to {}",
                                                   axis, begin[a], size[a], extent));
      return nullptr;
    }
    if (axis == rank - 1 && from != 0 && shape.element == Element::kFp16) {
      shape.gain = builder.model().crop_gain;
    }
    if (builder.model().Has(Planted::kSliceOffByOne) && from > 0) --from;
    shape.first += from * shape.strides[a];
    shape.result.Append(count);
  }
  builder.Output({shape.element, shape.result});
  return std::make_unique<SliceKernel>(shape);
}

constexpr OpRow kRows[] = {{"slice_by_size", BuildSliceBySize}};

}  // namespace

std::span<const OpRow> SliceRows() { return kRows; }

}  // namespace anecheck::device
