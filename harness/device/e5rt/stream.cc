#include "harness/device/e5rt/stream.h"

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>

#include "harness/device/e5rt/state.h"

namespace anecheck::device::e5rt {
namespace {

// The part of an Objective-C block on which callers rely. The function to call is at offset 16.
struct Block {
  void* isa;
  int32_t flags;
  int32_t reserved;
  int64_t (*invoke)(void* block);
};
static_assert(offsetof(Block, invoke) == 16);

thread_local bool is_worker = false;

Error TimedOut() {
  return MakeError(ErrorCode::kInternal,
                   "ANEProgramProcessRequestDirect() Failed with status=0xf : statusType=0x11: "
                   "Program Inference timeout: timed out");
}

Status RunOperation(Operation& operation) {
  if (operation.executable().times_out) return TimedOut();
  Status ran = operation.Run();
  if (ran.ok() && PlantedRuntimeFault(FaultEffect::kDoubleRun) != nullptr) ran = operation.Run();
  if (!ran.ok()) return MakeError(ran.error().code, ran.error().message + " @ Execute");
  const ActiveFaults& faults = operation.executable().faults;
  if (operation.IsTurnOf(faults.Find(FaultEffect::kRareError))) return TimedOut();
  const Fault* fails = faults.Find(FaultEffect::kRunError);
  if (fails == nullptr || operation.runs() % static_cast<uint64_t>(fails->a) != 0) return {};
  return TimedOut();
}

// Waits for all events. If an event failed, the function returns the error of that event.
Status WaitFor(const std::vector<Request::Moment>& moments) {
  for (const auto& [event, value] : moments) {
    ANECHECK_RETURN_IF_ERROR(event->WaitFor(value));
  }
  return {};
}

void Signal(const std::vector<Request::Moment>& moments, const Status& outcome) {
  for (const auto& [event, value] : moments) event->Signal(value, outcome);
}

// Runs the steps until one fails. If `outcome`, the outcome of earlier work, is an Error, no step
// runs. The steps behind a failed step do not run. They fail with the same error, but signal their
// events, so that no waiter hangs.
Status RunSteps(const std::vector<Request::Step>& steps, Status outcome) {
  const bool early = PlantedRuntimeFault(FaultEffect::kAsyncEarlySignal) != nullptr;
  const bool silent = PlantedRuntimeFault(FaultEffect::kAsyncNoSignal) != nullptr;
  for (const Request::Step& step : steps) {
    if (outcome.ok()) outcome = WaitFor(step.waits);
    if (early) Signal(step.signals, {});
    if (outcome.ok()) outcome = RunOperation(*step.operation);
    if (!silent) Signal(step.signals, outcome);
  }
  return outcome;
}

// Calls the block and returns its error code as a Status.
Status Call(void* completion) {
  if (completion == nullptr) return {};
  if (PlantedRuntimeFault(FaultEffect::kBlockNotCalled) != nullptr) return {};
  const bool twice = PlantedRuntimeFault(FaultEffect::kBlockTwice) != nullptr;
  auto* block = static_cast<Block*>(completion);
  int64_t code = block->invoke(block);
  if (twice) code = block->invoke(block);
  if (code == 0) return {};
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("the block returned the error code {} @ SubmitAsync", code));
}

// Serves the request, which is done when this function returns.
void Serve(Request& request) {
  const bool at_completion = Reads(Reading::kBlockAtCompletion);
  const Status ran = RunSteps(request.steps, at_completion ? Status() : Call(request.block));
  if (!ran.ok()) Fail(kExecutionFailed, ran.error().message);
  // The block may release programs and count the live ones. The request therefore drops its
  // programs first.
  request.steps.clear();
  if (!at_completion) {
    if (request.block != nullptr) TouchBlock(request.block);
    FreeRequest();
    return;
  }
  FreeRequest();
  static_cast<void>(Call(request.block));
  if (request.block != nullptr) TouchBlock(request.block);
}

}  // namespace

void TouchBlock(void* block) {
  const volatile auto* header = static_cast<Block*>(block);
  static_cast<void>(header->isa);
  static_cast<void>(header->flags);
}

void RequestQueue::Push(Request request) {
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
  }
  arrived_.notify_one();
}

void RequestQueue::Close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  arrived_.notify_all();
}

bool RequestQueue::Pop(Request& request) {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [&] { return closed_ || !requests_.empty(); });
  if (requests_.empty()) return false;
  request = std::move(requests_.front());
  requests_.pop_front();
  return true;
}

void RequestQueue::Work() {
  is_worker = true;
  for (Request request; Pop(request);) {
    WaitWhileQueueHeld();
    // A block sees only the message of its own request, or no message if the request succeeded.
    ClearLastError();
    Serve(request);
  }
}

bool RequestQueue::IsWorker() { return is_worker; }

Stream::~Stream() {
  Reset();
  queue_->Close();
  if (!worker_.joinable()) return;
  if (RequestQueue::IsWorker()) {
    worker_.detach();
  } else {
    worker_.join();
  }
}

void Stream::Encode(std::shared_ptr<Operation> operation) {
  operation->encoded = true;
  operation->was_encoded = true;
  operation->in_stream = true;
  operations_.push_back(std::move(operation));
}

void Stream::Reset() {
  for (const auto& operation : operations_) operation->in_stream = false;
  operations_.clear();
}

void Stream::Submit(Request request) {
  queue_->Push(std::move(request));
  const std::lock_guard lock(mutex_);
  if (!worker_.joinable()) worker_ = std::thread([queue = queue_] { queue->Work(); });
}

Status RunInOrder(const std::vector<std::shared_ptr<Operation>>& operations) {
  const bool reverse = PlantedRuntimeFault(FaultEffect::kReverseOrder) != nullptr;
  size_t count = operations.size();
  if (count > 1 && PlantedRuntimeFault(FaultEffect::kSkipLastOp) != nullptr) --count;
  for (size_t i = 0; i < count; ++i) {
    ANECHECK_RETURN_IF_ERROR(RunOperation(*operations[reverse ? count - 1 - i : i]));
  }
  return {};
}

}  // namespace anecheck::device::e5rt
