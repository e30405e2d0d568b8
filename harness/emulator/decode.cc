// Decodes fields into a task. Refuses the combinations that no real container and no record has
// (execution.md, "One task" and "Refusals").
#include <bit>
#include <fmt/format.h>

#include "harness/base/half.h"
#include "harness/emulator/task.h"

namespace anecheck::emulator {
namespace {

constexpr uint32_t kSecondSourceOnly = 2;  // a value of SourceMask
constexpr uint32_t kInt8Coefficients = 1;  // a value of CoefficientFormat

class Decoder {
 public:
  Decoder(Generation generation, const TaskWords& words, const FieldValues& values,
          const FieldTable& table)
      : words_(words), values_(values), table_(table) {
    task_.generation = generation;
    task_.index = words.index;
    task_.offset = words.offset;
  }

  Result<Task> Run() {
    task_.kind = static_cast<TaskKind>(V(Field::kTaskType));
    ReadExtents();
    ANECHECK_RETURN_IF_ERROR(ReadSource1());
    ANECHECK_RETURN_IF_ERROR(ReadSource2());
    ANECHECK_RETURN_IF_ERROR(task_.kind == TaskKind::kNeural ? ReadNeural() : ReadPlanar());
    ANECHECK_RETURN_IF_ERROR(ReadResult());
    ANECHECK_RETURN_IF_ERROR(CheckEngines());
    return task_;
  }

 private:
  uint32_t V(Field field) const { return values_[field]; }
  uint64_t Units(Field field, uint32_t unit) const { return uint64_t{values_[field]} * unit; }

  Error Refuse(std::string_view what) const {
    return MakeError(ErrorCode::kUnsupported, fmt::format("task {}: {}", words_.index, what),
                     words_.offset);
  }
  // Checks that two fields that express the same fact agree.
  Status Agree(Field first, bool a, Field second, bool b) const {
    if (a == b) return {};
    return Refuse(fmt::format("{} = {} and {} = {} contradict each other", RowOf(first).name,
                              V(first), RowOf(second).name, V(second)));
  }

  void ReadExtents() {
    const uint32_t groups = V(Field::kGroups);
    task_.input = {groups, V(Field::kInputDepth), V(Field::kInputChannels), V(Field::kInputHeight),
                   V(Field::kInputWidth)};
    task_.output = {groups, V(Field::kOutputDepth), V(Field::kOutputChannels),
                    V(Field::kOutputHeight), V(Field::kOutputWidth)};
  }

  // Chains of tasks occur in the records of H13. Their elements are fp16 in the order of the
  // extents (kernels/unary/log.bin and sigmoid.bin of the public repository eiln/ane).
  Status CheckChain(uint32_t type, Field format, Field transpose) const {
    if (type != kNeighbour) return {};
    if (task_.generation != Generation::kH13) {
      return Refuse("a result for the next task: only records of H13 have it");
    }
    if (V(format) != 0 && V(transpose) == 0) return {};
    return Refuse("no record has bytes or a transpose between a task and the next");
  }

  Status ReadSource1() {
    Source& source = task_.source1;
    const bool bound = V(Field::kSource1Bound) != 0;
    const uint32_t type = V(Field::kSourceType);
    // If only source 2 comes by DMA, the DMA of source 1 is on but moves nothing
    // (select_rrb_1x64x1x1).
    const bool second_only = V(Field::kSourceMask) == kSecondSourceOnly;
    if (second_only) {
      if (task_.generation != Generation::kH13) {
        return Refuse("SourceMask = 2: only records of H13 have it");
      }
      ANECHECK_RETURN_IF_ERROR(Agree(Field::kSourceMask, true, Field::kSourceType, type == 0));
    }
    ANECHECK_RETURN_IF_ERROR(Agree(Field::kSourceType, IsDma(type) || second_only,
                                   Field::kSource1Enable, V(Field::kSource1Enable) != 0));
    ANECHECK_RETURN_IF_ERROR(CheckChain(type, Field::kSource1Format, Field::kTranspose1));
    // The opposite case is legal: a source is bound, but its elements are read from L2.
    if (IsDma(type) && !bound) return Refuse("a source by DMA that is not bound");
    source.by_dma = IsDma(type);
    source.chained = type == kNeighbour;
    source.keep = type == kDmaAndL2;
    source.bar = V(Field::kSource1Bar);
    source.memory = {.base = V(Field::kSource1Base),
                     .group = Units(Field::kSource1Group, 64),
                     .depth = Units(Field::kSource1Depth, 64),
                     .channel = Units(Field::kSource1Plane, 64),
                     .row = Units(Field::kSource1Row, 64),
                     .interleave = V(Field::kSource1Interleave)};
    source.l2 = {.base = Units(Field::kL2Source1Base, 16),
                 .group = Units(Field::kL2Source1Group, 16),
                 .depth = Units(Field::kL2Source1Depth, 16),
                 .channel = Units(Field::kL2Source1Channel, 16),
                 .row = Units(Field::kL2Source1Row, 16)};
    source.extents = task_.input;
    ANECHECK_RETURN_IF_ERROR(ReadElement1());
    if (task_.kind != TaskKind::kNeural) {
      source.l2.swapped = V(Field::kTranspose1) != 0;
      if (source.by_dma && source.l2.swapped) {
        return Refuse("no file or record has a swapped first source by DMA, only one in L2");
      }
      if (V(Field::kBroadcast1W) != 0) source.extents.width = 1;
      if (V(Field::kBroadcast1H) != 0) source.extents.height = 1;
      if (V(Field::kBroadcast1D) != 0) source.extents.depth = 1;
    }
    return {};
  }

  // Checks that all words that state the format, one byte or fp16, agree.
  Status CheckFormat(Field format, bool by_dma, Field mode, Field truncate, Field memory) const {
    const bool bytes = V(format) == 0;
    if (bytes && task_.generation != Generation::kH13) {
      return Refuse(fmt::format("{} = 0, uint8: only records of H13 have it", RowOf(format).name));
    }
    if (!by_dma) return {};
    for (const Field field : {mode, truncate, memory}) {
      ANECHECK_RETURN_IF_ERROR(Agree(format, bytes, field, V(field) == 0));
    }
    return {};
  }

  // Bools are bytes. In the records they are the source of a copy, with or without a table, and of
  // a planar task with one source.
  Status ReadElement1() {
    Source& source = task_.source1;
    ANECHECK_RETURN_IF_ERROR(CheckFormat(Field::kSource1Format, source.by_dma, Field::kSource1Mode,
                                         Field::kSource1Truncate, Field::kSource1Memory));
    if (V(Field::kSource1Format) != 0) return {};
    const bool copy = task_.kind == TaskKind::kNeural && V(Field::kNoCoefficients) != 0 &&
                      V(Field::kNeuralOperation) == static_cast<uint32_t>(NeuralOperation::kCopy);
    if (!copy && task_.kind != TaskKind::kPlanarUnary) {
      return Refuse(
          "a source of bytes that is neither copied nor the only source of a planar task");
    }
    if (source.memory.interleave != 1) {
      return Refuse("interleaved bytes are unknown: no file or record has them");
    }
    source.memory.element = source.l2.element = 1;
    return {};
  }

  bool TakesTwoSources() const {
    return task_.kind == TaskKind::kPlanarElementwise ||
           task_.kind == TaskKind::kPlanarPerChannel ||
           task_.kind == TaskKind::kPlanarElementwiseReduction;
  }

  // Checks that the words agree on whether source 2 comes by DMA. On H13 and H14, up to three words
  // state this fact.
  Status CheckSource2Route(bool bound) const {
    if (task_.generation == Generation::kH13 || task_.generation == Generation::kH14) {
      ANECHECK_RETURN_IF_ERROR(
          Agree(Field::kSource2Bound, bound, Field::kSource2Dma, V(Field::kSource2Dma) != 0));
      if (task_.kind == TaskKind::kPlanarElementwise) {
        ANECHECK_RETURN_IF_ERROR(
            Agree(Field::kSource2Bound, bound, Field::kSourceMask,
                  V(Field::kSourceMask) == 3 || V(Field::kSourceMask) == kSecondSourceOnly));
      }
      return {};
    }
    return Agree(Field::kSource2Bound, bound, Field::kSource2Type, V(Field::kSource2Type) == 2);
  }

  Status ReadSource2() {
    const bool bound = V(Field::kSource2Bound) != 0;
    ANECHECK_RETURN_IF_ERROR(CheckSource2Route(bound));
    if (task_.kind != TaskKind::kNeural) {
      ANECHECK_RETURN_IF_ERROR(Agree(Field::kTaskType, TakesTwoSources(), Field::kSource2Used,
                                     V(Field::kSource2Used) != 0));
    }
    if (!TakesTwoSources()) {
      if (bound) return Refuse("a second source, but the task takes one source");
      return {};
    }
    Source source;
    source.by_dma = bound;
    source.bar = V(Field::kSource2Bar);
    const bool swapped = V(Field::kTranspose2) != 0;
    if (bound && swapped && task_.kind != TaskKind::kPlanarPerChannel) {
      return Refuse("only per-channel tasks of records have a swapped second source by DMA");
    }
    source.memory = {.base = V(Field::kSource2Base),
                     .group = Units(Field::kSource2Group, 64),
                     .depth = Units(Field::kSource2Depth, 64),
                     .channel = Units(Field::kSource2Plane, 64),
                     .row = Units(Field::kSource2Row, 64),
                     .interleave = std::max(1u, V(Field::kSource2Interleave)),
                     .swapped = swapped};
    source.l2 = {.base = Units(Field::kL2Source2Base, 16),
                 .group = Units(Field::kL2Source2Group, 16),
                 .depth = Units(Field::kL2Source2Depth, 16),
                 .channel = Units(Field::kL2Source2Channel, 16),
                 .row = Units(Field::kL2Source2Row, 16),
                 .swapped = swapped};
    source.extents = task_.input;
    if (task_.kind == TaskKind::kPlanarPerChannel) {
      // The source has two rows of one value per channel: the summand, then the factor.
      source.extents = {task_.input.groups, 1, task_.input.channels, 2, 1};
      if (V(Field::kBroadcast2W) != 0 || V(Field::kBroadcast2H) != 0) {
        return Refuse("broadcast of the rows of a per-channel task along width or height");
      }
    }
    if (V(Field::kBroadcast2W) != 0) source.extents.width = 1;
    if (V(Field::kBroadcast2H) != 0) source.extents.height = 1;
    if (V(Field::kBroadcast2C) != 0) source.extents.channels = 1;
    task_.source2 = source;
    return {};
  }

  Status ReadResult() {
    Destination& result = task_.result;
    const bool bound = V(Field::kResultBound) != 0;
    const uint32_t type = V(Field::kResultType);
    ANECHECK_RETURN_IF_ERROR(
        Agree(Field::kResultType, IsDma(type), Field::kResultEnable, V(Field::kResultEnable) != 0));
    // The opposite case is legal: a destination is bound, but the result stays in L2.
    if (IsDma(type) && !bound) return Refuse("a result by DMA without a destination");
    const bool swapped = task_.kind == TaskKind::kNeural ? V(Field::kNeuralTranspose) != 0
                                                         : V(Field::kPlanarTranspose) != 0;
    ANECHECK_RETURN_IF_ERROR(CheckChain(
        type, Field::kResultFormat,
        task_.kind == TaskKind::kNeural ? Field::kNeuralTranspose : Field::kPlanarTranspose));
    result.by_dma = IsDma(type);
    result.to_l2 = UsesL2(type);
    result.chained = type == kNeighbour;
    result.bar = V(Field::kResultBar);
    result.extents = task_.output;
    result.memory = {.base = V(Field::kResultBase),
                     .group = Units(Field::kResultGroup, 64),
                     .depth = Units(Field::kResultDepth, 64),
                     .channel = Units(Field::kResultPlane, 64),
                     .row = Units(Field::kResultRow, 64),
                     .interleave = V(Field::kResultInterleave),
                     .swapped = swapped};
    result.l2 = {.base = Units(Field::kL2ResultBase, 16),
                 .group = Units(Field::kL2ResultGroup, 16),
                 .depth = Units(Field::kL2ResultDepth, 16),
                 .channel = Units(Field::kL2ResultChannel, 16),
                 .row = Units(Field::kL2ResultRow, 16),
                 .swapped = swapped};
    return ReadResultElement();
  }

  // Bytes occur in the records only as the result of neural tasks.
  Status ReadResultElement() {
    Destination& result = task_.result;
    ANECHECK_RETURN_IF_ERROR(CheckFormat(Field::kResultFormat, result.by_dma, Field::kResultMode,
                                         Field::kResultTruncate, Field::kResultMemory));
    if (V(Field::kResultFormat) != 0) return {};
    if (task_.kind != TaskKind::kNeural) {
      return Refuse("a planar result of bytes is unknown: no record has one");
    }
    if (result.to_l2) {
      return Refuse("a result of bytes in L2 is unknown: no file or record has one");
    }
    if (result.memory.interleave != 1) {
      return Refuse("interleaved bytes are unknown: no file or record has them");
    }
    result.memory.element = result.l2.element = 1;
    return {};
  }

  Status CheckEngines() const {
    const uint32_t enabled = V(Field::kEnginesEnabled);
    const uint32_t expected = task_.kind == TaskKind::kNeural ? V(Field::kActiveEngines) + 1 : 0;
    if (enabled == expected) return {};
    return Refuse(fmt::format("{} = {} does not fit {} = {} of a {} task",
                              RowOf(Field::kEnginesEnabled).name, enabled,
                              RowOf(Field::kActiveEngines).name, V(Field::kActiveEngines),
                              task_.kind == TaskKind::kNeural ? "neural" : "planar"));
  }

  Status ReadNeural() {
    NeuralTask& neural = task_.neural;
    neural.operation = static_cast<NeuralOperation>(V(Field::kNeuralOperation));
    neural.coefficients = V(Field::kNoCoefficients) == 0;
    neural.int8_coefficients =
        neural.coefficients && V(Field::kCoefficientFormat) == kInt8Coefficients;
    neural.bias_row = V(Field::kBiasRow) != 0;
    neural.kernel_width = V(Field::kKernelWidth);
    neural.kernel_height = V(Field::kKernelHeight);
    neural.stride_x = V(Field::kStrideX);
    neural.stride_y = V(Field::kStrideY);
    neural.pad_left = V(Field::kPadLeft);
    neural.pad_top = V(Field::kPadTop);
    neural.lanes = 1u << V(Field::kLaneBits);
    neural.engines = 1u << V(Field::kActiveEngines);
    neural.zero_skip = V(Field::kZeroSkip) != 0;
    neural.accumulator_bias = HalfToDouble(Half{static_cast<uint16_t>(V(Field::kAccumulatorBias))});
    neural.post_scale = HalfToDouble(Half{static_cast<uint16_t>(V(Field::kPostScale))});
    neural.nonlinear = static_cast<Nonlinear>(V(Field::kNonlinear));
    ReadStreams();
    ANECHECK_RETURN_IF_ERROR(ReadUnicast());
    ANECHECK_RETURN_IF_ERROR(CheckNeuralShape());
    return CheckNeuralOperation();
  }

  void ReadStreams() {
    NeuralTask& neural = task_.neural;
    neural.has_stream = V(Field::kKernelBound) != 0;
    neural.kernel_bar = V(Field::kKernelBar);
    neural.kernel_base = V(Field::kKernelBase);
    for (uint32_t i = 0; i < kEngines; ++i) {
      neural.streams[i] = {.enabled = values_.At(Field::kStreamEnable, i) != 0,
                           .offset = uint64_t{values_.At(Field::kStreamBase, i)} * 64,
                           .size = uint64_t{values_.At(Field::kStreamSize, i)} * 64};
    }
    neural.table_apart = task_.generation != Generation::kH13;
    neural.table_bar = V(Field::kTableBar);
    neural.table_base = V(Field::kTableBase);
  }

  Status CheckNeuralShape() const {
    const NeuralTask& neural = task_.neural;
    const Extents& in = task_.input;
    const Extents& out = task_.output;
    if (in.depth != 1 || out.depth != 1) {
      return Refuse(
          fmt::format("a neural task with depth {} to {}; only 1 is known", in.depth, out.depth));
    }
    // The last tap of the last output may lie in the padding behind the input, which is at most
    // kernel - 1 elements wide.
    const auto fits = [](uint32_t input, uint32_t output, uint32_t kernel, uint32_t stride,
                         uint32_t before) {
      const uint64_t last = uint64_t{output - 1} * stride + kernel;
      return last <= uint64_t{input} + before + (kernel - 1);
    };
    if (!fits(in.width, out.width, neural.kernel_width, neural.stride_x, neural.pad_left) ||
        !fits(in.height, out.height, neural.kernel_height, neural.stride_y, neural.pad_top)) {
      return Refuse(fmt::format("an output of {}x{} does not follow from an input of {}x{}",
                                out.height, out.width, in.height, in.width));
    }
    if (neural.unicast && uint64_t{out.channels} * neural.unicast_channels != in.channels) {
      return Refuse(
          fmt::format("{} output channels of {} input channels each, but {} input"
                      " channels",
                      out.channels, neural.unicast_channels, in.channels));
    }
    return {};
  }

  // UnicastChannels is the number of input channels for the output channels that an engine computes
  // together. Every known copy with 2, 4 or 8 lanes has that number. Other unicast operations are
  // known only with one lane.
  Status ReadUnicast() {
    NeuralTask& neural = task_.neural;
    neural.unicast = V(Field::kUnicast) != 0;
    if (!neural.unicast) return {};
    const uint32_t channels = V(Field::kUnicastChannels);
    if (channels != neural.lanes && neural.lanes != 1) {
      return Refuse(fmt::format("UnicastChannels = {} with {} lanes", channels, neural.lanes));
    }
    neural.unicast_channels = channels / neural.lanes;
    return {};
  }

  Status CheckNeuralOperation() const {
    const NeuralTask& neural = task_.neural;
    const bool plain_window = neural.kernel_width == 1 && neural.kernel_height == 1 &&
                              neural.stride_x == 1 && neural.stride_y == 1 &&
                              neural.pad_left == 0 && neural.pad_top == 0;
    const bool multiplies = V(Field::kElementMultiply) != 0;
    if (multiplies != (neural.operation == NeuralOperation::kProduct)) {
      return Refuse(fmt::format("{} = {} with {} = {}", RowOf(Field::kElementMultiply).name,
                                multiplies ? 1 : 0, RowOf(Field::kNeuralOperation).name,
                                V(Field::kNeuralOperation)));
    }
    if (neural.unicast && neural.lanes != 1 && neural.operation != NeuralOperation::kCopy) {
      return Refuse("a unicast operation with several lanes is known only as a copy");
    }
    if (!neural.coefficients) {
      if (!plain_window) return Refuse("a window without coefficients (pooling) is not known");
      if (!neural.unicast) return Refuse("an operation without coefficients that is not unicast");
      if (neural.bias_row) return Refuse("a bias row without coefficients");
      if (neural.operation == NeuralOperation::kCopy && neural.unicast_channels != 1) {
        return Refuse("a copy of more than one channel to one");
      }
    } else if (neural.operation != NeuralOperation::kMultiply) {
      return Refuse(fmt::format("{} = {} with coefficients", RowOf(Field::kNeuralOperation).name,
                                V(Field::kNeuralOperation)));
    } else if (!neural.has_stream) {
      return Refuse("coefficients without a stream");
    } else if (neural.int8_coefficients) {
      ANECHECK_RETURN_IF_ERROR(CheckInt8());
    }
    if (V(Field::kPaddingMode) != 0 && !plain_window) {
      return Refuse("no file or record has a padding of minus infinity with a window");
    }
    if (neural.nonlinear == Nonlinear::kTable) return CheckTable();
    return {};
  }

  // The order of int8 coefficients is known only for engines that compute one channel at a time
  // (less_bool_rr_375x1x1 and similar records).
  Status CheckInt8() const {
    const NeuralTask& neural = task_.neural;
    if (task_.generation != Generation::kH13) {
      return Refuse("CoefficientFormat = 1, int8: only records of H13 have it");
    }
    if (neural.lanes == 1 && neural.unicast && !neural.zero_skip && !neural.bias_row) return {};
    return Refuse(
        "int8 coefficients are known only in unicast tasks with one lane, without a bias row and "
        "with"
        " their zeros");
  }

  Status CheckTable() const {
    const NeuralTask& neural = task_.neural;
    if (neural.table_apart ? V(Field::kTableEnable) == 0 : !neural.has_stream) {
      return Refuse("the task needs an activation table, but none is bound");
    }
    return {};
  }

  double Constant(Field field) const {
    const uint32_t raw = V(field);
    for (const FieldTable::Entry& entry : table_.entries()) {
      if (entry.row->field != field) continue;
      if (entry.place.width == 16) return HalfToDouble(Half{static_cast<uint16_t>(raw)});
    }
    return static_cast<double>(std::bit_cast<float>(raw));
  }

  Status ReadPlanar() {
    PlanarTask& planar = task_.planar;
    const double factor = Constant(Field::kPreScale);
    if (factor != 1 && (factor != -1 || task_.generation != Generation::kH13)) {
      return Refuse(fmt::format("{} = {}: known are 1 and, on H13, -1",
                                RowOf(Field::kPreScale).name, factor));
    }
    planar.operation = static_cast<PlanarOperation>(V(Field::kPlanarOperation));
    planar.negate1 = V(Field::kNegate1) != 0;
    planar.negate2 = (V(Field::kNegate2) != 0) != (factor == -1);
    planar.scale = Constant(Field::kPlanarScale);
    planar.bias = Constant(Field::kPlanarBias);
    planar.relu = V(Field::kPlanarRelu) != 0;
    planar.absolute = V(Field::kAbsolute) != 0;
    planar.maximum = V(Field::kReduction) == 2;
    planar.final_scale = Constant(Field::kFinalScale);
    planar.epsilon = Constant(Field::kEpsilon);
    planar.post = static_cast<PostFunction>(V(Field::kPostFunction));
    ANECHECK_RETURN_IF_ERROR(CheckPlanarConstants());
    ANECHECK_RETURN_IF_ERROR(CheckPlanarOperation());
    if (task_.kind == TaskKind::kPlanarReduction ||
        task_.kind == TaskKind::kPlanarElementwiseReduction) {
      task_.output = {task_.input.groups, 1, task_.input.channels, 1, 1};
    } else if (task_.output != task_.input) {
      return Refuse("a planar task whose output is not as large as its input");
    }
    return {};
  }

  // Refuses combinations of constants if no record decides the order in which they apply.
  Status CheckPlanarConstants() const {
    const PlanarTask& planar = task_.planar;
    const bool scaled = planar.scale != 1;
    const bool biased = planar.bias != 0;
    if (scaled && biased) {
      return Refuse("PlanarScale and PlanarBias together: no record decides their order");
    }
    if (planar.absolute && (scaled || biased || planar.relu)) {
      return Refuse("no file or record has Absolute with a scale, a bias or relu");
    }
    const bool reduces = task_.kind == TaskKind::kPlanarReduction ||
                         task_.kind == TaskKind::kPlanarElementwiseReduction;
    if (reduces && (scaled || biased || planar.relu || planar.absolute)) {
      return Refuse("no file or record has a scale, a bias, relu or absolute value in a reduction");
    }
    if (!reduces &&
        (planar.final_scale != 1 || planar.epsilon != 0 || planar.post != PostFunction::kNone)) {
      return Refuse(
          "no file or record has FinalScale, Epsilon or PostFunction outside of a reduction");
    }
    if (planar.maximum && (planar.final_scale != 1 || planar.epsilon != 0)) {
      return Refuse("no file or record has FinalScale or Epsilon with a maximum");
    }
    return {};
  }

  Status CheckPlanarOperation() const {
    const PlanarTask& planar = task_.planar;
    const bool square = planar.operation == PlanarOperation::kSquareOfSum;
    if (planar.negate1 && !square) return Refuse("Negate1 is known only with a square");
    if (planar.negate2 && planar.operation != PlanarOperation::kAdd && !square) {
      return Refuse("Negate2 is known only with an addition or a square");
    }
    if (!TakesTwoSources() &&
        (planar.negate1 || planar.negate2 || planar.operation != PlanarOperation::kAdd)) {
      return Refuse("an elementwise operation of a task with one source");
    }
    if (task_.kind == TaskKind::kPlanarPerChannel &&
        (planar.operation != PlanarOperation::kAdd || planar.scale != 1 || planar.bias != 0)) {
      return Refuse("no file has a per-channel task with another operation, a scale or a bias");
    }
    return {};
  }

  const TaskWords& words_;
  const FieldValues& values_;
  const FieldTable& table_;
  Task task_;
};

}  // namespace

Result<Task> DecodeTask(Generation generation, const TaskWords& words, const FieldValues& values,
                        const FieldTable& table) {
  return Decoder(generation, words, values, table).Run();
}

}  // namespace anecheck::emulator
