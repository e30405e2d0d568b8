// Reads at computed positions. For an index out of range, the engine is assumed to read the nearest
// element, because no source describes its behaviour and a read must stay inside the tensor.
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <memory>

#include "harness/device/half_block.h"
#include "harness/device/op_table.h"

namespace anecheck::device {
namespace {

using Built = std::unique_ptr<const Kernel>;

bool IsIndex(Element element) {
  const mil::DataClass data_class = mil::DataTypeClass(element);
  return data_class == mil::DataClass::kSigned || data_class == mil::DataClass::kUnsigned;
}

int64_t ReadIndex(const Invocation& call, Element element, int64_t at, int64_t extent) {
  int64_t index = 0;
  LoadInts(element, call.Input<uint8_t>(1) + at * ElementSize(element), 1, 1, &index);
  return std::clamp<int64_t>(index < 0 ? index + extent : index, 0, extent - 1);
}

// The operands that all gather operations have.
struct Operands {
  Operand x;
  Operand indices;
  int axis = 0;
  int64_t batch = 0;  // number of axes that x and the indices share
};

Operands ReadOperands(OpBuilder& builder, bool has_axis, bool has_batch) {
  Operands operands;
  operands.x = builder.Tensor("x");
  operands.indices = builder.Tensor("indices");
  const int64_t given = has_axis ? builder.Int("axis", 0) : 0;
  if (has_batch) operands.batch = builder.Int("batch_dims", 0);
  builder.Bool("validate_indices", false);
  if (has_axis && builder.ok()) {
    operands.axis = builder.Axis("axis", given, operands.x.type.shape.rank());
  }
  return operands;
}

Built Refuse(OpBuilder& builder, const Operands& operands) {
  builder.Reject(Stage::kValidator,
                 fmt::format("indices {} do not fit {}", operands.indices.type.ToString(),
                             operands.x.type.ToString()));
  return nullptr;
}

// Writes `count` runs of `bytes` bytes. Run i is a copy of run place(i) of x.
template <typename Place>
void CopyRuns(const Invocation& call, int64_t count, int64_t bytes, const Place& place) {
  const auto* x = static_cast<const char*>(call.inputs[0]);
  auto* to = static_cast<char*>(call.outputs[0]);
  for (int64_t i = 0; i < count; ++i, to += bytes) {
    std::memcpy(to, x + place(i) * bytes, static_cast<size_t>(bytes));
  }
}

struct GatherShape {
  int64_t size = 2;  // bytes of an element
  Element index = Element::kInt32;
  int64_t batches = 1;  // number of positions along the axes that x and the indices share
  int64_t outer = 1;    // number of positions of x before the axis, in one batch
  int64_t count = 1;    // number of indices, in one batch
  int64_t extent = 1;   // extent of the axis
  int64_t inner = 1;    // number of elements behind the axis
  int64_t shift = 0;    // added to each index, modulo the extent
};

class GatherKernel : public Kernel {
 public:
  explicit GatherKernel(const GatherShape& shape) : shape_(shape) {}
  void Run(const Invocation& call) const override {
    const GatherShape& s = shape_;
    CopyRuns(call, s.batches * s.outer * s.count, s.inner * s.size, [&](int64_t i) {
      const int64_t line = i / s.count;
      const int64_t at = line / s.outer * s.count + i % s.count;
      return line * s.extent + (ReadIndex(call, s.index, at, s.extent) + s.shift) % s.extent;
    });
  }

 private:
  GatherShape shape_;
};

Built BuildGather(OpBuilder& builder) {
  const Operands operands = ReadOperands(builder, true, true);
  if (!builder.ok()) return nullptr;
  const Shape& shape = operands.x.type.shape;
  const Shape& own = operands.indices.type.shape;
  const int axis = operands.axis;
  const Element index = operands.indices.type.element;
  bool fits = IsIndex(index) && operands.batch >= 0 && operands.batch <= axis &&
              operands.batch <= own.rank();
  for (int i = 0; fits && i < operands.batch; ++i) fits = shape[i] == own[i];
  const auto shared = static_cast<int>(operands.batch);
  if (!fits || shape.rank() - 1 + own.rank() - shared > Shape::kMaxRank) {
    return Refuse(builder, operands);
  }
  Shape result;
  for (int i = 0; i < axis; ++i) result.Append(shape[i]);
  for (int i = shared; i < own.rank(); ++i) result.Append(own[i]);
  for (int i = axis + 1; i < shape.rank(); ++i) result.Append(shape[i]);
  builder.Output({operands.x.type.element, result});
  // D27: the gather reads wrong elements of the axis. No source says which elements it reads; the
  // engine is assumed to read the next one.
  const bool wrong = axis == shape.rank() - 1 && builder.QuirkOn("D27");
  return std::make_unique<GatherKernel>(GatherShape{.size = ElementSize(operands.x.type.element),
                                                    .index = index,
                                                    .batches = shape.Product(0, shared),
                                                    .outer = shape.Product(shared, axis),
                                                    .count = own.Product(shared, own.rank()),
                                                    .extent = shape[axis],
                                                    .inner = shape.Product(axis + 1, shape.rank()),
                                                    .shift = wrong ? 1 : 0});
}

// Reads one element for each index.
class AlongAxisKernel : public Kernel {
 public:
  explicit AlongAxisKernel(const GatherShape& shape) : shape_(shape) {}
  void Run(const Invocation& call) const override {
    const GatherShape& s = shape_;
    CopyRuns(call, s.outer * s.count * s.inner, s.size, [&](int64_t i) {
      const int64_t outer = i / (s.count * s.inner);
      return (outer * s.extent + ReadIndex(call, s.index, i, s.extent)) * s.inner + i % s.inner;
    });
  }

 private:
  GatherShape shape_;
};

Built BuildGatherAlongAxis(OpBuilder& builder) {
  const Operands operands = ReadOperands(builder, true, false);
  if (!builder.ok()) return nullptr;
  const Shape& shape = operands.x.type.shape;
  const Shape& own = operands.indices.type.shape;
  const int axis = operands.axis;
  const Element index = operands.indices.type.element;
  bool fits = IsIndex(index) && own.rank() == shape.rank();
  for (int i = 0; fits && i < own.rank(); ++i) fits = i == axis || shape[i] == own[i];
  if (!fits) return Refuse(builder, operands);
  builder.Output({operands.x.type.element, own});
  return std::make_unique<AlongAxisKernel>(
      GatherShape{.size = ElementSize(operands.x.type.element),
                  .index = index,
                  .outer = shape.Product(0, axis),
                  .count = own[axis],
                  .extent = shape[axis],
                  .inner = shape.Product(axis + 1, shape.rank())});
}

// Each index vector gives a position along the axes that follow the shared axes.
struct GatherNdShape {
  int64_t size = 2;  // bytes of an element
  Element index = Element::kInt32;
  int64_t batches = 1;
  int64_t vectors = 1;  // number of index vectors in one batch
  Shape extents;        // extents of the axes along which a vector gives the position
  int64_t inner = 1;    // number of elements read together
};

class GatherNdKernel : public Kernel {
 public:
  GatherNdKernel(const GatherNdShape& shape, bool batch_reused)
      : shape_(shape), batch_reused_(batch_reused) {}
  void Run(const Invocation& call) const override {
    const GatherNdShape& s = shape_;
    const int named = s.extents.rank();
    CopyRuns(call, s.batches * s.vectors, s.inner * s.size, [&](int64_t i) {
      int64_t place = batch_reused_ ? 0 : i / s.vectors;
      for (int axis = 0; axis < named; ++axis) {
        place =
            place * s.extents[axis] + ReadIndex(call, s.index, i * named + axis, s.extents[axis]);
      }
      return place;
    });
  }

 private:
  GatherNdShape shape_;
  bool batch_reused_;
};

Built BuildGatherNd(OpBuilder& builder) {
  const Operands operands = ReadOperands(builder, false, true);
  if (!builder.ok()) return nullptr;
  const Shape& shape = operands.x.type.shape;
  const Shape& own = operands.indices.type.shape;
  const Element index = operands.indices.type.element;
  bool fits = IsIndex(index) && operands.batch >= 0 && operands.batch < own.rank();
  const int64_t named = fits ? own[own.rank() - 1] : 0;
  fits = fits && named >= 1 && operands.batch + named <= shape.rank();
  for (int i = 0; fits && i < operands.batch; ++i) fits = shape[i] == own[i];
  const auto shared = static_cast<int>(operands.batch);
  const int first_kept = shared + static_cast<int>(named);
  if (!fits || own.rank() - 1 + shape.rank() - first_kept > Shape::kMaxRank) {
    return Refuse(builder, operands);
  }
  GatherNdShape gather{.size = ElementSize(operands.x.type.element),
                       .index = index,
                       .batches = shape.Product(0, shared),
                       .vectors = own.Product(shared, own.rank() - 1),
                       .extents = {},
                       .inner = shape.Product(first_kept, shape.rank())};
  for (int i = shared; i < first_kept; ++i) gather.extents.Append(shape[i]);
  Shape result;
  for (int i = 0; i + 1 < own.rank(); ++i) result.Append(own[i]);
  for (int i = first_kept; i < shape.rank(); ++i) result.Append(shape[i]);
  builder.Output({operands.x.type.element, result});
  return std::make_unique<GatherNdKernel>(gather, builder.model().Has(Planted::kBatchReused));
}

constexpr OpRow kRows[] = {
    {"gather", BuildGather},
    {"gather_nd", BuildGatherNd},
    {"gather_along_axis", BuildGatherAlongAxis},
};

}  // namespace

std::span<const OpRow> GatherRows() { return kRows; }

}  // namespace anecheck::device
