// Measures the emulation of a 3x3 convolution, 64 to 64 channels at 56x56, on one thread. It also
// measures how the oracle evaluates its values without bounds.
#include <benchmark/benchmark.h>
#include <random>

#include "harness/base/half.h"
#include "harness/emulator/program.h"
#include "harness/ops/params.h"
#include "oracles/testing/test_support.h"

namespace anecheck::emulator {
namespace {

constexpr uint32_t kChannels = 64;
constexpr uint32_t kSide = 56;
constexpr uint32_t kRow = 128;
constexpr uint32_t kStream = 4 * 64 * 9 * 2;  // bytes of four output channels

std::vector<uint16_t> Draw(size_t count) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> draw(-2, 2);
  std::vector<uint16_t> values(count);
  for (uint16_t& value : values) value = DoubleToHalf(draw(random)).bits;
  return values;
}

std::vector<uint8_t> AsBytes(const std::vector<uint16_t>& values) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(values.data());
  return {bytes, bytes + 2 * values.size()};
}

Program Convolution() {
  Program program;
  program.version = 7;  // H13
  const auto bind = [&](uint32_t bar, RegionKind kind, std::vector<uint8_t> bytes) {
    const uint64_t address = uint64_t{bar} << 32;
    program.memory.SetBar(bar, address);
    program.memory.Add({"surface", kind, address, std::move(bytes)}).value();
  };
  const uint32_t plane = kRow * kSide;
  bind(1, RegionKind::kConstants, AsBytes(Draw(kEngines * kStream / 2)));
  bind(4, RegionKind::kInput, AsBytes(Draw(kChannels * plane / 2)));
  bind(5, RegionKind::kOutput, std::vector<uint8_t>(kChannels * plane));
  TaskWords words;
  words.header = {0x02000000, 0, 0x422, 0, 0xfff86a, 0, 0x30009800, 0, 0x05025024, 0x21};
  const uint32_t extent = kSide << 16 | kSide;
  for (const auto& [address, value] :
       std::vector<std::pair<uint32_t, uint32_t>>{{0x0, extent},
                                                  {0x4, 1},
                                                  {0x8, 0x22},
                                                  {0xc, kChannels},
                                                  {0x10, kChannels},
                                                  {0x14, extent},
                                                  {0x18, 1},
                                                  {0x1c, 0x5042a863},
                                                  {0x20, 0x2041},
                                                  {0x24, 0x10001},
                                                  {0x28, kSide},
                                                  {0x34, 0x233301},
                                                  {0x4804, 0x500172},
                                                  {0x4830, 0x50017a},
                                                  {0xc800, 0x82},
                                                  {0xc804, 0x101c00},
                                                  {0xc810, 0x3c00},
                                                  {0x13800, 0x33881},
                                                  {0x1380c, kRow},
                                                  {0x13810, plane},
                                                  {0x13838, 0x1002031},
                                                  {0x13840, 0x100},
                                                  {0x17800, 0x40000c1},
                                                  {0x17808, kRow},
                                                  {0x1780c, plane},
                                                  {0x17818, 0x1302031}}) {
    words.Set(address, value);
  }
  for (uint32_t engine = 0; engine < kEngines; ++engine) {
    words.Set(0x1f808 + 4 * engine, 0x81);
    words.Set(0x1f848 + 4 * engine, kStream * engine);
    words.Set(0x1f888 + 4 * engine, kStream);
  }
  program.tasks.push_back(words);
  return program;
}

// An item is one multiply-add.
void CountItems(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * int64_t{kChannels} * kChannels * 9 * kSide * kSide);
}

void BM_Emulator(benchmark::State& state, bool family) {
  Program program = Convolution();
  RunOptions options;
  if (family) options.arithmetic.model = &FamilyModel(program.version);
  for (auto _ : state) {
    const auto report = RunProgram(program, options);
    if (!report.ok()) state.SkipWithError(report.error().message.c_str());
  }
  CountItems(state);
}
BENCHMARK_CAPTURE(BM_Emulator, exact, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Emulator, family, true)->Unit(benchmark::kMillisecond);

void BM_OracleValues(benchmark::State& state) {
  using P = params::Conv;
  const auto numbers = [](size_t count) {
    std::vector<double> values;
    for (const uint16_t bits : Draw(count)) values.push_back(HalfToDouble(Half{bits}));
    return values;
  };
  anecheck::testing::Case c;
  const ValueId x =
      c.Input(anecheck::testing::MakeTensor(DType::kFp16, {1, 64, 56, 56}, numbers(64 * 56 * 56)));
  const ValueId w =
      c.Const(anecheck::testing::MakeTensor(DType::kFp16, {64, 64, 3, 3}, numbers(64 * 64 * 9)));
  c.Begin(OpKind::kConv).Arg(P::kX, x).Arg(P::kWeight, w).String(P::kPadType, "same");
  c.graph.AddOutput(c.Finish());
  const Contract contract = ConformingContract(2);
  Evaluation whole;
  if (!whole.Run(c.graph, c.inputs, contract).ok()) state.SkipWithError("the oracle failed");
  Evaluation values;
  for (auto _ : state) {
    benchmark::DoNotOptimize(values.RunValues(whole, c.inputs).ok());
  }
  CountItems(state);
}
BENCHMARK(BM_OracleValues)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace anecheck::emulator
