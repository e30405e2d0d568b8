// The table of probes and the published values. Sources: facts numerics.md and known_defects.csv,
// and the figures of specification 000 that repeat them.
#include <array>
#include <cmath>
#include <limits>

#include "harness/base/half.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "harness/probe/probe.h"

namespace anecheck {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor Halves(const Shape& shape, std::span<const double> values) {
  Tensor tensor = {{DType::kFp16, shape}, {}};
  for (const double value : values) {
    const Half half = DoubleToHalf(value);
    tensor.bytes.push_back(static_cast<uint8_t>(half.bits & 0xff));
    tensor.bytes.push_back(static_cast<uint8_t>(half.bits >> 8));
  }
  return tensor;
}

// Builds a graph, one input at a time, that ends in one operation.
class Builder {
 public:
  ValueId Input(const Shape& shape, std::span<const double> values) {
    probe_.inputs.push_back(Halves(shape, values));
    return probe_.graph.AddInput(probe_.inputs.back().type);
  }
  ValueId Input(const Shape& shape, double value) {
    return Input(shape, std::vector<double>(static_cast<size_t>(shape.Elements()), value));
  }
  // Begins the operation. Returns an Error if the operation table lacks it.
  Status Begin(std::string_view op, std::initializer_list<ValueId> operands) {
    const OpDefinition* found = FindOp(op);
    if (found == nullptr) {
      return MakeError(ErrorCode::kUnsupported, std::string(op) + " is not in the operation table");
    }
    probe_.graph.BeginNode(&found->schema);
    int parameter = 0;
    for (const ValueId id : operands) probe_.graph.AddArgument(parameter++, id);
    return {};
  }
  Graph& graph() { return probe_.graph; }
  Result<ProbeGraph> Finish() {
    ANECHECK_ASSIGN(const ValueId result, probe_.graph.FinishNode());
    probe_.graph.AddOutput(result);
    return std::move(probe_);
  }

 private:
  ProbeGraph probe_;
};

// Multiplies the row `x` by a column of ones. The multiply-accumulate array computes the product.
Result<ProbeGraph> Dot(std::span<const double> x) {
  const auto n = static_cast<int64_t>(x.size());
  Builder builder;
  const ValueId row = builder.Input({1, n}, x);
  const ValueId ones = builder.Input({n, 1}, 1.0);
  ANECHECK_RETURN_IF_ERROR(builder.Begin("matmul", {row, ones}));
  return builder.Finish();
}

// Sums two halves of the argument, so that the right sum is the argument itself.
Result<ProbeGraph> Port(std::string_view, double x) {
  const double parts[] = {x / 2, x / 2};
  return Dot(parts);
}
Result<ProbeGraph> SingleLane(std::string_view, double x) {
  const double parts[] = {x, 0, 0, 0};
  return Dot(parts);
}
Result<ProbeGraph> OnesSum(std::string_view, double count) {
  return Dot(std::vector<double>(static_cast<size_t>(count), 1.0));
}
Result<ProbeGraph> LargeLane(std::string_view, double large) {
  std::vector<double> x(1025, 1.0);
  x[0] = large;
  return Dot(x);
}
Result<ProbeGraph> Tie(std::string_view, double x) {
  const double parts[] = {x - 1, 1};
  return Dot(parts);
}
Result<ProbeGraph> Survivors(std::string_view, double large) {
  std::vector<double> x;
  for (int i = 0; i < 16; ++i) x.insert(x.end(), {large, -large, 1.0});
  return Dot(x);
}

// Adds the argument twice, subtracts it twice, and adds 1. If no intermediate sum reaches a limit,
// the result is 1.
Result<ProbeGraph> UpAndDown(std::string_view, double x) {
  const double parts[] = {x, x, -x, -x, 1};
  return Dot(parts);
}
// One product of the argument and 1.875 * 2^-3.
Result<ProbeGraph> SmallProduct(std::string_view, double x) {
  Builder builder;
  const ValueId row = builder.Input({1, 4}, std::array{x, 0.0, 0.0, 0.0});
  const ValueId column = builder.Input({4, 1}, 0.234375);
  ANECHECK_RETURN_IF_ERROR(builder.Begin("matmul", {row, column}));
  return builder.Finish();
}

Result<ProbeGraph> Unary(std::string_view op, double x) {
  Builder builder;
  const ValueId input = builder.Input({1, 4}, x);
  ANECHECK_RETURN_IF_ERROR(builder.Begin(op, {input}));
  return builder.Finish();
}

// The operation on the argument and 1.
Result<ProbeGraph> WithOne(std::string_view op, double x) {
  Builder builder;
  const ValueId left = builder.Input({1, 4}, x);
  const ValueId right = builder.Input({1, 4}, 1.0);
  ANECHECK_RETURN_IF_ERROR(builder.Begin(op, {left, right}));
  return builder.Finish();
}

Result<ProbeGraph> WithItself(std::string_view op, double x) {
  Builder builder;
  const ValueId input = builder.Input({1, 4}, x);
  ANECHECK_RETURN_IF_ERROR(builder.Begin(op, {input, input}));
  return builder.Finish();
}

// Slices elements 1 and 2 of the axis, so that the slice does not begin at 0.
Result<ProbeGraph> SliceAxis(const Shape& shape, int axis, double x) {
  Builder builder;
  const ValueId input = builder.Input(shape, x);
  ANECHECK_RETURN_IF_ERROR(builder.Begin("slice_by_size", {input}));
  std::vector<int64_t> begin(static_cast<size_t>(shape.rank()), 0);
  std::vector<int64_t> size(shape.dims().begin(), shape.dims().end());
  begin[static_cast<size_t>(axis)] = 1;
  size[static_cast<size_t>(axis)] = 2;
  builder.graph().AddInts(params::SliceBySize::kBegin, begin);
  builder.graph().AddInts(params::SliceBySize::kSize, size);
  return builder.Finish();
}
Result<ProbeGraph> SliceWidth(std::string_view, double x) { return SliceAxis({1, 2, 2, 4}, 3, x); }
Result<ProbeGraph> SliceChannel(std::string_view, double x) {
  return SliceAxis({1, 4, 2, 2}, 1, x);
}

bool Infinite(double, double y) { return std::fabs(y) == kInfinity; }
bool NotItself(double x, double y) { return y != x; }
bool NotOneMore(double x, double y) { return y != x + 1; }
bool NotSixteen(double, double y) { return y != 16; }
bool Vanishes(double, double y) { return y == 0; }
// Probes use it to find the first argument whose result is not 0.
bool Kept(double, double y) { return y != 0; }

constexpr std::array kProbes = {
    Probe{.name = "accumulator_port",
          .what = "smallest sum of two products that becomes infinite",
          .low = 1024,
          .high = 65504,
          .build = Port,
          .bad = Infinite},
    Probe{.name = "elementwise_port",
          .what = "smallest x at which x * 1 becomes infinite",
          .low = 1024,
          .high = 65504,
          .op = "mul",
          .build = WithOne,
          .bad = Infinite},
    Probe{.name = "width_slice_gain",
          .what = "smallest x that a slice off the start of the width axis spoils",
          .low = 1,
          .high = 65504,
          .build = SliceWidth,
          .bad = NotItself},
    Probe{.name = "channel_slice_gain",
          .what = "smallest x that a slice off the start of the channel axis spoils",
          .low = 1,
          .high = 65504,
          .build = SliceChannel,
          .bad = NotItself},
    Probe{.name = "exp_overflow",
          .what = "smallest x at which exp becomes infinite",
          .low = 1,
          .high = 100,
          .op = "exp",
          .build = Unary,
          .bad = Infinite},
    Probe{.name = "square_overflow",
          .what = "smallest x at which x * x becomes infinite",
          .low = 1,
          .high = 1024,
          .op = "mul",
          .build = WithItself,
          .bad = Infinite},
    Probe{.name = "integer_exactness",
          .what = "smallest integer n at which n + 1 is not exact",
          .grid = ProbeGrid::kInteger,
          .low = 1,
          .high = 4094,
          .op = "add",
          .build = WithOne,
          .bad = NotOneMore},
    Probe{.name = "elementwise_denormal",
          .what = "smallest x for which x * 1 is not 0",
          .low = 0x1p-24,
          .high = 1,
          .op = "mul",
          .build = WithOne,
          .bad = Kept},
    Probe{.name = "accumulator_denormal",
          .what = "smallest x for which a sum of products is not 0",
          .low = 0x1p-24,
          .high = 1,
          .build = SingleLane,
          .bad = Kept},
    Probe{.name = "survivor_sweep",
          .what = "smallest B at which 16 x [+B, -B, +1] does not sum to 16",
          .low = 64,
          .high = 16384,
          .build = Survivors,
          .bad = NotSixteen},
    Probe{.name = "survivors_4096",
          .what = "16 x [+4096, -4096, +1] summed",
          .kind = ProbeKind::kValueAt,
          .low = 4096,
          .build = Survivors},
    Probe{.name = "ones_16000",
          .what = "16000 ones summed",
          .kind = ProbeKind::kValueAt,
          .low = 16000,
          .build = OnesSum},
    Probe{.name = "large_lane_4096",
          .what = "4096 and 1024 ones summed",
          .kind = ProbeKind::kValueAt,
          .low = 4096,
          .build = LargeLane},
    Probe{.name = "rounding_tie",
          .what = "2048 + 1 as a sum of products: a tie on a grid of 2",
          .kind = ProbeKind::kValueAt,
          .low = 2049,
          .build = Tie},
    Probe{.name = "relu_nan",
          .what = "relu(NaN)",
          .kind = ProbeKind::kValueAt,
          .low = kNan,
          .op = "relu",
          .build = Unary},
    Probe{.name = "sigmoid_nan",
          .what = "sigmoid(NaN)",
          .kind = ProbeKind::kValueAt,
          .low = kNan,
          .op = "sigmoid",
          .build = Unary},
    Probe{.name = "maximum_nan",
          .what = "maximum(NaN, 1)",
          .kind = ProbeKind::kValueAt,
          .low = kNan,
          .op = "maximum",
          .build = WithOne},
    Probe{.name = "infinity_minus_infinity",
          .what = "inf - inf",
          .kind = ProbeKind::kValueAt,
          .low = kInfinity,
          .op = "sub",
          .build = WithItself},
    Probe{.name = "softplus_drop",
          .what = "smallest x at which softplus(x) drops to 0",
          .low = 1,
          .high = 100,
          .op = "softplus",
          .build = Unary,
          .bad = Vanishes},
    Probe{.name = "softplus_edge",
          .what = "softplus(inf)",
          .kind = ProbeKind::kValueAt,
          .low = kInfinity,
          .op = "softplus",
          .build = Unary},
    Probe{.name = "softsign_edge",
          .what = "softsign(inf)",
          .kind = ProbeKind::kValueAt,
          .low = kInfinity,
          .op = "softsign",
          .build = Unary},
    Probe{.name = "gelu_origin",
          .what = "gelu(0)",
          .kind = ProbeKind::kValueAt,
          .low = 0,
          .op = "gelu",
          .build = Unary},
    Probe{.name = "silu_origin",
          .what = "silu(0)",
          .kind = ProbeKind::kValueAt,
          .low = 0,
          .op = "silu",
          .build = Unary},
    Probe{.name = "log_near_one",
          .what = "log(1.00390625), for which a table of log2 has few exact digits",
          .kind = ProbeKind::kValueAt,
          .low = 1.00390625,
          .op = "log",
          .build = Unary},
    Probe{.name = "sum_overflows_inside",
          .what = "16384 + 16384 - 16384 - 16384 + 1",
          .kind = ProbeKind::kValueAt,
          .low = 16384,
          .build = UpAndDown},
    Probe{.name = "product_dropped",
          .what = "1.875 * 2^-14 times 1.875 * 2^-3: exponents that sum to -17",
          .kind = ProbeKind::kValueAt,
          .low = 0x1.ep-14,
          .build = SmallProduct},
    Probe{.name = "nan_plus_one",
          .what = "NaN + 1",
          .kind = ProbeKind::kValueAt,
          .low = kNan,
          .op = "add",
          .build = WithOne},
};

constexpr uint32_t kA13 = 1u << 2;
constexpr uint32_t kA14 = 1u << 3;
constexpr uint32_t kA15AndLater = 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7;
constexpr uint32_t kA16 = 1u << 5;
constexpr uint32_t kA17 = 1u << 6;
constexpr uint32_t kA18 = 1u << 7;
constexpr uint32_t kAll = 0xff;

constexpr std::array kPublished = {
    PublishedCliff{"accumulator_port", kA13 | kA14 | kA17, false, 32752, 32768,
                   "facts numerics.md, MAC output port"},
    PublishedCliff{"accumulator_port", kA16 | kA18, false, 32752, 32768,
                   "facts silicon/numerics_silicon.csv, N017 and N019"},
    PublishedCliff{"elementwise_port", kA13, true, 0, 0,
                   "facts numerics.md, paths with full range"},
    PublishedCliff{"width_slice_gain", kA13 | kA14, false, 4094, 4095,
                   "facts numerics.md, width-axis slice"},
    PublishedCliff{"width_slice_gain", kA15AndLater, true, 0, 0,
                   "facts numerics.md, width-axis slice"},
    PublishedCliff{"channel_slice_gain", kA13 | kA14, true, 0, 0,
                   "facts numerics.md, width-axis slice: other axes clean"},
    PublishedCliff{"exp_overflow", kA13, false, 11.0859375, 11.09375,
                   "facts numerics.md, exp first reaches inf (11.094)"},
    PublishedCliff{"square_overflow", kA13, false, 255.875, 256,
                   "facts numerics.md, square first reaches inf"},
    PublishedCliff{"integer_exactness", kAll, false, 2047, 2048,
                   "facts numerics.md, fp16 integers exact"},
    PublishedCliff{"elementwise_denormal", kA13, false, 0, 0x1p-24,
                   "facts numerics.md, denormals elementwise"},
    PublishedCliff{"accumulator_denormal", kA13, false, 0x1.ff8p-15, 0x1p-14,
                   "facts numerics.md, denormals inside the MAC"},
    PublishedCliff{"accumulator_denormal", kA17, false, 0, 0x1p-24,
                   "facts numerics.md, denormals inside the MAC"},
    PublishedCliff{"accumulator_denormal", kA16 | kA18, false, 0x1p-17 - 0x1p-24, 0x1p-17,
                   "facts silicon/numerics_laws.md, L3: half a step counts"},
    PublishedCliff{"survivor_sweep", kA13, false, 4090, 4096, "facts numerics.md, survivors for B"},
    PublishedCliff{"survivors_4096", kA13, false, 4, 4, "facts numerics.md, survivors for B"},
    PublishedCliff{"ones_16000", kA13, false, 16000, 16000, "facts numerics.md, 16 000 ones"},
    PublishedCliff{"large_lane_4096", kA13, false, 5116, 5116,
                   "facts numerics.md, [4096] + 1024 x [1]"},
    PublishedCliff{"rounding_tie", kA13, false, 2048, 2048, "facts numerics.md, output rounding"},
    PublishedCliff{"rounding_tie", kA17, false, 2050, 2050, "facts numerics.md, output rounding"},
    PublishedCliff{"rounding_tie", kA16 | kA18, false, 2050, 2050,
                   "facts silicon/numerics_silicon.csv, N046"},
    PublishedCliff{"sum_overflows_inside", kA16 | kA18, false, kInfinity, kInfinity,
                   "facts silicon/numerics_silicon.csv, N087"},
    PublishedCliff{"product_dropped", kA16 | kA18, false, 0, 0,
                   "facts silicon/numerics_silicon.csv, N351"},
    PublishedCliff{"nan_plus_one", kA16 | kA18, false, kInfinity, kInfinity,
                   "facts silicon/numerics_laws.md, L7"},
    PublishedCliff{"relu_nan", kA13, false, kInfinity, kInfinity, "facts numerics.md, NaN input"},
    PublishedCliff{"sigmoid_nan", kA13, false, 1, 1, "facts numerics.md, NaN input"},
    PublishedCliff{"maximum_nan", kA13, false, kInfinity, kInfinity,
                   "facts numerics.md, NaN input"},
    PublishedCliff{"infinity_minus_infinity", kA13, false, 0, 0, "facts numerics.md, inf-inf"},
    // The source says "x >= about 10.4", so the range admits other values of the last digit.
    PublishedCliff{"softplus_drop", kA13 | kA16 | kA17, false, 10.35, 10.45,
                   "facts known_defects.csv, D09"},
    PublishedCliff{"softplus_edge", kA13, false, 0, 0, "facts numerics.md, softplus(+inf)"},
    PublishedCliff{"softsign_edge", kA13, false, 0, 0, "facts numerics.md, softsign(+inf)"},
    // The source has three digits. The value is the fp16 number that rounds to them.
    PublishedCliff{"gelu_origin", kA13, false, -0x1.1ccp-11, -0x1.1ccp-11,
                   "facts numerics.md, gelu(0)"},
    PublishedCliff{"gelu_origin", kA18, false, -0x1.8b4p-11, -0x1.8b4p-11,
                   "facts silicon/numerics_laws.md, L9: -0.000754"},
    PublishedCliff{"silu_origin", kA18, false, -0x1.becp-10, -0x1.becp-10,
                   "facts silicon/act_tables.csv, silu, knot 16"},
    PublishedCliff{"log_near_one", kA18, false, 0x1.e84p-9, 0x1.e84p-9,
                   "facts silicon/numerics_laws.md, L11: 0.0037251"},
};

}  // namespace

std::span<const Probe> Probes() { return kProbes; }
std::span<const PublishedCliff> PublishedCliffs() { return kPublished; }

}  // namespace anecheck
