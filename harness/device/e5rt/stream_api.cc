// Stream and event calls of the e5rt ABI.
#include <fmt/format.h>
#include <utility>

#include "harness/device/e5rt/api.h"
#include "harness/device/e5rt/objects.h"
#include "harness/device/e5rt/state.h"
#include "harness/device/e5rt/stream.h"

namespace anecheck::device::e5rt {
namespace {

// Returns the stream of a handle. If it cannot run, the result is null and `code` is the error.
std::shared_ptr<Stream> RunnableStream(void* handle, int64_t& code) {
  auto stream = Acquire<Stream>(handle);
  code = kOk;
  if (stream == nullptr) {
    code = Fail(kInvalidHandle, "Invalid Function Argument: stream @ Execute");
    return nullptr;
  }
  if (stream->operations().empty()) {
    code = Fail(kInvalidState, "no operation is encoded @ Execute");
    return nullptr;
  }
  for (const auto& operation : stream->operations()) {
    const Status shapes = operation->CheckShapes();
    if (!shapes.ok()) {
      code = Fail(kInvalidArgument, shapes.error().message + " @ Execute");
      return nullptr;
    }
  }
  return stream;
}

// Determines the event values for which the operation waits and those that it signals.
Request::Step StepOf(const std::shared_ptr<Operation>& operation) {
  Request::Step step;
  step.operation = operation;
  step.waits.reserve(operation->dependents.size());
  for (const auto& event : operation->dependents) step.waits.emplace_back(event, event->future());
  step.signals.reserve(operation->completions.size());
  for (const auto& event : operation->completions) {
    step.signals.emplace_back(event, event->Promise());
  }
  return step;
}

int64_t Submit(void* handle, void* block) {
  CrashIfForked();
  int64_t code = kOk;
  const auto stream = RunnableStream(handle, code);
  if (stream == nullptr) return code;
  if (!TakeRequest()) {
    return Fail(kNoResources, fmt::format("{} requests are in flight @ SubmitAsync", kMaxInFlight));
  }
  stream->used = true;
  Request request;
  request.block = block;
  request.steps.reserve(stream->operations().size());
  for (const auto& operation : stream->operations()) request.steps.push_back(StepOf(operation));
  stream->Submit(std::move(request));
  return kOk;
}

template <typename Use>
int64_t WithEvent(void* handle, const char* what, Use&& use) {
  const auto event = Acquire<Event>(handle);
  if (event == nullptr) {
    return Fail(kInvalidHandle, fmt::format("Invalid Function Argument: event @ {}", what));
  }
  use(*event);
  return kOk;
}

}  // namespace
}  // namespace anecheck::device::e5rt

using namespace anecheck;                // NOLINT: the ABI stands outside of namespaces
using namespace anecheck::device;        // NOLINT
using namespace anecheck::device::e5rt;  // NOLINT

int64_t e5rt_execution_stream_create(void** out) {
  if (out == nullptr) return Fail(kInvalidArgument, "Invalid Function Argument: out is NULL");
  return GiveHandle(std::make_shared<Stream>(), out);
}

int64_t e5rt_execution_stream_release(void** stream) {
  return ReleaseHandle(stream, HandleKind::kStream, "stream");
}

int64_t e5rt_execution_stream_reset(void* stream) {
  const auto object = Acquire<Stream>(stream);
  if (object == nullptr) {
    return Fail(kInvalidHandle, "Invalid Function Argument: stream @ Reset");
  }
  if (!object->used && PlantedRuntimeFault(FaultEffect::kResetFresh) == nullptr) {
    return Fail(kInvalidState, "the stream was never used @ Reset");
  }
  object->Reset();
  return kOk;
}

int64_t e5rt_execution_stream_encode_operation(void* stream, void* operation) {
  const auto object = Acquire<Stream>(stream);
  auto encoded = Acquire<Operation>(operation);
  if (object == nullptr || encoded == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: operation @ EncodeOperation");
  }
  if (encoded->encoded) {
    return Fail(kInvalidState, "the operation is already encoded @ EncodeOperation");
  }
  if (const std::string* port = encoded->FirstUnboundPort()) {
    return Fail(kInvalidState, fmt::format("port {} has no buffer bound @ EncodeOperation", *port));
  }
  object->Encode(std::move(encoded));
  return kOk;
}

int64_t e5rt_execution_stream_execute_sync(void* stream) {
  CrashIfForked();
  int64_t code = kOk;
  const auto object = RunnableStream(stream, code);
  if (object == nullptr) return code;
  object->used = true;
  const Status ran = RunInOrder(object->operations());
  if (!ran.ok()) return Fail(kExecutionFailed, ran.error().message);
  if (!RuntimeQuirkOn("D37") || PlantedRuntimeFault(FaultEffect::kSyncSignals) != nullptr) {
    for (const auto& operation : object->operations()) {
      for (const auto& event : operation->completions) event->Signal(event->Promise());
    }
  }
  return kOk;
}

int64_t e5rt_execution_stream_submit_async(void* stream, void* block) {
  // The real system retains the block without a check of the pointer, so it reads the block.
  TouchBlock(block);
  return Submit(stream, block);
}

int64_t e5rt_execution_stream_async_submit(void* stream) { return Submit(stream, nullptr); }

int64_t e5rt_execution_stream_set_quality_of_service(void* stream, uint64_t) {
  if (Acquire<Stream>(stream) != nullptr) return kOk;
  return Fail(kInvalidHandle, "Invalid Function Argument: stream @ SetQualityOfService");
}

int64_t e5rt_execution_stream_set_ane_execution_priority(void* stream, uint64_t) {
  if (Acquire<Stream>(stream) != nullptr) return kOk;
  return Fail(kInvalidHandle, "Invalid Function Argument: stream @ SetANEExecutionPriority");
}

int64_t e5rt_async_event_create(void** out, const char* name, uint32_t initial) {
  if (name == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: eventName is NULL");
  }
  if (out == nullptr) return Fail(kInvalidArgument, "Invalid Function Argument: out is NULL");
  return GiveHandle(std::make_shared<Event>(initial), out);
}

int64_t e5rt_async_event_release(void** event) {
  return ReleaseHandle(event, HandleKind::kEvent, "event");
}

int64_t e5rt_async_event_sync_wait(void* event) {
  Status waited;
  const int64_t code =
      WithEvent(event, "SyncWait", [&](Event& object) { waited = object.WaitForFuture(); });
  return waited.ok() ? code : Fail(kExecutionFailed, waited.error().message);
}

int64_t e5rt_async_event_get_last_signaled_value(void* event, uint64_t* out) {
  if (out == nullptr) return Fail(kInvalidArgument, "Invalid Function Argument: out is NULL");
  return WithEvent(event, "GetLastSignaledValue",
                   [out](Event& object) { *out = object.signaled(); });
}

int64_t e5rt_async_event_signal(void* event) {
  return WithEvent(event, "Signal", [](Event& object) { object.SignalFuture(); });
}

int64_t e5rt_async_event_set_active_future_value(void* event, uint64_t value) {
  return WithEvent(event, "SetActiveFutureValue",
                   [value](Event& object) { object.SetFuture(value); });
}
