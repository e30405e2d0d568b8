#include "harness/emulator/testing/later_program.h"

#include <algorithm>
#include <cstring>

#include "harness/base/file.h"
#include "harness/base/half.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/emulator/surface.h"
#include "harness/formats/td/td.h"

namespace anecheck::emulator::testing {
namespace {

constexpr uint32_t kScratchBar = 12;

std::vector<uint8_t> TextBytes(const Json& json) {
  std::vector<uint8_t> bytes;
  for (const auto& word : json.at("text")) {
    const auto value = static_cast<uint32_t>(std::stoul(word.get<std::string>(), nullptr, 16));
    for (int shift = 0; shift < 32; shift += 8) {
      bytes.push_back(static_cast<uint8_t>(value >> shift));
    }
  }
  return bytes;
}

uint32_t VersionOf(std::string_view target) {
  if (target == "h14") return 11;
  if (target == "h15") return 8;
  if (target == "h16") return 17;
  return target == "h17" ? 19 : 20;
}

struct Reach {
  uint64_t bytes = 0;
  RegionKind kind = RegionKind::kInput;
};

void Extend(std::map<uint32_t, Reach>& reaches, uint32_t bar, uint64_t end, bool written) {
  Reach& reach = reaches[bar];
  reach.bytes = std::max(reach.bytes, end);
  if (written) reach.kind = bar == kScratchBar ? RegionKind::kScratch : RegionKind::kOutput;
}

std::map<uint32_t, Reach> ReachesOf(const std::vector<Task>& tasks) {
  std::map<uint32_t, Reach> reaches;
  for (const Task& task : tasks) {
    for (const Source* source : {&task.source1, task.source2 ? &*task.source2 : nullptr}) {
      if (source == nullptr || !source->by_dma) continue;
      Extend(reaches, source->bar, EndOf(source->memory, source->extents), false);
    }
    if (task.result.by_dma) {
      Extend(reaches, task.result.bar, EndOf(task.result.memory, task.output), true);
    }
    const NeuralTask& neural = task.neural;
    if (task.kind != TaskKind::kNeural) continue;
    for (const EngineStream& stream : neural.streams) {
      if (!neural.has_stream || !stream.enabled) continue;
      Extend(reaches, neural.kernel_bar, neural.kernel_base + stream.offset + stream.size, false);
    }
    if (neural.nonlinear == Nonlinear::kTable) {
      Extend(reaches, neural.table_bar, neural.table_base + kTableBytes, false);
    }
  }
  return reaches;
}

}  // namespace

std::vector<uint8_t>& LaterProgram::Bytes(uint32_t bar) {
  return program.memory.regions()[region_of_bar.at(bar)].bytes;
}

void LaterProgram::Put(uint32_t bar, uint64_t at, const std::vector<double>& values) {
  for (const double value : values) {
    const uint16_t bits = DoubleToHalf(value).bits;
    std::memcpy(Bytes(bar).data() + at, &bits, sizeof bits);
    at += sizeof bits;
  }
}

std::vector<double> LaterProgram::Read(const Pattern& pattern, const Extents& extents,
                                       uint32_t bar) {
  Pattern plain = pattern;
  plain.swapped = false;
  const auto values = Gather(Bytes(bar), plain, pattern.swapped ? extents.Swapped() : extents, "");
  return std::vector<double>(values->begin(), values->end());
}

Result<LaterProgram> ReadLaterProgram(const std::string& json_path) {
  ANECHECK_ASSIGN(const std::string text, ReadTextFile(json_path));
  ANECHECK_ASSIGN(const Json json, ParseJson(text, json_path));
  LaterProgram later;
  later.target = json.at("target").get<std::string>();
  ANECHECK_ASSIGN(const td::Generation* coded, td::GenerationOfVersion(VersionOf(later.target)));
  ANECHECK_ASSIGN(const td::Chain chain, td::Decode(TextBytes(json), *coded));
  later.program.generation = GenerationOfVersion(coded->version).value();
  ANECHECK_ASSIGN(later.program.tasks, WordsOf(chain));
  std::vector<std::string> warnings;
  ANECHECK_ASSIGN(later.tasks, DecodeProgram(later.program, {}, warnings));
  for (const auto& [bar, reach] : ReachesOf(later.tasks)) {
    const uint64_t address = uint64_t{bar + 1} << 32;
    later.program.memory.SetBar(bar, address);
    ANECHECK_ASSIGN(
        later.region_of_bar[bar],
        later.program.memory.Add({"BAR", reach.kind, address, std::vector<uint8_t>(reach.bytes)}));
  }
  return later;
}

}  // namespace anecheck::emulator::testing
