// The shared memory and the socket between a campaign and one worker process. The campaign sends a
// batch of requests, and the worker returns the replies one by one. The worker counts its replies,
// so that the campaign knows which case was running when a worker died.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>

#include "harness/base/result.h"
#include "harness/runners/wire.h"

namespace anecheck {

// The start of the shared mapping. The request area follows it, then the reply area.
struct ChannelHeader {
  std::atomic<uint32_t> request_count;
  std::atomic<uint32_t> completed;  // replies written in full
  std::atomic<uint64_t> request_bytes;
  std::atomic<uint64_t> reply_bytes;  // size of the replies written in full
  std::atomic<Step> step;             // of the current request; kNone between requests
};
static_assert(std::atomic<uint64_t>::is_always_lock_free, "shared between processes");

// Returns the step of the worker's current request; kNone if the memory contains no valid step
// because the engine overwrote it.
inline Step StepOf(const ChannelHeader& header) {
  const Step step = header.step.load();
  return static_cast<size_t>(step) < AllWords<Step>().size() ? step : Step::kNone;
}

// One end of the channel. The mapping is sparse: only the part that batches fill uses memory.
class WorkerChannel {
 public:
  static constexpr uint64_t kHeaderSize = 4096;
  static constexpr uint64_t kUsualArea = uint64_t{64} << 20;

  // Makes the campaign's end: new memory with two areas of `area_size` bytes each, and a socket
  // pair. `area_size` must be a multiple of 4096. The worker must inherit the descriptors
  // worker_memory() and worker_socket().
  static Result<WorkerChannel> Create(uint64_t area_size = kUsualArea);
  // Makes the worker's end from inherited descriptors.
  static Result<WorkerChannel> Attach(int memory, int socket);

  WorkerChannel(WorkerChannel&& other) noexcept;
  WorkerChannel& operator=(WorkerChannel&& other) noexcept;
  ~WorkerChannel();

  ChannelHeader& header() { return *reinterpret_cast<ChannelHeader*>(mapping_); }
  // The size in bytes of the area of requests; the area of replies has the same size.
  uint64_t area_size() const { return area_size_; }
  std::span<uint8_t> requests() { return {mapping_ + kHeaderSize, area_size_}; }
  std::span<uint8_t> replies() { return {mapping_ + kHeaderSize + area_size_, area_size_}; }

  // Sends one byte to the other end. Returns false if that end is closed.
  bool Signal(char what);
  // Waits for the next byte from the other end. Returns the byte, 0 after `milliseconds` without a
  // byte, or -1 if the other end is closed. A negative `milliseconds` waits without a limit.
  // Signals do not end the wait.
  int Wait(int milliseconds);

  int worker_memory() const { return memory_; }
  int worker_socket() const { return other_socket_; }
  // Returns true when the other end is closed, and false when this end is closed. It reads nothing.
  // A second thread may call this function while the first thread communicates.
  bool WaitForEnd() const;

  // Closes the campaign's copy of the worker's socket, after the start of the worker.
  void CloseWorkerEnd();

 private:
  WorkerChannel() = default;
  Status Map();
  void Reset();
  uint64_t MappingSize() const { return kHeaderSize + 2 * area_size_; }

  uint64_t area_size_ = 0;
  uint8_t* mapping_ = nullptr;
  int memory_ = -1;
  int socket_ = -1;
  int other_socket_ = -1;
};

}  // namespace anecheck
