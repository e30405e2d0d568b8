// A compiled program of the simulated engine, and the state of its execution. compile.cc makes the
// program, and the e5rt layer runs it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/device/fault.h"
#include "harness/device/kernel.h"
#include "harness/device/op_builder.h"
#include "harness/device/tensor_type.h"

namespace anecheck::device {

enum class Backend : uint8_t { kAne, kBnns, kMpsGraph };
// Returns the backend's name in the analytics file: "ane", "bnns" or "mps_graph".
std::string_view BackendName(Backend backend);

struct Port {
  std::string name;
  TensorType type;
  uint32_t value = 0;
};

class RangedProgram;

// One program function, immutable once compiled.
struct Executable {
  static constexpr uint32_t kNoValue = ~uint32_t{0};

  struct Value {
    TensorType type;
    std::shared_ptr<const Constant> constant;  // null for a runtime value
    int64_t arena_offset = -1;  // offset of a result or a state in the arena; -1 for inputs
    bool state = false;
  };
  struct Node {
    std::string op;
    std::unique_ptr<const Kernel> kernel;
    std::vector<uint32_t> inputs;
    std::vector<uint32_t> outputs;
    uint32_t weight = kNoValue;  // the operand `weight`
    bool move = false;           // copies an input or a constant to an output port
    bool reflects = false;       // pads by reflection
    Pass pass = Pass::kShared;
  };

  std::string name;
  Backend backend = Backend::kAne;
  const Target* target = nullptr;
  std::vector<Value> values;
  std::vector<Node> nodes;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  // The states that an operation of this program keeps between executions, zero at first.
  std::vector<Port> states;
  // True if host and engine share the buffers of the states. They share the buffers on A13, which
  // has no resident states (specification 000, hardware task descriptor; specification 004, table
  // 26.1).
  bool shares_states = false;
  int64_t arena_bytes = 0;
  uint64_t dispatches = 1;
  ActiveFaults faults;
  bool times_out = false;             // D39: an inference exceeds its time limit
  bool misplaces_reflection = false;  // D38: one setting of the tasks is written to the wrong place
  // Makes the executables for the bound shapes if inputs of the function have ranges of shapes. In
  // that case this executable has the standard extents. Null for a function of fixed shapes.
  std::shared_ptr<const RangedProgram> ranged;
};

// The state of one operation made from an executable: intermediate tensors and working memory.
class Execution {
 public:
  explicit Execution(std::shared_ptr<const Executable> executable);

  // Runs the program once. `inputs` and `outputs` are the port buffers in port order. Each buffer
  // is at least as large as its port and has 16 more bytes behind it. Buffers may alias, because
  // the function writes the outputs after it has read everything. Calls must not overlap in time.
  void Run(std::span<const void* const> inputs, std::span<void* const> outputs);

  // Stores a state in `data` instead of in the execution's own memory.
  void PlaceState(size_t state, void* data) { pointers_[executable_->states[state].value] = data; }

  uint64_t runs() const { return runs_; }
  // Returns whether `fault`, which acts on one of every `a` programs, acts on this program. Returns
  // false if `fault` is null.
  bool IsTurnOf(const Fault* fault) const;

 private:
  void RunNode(const Executable::Node& node);
  void OverwriteOperand(const Executable::Node& node);
  void SpoilStates();
  bool Misbehave(std::span<const void* const> inputs, std::span<void* const> outputs);
  void Cache(std::span<void* const> outputs);

  std::shared_ptr<const Executable> executable_;
  std::vector<uint64_t> arena_;  // 8-byte words, so that elements of every type are aligned
  std::vector<void*> pointers_;  // the address of each value, by value index
  std::vector<const void*> call_inputs_;
  std::vector<void*> call_outputs_;
  Scratch scratch_;
  uint64_t runs_ = 0;
  uint64_t program_ = 0;                  // number of programs that the process made earlier
  std::vector<std::vector<char>> first_;  // outputs of the first execution, for the planted defect
};

}  // namespace anecheck::device
