// Measures the cost of a full case, and the least possible cost: drawing a graph, making the case
// and appending a row. Figures are cases per second. A worker is a separate process, so figures for
// one core need `taskset -c 0`.
//
// The benchmarks use these profiles. "small" is `anecheck run --small --mode float,integer
// --targets h13`: graphs of 1 to 12 nodes (and the conversions that these need), 64 elements per
// tensor, and 1,024 products per operation if the operation has such a small instance. "mixed" is
// the default of `anecheck run --targets h13`: its mix of modes, 256 elements, 16,384 products, one
// graph in 32 with up to 40 nodes, one case in 64 with a long axis. In both, as in `run`, the
// simulated engine has the documented defects of its family, so that a share of the cases (6 % of
// "small") is judged again operation by operation, and findings are confirmed. "small_clean" is
// "small" with `--quirk all=off`: each case is generated, written, compiled, run, judged and
// recorded once.
#include <algorithm>
#include <atomic>
#include <benchmark/benchmark.h>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <vector>

#include "generators/repair/non_vacuous.h"
#include "harness/base/file.h"
#include "harness/campaign/campaign.h"
#include "harness/runners/e5rt_engine.h"
#include "harness/runners/worker.h"

namespace anecheck {
namespace {

enum class Profile : uint8_t { kSmall, kSmallClean, kMixed };

CampaignOptions Options(Profile profile, uint64_t cases) {
  CampaignOptions options;
  options.cases = cases;
  options.targets = {{"h13", 2}};
  options.worker.library = ANECHECK_SIMULATED_ENGINE;
  if (profile == Profile::kMixed) return options;
  if (profile == Profile::kSmallClean) options.worker.quirks = {{"all", false}};
  options.small = true;
  options.modes = {CaseMode::kFloat, CaseMode::kInteger};
  return options;
}

// Graphs of 5 to 12 nodes, the size for which the generator's figures are stated.
GeneratorOptions SmallGraphs() {
  GeneratorOptions options;
  options.min_nodes = 5;
  options.max_nodes = 12;
  options.max_elements = kSmallElements;
  options.max_products = kSmallProducts;
  return options;
}

// Draws small graphs and does nothing else.
void BM_DrawGraphs(benchmark::State& state) {
  GeneratorOptions options = SmallGraphs();
  Graph graph;
  uint64_t index = 0;
  for (auto _ : state) {
    ChoiceStream choices = ChoiceStream::FromSeed(CaseSeed(1, index));
    options.mode = index++ % 2 == 0 ? CaseMode::kFloat : CaseMode::kInteger;
    GenerateGraph(choices, options, graph);
    benchmark::DoNotOptimize(graph.nodes().data());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_DrawGraphs);

// Draws graphs, and computes the oracle's value and bound of every output and the proof that each
// output can move. Measures the cost that these computations add.
void BM_ProvenGraphs(benchmark::State& state, CaseMode mode) {
  GeneratorOptions options = SmallGraphs();
  options.mode = mode;
  const Contract& contract = ConformingContract(options.family);
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  CaseRepair repair;
  Graph graph;
  std::vector<Estimate> expected;
  size_t nodes = 0, drawn = 0;
  for (auto _ : state) {
    GenerateGraph(choices, options, graph);
    drawn += graph.nodes().size();
    std::vector<Tensor> inputs = GenerateInputs(choices, graph, mode);
    benchmark::DoNotOptimize(repair.Run(choices, mode, contract, graph, inputs, expected));
    nodes += graph.nodes().size();
  }
  state.SetItemsProcessed(state.iterations());
  const auto graphs = static_cast<double>(std::max<int64_t>(1, state.iterations()));
  state.counters["drawn"] = static_cast<double>(drawn) / graphs;
  // Operations after an output that no input moves are removed.
  state.counters["nodes"] = static_cast<double>(nodes) / graphs;
}
BENCHMARK_CAPTURE(BM_ProvenGraphs, float, CaseMode::kFloat);
BENCHMARK_CAPTURE(BM_ProvenGraphs, integer, CaseMode::kInteger);

// Draws 64 choices, the least number for a graph of 12 nodes.
void BM_EmptyLoop(benchmark::State& state) {
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  for (auto _ : state) {
    for (int i = 0; i < 64; ++i) benchmark::DoNotOptimize(choices.Below(97));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_EmptyLoop);

// Draws and evaluates a campaign's cases, proves that every output can move, and writes MIL text.
void BM_GenerateOnly(benchmark::State& state, Profile profile) {
  const CampaignOptions options = Options(profile, 1);
  uint64_t index = 0;
  for (auto _ : state) benchmark::DoNotOptimize(MakeCase(options, index++));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(BM_GenerateOnly, small, Profile::kSmall);
BENCHMARK_CAPTURE(BM_GenerateOnly, mixed, Profile::kMixed);

// The rows that a campaign wrote to one table, to be appended to another file.
class Rows {
 public:
  Rows(sqlite3* from, const std::string& table) : table_(table) {
    const std::string select = "SELECT * FROM " + table;
    sqlite3_stmt* read = nullptr;
    sqlite3_prepare_v2(from, select.c_str(), -1, &read, nullptr);
    while (sqlite3_step(read) == SQLITE_ROW) {
      width_ = sqlite3_column_count(read);
      for (int i = 0; i < width_; ++i) {
        values_.push_back(sqlite3_value_dup(sqlite3_column_value(read, i)));
      }
    }
    sqlite3_finalize(read);
  }
  ~Rows() {
    for (sqlite3_value* value : values_) sqlite3_value_free(value);
  }

  // Returns false if SQLite reports an error.
  bool AppendTo(sqlite3* database) const {
    std::string insert = "INSERT INTO " + table_ + " VALUES (?";
    for (int i = 1; i < width_; ++i) insert += ",?";
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(database, (insert + ")").c_str(), -1, &statement, nullptr);
    bool done = statement != nullptr;
    for (size_t at = 0; done && at < values_.size();) {
      for (int i = 0; i < width_; ++i) sqlite3_bind_value(statement, i + 1, values_[at++]);
      done = sqlite3_step(statement) == SQLITE_DONE;
      sqlite3_reset(statement);
    }
    sqlite3_finalize(statement);
    return done;
  }

 private:
  std::string table_;
  int width_ = 0;
  std::vector<sqlite3_value*> values_;
};

// Appends a campaign's rows of cases and outputs with SQLite alone, in one transaction each.
void BM_BareAppend(benchmark::State& state) {
  constexpr uint64_t kCases = 2048;
  const auto folder = TempDirectory::Create("anecheck-bench-");
  CampaignOptions options = Options(Profile::kSmall, kCases);
  options.db = folder->File("campaign.sqlite");
  const auto summary = RunCampaign(options, [&] { return MakeRunner(options); }, {});
  sqlite3* database = nullptr;
  sqlite3_open(options.db.c_str(), &database);
  const Rows cases(database, "cases");
  const Rows outputs(database, "outputs");
  const auto run = [&](const char* sql) {
    if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return;
    state.SkipWithError(sqlite3_errmsg(database));
  };
  if (!summary.ok()) state.SkipWithError(summary.error().message.c_str());
  run("PRAGMA synchronous = NORMAL");
  for (auto _ : state) {
    state.PauseTiming();
    run("DELETE FROM cases; DELETE FROM outputs; PRAGMA wal_checkpoint(TRUNCATE)");
    state.ResumeTiming();
    run("BEGIN IMMEDIATE");
    if (!cases.AppendTo(database) || !outputs.AppendTo(database)) {
      state.SkipWithError(sqlite3_errmsg(database));
    }
    run("COMMIT");
  }
  sqlite3_close(database);
  state.SetItemsProcessed(state.iterations() * kCases);
}
BENCHMARK(BM_BareAppend)->UseRealTime();

// Runs the engine in this process. The difference from other benchmarks is the cost of a worker.
class InProcessRunner final : public Runner {
 public:
  static Result<std::unique_ptr<Runner>> Create() {
    static const Result<E5rtLibrary> library = OpenE5rtLibrary(ANECHECK_SIMULATED_ENGINE);
    if (!library.ok()) return library.error();
    ANECHECK_ASSIGN(TempDirectory folder, TempDirectory::CreateInMemory("anecheck-bench-"));
    return std::unique_ptr<Runner>(new InProcessRunner(*library, std::move(folder)));
  }

  Result<RunnerIdentity> Identify() override {
    return RunnerIdentity{.runner = "in-process", .provenance = Provenance::kSimulated};
  }
  Result<std::vector<RunReply>> Run(std::span<const RunRequest> requests) override {
    std::vector<RunReply> replies;
    for (const RunRequest& request : requests) replies.push_back(RunOne(request));
    return replies;
  }
  Status Restart() override { return {}; }

 private:
  InProcessRunner(const E5rtLibrary& library, TempDirectory folder)
      : engine_(library, std::move(folder)) {}

  RunReply RunOne(const RunRequest& request) {
    const Graph& graph = *request.graph;
    WireRequest wire = {.id = request.id, .target = request.target, .program = request.mil};
    for (const ValueId id : graph.ValuesOfKind(ValueKind::kInput)) {
      const Tensor& input = request.inputs[wire.shape.inputs.size()];
      wire.shape.inputs.push_back({graph.value(id).name, input.bytes.size(), input.bytes});
    }
    for (const ValueId id : graph.outputs()) {
      const auto size = static_cast<uint64_t>(graph.type(id).ByteSize());
      wire.shape.outputs.push_back({graph.value(id).name, size, {}});
    }
    WireReply answer = engine_.Run(wire, step_);
    RunReply reply = {.id = answer.id,
                      .status = answer.status,
                      .step = answer.step,
                      .message = std::move(answer.message),
                      .backend = std::move(answer.backend)};
    for (size_t i = 0; i < answer.outputs.size(); ++i) {
      reply.outputs.push_back({graph.type(graph.outputs()[i]), std::move(answer.outputs[i])});
    }
    return reply;
  }

  E5rtEngine engine_;
  std::atomic<Step> step_;
};

// Generates, lowers, compiles, runs, judges and records cases.
void RunCases(benchmark::State& state, Profile profile, const RunnerFactory& factory) {
  auto folder = TempDirectory::Create("anecheck-bench-");
  CampaignOptions options = Options(profile, static_cast<uint64_t>(state.range(0)));
  int run = 0;
  for (auto _ : state) {
    options.db = folder->File(std::to_string(run++) + ".sqlite");
    const auto summary = RunCampaign(options, factory, {});
    if (!summary.ok()) state.SkipWithError(summary.error().message.c_str());
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_FullCases(benchmark::State& state, Profile profile) {
  const CampaignOptions options = Options(profile, 1);
  RunCases(state, profile, [&] { return MakeRunner(options); });
}

void BM_FullCasesInProcess(benchmark::State& state, Profile profile) {
  RunCases(state, profile, InProcessRunner::Create);
}

void InRealTime(benchmark::internal::Benchmark* bench) {
  bench->Arg(20000)->UseRealTime()->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(BM_FullCases, small, Profile::kSmall)->Apply(InRealTime);
BENCHMARK_CAPTURE(BM_FullCasesInProcess, small, Profile::kSmall)->Apply(InRealTime);
BENCHMARK_CAPTURE(BM_FullCases, small_clean, Profile::kSmallClean)->Apply(InRealTime);
BENCHMARK_CAPTURE(BM_FullCases, mixed, Profile::kMixed)->Apply(InRealTime);
BENCHMARK_CAPTURE(BM_FullCasesInProcess, mixed, Profile::kMixed)->Apply(InRealTime);

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
