#include "harness/base/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace anecheck {
namespace {

using ChunkBody = std::function<Status(uint64_t, uint64_t)>;

Status CallBody(const ChunkBody& body, uint64_t begin, uint64_t end) {
  try {
    return body(begin, end);
  } catch (const std::exception& exception) {
    return MakeError(ErrorCode::kInternal,
                     std::string("parallel loop: exception: ") + exception.what());
  } catch (...) {
    return MakeError(ErrorCode::kInternal, "parallel loop: exception of unknown type");
  }
}

// The state that the threads share. Threads take chunks in order. So when chunk n fails, all lower
// chunks are done or running, and only higher chunks are skipped.
class Loop {
 public:
  Loop(uint64_t count, uint64_t chunk, const ChunkBody& body)
      : count_(count),
        chunk_(chunk),
        chunks_(count / chunk + (count % chunk != 0 ? 1 : 0)),
        body_(body),
        first_failure_(chunks_) {}

  uint64_t chunks() const { return chunks_; }

  void Work() {
    while (true) {
      const uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
      if (index >= first_failure_.load(std::memory_order_relaxed)) return;
      const uint64_t begin = index * chunk_;
      const uint64_t end = begin + std::min(chunk_, count_ - begin);
      Status status = CallBody(body_, begin, end);
      if (!status.ok()) Record(index, std::move(status));
    }
  }

  Status TakeResult() { return std::move(failure_); }

 private:
  void Record(uint64_t index, Status status) {
    const std::lock_guard lock(mutex_);
    if (index >= first_failure_.load(std::memory_order_relaxed)) return;
    first_failure_.store(index, std::memory_order_relaxed);
    failure_ = std::move(status);
  }

  const uint64_t count_;
  const uint64_t chunk_;
  const uint64_t chunks_;
  const ChunkBody& body_;
  std::atomic<uint64_t> next_ = 0;
  std::atomic<uint64_t> first_failure_;  // chunks_ while none has failed
  std::mutex mutex_;
  Status failure_;
};

}  // namespace

int DefaultJobs() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

Status ParallelChunks(uint64_t count, uint64_t chunk, int jobs,
                      const std::function<Status(uint64_t begin, uint64_t end)>& body) {
  Loop loop(count, std::max<uint64_t>(chunk, 1), body);
  const auto wanted = static_cast<uint64_t>(jobs < 1 ? DefaultJobs() : jobs);
  const uint64_t helpers = std::min(wanted, std::max<uint64_t>(loop.chunks(), 1)) - 1;
  // The threads are joined explicitly, because libc++ 19 on macOS has no std::jthread. Between the
  // first thread and the joins, only the start of a thread can throw.
  std::vector<std::thread> threads;
  threads.reserve(helpers);
  for (uint64_t i = 0; i < helpers; ++i) {
    try {
      threads.emplace_back([&loop] { loop.Work(); });
    } catch (const std::system_error&) {
      break;  // fewer threads compute the same result
    }
  }
  loop.Work();
  for (std::thread& thread : threads) thread.join();
  return loop.TakeResult();
}

Status ParallelFor(uint64_t count, int jobs, const std::function<Status(uint64_t index)>& body) {
  return ParallelChunks(count, 1, jobs, [&body](uint64_t begin, uint64_t) { return body(begin); });
}

}  // namespace anecheck
