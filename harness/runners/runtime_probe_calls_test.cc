// The calls that runtime probes make, in their order (specification 001, section 2), and what they
// say where one of these fails or where the compiler's bundle looks otherwise.
#include <cstdint>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/file.h"
#include "harness/device/simulator_control.h"
#include "harness/runners/runtime_probe.h"

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
  // The call of that name fails, after so many that do not.
  void Refuse(const char* call, int after) const {
    Symbol<void (*)(const char*, int)>("anecheck_refuse")(call, after);
  }
  // Since the last time.
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

TEST_F(ProbeCalls, EventsAreBoundBeforeAndWaitedForAndReleasedBehindPorts) {
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

// In one stream, which runs them in that order.
TEST_F(ProbeCalls, AChainIsEncodedOnceAllOfItIsBound) {
  EXPECT_EQ(Measure("chain_of_two").value(), 2);
  const std::string calls = Calls();
  EXPECT_LT(calls.rfind("bind_buffer_object"), calls.find("encode_operation")) << calls;
}

// The runtime may still hold the block when the probe is over.
TEST_F(ProbeCalls, TheBlockStaysAndReturnsAnErrorCode) {
  struct Header {
    const void* isa;
    int flags, reserved;
    int64_t (*invoke)(void* block);
  };
  ASSERT_TRUE(Measure("completion_calls").ok());
  auto* block = Symbol<Header* (*)()>("anecheck_submitted_block")();
  ASSERT_NE(block, nullptr);
  EXPECT_NE(block->isa, nullptr);
  EXPECT_EQ(block->flags, 1 << 28) << "global: nobody copies or frees it";
  EXPECT_EQ(block->invoke(block), 0);
  EXPECT_EQ(Measure("completion_calls").value(), 1) << "counted from this submission on";
}

}  // namespace
}  // namespace anecheck
