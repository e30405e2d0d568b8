#include "harness/lifting/builder.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>

#include "harness/base/half.h"
#include "harness/ops/params.h"

namespace anecheck::lifting {
namespace {

constexpr size_t kMostParts = 256;  // parts of one concat; more parts are gathered

std::vector<uint8_t> BytesOf(std::span<const uint16_t> bits) {
  std::vector<uint8_t> bytes(bits.size_bytes());
  std::memcpy(bytes.data(), bits.data(), bytes.size());
  return bytes;
}

// Returns the row-major strides of a shape, in elements.
std::vector<int64_t> StepsOf(const Shape& shape) {
  std::vector<int64_t> steps(static_cast<size_t>(shape.rank()), 1);
  for (int axis = shape.rank() - 2; axis >= 0; --axis) {
    const auto at = static_cast<size_t>(axis);
    steps[at] = steps[at + 1] * shape[axis + 1];
  }
  return steps;
}

bool AllNumbers(const Elements& elements) {
  return std::ranges::all_of(elements, &Element::IsNumber);
}
bool OneValue(const Elements& elements) {
  return !elements.front().IsNumber() && std::ranges::all_of(elements, [&](const Element& e) {
    return e.value == elements.front().value;
  });
}

// Whether these are all elements of a value with `count` elements, in the value's order.
bool IsWhole(const Elements& elements, int64_t count) {
  if (static_cast<int64_t>(elements.size()) != count) return false;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].index != i) return false;
  }
  return true;
}

// Element indices that are `base` plus a constant step for each axis.
struct Affine {
  int64_t base = 0;
  std::vector<int64_t> steps;  // of axes with an extent above 1; 0 elsewhere
};

std::optional<Affine> AffineOf(const Elements& elements, const Shape& shape) {
  Affine affine{elements.front().index, std::vector<int64_t>(static_cast<size_t>(shape.rank()))};
  const std::vector<int64_t> own = StepsOf(shape);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 1) continue;
    const auto at = static_cast<size_t>(axis);
    affine.steps[at] =
        int64_t{elements[static_cast<size_t>(own[at])].index} - elements.front().index;
    if (affine.steps[at] <= 0) return std::nullopt;
  }
  for (size_t i = 0; i < elements.size(); ++i) {
    int64_t expected = affine.base;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      const auto at = static_cast<size_t>(axis);
      expected += static_cast<int64_t>(i) / own[at] % shape[axis] * affine.steps[at];
    }
    if (expected != elements[i].index) return std::nullopt;
  }
  return affine;
}

// A box of a value's elements. The value is reshaped to `view`, then cut, then transposed.
struct Box {
  std::vector<int64_t> view, begin, size;
  std::vector<int> order;  // axes of the result, in the order of the view
};

std::optional<Box> BoxOf(const Affine& affine, const Shape& shape, int64_t elements) {
  Box box;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] > 1) box.order.push_back(axis);
  }
  const auto step = [&](int axis) { return affine.steps[static_cast<size_t>(axis)]; };
  std::ranges::sort(box.order, std::ranges::greater(), step);
  int64_t outer = elements;
  int64_t rest = affine.base;
  for (const int axis : box.order) {
    if (outer % step(axis) != 0) return std::nullopt;
    box.view.push_back(outer / step(axis));
    box.begin.push_back(rest / step(axis));
    box.size.push_back(shape[axis]);
    if (box.begin.back() + shape[axis] > box.view.back()) return std::nullopt;
    rest %= step(axis);
    outer = step(axis);
  }
  if (outer > 1) {
    box.view.push_back(outer);
    box.begin.push_back(rest);
    box.size.push_back(1);
  }
  if (box.view.size() > 5) return std::nullopt;
  return box;
}

// Returns the places along an axis at which runs of elements of one value (or of numbers) begin.
// Empty if the elements at one place of the axis come from several values.
std::vector<int64_t> RunsAlong(const Elements& elements, const Shape& shape, int axis) {
  const std::vector<int64_t> own = StepsOf(shape);
  const int64_t step = own[static_cast<size_t>(axis)];
  std::vector<std::optional<ValueId>> at(static_cast<size_t>(shape[axis]));
  for (size_t i = 0; i < elements.size(); ++i) {
    auto& value = at[static_cast<size_t>(static_cast<int64_t>(i) / step % shape[axis])];
    if (value && *value != elements[i].value) return {};
    value = elements[i].value;
  }
  std::vector<int64_t> begins;
  for (size_t i = 0; i < at.size(); ++i) {
    if (i == 0 || at[i] != at[i - 1]) begins.push_back(static_cast<int64_t>(i));
  }
  return begins;
}

}  // namespace

// ---- operations ---------------------------------------------------------------------------------

ValueId WithoutReshapes(const Graph& graph, ValueId value) {
  while (graph.value(value).kind == ValueKind::kResult) {
    const NodeView node(graph, graph.value(value).producer);
    if (KindOf(node.schema()) != OpKind::kReshape) break;
    value = node.Input(params::Reshape::kX);
  }
  return value;
}

Result<ValueId> Builder::Unary(OpKind kind, ValueId x) {
  graph_.BeginNode(&GetOp(kind).schema);
  graph_.AddArgument(params::Unary::kX, x);
  return graph_.FinishNode();
}

Result<ValueId> Builder::Binary(OpKind kind, ValueId x, ValueId y) {
  graph_.BeginNode(&GetOp(kind).schema);
  graph_.AddArgument(params::Binary::kX, x);
  graph_.AddArgument(params::Binary::kY, y);
  return graph_.FinishNode();
}

Result<ValueId> Builder::WithEpsilon(OpKind kind, ValueId x, double epsilon) {
  graph_.BeginNode(&GetOp(kind).schema);
  graph_.AddArgument(params::WithEpsilon::kX, x);
  graph_.AddFloat(params::WithEpsilon::kEpsilon, epsilon);
  return graph_.FinishNode();
}

Result<ValueId> Builder::LeakyRelu(ValueId x, double alpha) {
  graph_.BeginNode(&GetOp(OpKind::kLeakyRelu).schema);
  graph_.AddArgument(params::WithAlpha::kX, x);
  graph_.AddFloat(params::WithAlpha::kAlpha, alpha);
  return graph_.FinishNode();
}

Result<ValueId> Builder::Clip(ValueId x, double low, double high) {
  graph_.BeginNode(&GetOp(OpKind::kClip).schema);
  graph_.AddArgument(params::Clip::kX, x);
  graph_.AddFloat(params::Clip::kAlpha, low);
  graph_.AddFloat(params::Clip::kBeta, high);
  return graph_.FinishNode();
}

Result<ValueId> Builder::Select(ValueId cond, ValueId a, ValueId b) {
  graph_.BeginNode(&GetOp(OpKind::kSelect).schema);
  graph_.AddArgument(params::Select::kCond, cond);
  graph_.AddArgument(params::Select::kA, a);
  graph_.AddArgument(params::Select::kB, b);
  return graph_.FinishNode();
}

Result<ValueId> Builder::Cast(ValueId x, std::string_view dtype) {
  graph_.BeginNode(&GetOp(OpKind::kCast).schema);
  graph_.AddArgument(params::Cast::kX, x);
  graph_.AddString(params::Cast::kDtype, dtype);
  return graph_.FinishNode();
}

Result<ValueId> Builder::AsNumbers(ValueId bools) {
  if (const auto known = numbers_.find(bools); known != numbers_.end()) return known->second;
  ANECHECK_ASSIGN(const ValueId numbers, Cast(bools, "fp16"));
  numbers_.emplace(bools, numbers);
  return numbers;
}

Result<ValueId> Builder::Reduce(OpKind kind, ValueId x, std::span<const int64_t> axes) {
  graph_.BeginNode(&GetOp(kind).schema);
  graph_.AddArgument(params::Reduce::kX, x);
  graph_.AddInts(params::Reduce::kAxes, axes);
  graph_.AddBool(params::Reduce::kKeepDims, true);
  return graph_.FinishNode();
}

Result<ValueId> Builder::Conv(ValueId x, ValueId weight, ValueId bias, const WindowSpec& window) {
  using P = params::Conv;
  graph_.BeginNode(&GetOp(OpKind::kConv).schema);
  graph_.AddArgument(P::kX, x);
  graph_.AddArgument(P::kWeight, weight);
  if (bias != kNoValue) graph_.AddArgument(P::kBias, bias);
  graph_.AddInts(P::kStrides, window.strides);
  graph_.AddString(P::kPadType, "custom");
  graph_.AddInts(P::kPad, window.pad);
  graph_.AddInt(P::kGroups, window.groups);
  return graph_.FinishNode();
}

Result<ValueId> Builder::Reshape(ValueId x, const Shape& shape) {
  x = WithoutReshapes(graph_, x);
  if (graph_.type(x).shape == shape) return x;
  const auto dims = shape.dims();
  const std::pair key(x, std::vector<int64_t>(dims.begin(), dims.end()));
  if (const auto known = reshaped_.find(key); known != reshaped_.end()) return known->second;
  graph_.BeginNode(&GetOp(OpKind::kReshape).schema);
  graph_.AddArgument(params::Reshape::kX, x);
  graph_.AddInts(params::Reshape::kShape, dims);
  ANECHECK_ASSIGN(const ValueId result, graph_.FinishNode());
  reshaped_.emplace(key, result);
  return result;
}

Result<ValueId> Builder::Slice(ValueId x, std::span<const int64_t> begin,
                               std::span<const int64_t> size) {
  if (std::ranges::equal(size, graph_.type(x).shape.dims())) return x;
  graph_.BeginNode(&GetOp(OpKind::kSliceBySize).schema);
  graph_.AddArgument(params::SliceBySize::kX, x);
  graph_.AddInts(params::SliceBySize::kBegin, begin);
  graph_.AddInts(params::SliceBySize::kSize, size);
  return graph_.FinishNode();
}

Result<ValueId> Builder::Transpose(ValueId x, std::span<const int64_t> perm) {
  if (std::ranges::is_sorted(perm)) return x;
  graph_.BeginNode(&GetOp(OpKind::kTranspose).schema);
  graph_.AddArgument(params::Transpose::kX, x);
  graph_.AddInts(params::Transpose::kPerm, perm);
  return graph_.FinishNode();
}

Result<ValueId> Builder::Concat(std::span<const ValueId> values, int64_t axis) {
  graph_.BeginNode(&GetOp(OpKind::kConcat).schema);
  for (const ValueId value : values) graph_.AddArgument(params::Concat::kValues, value);
  graph_.AddInt(params::Concat::kAxis, axis);
  return graph_.FinishNode();
}

ValueId Builder::Constant(const Shape& shape, std::span<const uint16_t> bits) {
  return graph_.AddConst({DType::kFp16, shape}, BytesOf(bits));
}

Result<ValueId> Builder::Scalar(double number) {
  const Half half = DoubleToHalf(number);
  if (HalfToDouble(half) != number) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("the constant {:.9g}, which fp16 does not hold", number));
  }
  return Constant({1}, {&half.bits, 1});
}

// ---- values from elements -----------------------------------------------------------------------

Result<ValueId> Builder::Assemble(const Elements& elements, const Shape& shape) {
  if (AreBools(elements)) {
    ANECHECK_ASSIGN(const ValueId bools, Assembled(elements, shape, DType::kBool));
    return AsNumbers(bools);
  }
  ANECHECK_ASSIGN(const Elements numbers, ElementsAsNumbers(elements));
  return Assembled(numbers, shape, DType::kFp16);
}

Result<ValueId> Builder::AssembleBools(const Elements& elements, const Shape& shape) {
  return Assembled(elements, shape, DType::kBool);
}

// Whether the elements are bools, or bools beside the numbers 0 and 1.
bool Builder::AreBools(const Elements& elements) const {
  constexpr uint32_t kOne = 0x3c00;
  return !AllNumbers(elements) && std::ranges::all_of(elements, [&](const Element& e) {
    return e.IsNumber() ? e.index == 0 || e.index == kOne : IsBool(e.value);
  });
}

Result<Elements> Builder::ElementsAsNumbers(Elements elements) {
  for (Element& element : elements) {
    if (element.IsNumber() || !IsBool(element.value)) continue;
    ANECHECK_ASSIGN(element.value, AsNumbers(element.value));
  }
  return elements;
}

ValueId Builder::ConstantOf(const Elements& numbers, const Shape& shape, DType dtype) {
  constexpr uint32_t kSign = 0x8000;
  std::vector<uint16_t> bits;
  std::vector<uint8_t> bools;
  for (const Element& element : numbers) {
    bits.push_back(static_cast<uint16_t>(element.index));
    bools.push_back((element.index & ~kSign) != 0 ? 1 : 0);
  }
  return dtype == DType::kBool ? graph_.AddConst({dtype, shape}, bools) : Constant(shape, bits);
}

Result<ValueId> Builder::Assembled(const Elements& elements, const Shape& shape, DType dtype) {
  if (AllNumbers(elements)) return ConstantOf(elements, shape, dtype);
  if (OneValue(elements)) return AssembleOne(elements, shape, dtype);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const std::vector<int64_t> begins = RunsAlong(elements, shape, axis);
    if (!begins.empty() && begins.size() <= kMostParts) {
      return Join(elements, shape, axis, begins, dtype);
    }
  }
  return Gather(elements, shape, dtype);
}

Result<ValueId> Builder::AssembleOne(const Elements& elements, const Shape& shape, DType dtype) {
  const ValueId value = elements.front().value;
  const int64_t count = graph_.type(value).shape.Elements();
  if (IsWhole(elements, count)) return Reshape(value, shape);
  const std::optional<Affine> affine = AffineOf(elements, shape);
  if (!affine) return Gather(elements, shape, dtype);
  const std::optional<Box> box = BoxOf(*affine, shape, count);
  if (!box) return Gather(elements, shape, dtype);
  ANECHECK_ASSIGN(ValueId result, Reshape(value, Shape::FromSpan(box->view)));
  ANECHECK_ASSIGN(result, Slice(result, box->begin, box->size));
  // The cut has the view's order of axes. A transpose gives it the result's order.
  Shape cut;
  std::vector<int64_t> perm(box->order.size());
  for (size_t i = 0; i < box->order.size(); ++i) {
    cut.Append(shape[box->order[i]]);
    const auto place = std::ranges::count_if(box->order, [&](int o) { return o < box->order[i]; });
    perm[static_cast<size_t>(place)] = static_cast<int64_t>(i);
  }
  if (!std::ranges::is_sorted(perm)) {
    ANECHECK_ASSIGN(result, Reshape(result, cut));
    ANECHECK_ASSIGN(result, Transpose(result, perm));
  }
  return Reshape(result, shape);
}

Result<ValueId> Builder::Join(const Elements& elements, const Shape& shape, int axis,
                              std::span<const int64_t> begins, DType dtype) {
  const int64_t step = StepsOf(shape)[static_cast<size_t>(axis)];
  std::vector<ValueId> parts;
  for (size_t part = 0; part < begins.size(); ++part) {
    const int64_t begin = begins[part];
    const int64_t end = part + 1 < begins.size() ? begins[part + 1] : shape[axis];
    Elements inside;
    for (size_t i = 0; i < elements.size(); ++i) {
      const int64_t at = static_cast<int64_t>(i) / step % shape[axis];
      if (at >= begin && at < end) inside.push_back(elements[i]);
    }
    Shape own = shape;
    own[axis] = end - begin;
    ANECHECK_ASSIGN(const ValueId value, Assembled(inside, own, dtype));
    parts.push_back(value);
  }
  return Concat(parts, axis);
}

// Concatenates the flattened values and then the numbers, and gathers element by element from the
// result. Bools are gathered as numbers, because gather takes no bools.
Result<ValueId> Builder::Gather(Elements elements, const Shape& shape, DType dtype) {
  if (dtype == DType::kBool) {
    ANECHECK_ASSIGN(elements, ElementsAsNumbers(std::move(elements)));
    ANECHECK_ASSIGN(const ValueId numbers, Gather(std::move(elements), shape, DType::kFp16));
    return Cast(numbers, "bool");
  }
  std::map<ValueId, int64_t> begin_of;
  std::map<uint32_t, int64_t> place_of_number;
  for (const Element& element : elements) {
    if (element.IsNumber()) {
      place_of_number.try_emplace(element.index, 0);
    } else {
      begin_of.try_emplace(element.value, 0);
    }
  }
  int64_t next = 0;
  std::vector<ValueId> parts;
  for (auto& [value, begin] : begin_of) {
    begin = next;
    const int64_t count = graph_.type(value).shape.Elements();
    next += count;
    ANECHECK_ASSIGN(const ValueId flat, Reshape(value, {count}));
    parts.push_back(flat);
  }
  std::vector<uint16_t> numbers;
  for (auto& [bits, place] : place_of_number) {
    place = next++;
    numbers.push_back(static_cast<uint16_t>(bits));
  }
  if (!numbers.empty()) {
    parts.push_back(Constant({static_cast<int64_t>(numbers.size())}, numbers));
  }
  ValueId all = parts.front();
  if (parts.size() > 1) {
    ANECHECK_ASSIGN(all, Concat(parts, 0));
  }
  std::vector<uint8_t> indices(elements.size() * sizeof(int32_t));
  for (size_t i = 0; i < elements.size(); ++i) {
    const Element& element = elements[i];
    const auto index =
        static_cast<int32_t>(element.IsNumber() ? place_of_number.at(element.index)
                                                : begin_of.at(element.value) + element.index);
    std::memcpy(indices.data() + i * sizeof index, &index, sizeof index);
  }
  const ValueId order = graph_.AddConst({DType::kInt32, shape}, indices);
  graph_.BeginNode(&GetOp(OpKind::kGather).schema);
  graph_.AddArgument(params::Gather::kX, all);
  graph_.AddArgument(params::Gather::kIndices, order);
  graph_.AddInt(params::Gather::kAxis, 0);
  return graph_.FinishNode();
}

}  // namespace anecheck::lifting
