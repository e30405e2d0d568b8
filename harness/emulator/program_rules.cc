#include "harness/emulator/program_rules.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "harness/base/round_up.h"
#include "harness/emulator/activation_table.h"
#include "harness/emulator/surface.h"
#include "harness/formats/message.h"
#include "harness/formats/rules.h"

namespace anecheck::emulator {
namespace {

constexpr FactEvidence kReal = FactEvidence::kRealFile;
constexpr std::string_view kLayout = "layout.md of the facts of H13 programs; every real container";
constexpr std::string_view kExecution = "execution.md of the facts of H13 programs, \"Refusals\"";
constexpr uint64_t kStreamUnit = 64;
// The greatest number of elements of an access that is tracked from task to task.
constexpr uint64_t kMostOfSurface = uint64_t{1} << 24;

struct Model {
  Program program;
  std::vector<Task> tasks;
};

// ---- streams ----

// Returns the bytes of the coefficients of one engine, without the last padding. Works only for
// dense streams, because the length of a zero-skip stream depends on its values.
uint64_t StreamBytes(const Task& task, uint32_t engine) {
  const NeuralTask& neural = task.neural;
  const bool table = neural.nonlinear == Nonlinear::kTable && !neural.table_apart;
  uint64_t bytes = table ? kTableBytes : 0;
  if (!neural.coefficients) return bytes;
  const uint64_t rows = uint64_t{neural.kernel_width} * neural.kernel_height *
                            neural.ChannelsPerOutput(task.input.channels) +
                        (neural.bias_row ? 1 : 0);
  const uint64_t sets = (task.output.channels + neural.lanes - 1) / neural.lanes;
  const uint64_t own = sets > engine ? (sets - engine - 1) / neural.engines + 1 : 0;
  // The widths of the fields keep all products below 2^64. A table has whole units.
  static_assert(kTableBytes % kStreamUnit == 0);
  const uint64_t set = rows * neural.lanes * neural.CoefficientBytes();
  const uint64_t groups = task.output.groups;
  return bytes + groups * own * (groups > 1 ? RoundUp(set, kStreamUnit) : set);
}

void CheckStreams(const Model& model, RuleReport& broken) {
  for (const Task& task : model.tasks) {
    const NeuralTask& neural = task.neural;
    if (task.kind != TaskKind::kNeural || !neural.has_stream || neural.zero_skip) continue;
    for (uint32_t engine = 0; engine < kEngines; ++engine) {
      const EngineStream& stream = neural.streams[engine];
      if (!stream.enabled) continue;
      const uint64_t used = RoundUp(StreamBytes(task, engine), kStreamUnit);
      if (used == stream.size) continue;
      broken(task.offset,
             "task {}: the stream of engine {} has 0x{:x} bytes, its coefficients 0x{:x}",
             task.index, engine, stream.size, used);
    }
  }
}

void CheckStreamPlaces(const Model& model, RuleReport& broken) {
  Memory memory = model.program.memory;
  for (const Task& task : model.tasks) {
    const NeuralTask& neural = task.neural;
    if (task.kind != TaskKind::kNeural || !neural.has_stream) continue;
    const auto surface = memory.Bar(neural.kernel_bar, false, "the coefficients");
    if (!surface.ok()) {
      broken(task.offset, "task {}: {}", task.index, surface.error().message);
      continue;
    }
    for (uint32_t engine = 0; engine < kEngines; ++engine) {
      const EngineStream& stream = neural.streams[engine];
      // A stream that skips zeros may end with its surface.
      const uint64_t size = neural.zero_skip ? 1 : stream.size;
      const uint64_t end = neural.kernel_base + stream.offset + size;
      if (!stream.enabled || end <= surface->size()) continue;
      broken(task.offset, "task {}: the stream of engine {} ends at 0x{:x} of 0x{:x} bytes",
             task.index, engine, end, surface->size());
    }
  }
}

// ---- surfaces ----

struct Access {
  std::string name;
  bool l2 = false;
  bool write = false;
  uint32_t bar = 0;
  const Pattern* pattern = nullptr;
  Extents extents;
};

// Returns the surfaces that a task reads, then those that it writes.
std::vector<Access> AccessesOf(const Task& task) {
  std::vector<Access> all;
  const auto read = [&](const Source& source, const char* name) {
    if (source.chained) return;
    if (!source.by_dma) {
      all.push_back({name, true, false, 0, &source.l2, source.extents});
      return;
    }
    all.push_back({name, false, false, source.bar, &source.memory, source.extents});
    if (source.keep) all.push_back({name, true, true, 0, &source.l2, source.extents});
  };
  read(task.source1, "source 1");
  if (task.source2) read(*task.source2, "source 2");
  const Destination& result = task.result;
  if (result.by_dma) {
    all.push_back({"the result", false, true, result.bar, &result.memory, task.output});
  }
  if (result.to_l2) all.push_back({"the result", true, true, 0, &result.l2, task.output});
  return all;
}

void CheckSurfaces(const Model& model, RuleReport& broken) {
  Memory memory = model.program.memory;
  for (const Task& task : model.tasks) {
    for (const Access& access : AccessesOf(task)) {
      uint64_t bytes = kL2Bytes;
      if (!access.l2) {
        const auto surface = memory.Bar(access.bar, access.write, access.name);
        if (!surface.ok()) {
          broken(task.offset, "task {}: {}", task.index, surface.error().message);
          continue;
        }
        bytes = surface->size();
      }
      const uint64_t end = EndOf(*access.pattern, access.extents);
      if (end <= bytes) continue;
      broken(task.offset, "task {}: {} {}reaches byte 0x{:x} of a surface of 0x{:x} bytes",
             task.index, access.name, access.l2 ? "in L2 " : "", end, bytes);
    }
  }
}

// ---- order ----

// Tracks the bytes of L2, scratch and outputs that tasks have written.
class Written {
 public:
  explicit Written(const Memory& memory) : memory_(memory) {}

  // Returns the offset of the first element that no task has written. Returns nothing for surfaces
  // that tasks need not write, and for accesses that go beyond their surface.
  std::optional<uint64_t> FirstMissing(const Access& access) {
    const auto places = PlacesOf(access);
    if (!followed_ || !places || !NeedsProducer(places->first)) return std::nullopt;
    const std::vector<bool>& bytes = BytesOf(places->first);
    for (const uint64_t place : places->second) {
      if (!bytes[place]) return place;
    }
    return std::nullopt;
  }

  void Write(const Access& access) {
    const auto places = PlacesOf(access);
    if (!places) {
      followed_ = false;
      return;
    }
    std::vector<bool>& bytes = BytesOf(places->first);
    for (const uint64_t place : places->second) bytes[place] = true;
  }

  // Returns whether tasks wrote every element of the port. True if an access was too large.
  bool WritesPort(const Port& port) {
    if (!followed_) return true;
    const std::vector<bool>& bytes = BytesOf(port.region);
    for (uint64_t n = 0; n < port.shape[0]; ++n) {
      for (uint64_t c = 0; c < port.shape[1]; ++c) {
        for (uint64_t h = 0; h < port.shape[2]; ++h) {
          for (uint64_t w = 0; w < port.shape[3]; ++w) {
            if (!bytes[port.offset + n * port.strides[0] + c * port.strides[1] +
                       h * port.strides[2] + w * port.strides[3]]) {
              return false;
            }
          }
        }
      }
    }
    return true;
  }

 private:
  static constexpr size_t kL2 = SIZE_MAX;

  bool NeedsProducer(size_t region) const {
    if (region == kL2) return true;
    const RegionKind kind = memory_.regions()[region].kind;
    return kind == RegionKind::kScratch || kind == RegionKind::kOutput;
  }
  std::vector<bool>& BytesOf(size_t region) {
    std::vector<bool>& bytes = bytes_[region];
    if (bytes.empty()) {
      bytes.resize(region == kL2 ? kL2Bytes : memory_.regions()[region].bytes.size());
    }
    return bytes;
  }
  // Returns the region and the byte offsets in it.
  std::optional<std::pair<size_t, std::vector<uint64_t>>> PlacesOf(const Access& access) const {
    size_t region = kL2;
    uint64_t base = 0;
    uint64_t room = kL2Bytes;
    if (!access.l2) {
      const auto bar = memory_.bars().find(access.bar);
      if (bar == memory_.bars().end()) return std::nullopt;
      const auto& regions = memory_.regions();
      const auto holds = [&](const Region& r) {
        return bar->second >= r.address && bar->second - r.address < r.bytes.size();
      };
      const auto found = std::ranges::find_if(regions, holds);
      if (found == regions.end()) return std::nullopt;
      region = static_cast<size_t>(found - regions.begin());
      base = bar->second - found->address;
      room = found->bytes.size() - base;
    }
    if (access.extents.Count() > kMostOfSurface) return std::nullopt;
    auto offsets = OffsetsOf(*access.pattern, access.extents, room, access.name);
    if (!offsets.ok()) return std::nullopt;
    for (uint64_t& offset : *offsets) offset += base;
    return std::pair(region, std::move(*offsets));
  }

  const Memory& memory_;
  bool followed_ = true;  // whether every write is in bytes_
  std::map<size_t, std::vector<bool>> bytes_;
};

void CheckProducers(const Model& model, RuleReport& broken) {
  Written written(model.program.memory);
  for (const Task& task : model.tasks) {
    for (const Access& access : AccessesOf(task)) {
      if (access.write) {
        written.Write(access);
        continue;
      }
      const auto missing = written.FirstMissing(access);
      if (!missing) continue;
      broken(task.offset, "task {}: {} reads byte 0x{:x} of {}, which no earlier task writes",
             task.index, access.name, *missing,
             access.l2 ? "L2" : fmt::format("BAR {}", access.bar));
    }
  }
}

void CheckOutputs(const Model& model, RuleReport& broken) {
  Written written(model.program.memory);
  for (const Task& task : model.tasks) {
    for (const Access& access : AccessesOf(task)) {
      if (access.write) written.Write(access);
    }
  }
  for (const Port& port : model.program.ports) {
    if (!port.output || written.WritesPort(port)) continue;
    broken(model.tasks.back().offset, "no task writes all of output {}", Shown(port.name));
  }
}

constexpr auto kRules = RulesOf<Model>({
    {"program-streams-used-up", "coefficients use their streams up to the padding", kExecution,
     kReal, CheckStreams},
    {"program-streams-inside", "coefficient streams lie inside their surface", kLayout, kReal,
     CheckStreamPlaces},
    {"program-surfaces-inside", "sources and results lie inside their surfaces", kExecution, kReal,
     CheckSurfaces},
    {"program-producer-first", "L2 and scratch are written before they are read", kExecution, kReal,
     CheckProducers},
    {"program-outputs-written", "tasks write every element of the outputs", kExecution, kReal,
     CheckOutputs},
});

}  // namespace

std::span<const Rule> ProgramRules() { return kRules.rules(); }

std::vector<Violation> VerifyProgram(const Program& program, uint64_t text_offset) {
  std::vector<std::string> warnings;
  auto tasks = DecodeProgram(program, {}, warnings);
  if (!tasks.ok() || tasks->empty()) return {};
  ViolationList violations;
  kRules.Verify({program, std::move(*tasks)}, text_offset, violations);
  return std::move(violations).Take();
}

}  // namespace anecheck::emulator
