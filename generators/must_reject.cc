#include "generators/must_reject.h"

#include <array>
#include <optional>

#include "generators/graph_generator.h"
#include "generators/tensor_data.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"

namespace anecheck {
namespace {

// Operations that take every shape and exist on every family.
constexpr std::array<OpKind, 3> kPlain = {OpKind::kRelu, OpKind::kAbs, OpKind::kSquare};

std::optional<int64_t> LimitOf(const Target& target, std::string_view name) {
  const Known<uint64_t> limit = Limit(target, name);
  // A tensor with a larger extent would make the case too expensive.
  if (!limit.known() || limit.value() > 65536) return std::nullopt;
  return static_cast<int64_t>(limit.value());
}

// Appends one or two plain operations on x, and makes their result the output.
bool Close(ChoiceStream& choices, Graph& graph, ValueId x) {
  const uint64_t count = 1 + choices.Below(2);
  for (uint64_t i = 0; i < count; ++i) {
    graph.BeginNode(&GetOp(choices.Pick(kPlain)).schema);
    graph.AddArgument(params::Unary::kX, x);
    const Result<ValueId> y = graph.FinishNode();
    if (!y.ok()) return false;
    x = *y;
  }
  graph.AddOutput(x);
  return true;
}

bool DrawRank(ChoiceStream& choices, const Target& target, Graph& graph) {
  const auto most = LimitOf(target, "max_rank");
  if (!most || *most >= Shape::kMaxRank) return false;
  const auto rank = static_cast<int>(choices.Range(*most + 1, Shape::kMaxRank));
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) shape.Append(choices.Range(1, 3));
  return Close(choices, graph, graph.AddInput({DType::kFp16, shape}));
}

bool DrawExtent(ChoiceStream& choices, const Target& target, Graph& graph) {
  const auto most = LimitOf(target, "max_tensor_wh");
  if (!most) return false;
  const int64_t extent = *most + (choices.Coin() ? 1 : choices.Range(2, 64));
  const std::array<Shape, 4> shapes = {Shape{1, 1, 1, extent}, Shape{1, 1, extent, 1},
                                       Shape{1, extent}, Shape{extent}};
  return Close(choices, graph, graph.AddInput({DType::kFp16, choices.Pick(shapes)}));
}

// Whether the compile limits of the target were measured
// (facts/silicon/compile_limits_silicon.csv).
bool IsMeasured(const Target& target) {
  return target.tier == Tier::kA16 || target.tier == Tier::kA18;
}

bool DrawInputType(ChoiceStream& choices, const Target& target, Graph& graph) {
  constexpr std::array<DType, 2> kTypes = {DType::kFp32, DType::kInt32};
  const Shape shape = {1, choices.Range(1, 8), choices.Range(1, 4), choices.Range(1, 4)};
  // The compilers of measured targets place a cast from fp32 on the engine.
  const DType type = IsMeasured(target) ? DType::kInt32 : choices.Pick(kTypes);
  const ValueId x = graph.AddInput({type, shape});
  graph.BeginNode(&GetOp(OpKind::kCast).schema);
  graph.AddArgument(params::Cast::kX, x);
  graph.AddString(params::Cast::kDtype, "fp16");
  const Result<ValueId> y = graph.FinishNode();
  return y.ok() && Close(choices, graph, *y);
}

bool DrawKernel(ChoiceStream& choices, Graph& graph, int64_t height, int64_t width) {
  const int64_t channels = choices.Range(1, 4);
  const Shape shape = {1, channels, height + choices.Range(0, 3), width + choices.Range(0, 3)};
  const TensorType weights{DType::kFp16, {choices.Range(1, 4), channels, height, width}};
  const ValueId x = graph.AddInput({DType::kFp16, shape});
  const ValueId weight =
      graph.AddConst(weights, DrawTensor(choices, weights, CaseMode::kFloat, 0.25));
  graph.BeginNode(&GetOp(OpKind::kConv).schema);
  graph.AddArgument(params::Conv::kX, x);
  graph.AddArgument(params::Conv::kWeight, weight);
  graph.AddString(params::Conv::kPadType, "valid");
  const Result<ValueId> y = graph.FinishNode();
  return y.ok() && Close(choices, graph, *y);
}

// The maximum kernel widths that the front end accepts (facts/compile_envelope.csv). The code
// generator already fails at widths above 13 on A13 and above 15 from A14 on; this is a documented
// defect, not a rule.
constexpr int64_t kFrontEndWidthOnA13 = 15;
constexpr int64_t kFrontEndWidth = 16;

bool DrawKernelWidthOnA13(ChoiceStream& choices, const Target& target, Graph& graph) {
  if (target.tier != Tier::kA13) return false;
  const int64_t width = kFrontEndWidthOnA13 + choices.Range(1, 8);
  return DrawKernel(choices, graph, 1, width);
}

bool DrawKernelWidth(ChoiceStream& choices, const Target& target, Graph& graph) {
  if (target.tier == Tier::kA13 || IsMeasured(target)) return false;
  if (!LimitOf(target, "max_kernel_w_fp16_large")) return false;
  const int64_t width = kFrontEndWidth + choices.Range(1, 8);
  return DrawKernel(choices, graph, 1, width);
}

bool DrawKernelHeight(ChoiceStream& choices, const Target& target, Graph& graph) {
  const auto most = LimitOf(target, "max_kernel_h_large");
  if (!most) return false;
  const int64_t height = *most + choices.Range(1, 3);
  return DrawKernel(choices, graph, height, 1);
}

bool DrawLargeKernel(ChoiceStream& choices, const Target& target, Graph& graph) {
  if (!IsMeasured(target)) return false;
  return choices.Coin() ? DrawKernel(choices, graph, 1, choices.Range(16, 20))
                        : DrawKernel(choices, graph, 32, choices.Range(1, 4));
}

bool DrawPoolWidth(ChoiceStream& choices, const Target& target, Graph& graph) {
  if (!IsMeasured(target)) return false;
  const std::array<int64_t, 2> sizes = {choices.Range(1, 8), choices.Range(9, 31)};
  const Shape shape = {1, choices.Range(1, 4), sizes[0] + choices.Range(0, 3),
                       sizes[1] + choices.Range(0, 3)};
  const ValueId x = graph.AddInput({DType::kFp16, shape});
  graph.BeginNode(&GetOp(OpKind::kMaxPool).schema);
  graph.AddArgument(params::Pool::kX, x);
  graph.AddInts(params::Pool::kKernelSizes, sizes);
  graph.AddString(params::Pool::kPadType, "valid");
  const Result<ValueId> y = graph.FinishNode();
  return y.ok() && Close(choices, graph, *y);
}

bool DrawLegacy(ChoiceStream& choices, const Target& target, Graph& graph) {
  if (target.tier != Tier::kLegacy) return false;
  const Shape shape = {1, choices.Range(1, 8), choices.Range(1, 4), choices.Range(1, 4)};
  return Close(choices, graph, graph.AddInput({DType::kFp16, shape}));
}

constexpr std::array<RuleBreak, 9> kBreaks = {{
    {"rank", "", DrawRank},
    {"axis_extent", "result_extent,tensor_dimensions", DrawExtent},
    {"input_dtype", "input_dtype_integers,int32_operand", DrawInputType},
    {"conv_kernel_width_15", "conv_kernel_width_fp16", DrawKernelWidthOnA13},
    {"conv_kernel_width_fp16", "", DrawKernelWidth},
    {"conv_kernel_height", "large_kernel_refused", DrawKernelHeight},
    {"large_kernel_refused", "", DrawLargeKernel},
    {"max_pool_width", "", DrawPoolWidth},
    {"mil_needs_h13", "", DrawLegacy},
}};

}  // namespace

std::span<const RuleBreak> RuleBreaks() { return kBreaks; }

}  // namespace anecheck
