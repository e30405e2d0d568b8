#include "harness/lowering/explicit_form.h"

#include <algorithm>
#include <vector>

#include "harness/graph/copy_node.h"
#include "harness/ops/infer.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// Writes the explicit attributes of one node into the open node of `to`.
class Writer {
 public:
  Writer(const NodeView& node, Graph& to) : node_(node), to_(to) {}

  Status Write() {
    switch (KindOf(node_.schema())) {
      case OpKind::kConv:
        return Conv();
      case OpKind::kAvgPool:
      case OpKind::kMaxPool:
        return Pool();
      case OpKind::kMatmul:
        to_.AddBool(params::Matmul::kTransposeX, node_.Bool(params::Matmul::kTransposeX, false));
        to_.AddBool(params::Matmul::kTransposeY, node_.Bool(params::Matmul::kTransposeY, false));
        return {};
      case OpKind::kSoftmax:
        to_.AddInt(params::Softmax::kAxis, Axis(node_.Int(params::Softmax::kAxis, -1)));
        return {};
      case OpKind::kReduceSum:
      case OpKind::kReduceMax:
      case OpKind::kReduceMin:
      case OpKind::kReduceMean:
        return Reduce();
      case OpKind::kReshape:
        to_.AddInts(params::Reshape::kShape, node_.ResultType().shape.dims());
        return {};
      case OpKind::kTranspose:
        return Transpose();
      case OpKind::kConcat:
        to_.AddInt(params::Concat::kAxis, Axis(node_.Int(params::Concat::kAxis, 0)));
        if (node_.Bool(params::Concat::kInterleave, false)) {
          to_.AddBool(params::Concat::kInterleave, true);
        }
        return {};
      case OpKind::kSliceBySize:
        return Slice();
      case OpKind::kPad:
        Pad();
        return {};
      case OpKind::kLayerNorm:
        ANECHECK_RETURN_IF_ERROR(Axes(params::LayerNorm::kAxes));
        Number(params::LayerNorm::kEpsilon);
        return {};
      case OpKind::kInstanceNorm:
        Number(params::InstanceNorm::kEpsilon);
        return {};
      case OpKind::kL2Norm:
        Number(params::WithEpsilon::kEpsilon);
        return {};
      case OpKind::kLocalResponseNorm:
        to_.AddInt(params::LocalResponseNorm::kSize,
                   node_.Int(params::LocalResponseNorm::kSize, 1));
        for (const int parameter :
             {params::LocalResponseNorm::kAlpha, params::LocalResponseNorm::kBeta,
              params::LocalResponseNorm::kK}) {
          Number(parameter);
        }
        return {};
      case OpKind::kGelu:
        to_.AddString(params::Gelu::kMode, node_.String(params::Gelu::kMode, "EXACT"));
        return {};
      default:
        Copy();
        return {};
    }
  }

 private:
  int64_t Axis(int64_t axis) const { return axis < 0 ? axis + node_.InputShape(0).rank() : axis; }

  Status WriteWindow(std::span<const int64_t> kernel, const WindowParameters& at) {
    ANECHECK_ASSIGN(const Window window, ComputeWindow(node_, node_.InputShape(0), kernel, at));
    const auto axes = static_cast<size_t>(window.spatial);
    std::vector<int64_t> pads;
    for (size_t i = 0; i < axes; ++i) {
      pads.push_back(window.pad_before[i]);
      pads.push_back(window.pad_after[i]);
    }
    to_.AddInts(at.strides, std::span(window.stride).first(axes));
    to_.AddString(at.pad_type, "custom");
    to_.AddInts(at.pad, pads);
    const auto dilations = std::span(window.dilation).first(axes);
    const bool dilated =
        std::any_of(dilations.begin(), dilations.end(), [](auto d) { return d > 1; });
    if (at.dilations >= 0 && dilated) to_.AddInts(at.dilations, dilations);
    return {};
  }

  Status Conv() {
    using P = params::Conv;
    const Shape& weight = node_.InputShape(P::kWeight);
    ANECHECK_RETURN_IF_ERROR(
        WriteWindow(weight.dims().subspan(2), {P::kStrides, P::kPadType, P::kPad, P::kDilations}));
    to_.AddInt(P::kGroups, node_.Int(P::kGroups, 1));
    return {};
  }

  Status Pool() {
    using P = params::Pool;
    to_.AddInts(P::kKernelSizes, node_.Ints(P::kKernelSizes));
    ANECHECK_RETURN_IF_ERROR(WriteWindow(node_.Ints(P::kKernelSizes),
                                         {P::kStrides, P::kPadType, P::kPad, -1, P::kCeilMode}));
    if (node_.Bool(P::kCeilMode, false)) to_.AddBool(P::kCeilMode, true);
    if (KindOf(node_.schema()) == OpKind::kAvgPool) {
      to_.AddBool(P::kExcludePadding, node_.Bool(P::kExcludePadding, false));
    }
    return {};
  }

  // Writes a float attribute, or its default.
  void Number(int parameter) {
    const Default& fallback = node_.schema().parameters[static_cast<size_t>(parameter)].fallback;
    to_.AddFloat(parameter, node_.Float(parameter, fallback.number));
  }

  Status Axes(int parameter) {
    const int rank = node_.InputShape(0).rank();
    ANECHECK_ASSIGN(const uint32_t mask, AxisMask(node_, parameter, rank));
    std::vector<int64_t> axes;
    for (int axis = 0; axis < rank; ++axis) {
      if ((mask >> axis & 1) != 0) axes.push_back(axis);
    }
    to_.AddInts(parameter, axes);
    return {};
  }

  // Writes the padding of the last two axes only, unless other axes are padded.
  void Pad() {
    using P = params::Pad;
    const auto given = node_.Ints(P::kPad);
    const auto kept = static_cast<size_t>(2 * std::min(node_.InputShape(0).rank(), 2));
    std::vector<int64_t> pad(given.begin(), given.end());
    while (pad.size() > kept && pad[0] == 0 && pad[1] == 0) pad.erase(pad.begin(), pad.begin() + 2);
    if (pad.size() < kept) pad.insert(pad.begin(), kept - pad.size(), 0);
    const std::string_view mode = node_.String(P::kMode, "constant");
    to_.AddInts(P::kPad, pad);
    to_.AddString(P::kMode, mode);
    to_.AddFloat(P::kConstantVal, mode == "constant" ? node_.Float(P::kConstantVal, 0) : 0);
  }

  Status Reduce() {
    using P = params::Reduce;
    ANECHECK_RETURN_IF_ERROR(Axes(P::kAxes));
    to_.AddBool(P::kKeepDims, node_.Bool(P::kKeepDims, false));
    return {};
  }

  Status Transpose() {
    std::vector<int64_t> perm;
    for (const int64_t axis : node_.Ints(params::Transpose::kPerm)) perm.push_back(Axis(axis));
    to_.AddInts(params::Transpose::kPerm, perm);
    return {};
  }

  Status Slice() {
    using P = params::SliceBySize;
    if (node_.HasInput(P::kComputedBegin)) {
      Copy();
      return {};
    }
    std::vector<int64_t> begin;
    const auto given = node_.Ints(P::kBegin);
    for (size_t i = 0; i < given.size(); ++i) {
      const int64_t extent = node_.InputShape(0)[static_cast<int>(i)];
      begin.push_back(given[i] < 0 ? given[i] + extent : given[i]);
    }
    to_.AddInts(P::kBegin, begin);
    to_.AddInts(P::kSize, node_.ResultType().shape.dims());
    return {};
  }

  void Copy() {
    const Graph& from = node_.graph();
    for (const Attribute& attribute : from.attributes(node_.node())) {
      const int parameter = attribute.parameter;
      switch (attribute.kind) {
        case AttributeKind::kInt:
          to_.AddInt(parameter, attribute.integer);
          break;
        case AttributeKind::kFloat:
          to_.AddFloat(parameter, attribute.number);
          break;
        case AttributeKind::kBool:
          to_.AddBool(parameter, attribute.integer != 0);
          break;
        case AttributeKind::kString:
          to_.AddString(parameter, from.string(attribute));
          break;
        case AttributeKind::kInts:
          to_.AddInts(parameter, from.ints(attribute));
          break;
        case AttributeKind::kFloats:
          to_.AddFloats(parameter, from.floats(attribute));
          break;
        case AttributeKind::kBools:
          to_.AddBools(parameter, from.ints(attribute));
          break;
      }
    }
  }

  const NodeView node_;
  Graph& to_;
};

}  // namespace

Result<Graph> ExplicitForm(const Graph& graph) {
  Graph result;
  result.name = graph.name;
  std::vector<ValueId> moved(graph.values().size(), kNoValue);
  CopyLeaves(graph, moved, result);
  for (const Node& node : graph.nodes()) {
    result.BeginNode(node.schema);
    for (const Argument& argument : graph.arguments(node)) {
      result.AddArgument(argument.parameter, moved[argument.value]);
    }
    ANECHECK_RETURN_IF_ERROR(Writer(NodeView(graph, node), result).Write());
    for (const Graph& block : graph.blocks(node)) result.AddBlock(block);
    std::vector<std::string> names;
    names.reserve(node.result_count);
    for (uint32_t i = 0; i < node.result_count; ++i) {
      names.push_back(graph.value(node.first_result + i).name);
    }
    ANECHECK_ASSIGN(const ValueId first, result.FinishNode(names));
    for (uint32_t i = 0; i < node.result_count; ++i) moved[node.first_result + i] = first + i;
  }
  for (const ValueId output : graph.outputs()) result.AddOutput(moved[output]);
  return result;
}

}  // namespace anecheck
