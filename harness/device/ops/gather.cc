// Reading at computed places. An index out of range reads the nearest element: what the engine does
// there is published nowhere, and it must not leave its memory.
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

int64_t ReadIndex(Element element, const void* indices, int64_t at, int64_t extent) {
  int64_t index = 0;
  LoadInts(element, static_cast<const uint8_t*>(indices) + at * ElementSize(element), 1, 1, &index);
  return std::clamp<int64_t>(index < 0 ? index + extent : index, 0, extent - 1);
}

struct GatherShape {
  int64_t size = 2;  // bytes of an element
  Element index = Element::kInt32;
  int64_t batches = 1;  // positions that x and the indices share
  int64_t outer = 1;    // positions of x before the axis, in one batch
  int64_t count = 1;    // indices, in one batch
  int64_t extent = 1;   // of the axis
  int64_t inner = 1;    // elements read together
  int64_t shift = 0;    // added to each index, round the axis
};

class GatherKernel : public Kernel {
 public:
  explicit GatherKernel(const GatherShape& shape) : shape_(shape) {}
  void Run(const Invocation& call) const override {
    const GatherShape& s = shape_;
    const int64_t run = s.inner * s.size;
    const auto* x = static_cast<const char*>(call.inputs[0]);
    auto* to = static_cast<char*>(call.outputs[0]);
    for (int64_t batch = 0; batch < s.batches; ++batch) {
      for (int64_t outer = 0; outer < s.outer; ++outer) {
        const char* line = x + (batch * s.outer + outer) * s.extent * run;
        for (int64_t k = 0; k < s.count; ++k, to += run) {
          const int64_t index = ReadIndex(s.index, call.inputs[1], batch * s.count + k, s.extent);
          std::memcpy(to, line + (index + s.shift) % s.extent * run, static_cast<size_t>(run));
        }
      }
    }
  }

 private:
  GatherShape shape_;
};

Built BuildGather(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const Operand indices = builder.Tensor("indices");
  const int64_t given = builder.Int("axis", 0);
  const int64_t batch = builder.Int("batch_dims", 0);
  builder.Bool("validate_indices", false);
  if (!builder.ok()) return nullptr;
  const Shape& shape = x.type.shape;
  const Shape& own = indices.type.shape;
  const int axis = builder.Axis("axis", given, shape.rank());
  if (!builder.ok()) return nullptr;
  bool fits = IsIndex(indices.type.element) && batch >= 0 && batch <= axis && batch <= own.rank();
  for (int i = 0; fits && i < batch; ++i) fits = shape[i] == own[i];
  const auto shared = static_cast<int>(batch);
  if (!fits || shape.rank() - 1 + own.rank() - shared > Shape::kMaxRank) {
    builder.Reject(Stage::kValidator, fmt::format("indices {} do not fit {}",
                                                  indices.type.ToString(), x.type.ToString()));
    return nullptr;
  }
  Shape result;
  for (int i = 0; i < axis; ++i) result.Append(shape[i]);
  for (int i = shared; i < own.rank(); ++i) result.Append(own[i]);
  for (int i = axis + 1; i < shape.rank(); ++i) result.Append(shape[i]);
  builder.Output({x.type.element, result});
  // D27: wrong elements of the axis. Which ones is published nowhere; the next one is assumed.
  const bool wrong = axis == shape.rank() - 1 && builder.QuirkOn("D27");
  return std::make_unique<GatherKernel>(GatherShape{.size = ElementSize(x.type.element),
                                                    .index = indices.type.element,
                                                    .batches = shape.Product(0, shared),
                                                    .outer = shape.Product(shared, axis),
                                                    .count = own.Product(shared, own.rank()),
                                                    .extent = shape[axis],
                                                    .inner = shape.Product(axis + 1, shape.rank()),
                                                    .shift = wrong ? 1 : 0});
}

// One index an element.
class AlongAxisKernel : public Kernel {
 public:
  explicit AlongAxisKernel(const GatherShape& shape) : shape_(shape) {}
  void Run(const Invocation& call) const override {
    const GatherShape& s = shape_;
    const auto* x = static_cast<const char*>(call.inputs[0]);
    auto* to = static_cast<char*>(call.outputs[0]);
    for (int64_t outer = 0; outer < s.outer; ++outer) {
      for (int64_t k = 0; k < s.count; ++k) {
        for (int64_t inner = 0; inner < s.inner; ++inner, to += s.size) {
          const int64_t at = (outer * s.count + k) * s.inner + inner;
          const int64_t index = ReadIndex(s.index, call.inputs[1], at, s.extent);
          const int64_t from = (outer * s.extent + index) * s.inner + inner;
          std::memcpy(to, x + from * s.size, static_cast<size_t>(s.size));
        }
      }
    }
  }

 private:
  GatherShape shape_;
};

Built BuildGatherAlongAxis(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const Operand indices = builder.Tensor("indices");
  const int64_t given = builder.Int("axis", 0);
  builder.Bool("validate_indices", false);
  if (!builder.ok()) return nullptr;
  const Shape& shape = x.type.shape;
  const Shape& own = indices.type.shape;
  const int axis = builder.Axis("axis", given, shape.rank());
  if (!builder.ok()) return nullptr;
  bool fits = IsIndex(indices.type.element) && own.rank() == shape.rank();
  for (int i = 0; fits && i < own.rank(); ++i) fits = i == axis || shape[i] == own[i];
  if (!fits) {
    builder.Reject(Stage::kValidator, fmt::format("indices {} do not fit {}",
                                                  indices.type.ToString(), x.type.ToString()));
    return nullptr;
  }
  builder.Output({x.type.element, own});
  return std::make_unique<AlongAxisKernel>(
      GatherShape{.size = ElementSize(x.type.element),
                  .index = indices.type.element,
                  .outer = shape.Product(0, axis),
                  .count = own[axis],
                  .extent = shape[axis],
                  .inner = shape.Product(axis + 1, shape.rank())});
}

// An index vector names a place along the axes after the shared ones.
struct GatherNdShape {
  int64_t size = 2;  // bytes of an element
  Element index = Element::kInt32;
  int64_t batches = 1;
  int64_t vectors = 1;  // in one batch
  Shape extents;        // of the axes that a vector names
  int64_t inner = 1;    // elements read together
};

class GatherNdKernel : public Kernel {
 public:
  GatherNdKernel(const GatherNdShape& shape, bool batch_reused)
      : shape_(shape), batch_reused_(batch_reused) {}
  void Run(const Invocation& call) const override {
    const GatherNdShape& s = shape_;
    const auto* x = static_cast<const char*>(call.inputs[0]);
    auto* to = static_cast<char*>(call.outputs[0]);
    const int64_t run = s.inner * s.size;
    const int named = s.extents.rank();
    for (int64_t i = 0; i < s.batches * s.vectors; ++i, to += run) {
      int64_t place = batch_reused_ ? 0 : i / s.vectors;
      for (int axis = 0; axis < named; ++axis) {
        place = place * s.extents[axis] +
                ReadIndex(s.index, call.inputs[1], i * named + axis, s.extents[axis]);
      }
      std::memcpy(to, x + place * run, static_cast<size_t>(run));
    }
  }

 private:
  GatherNdShape shape_;
  bool batch_reused_;
};

Built BuildGatherNd(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const Operand indices = builder.Tensor("indices");
  const int64_t batch = builder.Int("batch_dims", 0);
  builder.Bool("validate_indices", false);
  if (!builder.ok()) return nullptr;
  const Shape& shape = x.type.shape;
  const Shape& own = indices.type.shape;
  bool fits = IsIndex(indices.type.element) && batch >= 0 && batch < own.rank();
  const int64_t named = fits ? own[own.rank() - 1] : 0;
  fits = fits && named >= 1 && batch + named <= shape.rank();
  for (int i = 0; fits && i < batch; ++i) fits = shape[i] == own[i];
  const auto shared = static_cast<int>(batch);
  const int first_kept = shared + static_cast<int>(named);
  if (!fits || own.rank() - 1 + shape.rank() - first_kept > Shape::kMaxRank) {
    builder.Reject(Stage::kValidator, fmt::format("indices {} do not fit {}",
                                                  indices.type.ToString(), x.type.ToString()));
    return nullptr;
  }
  GatherNdShape gather{.size = ElementSize(x.type.element),
                       .index = indices.type.element,
                       .batches = shape.Product(0, shared),
                       .vectors = own.Product(shared, own.rank() - 1),
                       .extents = {},
                       .inner = shape.Product(first_kept, shape.rank())};
  for (int i = shared; i < first_kept; ++i) gather.extents.Append(shape[i]);
  Shape result;
  for (int i = 0; i + 1 < own.rank(); ++i) result.Append(own[i]);
  for (int i = first_kept; i < shape.rank(); ++i) result.Append(shape[i]);
  builder.Output({x.type.element, result});
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
