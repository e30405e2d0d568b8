// The state of a graph while it is encoded: surfaces of values, constants, L2 and tasks. The
// handlers of operations (ops/) build tasks with it; encode.h drives it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/encoder/activation_table.h"
#include "harness/encoder/fault.h"
#include "harness/encoder/machine.h"
#include "harness/encoder/task.h"
#include "harness/graph/graph.h"

namespace anecheck::encoder {

inline constexpr int kAxes = 4;  // batch, channel, height, width

struct Axis {
  uint32_t extent = 1;
  uint64_t stride = 0;  // in bytes
};

// A block of fp16 elements, or of bools in bytes, in memory. One axis, the columns, may have a
// stride of one element; the strides of the others are multiples of 64 bytes.
struct View {
  uint32_t bar = 0;
  uint64_t base = 0;
  uint64_t batch = 0;  // bytes of one batch of the whole surface; 0 if that is not known
  std::array<Axis, kAxes> axes;
  uint32_t element = 2;  // bytes of an element
};

// A block in L2. A row contains all columns of the first channel, then all columns of the next
// channel, and so on.
struct L2Block {
  uint32_t base = 0;
  uint32_t channels = 1, rows = 1, columns = 1;
  uint32_t channel_stride = 0, row_stride = 0;

  uint32_t Bytes() const { return row_stride * rows; }
};

// Packed strides: rows are padded to 64 bytes, planes and batches are consecutive.
std::array<Axis, kAxes> PackedAxes(const std::array<uint32_t, kAxes>& extents,
                                   uint32_t element = 2);
uint64_t PackedBytes(const std::array<uint32_t, kAxes>& extents, uint32_t element = 2);

// The function that a task applies after its own operation.
struct Post {
  Nonlinear nonlinear = Nonlinear::kNone;
  Bytes table;
  uint16_t scale = 0x3c00;  // fp16, applied before the function
  uint16_t bias = 0;        // fp16, applied before the scale

  bool IsRelu() const { return nonlinear == Nonlinear::kRelu; }
};

struct KernelName {
  std::string name;
  uint64_t offset = 0;
};

class Planner {
 public:
  // `graph` and `machine` must outlive the planner.
  Planner(const Graph& graph, const Machine& machine, Fault fault, bool exact)
      : graph_(graph), machine_(machine), fault_(fault), exact_(exact) {}

  // ---- values ----
  // Gives inputs and outputs their base addresses. kUnsupported if a type has no port.
  Status BindPorts();
  const Graph& graph() const { return graph_; }
  bool IsConst(ValueId id) const { return graph_.value(id).kind == ValueKind::kConst; }
  // The fp16 bits of a constant; for bools, the bits of 0 and 1.
  std::span<const uint16_t> ConstHalves(ValueId id);
  // The surface of a value; a constant is stored as an image on first use. Bools are 0 and 1 in
  // fp16; a task converts the bytes of an input of bools on first use.
  Result<View> ViewOf(ValueId id);
  // As ViewOf, but the surface of an input of bools is its bytes, without a conversion.
  Result<View> StoredViewOf(ValueId id);
  // Writes a value of bools to its bytes if it is an output.
  Status StoreBools(ValueId id);
  // The surface that the handler writes: the surface of `id` or, if a function is fused after `id`,
  // that of the function's result.
  Result<View> ResultOf(ValueId id);
  // A new surface in scratch, for a value between tasks.
  Result<View> Temporary(const std::array<uint32_t, kAxes>& extents);

  // ---- fusion ----
  // Fuses a function: the task that computes `id` applies `post` and writes `into` instead of `id`.
  void Fuse(ValueId id, ValueId into, Post post);
  // The function fused after `id`, or none.
  Post PostOf(ValueId id) const;
  bool IsFused(ValueId into) const;

  // ---- L2, kept for one operation ----
  void ResetL2() { l2_next_ = 0; }
  Result<L2Block> TakeL2(uint32_t channels, uint32_t rows, uint32_t columns);

  // ---- constants ----
  // Stores a surface of constants whose rows are padded to 64 bytes. Precondition: `halves` has one
  // number for each element.
  View Image(const std::array<uint32_t, kAxes>& extents, std::span<const uint16_t> halves);
  // Equal streams are stored once.
  std::vector<Stream> AddStreams(const std::vector<Bytes>& streams);
  // Gives a task without coefficients its activation table: either each engine with a channel gets
  // a stream that contains only the table, or the task gets the table's address.
  void BindTable(const Bytes& table, uint32_t channels, Neural& neural);
  // Gives a task its streams of coefficients and its table. The table is at the start of each
  // stream or has its own address.
  void BindStreams(std::vector<Bytes> streams, const Bytes& table, Neural& neural);

  // ---- tasks ----
  // Checks that every number fits the descriptor and appends the task.
  Status Add(Task task);
  // Copies the elements of `source` to `result`, which has the same extents, and applies `post`. If
  // the column axis changes, the task transposes.
  Status Copy(const View& source, const View& result, const Post& post = {});
  Status CopyToL2(const View& source, const L2Block& block, int channel, int row, int column);
  Status CopyFromL2(const L2Block& block, const View& result, int channel, int row, int column);

  const std::vector<Task>& tasks() const { return tasks_; }
  const Bytes& constants() const { return constants_; }
  // Weights and tables, if they are separate from the constants, and their base address.
  const Bytes& kernels() const { return kernels_; }
  uint32_t kernel_bar() const { return kernel_bar_; }
  const std::vector<KernelName>& kernel_names() const { return kernel_names_; }
  uint64_t scratch_bytes() const { return scratch_; }
  Fault fault() const { return fault_; }
  // Whether the tasks will run in exact arithmetic, in which inf - inf and 0 * inf are NaN
  // (EncodeOptions::exact).
  bool exact() const { return exact_; }
  const Machine& machine() const { return machine_; }
  // The number of the task that was added last.
  uint32_t LastTask() const { return static_cast<uint32_t>(tasks_.size()) - 1; }

 private:
  // The bytes of weights and tables: among the constants, or in a separate segment.
  Bytes& KernelBytes() { return machine_.kernel_segment ? kernels_ : constants_; }
  bool Holds(std::span<const Stream> streams, std::span<const Bytes> bytes);

  struct Fused {
    ValueId from, into;
    Post post;
  };

  uint64_t AddTable(const Bytes& table);

  const Graph& graph_;
  const Machine& machine_;
  Fault fault_;
  bool exact_;
  std::vector<std::optional<View>> views_;
  std::vector<std::optional<View>> byte_ports_;  // the bytes of inputs and outputs of bools
  std::vector<std::optional<std::vector<uint16_t>>> halves_;
  std::vector<Fused> fused_;
  std::vector<Task> tasks_;
  Bytes constants_, kernels_;
  uint32_t kernel_bar_ = 0;
  std::vector<KernelName> kernel_names_;
  std::map<std::string, std::vector<Stream>> streams_;  // by the hash in their names
  uint64_t scratch_ = 0;
  uint32_t l2_next_ = 0;
};

// The error that refuses the graph for `reason`.
Error Refuse(std::string reason);

// The place of a view's or block's elements as a task's source or result, with the given axes as
// channels, rows and depth. An axis number of -1 means no axis. Missing axes and axes of extent 1
// get the smallest strides of real files.
Place PlaceOf(const View& view, int channel, int row, int depth = -1);
Place PlaceOf(const L2Block& block);

// The axes of a value's shape, aligned at the last one; above rank 4 the first axes are one axis.
Result<std::array<uint32_t, kAxes>> ExtentsOf(const Graph& graph, ValueId id);
std::array<uint32_t, kAxes> ExtentsOf(const View& view);

// Merges neighbouring outer axes if both views step evenly over them, so that fewer axes have an
// extent above 1. The views keep their elements and their order. The axes from `begin` to `end` - 1
// take part.
void MergeAxes(View& a, View& b, int begin, int end);

// The view of `length` elements of an axis: every `step`-th element from `begin` on.
View Part(const View& view, int axis, uint32_t begin, uint32_t length, uint32_t step = 1);
// The view at one index of `axis`, which then has extent 1. If the axis already has extent 1, its
// element repeats, and the index has no effect.
View At(const View& view, int axis, uint32_t index);

}  // namespace anecheck::encoder
