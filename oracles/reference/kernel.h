// The inputs and results of a reference kernel: tensors as values with intervals, scratch memory,
// the contract. The evaluator calls one kernel a node; each file of this folder holds one class of
// operations, as harness/ops does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "harness/ops/op.h"
#include "oracles/contract.h"

namespace anecheck {
namespace reference {

struct Block {
  std::unique_ptr<uint64_t[]> words;  // uninitialised
  size_t size = 0;
};

// Blocks that arenas gave back, for the next ones: a large block of the system's own costs more in
// page faults than many operations do. Not thread-safe; it outlives its arenas.
class BlockPool {
 public:
  // The smallest block of `words` or more, at most twice as large; false where none is kept.
  bool Take(size_t words, Block& block);
  // Keeps the block, unless kMostWords are kept already.
  void Give(Block block);

 private:
  static constexpr size_t kMostWords = size_t{1} << 27;  // 1 GiB

  std::vector<Block> free_;
  size_t words_ = 0;  // of them all
};

// Memory for one evaluation: nothing is freed before Reset, which keeps the blocks, but for the
// part that a Workspace took.
class Arena {
 public:
  // With a pool, blocks come from there and go back with the arena.
  explicit Arena(BlockPool* pool = nullptr) : pool_(pool) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `count` elements, uninitialised. T is trivially destructible with alignment of at most 8; large
  // arrays begin with a line of the cache, since vectors that cross lines are slow.
  template <typename T>
  T* Allocate(size_t count) {
    const size_t words = (count * sizeof(T) + 7) / 8;
    if (words >= kLargeWords) Align();
    if (words > left_) Grow(words);
    auto* const result = reinterpret_cast<T*>(next_);
    next_ += words;
    left_ -= words;
    return result;
  }
  void Reset();

  // How many threads the kernels that work with this memory may use, and from how many steps of an
  // inner loop on.
  int threads() const { return threads_; }
  uint64_t worth_threads() const { return worth_threads_; }
  void UseThreads(int threads, uint64_t worth_threads) {
    threads_ = threads;
    worth_threads_ = worth_threads;
  }

 private:
  friend class Workspace;
  static constexpr size_t kLineWords = 8;
  static constexpr size_t kLargeWords = 8 * kLineWords;

  void Grow(size_t words);
  void Align() {
    const size_t past = reinterpret_cast<uintptr_t>(next_) / sizeof(uint64_t) % kLineWords;
    const size_t skipped = std::min((kLineWords - past) % kLineWords, left_);
    next_ += skipped;
    left_ -= skipped;
  }
  BlockPool* pool_;
  int threads_ = 1;
  uint64_t worth_threads_ = 0;
  std::vector<Block> blocks_;
  size_t current_ = 0;  // index of the block after the one in use
  uint64_t* next_ = nullptr;
  size_t left_ = 0;
};

// While it lives, memory allocated from the arena is scratch memory: all of it is given back with
// it.
class Workspace {
 public:
  explicit Workspace(Arena& arena)
      : arena_(arena), current_(arena.current_), next_(arena.next_), left_(arena.left_) {}
  ~Workspace() {
    arena_.current_ = current_;
    arena_.next_ = next_;
    arena_.left_ = left_;
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

 private:
  Arena& arena_;
  size_t current_;
  uint64_t* next_;
  size_t left_;
};

// The numbers that one element may be, ascending; empty where only the interval binds.
struct Members {
  const double* data = nullptr;
  uint32_t count = 0;
};

// Infinities that an element admits besides a finite interval.
enum Beyond : uint8_t { kUpward = 1, kDownward = 2 };

// One tensor during evaluation. A point tensor has low and high at the same array as value: each
// element is known exactly, a NaN element is a NaN and nothing else. Otherwise low and high bound
// the engine's value, both NaN if only NaN may stand, and nan[i] != 0 admits NaN besides.
struct BoundedTensor {
  TensorType type;
  size_t size = 0;
  double* value = nullptr;
  double* low = nullptr;
  double* high = nullptr;
  uint8_t* nan = nullptr;  // null in a point tensor
  // Null, or a closer description of the elements than [low, high]: infinities (Beyond) and a
  // finite interval, which is empty where its low end lies above its high end. Sums of products
  // that may overflow set these; operations that follow read only low and high.
  uint8_t* beyond = nullptr;
  double* finite_low = nullptr;
  double* finite_high = nullptr;
  bool special = false;      // some element is not finite or admits NaN
  bool signed_zero = false;  // the sign of zeros is certain: graph inputs, constants, moved copies
  // A departure widened it, or one of its ancestors, by the most that it may do to an interval: it
  // says little.
  bool loose = false;
  // The elements of a line along this axis are distinct in every engine; -1 where none is.
  int distinct_axis = -1;
  // Discrete results (oracles/reference/discrete.h). `whole`: besides the interval, every number an
  // engine holds is an integer; true of every integer type. `members`: one entry per element, null
  // where no element has a set.
  bool whole = false;
  Members* members = nullptr;
  // Facts that sums of products need, computed on first use by MeasureOperand.
  bool measured = false;
  int lowest_bit = 0;  // every value is a multiple of 2^lowest_bit
  double max_magnitude = 0;

  bool point() const { return low == value; }
  bool NanAt(size_t i) const { return nan != nullptr && nan[i] != 0; }
};

// Everything one kernel may use.
class KernelContext {
 public:
  KernelContext(const NodeView& node, const Contract& contract, Arena& arena,
                std::span<BoundedTensor> values)
      : node_(node), contract_(contract), arena_(arena), values_(values) {}

  const NodeView& node() const { return node_; }
  const Contract& contract() const { return contract_; }
  Arena& arena() { return arena_; }

  bool HasInput(int parameter) const { return node_.HasInput(parameter); }
  // Precondition: HasInput(parameter).
  BoundedTensor& Input(int parameter) { return values_[node_.Input(parameter)]; }
  // Null where the operand is absent.
  BoundedTensor* OptionalInput(int parameter) {
    return HasInput(parameter) ? &Input(parameter) : nullptr;
  }
  BoundedTensor& Value(ValueId id) { return values_[id]; }
  // Type and size are set; the kernel sets the rest.
  BoundedTensor& Result(uint32_t index = 0) { return values_[node_.Result(index)]; }

  // If not empty, an entry for each element of the first result: the kernel may leave those that
  // are 0 as it likes. Nothing reads them.
  std::span<const uint8_t> wanted() const { return wanted_; }
  void Want(std::span<const uint8_t> elements) { wanted_ = elements; }

  // How numbers of fp32 beside fp16 operands are read, literals and constants: as they are given,
  // or rounded to fp16 as an engine may hold them. A kernel that reads one is run in both ways
  // where that makes a difference, and the bounds are the hull (oracles/oracle.cc).
  bool rounds_literals() const { return rounds_literals_; }
  void RoundLiterals() { rounds_literals_ = true; }
  bool literals_differ() const { return literals_differ_; }
  // `exact` or `rounded`, as the kernel is to read it.
  double Read(double exact, double rounded) {
    literals_differ_ |= exact != rounded && exact == exact;
    return rounds_literals_ ? rounded : exact;
  }

 private:
  NodeView node_;
  const Contract& contract_;
  Arena& arena_;
  std::span<BoundedTensor> values_;
  std::span<const uint8_t> wanted_;
  bool rounds_literals_ = false;
  bool literals_differ_ = false;
};

// Evaluates a nested block on operands that are known already, in the order of its inputs, and
// gives its outputs. The tensors share the context's arena. Errors as Evaluation::Run.
Status EvaluateBlock(KernelContext& context, const Graph& block,
                     std::span<const BoundedTensor> inputs, std::vector<BoundedTensor>& outputs);

}  // namespace reference

// The reference part of one row of the operation table.
struct ReferenceKernel {
  // Computes every result of the node. Null where OpDefinition::no_reference_reason says why.
  Status (*evaluate)(reference::KernelContext& context) = nullptr;
  // The freedoms of the contract that the bound rests on, beyond kWideIntermediate.
  std::span<const Term> terms = {};
  // Values are the same whatever the contract's freedoms are; true if they are not, because a
  // question that the bounds cannot decide has no value but a convention.
  bool value_needs_bounds = false;
  // Each element of the result depends on one element of each operand, the one that broadcasting
  // puts beside it.
  bool elementwise = false;
};

#define ANECHECK_OP(name, Name, ...) extern const ReferenceKernel kReference##Name;
#include "harness/ops/ops.def"

// Every kernel, indexed by OpKind.
std::span<const ReferenceKernel* const> AllReferenceKernels();

}  // namespace anecheck
