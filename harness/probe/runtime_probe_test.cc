// Tests runtime probes. An engine without planted faults gives the documented values of its family.
// Without its defects it gives the values of a conforming engine. Each planted fault of calls
// changes an answer.
#include "harness/probe/runtime_probe.h"

#include <atomic>
#include <gtest/gtest.h>
#include <set>
#include <thread>

#include "harness/base/testing/wait.h"
#include "harness/probe/mac_probes.h"

namespace anecheck {
namespace {

WorkerOptions Options() {
  WorkerOptions options;
  options.library = ANECHECK_SIMULATED_ENGINE;
  options.case_timeout_ms = 60000;
  return options;
}

std::optional<double> Ask(std::string_view name, const WorkerOptions& options,
                          std::string_view target = "h13") {
  const RuntimeProbe* probe = FindRuntimeProbe(name);
  EXPECT_NE(probe, nullptr) << name;
  const auto answer = MeasureRuntime(*probe, target, options);
  EXPECT_TRUE(answer.ok()) << answer.error().message;
  return answer->value;
}

TEST(RuntimeProbeTable, NamesAreDistinctAndSourcesGiven) {
  std::set<std::string_view> names;
  for (const RuntimeProbe& probe : RuntimeProbes()) {
    EXPECT_TRUE(names.insert(probe.name).second) << probe.name;
    EXPECT_NE(probe.source, "") << probe.name;
    EXPECT_EQ(probe.known_defect.empty(), probe.families == 0 && probe.known_defect != "P12");
  }
  EXPECT_EQ(FindRuntimeProbe("no_such_probe"), nullptr);
}

TEST(RuntimeProbeTable, ADefectIsExpectedByFamilyAndByTheLastSetting) {
  const RuntimeProbe& probe = *FindRuntimeProbe("dynamic_batch_accepted");
  EXPECT_TRUE(ExpectsDefect(probe, 6, {}));
  EXPECT_FALSE(ExpectsDefect(probe, 2, {}));
  const QuirkSetting settings[] = {{"all", false}, {"D30", true}};
  EXPECT_TRUE(ExpectsDefect(probe, 2, settings));
  EXPECT_FALSE(ExpectsDefect(probe, 6, std::span(settings).first(1)));
  EXPECT_FALSE(ExpectsDefect(*FindRuntimeProbe("placement"), 2, settings));
}

TEST(RuntimeProbes, GiveTheDocumentedValuesOfTheFamily) {
  for (const RuntimeProbe& probe : RuntimeProbes()) {
    const double expected = ExpectsDefect(probe, 2, {}) ? probe.documented : probe.conforming;
    EXPECT_EQ(Ask(probe.name, Options()), expected) << probe.name;
  }
}

TEST(RuntimeProbes, GiveAConformingEnginesValuesWithoutDefects) {
  WorkerOptions options = Options();
  options.quirks = {{"all", false}};
  for (const RuntimeProbe& probe : RuntimeProbes()) {
    if (probe.known_defect.empty()) continue;
    EXPECT_EQ(Ask(probe.name, options), probe.conforming) << probe.name;
    WorkerOptions one = options;
    one.quirks.push_back({std::string(probe.known_defect), true});
    EXPECT_EQ(Ask(probe.name, one), probe.documented) << probe.name;
  }
}

// Labels depend on this property. A single known defect changes its own probes to the values in
// their rows, and every other probe of defects keeps the value of a conforming engine.
TEST(RuntimeProbes, EachKnownDefectChangesTheProbesThatNameIt) {
  std::set<std::string> ids;
  for (const RuntimeProbe& probe : RuntimeProbes()) {
    for (const std::string_view id : {probe.known_defect, probe.also.id}) {
      if (!id.empty()) ids.emplace(id);
    }
  }
  // Numeric defects have no probe of calls. They are enabled together and must change no answer.
  const std::set<std::string> numeric = {"D01", "D02", "D03", "D04", "D05", "D06", "D07", "D08",
                                         "D09", "D10", "D11", "D12", "D13", "D14", "D15"};
  std::vector<std::set<std::string>> sets = {numeric};
  for (const std::string& id : ids) sets.push_back({id});
  for (const std::set<std::string>& set : sets) {
    WorkerOptions options = Options();
    options.quirks = {{"all", false}};
    for (const std::string& id : set) options.quirks.push_back({id, true});
    const std::string& id = *set.begin();
    for (const RuntimeProbe& probe : RuntimeProbes()) {
      // This probe takes more than a gigabyte, and only D39 changes its answer.
      const bool costly = probe.name == "large_product_times_out" && id != "D39";
      if (probe.known_defect.empty() || probe.time_factor > 1 || costly) continue;
      EXPECT_EQ(Ask(probe.name, options), ReadingUnder(probe, id)) << probe.name << " " << id;
    }
  }
}

#if !defined(__APPLE__)
TEST(MacProbes, AreUnmeasuredElsewhereWithAReason) {
  EXPECT_EQ(MacProbes().size(), 4u);
  for (const RuntimeProbe& probe : MacProbes()) {
    EXPECT_EQ(FindRuntimeProbe(probe.name), &probe);
    const auto answer = MeasureRuntime(probe, "h13", Options());
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_FALSE(answer->value.has_value()) << probe.name;
    EXPECT_TRUE(answer->message.starts_with("a Mac alone measures ")) << answer->message;
  }
}
#endif

TEST(DefectsShown, FollowFromTheMeasuredValue) {
  const auto none = [](const RuntimeProbe& probe) -> Result<RuntimeAnswer> {
    ADD_FAILURE() << probe.name << " was run, but is not needed";
    return RuntimeAnswer{};
  };
  using Ids = std::vector<std::string_view>;
  const RuntimeProbe& attention = *FindRuntimeProbe("attention_unshifted");
  EXPECT_EQ(DefectsShown(attention, 71, none).value(), Ids{"D21"});
  EXPECT_EQ(DefectsShown(attention, 73, none).value(), Ids{}) << "the value of a conforming engine";
  EXPECT_EQ(DefectsShown(attention, 50, none).value(), Ids{}) << "a wrong value of no known defect";
  EXPECT_EQ(DefectsShown(*FindRuntimeProbe("placement"), 2, none).value(), Ids{});
}

// One defect refuses products of rank 5. Another defect refuses products and transposes.
TEST(DefectsShown, AnotherProbeDecidesBetweenDefects) {
  const RuntimeProbe& product = *FindRuntimeProbe("matmul_rank_5_accepted");
  for (const double transposed : {0.0, 1.0}) {
    int asked = 0;
    const auto measure = [&](const RuntimeProbe& probe) -> Result<RuntimeAnswer> {
      EXPECT_EQ(probe.name, "transpose_rank_5_accepted");
      ++asked;
      return RuntimeAnswer{transposed, ""};
    };
    const auto shown = DefectsShown(product, 0, measure);
    ASSERT_TRUE(shown.ok());
    EXPECT_EQ(*shown, std::vector<std::string_view>{transposed == 0 ? "P12" : "D31"});
    EXPECT_EQ(asked, 1);
  }
  // One defect refuses topk of three and sorts, and another refuses only topk of three.
  for (const double sorted : {0.0, 1.0}) {
    const auto measure = [&](const RuntimeProbe&) -> Result<RuntimeAnswer> {
      return RuntimeAnswer{sorted, ""};
    };
    EXPECT_EQ(*DefectsShown(*FindRuntimeProbe("topk_of_3_accepted"), 0, measure),
              std::vector<std::string_view>{sorted == 0 ? "D18" : "D17"});
  }
  const auto broken = [](const RuntimeProbe&) -> Result<RuntimeAnswer> {
    return RuntimeAnswer{std::nullopt, "no answer"};
  };
  EXPECT_EQ(DefectsShown(product, 0, broken)->size(), 2u)
      << "without an answer both defects stay possible";
}

// The families of the tests above do not have the defect of large products, and for most targets
// there is no container to check.
TEST(RuntimeProbes, LargeProductsAndContainersFollowTheFamily) {
  EXPECT_EQ(Ask("large_product_times_out", Options(), "h17s"), 1);
  EXPECT_EQ(Ask("large_product_times_out", Options(), "h16"), 0);
  EXPECT_EQ(Ask("reflections_misplaced", Options(), "h13g"), 1);
  WorkerOptions options = Options();
  options.quirks = {{"D38", true}};
  EXPECT_EQ(Ask("reflections_misplaced", options, "h15"), 0);
}

// On h11 no MIL program and no network description compiles, so a refusal shows nothing about the
// tested feature.
TEST(RuntimeProbes, ARefusalOfEveryProgramMeasuresNothing) {
  // These probes need no program, or run on the CPU if the engine refuses.
  const std::set<std::string_view> answered = {"bad_buffer_type_refused", "error_text",
                                               "buffer_size", "fallback_refused"};
  for (const RuntimeProbe& probe : RuntimeProbes()) {
    const auto answer = MeasureRuntime(probe, "h11", Options());
    ASSERT_TRUE(answer.ok()) << answer.error().message;
    EXPECT_EQ(answer->value.has_value(), answered.contains(probe.name)) << probe.name;
    if (answer->value) continue;
    EXPECT_NE(answer->message.find("compile: "), std::string::npos)
        << probe.name << ": " << answer->message;
  }
  WorkerOptions without = Options();
  without.quirks = {{"D35", false}};
  EXPECT_EQ(Ask("fallback_refused", without, "h11"), std::nullopt);
}

struct Pair {
  const char* fault;
  const char* probe;
};
class FaultOfCalls : public ::testing::TestWithParam<Pair> {};

TEST_P(FaultOfCalls, ChangesItsProbe) {
  const RuntimeProbe& probe = *FindRuntimeProbe(GetParam().probe);
  WorkerOptions options = Options();
  options.faults = {GetParam().fault};
  const double clean = ExpectsDefect(probe, 2, {}) ? probe.documented : probe.conforming;
  EXPECT_NE(Ask(probe.name, options), clean);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, FaultOfCalls,
    ::testing::Values(
        Pair{"slots-100", "loaded_programs"}, Pair{"slots-leak", "programs_in_turn"},
        Pair{"error-text-lost", "error_text"},
        Pair{"errors-return-zero", "bad_buffer_type_refused"},
        Pair{"sync-signals-events", "sync_event_value"},
        Pair{"async-signals-nothing", "async_event_value"},
        Pair{"async-signals-early", "early_events"}, Pair{"block-not-called", "completion_calls"},
        Pair{"block-called-twice", "completion_calls"},
        Pair{"reset-of-fresh-stream", "fresh_stream_reset_refused"},
        Pair{"prepare-of-fresh-operation", "fresh_prepare_refused"},
        Pair{"buffer-types-unchecked", "bad_buffer_type_refused"},
        Pair{"port-names-unchecked", "unknown_port_refused"},
        Pair{"input-ports-swapped", "operand_order"}, Pair{"buffers-short", "buffer_size"},
        Pair{"runs-twice", "resident_once"}, Pair{"skips-last-operation", "chain_of_two"},
        Pair{"reverse-order", "chain_of_two"}, Pair{"alias-not-written", "resident_thrice"},
        Pair{"analytics-missing", "placement"}, Pair{"analytics-name-cpu", "placement"},
        Pair{"falls-back-silently", "placement"}, Pair{"accepts-rank-6", "rank_6_refused"},
        Pair{"accepts-wide-axes", "wide_axis_refused"},
        Pair{"accepts-wide-kernels", "wide_kernel_refused"},
        Pair{"accepts-any-input", "integer_input_refused"},
        Pair{"message-lost", "refusal_names_reason"}, Pair{"output-stale", "wrong_runs"},
        Pair{"output-untouched", "wrong_runs"}, Pair{"first-element-flaky", "wrong_runs"},
        Pair{"run-error", "wrong_runs"}, Pair{"input-overwritten", "inputs_kept"},
        Pair{"output-overrun", "bytes_overrun"}, Pair{"run-prints", "bytes_printed"},
        Pair{"run-slow", "slow_runs"}, Pair{"run-leak", "memory_of_runs"},
        Pair{"compile-leak", "memory_of_compiles"},
        Pair{"range-unchecked", "extents_outside_of_a_range"},
        Pair{"range-runs-at-start", "extents_of_a_range"}),
    [](const auto& row) {
      std::string name = row.param.fault;
      std::erase(name, '-');
      return name;
    });

TEST(RuntimeProbes, ACrashIsAnAnswerWithoutAValue) {
  WorkerOptions options = Options();
  options.faults = {"run-crash"};
  const auto answer = MeasureRuntime(*FindRuntimeProbe("operand_order"), "h13", options);
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(answer->value);
  EXPECT_NE(answer->message.find("signal"), std::string::npos) << answer->message;
}

TEST(RuntimeProbes, AHangEndsAtItsTimeLimit) {
  WorkerOptions options = Options();
  options.faults = {"run-hang"};
  options.case_timeout_ms = 300;
  const auto answer = MeasureRuntime(*FindRuntimeProbe("operand_order"), "h13", options);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->message, "no answer in 300 ms");
}

// The wait call has no time limit. Without a limit in the probe, no message would name the call
// that hangs.
TEST(RuntimeProbes, ALostEventIsReportedBeforeTheTimeLimit) {
  WorkerOptions options = Options();
  options.case_timeout_ms = 20000;
  options.faults = {"async-signals-nothing"};
  const auto answer = MeasureRuntime(*FindRuntimeProbe("early_events"), "h13", options);
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(answer->value);
  EXPECT_NE(answer->message.find("event_sync_wait does not return"), std::string::npos)
      << answer->message;
}

TEST(RuntimeProbes, AStopEndsAHang) {
  WorkerOptions options = Options();
  options.faults = {"run-hang"};
  options.case_timeout_ms = 1 << 30;
  const testing::OwnTemporaryFiles files;
  std::atomic<bool> stop = false;
  std::thread later([&] {
    EXPECT_TRUE(testing::WaitUntil([&] { return files.HasCase(); }));
    stop = true;
  });
  const auto answer = MeasureRuntime(*FindRuntimeProbe("operand_order"), "h13", options, &stop);
  later.join();
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::kInterrupted);
}

TEST(RuntimeProbes, ProbesOfManyProgramsHaveALongerTimeLimit) {
  WorkerOptions options = Options();
  options.faults = {"compile-hang"};
  options.case_timeout_ms = 50;
  for (const char* name : {"loaded_programs", "programs_in_turn"}) {
    const RuntimeProbe& probe = *FindRuntimeProbe(name);
    EXPECT_GE(probe.time_factor, 10);
    const auto answer = MeasureRuntime(probe, "h13", options);
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(answer->message, "no answer in 750 ms");
  }
}

}  // namespace
}  // namespace anecheck

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == anecheck::kWorkerArgument) {
    return anecheck::WorkerMain(argc, argv, anecheck::RuntimeProbeMain);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
