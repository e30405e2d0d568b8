// submit_async of the e5rt ABI: completion blocks, events and what a failed request leaves
// (specification 001, sections 2.4, 2.5 and 5; e5rt/api.h says what is assumed).
#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/device/testing/clean_engine.h"
#include "harness/device/testing/test_engine.h"

namespace anecheck::device::testing {
namespace {

const std::string kAddOne =
    MilProgram("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = add(x = x, y = fp16(1));", "y");

// A block as plain C builds one, which runs `body` on each call.
class Block {
 public:
  explicit Block(std::function<void()> body = [] {}) : body_(std::move(body)) {
    layout_.isa = &layout_;
    layout_.self = this;
  }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  void* get() { return &layout_; }
  int calls() const { return calls_; }
  void WaitForCalls(int count) const {
    while (calls_ < count) std::this_thread::yield();
  }

 private:
  struct Layout {
    void* isa = nullptr;
    int32_t flags = 0;
    int32_t reserved = 0;
    void (*invoke)(void*) = [](void* block) {
      Block& own = *static_cast<Layout*>(block)->self;
      own.body_();
      ++own.calls_;
    };
    Block* self = nullptr;
  };

  Layout layout_;
  std::function<void()> body_;
  std::atomic<int> calls_ = 0;
};

class Async : public CleanEngine {
 protected:
  void TearDown() override {
    for (void*& event : events_) ENGINE(e5rt_async_event_release)(&event);
    CleanEngine::TearDown();
  }

  // Released when the test ends.
  void* MakeEvent(uint32_t initial = 0) {
    void* event = nullptr;
    EXPECT_EQ(ENGINE(e5rt_async_event_create)(&event, "done", initial), 0);
    events_.push_back(event);
    return event;
  }
  // An event that one call of e5rt_async_event_signal opens.
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
  // Encodes a program in another stream than its own.
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
  // The same on the program's own stream, with and without a block.
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

// kAddOne with its output bound to its input: a state of its own, or that of another.
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
  // execute_sync looks at no event: a gate that nobody opens does not stop it.
  ASSERT_EQ(ENGINE(e5rt_async_event_set_active_future_value)(gate, 9), 0);
  EXPECT_EQ(program.Execute(), 0);
  WaitUntilIdle();
}

// Each operation waits for the one before by an event of its own.
TEST_F(Async, AChainAdvancesByItsStepsAndEachEventByOne) {
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

// One event that every operation of a chain completes counts them.
TEST_F(Async, OneEventOfAllOperationsCountsThem) {
  const Counter first;
  const Counter second(&first);
  void* count = MakeEvent();
  Completes(first, count);
  Completes(second, count);
  Completes(second, count);  // bound twice, it counts once
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
  // Long enough for a worker that does not wait for the first gate.
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(Counts().in_flight, 1u);
  EXPECT_EQ(program.value(), 0);
  ASSERT_EQ(ENGINE(e5rt_async_event_signal)(gates[0]), 0);
  for (void* event : done) {
    ASSERT_EQ(ENGINE(e5rt_async_event_sync_wait)(event), 0);
    EXPECT_EQ(Signaled(event), 1u);
  }
  WaitUntilIdle();
}

// What a request signals is settled when it is submitted.
TEST_F(Async, AnEventBoundLaterIsNoneOfARequestInFlight) {
  Counter program;
  Block block;
  ENGINE(anecheck_sim_hold_queue)(1);
  ASSERT_EQ(Submit(program, block), 0);
  ASSERT_EQ(ENGINE(e5rt_execution_stream_reset)(program.stream()), 0);
  ASSERT_EQ(ENGINE(e5rt_execution_stream_operation_prepare_op_for_encode)(program.operation()), 0);
  void* late = MakeEvent();
  Completes(program, late);
  ENGINE(anecheck_sim_hold_queue)(0);
  block.WaitForCalls(1);
  EXPECT_EQ(program.value(), 1) << "the request ran all the same";
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
  // What was submitted before it is done all the same.
  counts.WaitForCalls(2);
  EXPECT_EQ(program.value(), 3);
  EXPECT_EQ(stream, nullptr);
  EXPECT_NE(ENGINE(e5rt_execution_stream_execute_sync)(stale), 0);
}

// Neither block waits for the other's end.
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

TEST_F(Async, HundredTwentySevenRequestsInFlight) {
  Counter program;
  ENGINE(anecheck_sim_hold_queue)(1);
  Block block;
  for (int i = 0; i < 127; ++i) ASSERT_EQ(Submit(program, block), 0) << i;
  EXPECT_EQ(Submit(program, block), 0xe00002be);
  ENGINE(anecheck_sim_hold_queue)(0);
  block.WaitForCalls(127);
  EXPECT_EQ(Submit(program, block), 0);
  block.WaitForCalls(128);
}

// Programs of which every second execution fails.
class AsyncFailure : public Async {
 protected:
  void SetUp() override {
    Async::SetUp();
    ASSERT_EQ(ENGINE(anecheck_sim_enable_fault)("run-error"), ANECHECK_SIM_OK);
  }
  static constexpr const char* kReason = "Program Inference timeout";
};

TEST_F(AsyncFailure, ReachesTheBlockAndTheWaiterOfItsRequest) {
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

TEST_F(AsyncFailure, EndsTheOperationsBehindIt) {
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
  EXPECT_EQ(first.value(), 3) << "the second did not run";
  EXPECT_EQ(Signaled(done), 2u);
  ENGINE(e5rt_execution_stream_release)(&stream);
}

TEST_F(AsyncFailure, ReachesWhatDependsOnItInAnotherStream) {
  Counter source;
  ASSERT_EQ(ENGINE(anecheck_sim_disable_fault)("run-error"), ANECHECK_SIM_OK);
  Counter target;
  void* handed_on = MakeEvent();
  void* done = MakeEvent();
  Completes(source, handed_on);
  DependsOn(target, handed_on);
  Completes(target, done);
  ASSERT_EQ(source.Execute(), 0);  // the next one fails
  ASSERT_EQ(Submit(source), 0);
  ASSERT_EQ(Submit(target), 0);
  EXPECT_NE(ENGINE(e5rt_async_event_sync_wait)(done), 0);
  EXPECT_NE(LastMessage().find(kReason), std::string::npos) << LastMessage();
  EXPECT_EQ(target.value(), 0);
  WaitUntilIdle();
}

}  // namespace
}  // namespace anecheck::device::testing
