// Operations that pick, repeat or reorder the elements of one tensor by static rules: schemas and
// shape inference. Argument names and defaults are those of the public MIL operation set.
#include <fmt/format.h>

#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/ops/row.h"
#include "harness/ops/sets.h"

namespace anecheck {
namespace {

// MIL's begin and end are tensors. Constants become attributes; computed tensors stay operands.
constexpr Parameter kSliceByIndexParameters[] = {
    {.name = "x", .dtypes = kAnything},
    OptionalParameter("begin", ParameterKind::kInts, Default::Words("computed")),
    OptionalParameter("end", ParameterKind::kInts, Default::Words("computed")),
    OptionalParameter("stride", ParameterKind::kInts, Default::Number(1)),
    OptionalParameter("begin_mask", ParameterKind::kBools, Default::Flag(false)),
    OptionalParameter("end_mask", ParameterKind::kBools, Default::Flag(false)),
    OptionalParameter("squeeze_mask", ParameterKind::kBools, Default::Flag(false)),
    ComputedPlace("begin"),
    ComputedPlace("end"),
};

Status InferSliceByIndex(const NodeView& node, ResultTypes& results) {
  using P = params::SliceByIndex;
  const TensorType& x = node.InputType(P::kX);
  ANECHECK_ASSIGN(const auto slices,
                  ResolveSlice(node, x.shape,
                               {P::kBegin, P::kEnd, P::kStride, P::kBeginMask, P::kEndMask,
                                P::kSqueezeMask, P::kComputedBegin, P::kComputedEnd}));
  Shape shape;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    const AxisSlice& slice = slices[static_cast<size_t>(axis)];
    if (!slice.squeezed) shape.Append(slice.count);
  }
  results.Add(x.dtype, shape);
  return {};
}

constexpr Parameter kSliceUpdateParameters[] = {
    {.name = "x", .dtypes = kAnything},
    {.name = "update", .dtypes = kAnything},
    OptionalParameter("begin", ParameterKind::kInts, Default::Words("computed")),
    OptionalParameter("end", ParameterKind::kInts, Default::Words("computed")),
    OptionalParameter("stride", ParameterKind::kInts, Default::Number(1)),
    OptionalParameter("begin_mask", ParameterKind::kBools, Default::Flag(false)),
    OptionalParameter("end_mask", ParameterKind::kBools, Default::Flag(false)),
    OptionalParameter("squeeze_mask", ParameterKind::kBools, Default::Flag(false)),
    ComputedPlace("begin"),
    ComputedPlace("end"),
};

Status InferSliceUpdate(const NodeView& node, ResultTypes& results) {
  using P = params::SliceUpdate;
  const TensorType& x = node.InputType(P::kX);
  const Shape& update = node.InputShape(P::kUpdate);
  ANECHECK_ASSIGN(const auto slices,
                  ResolveSlice(node, x.shape,
                               {P::kBegin, P::kEnd, P::kStride, P::kBeginMask, P::kEndMask,
                                P::kSqueezeMask, P::kComputedBegin, P::kComputedEnd},
                               &update));
  Shape shape;
  for (int axis = 0; axis < x.shape.rank(); ++axis) {
    const AxisSlice& slice = slices[static_cast<size_t>(axis)];
    if (!slice.squeezed) shape.Append(slice.count);
  }
  if (node.InputType(P::kUpdate) != TensorType{x.dtype, shape}) {
    return Reject(
        node, fmt::format("update is {}, the slice is {}", node.InputType(P::kUpdate).ToString(),
                          TensorType{x.dtype, shape}.ToString()));
  }
  results.Add(x.dtype, x.shape);
  return {};
}

constexpr Parameter kReverseParameters[] = {
    {.name = "x", .dtypes = kAnything},
    OptionalParameter("axes", ParameterKind::kInts, Default::Words("all")),
};

Status InferReverse(const NodeView& node, ResultTypes& results) {
  using P = params::OverAxes;
  ANECHECK_RETURN_IF_ERROR(AxisMask(node, P::kAxes, node.InputShape(P::kX).rank()));
  return InferSameAsX(node, results);
}

constexpr Parameter kReverseSequenceParameters[] = {
    {.name = "x", .dtypes = kAnything},
    {.name = "lengths", .dtypes = kIntegers},
    OptionalParameter("seq_axis", ParameterKind::kInt, Default::Number(0)),
    OptionalParameter("batch_axis", ParameterKind::kInt, Default::Number(0)),
};

Status InferReverseSequence(const NodeView& node, ResultTypes& results) {
  using P = params::ReverseSequence;
  const Shape& x = node.InputShape(P::kX);
  ANECHECK_ASSIGN(const int sequence, AxisAt(node, P::kSeqAxis, 0, x.rank()));
  ANECHECK_ASSIGN(const int batch, AxisAt(node, P::kBatchAxis, 0, x.rank()));
  if (sequence == batch) return Reject(node, "seq_axis and batch_axis are the same");
  if (node.InputShape(P::kLengths) != Shape{x[batch]}) {
    return Reject(node, fmt::format("lengths is {}, must be [{}]",
                                    node.InputShape(P::kLengths).ToString(), x[batch]));
  }
  return InferSameAsX(node, results);
}

constexpr Parameter kTileParameters[] = {
    {.name = "x", .dtypes = kAnything},
    {.name = "reps", .kind = ParameterKind::kInts},
};

Status InferTile(const NodeView& node, ResultTypes& results) {
  using P = params::Tile;
  const TensorType& x = node.InputType(P::kX);
  const auto reps = node.Ints(P::kReps);
  if (reps.size() != static_cast<size_t>(x.shape.rank())) {
    return Reject(node,
                  fmt::format("reps has {} entries, x has rank {}", reps.size(), x.shape.rank()));
  }
  Shape shape = x.shape;
  int64_t elements = std::max<int64_t>(1, x.shape.Elements());
  for (size_t i = 0; i < reps.size(); ++i) {
    if (reps[i] < 1) return Reject(node, fmt::format("reps[{}] is {}", i, reps[i]));
    if (elements > kMaxElements / reps[i]) return Reject(node, "the result has too many elements");
    elements *= reps[i];
    shape[static_cast<int>(i)] *= reps[i];
  }
  results.Add(x.dtype, shape);
  return {};
}

constexpr Parameter kCropParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "crop_height", .kind = ParameterKind::kInts},
    {.name = "crop_width", .kind = ParameterKind::kInts},
};

Status InferCrop(const NodeView& node, ResultTypes& results) {
  using P = params::Crop;
  const TensorType& x = node.InputType(P::kX);
  if (x.shape.rank() < 3) return Reject(node, "x must have rank 3 or more");
  Shape shape = x.shape;
  for (int i = 0; i < 2; ++i) {
    const auto crop = node.Ints(P::kCropHeight + i);
    const int axis = x.shape.rank() - 2 + i;
    if (crop.size() != 2 || crop[0] < 0 || crop[1] < 0) {
      return Reject(node, "crop_height and crop_width need two entries of 0 or more");
    }
    shape[axis] -= crop[0] + crop[1];
    if (shape[axis] < 1) {
      return Reject(node, fmt::format("{} and {} crop all of {}", crop[0], crop[1], x.shape[axis]));
    }
  }
  results.Add(x.dtype, shape);
  return {};
}

constexpr Parameter kBandPartParameters[] = {
    {.name = "x", .dtypes = kAnything},
    OptionalParameter("lower", ParameterKind::kInt, Default::Number(-1, "keep all")),
    OptionalParameter("upper", ParameterKind::kInt, Default::Number(-1, "keep all")),
};

Status InferBandPart(const NodeView& node, ResultTypes& results) {
  if (node.InputShape(params::BandPart::kX).rank() < 2) {
    return Reject(node, "x must have rank 2 or more");
  }
  return InferSameAsX(node, results);
}

constexpr Parameter kSlidingWindowsParameters[] = {
    {.name = "x", .dtypes = kAnything},
    {.name = "axis", .kind = ParameterKind::kInt},
    {.name = "size", .kind = ParameterKind::kInt},
    OptionalParameter("stride", ParameterKind::kInt, Default::Number(1)),
};

Status InferSlidingWindows(const NodeView& node, ResultTypes& results) {
  using P = params::SlidingWindows;
  const TensorType& x = node.InputType(P::kX);
  ANECHECK_ASSIGN(const int axis, AxisAt(node, P::kAxis, 0, x.shape.rank()));
  const int64_t size = node.Int(P::kSize, 1);
  const int64_t stride = node.Int(P::kStride, 1);
  if (size < 1 || size > x.shape[axis] || stride < 1 || x.shape.rank() == Shape::kMaxRank) {
    return Reject(node, fmt::format("windows of {} at distance {} do not fit {}", size, stride,
                                    x.shape[axis]));
  }
  Shape shape;
  for (int i = 0; i < x.shape.rank(); ++i) {
    shape.Append(i == axis ? (x.shape[i] - size) / stride + 1 : x.shape[i]);
    if (i == axis) shape.Append(size);
  }
  results.Add(x.dtype, shape);
  return {};
}

// ---- blocks: channels to space and back -----------------------------------------------------

constexpr Parameter BlockSize(std::string_view name, bool is_unsigned = false) {
  return {.name = name, .kind = ParameterKind::kInt, .unsigned_integer = is_unsigned};
}
constexpr Parameter kBlockParameters[] = {{.name = "x", .dtypes = kFloats},
                                          BlockSize("block_size")};
constexpr Parameter kShuffleParameters[] = {{.name = "x", .dtypes = kFloats},
                                            BlockSize("upscale_factor")};
constexpr Parameter kUnshuffleParameters[] = {{.name = "x", .dtypes = kFloats},
                                              BlockSize("downscale_factor", true)};

Status CheckBlocks(const NodeView& node) {
  using P = params::Blocks;
  if (node.InputShape(P::kX).rank() != 4) return Reject(node, "x must have rank 4");
  const int64_t factor = node.Int(P::kFactor, 1);
  const std::string_view name = node.schema().parameters[P::kFactor].name;
  if (factor < 1 || factor > 1024) return Reject(node, fmt::format("{} is {}", name, factor));
  return {};
}

// depth_to_space, pixel_shuffle: [n, C, H, W] to [n, C / f^2, H f, W f].
Status InferToSpace(const NodeView& node, ResultTypes& results) {
  using P = params::Blocks;
  ANECHECK_RETURN_IF_ERROR(CheckBlocks(node));
  const TensorType& x = node.InputType(P::kX);
  const int64_t factor = node.Int(P::kFactor, 1);
  if (x.shape[1] % (factor * factor) != 0) {
    return Reject(node, fmt::format("{} channels do not divide by {} squared", x.shape[1], factor));
  }
  results.Add(x.dtype, Shape{x.shape[0], x.shape[1] / (factor * factor), x.shape[2] * factor,
                             x.shape[3] * factor});
  return {};
}

// space_to_depth, pixel_unshuffle: [n, C, H, W] to [n, C f^2, H / f, W / f].
Status InferToDepth(const NodeView& node, ResultTypes& results) {
  using P = params::Blocks;
  ANECHECK_RETURN_IF_ERROR(CheckBlocks(node));
  const TensorType& x = node.InputType(P::kX);
  const int64_t factor = node.Int(P::kFactor, 1);
  if (x.shape[2] % factor != 0 || x.shape[3] % factor != 0) {
    return Reject(node,
                  fmt::format("{} by {} does not divide by {}", x.shape[2], x.shape[3], factor));
  }
  results.Add(x.dtype, Shape{x.shape[0], x.shape[1] * factor * factor, x.shape[2] / factor,
                             x.shape[3] / factor});
  return {};
}

// MIL's paddings and crops are a tensor [2, 2]. The attribute has the tensor's four entries in
// row-major order.
constexpr Parameter kSpaceToBatchParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "block_shape", .kind = ParameterKind::kInts},
    {.name = "paddings", .kind = ParameterKind::kInts, .pairs = true},
};
constexpr Parameter kBatchToSpaceParameters[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "block_shape", .kind = ParameterKind::kInts},
    {.name = "crops", .kind = ParameterKind::kInts, .pairs = true},
};

Status CheckBatches(const NodeView& node) {
  using P = params::Batches;
  if (node.InputShape(P::kX).rank() != 4) return Reject(node, "x must have rank 4");
  const auto block = node.Ints(P::kBlockShape);
  const auto margins = node.Ints(P::kMargins);
  if (block.size() != 2 || margins.size() != 4) {
    return Reject(node, "block_shape needs two entries, the margins two times two");
  }
  for (const int64_t extent : block) {
    if (extent < 1 || extent > 1024) return Reject(node, fmt::format("a block of {}", extent));
  }
  for (const int64_t margin : margins) {
    if (margin < 0) return Reject(node, "a margin is negative");
  }
  return {};
}

Status InferSpaceToBatch(const NodeView& node, ResultTypes& results) {
  using P = params::Batches;
  ANECHECK_RETURN_IF_ERROR(CheckBatches(node));
  const TensorType& x = node.InputType(P::kX);
  const auto block = node.Ints(P::kBlockShape);
  const auto paddings = node.Ints(P::kMargins);
  Shape shape = x.shape;
  shape[0] *= block[0] * block[1];
  for (size_t i = 0; i < 2; ++i) {
    const int axis = static_cast<int>(i) + 2;
    const int64_t padded = x.shape[axis] + paddings[2 * i] + paddings[2 * i + 1];
    if (padded % block[i] != 0) {
      return Reject(node, fmt::format("{} does not divide into blocks of {}", padded, block[i]));
    }
    shape[axis] = padded / block[i];
  }
  results.Add(x.dtype, shape);
  return {};
}

Status InferBatchToSpace(const NodeView& node, ResultTypes& results) {
  using P = params::Batches;
  ANECHECK_RETURN_IF_ERROR(CheckBatches(node));
  const TensorType& x = node.InputType(P::kX);
  const auto block = node.Ints(P::kBlockShape);
  const auto crops = node.Ints(P::kMargins);
  if (x.shape[0] % (block[0] * block[1]) != 0) {
    return Reject(node, fmt::format("a batch of {} does not divide by {} times {}", x.shape[0],
                                    block[0], block[1]));
  }
  Shape shape = x.shape;
  shape[0] /= block[0] * block[1];
  for (size_t i = 0; i < 2; ++i) {
    const int axis = static_cast<int>(i) + 2;
    shape[axis] = x.shape[axis] * block[i] - crops[2 * i] - crops[2 * i + 1];
    if (shape[axis] < 1) return Reject(node, "the crops take everything");
  }
  results.Add(x.dtype, shape);
  return {};
}

}  // namespace

constinit const OpDefinition kOpSliceByIndex =
    Define(OpKind::kSliceByIndex, kSliceByIndexParameters, InferSliceByIndex);
constinit const OpDefinition kOpSliceUpdate =
    Define(OpKind::kSliceUpdate, kSliceUpdateParameters, InferSliceUpdate);
constinit const OpDefinition kOpReverse =
    Define(OpKind::kReverse, kReverseParameters, InferReverse);
constinit const OpDefinition kOpReverseSequence =
    Define(OpKind::kReverseSequence, kReverseSequenceParameters, InferReverseSequence);
// Floors: facts/minimum_family.csv.
constinit const OpDefinition kOpTile = Define(OpKind::kTile, kTileParameters, InferTile);
constinit const OpDefinition kOpCrop = Define(OpKind::kCrop, kCropParameters, InferCrop);
constinit const OpDefinition kOpBandPart =
    Define(OpKind::kBandPart, kBandPartParameters, InferBandPart);
constinit const OpDefinition kOpSlidingWindows =
    Define(OpKind::kSlidingWindows, kSlidingWindowsParameters, InferSlidingWindows);
constinit const OpDefinition kOpDepthToSpace =
    Define(OpKind::kDepthToSpace, kBlockParameters, InferToSpace);
constinit const OpDefinition kOpSpaceToDepth =
    Define(OpKind::kSpaceToDepth, kBlockParameters, InferToDepth);
constinit const OpDefinition kOpPixelShuffle =
    Define(OpKind::kPixelShuffle, kShuffleParameters, InferToSpace);
constinit const OpDefinition kOpPixelUnshuffle =
    Define(OpKind::kPixelUnshuffle, kUnshuffleParameters, InferToDepth);
constinit const OpDefinition kOpSpaceToBatch =
    Define(OpKind::kSpaceToBatch, kSpaceToBatchParameters, InferSpaceToBatch);
constinit const OpDefinition kOpBatchToSpace =
    Define(OpKind::kBatchToSpace, kBatchToSpaceParameters, InferBatchToSpace);

}  // namespace anecheck
