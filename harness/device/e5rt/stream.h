// Streams of the e5rt ABI: the operations of a stream and the requests submitted to it.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/e5rt/objects.h"

namespace anecheck::device::e5rt {

// The request of one call of submit_async. Its operations are bound as at the call.
struct Request {
  // An event and the value to wait for or to signal.
  using Moment = std::pair<std::shared_ptr<Event>, uint64_t>;
  struct Step {
    std::shared_ptr<Operation> operation;
    std::vector<Moment> waits;
    std::vector<Moment> signals;
  };
  std::vector<Step> steps;
  void* block = nullptr;  // null if there is no block
};

// The requests of a stream. The worker shares ownership of the queue, since a completion block may
// release the stream. Thread-safe.
class RequestQueue {
 public:
  void Push(Request request);
  // Push must not be called after Close.
  void Close();
  // Serves the pushed requests, in order, until the queue is closed and empty.
  void Work();
  // Returns whether the calling thread is the worker of any queue, as it is in a completion block.
  static bool IsWorker();

 private:
  bool Pop(Request& request);

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Request> requests_;
  bool closed_ = false;
};

class Stream : public Object {
 public:
  static constexpr HandleKind kKind = HandleKind::kStream;
  Stream() : Object(kKind) {}
  // Waits for the requests, except in a completion block. A block that waits for its own request,
  // or for a block that waits for it, would never end. The requests still run.
  ~Stream() override;

  void Submit(Request request);
  void Encode(std::shared_ptr<Operation> operation);
  // Removes the operations from the stream. Submitted requests still run.
  void Reset();
  const std::vector<std::shared_ptr<Operation>>& operations() const { return operations_; }

  bool used = false;

 private:
  std::vector<std::shared_ptr<Operation>> operations_;
  std::shared_ptr<RequestQueue> queue_ = std::make_shared<RequestQueue>();
  std::mutex mutex_;  // guards worker_
  std::thread worker_;
};

// Reads the fields of the block that are read when a block is retained or released.
void TouchBlock(void* block);

// Runs operations in order until one fails. The function ignores their events.
Status RunInOrder(const std::vector<std::shared_ptr<Operation>>& operations);

}  // namespace anecheck::device::e5rt
