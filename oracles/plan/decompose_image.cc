// Resizes without a texture engine: one matrix multiply for each axis, with the weights of MIL's
// sampling grid.
#include <algorithm>
#include <cmath>

#include "harness/ops/params.h"
#include "oracles/plan/decomposition.h"

namespace anecheck::plan {
namespace {

// The sampling grid of one axis: which pixels each result reads.
struct Grid {
  std::string_view mode = "DEFAULT";
  bool linear = true;
  bool centres = false;  // without a mode the nearest neighbour is the pixel below the centre

  // The position of result `i` (of `to` results) among `from` pixels.
  double Position(int64_t i, int64_t from, int64_t to) const {
    const auto at = static_cast<double>(i), in = static_cast<double>(from),
               out = static_cast<double>(to);
    double position = to == 1 ? 0 : at * in / out;
    if (centres && !linear && mode == "DEFAULT") position = (2 * at + 1) * in / (2 * out);
    if (mode == "STRICT_ALIGN_CORNERS") position = to == 1 ? 0 : at * (in - 1) / (out - 1);
    if (mode == "ALIGN_CORNERS") position = to == 1 ? (in - 1) / 2 : at * (in - 1) / (out - 1);
    if (mode == "OFFSET_CORNERS") position = (at + 0.5) * std::max(1.0, in - 1) / out;
    if (mode == "UNALIGN_CORNERS") position = (at + 0.5) * in / out - 0.5;
    return std::clamp(position, 0.0, in - 1);
  }
};

// A matrix [from, to]: column i contains the weights of result i.
std::vector<double> Weights(const Grid& grid, int64_t from, int64_t to) {
  std::vector<double> weights(static_cast<size_t>(from * to), 0);
  const auto put = [&](int64_t pixel, int64_t i, double weight) {
    if (weight != 0) weights[static_cast<size_t>(pixel * to + i)] += weight;
  };
  for (int64_t i = 0; i < to; ++i) {
    const double position = grid.Position(i, from, to);
    const auto low = static_cast<int64_t>(std::floor(position));
    const double part = position - std::floor(position);
    if (grid.linear) {
      put(low, i, 1 - part);
      put(std::min(low + 1, from - 1), i, part);
    } else {
      // Without a mode MIL's nearest neighbour is the pixel below, with a mode the nearest pixel.
      const bool up = grid.mode != "DEFAULT" && part >= 0.5;
      put(up ? low + 1 : low, i, 1);
    }
  }
  return weights;
}

bool IsIdentity(std::span<const double> weights, int64_t from, int64_t to) {
  if (from != to) return false;
  for (int64_t i = 0; i < from * to; ++i) {
    if (weights[static_cast<size_t>(i)] != (i % (to + 1) == 0 ? 1 : 0)) return false;
  }
  return true;
}

// The grids of height and width.
std::pair<Grid, Grid> GridsOf(const NodeView& node) {
  const std::string_view op = node.op();
  Grid grid;
  if (op == "resize") {
    using P = params::Resize;
    grid.mode = node.String(P::kSamplingMode, "DEFAULT");
    grid.linear = node.String(P::kInterpolationMode, "LINEAR") == "LINEAR";
    grid.centres = true;
    Grid kept = grid;
    if (node.Int(P::kResizedDims, 0) < 2) kept.mode = "STRICT_ALIGN_CORNERS";
    return {kept, grid};
  }
  if (op == "resize_bilinear")
    grid.mode = node.String(params::ResizePlane::kSamplingMode, "DEFAULT");
  if (op == "upsample_bilinear") {
    const bool align = node.Bool(params::Upsample::kAlignCorners, true);
    const bool centres = node.Bool(params::Upsample::kHalfPixelCenters, !align);
    grid.mode = align ? "STRICT_ALIGN_CORNERS" : centres ? "UNALIGN_CORNERS" : "DEFAULT";
  }
  grid.linear = op == "resize_bilinear" || op == "upsample_bilinear";
  return {grid, grid};
}

}  // namespace

Result<std::vector<ValueId>> ResizeByMatrices(const Site& site) {
  Builder& out = site.out;
  const Shape& from = site.node.InputShape(0);
  const Shape& to = site.node.ResultType().shape;
  const int rank = from.rank();
  if (rank < 2) return NoGraph("one axis alone");
  // No backend multiplies matrices of rank 5 (facts/known_defects.csv, D31).
  if (rank > 4) return NoGraph("matrices of rank 5");
  const auto [rows, columns] = GridsOf(site.node);
  ValueId x = site.In(0);
  const std::vector<double> right = Weights(columns, from[rank - 1], to[rank - 1]);
  if (!IsIdentity(right, from[rank - 1], to[rank - 1])) {
    const ValueId matrix = out.Constant({site.dtype(), {from[rank - 1], to[rank - 1]}}, right);
    x = out.Add("matmul", {{"x", x}, {"y", matrix}});
  }
  const std::vector<double> down = Weights(rows, from[rank - 2], to[rank - 2]);
  if (!IsIdentity(down, from[rank - 2], to[rank - 2])) {
    const ValueId matrix = out.Constant({site.dtype(), {from[rank - 2], to[rank - 2]}}, down);
    x = out.Add("matmul", {{"x", matrix}, {"y", x}}, {{"transpose_x", true}});
  }
  ANECHECK_RETURN_IF_ERROR(out.status());
  return std::vector<ValueId>{x};
}

}  // namespace anecheck::plan
