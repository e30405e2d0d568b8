// Planted defects of the simulated engine. They make it possible to measure how many defects a
// campaign finds. Each defect is an entry of a table. The compile step, the executor and the
// runtime look up the enabled faults at the places that the faults affect.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/device/numeric_model.h"

namespace anecheck::device {

enum class FaultKind : uint8_t {
  kNumeric,
  kShape,
  kLayout,
  kBoundary,
  kAccumulation,
  kQuantisation,
  kAttributeIgnored,
  kGating,
  kReject,
  kRuntime,
  kCrash,
  kHang,
  kMemory,
  kEncoding,  // a file of the compiler does not match the program
};
std::string_view FaultKindName(FaultKind kind);

// The means by which a fault acts.
enum class FaultMechanism : uint8_t {
  kDatapath,   // a flag of the numeric model (`planted`)
  kAttribute,  // the compile step treats the argument `text` of the operation as absent
  kOutput,     // the operation's output is changed after it ran (`effect`)
  kCompile,    // the compile step takes or refuses the wrong programs (`effect`)
  kRuntime,    // an e5rt call misbehaves (`effect`)
  kFile,       // a file that the compiler writes is wrong (`effect`)
};

// The actions of kOutput, kCompile, kRuntime and kFile faults. `a` and `b` are the fault's
// parameters.
enum class FaultEffect : uint8_t {
  kNone,
  // Output effects, on the stored elements. Unless stated otherwise, an effect changes the fraction
  // `share` of the elements. A hash of the element and its index chooses them.
  kUlps,            // moves by `a` units in the last place, away from zero
  kUlpsTowardZero,  // moves by `a` units in the last place, toward zero
  kSignFlip,
  kNan,
  kInfinity,
  kZero,
  kScale,       // multiplies by `a` / 1024
  kLastZero,    // the last element of each row is zero
  kLastStale,   // the last element of each row is a copy of the element before it
  kFirstStale,  // the first element of each row is a copy of the element after it
  kRowShift,    // each row of more than `a` elements moves right by one
  kRowReverse,
  kSwapPairs,            // the two elements of each pair are exchanged
  kChannelSwap,          // the first two slices of axis 1 are exchanged
  kChannelZero,          // the slices of axis 1 from index `a` on are zero
  kChannelRepeat,        // every slice of axis 1 is a copy of the first
  kBatchRepeat,          // every slice of axis 0 is a copy of the first
  kTransposeLast,        // the last two axes are exchanged if their extents are equal
  kTileEdge,             // elements at multiples of `a`, except 0, are zero
  kWideTail,             // elements from index `a` on are moved by `b` units
  kBigMagnitude,         // magnitudes above `a` are moved by `b` units
  kSmallMagnitude,       // magnitudes below 2^-`a` are zero
  kNegativeUlps,         // negative elements are moved by `a` units
  kHalfInteger,          // odd multiples of 0.5 are moved by one unit
  kStaleEverySecondRun,  // every second execution does not overwrite the output of the previous one
  kUninitialised,        // the output keeps the buffer's old content
  kRunCounter,           // the first element is moved by one unit in one of every `a` executions
  kZeroSign,             // negative zeros, or positive zeros if `a` = 1, change their sign
  kInfinityClamped,      // infinities become the largest finite numbers
  kFirstRun,             // the first element is moved by one unit in a program's first execution
  kLaterRuns,            // the first element is moved by one unit in all executions but the first
  kRareProgram,          // the first element is moved by one unit in one of every `a` programs
  kAfterOther,           // the first element is that of the operation's last result in the process
  kOverrun,              // `a` bytes after the output, at most 16, are overwritten
  kNeighbour,            // the last element of the operation's first input is overwritten
  // Compile effects.
  kRejectOp,      // the operation is refused, with the message `text` if `text` is not empty
  kRejectRank,    // tensors of rank `a` are refused
  kRejectExtent,  // an axis of extent `a` is refused
  kRejectWide,    // an axis of extent above `a` is refused
  kAcceptRank6,
  kAcceptWide,
  kAcceptKernel,
  kAcceptInputs,  // inputs of any element type are taken
  kWrongMessage,  // refusals carry another text
  kFallBack,      // the engine's part runs on the CPU backend, silently
  kCompileCrash,
  kCompileHang,
  kCompileLeak,  // `a` kibibytes stay allocated per compilation
  kCompileSlow,  // compiling the operation takes `a` milliseconds more
  // Run effects.
  kRunCrash,
  kRunAbort,
  kRunHang,
  kRunSlow,       // each run takes `a` milliseconds more
  kRunError,      // execute reports a failure in one of every `a` executions
  kRunLeak,       // `a` kibibytes stay allocated per run
  kRunPrints,     // garbage on standard output
  kRunExit,       // the process ends with code `a`
  kRareError,     // execute reports a failure for one of every `a` programs of the process
  kRareCrash,     // one of every `a` programs of the process crashes
  kCached,        // a program always returns the outputs of its first execution
  kInputChanged,  // the last byte of each input port is changed
  // e5rt effects.
  kSlotsSmall,        // there are `a` program slots instead of 128
  kSlotsLeak,         // releasing an operation frees no slot
  kNoErrorText,       // the last error message is empty
  kSuccessOnError,    // failed calls return 0
  kSyncSignals,       // execute_sync advances events
  kAsyncNoSignal,     // submit_async does not advance events
  kAsyncEarlySignal,  // events advance before the operation ran
  kBlockNotCalled,    // the completion block is not called
  kBlockTwice,        // the completion block is called twice
  kResetFresh,        // a stream that was never used may be reset
  kPrepareFresh,      // prepare is legal on an operation that was never encoded
  kBufferTypes,       // any buffer type is valid
  kPortAnyName,       // a port of an unknown name is the first port
  kPortSwap,          // the first two input ports are exchanged
  kBufferShort,       // buffers are `a` bytes smaller than requested
  kDoubleRun,         // each encoded operation runs twice
  kSkipLastOp,        // the last encoded operation of two or more is not run
  kReverseOrder,      // encoded operations run in reverse order
  kAliasCopy,         // an output bound to an input's buffer is not written
  kAnalyticsMissing,  // no analytics file is written
  kAnalyticsCpu,      // the analytics name the CPU backend
  kRangeUnchecked,    // extents are taken that lie outside of a range of shapes or off its steps
  kRangeStart,        // a program with a range of shapes always runs at the range's start
  // Effects on the files of a compiled program.
  kFileRowStride,      // rows of the container's tensors are packed without padding
  kFileTaskLost,       // the container lacks the last of two or more tasks
  kFileTaskChannels,   // each task has one output channel too many
  kFileKernelSwap,     // the first two channels of each kernel are exchanged
  kFileDispatchTwice,  // the descriptor has one inference too many
  kFilePortSize,       // the descriptor's ports are half as large
  // Effects on the state that is kept between executions.
  kStateLost,  // states are zero again before each execution
  kStateFull,  // states are 1 before the first execution
};

struct Fault {
  std::string_view id;
  std::string_view description;
  std::string_view op;        // the MIL name of the operation, "*" for all, empty for none
  std::string_view op_class;  // its class, or "runtime", "calls", "compiler", "state", "files"
  FaultKind kind;
  FaultMechanism mechanism;
  double ulps = 0;   // size of the error, 0 if it is not numeric
  double share = 1;  // fraction of the elements that the fault changes
  Planted planted = Planted::kCount;
  FaultEffect effect = FaultEffect::kNone;
  int64_t a = 0;
  int64_t b = 0;
  std::string_view text = {};
  // The term of the contract that admits all values of the fault, so that no campaign can find it.
  // Empty for faults that a campaign can find.
  std::string_view admitted = {};
};

std::span<const Fault> Faults();

// The enabled faults. A program keeps a copy of the faults that were enabled when it was compiled.
class ActiveFaults {
 public:
  // Errors: kNotFound if the id names neither a fault of the table nor one of the parametric
  // family; kInvalid if the family's parameters are out of range (1 to 4096 units, 1 to 1000
  // permille).
  Status Enable(std::string_view id);
  // Returns false if the fault was not enabled.
  bool Disable(std::string_view id);
  void Clear() { faults_.clear(); }
  bool empty() const { return faults_.empty(); }
  std::span<const Fault> all() const { return faults_; }

  // Returns the first enabled fault with that effect for `op`. An empty `op` stands for any
  // operation.
  const Fault* Find(FaultEffect effect, std::string_view op = {}) const;
  // Returns whether the operation must ignore the argument.
  bool IgnoresArgument(std::string_view op, std::string_view argument) const;
  // Sets the planted flags for the operation.
  void Plant(std::string_view op, NumericModel& model) const;

 private:
  std::vector<Fault> faults_;
};

// Returns whether the fault applies to that operation.
inline bool Concerns(const Fault& fault, std::string_view op) {
  return fault.op == "*" || fault.op == op;
}

}  // namespace anecheck::device
