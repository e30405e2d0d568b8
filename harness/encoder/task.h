// A task of the engine in the encoder's terms: its sources, its arithmetic and its destination.
// task_words.h turns it into the words of a descriptor. The source of every meaning is the facts of
// H13 programs (register_semantics.csv, layout.md, execution.md).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace anecheck::encoder {

// Limits of a compiler for H13 (register_semantics.csv, widths of the fields).
inline constexpr uint32_t kEngineCount = 16;
inline constexpr uint32_t kMaxChannels = 65536;
inline constexpr uint32_t kMaxExtent = 32767;
inline constexpr uint32_t kLine = 64;    // bytes: the granule of memory
inline constexpr uint32_t kL2Line = 16;  // bytes: the granule of L2
inline constexpr uint32_t kL2Bytes = 2 << 20;

struct Extents {
  uint32_t width = 1, height = 1, channels = 1, depth = 1;
};

// The place of an operand or a result. Element (g, d, c, y, x) is at `base` plus the sum of each
// index times its stride, in bytes. The stride of x is `element`. A transposed result exchanges x
// and channel.
struct Place {
  bool in_l2 = false;
  uint32_t bar = 0;  // the base address, if the place is in memory
  uint64_t base = 0;
  uint64_t channel = 0, row = 0, depth = 0, group = 0;
  uint32_t element = 2;  // 1 for bools, which are bytes in memory only

  bool OfBytes() const { return element == 1; }
};

// The codes of the task type.
enum class TaskType : uint8_t {
  kNeural = 0,
  kUnary = 2,
  kElementwise = 3,
  kPerChannel = 4,
  kReduce = 5,
  kCombineAndReduce = 6,
};

enum class NeuralOp : uint8_t { kMultiply = 0, kMaximum = 3, kCopy = 4 };
enum class Nonlinear : uint8_t { kNone = 0, kRelu = 1, kTable = 2 };
enum class PlanarOp : uint8_t { kAdd = 0, kMultiply = 1, kMaximum = 2, kMinimum = 3, kSquare = 4 };
enum class PostFunction : uint8_t { kNone = 0, kReciprocal = 1, kReciprocalRoot = 2 };

// One engine's stream of coefficients, in the memory at `Neural::kernel_bar`.
struct Stream {
  uint64_t base = 0;
  uint32_t size = 0;
};

struct Neural {
  NeuralOp op = NeuralOp::kCopy;
  bool coefficients = false;
  bool bias = false;
  bool zero_skip = false;
  bool unicast = true;
  uint32_t unicast_channels = 1;
  uint32_t kernel_width = 1, kernel_height = 1;
  uint32_t stride_x = 1, stride_y = 1;
  uint32_t pad_left = 0, pad_top = 0;
  uint32_t lane_bits = 0;
  uint32_t engine_bits = 0;  // log2 of the number of engines that work
  Nonlinear nonlinear = Nonlinear::kNone;
  uint16_t post_scale = 0x3c00;        // fp16
  uint16_t accumulator_bias = 0;       // fp16
  std::optional<uint32_t> kernel_bar;  // if empty, the constants
  std::vector<Stream> streams;
  // The base of an activation table that has its own address, in the constants.
  std::optional<uint64_t> table_base;
};

struct Broadcast {
  bool width = false, height = false, depth = false, channels = false;
};

struct Planar {
  PlanarOp op = PlanarOp::kAdd;
  bool relu = false;
  bool absolute = false;
  bool maximum = false;  // a reduction takes the maximum instead of the sum
  PostFunction post = PostFunction::kNone;
  bool negate1 = false, negate2 = false;
  uint16_t bias = 0, scale = 0x3c00;  // fp16
  uint16_t epsilon = 0;               // fp16
  float final_scale = 1;
  Broadcast broadcast1, broadcast2;
  bool transpose2 = false;
};

struct Task {
  TaskType type = TaskType::kNeural;
  Extents in, out;
  uint32_t groups = 1;
  Place source1;
  std::optional<Place> source2;
  Place result;
  bool transpose_result = false;
  bool pads_with_lowest = false;  // for a reduction to the maximum
  Neural neural;
  Planar planar;
  // The task that wrote the surface of the coefficients, if a task wrote it.
  uint32_t kernel_writer = 0;
};

}  // namespace anecheck::encoder
