// Published vectors (WebNN, ONNX, NNAPI) as graphs of MIL operations: the oracle's value lies
// within the bound that the source states. Records that no operation of the table expresses are
// counted by operation, with the reason (testing/vector_files.cc).
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <optional>

#include "harness/base/half.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/testing/test_data.h"
#include "harness/ops/params.h"
#include "oracles/testing/test_support.h"
#include "oracles/testing/vector_files.h"
#include "oracles/testing/vector_graph.h"
#include "oracles/testing/vector_model.h"

namespace anecheck {
namespace {

using namespace testing::vectors;  // NOLINT(google-build-using-namespace): this file's subject
using testing::Case;
using testing::MakeTensor;

template <OpKind kKind>
ValueId Binary(Model& m) {
  const ValueId x = m.Operand(0);
  const ValueId y = m.Operand(1);
  if (x == kNoValue || y == kNoValue || m.inputs() != 2) return kNoValue;
  return m.c.Binary(kKind, x, y);
}

template <OpKind kKind>
ValueId Unary(Model& m) {
  const ValueId x = m.Operand(0);
  return x == kNoValue ? kNoValue : m.c.Unary(kKind, x);
}

ValueId Clip(Model& m, double low, double high) {
  using P = params::Clip;
  const ValueId x = m.Operand(0);
  if (x == kNoValue || !IsFloat(m.c.graph.type(x).dtype)) return kNoValue;
  return m.c.Begin(OpKind::kClip)
      .Arg(P::kX, x)
      .Float(P::kAlpha, low)
      .Float(P::kBeta, high)
      .Finish();
}
ValueId Clamp(Model& m) {
  return Clip(m, m.Number("minValue", -HUGE_VAL), m.Number("maxValue", HUGE_VAL));
}
ValueId OnnxClip(Model& m) {
  const auto bound = [&](const char* name, double fallback) {
    const auto i = m.Named(name);
    return i ? m.Data(*i).front() : fallback;
  };
  return Clip(m, bound("min", -HUGE_VAL), bound("max", HUGE_VAL));
}

ValueId Gelu(Model& m) {
  const ValueId x = m.Operand(0);
  m.c.Begin(OpKind::kGelu).Arg(0, x);
  if (m.Text("approximate", "none") == "tanh") {
    m.c.String(params::Gelu::kMode, "TANH_APPROXIMATION");
  }
  return m.c.Finish();
}

ValueId Softmax(Model& m) {
  const ValueId x = m.Operand(0);
  const auto axis = static_cast<int64_t>(m.Number("axis", -1));
  return m.c.Begin(OpKind::kSoftmax).Arg(0, x).Int(params::Softmax::kAxis, axis).Finish();
}

ValueId Reduce(Model& m, OpKind kind, const std::optional<Integers>& axes, bool keep) {
  using P = params::Reduce;
  const ValueId x = m.Operand(0);
  if (x == kNoValue) return kNoValue;
  m.c.Begin(kind).Arg(P::kX, x);
  if (axes) m.c.graph.AddInts(P::kAxes, *axes);
  return m.c.Bool(P::kKeepDims, keep).Finish();
}
template <OpKind kKind>
ValueId WebnnReduce(Model& m) {
  const auto axes = m.Has("axes") ? std::optional(m.List("axes")) : std::nullopt;
  const bool keep = m.Has("keepDimensions") && m.attributes()["keepDimensions"].get<bool>();
  return Reduce(m, kKind, axes, keep);
}
template <OpKind kKind>
ValueId OnnxReduce(Model& m) {
  std::optional<Integers> axes;
  if (m.inputs() > 1 && !m.Data(1).empty()) axes = m.IntegerData(1);
  if (!axes && m.Number("noop_with_empty_axes", 0) != 0) axes = Integers{};
  return Reduce(m, kKind, axes, m.Number("keepdims", 1) != 0);
}

ValueId ReshapeTo(Model& m, const Integers& shape) {
  const ValueId x = m.Operand(0);
  if (x == kNoValue) return kNoValue;
  m.c.Begin(OpKind::kReshape).Arg(0, x);
  m.c.graph.AddInts(params::Reshape::kShape, shape);
  return m.c.Finish();
}
ValueId Reshape(Model& m) { return ReshapeTo(m, m.List("newShape")); }
ValueId OnnxReshape(Model& m) {
  if (m.Has("allowzero")) return kNoValue;
  Integers shape = m.IntegerData(1);
  // A 0 means the extent of the input's axis with the same number; MIL counts axes from the last.
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0) shape[i] = m.ShapeOf(0)[static_cast<int>(i)];
  }
  return ReshapeTo(m, shape);
}

ValueId Transpose(Model& m) {
  const ValueId x = m.Operand(0);
  if (x == kNoValue) return kNoValue;
  Integers perm = m.List("permutation", m.List("perm"));
  const int rank = m.c.graph.type(x).shape.rank();
  if (perm.empty()) {
    for (int axis = rank - 1; axis >= 0; --axis) perm.push_back(axis);
  }
  return m.Transposed(x, perm);
}

ValueId Concat(Model& m) {
  using P = params::Concat;
  std::vector<ValueId> values;
  for (size_t i = 0; i < m.inputs(); ++i) values.push_back(m.Operand(i));
  m.c.Begin(OpKind::kConcat);
  for (const ValueId value : values) m.c.Arg(P::kValues, value);
  return m.c.Int(P::kAxis, static_cast<int64_t>(m.Number("axis", 0))).Finish();
}

ValueId PadBy(Model& m, const Integers& before, const Integers& after, double value) {
  using P = params::Pad;
  const ValueId x = m.Operand(0);
  if (x == kNoValue) return kNoValue;
  Integers pad;
  for (size_t i = 0; i < before.size(); ++i) {
    pad.push_back(before[i]);
    pad.push_back(after[i]);
  }
  static const std::map<std::string, std::string> kModes = {{"constant", "constant"},
                                                            {"edge", "replicate"},
                                                            {"reflection", "reflect"},
                                                            {"symmetric", "symmetric"}};
  const auto mode = kModes.find(m.Text("mode", "constant"));
  if (mode == kModes.end()) return kNoValue;
  m.c.Begin(OpKind::kPad).Arg(P::kX, x);
  m.c.graph.AddInts(P::kPad, pad);
  return m.c.String(P::kMode, mode->second).Float(P::kConstantVal, value).Finish();
}
ValueId Pad(Model& m) {
  return PadBy(m, m.List("beginningPadding"), m.List("endingPadding"), m.Number("value", 0));
}
ValueId OnnxPad(Model& m) {
  if (m.Named("axes")) return kNoValue;
  const Integers pads = m.IntegerData(1);
  const auto half = static_cast<ptrdiff_t>(pads.size() / 2);
  const double value = m.inputs() > 2 ? m.Data(2).front() : 0;
  return PadBy(m, Integers(pads.begin(), pads.begin() + half),
               Integers(pads.begin() + half, pads.end()), value);
}

ValueId SliceAt(Model& m, const Integers& begin, const Integers& size) {
  using P = params::SliceBySize;
  const ValueId x = m.Operand(0);
  if (x == kNoValue) return kNoValue;
  m.c.Begin(OpKind::kSliceBySize).Arg(P::kX, x);
  m.c.graph.AddInts(P::kBegin, begin);
  m.c.graph.AddInts(P::kSize, size);
  return m.c.Finish();
}
ValueId Slice(Model& m) {
  for (const int64_t stride : m.List("strides")) {
    if (stride != 1) return kNoValue;
  }
  return SliceAt(m, m.List("starts"), m.List("sizes"));
}
ValueId OnnxSlice(Model& m) {
  const Shape shape = m.ShapeOf(0);
  Integers begin(static_cast<size_t>(shape.rank()), 0);
  Integers size(shape.dims().begin(), shape.dims().end());
  const Integers starts = m.IntegerData(1);
  const Integers ends = m.IntegerData(2);
  Integers axes = m.IntegerData(3);
  for (int64_t& axis : axes) axis += axis < 0 ? shape.rank() : 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    if (m.inputs() > 4 && m.IntegerData(4)[i] != 1) return kNoValue;
    const int64_t extent = shape[static_cast<int>(axes[i])];
    const auto clamp = [&](int64_t at) {
      return std::clamp<int64_t>(at < 0 ? at + extent : at, 0, extent);
    };
    begin[static_cast<size_t>(axes[i])] = clamp(starts[i]);
    size[static_cast<size_t>(axes[i])] = clamp(ends[i]) - clamp(starts[i]);
  }
  return SliceAt(m, begin, size);
}

ValueId CastTo(Model& m, const std::string& name) {
  const auto dtype = TypeOf(name);
  const ValueId x = m.Operand(0);
  if (!dtype || x == kNoValue) return kNoValue;
  return m.c.Begin(OpKind::kCast)
      .Arg(0, x)
      .String(params::Cast::kDtype, DTypeName(*dtype))
      .Finish();
}
ValueId Cast(Model& m) { return CastTo(m, m.Text("type", "")); }
ValueId OnnxCast(Model& m) { return m.Number("to", 0) == 1 ? CastTo(m, "float32") : kNoValue; }

ValueId Matmul(Model& m) {
  if (m.ShapeOf(0).rank() < 2 || m.ShapeOf(1).rank() < 2) return kNoValue;
  return Binary<OpKind::kMatmul>(m);
}

// alpha * a' * b' + beta * c as three operations. Each of them rounds, so fp16 records that scale
// are left out: their expected result is rounded once.
ValueId Gemm(Model& m) {
  using P = params::Matmul;
  const auto flag = [&](const char* webnn, const char* onnx) {
    return (m.Has(webnn) && m.attributes()[webnn].get<bool>()) || m.Number(onnx, 0) != 0;
  };
  const ValueId a = m.Operand(0);
  const ValueId b = m.Operand(1);
  const DType dtype = m.c.graph.type(a).dtype;
  const double alpha = m.Number("alpha", 1);
  const double beta = m.Number("beta", 1);
  if (dtype == DType::kFp16 && m.inputs() > 2) return kNoValue;
  const auto scale = [&](ValueId x, double by) {
    return by == 1 ? x : m.c.Binary(OpKind::kMul, x, m.c.Const(MakeTensor(dtype, {1}, {by})));
  };
  const ValueId product = m.c.Begin(OpKind::kMatmul)
                              .Arg(P::kX, a)
                              .Arg(P::kY, b)
                              .Bool(P::kTransposeX, flag("aTranspose", "transA"))
                              .Bool(P::kTransposeY, flag("bTranspose", "transB"))
                              .Finish();
  if (dtype == DType::kFp16 && alpha != 1) return kNoValue;
  const ValueId scaled = scale(product, alpha);
  return m.inputs() < 3 ? scaled : m.c.Binary(OpKind::kAdd, scaled, scale(m.Operand(2), beta));
}

ValueId LayerNormOver(Model& m, const Integers& axes, std::optional<size_t> gamma,
                      std::optional<size_t> beta) {
  using P = params::LayerNorm;
  if (!std::ranges::is_sorted(axes)) return kNoValue;
  const ValueId x = m.Operand(0);
  const ValueId scale = gamma ? m.Operand(*gamma) : kNoValue;
  const ValueId offset = beta ? m.Operand(*beta) : kNoValue;
  m.c.Begin(OpKind::kLayerNorm).Arg(P::kX, x);
  if (scale != kNoValue) m.c.Arg(P::kGamma, scale);
  if (offset != kNoValue) m.c.Arg(P::kBeta, offset);
  m.c.graph.AddInts(P::kAxes, axes);
  return m.c.Float(P::kEpsilon, m.Number("epsilon", 1e-5)).Finish();
}
Integers AxesFrom(int64_t first, int rank) {
  Integers axes;
  for (int64_t axis = first < 0 ? first + rank : first; axis < rank; ++axis) axes.push_back(axis);
  return axes;
}
ValueId LayerNorm(Model& m) {
  const Integers axes = m.List("axes", AxesFrom(1, m.ShapeOf(0).rank()));
  return LayerNormOver(m, axes, m.Named("scale"), m.Named("bias"));
}
ValueId OnnxLayerNorm(Model& m) {
  const auto axis = static_cast<int64_t>(m.Number("axis", -1));
  return LayerNormOver(m, AxesFrom(axis, m.ShapeOf(0).rank()), m.Named("W"), m.Named("B"));
}

// The common part of conv and the pools.
struct WindowSettings {
  Integers strides, dilations, pad;  // pad: [before, after] an axis
  std::string pad_type = "custom";
};

ValueId ConvOf(Model& m, ValueId x, ValueId filter, const WindowSettings& window) {
  using P = params::Conv;
  const auto bias = m.Named("bias");
  const ValueId offset = bias ? m.Operand(*bias) : kNoValue;
  m.c.Begin(OpKind::kConv).Arg(P::kX, x).Arg(P::kWeight, filter);
  if (offset != kNoValue) m.c.Arg(P::kBias, offset);
  if (!window.strides.empty()) m.c.graph.AddInts(P::kStrides, window.strides);
  if (!window.dilations.empty()) m.c.graph.AddInts(P::kDilations, window.dilations);
  m.c.String(P::kPadType, window.pad_type);
  if (window.pad_type == "custom") m.c.graph.AddInts(P::kPad, window.pad);
  return m.c.Int(P::kGroups, static_cast<int64_t>(m.Number("groups", 1))).Finish();
}

ValueId PoolOf(Model& m, OpKind kind, ValueId x, const Integers& kernel,
               const WindowSettings& window, bool ceil, bool exclude) {
  using P = params::Pool;
  for (const int64_t dilation : window.dilations) {
    if (dilation != 1) return kNoValue;
  }
  m.c.Begin(kind).Arg(P::kX, x);
  m.c.graph.AddInts(P::kKernelSizes, kernel);
  if (!window.strides.empty()) m.c.graph.AddInts(P::kStrides, window.strides);
  m.c.String(P::kPadType, window.pad_type);
  if (window.pad_type == "custom") m.c.graph.AddInts(P::kPad, window.pad);
  m.c.Bool(P::kCeilMode, ceil);
  if (kind == OpKind::kAvgPool) m.c.Bool(P::kExcludePadding, exclude);
  return m.c.Finish();
}

ValueId Conv2d(Model& m) {
  const bool channels_last = m.Text("inputLayout", "nchw") == "nhwc";
  static const std::map<std::string, Integers> kToOihw = {{"oihw", {0, 1, 2, 3}},
                                                          {"hwio", {3, 2, 0, 1}},
                                                          {"ohwi", {0, 3, 1, 2}},
                                                          {"ihwo", {3, 0, 1, 2}}};
  ValueId x = m.Operand(0);
  if (channels_last) x = m.Transposed(x, {0, 3, 1, 2});
  const ValueId filter = m.Transposed(m.Operand(1), kToOihw.at(m.Text("filterLayout", "oihw")));
  const WindowSettings window = {m.List("strides"), m.List("dilations"),
                                 m.List("padding", {0, 0, 0, 0})};
  const ValueId y = ConvOf(m, x, filter, window);
  return y != kNoValue && channels_last ? m.Transposed(y, {0, 2, 3, 1}) : y;
}

template <OpKind kKind>
ValueId Pool2d(Model& m) {
  const bool channels_last = m.Text("layout", "nchw") == "nhwc";
  if (m.Has("outputSizes")) return kNoValue;
  ValueId x = m.Operand(0);
  if (channels_last) x = m.Transposed(x, {0, 3, 1, 2});
  const Shape shape = m.c.graph.type(x).shape;
  const WindowSettings window = {m.List("strides"), m.List("dilations"),
                                 m.List("padding", {0, 0, 0, 0})};
  const ValueId y = PoolOf(m, kKind, x, m.List("windowDimensions", {shape[2], shape[3]}), window,
                           m.Text("roundingType", "floor") == "ceil", true);
  return y != kNoValue && channels_last ? m.Transposed(y, {0, 2, 3, 1}) : y;
}

WindowSettings OnnxWindow(const Model& m, size_t spatial) {
  WindowSettings window = {m.List("strides"), m.List("dilations"), {}};
  const Integers pads = m.List("pads", Integers(2 * spatial, 0));
  for (size_t i = 0; i < spatial; ++i) {
    window.pad.push_back(pads[i]);
    window.pad.push_back(pads[i + spatial]);
  }
  const std::string automatic = m.Text("auto_pad", "NOTSET");
  if (automatic == "SAME_UPPER") window.pad_type = "same";
  if (automatic == "SAME_LOWER") window.pad_type = "same_lower";
  return window;
}
ValueId OnnxConv(Model& m) {
  const auto spatial = static_cast<size_t>(m.ShapeOf(0).rank()) - 2;
  return ConvOf(m, m.Operand(0), m.Operand(1), OnnxWindow(m, spatial));
}
template <OpKind kKind>
ValueId OnnxPool(Model& m) {
  const Integers kernel = m.List("kernel_shape");
  return PoolOf(m, kKind, m.Operand(0), kernel, OnnxWindow(m, kernel.size()),
                m.Number("ceil_mode", 0) != 0, m.Number("count_include_pad", 0) == 0);
}

const Mappings& WebnnMappings() {
  static const Mappings kMappings = {{"add", Binary<OpKind::kAdd>},
                                     {"sub", Binary<OpKind::kSub>},
                                     {"mul", Binary<OpKind::kMul>},
                                     {"div", Binary<OpKind::kRealDiv>},
                                     {"max", Binary<OpKind::kMaximum>},
                                     {"min", Binary<OpKind::kMinimum>},
                                     {"relu", Unary<OpKind::kRelu>},
                                     {"sigmoid", Unary<OpKind::kSigmoid>},
                                     {"tanh", Unary<OpKind::kTanh>},
                                     {"gelu", Gelu},
                                     {"clamp", Clamp},
                                     {"softmax", Softmax},
                                     {"reduceSum", WebnnReduce<OpKind::kReduceSum>},
                                     {"reduceMax", WebnnReduce<OpKind::kReduceMax>},
                                     {"reshape", Reshape},
                                     {"transpose", Transpose},
                                     {"concat", Concat},
                                     {"pad", Pad},
                                     {"slice", Slice},
                                     {"cast", Cast},
                                     {"matmul", Matmul},
                                     {"gemm", Gemm},
                                     {"layerNormalization", LayerNorm},
                                     {"conv2d", Conv2d},
                                     {"averagePool2d", Pool2d<OpKind::kAvgPool>},
                                     {"maxPool2d", Pool2d<OpKind::kMaxPool>}};
  return kMappings;
}

const Mappings& OnnxMappings() {
  static const Mappings kMappings = {{"Add", Binary<OpKind::kAdd>},
                                     {"Sub", Binary<OpKind::kSub>},
                                     {"Mul", Binary<OpKind::kMul>},
                                     {"Div", Binary<OpKind::kRealDiv>},
                                     {"Max", Binary<OpKind::kMaximum>},
                                     {"Min", Binary<OpKind::kMinimum>},
                                     {"Relu", Unary<OpKind::kRelu>},
                                     {"Sigmoid", Unary<OpKind::kSigmoid>},
                                     {"Tanh", Unary<OpKind::kTanh>},
                                     {"Gelu", Gelu},
                                     {"Clip", OnnxClip},
                                     {"Softmax", Softmax},
                                     {"ReduceSum", OnnxReduce<OpKind::kReduceSum>},
                                     {"ReduceMax", OnnxReduce<OpKind::kReduceMax>},
                                     {"Reshape", OnnxReshape},
                                     {"Transpose", Transpose},
                                     {"Concat", Concat},
                                     {"Pad", OnnxPad},
                                     {"Slice", OnnxSlice},
                                     {"Cast", OnnxCast},
                                     {"MatMul", Matmul},
                                     {"Gemm", Gemm},
                                     {"LayerNormalization", OnnxLayerNorm},
                                     {"Conv", OnnxConv},
                                     {"AveragePool", OnnxPool<OpKind::kAvgPool>},
                                     {"MaxPool", OnnxPool<OpKind::kMaxPool>}};
  return kMappings;
}

double UlpOf(DType dtype, double x) {
  if (dtype == DType::kFp16) return HalfUlp(x);
  if (dtype != DType::kFp32) return 1;
  return x == 0 ? 0x1p-149 : std::ldexp(1.0, std::max(std::ilogb(x), -126) - 23);
}

// Whether `actual` lies within the source's tolerance of `expected`; no tolerance means equality.
bool Within(const Json& record, DType dtype, double expected, double actual) {
  if (expected != expected) return actual != actual;
  if (expected == actual) return true;
  if (!std::isfinite(expected) || !std::isfinite(actual) || !record.contains("tolerance")) {
    return false;
  }
  const Json& tolerance = record["tolerance"];
  const double error = std::fabs(expected - actual);
  const auto metric = tolerance["metric"].get<std::string>();
  if (metric == "ULP") return error <= tolerance["value"].get<double>() * UlpOf(dtype, expected);
  if (metric == "ATOL") return error <= tolerance["value"].get<double>();
  return error <=
         tolerance["atol"].get<double>() + tolerance["rtol"].get<double>() * std::fabs(expected);
}

struct Tally {
  int passed = 0;
  std::map<std::string, int> unmapped;  // by the source's operation
  std::vector<std::string> failures;
};

// The difference of one output from the record's, or "" if it lies within the bound.
std::string Difference(const Json& record, size_t output, const Estimate& estimate,
                       const std::string& error) {
  const Json& expected = record["outputs"][output]["data"];
  const auto dtype = TypeOf(record["outputs"][output]["dtype"].text());
  if (estimate.value.size() != expected.size() || estimate.type.dtype != *dtype) {
    return fmt::format("output {}: {} {}", output, estimate.type.ToString(), error);
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const double wanted = NumberOf(expected[i]);
    if (Within(record, *dtype, wanted, estimate.value[i])) continue;
    return fmt::format("output {}, element {}: {}, expected {}", output, i, estimate.value[i],
                       wanted);
  }
  return "";
}

void CheckRecord(const Json& record, Mapping mapping, Tally& tally) {
  Model model(record);
  const ValueId first = mapping(model);
  if (first == kNoValue || !model.OutputType()) {
    ++tally.unmapped[record["op"].get<std::string>()];
    return;
  }
  std::vector<ValueId> outputs = {first};
  outputs.insert(outputs.end(), model.further.begin(), model.further.end());
  for (size_t i = 0; i < outputs.size(); ++i) {
    // The source's function has no table, so the contract is IEEE's.
    const Estimate estimate = model.c.Run(outputs[i], IeeeContract());
    const std::string difference = Difference(record, i, estimate, model.c.error);
    if (difference.empty()) continue;
    tally.failures.push_back(fmt::format("{}: {}: {}", record["source"].get<std::string>(),
                                         record["name"].get<std::string>(), difference));
    return;
  }
  ++tally.passed;
}

void CheckOperators(const Json& record, const FindMapping& find, Tally& tally) {
  const EvaluatedOperators evaluated = EvaluateOperators(record, find);
  if (!evaluated.result) {
    ++tally.unmapped["subgraph with " + evaluated.unmapped];
    return;
  }
  const std::string difference = Difference(record, 0, *evaluated.result, "");
  if (difference.empty()) {
    ++tally.passed;
  } else {
    tally.failures.push_back(fmt::format("{}: {}: {}", record["source"].get<std::string>(),
                                         record["name"].get<std::string>(), difference));
  }
}

// Text like "neg 1, prelu 8".
std::string CountsText(const std::map<std::string, int>& counts) {
  std::string text;
  for (const auto& [op, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", op, count);
  return text;
}

// Expects that a record left out as wrong is listed, and that its proof holds.
void ExpectProven(const std::string& file, const Json& record) {
  const auto found = std::ranges::find_if(Suspects(), [&](const Suspect& suspect) {
    return file == suspect.file && record["name"] == suspect.name;
  });
  ASSERT_NE(found, Suspects().end()) << record["name"];
  EXPECT_TRUE(found->proof(record)) << found->name << ": " << found->reason;
}

class Vectors : public ::testing::TestWithParam<VectorFile> {};

TEST_P(Vectors, LieWithinTheSourcesOwnBound) {
  const std::string path = testing::VectorPath(std::string(GetParam().name) + ".jsonl");
  ANECHECK_SKIP_WITHOUT(path);
  std::ifstream file(path);
  const std::vector<const Mappings*> sources = {&GetParam().mappings(), &MovementMappings(),
                                                &FunctionMappings()};
  const FindMapping find = [&](const std::string& op) -> Mapping {
    for (const Mappings* mappings : sources) {
      if (const auto found = mappings->find(op); found != mappings->end()) return found->second;
    }
    return nullptr;
  };
  Tally tally;
  std::string line;
  while (std::getline(file, line)) {
    const Json record = ParseJson(line).value();
    const auto op = record["op"].get<std::string>();
    if (record.contains("suspect")) {
      ExpectProven(GetParam().name, record);
      ++tally.unmapped["suspect"];
    } else if (op == "subgraph") {
      CheckOperators(record, find, tally);
    } else if (const Mapping mapping = find(op); mapping == nullptr) {
      ++tally.unmapped[op];
    } else {
      CheckRecord(record, mapping, tally);
    }
  }
  for (const std::string& failure : tally.failures) ADD_FAILURE() << failure;
  EXPECT_EQ(tally.passed, GetParam().passed);
  std::map<std::string, int> listed;
  for (const Unmapped& row : GetParam().unmapped) {
    EXPECT_STRNE(row.reason, "") << row.op;
    listed[row.op] += row.count;
  }
  EXPECT_EQ(CountsText(tally.unmapped), CountsText(listed));
  RecordProperty("passed", tally.passed);
}
INSTANTIATE_TEST_SUITE_P(Published, Vectors,
                         ::testing::ValuesIn(VectorFiles(WebnnMappings, OnnxMappings)),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace anecheck
