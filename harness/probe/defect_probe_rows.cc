#include "harness/probe/defect_probe_rows.h"

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/half.h"
#include "harness/formats/netlist/model.h"
#include "harness/graph/graph.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/probe/probe_program.h"
#include "harness/probe/program_defects.h"
#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

using Numbers = std::vector<double>;

struct PortNumbers {
  std::string name;
  Numbers numbers;
};

std::vector<uint8_t> Halves(const Numbers& numbers) {
  std::vector<uint8_t> bytes;
  for (const double number : numbers) {
    const uint16_t bits = DoubleToHalf(number).bits;
    bytes.push_back(static_cast<uint8_t>(bits & 0xff));
    bytes.push_back(static_cast<uint8_t>(bits >> 8));
  }
  return bytes;
}

Result<double> Accepted(const ProbeProgram& program, const ProbeProgram& control) {
  ANECHECK_ASSIGN(const bool refused, CompilerRefused(program, control));
  return refused ? 0 : 1;
}

// Runs the program and returns the `count` elements of y.
Result<Numbers> Run(ProbeProgram& program, const std::vector<PortNumbers>& inputs, size_t count) {
  if (!program.failed().empty()) return Broken(program);
  for (const PortNumbers& input : inputs) {
    const std::vector<uint8_t> bytes = Halves(input.numbers);
    void* data = program.Bind(input.name, false, bytes.size());
    if (data == nullptr) return Broken(program);
    std::memcpy(data, bytes.data(), bytes.size());
  }
  const void* y = program.Bind("y", true, 2 * count);
  if (y == nullptr || !program.Execute()) return Broken(program);
  Numbers numbers;
  for (size_t i = 0; i < count; ++i) {
    Half half;
    std::memcpy(&half.bits, static_cast<const char*>(y) + 2 * i, 2);
    numbers.push_back(HalfToDouble(half));
  }
  return numbers;
}

// ---- MIL text ----

Result<double> ProgramAccepted(const E5rtLibrary& engine, std::string_view target,
                               const std::string& mil) {
  const ProbeProgram control(engine, target, PlainProbeText());
  return Accepted(ProbeProgram(engine, target, mil), control);
}
Result<double> MilAccepted(const E5rtLibrary& engine, std::string_view target,
                           std::string_view parameters, std::string_view statements) {
  return ProgramAccepted(engine, target, ProbeText(parameters, statements));
}
Result<double> KernelDepthAccepted(const E5rtLibrary& engine, std::string_view target) {
  return ProgramAccepted(
      engine, target,
      ProbeText("tensor<fp16, [1, 1, 2, 2, 2]> x, tensor<fp16, [1, 1, 2, 1, 1]> w",
                "tensor<fp16, [1, 1, 1, 2, 2]> y = conv(x = x, weight = w);"));
}
// Returns the number of device masks of specification 001 (CPU, GPU, both, engine, all) with which
// the program compiles.
Result<double> KernelDepthMasks(const E5rtLibrary& engine, std::string_view target) {
  double masks = 0;
  for (const uint64_t mask : {1, 2, 3, 4, 7}) {
    const ProbeProgram control(engine, target, PlainProbeText(), mask);
    const ProbeProgram program(
        engine, target,
        ProbeText("tensor<fp16, [1, 1, 2, 2, 2]> x, tensor<fp16, [1, 1, 2, 1, 1]> w",
                  "tensor<fp16, [1, 1, 1, 2, 2]> y = conv(x = x, weight = w);"),
        mask);
    ANECHECK_ASSIGN(const double accepted, Accepted(program, control));
    masks += accepted;
  }
  return masks;
}
// Tests a kernel that is one column wider than the narrowest published limit of the families with
// that defect. The limit is 13 on A13 and 15 on later families.
Result<double> KernelWidthAccepted(const E5rtLibrary& engine, std::string_view target) {
  constexpr int kA13Index = 2;
  const auto found = FindTarget(target);
  const bool first = found.ok() && (*found)->family().known() &&
                     static_cast<int>((*found)->family().value()) == kA13Index;
  return ProgramAccepted(
      engine, target,
      first ? ProbeText("tensor<fp16, [1, 1, 1, 20]> x, tensor<fp16, [1, 1, 1, 14]> w",
                        "tensor<fp16, [1, 1, 1, 7]> y = conv(x = x, weight = w);")
            : ProbeText("tensor<fp16, [1, 1, 1, 20]> x, tensor<fp16, [1, 1, 1, 16]> w",
                        "tensor<fp16, [1, 1, 1, 5]> y = conv(x = x, weight = w);"));
}
Result<double> DynamicBatchAccepted(const E5rtLibrary& engine, std::string_view target) {
  return ProgramAccepted(engine, target,
                         ProbeText("tensor<fp16, [2, 1, 1, 4]> x, tensor<fp16, [1, 1, 1, 2]> w",
                                   "tensor<fp16, [2, 1, 1, 3]> y = conv(x = x, weight = w);"));
}
Result<double> MatmulRankFive(const E5rtLibrary& engine, std::string_view target) {
  return ProgramAccepted(engine, target,
                         ProbeText("tensor<fp16, [1, 1, 1, 2, 2]> x",
                                   "tensor<fp16, [1, 1, 1, 2, 2]> y = matmul(x = x, y = x);"));
}
Result<double> TransposeRankFive(const E5rtLibrary& engine, std::string_view target) {
  return ProgramAccepted(engine, target,
                         ProbeText("tensor<fp16, [1, 1, 1, 2, 2]> x",
                                   "tensor<fp16, [1, 1, 1, 2, 2]> y = transpose(x = x, "
                                   "perm = tensor<int32, [5]>([0, 1, 2, 4, 3]));"));
}

// Runs a MIL program and returns the first element of y.
Result<double> MilFirst(const E5rtLibrary& engine, std::string_view target,
                        std::string_view parameters, std::string_view statements,
                        const std::vector<PortNumbers>& inputs) {
  ProbeProgram program(engine, target, ProbeText(parameters, statements));
  ANECHECK_ASSIGN(const Numbers y, Run(program, inputs, 1));
  return y[0];
}

Result<double> TopKOfThree(const E5rtLibrary& engine, std::string_view target) {
  return MilAccepted(engine, target, "tensor<fp16, [1, 8]> x",
                     "tensor<fp16, [1, 3]> y = topk(x = x, k = int32(3), axis = int32(-1), "
                     "return_indices = bool(false));");
}
Result<double> ResponseNorm(const E5rtLibrary& engine, std::string_view target) {
  return MilAccepted(engine, target, "tensor<fp16, [1, 16, 1, 2]> x",
                     "tensor<fp16, [1, 16, 1, 2]> y = local_response_norm(x = x, size = "
                     "int32(3));");
}
Result<double> ReduceTimesZero(const E5rtLibrary& engine, std::string_view target) {
  return MilAccepted(engine, target, "tensor<fp16, [1, 4]> x",
                     "tensor<fp16, [1, 1]> r = reduce_sum(x = x, axes = tensor<int32, [1]>([1]), "
                     "keep_dims = bool(true));\ntensor<fp16, [1, 1]> y = mul(x = r, y = fp16(0));");
}
Result<double> ArgMin(const E5rtLibrary& engine, std::string_view target) {
  return MilAccepted(engine, target, "tensor<fp16, [1, 4]> x",
                     "tensor<uint16, [1, 1]> y = reduce_argmin(x = x, axis = int32(1), keep_dims "
                     "= bool(true), output_dtype = string(\"uint16\"));");
}
Result<double> DivideByInput(const E5rtLibrary& engine, std::string_view target) {
  return MilAccepted(engine, target, "tensor<fp16, [4]> x, tensor<fp16, [4]> d",
                     "tensor<fp16, [4]> y = real_div(x = x, y = d);");
}
Result<double> DivideByThree(const E5rtLibrary& engine, std::string_view target) {
  return MilFirst(engine, target, "tensor<fp16, [1]> x",
                  "tensor<fp16, [1]> y = floor_div(x = x, y = fp16(3));", {{"x", {6}}});
}
Result<double> GatherThird(const E5rtLibrary& engine, std::string_view target) {
  return MilFirst(engine, target, "tensor<fp16, [4]> x",
                  "tensor<fp16, [1]> y = gather(x = x, indices = tensor<int32, [1]>([2]), axis = "
                  "int32(0));",
                  {{"x", {1, 2, 4, 8}}});
}
// Returns the error, in percent, of hard_swish(8) = 8 when it is applied to a matrix product.
Result<double> SwishOfProduct(const E5rtLibrary& engine, std::string_view target) {
  ANECHECK_ASSIGN(const double y,
                  MilFirst(engine, target, "tensor<fp16, [1, 1]> a, tensor<fp16, [1, 1]> b",
                           "tensor<fp16, [1, 1]> r = matmul(x = a, y = b);\n"
                           "tensor<fp16, [1, 1]> g = sigmoid_hard(x = r, alpha = fp16(0.1666), "
                           "beta = fp16(0.5));\n"
                           "tensor<fp16, [1, 1]> y = mul(x = r, y = g);",
                           {{"a", {8}}, {"b", {1}}}));
  return std::round(100 * (y / 8 - 1));
}

// ---- native layers ----

// A program of one layer with its inputs and constants.
class Layer {
 public:
  explicit Layer(OpKind op) : op_(op) {}
  Layer& In(int parameter, const Shape& shape, Numbers numbers) {
    const std::string name(1, static_cast<char>('a' + inputs_.size()));
    operands_.emplace_back(parameter, graph_.AddInput({DType::kFp16, shape}, name));
    inputs_.push_back({name, std::move(numbers)});
    return *this;
  }
  Layer& Const(int parameter, double number) {
    operands_.emplace_back(parameter, graph_.AddConst({DType::kFp16, {1}}, Halves({number}), "k"));
    return *this;
  }
  Layer& Set(std::function<void(Graph&)> attributes) {
    attributes_ = std::move(attributes);
    return *this;
  }

  Result<double> Accepts(const E5rtLibrary& engine, std::string_view target) {
    Layer plain(OpKind::kRelu);
    plain.In(0, {1, 1, 1, 4}, {});
    ANECHECK_ASSIGN(const auto control, plain.Load(engine, target));
    ANECHECK_ASSIGN(const auto program, Load(engine, target));
    return Accepted(*program, *control);
  }
  Result<Numbers> Results(const E5rtLibrary& engine, std::string_view target) {
    ANECHECK_ASSIGN(const auto program, Load(engine, target));
    return Run(*program, inputs_, static_cast<size_t>(graph_.type(y_).shape.Elements()));
  }

 private:
  Result<std::unique_ptr<ProbeProgram>> Load(const E5rtLibrary& engine, std::string_view target) {
    graph_.BeginNode(&GetOp(op_).schema);
    for (const auto& [parameter, value] : operands_) graph_.AddArgument(parameter, value);
    if (attributes_) attributes_(graph_);
    ANECHECK_ASSIGN(y_, graph_.FinishNode(std::vector<std::string>{"y"}));
    graph_.AddOutput(y_);
    ANECHECK_ASSIGN(const NetlistProgram lowered, GraphToNetlist(graph_));
    const auto bytes = netlist::Write(lowered.description);
    return std::make_unique<ProbeProgram>(engine, target, std::string(bytes.begin(), bytes.end()),
                                          4, lowered.weights);
  }

  OpKind op_;
  Graph graph_;
  ValueId y_ = kNoValue;
  std::vector<std::pair<int, ValueId>> operands_;
  std::vector<PortNumbers> inputs_;
  std::function<void(Graph&)> attributes_;
};

Result<double> SortTaken(const E5rtLibrary& engine, std::string_view target) {
  using P = params::NativeSort;
  return Layer(OpKind::kNativeSort)
      .In(P::kX, {1, 1, 1, 3}, {3, 1, 2})
      .Set([](Graph& g) {
        g.AddString(P::kDirection, "Ascending");
        g.AddInt(P::kSortIndices, 0);
        g.AddBool(P::kIndices, false);
      })
      .Accepts(engine, target);
}

Result<double> DynamicSliceTaken(const E5rtLibrary& engine, std::string_view target) {
  using P = params::NativeDynamicSlice;
  return Layer(OpKind::kNativeDynamicSlice)
      .In(P::kX, {1, 1, 1, 4}, {1, 2, 3, 4})
      .Set([](Graph& g) {
        g.AddInt(P::kStart, 1);
        g.AddInt(P::kSliceSize, 2);
      })
      .Accepts(engine, target);
}

Result<double> MinMaxTaken(const E5rtLibrary& engine, std::string_view target) {
  using P = params::NativeMinMaxNorm;
  return Layer(OpKind::kNativeMinMaxNorm)
      .In(P::kX, {1, 3, 1, 1}, {1, 2, 3})
      .Set([](Graph& g) {
        g.AddString(P::kDimension, "Channel");
        g.AddFloat(P::kEpsilon, 0.5);
      })
      .Accepts(engine, target);
}

Layer Scaled(std::string_view type) {
  using P = params::NativeScaledElementWise;
  return Layer(OpKind::kNativeScaledElementWise)
      .In(P::kX, {1, 1, 1, 1}, {3})
      .In(P::kY, {1, 1, 1, 1}, {2})
      .Set([type](Graph& g) {
        g.AddString(P::kType, type);
        g.AddFloat(P::kScale, 4);
      });
}
Result<double> ScaledSubTaken(const E5rtLibrary& engine, std::string_view target) {
  return Scaled("Sub").Accepts(engine, target);
}
Result<double> ScaledProduct(const E5rtLibrary& engine, std::string_view target) {
  ANECHECK_ASSIGN(const Numbers y, Scaled("Mult").Results(engine, target));
  return y[0];
}

struct Attention {
  int64_t rows = 1, keys = 2, heads = 1;
  Numbers query, key, value, mask;
  bool subtract = true;
};

// Runs attention with one element per head. A mask has one plane per head.
Result<Numbers> Attend(const E5rtLibrary& engine, std::string_view target, const Attention& a) {
  using P = params::NativeSdpa;
  Layer layer(OpKind::kNativeSdpa);
  layer.In(P::kQuery, {1, a.rows, a.heads, 1}, a.query)
      .In(P::kKey, {1, a.keys, a.heads, 1}, a.key)
      .In(P::kValue, {1, a.keys, a.heads, 1}, a.value)
      .Const(P::kScale, 1);
  if (!a.mask.empty()) layer.In(P::kMask, {1, a.rows, a.heads, a.keys}, a.mask);
  return layer.Set([&](Graph& g) { g.AddBool(P::kSubtractMax, a.subtract); })
      .Results(engine, target);
}

// Returns the weight of the first key, in percent. exp(-15) and exp(-16) are 5 and 2 times the
// smallest subnormal. So a softmax that does not subtract the maximum returns 5/7, and a softmax
// that subtracts it returns e/(e + 1).
Result<double> AttentionUnshifted(const E5rtLibrary& engine, std::string_view target) {
  ANECHECK_ASSIGN(const Numbers y,
                  Attend(engine, target,
                         {.query = {1}, .key = {-15, -16}, .value = {1, 0}, .subtract = false}));
  return std::round(100 * y[0]);
}

// Returns the cosine, in percent, between the results of 520 rows and the right results, all 1.
Result<double> AttentionOfLongRows(const E5rtLibrary& engine, std::string_view target) {
  constexpr size_t kLong = 520;
  Attention a = {.rows = kLong, .keys = kLong};
  a.query.assign(kLong, 1);
  a.key.assign(kLong, 0);
  a.value.assign(kLong, 1);
  ANECHECK_ASSIGN(const Numbers y, Attend(engine, target, a));
  double product = 0, square = 0;
  for (const double number : y) {
    product += number;
    square += number * number;
  }
  return std::round(100 * product / std::sqrt(square * static_cast<double>(y.size())));
}

// Returns the result of attention that has all weight on the last key, whose value is 1.
Result<double> AttentionOfManyKeys(const E5rtLibrary& engine, std::string_view target) {
  constexpr size_t kMany = 2056;
  Attention a = {.keys = kMany, .query = {1}};
  a.key.assign(kMany, 0);
  a.value.assign(kMany, 0);
  a.key.back() = 60;
  a.value.back() = 1;
  ANECHECK_ASSIGN(const Numbers y, Attend(engine, target, a));
  return std::round(y[0]);
}

// Returns the result of the second head. Its plane of the mask allows only the second key.
Result<double> AttentionOfTwoHeads(const E5rtLibrary& engine, std::string_view target) {
  ANECHECK_ASSIGN(const Numbers y, Attend(engine, target,
                                          {.heads = 2,
                                           .query = {1, 1},
                                           .key = {0, 0, 0, 0},
                                           .value = {1, 1, 2, 2},
                                           .mask = {0, -60, -60, 0}}));
  return y[1];
}

constexpr uint32_t kLegacy = 0x03;  // A11, A12
constexpr uint32_t kA13 = 1u << 2;
constexpr uint32_t kA13And14 = 0x0c;
constexpr uint32_t kA13And17 = 0x44;
constexpr uint32_t kA17 = 1u << 6;
constexpr uint32_t kAll = 0xff;
constexpr uint32_t kNarrow = 0xe4;  // A13 and A16 on
constexpr std::string_view kDefects = "facts known_defects.csv";

constexpr std::array kProbes = {
    RuntimeProbe{"kernel_depth_accepted", "1: a convolution with kernel depth 2 compiles", 1,
                 kDefects, "D16", 0, kAll, KernelDepthAccepted},
    RuntimeProbe{"kernel_depth_masks", "how many of 5 device masks compile kernel depth 2", 5,
                 "specification 003, attested is not reachable", "D16", 0, kAll, KernelDepthMasks},
    RuntimeProbe{"kernel_width_accepted", "1: a convolution above kernel width 13 or 15 compiles",
                 1, kDefects, "D29", 0, kNarrow, KernelWidthAccepted},
    RuntimeProbe{"dynamic_batch_accepted",
                 "1: a convolution with computed weights at batch 2 compiles", 1, kDefects, "D30",
                 0, kA17, DynamicBatchAccepted},
    RuntimeProbe{"matmul_rank_5_accepted",
                 "1: matmul of rank 5 compiles",
                 1,
                 kDefects,
                 "D31",
                 0,
                 kA13,
                 MatmulRankFive,
                 1,
                 {"P12", 0}},
    RuntimeProbe{"transpose_rank_5_accepted", "1: transpose of rank 5 compiles", 1, kDefects, "P12",
                 0, 0, TransposeRankFive},
    // topk also sorts its three results, so a defect of sorting changes this probe too.
    RuntimeProbe{"topk_of_3_accepted",
                 "1: the three largest of a row compile",
                 1,
                 kDefects,
                 "D17",
                 0,
                 kA13And17,
                 TopKOfThree,
                 1,
                 {"D18", 0}},
    RuntimeProbe{"sort_accepted", "1: a native sort compiles", 1, kDefects, "D18", 0, kA13,
                 SortTaken},
    RuntimeProbe{"dynamic_slice_accepted", "1: a native dynamic slice compiles", 1, kDefects, "D18",
                 0, kA13, DynamicSliceTaken},
    RuntimeProbe{"response_norm_accepted", "1: local_response_norm of 16 channels compiles", 1,
                 kDefects, "D19", 0, kA13, ResponseNorm},
    RuntimeProbe{"range_norm_accepted", "1: native range normalization over channels compiles", 1,
                 kDefects, "D20", 0, kA13, MinMaxTaken},
    RuntimeProbe{
        "attention_unshifted",
        "weight of the first key, in percent, in native attention without SubtractMax at scores of "
        "-15 and -16",
        73, kDefects, "D21", 71, kAll, AttentionUnshifted},
    RuntimeProbe{"attention_of_520",
                 "cosine, in percent, between native attention of 520 rows and the right result",
                 100, kDefects, "D22", 67, kA17, AttentionOfLongRows},
    RuntimeProbe{"attention_of_2056", "native attention with all weight on the last of 2056 keys",
                 1, kDefects, "D23", 0, kA17, AttentionOfManyKeys},
    RuntimeProbe{"attention_mask_of_head", "second head of native attention with a separate mask",
                 2, kDefects, "D24", 1, kA17, AttentionOfTwoHeads},
    RuntimeProbe{"scaled_product", "4 * (3 * 2) by a native scaled product", 24, kDefects, "D25", 6,
                 kA17, ScaledProduct},
    RuntimeProbe{"scaled_difference_accepted", "1: a native scaled difference compiles", 1,
                 kDefects, "D26", 0, kA17, ScaledSubTaken},
    RuntimeProbe{"gather_last_axis", "third element of 1, 2, 4, 8, taken by gather", 4, kDefects,
                 "D27", 8, kA13And14, GatherThird},
    RuntimeProbe{"reduction_times_zero_accepted", "1: the product of a sum and 0 compiles", 1,
                 kDefects, "D28", 0, kA17, ReduceTimesZero},
    RuntimeProbe{"reduce_argmin_accepted", "1: reduce_argmin compiles", 1, kDefects, "D32", 0,
                 kA13And14, ArgMin},
    RuntimeProbe{"constant_divisor", "floor(6 / 3)", 2, kDefects, "D33", 1, kLegacy, DivideByThree},
    RuntimeProbe{"divisor_accepted", "1: a quotient of two inputs compiles", 1, kDefects, "D33", 0,
                 kLegacy, DivideByInput},
    RuntimeProbe{"swish_of_product", "error, in percent, of hard_swish(8) of a product of matrices",
                 0, kDefects, "D34", 4, kA17, SwishOfProduct},
    RuntimeProbe{
        "reflections_misplaced",
        "tasks of a reflecting pad whose patch setting is at the offset of version 8, in the "
        "container if there is one",
        0, kDefects, "D38", 1, kA13, ReflectionsMisplaced},
    RuntimeProbe{"large_product_times_out",
                 "1: a product of matrices of side 2^14 ends with an inference time-out", 0,
                 kDefects, "D39", 1, kA17, LargeProductTimesOut},
};

}  // namespace

std::span<const RuntimeProbe> DefectProbes() { return kProbes; }

}  // namespace anecheck
