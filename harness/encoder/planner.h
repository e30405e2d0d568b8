// The state of a graph during its encoding: surfaces of values, constants, L2 and tasks. The
// handlers of operations (ops/) add tasks to it, and encode.h drives it.
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

// A block in memory, of fp16 elements or of bools in bytes. The stride of one axis, the columns,
// may be one element. The strides of the other axes are multiples of 64 bytes.
struct View {
  uint32_t bar = 0;
  uint64_t base = 0;
  uint64_t batch = 0;  // bytes of one batch of the whole surface; 0 if unknown
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

// Returns packed strides. Rows are padded to 64 bytes, and planes and batches are consecutive.
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
  // Assigns base addresses to inputs and outputs. Error: kUnsupported if a type has no port.
  Status BindPorts();
  const Graph& graph() const { return graph_; }
  bool IsConst(ValueId id) const { return graph_.value(id).kind == ValueKind::kConst; }
  // Returns the fp16 bits of a constant. Bools give the bits of 0 and 1.
  std::span<const uint16_t> ConstHalves(ValueId id);
  // Returns the surface of a value. A constant is stored as an image on first use. Bools are 0 and
  // 1 in fp16. If an input has bools in bytes, a task converts them on first use.
  Result<View> ViewOf(ValueId id);
  // Like ViewOf, but the surface of an input of bools is its bytes, without a conversion.
  Result<View> StoredViewOf(ValueId id);
  // Converts a value of bools to bytes if it is an output.
  Status StoreBools(ValueId id);
  // Returns the surface that the handler writes. This is the surface of `id` or, if a function is
  // fused after `id`, the surface of the function's result.
  Result<View> ResultOf(ValueId id);
  // Makes a new surface in scratch, for a value between tasks.
  Result<View> Temporary(const std::array<uint32_t, kAxes>& extents);

  // ---- fusion ----
  // Fuses a function: the task that computes `id` applies `post` and writes `into` instead of `id`.
  void Fuse(ValueId id, ValueId into, Post post);
  // Returns the function that is fused after `id`, or no function.
  Post PostOf(ValueId id) const;
  bool IsFused(ValueId into) const;

  // ---- L2, kept for one operation ----
  void ResetL2() { l2_next_ = 0; }
  Result<L2Block> TakeL2(uint32_t channels, uint32_t rows, uint32_t columns);

  // ---- constants ----
  // Stores a surface of constants with rows padded to 64 bytes. Precondition: `halves` has one
  // number for each element.
  View Image(const std::array<uint32_t, kAxes>& extents, std::span<const uint16_t> halves);
  // Stores streams. Equal streams are stored once.
  std::vector<Stream> AddStreams(const std::vector<Bytes>& streams);
  // Gives a task without coefficients its activation table. Either each engine with a channel gets
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
  // The weights and tables that are separate from the constants, and their base address.
  const Bytes& kernels() const { return kernels_; }
  uint32_t kernel_bar() const { return kernel_bar_; }
  const std::vector<KernelName>& kernel_names() const { return kernel_names_; }
  uint64_t scratch_bytes() const { return scratch_; }
  Fault fault() const { return fault_; }
  // Whether the tasks will be executed in exact arithmetic, in which inf - inf and 0 * inf are NaN
  // (EncodeOptions::exact).
  bool exact() const { return exact_; }
  const Machine& machine() const { return machine_; }
  // Returns the number of the last added task.
  uint32_t LastTask() const { return static_cast<uint32_t>(tasks_.size()) - 1; }

 private:
  // Returns the bytes of weights and tables: among the constants, or in a separate segment.
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

// Makes the error that refuses the graph for `reason`.
Error Refuse(std::string reason);

// Returns the place of the elements of a view or block as a task's source or result. The given axes
// become channels, rows and depth; an axis number of -1 means no axis. Missing axes and axes of
// extent 1 get the smallest strides of real files.
Place PlaceOf(const View& view, int channel, int row, int depth = -1);
Place PlaceOf(const L2Block& block);

// Returns the axes of a value's shape, aligned at the last axis. Above rank 4, the first are
// merged.
Result<std::array<uint32_t, kAxes>> ExtentsOf(const Graph& graph, ValueId id);
std::array<uint32_t, kAxes> ExtentsOf(const View& view);

// Merges neighbouring axes from `begin` to `end` - 1 if both views have even steps over them, so
// that fewer axes have an extent above 1. The views keep their elements and order.
void MergeAxes(View& a, View& b, int begin, int end);

// Returns a view of `length` elements of an axis: every `step`-th element from `begin` on.
View Part(const View& view, int axis, uint32_t begin, uint32_t length, uint32_t step = 1);
// Returns the view at one index of `axis`, which then has extent 1. If the axis already has extent
// 1, its element repeats, so the index has no effect.
View At(const View& view, int axis, uint32_t index);

}  // namespace anecheck::encoder
