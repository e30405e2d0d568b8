// Maps operations of WebNN and ONNX that move or interpolate elements to operations of MIL.
#include "oracles/testing/vector_model.h"

namespace anecheck::testing::vectors {
namespace {

int64_t Axis(const Model& m, int64_t fallback = 0) {
  return static_cast<int64_t>(m.Number("axis", static_cast<double>(fallback)));
}

ValueId Gather(Model& m) {
  using P = params::Gather;
  const ValueId x = m.Operand(0);
  if (x == kNoValue) return kNoValue;
  return m.c.Begin(OpKind::kGather)
      .Arg(P::kX, x)
      .Arg(P::kIndices, m.Indices(1))
      .Int(P::kAxis, Axis(m))
      .Finish();
}

ValueId GatherElements(Model& m) {
  using P = params::GatherAlongAxis;
  const ValueId x = m.Operand(0);
  if (x == kNoValue) return kNoValue;
  return m.c.Begin(OpKind::kGatherAlongAxis)
      .Arg(P::kX, x)
      .Arg(P::kIndices, m.Indices(1))
      .Int(P::kAxis, Axis(m))
      .Finish();
}

ValueId GatherNd(Model& m) {
  using P = params::GatherNd;
  const ValueId x = m.Operand(0);
  if (x == kNoValue) return kNoValue;
  return m.c.Begin(OpKind::kGatherNd)
      .Arg(P::kX, x)
      .Arg(P::kIndices, m.Indices(1))
      .Int(P::kBatchDims, static_cast<int64_t>(m.Number("batch_dims", 0)))
      .Finish();
}

// Returns the scatter mode, or nothing for reductions that MIL lacks.
std::optional<std::string> ModeOf(const Model& m) {
  const std::string reduction = m.Text("reduction", "none");
  if (reduction == "none") return "update";
  if (reduction == "add" || reduction == "mul" || reduction == "max" || reduction == "min") {
    return reduction;
  }
  return std::nullopt;
}

ValueId ScatterElements(Model& m) {
  using P = params::Scatter;
  const ValueId x = m.Operand(0);
  const ValueId updates = m.Operand(2);
  const auto mode = ModeOf(m);
  // MIL requires that the updates cover every axis but one.
  const int64_t axis = Axis(m);
  Shape same = m.ShapeOf(1);
  const Shape data = m.ShapeOf(0);
  if (x == kNoValue || updates == kNoValue || !mode || same.rank() != data.rank()) return kNoValue;
  const int at = static_cast<int>(axis < 0 ? axis + data.rank() : axis);
  same[at] = data[at];
  if (same != data) return kNoValue;
  return m.c.Begin(OpKind::kScatterAlongAxis)
      .Arg(P::kData, x)
      .Arg(P::kIndices, m.Indices(1))
      .Arg(P::kUpdates, updates)
      .Int(P::kAxis, axis)
      .String(P::kMode, *mode)
      .Finish();
}

ValueId ScatterNd(Model& m) {
  using P = params::ScatterNd;
  const ValueId x = m.Operand(0);
  const ValueId updates = m.Operand(2);
  const auto mode = ModeOf(m);
  if (x == kNoValue || updates == kNoValue || !mode) return kNoValue;
  return m.c.Begin(OpKind::kScatterNd)
      .Arg(P::kData, x)
      .Arg(P::kIndices, m.Indices(1))
      .Arg(P::kUpdates, updates)
      .String(P::kMode, *mode)
      .Finish();
}

ValueId Reverse(Model& m) {
  using P = params::OverAxes;
  const ValueId x = m.Operand(0);
  if (x == kNoValue) return kNoValue;
  if (m.Has("axes") && m.List("axes").empty()) return m.c.Unary(OpKind::kIdentity, x);
  m.c.Begin(OpKind::kReverse).Arg(P::kX, x);
  if (m.Has("axes")) m.c.graph.AddInts(P::kAxes, m.List("axes"));
  return m.c.Finish();
}

ValueId Tile(Model& m) {
  const ValueId x = m.Operand(0);
  if (x == kNoValue) return kNoValue;
  m.c.Begin(OpKind::kTile).Arg(params::Tile::kX, x);
  m.c.graph.AddInts(params::Tile::kReps, m.List("repetitions"));
  return m.c.Finish();
}

ValueId SplitInto(Model& m, const Integers& sizes, int64_t count) {
  using P = params::Split;
  const ValueId x = m.Operand(0);
  if (x == kNoValue) return kNoValue;
  m.c.Begin(OpKind::kSplit).Arg(P::kX, x).Int(P::kAxis, Axis(m));
  if (!sizes.empty()) {
    m.c.graph.AddInts(P::kSplitSizes, sizes);
  } else {
    m.c.Int(P::kNumSplits, count);
  }
  return m.c.Finish();
}
ValueId Split(Model& m) {
  if (m.attributes()["splits"].is_array()) return SplitInto(m, m.List("splits"), 0);
  return SplitInto(m, {}, static_cast<int64_t>(m.Number("splits", 1)));
}

ValueId DepthToSpace(Model& m) {
  const ValueId x = m.Operand(0);
  const bool last = m.Text("mode", "DCR") == "CRD";
  return m.c.Begin(last ? OpKind::kPixelShuffle : OpKind::kDepthToSpace)
      .Arg(params::Blocks::kX, x)
      .Int(params::Blocks::kFactor, static_cast<int64_t>(m.Number("blocksize", 1)))
      .Finish();
}
ValueId SpaceToDepth(Model& m) {
  return m.c.Begin(OpKind::kSpaceToDepth)
      .Arg(params::Blocks::kX, m.Operand(0))
      .Int(params::Blocks::kFactor, static_cast<int64_t>(m.Number("blocksize", 1)))
      .Finish();
}

ValueId Flatten(Model& m) {
  const ValueId x = m.Operand(0);
  if (x == kNoValue) return kNoValue;
  return m.c.Begin(OpKind::kFlatten2d)
      .Arg(params::Flatten2d::kX, x)
      .Int(params::Flatten2d::kAxis, Axis(m, 1))
      .Finish();
}

template <OpKind kKind>
ValueId OverAxes(Model& m) {
  const ValueId x = m.Operand(0);
  if (x == kNoValue) return kNoValue;
  m.c.Begin(kKind).Arg(params::OverAxes::kX, x);
  if (m.inputs() > 1) m.c.graph.AddInts(params::OverAxes::kAxes, m.IntegerData(1));
  return m.c.Finish();
}

ValueId ReverseSequence(Model& m) {
  using P = params::ReverseSequence;
  return m.c.Begin(OpKind::kReverseSequence)
      .Arg(P::kX, m.Operand(0))
      .Arg(P::kLengths, m.Indices(1))
      .Int(P::kSeqAxis, static_cast<int64_t>(m.Number("time_axis", 0)))
      .Int(P::kBatchAxis, static_cast<int64_t>(m.Number("batch_axis", 1)))
      .Finish();
}

ValueId Resized(Model& m, int64_t height, int64_t width, bool linear, const char* mode) {
  using P = params::ResizePlane;
  const ValueId x = m.Operand(0);
  if (x == kNoValue || !IsFloat(m.c.graph.type(x).dtype)) return kNoValue;
  m.c.Begin(linear ? OpKind::kResizeBilinear : OpKind::kResizeNearestNeighbor)
      .Arg(P::kX, x)
      .Int(P::kTargetSizeHeight, height)
      .Int(P::kTargetSizeWidth, width);
  if (linear) m.c.String(P::kSamplingMode, mode);
  return m.c.Finish();
}

// WebNN samples pixels at their centres.
ValueId Resample2d(Model& m) {
  const Shape x = m.ShapeOf(0);
  if (m.List("axes", {2, 3}) != Integers{2, 3}) return kNoValue;
  Integers sizes = m.List("sizes");
  if (sizes.empty()) {
    const Integers scales = m.List("scales", {1, 1});
    sizes = {x[2] * scales[0], x[3] * scales[1]};
  }
  const bool linear = m.Text("mode", "nearest-neighbor") == "linear";
  return Resized(m, sizes[0], sizes[1], linear, "UNALIGN_CORNERS");
}

// ONNX's linear mode without antialiasing, by whole factors. Its nearest mode rounds differently.
ValueId Resize(Model& m) {
  if (m.Text("mode", "nearest") != "linear" || m.Has("antialias") || m.Has("axes")) return kNoValue;
  const std::string mode = m.Text("coordinate_transformation_mode", "half_pixel");
  if (mode != "half_pixel" && mode != "align_corners") return kNoValue;
  const Shape x = m.ShapeOf(0);
  const auto scales = m.Named("scales");
  if (!scales || x.rank() != 4) return kNoValue;
  const std::vector<double> factors = m.Data(*scales);
  const double height = factors[2] * static_cast<double>(x[2]);
  const double width = factors[3] * static_cast<double>(x[3]);
  if (height != std::floor(height) || width != std::floor(width)) return kNoValue;
  return Resized(m, static_cast<int64_t>(height), static_cast<int64_t>(width), true,
                 mode == "align_corners" ? "STRICT_ALIGN_CORNERS" : "UNALIGN_CORNERS");
}

ValueId GridSample(Model& m) {
  using P = params::Resample;
  const std::string mode = m.Text("mode", "linear");
  const std::string padding = m.Text("padding_mode", "zeros");
  if (mode != "linear" || padding == "reflection") return kNoValue;
  return m.c.Begin(OpKind::kResample)
      .Arg(P::kX, m.Operand(0))
      .Arg(P::kCoordinates, m.Operand(1))
      .String(P::kSamplingMode, "bilinear")
      .String(P::kPaddingMode, padding == "zeros" ? "constant" : "border")
      .Float(P::kPaddingValue, 0)
      .String(P::kCoordinatesMode, "normalized_minus_one_to_one")
      .Bool(P::kAlignCorners, m.Number("align_corners", 0) != 0)
      .Finish();
}

ValueId OnnxSplit(Model& m) {
  if (m.inputs() > 1) return SplitInto(m, m.IntegerData(1), 0);
  return SplitInto(m, {}, static_cast<int64_t>(m.OutputCount()));
}

}  // namespace

const Mappings& MovementMappings() {
  static const Mappings kMappings = {{"gather", Gather},
                                     {"gatherElements", GatherElements},
                                     {"gatherND", GatherNd},
                                     {"scatterElements", ScatterElements},
                                     {"scatterND", ScatterNd},
                                     {"reverse", Reverse},
                                     {"tile", Tile},
                                     {"split", Split},
                                     {"resample2d", Resample2d},
                                     {"DepthToSpace", DepthToSpace},
                                     {"SpaceToDepth", SpaceToDepth},
                                     {"Flatten", Flatten},
                                     {"GatherND", GatherNd},
                                     {"GridSample", GridSample},
                                     {"Resize", Resize},
                                     {"ReverseSequence", ReverseSequence},
                                     {"ScatterElements", ScatterElements},
                                     {"ScatterND", ScatterNd},
                                     {"Split", OnnxSplit},
                                     {"Squeeze", OverAxes<OpKind::kSqueeze>},
                                     {"Unsqueeze", OverAxes<OpKind::kExpandDims>}};
  return kMappings;
}

}  // namespace anecheck::testing::vectors
