// The work of one task as types. The decoder makes it from the fields, the engines execute it, and
// `--explain` describes it. This file does not depend on the positions of fields.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/emulator/task_words.h"

namespace anecheck::emulator {

struct Extents {
  uint32_t groups = 1;
  uint32_t depth = 1;
  uint32_t channels = 1;
  uint32_t height = 1;
  uint32_t width = 1;

  // Returns the number of elements, at most UINT64_MAX.
  uint64_t Count() const {
    const unsigned __int128 count = static_cast<unsigned __int128>(groups) * depth * channels *
                                    height * width;  // below 2^75 by the widths of the fields
    return count > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(count);
  }
  // Returns these extents with width and channels exchanged.
  Extents Swapped() const { return {groups, depth, width, height, channels}; }
  friend bool operator==(const Extents&, const Extents&) = default;
};

// Gives the address of element (g, d, c, y, x): base + g*group + d*depth + (c div I)*channel +
// y*row + E*(x*I + c mod I), all in bytes. I is `interleave`. E is `element`, the bytes of an
// element: 2 for fp16, 1 for uint8. `swapped` exchanges c and x. Source: layout.md.
struct Pattern {
  uint64_t base = 0;
  uint64_t group = 0;
  uint64_t depth = 0;
  uint64_t channel = 0;
  uint64_t row = 0;
  uint32_t interleave = 1;
  uint32_t element = 2;
  bool swapped = false;

  bool OfBytes() const { return element == 1; }
};

enum class TaskKind : uint8_t {
  kNeural = 0,
  kPlanarUnary = 2,
  kPlanarElementwise = 3,
  kPlanarPerChannel = 4,
  kPlanarReduction = 5,
  kPlanarElementwiseReduction = 6,
};

// One source of a task. Along a broadcast axis, `extents` has the extent 1.
struct Source {
  bool by_dma = false;
  bool chained = false;  // the elements come from the previous task, in the order of its result
  bool keep = false;     // a copy of the data from DMA stays in L2
  uint32_t bar = 0;
  Pattern memory;
  Pattern l2;
  Extents extents;
};

struct Destination {
  bool by_dma = false;
  bool to_l2 = false;
  bool chained = false;  // the elements go to the next task
  uint32_t bar = 0;
  Pattern memory;
  Pattern l2;
  Extents extents;  // the extents before a swap
};

enum class NeuralOperation : uint8_t { kMultiply = 0, kProduct = 2, kMaximum = 3, kCopy = 4 };
enum class Nonlinear : uint8_t { kNone = 0, kRelu = 1, kTable = 2 };

// The bytes that one engine reads. Offset and size refer to the surface of the coefficients.
struct EngineStream {
  bool enabled = false;
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct NeuralTask {
  NeuralOperation operation = NeuralOperation::kCopy;
  bool coefficients = false;
  bool int8_coefficients = false;
  bool bias_row = false;
  bool unicast = false;
  uint32_t unicast_channels = 1;
  uint32_t kernel_width = 1;
  uint32_t kernel_height = 1;
  uint32_t stride_x = 1;
  uint32_t stride_y = 1;
  uint32_t pad_left = 0;
  uint32_t pad_top = 0;
  uint32_t lanes = 1;
  uint32_t engines = 1;
  bool zero_skip = false;
  double accumulator_bias = 0;
  double post_scale = 1;
  Nonlinear nonlinear = Nonlinear::kNone;

  bool has_stream = false;  // of coefficients or, on H13, of a table
  uint32_t kernel_bar = 0;
  uint64_t kernel_base = 0;
  std::array<EngineStream, kEngines> streams = {};
  // True for a table with its own address (H14 and later).
  bool table_apart = false;
  uint32_t table_bar = 0;
  uint64_t table_base = 0;

  uint32_t CoefficientBytes() const { return int8_coefficients ? 1 : 2; }
  // Returns the number of input channels that contribute to one output channel.
  uint32_t ChannelsPerOutput(uint32_t input_channels) const {
    return unicast ? unicast_channels : input_channels;
  }
};

enum class PlanarOperation : uint8_t {
  kAdd = 0,
  kMultiply = 1,
  kMaximum = 2,
  kMinimum = 3,
  kSquareOfSum = 4,
};
enum class PostFunction : uint8_t { kNone = 0, kReciprocal = 1, kReciprocalRoot = 2 };

struct PlanarTask {
  PlanarOperation operation = PlanarOperation::kAdd;
  bool negate1 = false;
  bool negate2 = false;
  double scale = 1;
  double bias = 0;
  bool relu = false;
  bool absolute = false;
  bool maximum = false;  // a reduction takes the maximum if set; else the sum
  double final_scale = 1;
  double epsilon = 0;
  PostFunction post = PostFunction::kNone;
};

struct Task {
  uint32_t index = 0;
  uint32_t offset = 0;
  Generation generation = Generation::kH13;
  TaskKind kind = TaskKind::kNeural;
  Source source1;
  std::optional<Source> source2;
  Destination result;
  Extents input;   // the extents of the operation's input
  Extents output;  // the extents of its output, after a reduction
  NeuralTask neural;
  PlanarTask planar;
};

// Decodes the task of these fields. Errors: kUnsupported, with the task and the fields, if the
// fields contradict each other or are a combination that no file or record has.
Result<Task> DecodeTask(Generation generation, const TaskWords& words, const FieldValues& values,
                        const FieldTable& table);

}  // namespace anecheck::emulator
