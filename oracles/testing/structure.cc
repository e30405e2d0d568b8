#include "oracles/testing/structure.h"

#include <algorithm>

#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck::testing {
namespace {

int64_t Wrap(int64_t axis, int rank) { return axis < 0 ? axis + rank : axis; }

std::vector<int64_t> PerAxis(const NodeView& node, int parameter, size_t count, int64_t fallback) {
  const auto given = node.Ints(parameter);
  return given.empty() ? std::vector<int64_t>(count, fallback)
                       : std::vector<int64_t>(given.begin(), given.end());
}

// The padding before and after each spatial axis.
struct Padding {
  std::vector<int64_t> before, after;
};

Padding PaddingOf(const NodeView& node, int pad_type, int pad, const Shape& x,
                  const std::vector<int64_t>& kernel, const std::vector<int64_t>& strides,
                  const std::vector<int64_t>& dilations) {
  Padding padding;
  const std::string_view type = node.String(pad_type, "valid");
  for (size_t i = 0; i < kernel.size(); ++i) {
    int64_t before = 0;
    int64_t after = 0;
    if (type == "custom") {
      before = node.Ints(pad)[2 * i];
      after = node.Ints(pad)[2 * i + 1];
    } else if (type != "valid") {
      // Uses the least padding with which ceil(input / stride) windows fit.
      const int64_t input = x[static_cast<int>(i) + 2];
      const int64_t windows = (input + strides[i] - 1) / strides[i];
      const int64_t need = (windows - 1) * strides[i] + dilations[i] * (kernel[i] - 1) + 1;
      const int64_t total = std::max<int64_t>(need - input, 0);
      before = total / 2;
      after = total - before;
      if (type == "same_lower") std::swap(before, after);
    }
    padding.before.push_back(before);
    padding.after.push_back(after);
  }
  return padding;
}

ProductSum ConvSum(const NodeView& node, size_t index) {
  using P = params::Conv;
  const Shape& x = node.InputShape(P::kX);
  const Shape& w = node.InputShape(P::kWeight);
  const size_t spatial = static_cast<size_t>(x.rank()) - 2;
  std::vector<int64_t> kernel;
  kernel.reserve(spatial);
  for (size_t i = 0; i < spatial; ++i) kernel.push_back(w[static_cast<int>(i) + 2]);
  const auto strides = PerAxis(node, P::kStrides, spatial, 1);
  const auto dilations = PerAxis(node, P::kDilations, spatial, 1);
  const Padding padding = PaddingOf(node, P::kPadType, P::kPad, x, kernel, strides, dilations);
  const int64_t groups = node.Int(P::kGroups, 1);
  const Coordinates out = CoordinatesOf(node.ResultType().shape, index);
  const int64_t group = out[1] / (w[0] / groups);
  ProductSum sum;
  sum.bias = static_cast<size_t>(out[1]);
  for (size_t tap = 0; tap < static_cast<size_t>(w.Elements() / w[0]); ++tap) {
    const size_t weight = static_cast<size_t>(out[1]) * static_cast<size_t>(w.Elements() / w[0]);
    const Coordinates at = CoordinatesOf(w, weight + tap);
    Coordinates from = {out[0], group * w[1] + at[1]};
    bool inside = true;
    for (size_t i = 0; i < spatial; ++i) {
      const int64_t place = out[i + 2] * strides[i] + at[i + 2] * dilations[i] - padding.before[i];
      inside = inside && place >= 0 && place < x[static_cast<int>(i) + 2];
      from.push_back(place);
    }
    if (inside) sum.pairs.emplace_back(IndexOf(x, from), weight + tap);
  }
  return sum;
}

ProductSum LinearSum(const NodeView& node, size_t index) {
  using P = params::Linear;
  const Shape& x = node.InputShape(P::kX);
  const Shape& w = node.InputShape(P::kWeight);
  Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  const int64_t channel = at.back();
  ProductSum sum;
  sum.bias = static_cast<size_t>(channel);
  for (int64_t k = 0; k < w[1]; ++k) {
    at.back() = k;
    sum.pairs.emplace_back(IndexOf(x, at), IndexOf(w, {channel, k}));
  }
  return sum;
}

ProductSum MatmulSum(const NodeView& node, size_t index) {
  using P = params::Matmul;
  const Shape& x = node.InputShape(P::kX);
  const Shape& y = node.InputShape(P::kY);
  const bool tx = node.Bool(P::kTransposeX, false);
  const bool ty = node.Bool(P::kTransposeY, false);
  // The coordinates in the product of matrices. A vector x is a row, and a vector y is a column.
  Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  if (y.rank() == 1) at.push_back(0);
  if (x.rank() == 1) at.insert(at.end() - 1, 0);
  const auto element = [&](const Shape& shape, int64_t row, int64_t column) {
    if (shape.rank() == 1) return static_cast<size_t>(&shape == &x ? column : row);
    Coordinates c(static_cast<size_t>(shape.rank()));
    for (size_t i = 0; i + 2 < c.size(); ++i) {
      const size_t axis = at.size() - c.size() + i;
      c[i] = shape[static_cast<int>(i)] == 1 ? 0 : at[axis];
    }
    c[c.size() - 2] = row;
    c[c.size() - 1] = column;
    return IndexOf(shape, c);
  };
  const int64_t inner = x[tx ? x.rank() - 2 : x.rank() - 1];
  const int64_t row = at[at.size() - 2];
  const int64_t column = at[at.size() - 1];
  const bool swapped = ty && y.rank() > 1;
  ProductSum sum;
  for (int64_t k = 0; k < inner; ++k) {
    sum.pairs.emplace_back(tx ? element(x, k, row) : element(x, row, k),
                           swapped ? element(y, column, k) : element(y, k, column));
  }
  return sum;
}

ProductSum EinsumSum(const NodeView& node, size_t index) {
  const auto values = node.InputList(params::Einsum::kValues);
  const Shape& x = node.graph().type(values[0]).shape;
  const Shape& y = node.graph().type(values[1]).shape;
  const Coordinates at = CoordinatesOf(node.ResultType().shape, index);
  const size_t lead = at.size() - 3;  // 1 if there is a batch axis
  ProductSum sum;
  for (int64_t w = 0; w < x[x.rank() - 1]; ++w) {
    Coordinates from_x = {at[lead], at[lead + 1], w};
    Coordinates from_y = {w, at[lead + 1], at[lead + 2]};
    if (lead == 1) from_x.insert(from_x.begin(), at[0]);
    if (lead == 1) from_y.insert(from_y.begin(), at[0]);
    for (size_t axis = 0; axis < at.size(); ++axis) {
      if (x[static_cast<int>(axis)] == 1) from_x[axis] = 0;
      if (y[static_cast<int>(axis)] == 1) from_y[axis] = 0;
    }
    sum.pairs.emplace_back(IndexOf(x, from_x), IndexOf(y, from_y));
  }
  return sum;
}

// Distributes every input element over the result and collects the contributions to each place.
std::vector<ProductSum> ConvTransposeSums(const NodeView& node) {
  using P = params::ConvTranspose;
  const Shape& x = node.InputShape(P::kX);
  const Shape& w = node.InputShape(P::kWeight);
  const Shape& result = node.ResultType().shape;
  const size_t spatial = static_cast<size_t>(x.rank()) - 2;
  const auto strides = PerAxis(node, P::kStrides, spatial, 1);
  const auto dilations = PerAxis(node, P::kDilations, spatial, 1);
  const std::string_view type = node.String(P::kPadType, "valid");
  const int64_t groups = node.Int(P::kGroups, 1);
  std::vector<ProductSum> sums(static_cast<size_t>(result.Elements()));
  for (size_t i = 0; i < sums.size(); ++i) {
    sums[i].bias = static_cast<size_t>(CoordinatesOf(result, i)[1]);
  }
  for (size_t i = 0; i < static_cast<size_t>(x.Elements()); ++i) {
    const Coordinates from = CoordinatesOf(x, i);
    for (size_t j = 0; j < static_cast<size_t>(w.Elements()); ++j) {
      const Coordinates tap = CoordinatesOf(w, j);
      if (tap[0] != from[1]) continue;
      Coordinates to = {from[0], from[1] / (x[1] / groups) * w[1] + tap[1]};
      bool inside = true;
      for (size_t axis = 0; axis < spatial; ++axis) {
        const int at = static_cast<int>(axis) + 2;
        int64_t cut = type == "custom" ? node.Ints(P::kPad)[2 * axis] : 0;
        const int64_t whole = (x[at] - 1) * strides[axis] + dilations[axis] * (w[at] - 1) + 1;
        if (type == "same" && whole > result[at]) cut = (whole - result[at]) / 2;
        to.push_back(from[axis + 2] * strides[axis] + tap[axis + 2] * dilations[axis] - cut);
        inside = inside && to.back() >= 0 && to.back() < result[at];
      }
      if (inside) sums[IndexOf(result, to)].pairs.emplace_back(i, j);
    }
  }
  return sums;
}

Combined PoolElements(const NodeView& node, size_t index) {
  using P = params::Pool;
  const Shape& x = node.InputShape(P::kX);
  const auto given = node.Ints(P::kKernelSizes);
  const std::vector<int64_t> kernel(given.begin(), given.end());
  const auto strides = PerAxis(node, P::kStrides, kernel.size(), 1);
  const std::vector<int64_t> dilations(kernel.size(), 1);
  const Padding padding = PaddingOf(node, P::kPadType, P::kPad, x, kernel, strides, dilations);
  const Coordinates out = CoordinatesOf(node.ResultType().shape, index);
  Combined combined;
  combined.divisor = 0;
  Shape window;
  for (const int64_t extent : kernel) window.Append(extent);
  for (size_t tap = 0; tap < static_cast<size_t>(window.Elements()); ++tap) {
    const Coordinates at = CoordinatesOf(window, tap);
    Coordinates from = {out[0], out[1]};
    bool inside = true;
    bool padded = true;
    for (size_t i = 0; i < kernel.size(); ++i) {
      const int64_t extent = x[static_cast<int>(i) + 2];
      const int64_t place = out[i + 2] * strides[i] + at[i] - padding.before[i];
      inside = inside && place >= 0 && place < extent;
      padded = padded && place < extent + padding.after[i];
      from.push_back(place);
    }
    if (inside) combined.elements.push_back(IndexOf(x, from));
    combined.divisor += padded ? 1 : 0;
  }
  if (node.Bool(P::kExcludePadding, false)) {
    combined.divisor = static_cast<int64_t>(combined.elements.size());
  }
  return combined;
}

std::vector<bool> NamedAxes(const NodeView& node, int parameter, int rank) {
  std::vector<bool> named(static_cast<size_t>(rank), !node.HasAttribute(parameter));
  for (const int64_t axis : node.Ints(parameter))
    named[static_cast<size_t>(Wrap(axis, rank))] = true;
  return named;
}

// Returns the elements of `shape`, grouped by their coordinates on the axes not in `named`.
std::vector<std::vector<size_t>> GroupBy(const Shape& shape, const std::vector<bool>& named) {
  Shape kept;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!named[static_cast<size_t>(axis)]) kept.Append(shape[axis]);
  }
  std::vector<std::vector<size_t>> groups(static_cast<size_t>(kept.Elements()));
  for (size_t i = 0; i < static_cast<size_t>(shape.Elements()); ++i) {
    const Coordinates at = CoordinatesOf(shape, i);
    Coordinates key;
    for (size_t axis = 0; axis < at.size(); ++axis) {
      if (!named[axis]) key.push_back(at[axis]);
    }
    groups[IndexOf(kept, key)].push_back(i);
  }
  return groups;
}

}  // namespace

Coordinates CoordinatesOf(const Shape& shape, size_t index) {
  Coordinates at(static_cast<size_t>(shape.rank()));
  auto rest = static_cast<int64_t>(index);
  for (size_t axis = at.size(); axis-- > 0;) {
    at[axis] = rest % shape[static_cast<int>(axis)];
    rest /= shape[static_cast<int>(axis)];
  }
  return at;
}

size_t IndexOf(const Shape& shape, const Coordinates& coordinates) {
  int64_t index = 0;
  for (size_t axis = 0; axis < coordinates.size(); ++axis) {
    index = index * shape[static_cast<int>(axis)] + coordinates[axis];
  }
  return static_cast<size_t>(index);
}

size_t BroadcastIndex(const Shape& operand, const Shape& result, size_t index) {
  const Coordinates at = CoordinatesOf(result, index);
  Coordinates own(static_cast<size_t>(operand.rank()));
  for (size_t i = 0; i < own.size(); ++i) {
    own[i] = operand[static_cast<int>(i)] == 1 ? 0 : at[at.size() - own.size() + i];
  }
  return IndexOf(operand, own);
}

ProductSum ProductSumOf(const NodeView& node, size_t index) {
  switch (DefinitionOf(node.schema()).products) {
    case Products::kLetters:
      return EinsumSum(node, index);
    case Products::kWindows:
      return ConvSum(node, index);
    case Products::kRows:
      return LinearSum(node, index);
    default:
      return MatmulSum(node, index);
  }
}

std::vector<ProductSum> ProductSums(const NodeView& node) {
  if (DefinitionOf(node.schema()).products == Products::kSpread) return ConvTransposeSums(node);
  const auto count = static_cast<size_t>(node.ResultType().shape.Elements());
  std::vector<ProductSum> sums;
  sums.reserve(count);
  for (size_t i = 0; i < count; ++i) sums.push_back(ProductSumOf(node, i));
  return sums;
}

std::vector<Combined> CombinedElements(const NodeView& node) {
  std::vector<Combined> combined;
  const OpKind kind = KindOf(node.schema());
  if (kind == OpKind::kAvgPool || kind == OpKind::kMaxPool || kind == OpKind::kL2Pool ||
      kind == OpKind::kNePool || kind == OpKind::kPePool) {
    for (size_t i = 0; i < static_cast<size_t>(node.ResultType().shape.Elements()); ++i) {
      combined.push_back(PoolElements(node, i));
    }
    return combined;
  }
  const Shape& x = node.InputShape(params::Reduce::kX);
  std::vector<bool> named;
  if (kind == OpKind::kReduceArgmax || kind == OpKind::kReduceArgmin) {
    named.assign(static_cast<size_t>(x.rank()), false);
    named[static_cast<size_t>(Wrap(node.Int(params::ReduceArg::kAxis, -1), x.rank()))] = true;
  } else {
    named = NamedAxes(node, params::Reduce::kAxes, x.rank());
  }
  for (auto& group : GroupBy(x, named)) {
    const auto divisor = static_cast<int64_t>(group.size());
    combined.push_back({std::move(group), divisor});
  }
  return combined;
}

std::vector<std::vector<size_t>> NormalisedGroups(const NodeView& node) {
  const Shape& x = node.InputShape(0);
  if (KindOf(node.schema()) == OpKind::kLayerNorm) {
    return GroupBy(x, NamedAxes(node, params::LayerNorm::kAxes, x.rank()));
  }
  std::vector<bool> named(static_cast<size_t>(x.rank()), false);
  if (KindOf(node.schema()) == OpKind::kInstanceNorm) {
    std::fill(named.begin() + 2, named.end(), true);
    return GroupBy(x, named);
  }
  if (KindOf(node.schema()) == OpKind::kL2Norm) {
    std::fill(named.end() - 3, named.end(), true);
    return GroupBy(x, named);
  }
  named[static_cast<size_t>(Wrap(node.Int(params::Softmax::kAxis, -1), x.rank()))] = true;
  return GroupBy(x, named);
}

std::vector<size_t> ResponseWindow(const NodeView& node, size_t index, int64_t later) {
  const Shape& x = node.InputShape(0);
  const int64_t size = node.Int(params::LocalResponseNorm::kSize, 1);
  Coordinates at = CoordinatesOf(x, index);
  const int64_t centre = at[1];
  std::vector<size_t> window;
  for (int64_t step = 0; step < size; ++step) {
    at[1] = centre - size / 2 + step + later;
    if (at[1] >= 0 && at[1] < x[1]) window.push_back(IndexOf(x, at));
  }
  return window;
}

}  // namespace anecheck::testing
