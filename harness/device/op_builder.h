// Reads one MIL statement for the operation table. The builder finds arguments by name, resolves
// constants and keeps the first error. The files of ops/ use it, and compile.cc drives it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/device/fault.h"
#include "harness/device/kernel.h"
#include "harness/device/numeric_model.h"
#include "harness/device/quirk.h"
#include "harness/device/target.h"
#include "harness/device/tensor_type.h"

namespace anecheck::device {

// The stage of the compile step that refuses a program. An error's message ends in " @ " and the
// name of the stage.
enum class Stage : uint8_t { kParser, kFrontend, kFloor, kHal, kValidator, kCodegen, kLoad };
std::string_view StageName(Stage stage);

// The way in which an operation takes part in dispatches (dispatch.h).
enum class Pass : uint8_t {
  kShared,  // shares a dispatch with other passes
  kCut,     // has a dispatch to itself
  kFolded,  // folded into the descriptor of another pass
};

// The inputs of a compilation besides the program.
struct CompileSettings {
  const Target* target = nullptr;
  QuirkSwitches quirks;
  NumericModel model;  // resolved from target and quirks; the conforming model on the CPU
  ActiveFaults faults;
  uint64_t device_mask = 4;  // 1 CPU, 2 GPU, 4 the engine
  bool on_cpu = false;       // compile for another backend: no limits and no quirks of the engine
  bool direct = false;       // the program came as a network description
  bool newest_compiler = false;  // refuse as the measured compilers of 2026 do
                                 // (measured_limits.h)
  std::string model_folder;      // the value of "@model_path"

  bool QuirkOn(std::string_view id) const { return quirks.IsOn(id, target->family); }
};

// A string, or a constant whose elements have their native width. A bool has one byte, and packed
// types have one byte per element.
struct Constant {
  TensorType type;
  std::vector<uint8_t> data;
  std::string text;
};

// The operation that produces a value. It has a name and the first value that it reads. Empty for
// inputs and constants.
struct Origin {
  std::string_view op;
  uint32_t first_input = ~uint32_t{0};
};

// A value that an operation reads.
struct Operand {
  TensorType type;
  uint32_t value = ~uint32_t{0};       // index in the program's value table
  const Constant* constant = nullptr;  // null for a value known only at run time
  Origin origin = {};
  bool state = false;  // the operand is a state
};

// A short list of integers without heap allocation, for attributes.
class IntList {
 public:
  static constexpr size_t kCapacity = 32;
  IntList() = default;
  IntList(std::initializer_list<int64_t> values) {
    for (const int64_t value : values) Append(value);
  }
  bool Append(int64_t value) {
    if (size_ == kCapacity) return false;
    values_[size_++] = value;
    return true;
  }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t operator[](size_t index) const { return values_[index]; }
  int64_t& operator[](size_t index) { return values_[index]; }
  const int64_t* begin() const { return values_.data(); }
  const int64_t* end() const { return values_.data() + size_; }

 private:
  std::array<int64_t, kCapacity> values_{};
  size_t size_ = 0;
};

// The source of a statement's arguments for the builder. The compile step implements it. `hint` is
// the element type that an untyped literal takes.
class ArgumentSource {
 public:
  virtual ~ArgumentSource() = default;
  virtual bool Has(std::string_view name) const = 0;
  // Returns the operand of a present argument. Returns an Error if a name is not defined, a literal
  // is malformed, or the argument is a tuple of several values.
  virtual Result<Operand> Single(std::string_view name, Element hint) = 0;
  // Returns the operands of a tuple, or the operand of an argument that is no tuple.
  virtual Result<std::vector<Operand>> Several(std::string_view name, Element hint) = 0;
};

// Reads arguments and collects the statement's operations. It keeps the first error. After an error
// every getter returns an empty value, and the caller must check ok() before it trusts extents.
class OpBuilder {
 public:
  OpBuilder(std::string_view op, const CompileSettings& settings, ArgumentSource& source)
      : op_(op), settings_(settings), source_(source) {
    model_ = settings.model;
    if (!settings.on_cpu) settings.faults.Plant(op, model_);
  }

  std::string_view op() const { return op_; }
  const Target& target() const { return *settings_.target; }
  const CompileSettings& settings() const { return settings_; }
  const NumericModel& model() const { return model_; }
  bool QuirkOn(std::string_view id) const { return !settings_.on_cpu && settings_.QuirkOn(id); }

  bool ok() const { return message_.empty(); }
  const std::string& message() const { return message_; }
  Stage stage() const { return stage_; }
  // Refuses the statement. If several calls refuse it, only the first refusal is kept.
  void Reject(Stage stage, std::string message);
  // Refuses the statement because of a limit of the engine. The CPU backend does not have the
  // limit, so the call does nothing for programs on the CPU.
  void RejectOnEngine(Stage stage, std::string message) {
    if (!settings_.on_cpu) Reject(stage, std::move(message));
  }

  // Returns whether the statement has the argument and no planted defect hides it.
  bool Has(std::string_view name) const;

  // Reads a tensor operand, which becomes the next input of the kernel.
  Operand Tensor(std::string_view name);
  // Like Tensor, for an argument that may be absent. If it is absent, the call returns nothing and
  // adds no kernel input.
  std::optional<Operand> OptionalTensor(std::string_view name);
  // Reads a state. Reads makes the state the next input of the kernel. Writes makes the state an
  // output of the kernel, behind the results.
  Operand State(std::string_view name);
  void Reads(const Operand& state) { inputs_.push_back(state.value); }
  void Writes(const Operand& state) { written_ = state.value; }
  std::optional<uint32_t> written() const { return written_; }
  // Reads constant numbers of any rank that do not become a kernel input. Empty if they are
  // refused.
  std::optional<Operand> ConstantTensor(std::string_view name);
  // Reads all members of a tuple. Each member becomes an input of the kernel.
  std::vector<Operand> Tensors(std::string_view name);

  // Getters of constants. They refuse an argument that is of another kind. For an absent argument
  // they return the fallback, or refuse the statement if they have none.
  IntList Ints(std::string_view name);
  IntList Ints(std::string_view name, const IntList& fallback);
  int64_t Int(std::string_view name);
  int64_t Int(std::string_view name, int64_t fallback);
  bool Bool(std::string_view name, bool fallback);
  // A list of bools as 0 and 1; empty if it is absent.
  IntList Bools(std::string_view name);
  // A tuple of constant scalars, integers or bools.
  IntList Tuple(std::string_view name);
  double Float(std::string_view name);
  double Float(std::string_view name, double fallback);
  std::string String(std::string_view name);
  std::string String(std::string_view name, std::string_view fallback);

  // Returns the axis counted from the front. Refuses an axis outside [-rank, rank).
  int Axis(std::string_view name, int64_t axis, int rank);
  // Returns the axes of a reduction as a bit mask. The mask has all axes if the argument is absent.
  uint32_t Axes(std::string_view name, int rank);

  void Output(TensorType type) {
    outputs_.push_back(type);
    CheckMeasuredType(type, op_);
  }
  // Adds a result that is known at compile time. Such a result needs no call of Output and no
  // kernel.
  void ConstantResult(Constant constant) { constants_.push_back(std::move(constant)); }
  std::vector<Constant>& constants() { return constants_; }
  std::span<const TensorType> outputs() const { return outputs_; }
  std::span<const uint32_t> inputs() const { return inputs_; }
  // Returns the tensor operand called `weight`, or kNoValue.
  uint32_t weight() const { return weight_; }
  // Properties of the operation that the runtime and the compiler's files use.
  void PadsByReflection() { reflects_ = true; }
  bool reflects() const { return reflects_; }
  void TimesOut() { times_out_ = true; }
  bool times_out() const { return times_out_; }

 private:
  // Checks the type of a result of the operation `producer`. `producer` is "" if no operation
  // produces the tensor.
  void CheckMeasuredType(const TensorType& type, std::string_view producer);
  std::optional<Operand> OperandOrReject(std::string_view name);
  std::optional<Operand> ConstantOrNothing(std::string_view name, Element hint);
  std::optional<Operand> ConstantOrReject(std::string_view name, Element hint);

  std::string_view op_;
  const CompileSettings& settings_;
  ArgumentSource& source_;
  NumericModel model_;
  std::string message_;
  Stage stage_ = Stage::kFrontend;
  std::vector<TensorType> outputs_;
  std::vector<Constant> constants_;
  std::vector<uint32_t> inputs_;
  uint32_t weight_ = ~uint32_t{0};
  std::optional<uint32_t> written_;
  bool reflects_ = false;
  bool times_out_ = false;
};

// Return the elements of a constant as fp32 or as doubles.
std::vector<float> ConstantFloats(const Constant& constant);

}  // namespace anecheck::device
