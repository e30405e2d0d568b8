#include "harness/emulator/testing/recorded_program.h"

#include <charconv>
#include <cstring>

#include "harness/base/file.h"
#include "harness/base/half.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/testing/test_data.h"
#include "harness/emulator/surface.h"
#include "harness/formats/npz/npz.h"

namespace anecheck::emulator::testing {
namespace {

uint32_t Hex(const std::string& text) {
  uint32_t value = 0;
  std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  return value;
}

TaskWords WordsOfJson(const Json& json, uint32_t index) {
  TaskWords words;
  words.index = index;
  for (const auto& word : json.at("header")) words.header.push_back(Hex(word.get<std::string>()));
  for (const auto& [address, value] : json.at("registers").items()) {
    words.Set(Hex(address), Hex(value.get<std::string>()));
  }
  return words;
}

// Adds a region for a BAR. The addresses only have to differ.
size_t Bind(Program& program, uint32_t bar, std::string name, RegionKind kind,
            std::vector<uint8_t> bytes) {
  const uint64_t address = uint64_t{bar + 1} << 32;
  program.memory.SetBar(bar, address);
  return program.memory.Add({std::move(name), kind, address, std::move(bytes)}).value();
}

}  // namespace

void ScaleInputs(Program& program, double factor) {
  for (Region& region : program.memory.regions()) {
    if (region.kind != RegionKind::kInput) continue;
    for (size_t i = 0; i + 1 < region.bytes.size(); i += 2) {
      const Half number{static_cast<uint16_t>(region.bytes[i] | region.bytes[i + 1] << 8)};
      const uint16_t bits = DoubleToHalf(HalfToDouble(number) * factor).bits;
      std::memcpy(region.bytes.data() + i, &bits, sizeof bits);
    }
  }
}

std::vector<std::string> RecordedProgramPaths() {
  std::vector<std::string> paths;
  for (const std::string& path :
       anecheck::testing::FilesUnder(anecheck::testing::VectorPath("h13_program"))) {
    if (path.ends_with(".json") && path.find("/records/") == std::string::npos) {
      paths.push_back(path);
    }
  }
  return paths;
}

Result<RecordedProgram> ReadRecordedProgram(const std::string& json_path) {
  ANECHECK_ASSIGN(const std::string text, ReadTextFile(json_path));
  ANECHECK_ASSIGN(const Json json, ParseJson(text, json_path));
  const std::string stem = json_path.substr(0, json_path.size() - 5);
  ANECHECK_ASSIGN(auto arrays, npz::ReadNpzFile(stem + ".npz"));
  RecordedProgram recorded;
  recorded.name = stem.substr(stem.rfind('/') + 1);
  recorded.tolerance = json.at("tolerance_relative_or_absolute_above_1").get<double>();
  const auto& bars = json.at("bars");
  Program& program = recorded.program;
  Bind(program, bars.at("scratch").get<uint32_t>(), "scratch", RegionKind::kScratch,
       std::vector<uint8_t>(json.at("scratch_bytes").get<size_t>()));
  recorded.output_region =
      Bind(program, bars.at("output").get<uint32_t>(), "output", RegionKind::kOutput,
           std::vector<uint8_t>(json.at("output_bytes").get<size_t>()));
  for (auto& [name, array] : arrays) {
    if (name == "const") {
      Bind(program, bars.at("const").get<uint32_t>(), name, RegionKind::kConstants,
           std::move(array.data));
    } else if (name.starts_with("input_bar")) {
      const auto bar = static_cast<uint32_t>(std::stoul(name.substr(9)));
      Bind(program, bar, name, RegionKind::kInput, std::move(array.data));
    } else if (name == "expected_logical") {
      recorded.expected.resize(array.data.size() / sizeof(double));
      std::memcpy(recorded.expected.data(), array.data.data(), array.data.size());
    } else if (name == "emulated_output_surface") {
      recorded.surface = std::move(array.data);
    }
  }
  for (const auto& task : json.at("tasks")) {
    program.tasks.push_back(WordsOfJson(task, static_cast<uint32_t>(program.tasks.size())));
  }
  return recorded;
}

Result<std::vector<uint16_t>> ResultOf(RecordedProgram& recorded, const RunOptions& options) {
  ANECHECK_ASSIGN(const RunReport report, RunProgram(recorded.program, options));
  static_cast<void>(report);
  std::vector<std::string> warnings;
  // Decodes with the project's own table, although a test may run the program with a changed table.
  ANECHECK_ASSIGN(const std::vector<Task> tasks, DecodeProgram(recorded.program, {}, warnings));
  const Task& last = tasks.back();
  Pattern pattern = last.result.memory;
  const Extents stored = pattern.swapped ? last.output.Swapped() : last.output;
  pattern.swapped = false;
  const auto& bytes = recorded.program.memory.regions()[recorded.output_region].bytes;
  return GatherBits(bytes, pattern, stored, "the output");
}

}  // namespace anecheck::emulator::testing
