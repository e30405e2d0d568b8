// Generated programs run, and their mutations break the rules of programs that they name.
#include "generators/programs/program_generator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "generators/formats/common/generator_laws_test_support.h"
#include "harness/emulator/program.h"
#include "harness/emulator/program_rules.h"
#include "harness/formats/hwx/container.h"

namespace anecheck {
namespace {

Result<std::vector<Violation>> VerifyAsProgram(ByteSpan bytes) {
  ANECHECK_ASSIGN(const emulator::Program program, emulator::LoadProgram(bytes));
  return emulator::VerifyProgram(program, 0);
}

// The container format, but with the rules of programs instead of the rules of files.
Format ProgramFormat() {
  Format format = kFormat_hwx;
  format.rules = emulator::ProgramRules();
  format.verify = VerifyAsProgram;
  format.read = nullptr;
  return format;
}

void ExpectRuns(ByteSpan bytes) {
  for (const bool exact : {true, false}) {
    auto program = emulator::LoadProgram(bytes);
    ASSERT_TRUE(program.ok()) << program.error().message;
    emulator::RunOptions options;
    if (!exact) options.arithmetic.model = &emulator::FamilyModel(program->version);
    const auto report = emulator::RunProgram(*program, options);
    ASSERT_TRUE(report.ok()) << report.error().message;
    EXPECT_GT(report->tasks, 0u);
  }
}

TEST(ProgramGenerator, MakesValidContainers) {
  testing::ExpectValidFiles(kFormat_hwx, kGenerator_program, 40);
}

TEST(ProgramGenerator, MakesProgramsThatKeepTheirRulesAndRun) {
  const Format format = ProgramFormat();
  for (uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const Bytes bytes = kGenerator_program.generate(choices);
    const auto violations = format.verify(bytes);
    ASSERT_TRUE(violations.ok()) << violations.error().message;
    for (const Violation& violation : *violations) ADD_FAILURE() << violation.message;
    ExpectRuns(bytes);
  }
}

TEST(ProgramGenerator, MutationsKeepTheirPromises) {
  testing::ExpectMutationsKeepTheirPromises(ProgramFormat(), kGenerator_program, 120);
}

TEST(ProgramGenerator, BreaksEveryRule) {
  testing::ExpectEveryRuleIsBroken(ProgramFormat(), kGenerator_program);
}

RC_GTEST_PROP(ProgramGenerator, AnyBytesDriveIt, (const std::vector<uint8_t>& bytes)) {
  ChoiceStream choices = ChoiceStream::FromBytes(bytes);
  auto program = emulator::LoadProgram(kGenerator_program.generate(choices));
  RC_ASSERT(program.ok());
  RC_ASSERT(emulator::RunProgram(*program).ok());
}

}  // namespace
}  // namespace anecheck
