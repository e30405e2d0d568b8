// Tests the rules of programs. Real containers and recorded programs follow the rules, and each of
// the changes below breaks exactly one rule.
#include "harness/emulator/program_rules.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <set>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/emulator/testing/recorded_program.h"

namespace anecheck::emulator {
namespace {

std::set<std::string> BrokenRules(const Program& program) {
  std::set<std::string> rules;
  for (const Violation& violation : VerifyProgram(program, 0)) {
    rules.emplace(violation.rule->id);
  }
  return rules;
}

void ExpectKeepsAll(const Program& program) {
  for (const Violation& violation : VerifyProgram(program, 0)) {
    ADD_FAILURE() << violation.message;
  }
  // VerifyProgram checks no rule for a program that the decoder refuses.
  std::vector<std::string> warnings;
  EXPECT_TRUE(DecodeProgram(program, {}, warnings).ok());
}

TEST(ProgramRules, RealContainersKeepThem) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::RealDataPath("hwx"));
  for (const char* folder : {"hwx", "hwx_newer"}) {
    for (const std::string& path :
         anecheck::testing::FilesUnder(anecheck::testing::RealDataPath(folder))) {
      SCOPED_TRACE(path);
      ExpectKeepsAll(LoadProgram(ReadFile(path).value()).value());
    }
  }
}

TEST(ProgramRules, RecordedProgramsKeepThem) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::VectorPath("h13_program"));
  for (const std::string& path : testing::RecordedProgramPaths()) {
    SCOPED_TRACE(path);
    ExpectKeepsAll(testing::ReadRecordedProgram(path).value().program);
  }
}

struct Change {
  const char* rule;
  const char* vector;  // the program that the change applies to
  std::function<void(Program&)> make;
};

// Adds `value` to a register of the last task.
void Add(Program& program, uint32_t address, uint32_t value) {
  TaskWords& task = program.tasks.back();
  const RegisterValue* const written = task.Find(address);
  task.Set(address, (written == nullptr ? 0 : written->value) + value);
}

constexpr uint32_t kFirstStreamSize = 0x1f888, kFirstStreamBase = 0x1f848;
constexpr uint32_t kSourceBase = 0x13808;
constexpr const char* kConvolution = "h13_program/conv_known_k3_c64_n64_s16_st1_g1_bias0_same.json";
constexpr const char* kChain = "h13_program/layer_norm_1x64x8x8_axes_1.json";

std::vector<Change> Changes() {
  return {
      {"program-streams-used-up", kConvolution, [](Program& p) { Add(p, kFirstStreamSize, 0x40); }},
      {"program-streams-inside", kConvolution,
       [](Program& p) { Add(p, kFirstStreamBase, 0x4000000); }},
      {"program-surfaces-inside", kConvolution, [](Program& p) { Add(p, kSourceBase, 0x4000000); }},
      {"program-producer-first", kChain,
       [](Program& p) { std::ranges::rotate(p.tasks, p.tasks.begin() + 1); }},
      {"program-outputs-written", kConvolution, [](Program& p) {
         // Adds a port of one element after the task's output.
         for (size_t i = 0; i < p.memory.regions().size(); ++i) {
           if (p.memory.regions()[i].kind != RegionKind::kOutput) continue;
           p.memory.regions()[i].bytes.resize(p.memory.regions()[i].bytes.size() + 2);
           p.ports.push_back({.name = "y",
                              .output = true,
                              .region = i,
                              .offset = p.memory.regions()[i].bytes.size() - 2,
                              .strides = {2, 2, 2, 2}});
         }
       }}};
}

TEST(ProgramRules, EachIsBrokenAloneByItsChange) {
  ANECHECK_SKIP_WITHOUT(anecheck::testing::VectorPath("h13_program"));
  std::set<std::string> broken;
  for (const Change& change : Changes()) {
    SCOPED_TRACE(change.rule);
    const std::string path = anecheck::testing::VectorPath(change.vector);
    ASSERT_FALSE(path.empty());
    Program program = testing::ReadRecordedProgram(path).value().program;
    change.make(program);
    EXPECT_EQ(BrokenRules(program), std::set<std::string>{change.rule});
    broken.insert(change.rule);
  }
  for (const Rule& rule : ProgramRules()) {
    EXPECT_TRUE(broken.contains(std::string(rule.id))) << rule.id << ": no change breaks this rule";
  }
}

}  // namespace
}  // namespace anecheck::emulator
