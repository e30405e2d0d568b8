// The data that a reference kernel uses: tensors of values with intervals, scratch memory and the
// contract. The evaluator calls one kernel for each node. Each file of this folder contains one
// class of operations, as in harness/ops.
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

// Memory blocks that arenas returned, for reuse by other arenas. The page faults of a new large
// block cost more time than many operations. Not thread-safe. The pool must outlive its arenas.
class BlockPool {
 public:
  // Takes the smallest stored block with at least `words` and at most twice as many words. Returns
  // false if there is none.
  bool Take(size_t words, Block& block);
  // Stores the block for reuse, unless kMostWords are stored already.
  void Give(Block block);

 private:
  static constexpr size_t kMostWords = size_t{1} << 27;  // 1 GiB

  std::vector<Block> free_;
  size_t words_ = 0;  // of all stored blocks
};

// Memory for one evaluation. Nothing is freed before Reset, except the part that a Workspace took.
// Reset keeps the blocks for reuse.
class Arena {
 public:
  // With a pool, blocks come from the pool and return to it when the arena is destroyed.
  explicit Arena(BlockPool* pool = nullptr) : pool_(pool) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Allocates `count` elements without initialising them. T must be trivially destructible and have
  // an alignment of at most 8. Large arrays begin at a cache line, since vectors that cross lines
  // are slow.
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

  // The number of threads for kernels that work with this memory, and the least number of
  // inner-loop steps for which they use threads.
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

// Memory that is allocated from the arena during the life of this object is scratch memory, which
// the destructor releases.
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

// The admitted numbers of an element, ascending. Empty if the element has only an interval.
struct Members {
  const double* data = nullptr;
  uint32_t count = 0;
};

// Infinities that an element admits besides a finite interval.
enum Beyond : uint8_t { kUpward = 1, kDownward = 2 };

// One tensor during evaluation. In a point tensor low, high and value are the same array. Each
// element is then known exactly, and an element with value NaN admits only NaN. In other tensors
// low and high bound the engine's value. Both are NaN if only NaN is admitted. nan[i] != 0 also
// admits NaN.
struct BoundedTensor {
  TensorType type;
  size_t size = 0;
  double* value = nullptr;
  double* low = nullptr;
  double* high = nullptr;
  uint8_t* nan = nullptr;  // null in a point tensor
  // If not null, these arrays describe the elements more closely than [low, high]: by infinities
  // (Beyond) and a finite interval. The interval is empty if its low end lies above its high end.
  // Sums of products that may overflow set these arrays. Later operations read only low and high.
  uint8_t* beyond = nullptr;
  double* finite_low = nullptr;
  double* finite_high = nullptr;
  bool special = false;      // some element is not finite or admits NaN
  bool signed_zero = false;  // the sign of zeros is certain, as in graph inputs, constants, copies
  // A departure widened this tensor, or a tensor on which it depends, by the departure's largest
  // effect. The intervals are therefore weak evidence.
  bool loose = false;
  // The elements of a line along this axis are distinct in every engine; -1 if there is no such
  // axis.
  int distinct_axis = -1;
  // Discrete results (oracles/reference/discrete.h). `whole` says that an engine's number is an
  // integer, as in every integer type. `members` has one entry for each element; it is null if no
  // element has a set.
  bool whole = false;
  Members* members = nullptr;
  // Facts that sums of products need, computed on first use by MeasureOperand.
  bool measured = false;
  int lowest_bit = 0;  // every value is a multiple of 2^lowest_bit
  double max_magnitude = 0;

  bool point() const { return low == value; }
  bool NanAt(size_t i) const { return nan != nullptr && nan[i] != 0; }
};

// Everything that one kernel may use.
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
  // The operand, or null if it is absent.
  BoundedTensor* OptionalInput(int parameter) {
    return HasInput(parameter) ? &Input(parameter) : nullptr;
  }
  BoundedTensor& Value(ValueId id) { return values_[id]; }
  // The type and size of a result are set. The kernel sets the other members.
  BoundedTensor& Result(uint32_t index = 0) { return values_[node_.Result(index)]; }

  // If not empty, this has an entry for each element of the first result. The kernel may leave
  // elements with entry 0 unset, because nothing reads them.
  std::span<const uint8_t> wanted() const { return wanted_; }
  void Want(std::span<const uint8_t> elements) { wanted_ = elements; }

  // After this call the kernel rounds fp32 literals and constants to fp16 if they occur with fp16
  // operands, because an engine may store them rounded. If a number changes, the evaluator runs the
  // kernel both ways and takes the hull of both bounds (oracles/oracle.cc).
  void RoundLiterals() { rounds_literals_ = true; }
  bool literals_differ() const { return literals_differ_; }
  // Returns `rounded` after RoundLiterals, otherwise `exact`.
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

// Evaluates a nested block. `inputs` are its operands in order. The tensors share the context's
// arena. Returns the errors of Evaluation::Run.
Status EvaluateBlock(KernelContext& context, const Graph& block,
                     std::span<const BoundedTensor> inputs, std::vector<BoundedTensor>& outputs);

}  // namespace reference

// The reference implementation of one operation of the operation table.
struct ReferenceKernel {
  // Computes every result of the node. If null, OpDefinition::no_reference_reason says why.
  Status (*evaluate)(reference::KernelContext& context) = nullptr;
  // The terms of the contract on which the bound depends, besides kWideIntermediate.
  std::span<const Term> terms = {};
  // Whether values depend on the contract's terms. True if a convention decides a question that the
  // bounds leave open. Otherwise values are the same under every contract.
  bool value_needs_bounds = false;
  // Whether each element of the result depends on only one element of each operand, the one that
  // broadcasting pairs with it.
  bool elementwise = false;
};

#define ANECHECK_OP(name, Name, ...) extern const ReferenceKernel kReference##Name;
#include "harness/ops/ops.def"

// Every kernel, indexed by OpKind.
std::span<const ReferenceKernel* const> AllReferenceKernels();

}  // namespace anecheck
