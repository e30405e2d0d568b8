#include "harness/emulator/coefficients.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "harness/base/round_up.h"
#include "harness/emulator/surface.h"

namespace anecheck::emulator {
namespace {

constexpr uint64_t kStreamUnit = 64;

// Returns the number of slots per mask in a zero-skip stream, or 0 if no record has such a stream.
uint32_t MaskSlots(Generation generation) {
  switch (generation) {
    case Generation::kH13:
      return 8;
    case Generation::kH14:
      return 16;
    default:
      return 0;
  }
}

// Reads one engine's stream from its start. Reads beyond the end return zeros and set `overrun`.
class StreamReader {
 public:
  explicit StreamReader(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  uint16_t Half() { return static_cast<uint16_t>(Little(2)); }
  // An int8 coefficient is in two's complement, because the records of `less` subtract y with the
  // coefficient 0xff, which is -1.
  float SignedByte() { return static_cast<float>(static_cast<int8_t>(Little(1))); }
  uint32_t Little(uint32_t count) {
    uint32_t value = 0;
    if (bytes_.size() - at_ < count) {
      overrun_ = true;
      return 0;
    }
    std::memcpy(&value, bytes_.data() + at_, count);
    at_ += count;
    return value;
  }
  void Align(uint64_t unit) { at_ = std::min<uint64_t>(RoundUp(at_, unit), bytes_.size()); }
  uint64_t position() const { return at_; }
  bool overrun() const { return overrun_; }

 private:
  std::span<const uint8_t> bytes_;
  uint64_t at_ = 0;
  bool overrun_ = false;
};

class Unpacker {
 public:
  Unpacker(const Task& task, const Memory& memory, WithPlaces with_places)
      : task_(task), neural_(task.neural), memory_(memory), with_places_(with_places) {}

  Result<Coefficients> Run() {
    ANECHECK_RETURN_IF_ERROR(ReadTableApart());
    if (!neural_.has_stream) return std::move(result_);
    ANECHECK_ASSIGN(surface_, memory_.Read(neural_.kernel_bar, Who("the coefficients")));
    if (neural_.coefficients) ANECHECK_RETURN_IF_ERROR(MakeRoom());
    uint32_t used = neural_.coefficients ? std::min<uint64_t>(neural_.engines, Sets()) : 0;
    if (!neural_.coefficients && TableInStream()) used = 1;
    for (uint32_t engine = 0; engine < kEngines; ++engine) {
      const EngineStream& stream = neural_.streams[engine];
      if (engine < used && !stream.enabled) {
        return Refuse(engine, "has output channels and no stream");
      }
      if (stream.enabled) ANECHECK_RETURN_IF_ERROR(ReadEngine(engine));
    }
    return std::move(result_);
  }

  Result<std::optional<ActivationTable>> RunTable() {
    ANECHECK_RETURN_IF_ERROR(ReadTableApart());
    if (!TableInStream() || !neural_.has_stream) return result_.table;
    ANECHECK_ASSIGN(surface_, memory_.Read(neural_.kernel_bar, Who("the coefficients")));
    const auto first = std::ranges::find(neural_.streams, true, &EngineStream::enabled);
    if (first == neural_.streams.end()) return result_.table;
    const auto engine = static_cast<uint32_t>(first - neural_.streams.begin());
    ANECHECK_ASSIGN(const auto bytes, BytesOf(engine));
    StreamReader reader(bytes);
    ANECHECK_RETURN_IF_ERROR(ReadTable(engine, bytes, reader));
    return result_.table;
  }

 private:
  bool TableInStream() const {
    return neural_.nonlinear == Nonlinear::kTable && !neural_.table_apart;
  }
  // Returns the number of sets of output channels in a group. An engine computes a set together.
  uint64_t Sets() const { return (task_.output.channels + neural_.lanes - 1) / neural_.lanes; }

  std::string Who(std::string_view what) const {
    return fmt::format("task {}, {}", task_.index, what);
  }
  Error Refuse(uint32_t engine, std::string_view what) const {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("task {}, stream of engine {}: {}", task_.index, engine, what),
                     task_.offset);
  }

  Status MakeRoom() {
    const uint64_t channels = neural_.ChannelsPerOutput(task_.input.channels);
    result_.taps = channels * neural_.kernel_width * neural_.kernel_height;
    const uint64_t outputs = uint64_t{task_.output.groups} * task_.output.channels;
    if (result_.taps > kMaxElements || outputs > kMaxElements ||
        result_.taps * outputs > kMaxElements) {
      return MakeError(
          ErrorCode::kLimit,
          fmt::format("task {}: {} coefficients for each of {} outputs; at most {} are emulated",
                      task_.index, result_.taps, outputs, kMaxElements));
    }
    // The size of the container bounds the memory. A coefficient takes one or two bytes, and a slot
    // of a zero-skip stream takes at least one bit. The engines may share one stream.
    const uint64_t most =
        surface_.size() * (neural_.zero_skip ? 8 : kEngines / neural_.CoefficientBytes());
    if (result_.taps * outputs > most) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("task {}: {} coefficients do not fit a surface of {} bytes",
                                   task_.index, result_.taps * outputs, surface_.size()),
                       task_.offset);
    }
    result_.weights.resize(result_.taps * outputs);
    if (with_places_ == WithPlaces::kYes && !neural_.zero_skip) {
      result_.places.resize(result_.weights.size());
    }
    if (neural_.bias_row) result_.bias.resize(outputs);
    return {};
  }

  Status ReadTableApart() {
    if (neural_.nonlinear != Nonlinear::kTable || !neural_.table_apart) return {};
    ANECHECK_ASSIGN(const auto bytes, memory_.Read(neural_.table_bar, Who("the table")));
    if (neural_.table_base > bytes.size() || bytes.size() - neural_.table_base < kTableBytes) {
      return MakeError(ErrorCode::kInvalid, Who("the table leaves its surface"), task_.offset);
    }
    ANECHECK_ASSIGN(result_.table,
                    ParseTable(bytes.subspan(neural_.table_base, kTableBytes), Who("the table")));
    return {};
  }

  // Returns the bytes of a stream. The stated size of a zero-skip stream is that of the largest
  // block. Such a stream may be shorter and end with the surface.
  Result<std::span<const uint8_t>> BytesOf(uint32_t engine) const {
    const EngineStream& stream = neural_.streams[engine];
    const uint64_t begin = neural_.kernel_base + stream.offset;
    const uint64_t room = begin <= surface_.size() ? surface_.size() - begin : 0;
    if (room == 0 || (room < stream.size && !neural_.zero_skip)) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("task {}, stream of engine {}: 0x{:x} bytes at 0x{:x} leave a"
                                   " surface of 0x{:x} bytes",
                                   task_.index, engine, stream.size, begin, surface_.size()),
                       task_.offset);
    }
    return surface_.subspan(begin, std::min(room, stream.size));
  }

  Status ReadEngine(uint32_t engine) {
    ANECHECK_ASSIGN(const auto bytes, BytesOf(engine));
    StreamReader reader(bytes);
    if (TableInStream()) ANECHECK_RETURN_IF_ERROR(ReadTable(engine, bytes, reader));
    if (neural_.coefficients) {
      for (uint64_t group = 0; group < task_.output.groups; ++group) {
        for (uint64_t set = engine; set < Sets(); set += neural_.engines) {
          if (neural_.zero_skip) {
            ANECHECK_RETURN_IF_ERROR(ReadZeroSkip(engine, group, set, reader));
          } else {
            ANECHECK_RETURN_IF_ERROR(ReadDense(engine, group, set, reader));
          }
          if (reader.overrun()) return Refuse(engine, "ends before its coefficients do");
          if (task_.output.groups > 1) reader.Align(kStreamUnit);
        }
      }
    }
    return CheckUsedUp(engine, reader);
  }

  Status ReadTable(uint32_t engine, std::span<const uint8_t> bytes, StreamReader& reader) {
    if (bytes.size() < kTableBytes) return Refuse(engine, "is shorter than its activation table");
    const auto table = bytes.first(kTableBytes);
    if (!result_.table) {
      ANECHECK_ASSIGN(result_.table,
                      ParseTable(table, Who(fmt::format("stream of engine {}", engine))));
      first_table_ = table;
    } else if (!std::ranges::equal(table, first_table_)) {
      return Refuse(engine,
                    "has another activation table than the first engine; no known task has two");
    }
    for (uint64_t i = 0; i < kTableBytes / 2; ++i) reader.Half();
    return {};
  }

  // Returns the number of output channels of a set. It is `lanes`, except for the last set.
  uint64_t SetSize(uint64_t set) const {
    return std::min<uint64_t>(neural_.lanes, task_.output.channels - set * neural_.lanes);
  }
  float* WeightsOf(uint64_t group, uint64_t channel) {
    return result_.weights.data() + (group * task_.output.channels + channel) * result_.taps;
  }

  Status ReadBias(uint64_t group, uint64_t set, StreamReader& reader) {
    if (!neural_.bias_row) return {};
    for (uint64_t lane = 0; lane < neural_.lanes; ++lane) {
      const float value = NumberOf(reader.Half());
      if (lane >= SetSize(set)) continue;
      result_.bias[group * task_.output.channels + set * neural_.lanes + lane] = value;
    }
    return {};
  }

  Status ReadDense(uint32_t engine, uint64_t group, uint64_t set, StreamReader& reader) {
    if (SetSize(set) < neural_.lanes) {
      return Refuse(engine, fmt::format("a set of {} output channels for {} lanes; no file or"
                                        " record shows how wide its rows are",
                                        SetSize(set), neural_.lanes));
    }
    ANECHECK_RETURN_IF_ERROR(ReadBias(group, set, reader));
    for (uint64_t row = 0; row < result_.taps; ++row) {
      for (uint64_t lane = 0; lane < neural_.lanes; ++lane) {
        float* const weight = WeightsOf(group, set * neural_.lanes + lane) + row;
        if (!result_.places.empty()) {
          result_.places[static_cast<size_t>(weight - result_.weights.data())] =
              neural_.kernel_base + neural_.streams[engine].offset + reader.position();
        }
        *weight = neural_.int8_coefficients ? reader.SignedByte() : NumberOf(reader.Half());
      }
    }
    return {};
  }

  // The slots of a set. Their axes are in this order: channel, phase of the stride in y and x, tap
  // of the phase in y and x, lane.
  struct Slots {
    uint64_t phases_y, phases_x, taps_y, taps_x, lanes;
    uint64_t count = 0;
  };
  Slots SlotsOf() const {
    Slots slots{neural_.stride_y, neural_.stride_x, 0, 0, std::max<uint64_t>(2, neural_.lanes)};
    slots.taps_y = (neural_.kernel_height + slots.phases_y - 1) / slots.phases_y;
    slots.taps_x = (neural_.kernel_width + slots.phases_x - 1) / slots.phases_x;
    slots.count = neural_.ChannelsPerOutput(task_.input.channels) * slots.phases_y *
                  slots.phases_x * slots.taps_y * slots.taps_x * slots.lanes;
    return slots;
  }
  // Returns the weight that slot `index` of a set gives, or nullptr for a slot that is always
  // empty.
  float* Place(const Slots& slots, uint64_t index, uint64_t group, uint64_t set) {
    const auto take = [&](uint64_t extent) {
      const uint64_t part = index % extent;
      index /= extent;
      return part;
    };
    const uint64_t lane = take(slots.lanes);
    const uint64_t tap_x = take(slots.taps_x);
    const uint64_t tap_y = take(slots.taps_y);
    const uint64_t kx = tap_x * slots.phases_x + take(slots.phases_x);
    const uint64_t ky = tap_y * slots.phases_y + take(slots.phases_y);
    if (kx >= neural_.kernel_width || ky >= neural_.kernel_height || lane >= SetSize(set)) {
      return nullptr;
    }
    const uint64_t row = (index * neural_.kernel_height + ky) * neural_.kernel_width + kx;
    return WeightsOf(group, set * neural_.lanes + lane) + row;
  }

  Status ReadZeroSkip(uint32_t engine, uint64_t group, uint64_t set, StreamReader& reader) {
    const uint32_t mask_slots = MaskSlots(task_.generation);
    if (mask_slots == 0) {
      return Refuse(engine, fmt::format("a zero-skip stream of {}: no record has one",
                                        GenerationName(task_.generation)));
    }
    if (task_.output.groups > 1) return Refuse(engine, "zero-skip streams of groups are not known");
    ANECHECK_RETURN_IF_ERROR(ReadBias(group, set, reader));
    const uint64_t body = reader.Little(3);
    const uint64_t begin = reader.position();
    const Slots slots = SlotsOf();
    for (uint64_t first = 0; first < slots.count && !reader.overrun(); first += mask_slots) {
      const uint32_t mask = reader.Little(mask_slots / 8);
      for (uint32_t bit = 0; bit < mask_slots; ++bit) {
        if ((mask >> bit & 1) == 0) continue;
        float* place = first + bit < slots.count ? Place(slots, first + bit, group, set) : nullptr;
        if (place == nullptr) {
          return Refuse(engine, fmt::format("slot {} has a value but belongs to no coefficient",
                                            first + bit));
        }
        *place = NumberOf(reader.Half());
      }
    }
    if (reader.position() - begin == body) return {};
    return Refuse(engine, fmt::format("a zero-skip body of {} bytes, of which {} are used", body,
                                      reader.position() - begin));
  }

  Status CheckUsedUp(uint32_t engine, const StreamReader& reader) const {
    const uint64_t size = neural_.streams[engine].size;
    const uint64_t used = RoundUp(reader.position(), kStreamUnit);
    if (used == size || (neural_.zero_skip && used < size)) return {};
    return Refuse(engine,
                  fmt::format("0x{:x} bytes, of which the coefficients use 0x{:x}", size, used));
  }

  const Task& task_;
  const NeuralTask& neural_;
  const Memory& memory_;
  std::span<const uint8_t> surface_;
  WithPlaces with_places_;
  std::span<const uint8_t> first_table_;
  Coefficients result_;
};

}  // namespace

Result<Coefficients> ReadCoefficients(const Task& task, const Memory& memory,
                                      WithPlaces with_places) {
  return Unpacker(task, memory, with_places).Run();
}

Result<std::optional<ActivationTable>> ReadTable(const Task& task, const Memory& memory) {
  if (task.kind != TaskKind::kNeural || task.neural.nonlinear != Nonlinear::kTable) {
    return std::optional<ActivationTable>();
  }
  return Unpacker(task, memory, WithPlaces::kNo).RunTable();
}

}  // namespace anecheck::emulator
