// Operations that select, repeat or reorder the elements of one tensor by rules known at compile
// time. They are lists of regions to copy.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <vector>

#include "harness/device/op_table.h"
#include "harness/device/ops/region_kernel.h"

namespace anecheck::device {
namespace {

using Built = std::unique_ptr<const Kernel>;

Built Copies(const TensorType& type, std::vector<Region> regions) {
  return std::make_unique<RegionKernel>(ElementSize(type.element), std::move(regions));
}

// The part of a tensor that the arguments begin, end, stride and the masks select.
struct Slice {
  Shape kept;     // extents of the axes that the result keeps
  Shape extents;  // extents of every axis
  Strides strides{};
  int64_t first = 0;
};

std::optional<Slice> ReadSlice(OpBuilder& builder, const Shape& x) {
  const IntList begin = builder.Ints("begin");
  const IntList end = builder.Ints("end");
  const IntList stride = builder.Ints("stride", IntList{});
  const IntList begin_mask = builder.Bools("begin_mask");
  const IntList end_mask = builder.Bools("end_mask");
  const IntList squeeze_mask = builder.Bools("squeeze_mask");
  if (!builder.ok()) return std::nullopt;
  const auto rank = static_cast<size_t>(x.rank());
  const auto fits = [&](const IntList& list) { return list.empty() || list.size() == rank; };
  if (begin.size() != rank || end.size() != rank || !fits(stride) || !fits(begin_mask) ||
      !fits(end_mask) || !fits(squeeze_mask)) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("a slice of rank {} needs {} entries", rank, rank));
    return std::nullopt;
  }
  const auto flag = [](const IntList& mask, size_t axis) {
    return !mask.empty() && mask[axis] != 0;
  };
  const Strides dense = DenseStrides(x);
  Slice slice;
  for (size_t axis = 0; axis < rank; ++axis) {
    const int64_t extent = x[static_cast<int>(axis)];
    const int64_t step = stride.empty() ? 1 : stride[axis];
    if (step == 0) {
      builder.Reject(Stage::kFrontend, "a stride is 0");
      return std::nullopt;
    }
    const bool indexed = flag(squeeze_mask, axis);  // one element, for any stride and end
    const bool forward = step > 0 || indexed;
    int64_t from = begin[axis] < 0 ? begin[axis] + extent : begin[axis];
    int64_t to = end[axis] < 0 ? end[axis] + extent : end[axis];
    if (flag(begin_mask, axis)) from = forward ? 0 : extent - 1;
    if (flag(end_mask, axis)) to = forward ? extent : -1;
    if (!indexed) from = forward ? std::max<int64_t>(0, from) : std::min(extent - 1, from);
    to = forward ? std::min(extent, to) : std::max<int64_t>(-1, to);
    int64_t count = 0;
    if (forward && to > from) count = (to - from - 1) / std::abs(step) + 1;
    if (!forward && from > to) count = (from - to - 1) / -step + 1;
    if (indexed) count = 1;
    if (count < 1 || from < 0 || from >= extent) {
      builder.Reject(Stage::kFrontend,
                     fmt::format("axis {}: the slice takes none of {} elements", axis, extent));
      return std::nullopt;
    }
    slice.first += from * dense[axis];
    slice.strides[axis] = step * dense[axis];
    slice.extents.Append(count);
    if (!indexed) slice.kept.Append(count);
  }
  return slice;
}

Built BuildSliceByIndex(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  if (!builder.ok()) return nullptr;
  const auto slice = ReadSlice(builder, x.type.shape);
  if (!slice) return nullptr;
  builder.Output({x.type.element, slice->kept});
  return Copies(x.type, {{.extents = slice->extents,
                          .from_first = slice->first,
                          .from = slice->strides,
                          .to = DenseStrides(slice->extents)}});
}

Built BuildSliceUpdate(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const Operand update = builder.Tensor("update");
  if (!builder.ok()) return nullptr;
  const auto slice = ReadSlice(builder, x.type.shape);
  if (!slice) return nullptr;
  if (update.type != TensorType{x.type.element, slice->kept}) {
    builder.Reject(Stage::kFrontend, fmt::format("update is {}, but the slice has {}",
                                                 update.type.ToString(), slice->kept.ToString()));
    return nullptr;
  }
  builder.Output(x.type);
  return Copies(x.type, {WholeRegion(x.type.shape.Elements()),
                         {.extents = slice->extents,
                          .input = 1,
                          .from = DenseStrides(slice->extents),
                          .to_first = slice->first,
                          .to = slice->strides}});
}

Built BuildReverse(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  if (!builder.ok()) return nullptr;
  const Shape& shape = x.type.shape;
  const uint32_t mask = builder.Axes("axes", shape.rank());
  if (!builder.ok()) return nullptr;
  Region region{.extents = shape, .from = DenseStrides(shape), .to = DenseStrides(shape)};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if ((mask >> axis & 1) == 0) continue;
    int64_t& stride = region.from[static_cast<size_t>(axis)];
    region.from_first += (shape[axis] - 1) * stride;
    stride = -stride;
  }
  builder.Output(x.type);
  return Copies(x.type, {region});
}

Built BuildTile(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const IntList reps = builder.Ints("reps");
  if (!builder.ok()) return nullptr;
  const Shape& shape = x.type.shape;
  if (reps.size() != static_cast<size_t>(shape.rank())) {
    builder.Reject(Stage::kFrontend, fmt::format("reps needs {} entries", shape.rank()));
    return nullptr;
  }
  Shape result = shape;
  int64_t copies = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t times = reps[static_cast<size_t>(axis)];
    if (times < 1 || times > 65536 || copies * times > 65536) {
      builder.Reject(Stage::kFrontend, fmt::format("{} copies along axis {}", times, axis));
      return nullptr;
    }
    copies *= times;
    result[axis] *= times;
  }
  const Strides to = DenseStrides(result);
  std::vector<Region> regions;
  for (int64_t copy = 0; copy < copies; ++copy) {
    Region region{.extents = shape, .from = DenseStrides(shape), .to = to};
    int64_t rest = copy;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      const int64_t times = reps[static_cast<size_t>(axis)];
      region.to_first += rest % times * shape[axis] * to[static_cast<size_t>(axis)];
      rest /= times;
    }
    regions.push_back(region);
  }
  builder.Output({x.type.element, result});
  return Copies(x.type, std::move(regions));
}

Built BuildCrop(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const IntList height = builder.Ints("crop_height");
  const IntList width = builder.Ints("crop_width");
  if (!builder.ok()) return nullptr;
  Shape shape = x.type.shape;
  if (shape.rank() < 3 || height.size() != 2 || width.size() != 2) {
    builder.Reject(Stage::kFrontend, "crop takes two amounts for each of the last two axes");
    return nullptr;
  }
  Region region{.from = DenseStrides(shape)};
  for (const auto& [axis, amounts] :
       {std::pair{shape.rank() - 2, &height}, std::pair{shape.rank() - 1, &width}}) {
    const int64_t left = shape[axis] - (*amounts)[0] - (*amounts)[1];
    if ((*amounts)[0] < 0 || (*amounts)[1] < 0 || left < 1) {
      builder.Reject(Stage::kFrontend,
                     fmt::format("axis {} of {} is cropped away", axis, shape[axis]));
      return nullptr;
    }
    region.from_first += (*amounts)[0] * region.from[static_cast<size_t>(axis)];
    shape[axis] = left;
  }
  region.extents = shape;
  region.to = DenseStrides(shape);
  builder.Output({x.type.element, shape});
  return Copies(x.type, {region});
}

// ---- blocks: one region for each place in a block ----------------------------------------------

struct Blocks {
  int64_t factor = 1;
  bool place_first = true;  // channel numbers count first by position in the block; else by channel
};

// Checks the common arguments of the four operations. `name` is the argument that has the factor.
std::optional<Operand> ReadBlocks(OpBuilder& builder, std::string_view name, Blocks& blocks) {
  const Operand x = builder.Tensor("x");
  blocks.factor = builder.Int(name);
  if (!builder.ok()) return std::nullopt;
  if (x.type.shape.rank() != 4 || blocks.factor < 1 || blocks.factor > 64) {
    builder.Reject(Stage::kFrontend, "needs an operand of rank 4 and a factor of 1 to 64");
    return std::nullopt;
  }
  return x;
}

// Returns the regions between a tensor with many channels (`deep`) and one with large planes
// (`wide`).
std::vector<Region> BlockRegions(const Shape& deep, const Shape& wide, const Blocks& blocks,
                                 bool to_wide) {
  const Strides d = DenseStrides(deep);
  const Strides w = DenseStrides(wide);
  const int64_t f = blocks.factor;
  std::vector<Region> regions;
  for (int64_t place = 0; place < f * f; ++place) {
    const int64_t channel_step = blocks.place_first ? 1 : f * f;
    const int64_t first_channel = blocks.place_first ? place * wide[1] : place;
    const Strides in_deep = {d[0], channel_step * d[1], d[2], d[3]};
    const Strides in_wide = {w[0], w[1], f * w[2], f * w[3]};
    const int64_t deep_first = first_channel * d[1];
    const int64_t wide_first = place / f * w[2] + place % f * w[3];
    regions.push_back({.extents = Shape{deep[0], wide[1], deep[2], deep[3]},
                       .from_first = to_wide ? deep_first : wide_first,
                       .from = to_wide ? in_deep : in_wide,
                       .to_first = to_wide ? wide_first : deep_first,
                       .to = to_wide ? in_wide : in_deep});
  }
  return regions;
}

Built ToSpace(OpBuilder& builder, std::string_view name, bool place_first) {
  Blocks blocks{.place_first = place_first};
  const auto x = ReadBlocks(builder, name, blocks);
  if (!x) return nullptr;
  const Shape& deep = x->type.shape;
  const int64_t f = blocks.factor;
  if (deep[1] % (f * f) != 0) {
    builder.Reject(Stage::kValidator, fmt::format("returned invalid: {} channels", deep[1]));
    return nullptr;
  }
  const Shape wide = {deep[0], deep[1] / (f * f), deep[2] * f, deep[3] * f};
  builder.Output({x->type.element, wide});
  return Copies(x->type, BlockRegions(deep, wide, blocks, true));
}

Built ToDepth(OpBuilder& builder, std::string_view name, bool place_first) {
  Blocks blocks{.place_first = place_first};
  const auto x = ReadBlocks(builder, name, blocks);
  if (!x) return nullptr;
  const Shape& wide = x->type.shape;
  const int64_t f = blocks.factor;
  if (wide[2] % f != 0 || wide[3] % f != 0) {
    builder.Reject(Stage::kValidator, fmt::format("returned invalid: {}", wide.ToString()));
    return nullptr;
  }
  const Shape deep = {wide[0], wide[1] * f * f, wide[2] / f, wide[3] / f};
  builder.Output({x->type.element, deep});
  return Copies(x->type, BlockRegions(deep, wide, blocks, false));
}

Built BuildDepthToSpace(OpBuilder& builder) { return ToSpace(builder, "block_size", true); }
Built BuildPixelShuffle(OpBuilder& builder) { return ToSpace(builder, "upscale_factor", false); }
Built BuildSpaceToDepth(OpBuilder& builder) { return ToDepth(builder, "block_size", true); }
Built BuildPixelUnshuffle(OpBuilder& builder) {
  return ToDepth(builder, "downscale_factor", false);
}

// Block extents and margins of the operations on batches.
struct Batches {
  IntList block;
  std::vector<int64_t> margins;  // before and after, height then width
};

std::optional<Operand> ReadBatches(OpBuilder& builder, std::string_view name, Batches& batches) {
  const Operand x = builder.Tensor("x");
  batches.block = builder.Ints("block_shape");
  const std::optional<Operand> margins = builder.ConstantTensor(name);
  if (!builder.ok() || !margins) return std::nullopt;
  if (x.type.shape.rank() != 4 || batches.block.size() != 2 || batches.block[0] < 1 ||
      batches.block[1] < 1 || batches.block[0] > 1024 || batches.block[1] > 1024 ||
      margins->type.shape != Shape{2, 2}) {
    builder.Reject(Stage::kFrontend, "needs an operand of rank 4, two blocks and margins [2, 2]");
    return std::nullopt;
  }
  for (const float margin : ConstantFloats(*margins->constant)) {
    if (margin < 0 || margin > 65536) {
      builder.Reject(Stage::kFrontend, "a margin is not possible");
      return std::nullopt;
    }
    batches.margins.push_back(static_cast<int64_t>(margin));
  }
  return x;
}

// The indices k along one axis for which k * block + place - margin lies in [0, extent).
struct Run {
  int64_t first = 0;
  int64_t count = 0;
};
Run RunInside(int64_t block, int64_t place, int64_t margin, int64_t extent, int64_t most) {
  const int64_t shift = margin - place;  // k * block >= shift
  const int64_t first = shift <= 0 ? 0 : (shift + block - 1) / block;
  const int64_t last = extent - 1 + shift < 0 ? -1 : (extent - 1 + shift) / block;
  return {first, std::max<int64_t>(0, std::min(last, most - 1) - first + 1)};
}

// Returns the regions between a tensor of many images (`many`) and one of large planes (`large`).
std::vector<Region> BatchRegions(const Shape& many, const Shape& large, const Batches& batches,
                                 bool to_many) {
  const Strides m = DenseStrides(many);
  const Strides l = DenseStrides(large);
  const int64_t height = batches.block[0];
  const int64_t width = batches.block[1];
  std::vector<Region> regions;
  for (int64_t place = 0; place < height * width; ++place) {
    const int64_t y = place / width;
    const int64_t x = place % width;
    const Run rows = RunInside(height, y, batches.margins[0], large[2], many[2]);
    const Run columns = RunInside(width, x, batches.margins[2], large[3], many[3]);
    if (rows.count == 0 || columns.count == 0) continue;
    const int64_t many_first = place * large[0] * m[0] + rows.first * m[2] + columns.first * m[3];
    const int64_t large_first = (rows.first * height + y - batches.margins[0]) * l[2] +
                                (columns.first * width + x - batches.margins[2]) * l[3];
    const Strides in_many = {m[0], m[1], m[2], m[3]};
    const Strides in_large = {l[0], l[1], height * l[2], width * l[3]};
    regions.push_back({.extents = Shape{large[0], large[1], rows.count, columns.count},
                       .from_first = to_many ? large_first : many_first,
                       .from = to_many ? in_large : in_many,
                       .to_first = to_many ? many_first : large_first,
                       .to = to_many ? in_many : in_large});
  }
  return regions;
}

Built BuildSpaceToBatch(OpBuilder& builder) {
  Batches batches;
  const auto x = ReadBatches(builder, "paddings", batches);
  if (!x) return nullptr;
  Shape many = x->type.shape;
  many[0] *= batches.block[0] * batches.block[1];
  for (int i = 0; i < 2; ++i) {
    const auto at = static_cast<size_t>(i);
    const int64_t padded = many[2 + i] + batches.margins[2 * at] + batches.margins[2 * at + 1];
    if (padded % batches.block[at] != 0) {
      builder.Reject(Stage::kValidator, fmt::format("returned invalid: {} padded", padded));
      return nullptr;
    }
    many[2 + i] = padded / batches.block[at];
  }
  builder.Output({x->type.element, many});
  const int64_t size = ElementSize(x->type.element);
  return std::make_unique<RegionKernel>(size, BatchRegions(many, x->type.shape, batches, true),
                                        std::vector<uint8_t>(static_cast<size_t>(size), 0),
                                        many.Elements());
}

Built BuildBatchToSpace(OpBuilder& builder) {
  Batches batches;
  const auto x = ReadBatches(builder, "crops", batches);
  if (!x) return nullptr;
  const Shape& many = x->type.shape;
  const int64_t places = batches.block[0] * batches.block[1];
  Shape large = many;
  large[0] = many[0] / places;
  for (int i = 0; i < 2; ++i) {
    const auto at = static_cast<size_t>(i);
    large[2 + i] =
        many[2 + i] * batches.block[at] - batches.margins[2 * at] - batches.margins[2 * at + 1];
  }
  if (many[0] % places != 0 || large[2] < 1 || large[3] < 1) {
    builder.Reject(Stage::kValidator, fmt::format("returned invalid: {}", many.ToString()));
    return nullptr;
  }
  builder.Output({x->type.element, large});
  return Copies(x->type, BatchRegions(many, large, batches, false));
}

constexpr OpRow kRows[] = {
    // A slice at static offsets folds into the descriptor (facts/more/op_notes.csv).
    {"slice_by_index", BuildSliceByIndex, false, Pass::kFolded},
    {"slice_update", BuildSliceUpdate},
    {"reverse", BuildReverse},
    {"tile", BuildTile},
    {"crop", BuildCrop},
    {"depth_to_space", BuildDepthToSpace},
    {"pixel_shuffle", BuildPixelShuffle},
    {"space_to_depth", BuildSpaceToDepth},
    {"pixel_unshuffle", BuildPixelUnshuffle},
    {"space_to_batch", BuildSpaceToBatch},
    {"batch_to_space", BuildBatchToSpace},
};

}  // namespace

std::span<const OpRow> RearrangementRows() { return kRows; }

}  // namespace anecheck::device
