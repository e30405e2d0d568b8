// Measures how fast one thread draws graphs, and how fast an empty loop draws as many choices.
#include <algorithm>
#include <benchmark/benchmark.h>

#include "generators/graph_generator.h"

namespace anecheck {
namespace {

// The documented rate of the generator is for graphs of 5 to 12 live nodes.
GeneratorOptions Options(CaseMode mode) {
  GeneratorOptions options;
  options.mode = mode;
  options.min_nodes = 5;
  options.max_nodes = 12;
  options.max_elements = 64;
  options.max_products = 1024;
  return options;
}

void BM_Graphs(benchmark::State& state, CaseMode mode) {
  const GeneratorOptions options = Options(mode);
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  Graph graph;
  size_t nodes = 0;
  int64_t inside = 0;
  for (auto _ : state) {
    GenerateGraph(choices, options, graph);
    const size_t count = graph.nodes().size();
    nodes += count;
    inside += count >= 5 && count <= 12 ? 1 : 0;
    benchmark::DoNotOptimize(graph.nodes().data());
  }
  state.SetItemsProcessed(state.iterations());
  const auto graphs = static_cast<double>(std::max<int64_t>(1, state.iterations()));
  state.counters["nodes"] = static_cast<double>(nodes) / graphs;
  // Conversions that an operation requires make some graphs larger.
  state.counters["of_5_to_12"] = static_cast<double>(inside) / graphs;
}
BENCHMARK_CAPTURE(BM_Graphs, float, CaseMode::kFloat);
BENCHMARK_CAPTURE(BM_Graphs, integer, CaseMode::kInteger);

// The least number of choices of a graph of 12 nodes: 64.
void BM_EmptyLoop(benchmark::State& state) {
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  for (auto _ : state) {
    for (int i = 0; i < 64; ++i) benchmark::DoNotOptimize(choices.Below(97));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_EmptyLoop);

}  // namespace
}  // namespace anecheck
