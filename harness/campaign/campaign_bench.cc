// What a full case costs, beside a loop that only generates: cases a second on one core.
#include <benchmark/benchmark.h>
#include <string_view>

#include "harness/base/file.h"
#include "harness/campaign/campaign.h"
#include "harness/runners/worker.h"

namespace anecheck {
namespace {

CampaignOptions Options(uint64_t cases) {
  CampaignOptions options;
  options.cases = cases;
  options.targets = {{"h13", 2}};
  options.modes = {CaseMode::kFloat, CaseMode::kInteger};
  options.worker.library = ANECHECK_SIMULATED_ENGINE;
  return options;
}

// Draws, evaluates and proves that every output can move; writes the MIL text.
void BM_GenerateOnly(benchmark::State& state) {
  const CampaignOptions options = Options(1);
  uint64_t index = 0;
  for (auto _ : state) benchmark::DoNotOptimize(MakeCase(options, index++));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_GenerateOnly);

// Generate, lower, compile, run in a worker process, judge, record.
void BM_FullCases(benchmark::State& state) {
  auto folder = TempDirectory::Create("anecheck-bench-");
  const auto cases = static_cast<uint64_t>(state.range(0));
  int run = 0;
  for (auto _ : state) {
    CampaignOptions options = Options(cases);
    options.db = folder->File(std::to_string(run++) + ".sqlite");
    const RunnerFactory factory = [&] { return MakeRunner(options); };
    const auto summary = RunCampaign(options, factory, {});
    if (!summary.ok()) state.SkipWithError(summary.error().message.c_str());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_FullCases)->Arg(2000)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace anecheck

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == anecheck::kWorkerArgument) {
    return anecheck::WorkerMain(argc, argv);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
