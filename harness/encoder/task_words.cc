#include "harness/encoder/task_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <span>
#include <vector>

#include "harness/base/half.h"
#include "harness/emulator/field_table.h"
#include "harness/encoder/activation_table.h"

namespace anecheck::encoder {
namespace {

using emulator::Field;
using emulator::FieldTable;
using emulator::PlaceKind;

struct Block {
  uint32_t address;
  uint32_t registers;
};
// The blocks in the order of real files. With the header they have 157 words.
constexpr auto kBlocks = std::to_array<Block>({{0x1f800, 62},
                                               {0x0, 16},
                                               {0x13800, 28},
                                               {0x4800, 18},
                                               {0x8800, 4},
                                               {0xc800, 5},
                                               {0x17800, 7}});

// Values of real files in words that affect only scheduling (observed_values.csv).
constexpr uint32_t kDmaHints = 0x500170 >> 3, kL2Hints = 0x100 >> 3;  // 0x4804
constexpr uint32_t kStreamedResultHints = 0x500178 >> 3;              // 0x4830
constexpr uint32_t kKeptResultHints = 0x500170 >> 3;
// A bit of these words that is clear for sources and results of bytes.
constexpr uint32_t kHalfHint = 0x40 >> 3;
constexpr uint32_t kHalf = 2;  // format code of fp16; the code of bytes is 0
constexpr uint32_t kProductSchedule = 0x444, kCopySchedule = 0x111, kWideCopySchedule = 0x101;
constexpr uint32_t kWideCopy = 64;  // elements of a row
constexpr uint32_t kMiddleSchedule = 0x10;
constexpr uint32_t kManyChannels = 64, kPlanarBanks = 2, kNeuralBanks = 3;
constexpr uint32_t kNeuralPixelOffset = 0x100;
constexpr uint32_t kIdleStream = 0x40;
constexpr uint32_t kDepthOne = 0x2041;
constexpr size_t kMostOfRun = 64;  // maximum number of values of a record

uint32_t Log2(uint32_t value) { return static_cast<uint32_t>(std::bit_width(value) - 1); }
uint32_t CeilLog2(uint32_t value) { return static_cast<uint32_t>(std::bit_width(value - 1)); }
uint32_t OfStride(uint64_t bytes, uint32_t unit) { return static_cast<uint32_t>(bytes / unit); }

class Words {
 public:
  Words(const Task& task, const Machine& machine, const TaskPlace& place)
      : task_(task),
        machine_(machine),
        schedule_(*machine.schedule),
        place_(place),
        last_(place.index + 1 == place.count) {}

  td::Task Make() {
    SetHeader();
    SetExtents();
    SetSources();
    SetResult();
    if (IsNeural()) {
      SetNeural();
    } else {
      SetPlanar();
    }
    if (last_ && schedule_.cache_dma) SetCacheDma();
    return IsH13() ? Assemble() : AssembleLater();
  }

 private:
  bool IsH13() const { return machine_.generation == emulator::Generation::kH13; }
  bool IsNeural() const { return task_.type == TaskType::kNeural; }
  bool HasStream() const { return IsNeural() && !task_.neural.streams.empty(); }

  void Set(Field field, uint32_t value, uint32_t index = 0) {
    const emulator::Place& place = PlaceOf(field);
    if (place.kind == PlaceKind::kNone) return;
    if (place.kind == PlaceKind::kPacketBar) packets_[place.address] = value;
    // The packets of addresses set fields of these kinds.
    if (place.kind == PlaceKind::kPacketBar || place.kind == PlaceKind::kBound) return;
    const uint32_t address = place.address + (place.kind == PlaceKind::kHeader ? 0 : 4 * index);
    uint32_t& word = place.kind == PlaceKind::kHeader ? header_[address] : registers_[address];
    const uint64_t mask = (uint64_t{1} << place.width) - 1;
    word |= static_cast<uint32_t>((value & mask) << place.bit);
  }

  using Places = std::vector<emulator::Place>;
  static Places PlacesOf(emulator::Generation generation) {
    Places made(emulator::kFieldValues);
    for (const FieldTable::Entry& entry : FieldTable::Of(generation).entries()) {
      made[static_cast<size_t>(entry.row->field)] = entry.place;
    }
    return made;
  }
  const emulator::Place& PlaceOf(Field field) const {
    static const std::array<Places, emulator::kGenerations> places = [] {
      std::array<Places, emulator::kGenerations> all;
      for (size_t i = 0; i < all.size(); ++i) {
        all[i] = PlacesOf(static_cast<emulator::Generation>(i));
      }
      return all;
    }();
    return places[static_cast<size_t>(machine_.generation)][static_cast<size_t>(field)];
  }

  // Sets a number as fp16 in a field of 16 bits, or as fp32 in a wider field.
  void SetNumber(Field field, uint16_t half) {
    const bool wide = PlaceOf(field).width == 32;
    Set(field, wide ? std::bit_cast<uint32_t>(HalfToFloat(Half{half})) : half);
  }

  // Selects one of four values by the task's position in the network.
  uint32_t OfPlace(const std::array<uint32_t, 4>& values) const {
    if (place_.count == 1) return values[0];
    return place_.index == 0 ? values[1] : last_ ? values[3] : values[2];
  }

  void SetHeader() {
    Set(Field::kTaskNumber, place_.index);
    Set(Field::kLogEvents, OfPlace(schedule_.log_events));
    Set(Field::kDebugEvents, OfPlace(schedule_.debug_events));
    Set(Field::kHeaderWord6, schedule_.header6[last_ ? 0 : 1]);
    Set(Field::kNextValid, last_ ? 0 : 1);
    // A word after the header names the task that wrote the kernel.
    const bool extra = !IsH13() && HasStream() && IsRuntimeKernel();
    Set(Field::kTaskFlags,
        schedule_.task_flags | (extra ? 2u : 0u) | (last_ ? schedule_.last_task_flags : 0u));
    Set(Field::kNextFetch, last_ ? 0 : 1);
    Set(Field::kEnginesEnabled, IsNeural() ? task_.neural.engine_bits + 1 : 0);
    if (!task_.source1.in_l2) {
      Set(Field::kSource1Bar, task_.source1.bar);
      Set(Field::kSource1Bound, 1);
    }
    if (task_.source2 && !task_.source2->in_l2) {
      Set(Field::kSource2Bar, task_.source2->bar);
      Set(Field::kSource2Bound, 1);
    }
    if (!task_.result.in_l2) {
      Set(Field::kResultBar, task_.result.bar);
      Set(Field::kResultBound, 1);
    }
    if (HasStream()) {
      Set(Field::kKernelBar, KernelBar());
      Set(Field::kKernelBound, 1);
    }
  }

  void SetExtents() {
    Set(Field::kInputWidth, task_.in.width);
    Set(Field::kInputHeight, task_.in.height);
    Set(Field::kInputDepth, task_.in.depth);
    Set(Field::kInputChannels, task_.in.channels);
    Set(Field::kOutputWidth, task_.out.width);
    Set(Field::kOutputHeight, task_.out.height);
    Set(Field::kOutputDepth, task_.out.depth);
    Set(Field::kOutputChannels, task_.out.channels);
    Set(Field::kGroups, task_.groups);
    Set(Field::kSource1Format, FormatOf(task_.source1));
    Set(Field::kSource2Format, task_.source2 ? kHalf : 0);
    Set(Field::kResultFormat, FormatOf(task_.result));
    const Neural& n = task_.neural;
    Set(Field::kKernelWidth, n.kernel_width);
    Set(Field::kKernelHeight, n.kernel_height);
    Set(Field::kLaneBits, n.lane_bits);
    Set(Field::kStrideX, n.stride_x);
    Set(Field::kStrideY, n.stride_y);
    Set(Field::kPadLeft, n.pad_left);
    Set(Field::kPadTop, n.pad_top);
    Set(Field::kOutputStepX, 1);
    Set(Field::kOutputStepY, 1);
    Set(Field::kDepthKernel, kDepthOne);
    Set(Field::kUnicast, IsNeural() && n.unicast ? 1 : 0);
    Set(Field::kUnicastChannels, n.unicast_channels);
    Set(Field::kTileHeight, task_.out.height);
    Set(Field::kTaskType, static_cast<uint32_t>(task_.type));
    const bool both_by_dma = task_.source2 && !task_.source2->in_l2;
    if (machine_.source_mask) Set(Field::kSourceMask, both_by_dma ? 3 : 1);
  }

  static uint32_t FormatOf(const Place& place) { return place.OfBytes() ? 0 : kHalf; }

  // Returns the group stride in memory. Real files have no group stride if there is only one group.
  uint64_t GroupOf(const Place& place) const { return task_.groups > 1 ? place.group : 0; }

  // Records of later generations omit the strides of axes of extent 1; real files of H13 have them.
  uint32_t RowOf(const Place& place, const Extents& extents) const {
    return IsH13() || extents.height > 1 ? OfStride(place.row, kLine) : 0;
  }
  uint32_t DepthOf(const Place& place, const Extents& extents) const {
    return IsH13() || extents.depth > 1 ? OfStride(place.depth, kLine) : 0;
  }

  void SetSources() {
    const Place& one = task_.source1;
    const bool by_dma = !one.in_l2;
    Set(Field::kSource1Enable, by_dma ? 1 : 0);
    Set(Field::kSource1Hints, by_dma ? schedule_.source_hints : schedule_.idle_source_hints);
    Set(Field::kSource1Cache, by_dma ? schedule_.source_cache : 0);
    Set(Field::kSourceType, by_dma ? 2 : 0);
    Set(Field::kSourceHints, one.OfBytes() ? kDmaHints & ~kHalfHint
                             : by_dma      ? kDmaHints
                                           : kL2Hints);
    if (!one.OfBytes()) {
      Set(Field::kSource1Mode, 1);
      Set(Field::kSource1Truncate, 3);
      Set(Field::kSource1Memory, 2);
    }
    Set(Field::kSource1Interleave, 1);
    if (by_dma) {
      Set(Field::kSource1Base, static_cast<uint32_t>(one.base));
      Set(Field::kSource1Row, RowOf(one, task_.in));
      Set(Field::kSource1Plane, OfStride(one.channel, kLine));
      Set(Field::kSource1Depth, DepthOf(one, task_.in));
      Set(Field::kSource1Group, OfStride(GroupOf(one), kLine));
    }
    SetL2Source1();
    SetSource2();
    Set(Field::kPixelOffset, IsNeural() ? kNeuralPixelOffset : 0);
  }

  // A source by DMA passes through lines of L2. The same registers define these lines.
  void SetL2Source1() {
    const Place place = task_.source1.in_l2 ? task_.source1 : StreamedSource1();
    Set(Field::kL2Source1Base, OfStride(place.base, kL2Line));
    Set(Field::kL2Source1Channel, OfStride(place.channel, kL2Line));
    Set(Field::kL2Source1Row, OfStride(place.row, kL2Line));
    Set(Field::kL2Source1Depth, OfStride(place.depth, kL2Line));
    Set(Field::kL2Source1Group, OfStride(place.group, kL2Line));
  }

  void SetSource2() {
    const bool by_dma = task_.source2 && !task_.source2->in_l2;
    Set(Field::kSource2Enable, 0);
    Set(Field::kSource2CacheHints, by_dma ? schedule_.source_hints : schedule_.idle_source_hints);
    if (!task_.source2) return;
    Set(Field::kSource2Type, by_dma ? 2 : 0);
    if (!IsH13()) {
      Set(Field::kSource2Interleave, 1);
      Set(Field::kSource2Mode, 1);
    }
    const Place& two = *task_.source2;
    if (by_dma) {
      Set(Field::kSource2Dma, 1);
      Set(Field::kSource2Base, static_cast<uint32_t>(two.base));
      // Rows with a number for each channel have a stride although the task has one row.
      Set(Field::kSource2Row,
          IsNeural() || !task_.planar.transpose2 ? RowOf(two, task_.in) : OfStride(two.row, kLine));
      Set(Field::kSource2Plane, OfStride(two.channel, kLine));
      Set(Field::kSource2Depth, DepthOf(two, task_.in));
      Set(Field::kSource2Group, OfStride(GroupOf(two), kLine));
      Set(Field::kSource2Truncate, 3);
      Set(Field::kSource2Memory, 2);
    }
    const Place place = two.in_l2 ? two : Streamed(task_.in, SecondSource(), kPlanarBanks);
    Set(Field::kL2Source2Base, OfStride(place.base, kL2Line));
    Set(Field::kL2Source2Channel, OfStride(place.channel, kL2Line));
    Set(Field::kL2Source2Row, OfStride(place.row, kL2Line));
    Set(Field::kL2Source2Depth, OfStride(place.depth, kL2Line));
    Set(Field::kL2Source2Group, OfStride(place.group, kL2Line));
  }

  static uint64_t LineBytes(const Extents& extents, uint32_t element) {
    const uint64_t channel = (uint64_t{element} * extents.width + kL2Line - 1) / kL2Line * kL2Line;
    return channel * extents.channels;
  }

  // Returns consecutive lines of all channels, as in real files. If there are many channels, each
  // row has a few more lines, probably because of the banks of L2.
  static Place Streamed(const Extents& extents, uint64_t base, uint32_t banks,
                        uint32_t element = 2) {
    Place place{.in_l2 = true, .base = base};
    const uint64_t line = LineBytes(extents, element);
    place.channel = line / extents.channels;
    place.row = line + (extents.channels >= kManyChannels ? banks * kL2Line : 0);
    place.depth = place.group = line;
    return place;
  }
  Place StreamedSource1() const {
    return Streamed(task_.in, 0, SourceBanks(), task_.source1.element);
  }
  uint32_t SourceBanks() const {
    if (!IsNeural()) return kPlanarBanks;
    return task_.neural.coefficients || task_.in.height > 1 ? kNeuralBanks : 0;
  }
  uint64_t SecondSource() const {
    return Streamed(task_.in, 0, kPlanarBanks).row + kPlanarBanks * kL2Line;
  }

  void SetResult() {
    const bool by_dma = !task_.result.in_l2;
    const bool keeps = IsNeural() && task_.neural.coefficients;
    Set(Field::kResultEnable, by_dma ? 1 : 0);
    Set(Field::kResultCacheHints,
        by_dma && !keeps ? schedule_.streamed_result_hints : schedule_.result_hints);
    Set(Field::kResultType, by_dma ? 2 : 0);
    const uint32_t hints = by_dma && !keeps ? kStreamedResultHints
                           : by_dma         ? kKeptResultHints
                                            : kL2Hints;
    const bool bytes = task_.result.OfBytes();
    Set(Field::kResultHints, bytes ? hints & ~kHalfHint : hints);
    if (!bytes) {
      Set(Field::kResultMode, 1);
      Set(Field::kResultTruncate, 3);
      Set(Field::kResultMemory, 2);
    }
    Set(Field::kResultFormatBits, IsNeural() || !IsH13() ? 3 : 0);
    Set(Field::kResultFormatHigh, 15);
    Set(Field::kResultInterleave, 1);
    if (by_dma) {
      Set(Field::kResultBase, static_cast<uint32_t>(task_.result.base));
      Set(Field::kResultRow, RowOf(task_.result, task_.out));
      Set(Field::kResultPlane, OfStride(task_.result.channel, kLine));
      Set(Field::kResultDepth, DepthOf(task_.result, task_.out));
      Set(Field::kResultGroup, OfStride(GroupOf(task_.result), kLine));
    }
    SetL2Result(by_dma, keeps);
    Set(IsNeural() ? Field::kNeuralTranspose : Field::kPlanarTranspose,
        task_.transpose_result ? 1 : 0);
    Set(Field::kPaddingMode, task_.pads_with_lowest ? 1 : 0);
  }

  void SetL2Result(bool by_dma, bool keeps) {
    Place place = task_.result;
    if (by_dma) {
      place = Streamed(task_.out, 0, kPlanarBanks);
      place.base = StreamedResult();
      if (!keeps) place.channel = place.row = place.depth = place.group = 0;
    }
    Set(Field::kL2ResultBase, OfStride(place.base, kL2Line));
    Set(Field::kL2ResultChannel, OfStride(place.channel, kL2Line));
    Set(Field::kL2ResultRow, OfStride(place.row, kL2Line));
    Set(Field::kL2ResultDepth, OfStride(place.depth, kL2Line));
    Set(Field::kL2ResultGroup, OfStride(place.group, kL2Line));
  }

  // Returns the offset of the result in L2, which is behind the lines of the sources.
  uint64_t StreamedResult() const {
    if (task_.source1.in_l2) return 0;
    const uint64_t one = StreamedSource1().row;
    return task_.source2 && !task_.source2->in_l2 ? SecondSource() + one : one;
  }

  void SetNeural() {
    const Neural& n = task_.neural;
    const bool wide = task_.in.width > kWideCopy;
    Set(Field::kSmallSource, n.coefficients ? 1 : 0);
    Set(Field::kScheduleLow, n.coefficients ? kProductSchedule
                             : wide         ? kWideCopySchedule
                                            : kCopySchedule);
    Set(Field::kScheduleMiddle, kMiddleSchedule);
    Set(Field::kActiveEngines, n.engine_bits);
    Set(Field::kTaskInfo, schedule_.task_info);
    Set(Field::kCoefficientFormat, n.coefficients ? 2 : 0);
    Set(Field::kPaletteBits, 8);
    Set(Field::kZeroSkip, n.zero_skip ? 1 : 0);
    Set(Field::kRuntimeKernel, HasStream() && IsRuntimeKernel() ? 1 : 0);
    Set(Field::kNeuralOperation, static_cast<uint32_t>(n.op));
    Set(Field::kNoCoefficients, n.coefficients ? 0 : 1);
    Set(Field::kBiasRow, n.bias ? 1 : 0);
    const bool binary_point = n.coefficients || (n.table_base && !IsH13());
    Set(Field::kBinaryPoint, binary_point ? schedule_.binary_point : 0);
    Set(Field::kDetectZeros,
        HasStream() && n.coefficients && !IsRuntimeKernel() ? schedule_.detect_zeros : 0);
    Set(Field::kMacSmallSource, n.coefficients ? 1 : 0);
    Set(Field::kNonlinear, static_cast<uint32_t>(n.nonlinear));
    Set(Field::kNeuralBit20, 1);
    Set(Field::kAccumulatorBias, n.accumulator_bias);
    Set(Field::kPostScale, n.post_scale);
    SetStreams();
  }

  void SetStreams() {
    const std::vector<Stream>& streams = task_.neural.streams;
    if (!streams.empty() || !IsH13()) {
      Set(Field::kKernelDma, streams.empty()          ? schedule_.table_dma
                             : task_.neural.zero_skip ? schedule_.kernel_dma_skipping
                                                      : schedule_.kernel_dma);
    }
    SetTable();
    if (streams.empty() && !IsH13()) return;
    Set(Field::kKernelBase, 0);
    for (uint32_t i = 0; i < kEngineCount; ++i) {
      const Stream stream = i < streams.size() ? streams[i] : Stream{.size = kIdleStream};
      Set(Field::kStreamEnable, i < streams.size() ? 1 : 0, i);
      Set(Field::kStreamHints, schedule_.stream_hints, i);
      Set(Field::kStreamBase, OfStride(stream.base, kLine), i);
      Set(Field::kStreamSize, OfStride(stream.size, kLine), i);
    }
    for (uint32_t i = 0; i < 4; ++i) Set(Field::kOtherStreamHints, 1, i);
  }

  // Sets a table that has its own address.
  void SetTable() {
    if (!task_.neural.table_base) return;
    Set(Field::kTableEnable, 1);
    Set(Field::kTableHints, schedule_.table_hints);
    Set(Field::kTableBar, place_.kernel_bar);
    Set(Field::kTableBase, static_cast<uint32_t>(*task_.neural.table_base));
    Set(Field::kTableSize, kTableBytes);
  }

  uint32_t KernelBar() const { return task_.neural.kernel_bar.value_or(place_.kernel_bar); }
  bool IsRuntimeKernel() const {
    return KernelBar() != place_.kernel_bar && KernelBar() != machine_.constants_bar;
  }

  void SetPlanar() {
    const Planar& p = task_.planar;
    const uint32_t wide = std::clamp(CeilLog2(task_.in.width), 4u, 9u);
    Set(Field::kPlanarTile, wide | Log2(task_.in.height) << 4);
    Set(Field::kBroadcast1W, p.broadcast1.width ? 1 : 0);
    Set(Field::kBroadcast1H, p.broadcast1.height ? 1 : 0);
    Set(Field::kBroadcast1D, p.broadcast1.depth ? 1 : 0);
    Set(Field::kBroadcast2W, p.broadcast2.width ? 1 : 0);
    Set(Field::kBroadcast2H, p.broadcast2.height ? 1 : 0);
    Set(Field::kBroadcast2C, p.broadcast2.channels ? 1 : 0);
    Set(Field::kTranspose2, p.transpose2 ? 1 : 0);
    Set(Field::kReduction, p.maximum ? 2 : 0);
    Set(Field::kPlanarOperation, static_cast<uint32_t>(p.op));
    Set(Field::kPlanarRelu, p.relu ? 1 : 0);
    Set(Field::kAbsolute, p.absolute ? 1 : 0);
    Set(Field::kPostFunction, static_cast<uint32_t>(p.post));
    Set(Field::kNegate1, p.negate1 ? 1 : 0);
    Set(Field::kNegate2, p.negate2 ? 1 : 0);
    Set(Field::kSource2Used, task_.source2 ? 1 : 0);
    SetNumber(Field::kPlanarBias, p.bias);
    SetNumber(Field::kPlanarScale, p.scale);
    SetNumber(Field::kEpsilon, p.epsilon);
    SetNumber(Field::kPreScale, 0x3c00);
    Set(Field::kFinalScale, std::bit_cast<uint32_t>(p.final_scale));
  }

  // Sets telemetry and prefetch of the last task as records do.
  void SetCacheDma() {
    Set(Field::kCacheDma0, 0x12);
    Set(Field::kCacheDma1, 0xa000a0);
    if (place_.count > 1) Set(Field::kCacheDma2, 0x100e0);
    Set(Field::kCacheDma6, 0);
    Set(Field::kCacheDma10, 0x7f0000);
    Set(Field::kCacheDma11, 0x20010701);
  }

  td::Task Assemble() {
    td::Task made;
    made.header = header_;
    if (td::AnnouncesExtraWord(made, td::kV7HeaderWords)) made.extra_word = task_.kernel_writer;
    for (const Block& block : kBlocks) {
      std::vector<uint32_t> run(block.registers);
      for (uint32_t i = 0; i < block.registers; ++i) {
        const auto found = registers_.find(block.address + 4 * i);
        if (found != registers_.end()) run[i] = found->second;
      }
      made.Write(block.address, run);
    }
    return made;
  }

  // Writes runs of neighbouring registers, then the packets of addresses (header_forms.md, 3).
  td::Task AssembleLater() {
    td::Task made;
    made.header = header_;
    if (td::AnnouncesExtraWord(made, machine_.header_words)) made.extra_word = task_.kernel_writer;
    std::vector<uint32_t> run;
    uint32_t begin = 0;
    const auto flush = [&] {
      if (!run.empty()) made.Write(begin, run);
      run.clear();
    };
    for (const auto& [address, value] : registers_) {
      if (packets_.contains(address) || TakesStreamId(address)) continue;
      const auto end = begin + static_cast<uint32_t>(4 * run.size());
      if (run.empty() || address != end || run.size() == kMostOfRun) {
        flush();
        begin = address;
      }
      run.push_back(value);
    }
    flush();
    const uint32_t source2 = PlaceOf(Field::kSource2Bar).address;
    for (const auto& [address, bar] : packets_) {
      // The high word of a base follows the base.
      const std::array<uint32_t, 2> words = {RegisterAt(address), 0};
      const bool twice = machine_.source2_twice && address == source2;
      for (int i = 0; i < (twice ? 2 : 1); ++i) WritePacket(made, address, bar, words);
    }
    for (const uint32_t address : machine_.stream_id.registers) {
      if (!TakesStreamId(address)) continue;
      WritePacket(made, address, machine_.stream_id.bar, std::array{RegisterAt(address)});
    }
    return made;
  }

  uint32_t RegisterAt(uint32_t address) const {
    const auto found = registers_.find(address);
    return found == registers_.end() ? 0 : found->second;
  }
  static void WritePacket(td::Task& made, uint32_t address, uint32_t bar,
                          std::span<const uint32_t> words) {
    made.Write(address, words);
    made.writes.back().reserved = static_cast<uint16_t>(td::kAddressPacket | bar);
  }

  // Returns whether the task has the surface whose stream id is in register `address`.
  bool TakesStreamId(uint32_t address) const {
    constexpr std::array kBases = {Field::kSource1Bar, Field::kSource2Bar, Field::kResultBar};
    for (size_t i = 0; i < kBases.size(); ++i) {
      if (machine_.stream_id.bar != 0 && machine_.stream_id.registers[i] == address) {
        return packets_.contains(PlaceOf(kBases[i]).address);
      }
    }
    return false;
  }

  const Task& task_;
  const Machine& machine_;
  const ScheduleWords& schedule_;
  TaskPlace place_;
  bool last_;
  std::array<uint32_t, td::kMaxHeaderWords> header_ = {};
  std::map<uint32_t, uint32_t> registers_;
  std::map<uint32_t, uint32_t>
      packets_;  // number of the base address, by the register of the offset
};

}  // namespace

td::Task ToWords(const Task& task, const Machine& machine, const TaskPlace& place) {
  return Words(task, machine, place).Make();
}

}  // namespace anecheck::encoder
