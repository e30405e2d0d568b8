// Tests the order of the calls of runtime probes (specification 001, section 2), and the messages
// of probes if a call fails or the compiler's bundle is unusual.
#include <cstdint>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "harness/base/file.h"
#include "harness/device/simulator_control.h"
#include "harness/probe/runtime_probe.h"

namespace anecheck {
namespace {

class ProbeCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = OpenE5rtLibrary(ANECHECK_REFUSING_ESPRESSO);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    engine_ = *opened;
    Refuse("", 0);
    Calls();
  }
  void TearDown() override {
    Symbol<void (*)()>("anecheck_sim_reset")();
    Refuse("", 0);
  }

  template <typename Function>
  Function Symbol(const char* name) const {
    return reinterpret_cast<Function>(dlsym(engine_.handle, name));
  }
  Result<double> Measure(std::string_view probe) const {
    return FindRuntimeProbe(probe)->measure(engine_, "h13");
  }
  // Makes the named call fail after `after` successful calls.
  void Refuse(const char* call, int after) const {
    Symbol<void (*)(const char*, int)>("anecheck_refuse")(call, after);
  }
  // Returns the engine's calls since the previous call of this function.
  std::string Calls() const { return Symbol<const char* (*)()>("anecheck_calls")(); }

  E5rtLibrary engine_;
};

constexpr std::string_view kMadeAndBound =
    "e5_compiler_compile\n"
    "program_library_retain_program_function\n"
    "execution_stream_operation_create_precompiled_compute_operation_with_options\n"
    "io_port_bind_buffer_object\n"
    "io_port_bind_buffer_object\n";
constexpr std::string_view kReleasedUpToPorts =
    "execution_stream_operation_release\n"
    "precompiled_compute_op_create_options_release\n"
    "program_function_release\n"
    "program_library_release\n"
    "buffer_object_release\n"
    "buffer_object_release\n"
    "io_port_release\n"
    "io_port_release\n";

TEST_F(ProbeCalls, BindThenEncodeThenExecuteThenReleaseInOrder) {
  EXPECT_EQ(Measure("inputs_kept").value(), 1);
  EXPECT_EQ(Calls(), fmt::format("{}execution_stream_encode_operation\n"
                                 "execution_stream_execute_sync\n"
                                 "{}execution_stream_release\n",
                                 kMadeAndBound, kReleasedUpToPorts));
}

TEST_F(ProbeCalls, AreEncodedOnceForManyExecutions) {
  EXPECT_EQ(Measure("wrong_runs").value(), 0);
  const std::string calls = Calls();
  const size_t encoded = calls.find("encode_operation");
  ASSERT_NE(encoded, std::string::npos);
  EXPECT_EQ(calls.find("encode_operation", encoded + 1), std::string::npos) << calls;
}

TEST_F(ProbeCalls, EventsAreBoundBeforeEncodingAndReleasedAfterPorts) {
  for (const char* probe : {"async_event_value", "completion_calls"}) {
    EXPECT_EQ(Measure(probe).value(), 1) << probe;
    EXPECT_EQ(Calls(), fmt::format("{}execution_stream_operation_bind_completion_event\n"
                                   "execution_stream_encode_operation\n"
                                   "execution_stream_submit_async\n"
                                   "async_event_sync_wait\n"
                                   "async_event_get_last_signaled_value\n"
                                   "{}async_event_release\n"
                                   "execution_stream_release\n",
                                   kMadeAndBound, kReleasedUpToPorts))
        << probe;
  }
  EXPECT_EQ(Measure("early_events").value(), 0);
  const std::string calls = Calls();
  EXPECT_LT(calls.find("bind_completion_event"), calls.find("encode_operation"));
  EXPECT_LT(calls.rfind("sync_wait"), calls.find("operation_release"));
  EXPECT_LT(calls.find("io_port_release"), calls.find("async_event_release"));
  EXPECT_LT(calls.find("async_event_release"), calls.find("stream_release"));
}

// Both operations are in one stream, which executes them in order.
TEST_F(ProbeCalls, AChainIsEncodedAfterAllItsPortsAreBound) {
  EXPECT_EQ(Measure("chain_of_two").value(), 2);
  const std::string calls = Calls();
  EXPECT_LT(calls.rfind("bind_buffer_object"), calls.find("encode_operation")) << calls;
}

// The runtime may still hold the block after the end of the probe.
TEST_F(ProbeCalls, TheBlockOutlivesTheProbeAndReturnsSuccess) {
  struct Header {
    const void* isa;
    int flags, reserved;
    int64_t (*invoke)(void* block);
  };
  ASSERT_TRUE(Measure("completion_calls").ok());
  auto* block = Symbol<Header* (*)()>("anecheck_submitted_block")();
  ASSERT_NE(block, nullptr);
  EXPECT_NE(block->isa, nullptr);
  EXPECT_EQ(block->flags, 1 << 28) << "the flag of a global block, which is never copied or freed";
  EXPECT_EQ(block->invoke(block), 0);
  EXPECT_EQ(Measure("completion_calls").value(), 1) << "calls before the submission do not count";
}

// A failed call must not give a value, which would show a defect or its absence.
TEST_F(ProbeCalls, AFailedCallGivesNoValue) {
  struct Row {
    const char* probe;
    const char* call;
    int after;
    const char* words;
  };
  const Row rows[] = {
      {"loaded_programs", "e5_compiler_compile", 3, "compile: "},
      {"loaded_programs", "program_library_retain_program_function", 3, "function: "},
      {"programs_in_turn", "e5_compiler_compile", 3, "compile: "},
      {"programs_in_turn", "program_library_retain_program_function", 3, "function: "},
      {"sync_event_value", "async_event_get_last_signaled_value", 0, "event_get_last_signaled"},
      {"sync_event_value", "execution_stream_encode_operation", 0, "encode: "},
      {"async_event_value", "async_event_get_last_signaled_value", 0, "event_get_last_signaled"},
      {"async_event_value", "async_event_sync_wait", 0, "event_sync_wait: "},
      {"completion_calls", "execution_stream_submit_async", 0, "submit: "},
      {"early_events", "execution_stream_submit_async", 2, "submit: "},
      {"requests_in_flight", "execution_stream_submit_async", 0, "submit: "},
      {"early_events", "async_event_sync_wait", 2, "event_sync_wait: "},
      {"buffer_size", "buffer_object_get_size", 0, "buffer_get_size: "},
      {"extents_of_a_range", "e5_compiler_compile", 2, "compile: "},
      {"extents_outside_of_a_range", "e5_compiler_compile", 2, "compile: "},
  };
  for (const Row& row : rows) {
    Refuse(row.call, row.after);
    const auto value = Measure(row.probe);
    ASSERT_FALSE(value.ok()) << row.probe << " " << row.call << ": " << *value;
    EXPECT_NE(value.error().message.find(row.words), std::string::npos)
        << row.probe << ": " << value.error().message;
  }
}

TEST_F(ProbeCalls, TheFirstProgramThatDoesNotLoadIsTheLimit) {
  for (const char* probe : {"loaded_programs", "programs_in_turn"}) {
    Refuse("execution_stream_operation_create_precompiled_compute_operation_with_options", 3);
    EXPECT_EQ(Measure(probe).value(), 3) << probe;
  }
}

// Changes the compiler's files after each compilation.
class ProbeBundles : public ProbeCalls {
 protected:
  using Change = void (*)(const std::string& folder);

  void SetUp() override {
    ProbeCalls::SetUp();
    real = engine_.api;
    engine_.api.config_set_cache_bundle_location = [](void* config, const char* path) {
      folder = path;
      return real.config_set_cache_bundle_location(config, path);
    };
    engine_.api.compiler_compile = [](void* compiler, const char* path, void* options, void** out) {
      const int64_t code = real.compiler_compile(compiler, path, options, out);
      if (code == 0) change(folder);
      return code;
    };
  }
  Result<double> MeasureWith(Change made, std::string_view probe) const {
    change = made;
    return Measure(probe);
  }

  static void Keep(const std::string&) {}
  static void Nest(const std::string& at) {
    std::filesystem::create_directories(at + "/model.bundle/main");
    std::filesystem::rename(at + "/analytics.mil", at + "/model.bundle/main/analytics.mil");
  }
  static void NameNothing(const std::string& at) {
    EXPECT_TRUE(WriteFileAtomic(at + "/analytics.mil", std::string_view("program(1.3) {}")).ok());
  }
  static void NameEngine(const std::string& at) {
    EXPECT_TRUE(WriteFileAtomic(at + "/analytics.mil",
                                std::string_view("SelectedBackend = string(\"ane\")"))
                    .ok());
  }
  static void Lose(const std::string& at) { std::filesystem::remove(at + "/analytics.mil"); }

 private:
  inline static E5rtApi real;
  inline static std::string folder;
  inline static Change change = Keep;
};

TEST_F(ProbeBundles, PlacementIsReadWhereverTheBundleHasTheAnalytics) {
  EXPECT_EQ(MeasureWith(Keep, "placement").value(), 1);
  EXPECT_EQ(MeasureWith(Nest, "placement").value(), 1);
  EXPECT_EQ(MeasureWith(NameNothing, "placement").value(), 0) << "no other backend is named";
  EXPECT_EQ(MeasureWith(Lose, "placement").value(), 0);
}

// D35 is on by default, so rank 6 falls back to the CPU with mask 7.
TEST_F(ProbeBundles, AFallbackNeedsAnalyticsThatNameAnotherBackend) {
  EXPECT_EQ(MeasureWith(Keep, "fallback_refused").value(), 0);
  EXPECT_EQ(MeasureWith(Nest, "fallback_refused").value(), 0);
  for (const Change made : {NameNothing, NameEngine, Lose}) {
    const auto value = MeasureWith(made, "fallback_refused");
    ASSERT_FALSE(value.ok()) << *value;
    EXPECT_NE(value.error().message.find("the analytics name"), std::string::npos)
        << value.error().message;
  }
}

TEST_F(ProbeBundles, AnOperationThatTheEngineTakesIsNoFallback) {
  ASSERT_EQ(Symbol<int (*)(const char*)>("anecheck_sim_enable_fault")("accepts-rank-6"),
            ANECHECK_SIM_OK);
  for (const int d35 : {0, 1}) {
    ASSERT_EQ(Symbol<int (*)(const char*, int)>("anecheck_sim_set_quirk")("D35", d35),
              ANECHECK_SIM_OK);
    const auto value = MeasureWith(Keep, "fallback_refused");
    ASSERT_FALSE(value.ok()) << *value;
    EXPECT_NE(value.error().message.find("the engine takes rank 6"), std::string::npos)
        << value.error().message;
  }
}

}  // namespace
}  // namespace anecheck
