// Streams of the e5rt ABI: the operations that one holds, and the requests that it was given.
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

// The request of one call of submit_async, with its operations as they were bound then.
struct Request {
  // An event, and the value of it that is waited for or signalled.
  using Moment = std::pair<std::shared_ptr<Event>, uint64_t>;
  struct Step {
    std::shared_ptr<Operation> operation;
    std::vector<Moment> waits;
    std::vector<Moment> signals;
  };
  std::vector<Step> steps;
  void* block = nullptr;  // null for none
};

// The requests of a stream. Its worker keeps it alive beside the stream, which a completion block
// may release. Thread-safe.
class RequestQueue {
 public:
  void Push(Request request);
  // Nothing is pushed after it.
  void Close();
  // Does the pushed work, in order, until the queue is closed and empty.
  void Work();
  // Whether the caller is the worker of any queue: within a completion block.
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
  // Waits for the requests, except in a completion block: one that waited for itself, or for a
  // block that waits for it, would never end. The requests are still done.
  ~Stream() override;

  void Submit(Request request);
  void Encode(std::shared_ptr<Operation> operation);
  // Lets its operations go. Submitted work is still done.
  void Reset();
  const std::vector<std::shared_ptr<Operation>>& operations() const { return operations_; }

  bool used = false;

 private:
  std::vector<std::shared_ptr<Operation>> operations_;
  std::shared_ptr<RequestQueue> queue_ = std::make_shared<RequestQueue>();
  std::mutex mutex_;  // guards worker_
  std::thread worker_;
};

// The parts of it that retaining and releasing a block read.
void TouchBlock(void* block);

// Runs operations in order, whatever events say, until one fails.
Status RunInOrder(const std::vector<std::shared_ptr<Operation>>& operations);

}  // namespace anecheck::device::e5rt
