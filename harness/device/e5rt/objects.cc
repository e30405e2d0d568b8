#include "harness/device/e5rt/objects.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <memory>

#include "harness/device/e5rt/state.h"
#include "harness/device/ranged_program.h"

namespace anecheck::device::e5rt {
namespace {

constexpr size_t kGranule = 64;

// The maximum number of failures that an event remembers. No more are needed, because no more
// requests can be in flight.
constexpr size_t kMostFailures = kMaxInFlight;

}  // namespace

// calloc takes large blocks of zeroed memory from the system, which touches a page only at first
// use.
Buffer::Buffer(size_t bytes, uint32_t type)
    : Object(kKind),
      memory_(std::calloc(bytes / kGranule + 3, kGranule)),
      size_(bytes),
      type_(type) {
  size_t room = (size_ / kGranule + 3) * kGranule;
  void* start = memory_;
  if (start != nullptr) data_ = std::align(kGranule, size_ + kGranule, start, room);
}
Buffer::~Buffer() { std::free(memory_); }

uint64_t Event::Promise() {
  const std::lock_guard lock(mutex_);
  return ++future_;
}
uint64_t Event::future() const {
  const std::lock_guard lock(mutex_);
  return future_;
}
void Event::SetFuture(uint64_t value) {
  const std::lock_guard lock(mutex_);
  future_ = value;
}
void Event::Signal(uint64_t value, const Status& outcome) {
  {
    const std::lock_guard lock(mutex_);
    failures_.erase(value);
    if (!outcome.ok()) failures_.emplace(value, outcome.error());
    if (failures_.size() > kMostFailures) failures_.erase(failures_.begin());
    signaled_ = std::max(signaled_, value);
    future_ = std::max(future_, signaled_);
  }
  moved_.notify_all();
}
void Event::SignalFuture() {
  uint64_t value = 0;
  {
    const std::lock_guard lock(mutex_);
    value = future_ > signaled_ ? future_ : signaled_ + 1;
  }
  Signal(value);
}
Status Event::WaitFor(uint64_t value) {
  std::unique_lock lock(mutex_);
  moved_.wait(lock, [&] { return signaled_ >= value; });
  const auto failure = failures_.find(value);
  if (failure == failures_.end()) return {};
  return failure->second;
}
uint64_t Event::signaled() const {
  const std::lock_guard lock(mutex_);
  return signaled_;
}

Operation::Operation(std::shared_ptr<const Executable> executable)
    : Object(kKind),
      executable_(std::move(executable)),
      execution_(executable_),
      inputs_(executable_->inputs.size()),
      outputs_(executable_->outputs.size()),
      states_(executable_->states.size()),
      input_pointers_(inputs_.size()),
      output_pointers_(outputs_.size()) {}

Operation::~Operation() { FreeProgramSlot(); }

const std::string* Operation::FirstUnboundPort() const {
  const std::lock_guard lock(mutex_);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i] == nullptr) return &executable_->inputs[i].name;
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (outputs_[i] == nullptr) return &executable_->outputs[i].name;
  }
  return nullptr;
}

Status Operation::CheckShapes() {
  const std::lock_guard lock(mutex_);
  return ChooseShapes();
}

// Callers give the shapes only through the sizes of the bound buffers. This is assumed, because no
// source names a call that binds a live-in.
Status Operation::ChooseExtents(std::vector<int64_t>& extents) const {
  const bool any = PlantedRuntimeFault(FaultEffect::kRangeUnchecked) != nullptr;
  const bool start = executable_->faults.Find(FaultEffect::kRangeStart) != nullptr;
  for (const ShapeRange& range : executable_->ranged->ranges()) {
    const auto bytes = static_cast<int64_t>(inputs_[range.index]->size());
    const TensorType& standard = executable_->inputs[range.index].type;
    ANECHECK_ASSIGN(const int64_t extent, ExtentOfBuffer(range, standard, bytes, any));
    extents.push_back(start ? range.start : extent);
  }
  return {};
}

Status Operation::CheckBuffers(const Executable& executable) const {
  const auto check = [](const std::vector<Port>& ports, const auto& buffers) -> Status {
    for (size_t i = 0; i < ports.size(); ++i) {
      if (static_cast<int64_t>(buffers[i]->size()) >= ports[i].type.Bytes()) continue;
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("buffer of {} bytes is too small for port {} of {}",
                                   buffers[i]->size(), ports[i].name, ports[i].type.Bytes()));
    }
    return {};
  };
  ANECHECK_RETURN_IF_ERROR(check(executable.inputs, inputs_));
  return check(executable.outputs, outputs_);
}

Status Operation::ChooseShapes() {
  if (executable_->ranged == nullptr) return {};
  std::vector<int64_t> extents;
  ANECHECK_RETURN_IF_ERROR(ChooseExtents(extents));
  ANECHECK_ASSIGN(auto executable, executable_->ranged->At(extents));
  ANECHECK_RETURN_IF_ERROR(CheckBuffers(*executable));
  if (extents == extents_) return {};
  execution_ = Execution(std::move(executable));
  extents_ = std::move(extents);
  return {};
}

Status Operation::Run() {
  const std::lock_guard lock(mutex_);
  ANECHECK_RETURN_IF_ERROR(ChooseShapes());
  for (size_t i = 0; i < inputs_.size(); ++i) input_pointers_[i] = inputs_[i]->data();
  for (size_t i = 0; i < outputs_.size(); ++i) output_pointers_[i] = outputs_[i]->data();
  if (inputs_.size() > 1 && inputs_[0]->size() == inputs_[1]->size() &&
      executable_->faults.Find(FaultEffect::kPortSwap) != nullptr) {
    std::swap(input_pointers_[0], input_pointers_[1]);
  }
  if (executable_->faults.Find(FaultEffect::kAliasCopy) != nullptr) HideAliases();
  execution_.Run(input_pointers_, output_pointers_);
  CountExecution(executable_->dispatches);
  return {};
}

// Planted defect: an output that shares a buffer with an input is written to a separate buffer.
void Operation::HideAliases() {
  hidden_.resize(outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (std::ranges::find(input_pointers_, output_pointers_[i]) == input_pointers_.end()) continue;
    hidden_[i].resize(outputs_[i]->size() + kGranule);
    output_pointers_[i] = hidden_[i].data();
  }
}

const std::vector<Port>& PortReference::PortsOf(const Executable& executable, PortSide side) {
  switch (side) {
    case PortSide::kInput:
      return executable.inputs;
    case PortSide::kOutput:
      return executable.outputs;
    case PortSide::kState:
      break;
  }
  return executable.states;
}

int64_t ReleaseHandle(void** handle, HandleKind kind, const char* what) {
  if (handle == nullptr) {
    return Fail(kInvalidArgument, fmt::format("Invalid Function Argument: {} is NULL", what));
  }
  if (Handles().Remove(*handle, kind) == nullptr) {
    return Fail(kInvalidHandle, fmt::format("Invalid Function Argument: {} is not alive", what));
  }
  *handle = nullptr;
  return kOk;
}

}  // namespace anecheck::device::e5rt
