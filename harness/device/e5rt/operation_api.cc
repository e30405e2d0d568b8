// Operation, port and buffer calls of the e5rt ABI.
#include <algorithm>
#include <fmt/format.h>
#include <string_view>

#include "harness/device/e5rt/api.h"
#include "harness/device/e5rt/objects.h"
#include "harness/device/e5rt/state.h"
#include "harness/device/ranged_program.h"

namespace anecheck::device::e5rt {
namespace {

constexpr size_t kMaxBuffer = size_t{1} << 34;
constexpr uint32_t kBufferTypes = 3;  // 0, 1 and 2 are valid

int64_t RetainPort(void* handle, const char* name, bool output, void** out) {
  const auto operation = Acquire<Operation>(handle);
  if (operation == nullptr || name == nullptr || out == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: operation @ RetainPort");
  }
  const Executable& executable = operation->executable();
  const bool any = PlantedRuntimeFault(FaultEffect::kPortAnyName) != nullptr;
  for (const PortSide side : {output ? PortSide::kOutput : PortSide::kInput, PortSide::kState}) {
    if (side == PortSide::kState && !executable.shares_states) continue;
    const auto& ports = PortReference::PortsOf(executable, side);
    for (size_t i = 0; i < ports.size(); ++i) {
      if (ports[i].name != name && !any) continue;
      return GiveHandle(std::make_shared<PortReference>(operation, side, i), out);
    }
  }
  return Fail(kNotFound, fmt::format("{} port {} not found", output ? "Output" : "Input", name));
}

// Adds an event unless it is already bound.
void AddEvent(std::shared_ptr<Event> event, std::vector<std::shared_ptr<Event>>& events) {
  if (std::ranges::find(events, event) == events.end()) events.push_back(std::move(event));
}

// Refuses to bind, because an encoded operation keeps its bindings until it is prepared again.
int64_t RefuseBinding(std::string_view call) {
  return Fail(kInvalidState,
              fmt::format("the operation is encoded: its bindings cannot change @ {}", call));
}

// Checks a buffer for the errors that are detectable when it is bound. In a program with ranges of
// shapes, the size of an input's buffer determines the input's extent. The sizes of the other ports
// are known only when all inputs are bound.
Status CheckBinding(const PortReference& reference, int64_t bytes) {
  const Executable& executable = reference.operation->executable();
  const Port& port = reference.port();
  if (executable.ranged != nullptr) {
    const ShapeRange* range =
        reference.side == PortSide::kInput ? executable.ranged->RangeOf(reference.index) : nullptr;
    if (range == nullptr) return {};
    const bool any = PlantedRuntimeFault(FaultEffect::kRangeUnchecked) != nullptr;
    const auto extent = ExtentOfBuffer(*range, port.type, bytes, any);
    return extent.ok() ? Status() : Status(extent.error());
  }
  if (bytes >= port.type.Bytes()) return {};
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("buffer of {} bytes is too small for port {} of {}", bytes,
                               port.name, port.type.Bytes()));
}

}  // namespace
}  // namespace anecheck::device::e5rt

using namespace anecheck;                // NOLINT: the ABI stands outside of namespaces
using namespace anecheck::device;        // NOLINT
using namespace anecheck::device::e5rt;  // NOLINT

int64_t e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options(
    void** out, void* op_options) {
  CrashIfForked();
  const auto options = Acquire<OperationOptions>(op_options);
  if (options == nullptr || out == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: op options @ CreateOperation");
  }
  if (!TakeProgramSlot()) {
    return Fail(kLoadFailed,
                fmt::format("ANE model load has failed: {} programs are loaded in this process",
                            kMaxLoadedPrograms));
  }
  return GiveHandle(std::make_shared<Operation>(options->executable), out);
}

int64_t e5rt_execution_stream_operation_release(void** operation) {
  return ReleaseHandle(operation, HandleKind::kOperation, "operation");
}

int64_t e5rt_execution_stream_operation_retain_input_port(void* operation, const char* name,
                                                          void** out) {
  return RetainPort(operation, name, false, out);
}

int64_t e5rt_execution_stream_operation_retain_output_port(void* operation, const char* name,
                                                           void** out) {
  return RetainPort(operation, name, true, out);
}

int64_t e5rt_execution_stream_operation_prepare_op_for_encode(void* operation) {
  const auto object = Acquire<Operation>(operation);
  if (object == nullptr) {
    return Fail(kInvalidHandle, "Invalid Function Argument: operation @ PrepareOpForEncode");
  }
  if (!object->was_encoded && PlantedRuntimeFault(FaultEffect::kPrepareFresh) == nullptr) {
    return Fail(kInvalidState, "operation was never encoded @ PrepareOpForEncode");
  }
  if (object->in_stream) {
    return Fail(kInvalidState,
                "the operation is in use: its stream must be reset first @ PrepareOpForEncode");
  }
  object->encoded = false;
  return kOk;
}

int64_t e5rt_execution_stream_operation_bind_completion_event(void* operation, void* event) {
  const auto object = Acquire<Operation>(operation);
  auto completion = Acquire<Event>(event);
  if (object == nullptr || completion == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: event @ BindCompletionEvent");
  }
  if (object->encoded) return RefuseBinding("BindCompletionEvent");
  AddEvent(std::move(completion), object->completions);
  return kOk;
}

int64_t e5rt_execution_stream_operation_bind_dependent_events(void* operation, void** events,
                                                              uint64_t count) {
  const auto object = Acquire<Operation>(operation);
  if (object == nullptr || (events == nullptr && count > 0)) {
    return Fail(kInvalidArgument, "Invalid Function Argument: events @ BindDependentEvents");
  }
  if (object->encoded) return RefuseBinding("BindDependentEvents");
  std::vector<std::shared_ptr<Event>> dependents = object->dependents;
  for (uint64_t i = 0; i < count; ++i) {
    auto event = Acquire<Event>(events[i]);
    if (event == nullptr) {
      return Fail(kInvalidHandle,
                  fmt::format("Invalid Function Argument: event {} @ BindDependentEvents", i));
    }
    AddEvent(std::move(event), dependents);
  }
  object->dependents = std::move(dependents);
  return kOk;
}

int64_t e5rt_io_port_bind_buffer_object(void* port, void* buffer) {
  const auto reference = Acquire<PortReference>(port);
  auto object = Acquire<Buffer>(buffer);
  if (reference == nullptr || object == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: port or buffer @ BindBufferObject");
  }
  if (reference->operation->encoded) return RefuseBinding("BindBufferObject");
  const Status fits = CheckBinding(*reference, static_cast<int64_t>(object->size()));
  if (!fits.ok()) return Fail(kInvalidArgument, fits.error().message + " @ BindBufferObject");
  switch (reference->side) {
    case PortSide::kInput:
      reference->operation->BindInput(reference->index, std::move(object));
      break;
    case PortSide::kOutput:
      reference->operation->BindOutput(reference->index, std::move(object));
      break;
    case PortSide::kState:
      reference->operation->BindState(reference->index, std::move(object));
      break;
  }
  return kOk;
}

int64_t e5rt_io_port_release(void** port) { return ReleaseHandle(port, HandleKind::kPort, "port"); }

int64_t e5rt_buffer_object_alloc(void** out, size_t bytes, uint32_t type) {
  if (out == nullptr) return Fail(kInvalidArgument, "Invalid Function Argument: out is NULL");
  if (type >= kBufferTypes && PlantedRuntimeFault(FaultEffect::kBufferTypes) == nullptr) {
    return Fail(kInvalidArgument, "Invalid BufferType @ AllocMemory");
  }
  if (bytes > kMaxBuffer) return Fail(kNoResources, "buffer is too large @ AllocMemory");
  if (const Fault* fault = PlantedRuntimeFault(FaultEffect::kBufferShort)) {
    bytes -= std::min(bytes, static_cast<size_t>(fault->a));
  }
  auto buffer = std::make_shared<Buffer>(bytes, type);
  if (buffer->data() == nullptr) return Fail(kNoResources, "out of memory @ AllocMemory");
  return GiveHandle(std::move(buffer), out);
}

int64_t e5rt_buffer_object_get_data_ptr(void* buffer, void** out) {
  const auto object = Acquire<Buffer>(buffer);
  if (object == nullptr || out == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: buffer @ GetDataPtr");
  }
  *out = object->data();
  return kOk;
}

int64_t e5rt_buffer_object_get_size(void* buffer, size_t* out) {
  const auto object = Acquire<Buffer>(buffer);
  if (object == nullptr || out == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: buffer @ GetSize");
  }
  *out = object->size();
  return kOk;
}

int64_t e5rt_buffer_object_release(void** buffer) {
  return ReleaseHandle(buffer, HandleKind::kBuffer, "buffer");
}
