// Tests that real containers compute the outputs of their networks on a hundred random inputs each.
// In exact arithmetic the outputs are equal. The outputs of a sigmoid may differ by the error of
// its table.
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>

#include "harness/base/file.h"
#include "harness/base/half.h"
#include "harness/base/testing/test_data.h"
#include "harness/emulator/program.h"

namespace anecheck::emulator {
namespace {

using Tensor = std::vector<double>;

struct RealContainer {
  const char* file;
  std::vector<const char*> inputs;
  const char* output;
  // Computes the network's result from the inputs and the constants of the container.
  std::function<Tensor(const std::vector<Tensor>&, const std::vector<uint8_t>&)> network;
  double tolerance = 0;
};

double ConstantAt(const std::vector<uint8_t>& bytes, size_t at) {
  return HalfToDouble(Half{static_cast<uint16_t>(bytes[at] | bytes[at + 1] << 8)});
}

// Computes y = W x, with W read from the tiles. Each tile is for `lanes` output channels and padded
// to 64 bytes. It has the biases, then a row of `lanes` values for each input channel.
Tensor Dense(const Tensor& x, const std::vector<uint8_t>& constants, size_t outputs, size_t lanes,
             size_t tile_bytes, bool bias) {
  Tensor y(outputs);
  for (size_t o = 0; o < outputs; ++o) {
    const size_t tile = o / lanes * tile_bytes + o % lanes * 2;
    if (bias) y[o] = ConstantAt(constants, tile);
    for (size_t c = 0; c < x.size(); ++c) {
      y[o] += x[c] * ConstantAt(constants, tile + (c + (bias ? 1 : 0)) * lanes * 2);
    }
  }
  return y;
}

Tensor Map(const Tensor& x, double (*function)(double)) {
  Tensor y(x.size());
  std::ranges::transform(x, y.begin(), function);
  return y;
}

template <typename Combine>
Tensor Zip(const Tensor& a, const Tensor& b, Combine combine) {
  Tensor y(a.size());
  std::ranges::transform(a, b, y.begin(), combine);
  return y;
}

std::vector<RealContainer> Containers() {
  const auto three = [](const auto& in, const auto& k) { return Dense(in[0], k, 3, 1, 64, false); };
  const auto product = [](const auto& in, const auto&) {
    return Zip(in[0], in[1], std::multiplies<>());
  };
  return {
      {"hwx/concat-0f988933.hwx",
       {"input_0", "input_1"},
       "output@output",
       [](const auto& in, const auto&) {
         Tensor y = in[0];
         y.insert(y.end(), in[1].begin(), in[1].end());
         return y;
       }},
      {"hwx/conv-8a6bd427.hwx", {"image"}, "probs@output", three},
      {"hwx/gemm-ef7e5c24.hwx",
       {"image"},
       "probs@output",
       [](const auto& in, const auto& k) { return Dense(in[0], k, 64, 4, 0x200, false); }},
      {"hwx/model_golden-32a7ae2d.hwx", {"image"}, "probs@output", three},
      {"hwx/model_golden-c20271e3.hwx",
       {"image"},
       "probs@output",
       [](const auto& in, const auto&) { return in[0]; }},
      {"hwx/model_signed-4e6bd6e6.hwx",
       {"image"},
       "probs@output",
       [](const auto& in, const auto& k) { return Dense(in[0], k, 2, 1, 64, true); }},
      {"hwx/relu-d66a665b.hwx",
       {"image"},
       "probs@output",
       [](const auto& in, const auto&) {
         return Map(in[0], [](double x) { return x < 0 ? 0.0 : x; });
       }},
      {"hwx/sigmoid-7cc79341.hwx",
       {"image"},
       "probs@output",
       [](const auto& in, const auto&) {
         return Map(in[0], [](double x) { return 1 / (1 + std::exp(-x)); });
       },
       0.0034},
      {"hwx/sum-1b1855b8.hwx",
       {"image", "image2"},
       "probs@output",
       [](const auto& in, const auto&) { return Zip(in[0], in[1], std::plus<>()); }},
      {"hwx_newer/mul_macos14-bfb784bc.hwx", {"image", "image2"}, "probs@output", product},
      {"hwx_newer/mul_macos26_m1-fcb19295.hwx", {"image", "image2"}, "probs@output", product},
  };
}

// Draws numbers. Half of them lie between -8 and 8, and the others have random bits. Infinities and
// NaN become 1.
std::vector<uint16_t> Draw(std::mt19937& random, size_t count) {
  std::vector<uint16_t> values(count);
  std::uniform_real_distribution<double> near(-8, 8);
  for (uint16_t& value : values) {
    value = random() % 2 == 0 ? DoubleToHalf(near(random)).bits
                              : static_cast<uint16_t>(random() & 0xffff);
    if (!Half{value}.IsFinite()) value = 0x3c00;
  }
  return values;
}

const std::vector<uint8_t>& ConstantsOf(const Program& program) {
  const auto& regions = program.memory.regions();
  return std::ranges::find(regions, RegionKind::kConstants, &Region::kind)->bytes;
}

void CheckOnce(const RealContainer& real, Program& program, std::mt19937& random) {
  std::vector<Tensor> inputs;
  for (const char* name : real.inputs) {
    const auto drawn = Draw(random, program.FindPort(name)->Count());
    ASSERT_TRUE(program.WritePort(name, drawn).ok());
    Tensor& tensor = inputs.emplace_back();
    for (const uint16_t bits : drawn) tensor.push_back(HalfToDouble(Half{bits}));
  }
  const auto report = RunProgram(program);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->warnings.empty()) << report->warnings.front();
  const Tensor expected = real.network(inputs, ConstantsOf(program));
  const auto output = program.ReadPort(real.output).value();
  ASSERT_EQ(output.size(), expected.size());
  for (size_t i = 0; i < output.size(); ++i) {
    const Half rounded = DoubleToHalf(expected[i]);
    if (real.tolerance == 0) {
      ASSERT_EQ(UlpDistance(Half{output[i]}, rounded), 0u) << "element " << i;
    } else {
      ASSERT_NEAR(HalfToDouble(Half{output[i]}), expected[i], real.tolerance) << "element " << i;
    }
  }
}

TEST(RealContainers, ComputeTheirNetworksOnAHundredInputs) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::RealDataPath("hwx"));
  ANECHECK_SKIP_WITHOUT(anecheck::testing::RealDataPath("hwx_newer"));
  for (const RealContainer& real : Containers()) {
    SCOPED_TRACE(real.file);
    const auto bytes = ReadFile(anecheck::testing::RealDataPath(real.file)).value();
    auto program = LoadProgram(bytes);
    ASSERT_TRUE(program.ok()) << program.error().message;
    std::mt19937 random(1);
    for (int i = 0; i < 100 && !HasFatalFailure(); ++i) CheckOnce(real, *program, random);
  }
}

// Tests that Containers() has as many rows as the two folders have files.
TEST(RealContainers, AreAllListed) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::RealDataPath("hwx"));
  size_t files = 0;
  for (const char* folder : {"hwx", "hwx_newer"}) {
    files += anecheck::testing::FilesUnder(anecheck::testing::RealDataPath(folder)).size();
  }
  EXPECT_EQ(files, Containers().size());
}

}  // namespace
}  // namespace anecheck::emulator
