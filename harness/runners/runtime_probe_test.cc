// Runtime probes: an engine without planted faults gives what is documented of its family, without
// its defects what a conforming one gives, and each planted fault of the calls changes some answer.
#include "harness/runners/runtime_probe.h"

#include <gtest/gtest.h>
#include <set>

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

TEST(RuntimeProbes, GiveWhatIsDocumentedOfTheFamily) {
  for (const RuntimeProbe& probe : RuntimeProbes()) {
    const double expected = ExpectsDefect(probe, 2, {}) ? probe.documented : probe.conforming;
    EXPECT_EQ(Ask(probe.name, Options()), expected) << probe.name;
  }
}

TEST(RuntimeProbes, GiveWhatAConformingEngineGivesWithoutDefects) {
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

// The families with the defect of large products are not those of the tests above, and the others
// leave no container to look into.
TEST(RuntimeProbes, DefectsOfProgramsFollowTheFamily) {
  EXPECT_EQ(Ask("large_product_times_out", Options(), "h17s"), 1);
  EXPECT_EQ(Ask("large_product_times_out", Options(), "h16"), 0);
  EXPECT_EQ(Ask("reflections_misplaced", Options(), "h13g"), 1);
  WorkerOptions options = Options();
  options.quirks = {{"D38", true}};
  EXPECT_EQ(Ask("reflections_misplaced", options, "h15"), 0);
}

// No MIL program and no network description compiles there: that one was refused says nothing of
// what it was refused for.
TEST(RuntimeProbes, ARefusalOfEveryProgramMeasuresNothing) {
  // What needs no program, or runs on the CPU where the engine refuses.
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

TEST(RuntimeProbes, ThoseOfManyProgramsHaveTheirTime) {
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
