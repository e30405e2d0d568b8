#include "harness/device/executable.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "harness/device/misbehaviour.h"
#include "harness/device/output_fault.h"

namespace anecheck::device {
namespace {

// Returns the size of the arena in words. The size is 0 for programs that time out, because they
// never finish a run.
size_t ArenaWords(const Executable& executable) {
  return executable.times_out ? 0 : static_cast<size_t>(executable.arena_bytes + 7) / 8;
}

}  // namespace

std::string_view BackendName(Backend backend) {
  switch (backend) {
    case Backend::kAne:
      return "ane";
    case Backend::kBnns:
      return "bnns";
    case Backend::kMpsGraph:
      return "mps_graph";
  }
  return "ane";
}

Execution::Execution(std::shared_ptr<const Executable> executable)
    : executable_(std::move(executable)),
      arena_(ArenaWords(*executable_)),
      pointers_(executable_->values.size(), nullptr) {
  static std::atomic<uint64_t> programs = 0;
  program_ = programs++;
  if (executable_->times_out) return;
  for (size_t i = 0; i < pointers_.size(); ++i) {
    const Executable::Value& value = executable_->values[i];
    if (value.constant != nullptr) {
      // The cast is safe, because kernels only read their inputs. Outputs share the pointer table.
      pointers_[i] = const_cast<uint8_t*>(value.constant->data.data());
    } else if (value.arena_offset >= 0) {
      pointers_[i] = reinterpret_cast<char*>(arena_.data()) + value.arena_offset;
    }
  }
}

void Execution::RunNode(const Executable::Node& node) {
  call_inputs_.clear();
  call_outputs_.clear();
  for (const uint32_t value : node.inputs) call_inputs_.push_back(pointers_[value]);
  for (const uint32_t value : node.outputs) call_outputs_.push_back(pointers_[value]);
  node.kernel->Run({call_inputs_, call_outputs_, scratch_});
  if (executable_->faults.empty()) return;
  for (const Fault& fault : executable_->faults.all()) {
    if (fault.mechanism != FaultMechanism::kOutput || !Concerns(fault, node.op)) continue;
    for (const uint32_t value : node.outputs) {
      SpoilOutput(fault, executable_->values[value].type, {runs_, program_}, pointers_[value]);
    }
  }
  if (executable_->faults.Find(FaultEffect::kNeighbour) != nullptr) OverwriteOperand(node);
}

// Planted defect: a store overwrites the operation's first operand.
void Execution::OverwriteOperand(const Executable::Node& node) {
  if (node.inputs.empty()) return;
  const Executable::Value& value = executable_->values[node.inputs[0]];
  const int64_t bytes = value.type.Bytes();
  if (value.constant != nullptr || bytes < 2) return;
  std::memset(static_cast<char*>(pointers_[node.inputs[0]]) + bytes - 2, 0x41, 2);
}

// Planted defects of the state that is kept between executions.
void Execution::SpoilStates() {
  const ActiveFaults& faults = executable_->faults;
  const bool lost = faults.Find(FaultEffect::kStateLost) != nullptr && runs_ > 0;
  const bool full = faults.Find(FaultEffect::kStateFull) != nullptr && runs_ == 0;
  if (!lost && !full) return;
  constexpr uint8_t kOne[] = {0x00, 0x3c};  // the fp16 number 1
  for (const Port& state : executable_->states) {
    auto* bytes = static_cast<uint8_t*>(pointers_[state.value]);
    for (int64_t i = 0; i < state.type.Bytes(); ++i) bytes[i] = full ? kOne[i % 2] : uint8_t{0};
  }
}

bool Execution::IsTurnOf(const Fault* fault) const {
  return fault != nullptr &&
         program_ % static_cast<uint64_t>(fault->a) + 1 == static_cast<uint64_t>(fault->a);
}

// Planted defect: every execution returns the outputs of the first execution.
void Execution::Cache(std::span<void* const> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    auto* bytes = static_cast<char*>(outputs[i]);
    const int64_t size = executable_->outputs[i].type.Bytes();
    if (runs_ == 1) {
      first_.emplace_back(bytes, bytes + size);
    } else {
      std::ranges::copy(first_[i], bytes);
    }
  }
}

// Applies the planted defects of the whole execution. Returns false if the outputs must stay
// unwritten.
bool Execution::Misbehave(std::span<const void* const> inputs, std::span<void* const> outputs) {
  const ActiveFaults& faults = executable_->faults;
  if (faults.Find(FaultEffect::kRunCrash) != nullptr) CrashOnPurpose();
  if (IsTurnOf(faults.Find(FaultEffect::kRareCrash))) CrashOnPurpose();
  if (faults.Find(FaultEffect::kRunAbort) != nullptr) std::abort();
  if (faults.Find(FaultEffect::kRunExit) != nullptr) std::_Exit(0);
  if (faults.Find(FaultEffect::kRunHang) != nullptr) HangOnPurpose();
  if (faults.Find(FaultEffect::kRunPrints) != nullptr) PrintGarbageOnPurpose();
  if (const Fault* slow = faults.Find(FaultEffect::kRunSlow)) SleepOnPurpose(slow->a);
  if (const Fault* leak = faults.Find(FaultEffect::kRunLeak)) {
    LeakOnPurpose(static_cast<size_t>(leak->a) << 10);
  }
  if (const Fault* overrun = faults.Find(FaultEffect::kOverrun)) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const int64_t bytes = executable_->outputs[i].type.Bytes();
      std::memset(static_cast<char*>(outputs[i]) + bytes, 0x41, static_cast<size_t>(overrun->a));
    }
  }
  if (faults.Find(FaultEffect::kInputChanged) != nullptr) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const int64_t bytes = executable_->inputs[i].type.Bytes();
      if (bytes > 0) static_cast<uint8_t*>(const_cast<void*>(inputs[i]))[bytes - 1] ^= 1;
    }
  }
  if (faults.Find(FaultEffect::kUninitialised) != nullptr) return false;
  return faults.Find(FaultEffect::kStaleEverySecondRun) == nullptr || runs_ % 2 == 0;
}

void Execution::Run(std::span<const void* const> inputs, std::span<void* const> outputs) {
  for (size_t i = 0; i < executable_->inputs.size(); ++i) {
    pointers_[executable_->inputs[i].value] = const_cast<void*>(inputs[i]);
  }
  if (!executable_->faults.empty()) SpoilStates();
  for (const Executable::Node& node : executable_->nodes) RunNode(node);
  const bool store = executable_->faults.empty() || Misbehave(inputs, outputs);
  ++runs_;
  if (!store) return;
  for (size_t i = 0; i < executable_->outputs.size(); ++i) {
    const Port& port = executable_->outputs[i];
    std::memmove(outputs[i], pointers_[port.value], static_cast<size_t>(port.type.Bytes()));
  }
  if (executable_->faults.Find(FaultEffect::kCached) != nullptr) Cache(outputs);
}

}  // namespace anecheck::device
