// Tests that recorded programs of H14 to H18 compute their networks on random inputs. The emulator
// runs them like programs of H13, with other field tables.
#include "harness/emulator/testing/later_program.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

#include "harness/base/half.h"
#include "harness/base/testing/test_data.h"

namespace anecheck::emulator {
namespace {

using testing::LaterProgram;
using Values = std::vector<double>;

// Computes the expected outputs of a network from its inputs. The inputs are identified by the
// numbers of their base addresses. The test calls it after it draws the inputs and before the
// program runs.
using Network = std::function<Values(LaterProgram&)>;

struct Case {
  const char* file;
  Network network;
  double tolerance;  // relative; absolute for results below 1
  double low = -2;   // inputs are drawn from [low, 2]
};

Values Source(LaterProgram& later, size_t task, bool second = false) {
  const Task& of = later.tasks[task];
  const emulator::Source& source = second ? *of.source2 : of.source1;
  return later.Read(source.memory, source.extents, source.bar);
}

template <typename Combine>
Network TwoSources(Combine combine) {
  return [combine](LaterProgram& later) {
    Values a = Source(later, 0);
    const Values b = Source(later, 0, true);
    std::ranges::transform(a, b, a.begin(), combine);
    return a;
  };
}

template <typename Function>
Network OneSource(Function function) {
  return [function](LaterProgram& later) {
    Values x = Source(later, 0);
    std::ranges::transform(x, x.begin(), function);
    return x;
  };
}

// Makes a table of a function: the lower and the upper bound of its arguments, the results beyond
// these bounds, then 33 knots.
Values Table(double low, double high, double below, double above,
             const std::function<double(int)>& knot) {
  Values table = {low, high, below, above};
  for (int i = 0; i < 33; ++i) table.push_back(knot(i));
  table.resize(41);
  return table;
}

void PutTable(LaterProgram& later, uint32_t bar, uint64_t at, const Values& table,
              uint16_t knots_a_unit, uint16_t mode) {
  later.Put(bar, at, table);
  for (size_t i = table.size(); i < 64; ++i) later.Put(bar, at + 2 * i, {0});
  later.Bytes(bar)[at + 82] = static_cast<uint8_t>(knots_a_unit);
  later.Bytes(bar)[at + 84] = static_cast<uint8_t>(mode);
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Values Exp2Table() {
  return Table(-25, 16, 0, kInfinite, [](int i) { return std::exp2(i / 32.0); });
}

Network Exponential() {
  return [](LaterProgram& later) {
    const NeuralTask& neural = later.tasks[0].neural;
    PutTable(later, neural.table_bar, neural.table_base, Exp2Table(), 5, 0x0a);
    return OneSource([](double x) { return std::exp(x); })(later);
  };
}

Values Sigmoid(LaterProgram& later) {
  const NeuralTask& neural = later.tasks[0].neural;
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  PutTable(later, neural.table_bar, neural.table_base,
           Table(-9.9375, 8.3203125, 0, 1, [&](int i) { return sigmoid((i - 16) / 2.0); }), 1, 1);
  return OneSource(sigmoid)(later);
}

// Writes log2 to one table and exp2 to the other. The result is x to the power z.
Values Power(LaterProgram& later) {
  const NeuralTask& log = later.tasks[1].neural;
  PutTable(later, log.table_bar, log.table_base,
           Table(0, kInfinite, -kInfinite, 0, [](int i) { return std::log2(0.5 + i / 64.0); }), 6,
           0xc9);
  const NeuralTask& exp = later.tasks[2].neural;
  PutTable(later, exp.table_bar, exp.table_base, Exp2Table(), 5, 0x0a);
  const Values z = Source(later, 0);
  Values x = Source(later, 1);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::pow(x[i], z[i]);
  return x;
}

// The constants are two rows: the summands, then the factors. Either the first of two tasks loads
// them to L2, or they are source 2 of the only task.
Values PerChannel(LaterProgram& later) {
  const bool apart = later.tasks.size() == 2;
  const emulator::Source& rows = apart ? later.tasks[0].source1 : *later.tasks[0].source2;
  const Values x = Source(later, apart ? 1 : 0);
  Values y;
  const std::vector<uint8_t>& bytes = later.Bytes(rows.bar);
  const auto at = [&](size_t row, size_t c) {
    const size_t byte = row * rows.memory.row + 2 * c;
    return HalfToDouble(Half{static_cast<uint16_t>(bytes[byte] | bytes[byte + 1] << 8)});
  };
  for (size_t c = 0; c < x.size(); ++c) y.push_back((x[c] + at(0, c)) * at(1, c));
  return y;
}

Values LayerNorm(LaterProgram& later) {
  Values x = Source(later, 2);
  double mean = 0;
  for (const double v : x) mean += v / static_cast<double>(x.size());
  double variance = 0;
  for (const double v : x) variance += (v - mean) * (v - mean) / static_cast<double>(x.size());
  for (double& v : x) v = (v - mean) / std::sqrt(variance + 1e-5);
  return x;
}

// Computes the maximum or mean over the channels of [64, 8, 8].
Network OverChannels(bool maximum) {
  return [maximum](LaterProgram& later) {
    const Values x = Source(later, 0);
    Values y(64, maximum ? -kInfinite : 0);
    for (size_t i = 0; i < x.size(); ++i) {
      double& to = y[i % 64];
      to = maximum ? std::max(to, x[i]) : to + x[i] / 64;
    }
    return y;
  };
}

struct Window {
  size_t outputs, side, kernel;
  bool depthwise = false;
  bool bias = false;
  bool relu = false;
};

// A convolution whose weights are drawn here and packed by the rule of layout.md. Set o of `lanes`
// channels is on engine o modulo 16. A bias row comes first. The others are in the order channel,
// y, x.
Network Convolution(Window w) {
  return [w](LaterProgram& later) {
    const Task& task = later.tasks[0];
    const size_t inputs = task.input.channels;
    const size_t each = w.depthwise ? 1 : inputs;
    const size_t taps = each * w.kernel * w.kernel;
    const size_t lanes = task.neural.lanes;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> draw(-1, 1);
    Values weights(w.outputs * taps);
    Values bias(w.outputs);
    for (double& v : weights) v = HalfToDouble(DoubleToHalf(draw(random) / std::sqrt(taps)));
    for (double& v : bias) v = w.bias ? HalfToDouble(DoubleToHalf(draw(random))) : 0;
    std::vector<Values> streams(16);
    for (size_t set = 0; set < w.outputs / lanes; ++set) {
      Values& stream = streams[set % 16];
      for (size_t l = 0; w.bias && l < lanes; ++l) stream.push_back(bias[set * lanes + l]);
      for (size_t r = 0; r < taps; ++r) {
        for (size_t l = 0; l < lanes; ++l) stream.push_back(weights[(set * lanes + l) * taps + r]);
      }
    }
    for (size_t engine = 0; engine < 16; ++engine) {
      later.Put(task.neural.kernel_bar,
                task.neural.kernel_base + task.neural.streams[engine].offset, streams[engine]);
    }
    const Values x = Source(later, 0);
    const auto side = static_cast<int>(w.side);
    const auto kernel = static_cast<int>(w.kernel);
    Values y;
    for (size_t o = 0; o < w.outputs; ++o) {
      for (int row = 0; row < side; ++row) {
        for (int column = 0; column < side; ++column) {
          double sum = bias[o];
          for (size_t r = 0; r < taps; ++r) {
            const auto tap = static_cast<int>(r);
            const int iy = row + tap / kernel % kernel - kernel / 2;
            const int ix = column + tap % kernel - kernel / 2;
            if (iy < 0 || iy >= side || ix < 0 || ix >= side) continue;
            const size_t channel = (w.depthwise ? o : 0) + r / (w.kernel * w.kernel);
            sum +=
                weights[o * taps + r] *
                x[(channel * w.side + static_cast<size_t>(iy)) * w.side + static_cast<size_t>(ix)];
          }
          y.push_back(w.relu && sum < 0 ? 0 : sum);
        }
      }
    }
    return y;
  };
}

// Computes x [1, K] times W [N, K] transposed. W is packed like the weights of a 1x1 convolution
// with N outputs.
Values VectorTimesConstant(LaterProgram& later) {
  const Task& copy = later.tasks[0];
  const Task& product = later.tasks[1];
  const size_t k = product.input.channels;
  const size_t n = product.output.channels;
  const size_t lanes = product.neural.lanes;
  const Values x = Source(later, 0);
  EXPECT_EQ(x.size(), copy.input.Count());
  std::mt19937 random(7);
  std::uniform_real_distribution<double> draw(-1, 1);
  Values y(n);
  for (size_t o = 0; o < n; ++o) {
    const size_t set = o / lanes;
    const uint64_t base = product.neural.kernel_base + product.neural.streams[set % 16].offset +
                          set / 16 * k * lanes * 2;
    for (size_t r = 0; r < k; ++r) {
      const double w = HalfToDouble(DoubleToHalf(draw(random) / 16));
      later.Put(product.neural.kernel_bar, base + (r * lanes + o % lanes) * 2, {w});
      y[o] += w * x[r];
    }
  }
  return y;
}

// Computes x [M, 2048] times w [2048, 2048]. The surface at base address 24 has x row by row, and
// that at base address 20 has w.
Network MatrixProduct(size_t m, bool transposed) {
  return [m, transposed](LaterProgram& later) {
    constexpr size_t k = 2048;
    const auto at = [&](uint32_t bar, size_t i) {
      const auto& bytes = later.Bytes(bar);
      return HalfToDouble(Half{static_cast<uint16_t>(bytes[2 * i] | bytes[2 * i + 1] << 8)});
    };
    Values w(k * k);
    for (size_t i = 0; i < w.size(); ++i) w[i] = at(20, i);
    Values x(m * k);
    for (size_t i = 0; i < x.size(); ++i) x[i] = at(24, i);
    // The test computes only every fifth row of the product, which covers every task.
    Values y(m * k, std::numeric_limits<double>::quiet_NaN());
    for (size_t row = 0; row < m; row += 5) {
      for (size_t n = 0; n < k; ++n) {
        double& sum = y[row * k + n] = 0;
        for (size_t r = 0; r < k; ++r)
          sum += x[row * k + r] * w[transposed ? n * k + r : r * k + n];
      }
    }
    return y;
  };
}

std::vector<Case> Cases() {
  const auto sum = TwoSources(std::plus<>());
  const auto difference = TwoSources(std::minus<>());
  const auto relu_of_sum = TwoSources([](double a, double b) { return std::max(0.0, a + b); });
  return {
      {"h14__binary_add_1x64x1x1", sum, 0.001},
      {"h14__binary_mul_c64_constant_blob", PerChannel, 0.001},
      {"h14__binary_pow_1x64x1x1", Power, 0.03, 0.25},
      {"h14__chain_add_relu_c512", relu_of_sum, 0.001},
      {"h14__conv_k1_c64_n64_s8_bias0_relu", Convolution({64, 8, 1, false, false, true}), 0.002},
      {"h14__conv_k3_c64_n64_s8_bias0", Convolution({64, 8, 3}), 0.002},
      {"h14__conv_known_k1_c64_n768_s16_st1_g1_bias1_same", Convolution({768, 16, 1, false, true}),
       0.002},
      {"h14__conv_known_k3_c64_n64_s16_st1_g64_bias0_same", Convolution({64, 16, 3, true}), 0.002},
      {"h14__env_mm_r2rr_m128_k2048_n2048_tx0_ty1", MatrixProduct(128, true), 0.001},
      {"h14__env_mm_r2rr_m16_k2048_n2048_tx0_ty0", MatrixProduct(16, false), 0.001},
      {"h14__layer_norm_1x64x8x8", LayerNorm, 0.003},
      {"h14__reduce_max_axes_1", OverChannels(true), 0},
      {"h14__reduce_mean_axes_1", OverChannels(false), 0.001},
      {"h14__unary_abs_c64", OneSource([](double x) { return std::fabs(x); }), 0},
      {"h14__unary_exp_c64", Exponential(), 0.004},
      {"h15__binary_add_1x64x8x8", sum, 0.001},
      {"h15__binary_sub_1x3x224x224", difference, 0.001},
      {"h15__matmul_m1_k256_n256_ty1", VectorTimesConstant, 0.002},
      {"h15__unary_sigmoid_c64", Sigmoid, 0.0034},
      {"h16__binary_add_1x64x8x8", sum, 0.001},
      {"h16__binary_mul_c64_constant_blob", PerChannel, 0.001},
      {"h16__unary_exp_c64", Exponential(), 0.004},
      {"h17__binary_add_c64_constant_scalar", OneSource([](double x) { return x + 0.5; }), 0.001},
      {"h17__binary_mul_c64_constant_blob", PerChannel, 0.001},
      {"h17__matmul_m1_k256_n256_ty1", VectorTimesConstant, 0.002},
      {"h18__matmul_m1_k256_n256_ty1", VectorTimesConstant, 0.002},
      {"h18__unary_exp_c64", Exponential(), 0.004},
  };
}

void Draw(LaterProgram& later, double low) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> draw(low, 2);
  for (Region& region : later.program.memory.regions()) {
    if (region.kind != RegionKind::kInput) continue;
    for (size_t i = 0; i + 1 < region.bytes.size(); i += 2) {
      const uint16_t bits = DoubleToHalf(draw(random)).bits;
      region.bytes[i] = static_cast<uint8_t>(bits);
      region.bytes[i + 1] = static_cast<uint8_t>(bits >> 8);
    }
  }
}

TEST(LaterPrograms, ComputeTheirNetworks) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::VectorPath("later_programs"));
  for (const Case& test : Cases()) {
    SCOPED_TRACE(test.file);
    auto later = testing::ReadLaterProgram(
        anecheck::testing::VectorPath(std::string("later_programs/") + test.file + ".json"));
    if (!later.ok()) {
      ADD_FAILURE() << later.error().message;
      continue;
    }
    Draw(*later, test.low);
    const Values expected = test.network(*later);
    const auto report = RunProgram(later->program);
    if (!report.ok()) {
      ADD_FAILURE() << report.error().message;
      continue;
    }
    const Task& last = later->tasks.back();
    const Values result = later->Read(last.result.memory, last.output, last.result.bar);
    ASSERT_EQ(result.size(), expected.size());
    for (size_t i = 0; i < result.size(); ++i) {
      if (std::isnan(expected[i])) continue;  // not computed
      const double bound = test.tolerance * std::max(1.0, std::fabs(expected[i]));
      ASSERT_NEAR(result[i], expected[i], bound) << "element " << i;
    }
  }
}

}  // namespace
}  // namespace anecheck::emulator
