// Tests submit_async of the e5rt ABI: completion blocks, events and the effects of a failed request
// (specification 001, sections 2.4, 2.5 and 5; e5rt/api.h lists the assumptions).
#include <atomic>
#include <csignal>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/testing/wait.h"
#include "harness/device/testing/clean_engine.h"
#include "harness/device/testing/test_engine.h"

namespace anecheck::device::testing {
namespace {

const std::string kAddOne =
    MilProgram("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = add(x = x, y = fp16(1));", "y");

// A block as plain C data, which runs `body` on each call.
class Block {
 public:
  explicit Block(std::function<void()> body = [] {}) : body_(std::move(body)) {
    layout_->isa = layout_;
    layout_->self = this;
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  void* get() { return layout_; }
  void Return(int64_t result) { result_ = result; }
  int calls() const { return calls_; }
  void WaitForCalls(int count) const {
    while (calls_ < count) std::this_thread::yield();
  }

 private:
  struct Layout {
    void* isa = nullptr;
    int32_t flags = 0;
    int32_t reserved = 0;
    int64_t (*invoke)(void*) = [](void* block) {
      Block& own = *static_cast<Layout*>(block)->self;
      own.body_();
      const int64_t result = own.result_;
      ++own.calls_;
      return result;
    };
    Block* self = nullptr;
  };
  // Blocks are never freed, because the engine reads a block after its call.
  static Layout* Make() {
    static auto* kept = new std::deque<Layout>;
    return &kept->emplace_back();
  }

  Layout* layout_ = Make();
  std::function<void()> body_;
  std::atomic<int64_t> result_ = 0;
  std::atomic<int> calls_ = 0;
};

class Async : public CleanEngine {
 protected:
  void TearDown() override {
    WaitUntilIdle();
    for (void*& event : events_) ENGINE(e5rt_async_event_release)(&event);
    CleanEngine::TearDown();
  }

  // The fixture releases the event when the test ends.
  void* MakeEvent(uint32_t initial = 0) {
    void* event = nullptr;
    EXPECT_EQ(ENGINE(e5rt_async_event_create)(&event, "done", initial), 0);
    events_.push_back(event);
    return event;
  }
  // Makes an event that one call of e5rt_async_event_signal signals.
  void* MakeGate() {
    void* gate = MakeEvent();
    EXPECT_EQ(ENGINE(e5rt_async_event_set_active_future_value)(gate, 1), 0);
    return gate;
  }
  static uint64_t Signaled(void* event) {
    uint64_t value = ~uint64_t{0};
    EXPECT_EQ(ENGINE(e5rt_async_event_get_last_signaled_value)(event, &value), 0);
    return value;
  }
  static void Completes(const LoadedProgram& program, void* event) {
    EXPECT_EQ(
        ENGINE(e5rt_execution_stream_operation_bind_completion_event)(program.operation(), event),
        0);
  }
  static void DependsOn(const LoadedProgram& program, void* event) {
    EXPECT_EQ(ENGINE(e5rt_execution_stream_operation_bind_dependent_events)(program.operation(),
                                                                            &event, 1),
              0);
  }
  // Encodes a program in a stream that is not the program's own.
  static void Encode(void* stream, const LoadedProgram& program) {
    ASSERT_EQ(ENGINE(e5rt_execution_stream_encode_operation)(stream, program.operation()), 0);
  }
  static void* StreamOf(const LoadedProgram& program) {
    void* stream = nullptr;
    EXPECT_EQ(ENGINE(e5rt_execution_stream_create)(&stream), 0);
    Encode(stream, program);
    return stream;
  }
  static int64_t Submit(void* stream, Block& block) {
    return ENGINE(e5rt_execution_stream_submit_async)(stream, block.get());
  }
  // Submits the program on its own stream with a block. The next overload submits without a block.
  static int64_t Submit(LoadedProgram& program, Block& block) {
    const int64_t code = program.Encode();
    return code != 0 ? code : Submit(program.stream(), block);
  }
  static int64_t Submit(LoadedProgram& program) {
    const int64_t code = program.Encode();
    return code != 0 ? code : ENGINE(e5rt_execution_stream_async_submit)(program.stream());
  }
  static void WaitUntilIdle() {
    while (Counts().in_flight > 0) std::this_thread::yield();
  }

 private:
  std::vector<void*> events_;
};

// kAddOne with its output bound to its input. The buffer is new, or that of another counter.
class Counter : public LoadedProgram {
 public:
  explicit Counter(const Counter* other = nullptr) : LoadedProgram(kAddOne) {
    if (other == nullptr) {
      state_ = static_cast<const uint16_t*>(Bind("x", false, 8));
    } else {
      state_ = other->state_;
      EXPECT_TRUE(Share("x", false, other->buffer("x")));
    }
    EXPECT_TRUE(Share("y", true, buffer("x")));
  }
  double value() const { return HalfToDouble(Half{state_[0]}); }

 private:
  const uint16_t* state_ = nullptr;
};

TEST_F(Async, EventsAdvanceUnderSubmitAsyncOnly) {
  Counter program;
  void* event = MakeEvent(5);
  Completes(program, event);
  ASSERT_EQ(program.Execute(), 0);
  EXPECT_EQ(Signaled(event), 5u);  // D37
  Block block;
  ASSERT_EQ(Submit(program, block), 0);
  ASSERT_EQ(ENGINE(e5rt_async_event_sync_wait)(event), 0);
  EXPECT_EQ(Signaled(event), 6u);
  block.WaitForCalls(1);
  EXPECT_EQ(block.calls(), 1);
  ENGINE(anecheck_sim_set_quirk)("D37", 0);
  ASSERT_EQ(program.Execute(), 0);
  EXPECT_EQ(Signaled(event), 7u);
}

TEST_F(Async, DependentOperationWaits) {
  Counter program;
  void* gate = MakeGate();
  void* done = MakeEvent();
  DependsOn(program, gate);
  Completes(program, done);
  ASSERT_EQ(Submit(program), 0);
  EXPECT_EQ(Signaled(done), 0u);
  EXPECT_EQ(program.value(), 0);
  ASSERT_EQ(ENGINE(e5rt_async_event_signal)(gate), 0);
  ASSERT_EQ(ENGINE(e5rt_async_event_sync_wait)(done), 0);
  EXPECT_EQ(program.value(), 1);
  EXPECT_EQ(Signaled(done), 1u);
  // execute_sync ignores events, so a gate without a signal does not stop it.
  ASSERT_EQ(ENGINE(e5rt_async_event_set_active_future_value)(gate, 9), 0);
  EXPECT_EQ(program.Execute(), 0);
  WaitUntilIdle();
}

// Each operation waits for the previous operation, through a separate event.
TEST_F(Async, AChainAdvancesByItsLengthAndEachEventByOne) {
  for (const size_t steps : {size_t{1}, size_t{2}, size_t{100}}) {
    std::vector<std::unique_ptr<Counter>> chain;
    std::vector<void*> done;
    chain.push_back(std::make_unique<Counter>());
    done.push_back(MakeEvent());
    Completes(*chain[0], done[0]);
    void* stream = StreamOf(*chain[0]);
    while (chain.size() < steps) {
      chain.push_back(std::make_unique<Counter>(chain[0].get()));
      ASSERT_EQ(chain.back()->error(), "");
      DependsOn(*chain.back(), done.back());
      done.push_back(MakeEvent());
      Completes(*chain.back(), done.back());
      Encode(stream, *chain.back());
    }
    for (uint64_t turn = 1; turn <= 3; ++turn) {
      ASSERT_EQ(ENGINE(e5rt_execution_stream_async_submit)(stream), 0);
      ASSERT_EQ(ENGINE(e5rt_async_event_sync_wait)(done.back()), 0);
      EXPECT_EQ(chain[0]->value(), static_cast<double>(turn * steps));
      for (void* event : done) EXPECT_EQ(Signaled(event), turn);
    }
    ASSERT_EQ(ENGINE(e5rt_execution_stream_execute_sync)(stream), 0);
    EXPECT_EQ(chain[0]->value(), static_cast<double>(4 * steps));
    EXPECT_EQ(Signaled(done.back()), 3u);
    ENGINE(e5rt_execution_stream_release)(&stream);
  }
}

// If every operation of a chain completes the same event, the event counts the operations.
TEST_F(Async, AnEventThatAllOperationsCompleteCountsThem) {
  const Counter first;
  const Counter second(&first);
  void* count = MakeEvent();
  Completes(first, count);
  Completes(second, count);
  Completes(second, count);  // a repeated binding of the same event has no effect
  void* stream = StreamOf(first);
  Encode(stream, second);
  ASSERT_EQ(ENGINE(e5rt_execution_stream_async_submit)(stream), 0);
  ASSERT_EQ(ENGINE(e5rt_async_event_sync_wait)(count), 0);
  EXPECT_EQ(Signaled(count), 2u);
  EXPECT_EQ(first.value(), 2);
  ENGINE(e5rt_execution_stream_release)(&stream);
}

TEST_F(Async, AnOperationKeepsEveryEventItIsBoundTo) {
  Counter program;
  void* const gates[] = {MakeGate(), MakeGate()};
  void* const done[] = {MakeEvent(), MakeEvent()};
  for (void* gate : gates) DependsOn(program, gate);
  for (void* event : done) Completes(program, event);
  ASSERT_EQ(Submit(program), 0);
  ASSERT_EQ(ENGINE(e5rt_async_event_signal)(gates[1]), 0);
  // If a worker wrongly ignored the first gate, it would run here.
  anecheck::testing::LetOthersGoOn();
  EXPECT_EQ(Counts().in_flight, 1u);
  EXPECT_EQ(program.value(), 0);
  ASSERT_EQ(ENGINE(e5rt_async_event_signal)(gates[0]), 0);
  for (void* event : done) {
    ASSERT_EQ(ENGINE(e5rt_async_event_sync_wait)(event), 0);
    EXPECT_EQ(Signaled(event), 1u);
  }
  WaitUntilIdle();
}

// The events that a request signals are fixed when it is submitted.
TEST_F(Async, AnEventBoundLaterDoesNotBelongToARequestInFlight) {
  Counter program;
  Block block;
  ENGINE(anecheck_sim_hold_queue)(1);
  ASSERT_EQ(Submit(program, block), 0);
  ASSERT_EQ(ENGINE(e5rt_execution_stream_reset)(program.stream()), 0);
  ASSERT_EQ(ENGINE(e5rt_execution_stream_operation_prepare_op_for_encode)(program.operation()), 0);
  void* late = MakeEvent();
  Completes(program, late);
  ENGINE(anecheck_sim_hold_queue)(0);
  // The block may be called before its request has run.
  block.WaitForCalls(1);
  WaitUntilIdle();
  EXPECT_EQ(program.value(), 1) << "the late event does not stop the request";
  EXPECT_EQ(Signaled(late), 0u);
}

TEST_F(Async, ABlockMayReleaseItsStream) {
  const Counter program;
  void* stream = StreamOf(program);
  void* const stale = stream;
  Block releases([&] { EXPECT_EQ(ENGINE(e5rt_execution_stream_release)(&stream), 0); });
  Block counts;
  ENGINE(anecheck_sim_hold_queue)(1);
  ASSERT_EQ(Submit(stream, releases), 0);
  ASSERT_EQ(Submit(stream, counts), 0);
  ASSERT_EQ(Submit(stream, counts), 0);
  ENGINE(anecheck_sim_hold_queue)(0);
  // All submissions before the release still run.
  counts.WaitForCalls(2);
  WaitUntilIdle();
  EXPECT_EQ(program.value(), 3);
  EXPECT_EQ(stream, nullptr);
  EXPECT_NE(ENGINE(e5rt_execution_stream_execute_sync)(stale), 0);
}

// Neither block waits until the other returns.
TEST_F(Async, BlocksMayReleaseEachOthersStreams) {
  const Counter first;
  const Counter second;
  void* streams[] = {StreamOf(first), StreamOf(second)};
  void* const submitted[] = {streams[0], streams[1]};
  std::atomic<int> arrived = 0;
  const auto release = [&](void*& other) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
    EXPECT_EQ(ENGINE(e5rt_execution_stream_release)(&other), 0);
  };
  Block releases_second([&] { release(streams[1]); });
  Block releases_first([&] { release(streams[0]); });
  ASSERT_EQ(Submit(submitted[0], releases_second), 0);
  ASSERT_EQ(Submit(submitted[1], releases_first), 0);
  releases_second.WaitForCalls(1);
  releases_first.WaitForCalls(1);
}

TEST_F(Async, ARequestBeyond127InFlightWaitsForOneToEnd) {
  Counter program;
  ENGINE(anecheck_sim_hold_queue)(1);
  Block block;
  for (int i = 0; i < 127; ++i) ASSERT_EQ(Submit(program, block), 0) << i;
  std::atomic<bool> submitted = false;
  std::thread one_more([&] {
    EXPECT_EQ(Submit(program, block), 0);
    submitted = true;
  });
  // If a call wrongly did not wait, it would return here.
  anecheck::testing::LetOthersGoOn();
  EXPECT_FALSE(submitted);
  EXPECT_EQ(Counts().in_flight, 127u);
  ENGINE(anecheck_sim_hold_queue)(0);
  one_more.join();
  block.WaitForCalls(128);
  WaitUntilIdle();
  EXPECT_EQ(program.value(), 128);
}

// With the other interpretation of the limit, a request beyond it is refused.
TEST_F(Async, ARequestBeyond127InFlightIsRefused) {
  ASSERT_EQ(ENGINE(anecheck_sim_set_reading)("full-queue-refuses", 1), ANECHECK_SIM_OK);
  Counter program;
  ENGINE(anecheck_sim_hold_queue)(1);
  Block block;
  for (int i = 0; i < 127; ++i) ASSERT_EQ(Submit(program, block), 0) << i;
  EXPECT_EQ(Submit(program, block), 0xe00002be);
  ENGINE(anecheck_sim_hold_queue)(0);
  block.WaitForCalls(127);
  WaitUntilIdle();
  EXPECT_EQ(Submit(program, block), 0);
  block.WaitForCalls(128);
}

TEST_F(Async, ReadingsAreKnownByTheirNames) {
  EXPECT_EQ(ENGINE(anecheck_sim_set_reading)("no-such-reading", 1), ANECHECK_SIM_UNKNOWN);
  EXPECT_EQ(ENGINE(anecheck_sim_set_reading)(nullptr, 1), ANECHECK_SIM_INVALID);
  EXPECT_EQ(ENGINE(anecheck_sim_set_reading)("full-queue-refuses", 2), ANECHECK_SIM_INVALID);
}

// A program that waits for a gate, and an event that the program signals.
class AsyncBlock : public Async, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    Async::SetUp();
    ASSERT_EQ(ENGINE(anecheck_sim_set_reading)("block-at-completion", GetParam()), ANECHECK_SIM_OK);
    program_ = std::make_unique<Counter>();
    gate_ = MakeGate();
    done_ = MakeEvent();
    DependsOn(*program_, gate_);
    Completes(*program_, done_);
  }
  // The engine's fixture requires that no object is alive at the end.
  void TearDown() override {
    WaitUntilIdle();
    program_.reset();
    Async::TearDown();
  }
  static bool at_completion() { return GetParam() == 1; }
  void OpenGate() const { ASSERT_EQ(ENGINE(e5rt_async_event_signal)(gate_), 0); }

  std::unique_ptr<Counter> program_;
  void* gate_ = nullptr;
  void* done_ = nullptr;
};

TEST_P(AsyncBlock, IsCalledBeforeTheWorkOrAtItsEnd) {
  double at_call = -1;
  Block block([&] { at_call = program_->value(); });
  ASSERT_EQ(Submit(*program_, block), 0);
  if (at_completion()) {
    // If the block were wrongly called before the work, the call would happen here.
    anecheck::testing::LetOthersGoOn();
    EXPECT_EQ(block.calls(), 0);
  } else {
    block.WaitForCalls(1);
  }
  EXPECT_EQ(program_->value(), 0);
  EXPECT_EQ(Signaled(done_), 0u);
  OpenGate();
  EXPECT_EQ(ENGINE(e5rt_async_event_sync_wait)(done_), 0);
  EXPECT_EQ(program_->value(), 1);
  block.WaitForCalls(1);
  EXPECT_EQ(at_call, at_completion() ? 1 : 0);
  EXPECT_EQ(block.calls(), 1);
}

// A block that is called before the work is part of the submission, so its error fails the request.
TEST_P(AsyncBlock, ReturningAnErrorFailsItsRequestIfCalledBeforeTheWork) {
  Block block;
  block.Return(5);
  OpenGate();
  ASSERT_EQ(Submit(*program_, block), 0);
  const int64_t waited = ENGINE(e5rt_async_event_sync_wait)(done_);
  if (at_completion()) {
    EXPECT_EQ(waited, 0);
    EXPECT_EQ(program_->value(), 1);
  } else {
    EXPECT_NE(waited, 0);
    EXPECT_EQ(LastMessage(), "the block returned the error code 5 @ SubmitAsync");
    EXPECT_EQ(program_->value(), 0);
  }
  EXPECT_EQ(Signaled(done_), 1u) << "a failed request also signals its event";
  block.WaitForCalls(1);
  WaitUntilIdle();
  block.Return(0);
  const double before = program_->value();
  ASSERT_EQ(Submit(*program_, block), 0);
  EXPECT_EQ(ENGINE(e5rt_async_event_sync_wait)(done_), 0) << LastMessage();
  EXPECT_EQ(program_->value(), before + 1);
  block.WaitForCalls(2);
}

#ifndef ANECHECK_SANITIZED  // sanitizers handle SIGSEGV themselves

// A block in memory that is protected after the call, so that the test detects a later access.
struct GuardedBlock {
  void* isa = nullptr;
  int32_t flags = 0;
  int32_t reserved = 0;
  int64_t (*invoke)(GuardedBlock*) = [](GuardedBlock* self) -> int64_t {
    called = true;
    return mprotect(self, kPage, PROT_NONE);
  };

  static constexpr size_t kPage = 4096;
  inline static GuardedBlock* block = nullptr;
  inline static std::atomic<bool> called = false;
  inline static std::atomic<bool> touched = false;

  static void OnFault(int, siginfo_t* info, void*) {
    if (info->si_addr < block || info->si_addr >= block + 1) std::abort();
    touched = true;
    mprotect(block, kPage, PROT_READ);
  }
};

// The engine releases the block that it retained, and a release reads the block.
TEST_P(AsyncBlock, IsReadAgainAfterItsCall) {
  void* memory = mmap(nullptr, GuardedBlock::kPage, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  GuardedBlock::block = new (memory) GuardedBlock;
  GuardedBlock::called = GuardedBlock::touched = false;
  struct sigaction fault = {};
  struct sigaction before = {};
  fault.sa_flags = SA_SIGINFO;
  fault.sa_sigaction = GuardedBlock::OnFault;
  ASSERT_EQ(sigaction(SIGSEGV, &fault, &before), 0);
  OpenGate();
  ASSERT_EQ(program_->Encode(), 0);
  ASSERT_EQ(ENGINE(e5rt_execution_stream_submit_async)(program_->stream(), memory), 0);
  ASSERT_EQ(ENGINE(e5rt_async_event_sync_wait)(done_), 0);
  // Releasing the stream waits for its worker.
  program_.reset();
  EXPECT_TRUE(GuardedBlock::called);
  EXPECT_TRUE(GuardedBlock::touched);
  ASSERT_EQ(sigaction(SIGSEGV, &before, nullptr), 0);
  munmap(memory, GuardedBlock::kPage);
}

#endif

INSTANTIATE_TEST_SUITE_P(Readings, AsyncBlock, ::testing::Values(0, 1), [](const auto& row) {
  return row.param == 1 ? "AtCompletion" : "BeforeTheWork";
});

// With this fault every second execution of a program fails.
class AsyncFailure : public Async {
 protected:
  void SetUp() override {
    Async::SetUp();
    ASSERT_EQ(ENGINE(anecheck_sim_enable_fault)("run-error"), ANECHECK_SIM_OK);
  }
  static constexpr const char* kReason = "Program Inference timeout";
};

TEST_F(AsyncFailure, ReachesTheBlockAndTheWaiterOfItsRequest) {
  ASSERT_EQ(ENGINE(anecheck_sim_set_reading)("block-at-completion", 1), ANECHECK_SIM_OK);
  Counter program;
  void* done = MakeEvent();
  Completes(program, done);
  std::string in_block;
  Block block([&] { in_block = LastMessage(); });
  for (int turn = 1; turn <= 4; ++turn) {
    const bool fails = turn % 2 == 0;
    ASSERT_EQ(Submit(program, block), 0) << turn;
    EXPECT_EQ(ENGINE(e5rt_async_event_sync_wait)(done) != 0, fails) << turn;
    EXPECT_TRUE(!fails || LastMessage().find(kReason) != std::string::npos) << LastMessage();
    block.WaitForCalls(turn);
    EXPECT_EQ(in_block.find(kReason) != std::string::npos, fails) << in_block;
    EXPECT_EQ(in_block.empty(), !fails) << in_block;
    EXPECT_EQ(Signaled(done), static_cast<uint64_t>(turn));
  }
}

TEST_F(AsyncFailure, SkipsTheOperationsAfterIt) {
  const Counter first;
  ASSERT_EQ(ENGINE(anecheck_sim_disable_fault)("run-error"), ANECHECK_SIM_OK);
  const Counter second(&first);
  void* done = MakeEvent();
  Completes(second, done);
  void* stream = StreamOf(first);
  Encode(stream, second);
  ASSERT_EQ(ENGINE(e5rt_execution_stream_async_submit)(stream), 0);
  EXPECT_EQ(ENGINE(e5rt_async_event_sync_wait)(done), 0);
  EXPECT_EQ(first.value(), 2);
  ASSERT_EQ(ENGINE(e5rt_execution_stream_async_submit)(stream), 0);
  EXPECT_NE(ENGINE(e5rt_async_event_sync_wait)(done), 0);
  EXPECT_NE(LastMessage().find(kReason), std::string::npos) << LastMessage();
  EXPECT_EQ(first.value(), 3) << "only the first operation ran";
  EXPECT_EQ(Signaled(done), 2u);
  ENGINE(e5rt_execution_stream_release)(&stream);
}

TEST_F(AsyncFailure, ReachesDependentsInAnotherStream) {
  Counter source;
  ASSERT_EQ(ENGINE(anecheck_sim_disable_fault)("run-error"), ANECHECK_SIM_OK);
  Counter target;
  void* handed_on = MakeEvent();
  void* done = MakeEvent();
  Completes(source, handed_on);
  DependsOn(target, handed_on);
  Completes(target, done);
  ASSERT_EQ(source.Execute(), 0);  // the next execution fails
  ASSERT_EQ(Submit(source), 0);
  ASSERT_EQ(Submit(target), 0);
  EXPECT_NE(ENGINE(e5rt_async_event_sync_wait)(done), 0);
  EXPECT_NE(LastMessage().find(kReason), std::string::npos) << LastMessage();
  EXPECT_EQ(target.value(), 0);
  WaitUntilIdle();
}

}  // namespace
}  // namespace anecheck::device::testing
