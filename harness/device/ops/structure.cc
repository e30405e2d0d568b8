// Operations that change the shape of a tensor or make a new tensor.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "harness/device/op_table.h"
#include "harness/device/ops/region_kernel.h"

namespace anecheck::device {
namespace {

using Built = std::unique_ptr<const Kernel>;

// Gives the elements of `x` another shape.
Built Renamed(OpBuilder& builder, const TensorType& x, const Shape& shape) {
  if (shape.Elements() != x.shape.Elements()) {
    builder.Reject(Stage::kFrontend, fmt::format("{} has another number of elements than {}",
                                                 shape.ToString(), x.shape.ToString()));
    return nullptr;
  }
  builder.Output({x.element, shape});
  return std::make_unique<RegionKernel>(ElementSize(x.element),
                                        std::vector<Region>{WholeRegion(x.shape.Elements())});
}

bool Append(OpBuilder& builder, Shape& shape, int64_t extent) {
  if (shape.rank() < Shape::kMaxRank) {
    shape.Append(extent);
    return true;
  }
  builder.Reject(Stage::kFrontend, "the result has too many axes");
  return false;
}

Built BuildIdentity(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  if (!builder.ok()) return nullptr;
  return Renamed(builder, x.type, x.type.shape);
}

Built BuildExpandDims(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const IntList axes = builder.Ints("axes");
  if (!builder.ok()) return nullptr;
  const int rank = x.type.shape.rank() + static_cast<int>(axes.size());
  if (rank > Shape::kMaxRank) {
    builder.Reject(Stage::kFrontend, "the result has too many axes");
    return nullptr;
  }
  const uint32_t mask = axes.empty() ? 0 : builder.Axes("axes", rank);
  if (!builder.ok()) return nullptr;
  Shape shape;
  int next = 0;
  for (int axis = 0; axis < rank; ++axis) {
    shape.Append((mask >> axis & 1) != 0 ? 1 : x.type.shape[next++]);
  }
  return Renamed(builder, x.type, shape);
}

Built BuildSqueeze(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  if (!builder.ok()) return nullptr;
  const bool all = !builder.Has("axes");
  const uint32_t mask = builder.Axes("axes", x.type.shape.rank());
  if (!builder.ok()) return nullptr;
  Shape shape;
  for (int axis = 0; axis < x.type.shape.rank(); ++axis) {
    const int64_t extent = x.type.shape[axis];
    const bool drop = (mask >> axis & 1) != 0 && (extent == 1 || !all);
    if (drop && extent != 1) {
      builder.Reject(Stage::kFrontend, fmt::format("axis {} has extent {}", axis, extent));
      return nullptr;
    }
    if (!drop) shape.Append(extent);
  }
  return Renamed(builder, x.type, shape);
}

Built BuildFlatten2d(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const int64_t given = builder.Int("axis", 1);
  if (!builder.ok()) return nullptr;
  const int rank = x.type.shape.rank();
  const auto axis = static_cast<int>(given < 0 ? given + rank : given);
  if (axis < 0 || axis > rank) {
    builder.Reject(Stage::kFrontend, fmt::format("axis {} is outside rank {}", given, rank));
    return nullptr;
  }
  return Renamed(builder, x.type,
                 Shape{x.type.shape.Product(0, axis), x.type.shape.Product(axis, rank)});
}

Built BuildReshapeLike(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const std::vector<Operand> references = builder.Tensors("ref_tensors");
  const IntList begins = builder.Tuple("begins");
  const IntList ends = builder.Tuple("ends");
  const IntList masks = builder.Tuple("end_masks");
  if (!builder.ok()) return nullptr;
  const size_t count = references.size();
  if (begins.size() != count || ends.size() != count || masks.size() != count) {
    builder.Reject(Stage::kFrontend, "begins, ends and end_masks need one entry per reference");
    return nullptr;
  }
  Shape shape;
  for (size_t i = 0; i < count; ++i) {
    const Shape& reference = references[i].type.shape;
    const auto from_front = [&](int64_t at) { return at < 0 ? at + reference.rank() : at; };
    const int64_t end =
        masks[i] != 0 ? reference.rank() : std::min<int64_t>(reference.rank(), from_front(ends[i]));
    for (int64_t axis = std::max<int64_t>(0, from_front(begins[i])); axis < end; ++axis) {
      if (!Append(builder, shape, reference[static_cast<int>(axis)])) return nullptr;
    }
  }
  return Renamed(builder, x.type, shape);
}

Built BuildStack(OpBuilder& builder) {
  const std::vector<Operand> values = builder.Tensors("values");
  const int64_t given = builder.Int("axis");
  if (!builder.ok()) return nullptr;
  if (values.empty()) {
    builder.Reject(Stage::kFrontend, "values is empty");
    return nullptr;
  }
  const TensorType& first = values.front().type;
  const int axis = builder.Axis("axis", given, first.shape.rank() + 1);
  if (!builder.ok()) return nullptr;
  Shape shape;
  for (int i = 0; i <= first.shape.rank(); ++i) {
    if (i == axis && !Append(builder, shape, static_cast<int64_t>(values.size()))) return nullptr;
    if (i < first.shape.rank() && !Append(builder, shape, first.shape[i])) return nullptr;
  }
  // Each operand consists of `outer` runs of `inner` elements. The result takes the runs of the
  // operands in turn.
  const int64_t outer = first.shape.Product(0, axis);
  const int64_t inner = first.shape.Product(axis, first.shape.rank());
  const auto count = static_cast<int64_t>(values.size());
  std::vector<Region> regions;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].type != first) {
      builder.Reject(Stage::kValidator, "both concat inputs must have the same layout");
      return nullptr;
    }
    regions.push_back({.extents = Shape{outer, inner},
                       .input = i,
                       .from = {inner, 1},
                       .to_first = static_cast<int64_t>(i) * inner,
                       .to = {count * inner, 1}});
  }
  builder.Output({first.element, shape});
  return std::make_unique<RegionKernel>(ElementSize(first.element), std::move(regions));
}

Built BuildSplit(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const int64_t given = builder.Int("axis");
  IntList sizes = builder.Ints("split_sizes", IntList{});
  const int64_t parts = builder.Int("num_splits", static_cast<int64_t>(sizes.size()));
  if (!builder.ok()) return nullptr;
  const Shape& shape = x.type.shape;
  const int axis = builder.Axis("axis", given, shape.rank());
  if (!builder.ok()) return nullptr;
  if (sizes.empty() && parts > 0 && parts <= static_cast<int64_t>(IntList::kCapacity)) {
    for (int64_t i = 0; i < parts; ++i) sizes.Append(shape[axis] / parts);
  }
  int64_t total = 0;
  for (const int64_t size : sizes) total += size < 1 ? shape[axis] + 1 : size;
  if (sizes.empty() || static_cast<int64_t>(sizes.size()) != parts || total != shape[axis]) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("the parts do not make up an axis of {}", shape[axis]));
    return nullptr;
  }
  const int64_t outer = shape.Product(0, axis);
  const int64_t step = shape.Product(axis + 1, shape.rank());
  std::vector<Region> regions;
  int64_t start = 0;
  for (const int64_t size : sizes) {
    regions.push_back({.extents = Shape{outer, size * step},
                       .from_first = start * step,
                       .from = {shape[axis] * step, 1},
                       .output = regions.size(),
                       .to = {size * step, 1}});
    Shape part = shape;
    part[axis] = size;
    builder.Output({x.type.element, part});
    start += size;
  }
  return std::make_unique<RegionKernel>(ElementSize(x.type.element), std::move(regions));
}

// Fills the shape with one constant. By MIL's definition the default constant is an fp32 zero.
Built Filled(OpBuilder& builder, const Shape& shape) {
  Element element = Element::kFp32;
  std::vector<uint8_t> bytes(4, 0);
  if (builder.Has("value")) {
    const Operand value = builder.Tensor("value");
    if (!builder.ok()) return nullptr;
    if (value.constant == nullptr || value.type.shape.Elements() != 1) {
      builder.Reject(Stage::kFrontend, "value must be a constant scalar");
      return nullptr;
    }
    element = value.type.element;
    bytes = value.constant->data;
  }
  builder.Output({element, shape});
  return std::make_unique<RegionKernel>(ElementSize(element), std::vector<Region>{},
                                        std::move(bytes), shape.Elements());
}

Built BuildFill(OpBuilder& builder) {
  const IntList dims = builder.Ints("shape");
  if (!builder.ok()) return nullptr;
  Shape shape;
  int64_t elements = 1;
  for (const int64_t dim : dims) {
    if (dim < 1 || elements > (int64_t{1} << 31) / dim) {
      builder.Reject(Stage::kFrontend, fmt::format("extent {} is not possible", dim));
      return nullptr;
    }
    elements *= dim;
    if (!Append(builder, shape, dim)) return nullptr;
  }
  return Filled(builder, shape);
}

Built BuildFillLike(OpBuilder& builder) {
  const Operand reference = builder.Tensor("ref_tensor");
  if (!builder.ok()) return nullptr;
  return Filled(builder, reference.type.shape);
}

constexpr OpRow kRows[] = {
    {"identity", BuildIdentity},  {"expand_dims", BuildExpandDims},
    {"squeeze", BuildSqueeze},    {"flatten2d", BuildFlatten2d},
    {"stack", BuildStack},        {"reshape_like", BuildReshapeLike},
    {"split", BuildSplit},        {"fill", BuildFill},
    {"fill_like", BuildFillLike},
};

}  // namespace

std::span<const OpRow> StructureRows() { return kRows; }

}  // namespace anecheck::device
