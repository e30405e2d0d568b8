// Each mutation changes one meaning in the field table: it moves one field by a bit or a register,
// or exchanges the meanings of two codes. Real containers and recorded programs detect nearly all
// mutations. If no program detects a mutation, the evidence of the mutated row must say that
// nothing has confirmed the row.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/emulator/testing/boolean_program.h"
#include "harness/emulator/testing/recorded_program.h"

namespace anecheck::emulator {
namespace {

// A program with inputs, and the bytes of its output regions after a run with the correct table.
struct Subject {
  std::string name;
  Program program;
  std::vector<std::vector<uint8_t>> expected;
};

std::vector<std::vector<uint8_t>> OutputsOf(const Program& program) {
  std::vector<std::vector<uint8_t>> outputs;
  for (const Region& region : program.memory.regions()) {
    if (region.kind == RegionKind::kOutput) outputs.push_back(region.bytes);
  }
  return outputs;
}

void ClearOutputs(Program& program) {
  for (Region& region : program.memory.regions()) {
    if (region.kind == RegionKind::kOutput) std::ranges::fill(region.bytes, uint8_t{0});
  }
}

void AddSubject(std::string name, Program program, std::vector<Subject>& subjects) {
  ClearOutputs(program);
  const auto report = RunProgram(program);
  ASSERT_TRUE(report.ok()) << name << ": " << report.error().message;
  auto expected = OutputsOf(program);
  subjects.push_back({std::move(name), std::move(program), std::move(expected)});
}

// Fills every input with pseudorandom numbers of both signs, with magnitudes from 0.5 to 4, or with
// pseudorandom bools.
void FillInputs(Program& program) {
  uint32_t state = 1;
  for (const Port& port : program.ports) {
    if (port.output) continue;
    std::vector<uint16_t> values(port.Count());
    for (uint16_t& value : values) {
      state = state * 1664525 + 1013904223;
      value = static_cast<uint16_t>(0x3800 + (state >> 16) % 0xc00 + ((state >> 30) << 15));
      if (port.element == 1) value &= 1;
    }
    ASSERT_TRUE(program.WritePort(port.name, values).ok());
  }
}

std::vector<Subject> Subjects() {
  std::vector<Subject> subjects;
  for (const char* folder : {"hwx", "hwx_newer"}) {
    for (const std::string& path :
         anecheck::testing::FilesUnder(anecheck::testing::RealDataPath(folder))) {
      Program program = LoadProgram(ReadFile(path).value()).value();
      FillInputs(program);
      AddSubject(path, std::move(program), subjects);
    }
  }
  for (const std::string& path : testing::RecordedProgramPaths()) {
    auto recorded = testing::ReadRecordedProgram(path).value();
    AddSubject(path, recorded.program, subjects);
    if (!recorded.name.starts_with("layer_norm")) continue;
    testing::ScaleInputs(recorded.program, testing::kSmallScale);
    AddSubject(path + " of small inputs", std::move(recorded.program), subjects);
  }
  const std::pair<const char*, Program (*)()> booleans[] = {{"less", testing::LessProgram},
                                                            {"floor", testing::FloorProgram},
                                                            {"select", testing::SelectProgram},
                                                            {"cast", testing::CastProgram},
                                                            {"not", testing::NotProgram}};
  for (const auto& [name, make] : booleans) {
    Program program = make();
    FillInputs(program);
    AddSubject(name, std::move(program), subjects);
  }
  return subjects;
}

bool Notices(Subject& subject, const FieldTable& table) {
  ClearOutputs(subject.program);
  const auto report = RunProgram(subject.program, {.arithmetic = {}, .table = &table});
  return !report.ok() || OutputsOf(subject.program) != subject.expected;
}

// Returns the name of the first subject that detects the change, or "".
std::string FirstToNotice(std::vector<Subject>& subjects, const FieldTable& table) {
  for (Subject& subject : subjects) {
    if (Notices(subject, table)) return subject.name;
  }
  return "";
}

struct Mutation {
  std::string text;
  const FieldRow* row = nullptr;
  size_t entry = 0;
  int bits = 0;
  int bytes = 0;
  bool exchange = false;
};

bool IsConfirmed(const FieldRow& row) {
  return row.evidence == Evidence::kRealFile || row.evidence == Evidence::kRecorded;
}

std::vector<Mutation> Mutations() {
  std::vector<Mutation> mutations;
  const auto entries = FieldTable::Of(Generation::kH13).entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    const FieldTable::Entry& entry = entries[i];
    if (entry.row->effect != Effect::kResult || entry.place.kind == PlaceKind::kNone) continue;
    // A field whose only known value is 0 has no meaning to change.
    const bool fixed = entry.codes.size() == 1 && entry.codes[0].low == entry.codes[0].high &&
                       entry.codes[0].low == 0;
    if (fixed) continue;
    const int step = entry.place.bit + entry.place.width < 32 ? 1 : -1;
    if (entry.place.width < 32) {
      mutations.push_back(
          {fmt::format("{} moved by {} bit", entry.row->name, step), entry.row, i, step, 0, false});
    } else {
      mutations.push_back(
          {fmt::format("{} moved by a register", entry.row->name), entry.row, i, 0, 4, false});
    }
    // Codes without separate names have the same meaning.
    if (entry.codes.size() >= 2 && !entry.codes[0].name.empty() && !entry.codes[1].name.empty()) {
      mutations.push_back({fmt::format("codes {} and {} of {} exchanged", entry.codes[0].low,
                                       entry.codes[1].low, entry.row->name),
                           entry.row, i, 0, 0, true});
    }
  }
  return mutations;
}

FieldTable Mutated(const Mutation& mutation) {
  FieldTable table = FieldTable::Of(Generation::kH13);
  FieldTable::Entry& entry = table.mutable_entries()[mutation.entry];
  entry.place.bit = static_cast<uint8_t>(entry.place.bit + mutation.bits);
  entry.place.address += static_cast<uint32_t>(mutation.bytes);
  if (mutation.exchange) std::swap(entry.codes[0].meaning, entry.codes[1].meaning);
  return table;
}

TEST(Mutations, AreNoticedByRealContainersAndRecords) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::RealDataPath("hwx"));
  ANECHECK_SKIP_WITHOUT(anecheck::testing::VectorPath("h13_program"));
  std::vector<Subject> subjects = Subjects();
  const std::vector<Mutation> mutations = Mutations();
  EXPECT_GE(mutations.size(), 60u);
  size_t noticed = 0;
  for (const Mutation& mutation : mutations) {
    const std::string by = FirstToNotice(subjects, Mutated(mutation));
    noticed += by.empty() ? 0 : 1;
    if (by.empty()) {
      std::printf("not noticed: %s (%s)\n", mutation.text.c_str(),
                  std::string(EvidenceName(mutation.row->evidence)).c_str());
    }
    EXPECT_TRUE(!by.empty() || !IsConfirmed(*mutation.row))
        << mutation.text << ": the row counts as confirmed, but no program notices the change";
  }
  std::printf("%zu of %zu changes of meaning noticed\n", noticed, mutations.size());
  EXPECT_GE(noticed * 10, mutations.size() * 9);
}

}  // namespace
}  // namespace anecheck::emulator
