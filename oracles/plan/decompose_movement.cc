// Rewrites that move elements: gathering by known indices, padding by copies, reductions on another
// axis, and constants that are folded.
#include <algorithm>
#include <numeric>

#include "harness/ops/params.h"
#include "oracles/oracle.h"
#include "oracles/plan/decomposition.h"

namespace anecheck::plan {
namespace {

// The largest number of slices of a rewrite; nobody compiles larger programs.
constexpr size_t kMostSlices = 256;

int AxisOf(const NodeView& node, int parameter, int64_t fallback, int rank) {
  const int64_t axis = node.Int(parameter, fallback);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

Result<std::vector<ValueId>> One(const Builder& out, ValueId value) {
  ANECHECK_RETURN_IF_ERROR(out.status());
  return std::vector<ValueId>{value};
}

// Elements [first, first + count) of an axis in reverse.
ValueId ReversedSlice(Builder& out, ValueId x, int axis, int64_t first, int64_t count) {
  return out.Add("reverse", {{"x", out.SliceAxis(x, axis, first, count)}},
                 {{"axes", std::vector<int64_t>{axis}}});
}

}  // namespace

Result<std::vector<ValueId>> GatherConstant(const Site& site) {
  using P = params::Gather;
  if (!site.IsConstant(P::kIndices)) return NoGraph("the indices are no constants");
  if (site.node.Int(P::kBatchDims, 0) != 0) return NoGraph("batch axes");
  const Shape& x = site.node.InputShape(P::kX);
  const int axis = AxisOf(site.node, P::kAxis, 0, x.rank());
  const std::vector<double> indices = site.Numbers(P::kIndices);
  if (indices.empty() || indices.size() > kMostSlices) return NoGraph("too many indices");
  std::vector<ValueId> slices;
  for (const double index : indices) {
    const auto at = static_cast<int64_t>(index);
    const int64_t place = at < 0 ? at + x[axis] : at;
    if (place < 0 || place >= x[axis]) return NoGraph("an index outside the axis");
    slices.push_back(site.out.SliceAxis(site.In(P::kX), axis, place, 1));
  }
  const ValueId joined = site.out.Concat(slices, axis);
  return One(site.out, site.out.Reshape(joined, site.node.ResultType().shape));
}

Result<std::vector<ValueId>> PadByCopies(const Site& site) {
  using P = params::Pad;
  Builder& out = site.out;
  const std::string_view mode = site.node.String(P::kMode, "constant");
  if (mode != "reflect" && mode != "symmetric") return NoGraph("neither reflect nor symmetric");
  const int64_t skip = mode == "reflect" ? 1 : 0;  // the edge element is not repeated
  const auto pad = site.node.Ints(P::kPad);
  const int first = site.node.InputShape(P::kX).rank() - static_cast<int>(pad.size() / 2);
  ValueId x = site.In(P::kX);
  for (size_t i = 0; i + 1 < pad.size(); i += 2) {
    const int axis = first + static_cast<int>(i / 2);
    const int64_t extent = site.node.InputShape(P::kX)[axis];
    std::vector<ValueId> parts;
    if (pad[i] > 0) parts.push_back(ReversedSlice(out, x, axis, skip, pad[i]));
    parts.push_back(x);
    if (pad[i + 1] > 0) {
      parts.push_back(ReversedSlice(out, x, axis, extent - skip - pad[i + 1], pad[i + 1]));
    }
    ANECHECK_RETURN_IF_ERROR(out.status());
    x = out.Concat(parts, axis);
  }
  return One(out, x);
}

// Exchanges the reduced axis with the channel axis. If the reduced axis is the channel axis,
// exchanges it with the last axis.
Result<std::vector<ValueId>> ReduceByTranspose(const Site& site) {
  using P = params::Reduce;
  Builder& out = site.out;
  const Shape& x = site.node.InputShape(P::kX);
  const auto axes = site.node.Ints(P::kAxes);
  if (axes.size() != 1 || x.rank() < 2) return NoGraph("not one axis of several");
  const auto axis = static_cast<int>(axes[0] < 0 ? axes[0] + x.rank() : axes[0]);
  const int channel = std::max(0, x.rank() - 3);
  const int other = axis == channel ? x.rank() - 1 : channel;
  std::vector<int64_t> perm(static_cast<size_t>(x.rank()));
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[static_cast<size_t>(axis)], perm[static_cast<size_t>(other)]);
  const ValueId turned = out.Transpose(site.In(P::kX), perm);
  const ValueId reduced = out.Add(site.node.op(), {{"x", turned}},
                                  {{"axes", std::vector<int64_t>{other}}, {"keep_dims", true}});
  ValueId result = out.Transpose(reduced, perm);
  ANECHECK_RETURN_IF_ERROR(out.status());
  const Shape& wanted = site.node.ResultType().shape;
  if (out.type(result).shape != wanted) result = out.Reshape(result, wanted);
  return One(out, result);
}

// The numbers that the compressed constant encodes, each rounded to the element type.
Result<std::vector<ValueId>> FoldedConstant(const Site& site) {
  Graph alone;
  std::set<std::string, std::less<>> taken;
  Builder inside(alone, taken, "folded");
  const Graph& graph = site.node.graph();
  std::vector<ValueId> places(graph.values().size(), kNoValue);
  for (const Argument& argument : graph.arguments(site.node.node())) {
    if (graph.value(argument.value).kind != ValueKind::kConst) return NoGraph("no constant");
    places[argument.value] = inside.CopyConstant(graph, argument.value);
  }
  const ValueId result = inside.Copy(site.node, places, {});
  ANECHECK_RETURN_IF_ERROR(inside.status());
  if (site.node.node().result_count != 1) return NoGraph("several results");
  alone.AddOutput(result);
  ANECHECK_ASSIGN(const std::vector<Estimate> dense, Evaluate(alone, {}, IeeeContract()));
  return One(site.out, site.out.Constant(dense[0].type, dense[0].value));
}

Result<std::vector<ValueId>> BandByMask(const Site& site) {
  using P = params::BandPart;
  Builder& out = site.out;
  const TensorType& x = site.node.InputType(P::kX);
  const int64_t rows = x.shape[x.shape.rank() - 2], columns = x.shape[x.shape.rank() - 1];
  const int64_t lower = site.node.Int(P::kLower, -1), upper = site.node.Int(P::kUpper, -1);
  std::vector<double> inside(static_cast<size_t>(rows * columns));
  for (int64_t i = 0; i < rows * columns; ++i) {
    const int64_t below = i / columns - i % columns;
    const bool kept = (lower < 0 || below <= lower) && (upper < 0 || -below <= upper);
    inside[static_cast<size_t>(i)] = kept ? 1 : 0;
  }
  const ValueId mask = out.Constant({DType::kBool, {rows, columns}}, inside);
  const ValueId zero = out.Scalar(x.dtype, 0);
  return One(out, out.Add("select", {{"cond", mask}, {"a", site.In(P::kX)}, {"b", zero}}));
}

// Row i of the matrix has its one at i. An index outside the vector, whose result is a row of
// zeros, has no row.
Result<std::vector<ValueId>> OneHotRows(const Site& site) {
  using P = params::OneHot;
  const bool given = site.node.HasInput(P::kOnValue) || site.node.HasInput(P::kOffValue);
  const bool constant = (!site.node.HasInput(P::kOnValue) || site.IsConstant(P::kOnValue)) &&
                        (!site.node.HasInput(P::kOffValue) || site.IsConstant(P::kOffValue));
  const int rank = site.node.ResultType().shape.rank();
  if (given && !constant) return NoGraph("the values are no constants");
  if (AxisOf(site.node, P::kAxis, -1, rank) != rank - 1) return NoGraph("an axis before the last");
  const double on = site.node.HasInput(P::kOnValue) ? site.Numbers(P::kOnValue)[0] : 1;
  const double off = site.node.HasInput(P::kOffValue) ? site.Numbers(P::kOffValue)[0] : 0;
  const int64_t size = site.node.Int(P::kOneHotVectorSize, 1);
  std::vector<double> rows(static_cast<size_t>(size * size), off);
  for (int64_t i = 0; i < size; ++i) rows[static_cast<size_t>(i * (size + 1))] = on;
  const ValueId matrix = site.out.Constant({site.dtype(), {size, size}}, rows);
  return One(site.out, site.out.Add("gather", {{"x", matrix}, {"indices", site.In(P::kIndices)}},
                                    {{"axis", int64_t{0}}}));
}

Result<std::vector<ValueId>> WindowsBySlices(const Site& site) {
  using P = params::SlidingWindows;
  Builder& out = site.out;
  const Shape& x = site.node.InputShape(P::kX);
  const int axis = AxisOf(site.node, P::kAxis, 0, x.rank());
  const int64_t size = site.node.Int(P::kSize, 1), stride = site.node.Int(P::kStride, 1);
  const Shape& wanted = site.node.ResultType().shape;
  if (static_cast<size_t>(wanted[axis]) > kMostSlices) return NoGraph("too many windows");
  Shape window = wanted;
  window[axis] = 1;
  std::vector<ValueId> windows;
  for (int64_t i = 0; i < wanted[axis]; ++i) {
    windows.push_back(out.Reshape(out.SliceAxis(site.In(P::kX), axis, i * stride, size), window));
  }
  ANECHECK_RETURN_IF_ERROR(out.status());
  return One(out, out.Concat(windows, axis));
}

}  // namespace anecheck::plan
