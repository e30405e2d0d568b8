// The objects that the handles of the e5rt ABI name.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/e5rt/handles.h"
#include "harness/device/executable.h"

namespace anecheck::device::e5rt {

struct CompilerConfig : Object {
  static constexpr HandleKind kKind = HandleKind::kCompilerConfig;
  CompilerConfig() : Object(kKind) {}
  std::string bundle_location;
};

struct Compiler : Object {
  static constexpr HandleKind kKind = HandleKind::kCompiler;
  Compiler() : Object(kKind) {}
  std::string bundle_location;
};

struct CompilerOptions : Object {
  static constexpr HandleKind kKind = HandleKind::kCompilerOptions;
  CompilerOptions() : Object(kKind) {}
  uint64_t device_mask = 7;
  bool force_bnns = false;
  std::string architecture;
};

struct Library : Object {
  static constexpr HandleKind kKind = HandleKind::kLibrary;
  Library() : Object(kKind) {}
  std::vector<std::shared_ptr<const Executable>> functions;
};

struct Function : Object {
  static constexpr HandleKind kKind = HandleKind::kFunction;
  explicit Function(std::shared_ptr<const Executable> program)
      : Object(kKind), executable(std::move(program)) {}
  std::shared_ptr<const Executable> executable;
};

struct OperationOptions : Object {
  static constexpr HandleKind kKind = HandleKind::kOperationOptions;
  explicit OperationOptions(std::shared_ptr<const Executable> program)
      : Object(kKind), executable(std::move(program)) {}
  std::shared_ptr<const Executable> executable;
};

// Zeroed host memory, aligned to 64 bytes, with at least 64 more bytes behind it.
class Buffer : public Object {
 public:
  static constexpr HandleKind kKind = HandleKind::kBuffer;
  Buffer(size_t bytes, uint32_t type);
  ~Buffer() override;
  void* data() const { return data_; }
  size_t size() const { return size_; }
  uint32_t type() const { return type_; }

 private:
  void* memory_;
  void* data_ = nullptr;  // the aligned start of the buffer in `memory_`
  size_t size_;
  uint32_t type_;
};

// A counter that requests of submit_async advance. Thread-safe.
class Event : public Object {
 public:
  static constexpr HandleKind kKind = HandleKind::kEvent;
  explicit Event(uint64_t initial) : Object(kKind), signaled_(initial), future_(initial) {}

  // Returns the value that the next completion will signal.
  uint64_t Promise();
  uint64_t future() const;
  void SetFuture(uint64_t value);
  // `outcome` is the result of the work that moves the event to `value` when it ends.
  void Signal(uint64_t value, const Status& outcome = {});
  void SignalFuture();
  // Waits until the value is reached and returns the outcome of that value.
  Status WaitFor(uint64_t value);
  Status WaitForFuture() { return WaitFor(future()); }
  uint64_t signaled() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable moved_;
  uint64_t signaled_;
  uint64_t future_;
  std::map<uint64_t, Error>
      failures_;  // by event value; only the failures with the greatest values
};

// A loaded program with its bindings. It occupies one program slot.
class Operation : public Object {
 public:
  static constexpr HandleKind kKind = HandleKind::kOperation;
  explicit Operation(std::shared_ptr<const Executable> executable);
  ~Operation() override;

  const Executable& executable() const { return *executable_; }

  // Returns the name of the first port without a buffer, or null if all ports are bound.
  const std::string* FirstUnboundPort() const;
  // Checks that the program is legal at the shapes of the bound buffers, and that the buffers are
  // large enough. Precondition: all ports are bound.
  Status CheckShapes();
  // Runs the program on the bound buffers, at their shapes. Returns the Error of CheckShapes if
  // that check fails. Precondition: all ports are bound.
  Status Run();

  void BindInput(size_t port, std::shared_ptr<Buffer> buffer) {
    const std::lock_guard lock(mutex_);
    inputs_[port] = std::move(buffer);
  }
  void BindOutput(size_t port, std::shared_ptr<Buffer> buffer) {
    const std::lock_guard lock(mutex_);
    outputs_[port] = std::move(buffer);
  }
  // From this call on, the buffer stores the state. Its content becomes the state's value.
  void BindState(size_t state, std::shared_ptr<Buffer> buffer) {
    const std::lock_guard lock(mutex_);
    execution_.PlaceState(state, buffer->data());
    states_[state] = std::move(buffer);
  }

  uint64_t runs() const { return execution_.runs(); }
  bool IsTurnOf(const Fault* fault) const { return execution_.IsTurnOf(fault); }

  // No lock protects the next five members. Callers must order their calls, as on the real system.
  bool encoded = false;  // encoded and not prepared afterwards, so the bindings cannot change
  bool was_encoded = false;
  bool in_stream = false;  // encoded in a stream that was not reset or released afterwards
  std::vector<std::shared_ptr<Event>> completions;
  std::vector<std::shared_ptr<Event>> dependents;

 private:
  std::shared_ptr<const Executable> executable_;
  mutable std::mutex mutex_;
  Execution execution_;
  std::vector<std::shared_ptr<Buffer>> inputs_;
  std::vector<std::shared_ptr<Buffer>> outputs_;
  std::vector<std::shared_ptr<Buffer>> states_;
  std::vector<const void*> input_pointers_;
  std::vector<void*> output_pointers_;

  Status ChooseShapes();
  Status ChooseExtents(std::vector<int64_t>& extents) const;
  Status CheckBuffers(const Executable& executable) const;
  // The extents chosen for the program's ranges of shapes. Empty before they are chosen, and for a
  // program without ranges.
  std::vector<int64_t> extents_;

  void HideAliases();
  std::vector<std::vector<uint8_t>> hidden_;
};

enum class PortSide : uint8_t { kInput, kOutput, kState };

// A retained port keeps its operation alive.
struct PortReference : Object {
  static constexpr HandleKind kKind = HandleKind::kPort;
  PortReference(std::shared_ptr<Operation> owner, PortSide which, size_t at)
      : Object(kKind), operation(std::move(owner)), side(which), index(at) {}
  const Port& port() const { return PortsOf(operation->executable(), side)[index]; }
  static const std::vector<Port>& PortsOf(const Executable& executable, PortSide side);

  std::shared_ptr<Operation> operation;
  PortSide side;
  size_t index;
};

// Writes a new handle for `object` to `out`.
inline int64_t GiveHandle(std::shared_ptr<Object> object, void** out) {
  *out = Handles().Insert(std::move(object));
  return 0;
}

// Does the work of all release calls. It also clears the caller's pointer.
int64_t ReleaseHandle(void** handle, HandleKind kind, const char* what);

}  // namespace anecheck::device::e5rt
