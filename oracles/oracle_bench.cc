// Measures the speed of the oracle: small graphs as campaigns make them, and the loops in which
// large tensors spend their time, compared with oneDNN in f32 if it is installed. One thread.
#include <algorithm>
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <limits>
#include <numbers>
#include <vector>

#include "generators/graph_generator.h"
#include "harness/ops/params.h"
#include "oracles/judge.h"
#include "oracles/onednn_bench.h"
#include "oracles/testing/test_support.h"

namespace anecheck {
namespace {

using testing::Case;
using testing::MakeTensor;

constexpr int kA13 = 2;
constexpr int kA16 = 5;
constexpr int kA17 = 6;

struct Sample {
  Graph graph;
  std::vector<Tensor> inputs;
};

std::vector<Sample> SmallGraphs() {
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  std::vector<Sample> samples(256);
  GeneratorOptions options;
  options.max_nodes = 12;
  options.max_elements = 64;
  options.max_products = 1024;
  for (Sample& sample : samples) {
    GenerateGraph(choices, options, sample.graph);
    sample.inputs = GenerateInputs(choices, sample.graph, options.mode);
  }
  return samples;
}

void BM_SmallGraphs(benchmark::State& state) {
  const std::vector<Sample> samples = SmallGraphs();
  Evaluation evaluation;
  Estimate estimate;
  size_t next = 0;
  size_t nodes = 0;
  for (auto _ : state) {
    const Sample& sample = samples[next++ % samples.size()];
    benchmark::DoNotOptimize(
        evaluation.Run(sample.graph, sample.inputs, ConformingContract(2)).ok());
    for (const ValueId output : sample.graph.outputs()) {
      evaluation.Stored(output, estimate);
      benchmark::DoNotOptimize(estimate.low.data());
    }
    nodes += sample.graph.nodes().size();
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["nodes/s"] =
      benchmark::Counter(static_cast<double>(nodes), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_SmallGraphs);

void BM_JudgePass(benchmark::State& state) {
  const std::vector<Sample> samples = SmallGraphs();
  std::vector<std::vector<Estimate>> expected;
  std::vector<std::vector<Tensor>> actual;
  for (const Sample& sample : samples) {
    expected.push_back(Evaluate(sample.graph, sample.inputs, ConformingContract(2)).value());
    actual.emplace_back();
    for (const Estimate& estimate : expected.back()) {
      actual.back().push_back(MakeTensor(estimate.type.dtype, estimate.type.shape, estimate.value));
    }
  }
  size_t next = 0;
  for (auto _ : state) {
    const size_t i = next++ % samples.size();
    for (size_t output = 0; output < actual[i].size(); ++output) {
      benchmark::DoNotOptimize(Judge(samples[i].graph, samples[i].inputs, output,
                                     expected[i][output], actual[i][output], 2)
                                   .verdict);
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_JudgePass);

// Multiples of 2^-9 up to about 2: every sum of products is exact in double.
std::vector<double> FixedPoint(int64_t count, uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  std::vector<double> numbers(static_cast<size_t>(count));
  for (double& number : numbers) number = static_cast<double>(choices.Range(-1000, 1000)) / 512;
  return numbers;
}

// Normally distributed numbers, as activations and weights are. Their sums need the test of
// rounding.
std::vector<double> Normal(int64_t count, uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  std::vector<double> numbers(static_cast<size_t>(count));
  const auto uniform = [&] {
    return (static_cast<double>(choices.Range(0, 1 << 20)) + 0.5) * 0x1p-20;
  };
  for (double& number : numbers) {
    number = std::sqrt(-2 * std::log(std::min(uniform(), 1.0))) *
             std::cos(2 * std::numbers::pi * uniform());
  }
  return numbers;
}

using Source = std::vector<double> (*)(int64_t count, uint64_t seed);

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// The times of repeated runs.
struct Seconds {
  double sum = 0;
  double least = std::numeric_limits<double>::infinity();

  template <typename Work>
  void Take(const Work& work) {
    const double start = ThreadSeconds();
    work();
    const double seconds = ThreadSeconds() - start;
    sum += seconds;
    least = std::min(least, seconds);
  }
};

// A copy of bytes: an operation cannot be faster than memory.
class Copy : public onednn::Work {
 public:
  explicit Copy(int64_t bytes) : from_(static_cast<size_t>(bytes), 1), to_(from_.size()) {}
  void Run() override {
    std::memcpy(to_.data(), from_.data(), from_.size());
    benchmark::DoNotOptimize(to_.data());
    benchmark::ClobberMemory();
  }

 private:
  std::vector<uint8_t> from_;
  std::vector<uint8_t> to_;
};

// Counts items/s. With a yardstick, `ratio` is the yardstick's time divided by the evaluation's
// time. The two run in turns, so that other work of the machine slows both; the yardstick's
// operands stay in the caches. best_items/s and best_ratio come from the fastest run of each, which
// a busy machine slows least.
void RunCase(benchmark::State& state, Case& c, double items, onednn::Work* yardstick = nullptr,
             int family = kA13) {
  Evaluation evaluation;
  Seconds own;
  Seconds other;
  for (auto _ : state) {
    own.Take([&] {
      benchmark::DoNotOptimize(evaluation.Run(c.graph, c.inputs, ConformingContract(family)).ok());
    });
    if (yardstick == nullptr) continue;
    state.PauseTiming();
    yardstick->Run();
    other.Take([&] { yardstick->Run(); });
    state.ResumeTiming();
  }
  const auto runs = static_cast<double>(state.iterations());
  state.counters["items/s"] = items * runs / own.sum;
  state.counters["best_items/s"] = items / own.least;
  if (yardstick == nullptr) return;
  state.counters["yardstick_items/s"] = items * runs / other.sum;
  state.counters["ratio"] = other.sum / own.sum;
  state.counters["best_ratio"] = other.least / own.least;
}

// items/s counts multiply-adds.
void BM_Matmul(benchmark::State& state, Source numbers) {
  const int64_t n = state.range(0);
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {n, n}, numbers(n * n, 1)));
  const ValueId y = c.Input(MakeTensor(DType::kFp16, {n, n}, numbers(n * n, 2)));
  c.graph.AddOutput(c.Binary(OpKind::kMatmul, x, y));
  const auto side = static_cast<double>(n);
  RunCase(state, c, side * side * side, onednn::Matmul(n).get());
}

void Sides(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(64)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(BM_Matmul, fixed_point, FixedPoint)->Apply(Sides);
BENCHMARK_CAPTURE(BM_Matmul, normal, Normal)->Apply(Sides);

// Sums by the law of the fixed-point accumulator. A16 admits only these sums, A17 also those of a
// wide accumulator.
void BM_MatmulOfFamily(benchmark::State& state, int family) {
  const int64_t n = state.range(0);
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {n, n}, Normal(n * n, 1)));
  const ValueId y = c.Input(MakeTensor(DType::kFp16, {n, n}, Normal(n * n, 2)));
  c.graph.AddOutput(c.Binary(OpKind::kMatmul, x, y));
  const auto side = static_cast<double>(n);
  RunCase(state, c, side * side * side, nullptr, family);
}
BENCHMARK_CAPTURE(BM_MatmulOfFamily, a13, kA13)->Apply(Sides);
BENCHMARK_CAPTURE(BM_MatmulOfFamily, a16, kA16)->Apply(Sides);
BENCHMARK_CAPTURE(BM_MatmulOfFamily, a17, kA17)->Apply(Sides);

// A product as inside a network: rows that are uncertain by a table's error, times weights.
void BM_MatmulOfIntervals(benchmark::State& state, int family) {
  const int64_t n = state.range(0);
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {n, n}, Normal(n * n, 1)));
  const ValueId y = c.Input(MakeTensor(DType::kFp16, {n, n}, Normal(n * n, 2)));
  c.graph.AddOutput(c.Binary(OpKind::kMatmul, c.Unary(OpKind::kTanh, x), y));
  const auto side = static_cast<double>(n);
  RunCase(state, c, side * side * side, onednn::Matmul(n).get(), family);
}
BENCHMARK_CAPTURE(BM_MatmulOfIntervals, a13, kA13)->Arg(256)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_MatmulOfIntervals, a16, kA16)->Arg(256)->Unit(benchmark::kMillisecond);

void BM_Conv3x3(benchmark::State& state, Source numbers, int family = kA13) {
  using P = params::Conv;
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {1, 64, 56, 56}, numbers(64 * 56 * 56, 3)));
  const ValueId w = c.Const(MakeTensor(DType::kFp16, {64, 64, 3, 3}, numbers(64 * 64 * 9, 4)));
  c.Begin(OpKind::kConv).Arg(P::kX, x).Arg(P::kWeight, w).String(P::kPadType, "same");
  c.graph.AddOutput(c.Finish());
  RunCase(state, c, 64.0 * 64 * 9 * 56 * 56, onednn::Convolution(64, 64, 56).get(), family);
}
BENCHMARK_CAPTURE(BM_Conv3x3, fixed_point, FixedPoint)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Conv3x3, normal, Normal)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Conv3x3, normal_a16, Normal, kA16)->Unit(benchmark::kMillisecond);

constexpr int64_t kHalfBytes = 2;

// items/s counts elements; the yardstick copies the operands.
void BM_Unary(benchmark::State& state, OpKind kind) {
  const int64_t n = state.range(0);
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {n}, FixedPoint(n, 5)));
  c.graph.AddOutput(c.Unary(kind, x));
  Copy copy(n * kHalfBytes);
  RunCase(state, c, static_cast<double>(n), &copy);
}
// The smallest size for which tables of functions are used (reference/distinct.h), and the smallest
// that only the last cache can hold.
void Sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1 << 15)->Arg(1 << 18)->Unit(benchmark::kMicrosecond);
}
BENCHMARK_CAPTURE(BM_Unary, relu, OpKind::kRelu)->Apply(Sizes);
BENCHMARK_CAPTURE(BM_Unary, sigmoid, OpKind::kSigmoid)->Apply(Sizes);
BENCHMARK_CAPTURE(BM_Unary, gelu, OpKind::kGelu)->Apply(Sizes);

void BM_Add(benchmark::State& state) {
  const int64_t n = state.range(0);
  Case c;
  const ValueId x = c.Input(MakeTensor(DType::kFp16, {n}, FixedPoint(n, 6)));
  const ValueId y = c.Input(MakeTensor(DType::kFp16, {n}, FixedPoint(n, 7)));
  c.graph.AddOutput(c.Binary(OpKind::kAdd, x, y));
  Copy copy(n * 2 * kHalfBytes);
  RunCase(state, c, static_cast<double>(n), &copy);
}
BENCHMARK(BM_Add)->Apply(Sizes);

}  // namespace
}  // namespace anecheck
