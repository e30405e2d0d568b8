// The parallel loop visits every index once and has the same chunks for any number of threads. It
// reports the failure of the lowest chunk, whatever the timing is.
#include "harness/base/parallel_for.h"

#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <rapidcheck/gtest.h>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/testing/wait.h"
namespace anecheck {
namespace {

TEST(ParallelFor, VisitsEveryIndexOnce) {
  for (const int jobs : {-1, 0, 1, 2, 7}) {
    std::vector<std::atomic<int>> visits(1000);
    ASSERT_TRUE(ParallelFor(visits.size(), jobs, [&](uint64_t index) -> Status {
                  ++visits[index];
                  return {};
                }).ok());
    for (const auto& visit : visits) ASSERT_EQ(visit, 1);
  }
}

RC_GTEST_PROP(ParallelChunks, BordersDependOnlyOnTheCountAndTheChunkSize, ()) {
  const auto count = *rc::gen::inRange<uint64_t>(0, 200);
  const auto chunk = *rc::gen::inRange<uint64_t>(0, 70);
  const auto jobs = *rc::gen::inRange(1, 5);
  std::mutex mutex;
  std::set<std::pair<uint64_t, uint64_t>> ranges;
  const Status status =
      ParallelChunks(count, chunk, jobs, [&](uint64_t begin, uint64_t end) -> Status {
        const std::lock_guard lock(mutex);
        ranges.emplace(begin, end);
        return {};
      });
  RC_ASSERT(status.ok());
  const uint64_t size = chunk == 0 ? 1 : chunk;
  RC_ASSERT(ranges.size() == (count + size - 1) / size);
  uint64_t next = 0;
  for (const auto& [begin, end] : ranges) {
    RC_ASSERT(begin == next);
    RC_ASSERT(end == std::min(begin + size, count));
    next = end;
  }
  RC_ASSERT(next == count);
}

TEST(ParallelFor, ReportsTheFirstFailureInOrder) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<bool> later = false;
    const Status status = ParallelFor(100, 4, [&](uint64_t index) -> Status {
      if (index == 20) EXPECT_TRUE(testing::WaitUntil([&] { return later.load(); }));
      if (index >= 20 && index % 3 == 2) {
        later = true;
        return MakeError(ErrorCode::kLimit, std::to_string(index));
      }
      return {};
    });
    ASSERT_FALSE(status.ok());
    ASSERT_EQ(status.error().message, "20");
    ASSERT_EQ(status.error().code, ErrorCode::kLimit);
  }
}

TEST(ParallelFor, StopsEarlyAfterAFailure) {
  std::atomic<int> calls = 0;
  const Status status = ParallelFor(1'000'000, 2, [&](uint64_t) -> Status {
    ++calls;
    return MakeError(ErrorCode::kInvalid, "no");
  });
  EXPECT_FALSE(status.ok());
  EXPECT_LT(calls, 1000);
}

TEST(ParallelFor, ExceptionsBecomeErrors) {
  const Status standard =
      ParallelFor(3, 2, [](uint64_t) -> Status { throw std::runtime_error("boom"); });
  ASSERT_FALSE(standard.ok());
  EXPECT_EQ(standard.error().code, ErrorCode::kInternal);
  EXPECT_EQ(standard.error().message, "parallel loop: exception: boom");
  const Status other = ParallelFor(3, 2, [](uint64_t) -> Status { throw 5; });
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().message, "parallel loop: exception of unknown type");
}

TEST(ParallelFor, OneJobRunsOnTheCallingThread) {
  const auto caller = std::this_thread::get_id();
  EXPECT_TRUE(ParallelFor(10, 1, [&](uint64_t) -> Status {
                if (std::this_thread::get_id() == caller) return {};
                return MakeError(ErrorCode::kInternal, "another thread");
              }).ok());
}

TEST(ParallelFor, SeveralJobsRunAtTheSameTime) {
  // Each call waits until the other has begun, so the loop ends only if two threads run it.
  std::atomic<int> arrived = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  EXPECT_TRUE(ParallelFor(2, 2, [&](uint64_t) -> Status {
                ++arrived;
                while (arrived < 2) {
                  if (std::chrono::steady_clock::now() > deadline) {
                    return MakeError(ErrorCode::kInternal, "alone");
                  }
                  std::this_thread::yield();
                }
                return {};
              }).ok());
}

TEST(DefaultJobs, IsAtLeastOne) { EXPECT_GE(DefaultJobs(), 1); }

}  // namespace
}  // namespace anecheck
