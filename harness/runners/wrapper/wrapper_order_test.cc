// Tests the order of the wrapper's calls, and the lifetime of objects that the engine may still use
// (specification 001, sections 2.1 to 2.6).
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "harness/base/testing/wait.h"
#include "harness/device/simulator_control.h"
#include "harness/runners/testing/wrapper_fixture.h"

namespace anecheck {
namespace {

using Calls = std::vector<std::string>;

constexpr const char* kBindEvent = "e5rt_execution_stream_operation_bind_completion_event";
constexpr const char* kBindDependents = "e5rt_execution_stream_operation_bind_dependent_events";
constexpr const char* kCreateEvent = "e5rt_async_event_create";
constexpr const char* kEncode = "e5rt_execution_stream_encode_operation";

Calls Ending(std::string_view end) {
  Calls calls = Recorded();
  std::erase_if(calls, [end](const std::string& call) { return !call.ends_with(end); });
  return calls;
}

// Returns the index of the first `call` in the record, or the length of the record.
size_t At(std::string_view call) {
  const Calls calls = Recorded();
  return static_cast<size_t>(std::ranges::find(calls, call) - calls.begin());
}

// Delays submitted work in the engine until the test has had time to continue.
class LateEngine {
 public:
  LateEngine() {
    hold_(1);
    start_ = std::thread([this] {
      testing::LetOthersGoOn();
      hold_(0);
    });
  }
  LateEngine(const LateEngine&) = delete;
  LateEngine& operator=(const LateEngine&) = delete;
  ~LateEngine() { start_.join(); }

 private:
  decltype(&anecheck_sim_hold_queue) hold_ = ANECHECK_SIMULATED(anecheck_sim_hold_queue);
  std::thread start_;
};

class WrapperOrder : public WrapperFixture {
 protected:
  void SetUp() override { Forget(); }

  static void Feed(const Program& program, double value) {
    const Halves x = ToHalves({value, 0, 0, 0});
    ASSERT_EQ(ane_e5rt_program_set_input_fp16(program.get(), "x", x.data(), 4), 0)
        << anecheck_e5rt_last_error();
  }
  static void Submit(const Program& program) {
    ASSERT_EQ(ane_e5rt_program_execute_async(program.get()), 0) << anecheck_e5rt_last_error();
  }
};

TEST_F(WrapperOrder, TheCompilerIsReleasedOnceTheOperationExists) {
  const Program program = CompileAddOne();
  ASSERT_NE(program, nullptr) << anecheck_e5rt_last_error();
  const size_t created =
      At("execution_stream_operation_create_precompiled_compute_operation_with_options");
  const size_t end = Recorded().size();
  for (const char* released : {"e5_compiler_options_release", "e5_compiler_release",
                               "e5_compiler_config_options_release"}) {
    EXPECT_LT(created, At(released)) << released;
    EXPECT_LT(At(released), end) << released;
  }
}

TEST_F(WrapperOrder, EventsAreBoundWhenOperationsAreMade) {
  const Program program = CompileAddOne();
  EXPECT_EQ(Ending("bind_completion_event").size(), 1u);
  ASSERT_EQ(JoinAddOne(program), 1);
  EXPECT_EQ(Ending("bind_completion_event").size(), 2u);
  EXPECT_EQ(Ending("encode_operation"), Calls());
  Forget();
  ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0);
  Submit(program);
  ASSERT_EQ(ane_e5rt_program_wait_for_completion(program.get()), 0) << anecheck_e5rt_last_error();
  EXPECT_EQ(Ending("bind_completion_event"), Calls());
  EXPECT_EQ(Ending("encode_operation").size(), 2u) << "each operation is encoded once";
}

TEST_F(WrapperOrder, AnExecutedOperationTakesNoOtherBindings) {
  const Program program = CompileAddOne();
  ASSERT_EQ(JoinAddOne(program), 1);
  ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0);
  Forget();
  EXPECT_EQ(ane_e5rt_program_chain_ops(program.get(), 0, 1, "late"), -1);
  EXPECT_STREQ(anecheck_e5rt_last_error(),
               "the operation was executed before: its bindings cannot change");
  EXPECT_EQ(ane_e5rt_program_share_buffer(program.get(), 0, "y", 1, "x"), -1);
  EXPECT_STREQ(anecheck_e5rt_last_error(),
               "the operation was executed before: its bindings cannot change");
  EXPECT_EQ(Recorded(), Calls()) << "the wrapper calls nothing";
  // The bindings of an added operation may change until its first execution. The bindings of the
  // earlier operations may not change.
  ASSERT_EQ(JoinAddOne(program), 2);
  EXPECT_EQ(ane_e5rt_program_share_buffer(program.get(), 2, "y", 0, "x"), -1);
  EXPECT_EQ(ane_e5rt_program_share_buffer(program.get(), 1, "y", 2, "x"), 0);
  EXPECT_EQ(ane_e5rt_program_chain_ops(program.get(), 1, 2, nullptr), 0);
  Submit(program);
  ASSERT_EQ(ane_e5rt_program_wait_for_completion(program.get()), 0) << anecheck_e5rt_last_error();
  EXPECT_EQ(FirstOutput(program, 2), 2);
  EXPECT_EQ(ane_e5rt_program_chain_ops(program.get(), 0, 2, "late"), -1);
}

TEST_F(WrapperOrder, AUsedStreamIsResetAndPreparedBeforeItIsEncodedAgain) {
  const Program program = CompileAddOne();
  ASSERT_EQ(JoinAddOne(program), 1);
  ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0);
  ASSERT_EQ(JoinAddOne(program), 2);
  Forget();
  ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0) << anecheck_e5rt_last_error();
  EXPECT_EQ(Recorded(),
            Calls({"execution_stream_reset", "execution_stream_operation_prepare_op_for_encode",
                   "execution_stream_operation_prepare_op_for_encode",
                   "execution_stream_encode_operation", "execution_stream_encode_operation",
                   "execution_stream_encode_operation", "execution_stream_execute_sync"}));
}

TEST_F(WrapperOrder, AFailedEncodingContinuesAtTheFailure) {
  const Program program = CompileAddOne();
  ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0);
  ASSERT_EQ(JoinAddOne(program), 1);
  ASSERT_EQ(ane_e5rt_program_share_buffer(program.get(), 0, "y", 1, "x"), 0);
  RefuseOnce(kEncode);
  ASSERT_EQ(ane_e5rt_program_execute(program.get()), -1);
  Forget();
  ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0) << anecheck_e5rt_last_error();
  EXPECT_EQ(Recorded(),
            Calls({"execution_stream_encode_operation", "execution_stream_encode_operation",
                   "execution_stream_execute_sync"}));
  EXPECT_EQ(FirstOutput(program, 1), 2);
}

TEST_F(WrapperOrder, AProgramWithoutAnEventRunsButNotAsynchronously) {
  for (const char* refused : {kCreateEvent, kBindEvent}) {
    Forget();
    RefuseOnce(refused);
    const Program program = CompileAddOne();
    ASSERT_NE(program, nullptr) << anecheck_e5rt_last_error();
    EXPECT_EQ(Ending("async_event_release").size(), refused == kBindEvent ? 1u : 0u);
    ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0) << anecheck_e5rt_last_error();
    EXPECT_EQ(FirstOutput(program), 1);
    EXPECT_EQ(ane_e5rt_program_execute_async(program.get()), -1);
    EXPECT_TRUE(std::string_view(anecheck_e5rt_last_error()).starts_with("no completion event: "))
        << anecheck_e5rt_last_error();
    ASSERT_EQ(JoinAddOne(program), 1);
    EXPECT_EQ(ane_e5rt_program_chain_ops(program.get(), 0, 1, "first"), -1);
    EXPECT_TRUE(std::string_view(anecheck_e5rt_last_error()).starts_with("no completion event: "))
        << anecheck_e5rt_last_error();
    uint64_t value = 9;
    EXPECT_EQ(ane_e5rt_program_get_chain_event_last_signaled(program.get(), 0, &value), -1);
    // The added operation has an event, and is the last one.
    Submit(program);
    EXPECT_EQ(ane_e5rt_program_wait_for_completion(program.get()), 0);
  }
}

TEST_F(WrapperOrder, ARefusedChainIsNotBoundByTheNextCall) {
  const Program program = CompileAddOne();
  ASSERT_EQ(JoinAddOne(program), 1);
  ASSERT_EQ(JoinAddOne(program), 2);
  RefuseOnce(kBindDependents);
  EXPECT_EQ(ane_e5rt_program_chain_ops(program.get(), 0, 2, "first"), -1);
  ASSERT_EQ(ane_e5rt_program_chain_ops(program.get(), 1, 2, "second"), 0);
  EXPECT_EQ(ANECHECK_RECORDING(anecheck_events_bound)(), 1u) << "a refused binding is not kept";
}

TEST_F(WrapperOrder, BuffersAreReadWhenTheWorkIsDone) {
  const Program program = CompileAddOne();
  Feed(program, 5);
  const LateEngine late;
  Submit(program);
  EXPECT_EQ(FirstOutput(program), 6);
}

TEST_F(WrapperOrder, BuffersAreWrittenWhenTheWorkIsDone) {
  const Program program = CompileAddOne();
  Feed(program, 5);
  const LateEngine late;
  Submit(program);
  Feed(program, 7);
  EXPECT_EQ(FirstOutput(program), 6) << "the engine read the content at the time of submission";
}

TEST_F(WrapperOrder, AStreamIsUsedAgainWhenTheWorkIsDone) {
  const Program program = CompileAddOne();
  Submit(program);
  Submit(program);
  ASSERT_EQ(JoinAddOne(program), 1);
  Forget();
  ASSERT_EQ(ane_e5rt_program_execute(program.get()), 0);
  EXPECT_LT(At("async_event_sync_wait"), At("execution_stream_reset"));
  Forget();
  Submit(program);
  Submit(program);
  EXPECT_EQ(Recorded(), Calls({"execution_stream_submit_async", "async_event_sync_wait",
                               "execution_stream_submit_async"}));
}

TEST_F(WrapperOrder, EverythingIsReleasedInOrderWhenTheWorkIsDone) {
  Program program = CompileAddOne();
  ASSERT_EQ(JoinAddOne(program), 1);
  ASSERT_EQ(ane_e5rt_program_chain_ops(program.get(), 0, 1, "first"), 0);
  ASSERT_EQ(ane_e5rt_program_share_buffer(program.get(), 0, "y", 1, "x"), 0);
  const LateEngine late;
  Submit(program);
  Forget();
  program.reset();
  const std::vector<std::pair<size_t, const char*>> kOrder = {
      {1, "async_event_sync_wait"},
      {2, "execution_stream_operation_release"},
      {2, "precompiled_compute_op_create_options_release"},
      {2, "program_function_release"},
      {2, "program_library_release"},
      {4, "buffer_object_release"},
      {4, "io_port_release"},
      {2, "async_event_release"},
      {1, "execution_stream_release"}};
  Calls expected;
  for (const auto& [count, call] : kOrder) expected.insert(expected.end(), count, call);
  EXPECT_EQ(Recorded(), expected);
}

TEST_F(WrapperOrder, AnOperationThatCannotBeMadeIsReleasedInOrder) {
  const Program program = CompileAddOne();
  Forget();
  ASSERT_EQ(ane_e5rt_program_add_op(program.get(), AddOne().c_str(), "x", 8, "nobody", 8), -1);
  const Calls released = Ending("_release");
  ASSERT_GT(released.size(), 3u);
  EXPECT_EQ(Calls(released.begin() + 3, released.end()),
            Calls({"execution_stream_operation_release",
                   "precompiled_compute_op_create_options_release", "program_function_release",
                   "program_library_release", "buffer_object_release", "io_port_release"}));
}

TEST_F(WrapperOrder, TheCallThatWaitsReportsAFailedRun) {
  ANECHECK_SIMULATED(anecheck_sim_enable_fault)("run-error");
  const Program program = CompileAddOne();
  ANECHECK_SIMULATED(anecheck_sim_disable_fault)("run-error");
  ASSERT_NE(program, nullptr) << anecheck_e5rt_last_error();
  Halves y(4);
  int runs = 0;
  do {
    Submit(program);
  } while (ane_e5rt_program_get_output_fp16(program.get(), "y", y.data(), 4) == 0 && ++runs < 20);
  ASSERT_LT(runs, 20) << "the planted defect fails some runs";
  EXPECT_NE(std::string(anecheck_e5rt_last_error()).find("timeout"), std::string::npos);
  EXPECT_EQ(ane_e5rt_program_wait_for_completion(program.get()), -1)
      << "a second wait reports the failure again";
  Submit(program);
  EXPECT_EQ(ane_e5rt_program_wait_for_completion(program.get()), 0) << anecheck_e5rt_last_error();
}

TEST_F(WrapperOrder, ARefusedSubmissionIsNotWaitedFor) {
  const Program program = CompileAddOne();
  RefuseOnce("e5rt_execution_stream_submit_async");
  EXPECT_EQ(ane_e5rt_program_execute_async(program.get()), -1);
  Forget();
  EXPECT_EQ(ane_e5rt_program_wait_for_completion(program.get()), -1) << "nothing was submitted";
  FirstOutput(program);
  EXPECT_EQ(Ending("sync_wait"), Calls());
}

// The header of a block (block ABI). `invoke` of a submitted block returns an error code.
struct Block {
  void* isa;
  int flags, reserved;
  int64_t (*invoke)(void*);
};
constexpr int kGlobal = 1 << 28;  // the flag of a block that is never copied or freed

struct Called {
  int times = 0;
  int result = 9;
};
void Count(void* context, int result) {
  auto* called = static_cast<Called*>(context);
  ++called->times;
  called->result = result;
}

TEST_F(WrapperOrder, BlocksCallBackAndReturnSuccess) {
  Called called;
  void* made = ane_e5rt_make_completion_block(Count, &called);
  ASSERT_NE(made, nullptr);
  const auto* block = static_cast<Block*>(made);
  EXPECT_NE(block->isa, nullptr);
  EXPECT_EQ(block->flags, kGlobal);
  EXPECT_EQ(block->invoke(made), 0);
  EXPECT_EQ(block->invoke(made), 0);
  EXPECT_EQ(called.times, 2);
  EXPECT_EQ(called.result, 0);
  ane_e5rt_free_completion_block(made);
  EXPECT_EQ(ane_e5rt_make_completion_block(nullptr, &called), nullptr);
}

TEST_F(WrapperOrder, AFreedBlockCanStillBeCalled) {
  Called called;
  void* made = ane_e5rt_make_completion_block(Count, &called);
  void* isa = static_cast<Block*>(made)->isa;
  ane_e5rt_free_completion_block(made);
  for (int i = 0; i < 100; ++i) ASSERT_NE(ane_e5rt_make_completion_block(Count, &called), made);
  const auto* block = static_cast<Block*>(made);
  ASSERT_EQ(block->isa, isa);
  ASSERT_EQ(block->flags, kGlobal);
  EXPECT_EQ(block->invoke(made), 0);
  EXPECT_EQ(called.times, 1);
}

TEST_F(WrapperOrder, TheSubmittedBlockOutlivesTheProgram) {
  void* first = nullptr;
  for (int i = 0; i < 3; ++i) {
    Program program = CompileAddOne();
    Submit(program);
    program.reset();
    void* submitted = ANECHECK_RECORDING(anecheck_submitted_block)();
    const auto* block = static_cast<Block*>(submitted);
    ASSERT_NE(block, nullptr);
    ASSERT_EQ(block->flags, kGlobal);
    EXPECT_EQ(block->invoke(submitted), 0) << "an engine may call the block late";
    if (first == nullptr) first = submitted;
    EXPECT_EQ(submitted, first) << "the process has one block";
  }
}

TEST_F(WrapperOrder, EachOperationHasItsOwnBundle) {
  const std::string cache = folder_->File("cache");
  ASSERT_TRUE(MakeDirectories(cache).ok());
  const auto location = ANECHECK_RECORDING(anecheck_cache_location);
  const Program program = CompileAddOne(cache.c_str());
  ASSERT_NE(program, nullptr) << anecheck_e5rt_last_error();
  EXPECT_EQ(location(), cache);
  const auto first = ReadTextFile(cache + "/analytics.mil");
  ASSERT_TRUE(first.ok()) << first.error().message;
  const std::string other = Model("double", "tensor<fp16, [4]> x",
                                  "tensor<fp16, [4]> y = mul(x = x, y = fp16(0x1p+1));", "y");
  for (int i = 1; i < 3; ++i) {
    ASSERT_EQ(ane_e5rt_program_add_op(program.get(), other.c_str(), "x", 8, "y", 8), i)
        << anecheck_e5rt_last_error();
    EXPECT_EQ(location(), fmt::format("{}/op{}", cache, i));
    const auto added = ReadTextFile(fmt::format("{}/op{}/analytics.mil", cache, i));
    ASSERT_TRUE(added.ok()) << added.error().message;
    EXPECT_NE(*added, *first);
  }
  const auto kept = ReadTextFile(cache + "/analytics.mil");
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(*kept, *first);
}

TEST_F(WrapperOrder, AFolderThatCannotBeMadeIsAnError) {
  const std::string cache = folder_->File("cache");
  ASSERT_TRUE(MakeDirectories(cache).ok());
  const Program program = CompileAddOne(cache.c_str());
  ASSERT_TRUE(WriteFileAtomic(cache + "/op1", std::string_view("a file")).ok());
  Forget();
  EXPECT_EQ(JoinAddOne(program), -1);
  EXPECT_EQ(Recorded(), Calls()) << "nothing is compiled";
  EXPECT_NE(std::string(anecheck_e5rt_last_error()).find("/op1"), std::string::npos)
      << anecheck_e5rt_last_error();
  EXPECT_EQ(ane_e5rt_program_get_op_count(program.get()), 1u);
}

}  // namespace
}  // namespace anecheck
