// Generated and damaged texts have the properties that every MIL text must have. One text is
// compared with a golden file.

#include "generators/formats/mil/mil_generator.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>
#include <string>

#include "generators/formats/common/generator_laws_test_support.h"
#include "generators/formats/mil/text_edit.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/mil/mil_format.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/printer.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_mil.generate(choices);
}

TEST(MilGenerator, MakesValidTexts) { testing::ExpectValidFiles(kFormat_mil, kGenerator_mil, 300); }

TEST(MilGenerator, MutationsKeepTheirPromises) {
  testing::ExpectMutationsKeepTheirPromises(kFormat_mil, kGenerator_mil, 40);
}

TEST(MilGenerator, CoversEveryForm) {
  std::set<mil::ValueKind> values;
  std::set<mil::TypeKind> types;
  std::set<mil::DataType> elements;
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Bytes bytes = Generated(seed);
    const auto program = mil::Parse(std::string(bytes.begin(), bytes.end()));
    ASSERT_TRUE(program.ok()) << program.error().message;
    for (const mil::Value& value : program->values) values.insert(value.kind());
    for (const mil::Type& type : program->types) {
      types.insert(type.kind);
      elements.insert(type.scalar);
    }
    for (const mil::Statement& statement : program->statements) {
      if (statement.results.count == 0) seen.insert("no result");
      if (statement.results.count > 1) seen.insert("several results");
      if (statement.block_first != statement.block_end) seen.insert("blocks");
      if (statement.has_attributes) seen.insert("attributes");
      if (statement.arguments.count == 1 &&
          program->arguments[statement.arguments.first].name.length == 0) {
        seen.insert("positional");
      }
    }
    if (!program->has_attributes) seen.insert("no header");
    if (program->functions.size() > 1) seen.insert("functions");
    const size_t gaps = mil::LayoutOf(*program).gaps.size();
    seen.insert(gaps == 0 ? "standard layout" : gaps == 1 ? "line end" : "odd layout");
  }
  EXPECT_EQ(values.size(), 11u) << "all kinds but a bare ?";
  EXPECT_EQ(types.size(), 7u);
  EXPECT_EQ(elements.size(), 23u);
  EXPECT_EQ(seen, (std::set<std::string>{"attributes", "blocks", "functions", "line end",
                                         "no header", "no result", "odd layout", "positional",
                                         "several results", "standard layout"}));
}

TEST(MilGenerator, DamagedFilesDoNotCrash) {
  testing::ExpectHarmlessDamage(kFormat_mil, Generated(3), 7);
  testing::ExpectHarmlessJson(kFormat_mil, Generated(4));
}

// Fuzzers also mutate files that no generator made.
TEST(MilGenerator, MutationsTakeAnyTextThatParses) {
  const std::string text =
      "program(1.3)\n{\n  func main<ios18>() {\n    fp16 a = const()[val = fp16([1, 2])];\n  } -> "
      "(a);\n}\n";
  const Bytes bytes(text.begin(), text.end());
  ASSERT_TRUE(kFormat_mil.verify(bytes).ok()) << kFormat_mil.verify(bytes).error().message;
  for (const MutationKind& kind : kGenerator_mil.mutations) {
    ChoiceStream choices = ChoiceStream::FromSeed(1);
    if (const auto mutation = kind.propose(bytes, choices)) {
      EXPECT_TRUE(kind.apply(bytes, *mutation).ok()) << kind.id;
    }
  }
}

TEST(MilGenerator, GoldenText) {
  const auto golden =
      ReadTextFile(testing::SourcePath("generators/formats/mil/golden_seed_55.txt"));
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  const Bytes bytes = Generated(55);
  const std::string text(bytes.begin(), bytes.end());
  EXPECT_EQ(text + "\n----\n" + kFormat_mil.print(bytes).value(), *golden);
}

TEST(TextEdits, ApplyInOrder) {
  const Bytes bytes = {'a', 'b', 'c', 'd'};
  const auto apply = [&](const std::vector<TextEdit>& edits) {
    const auto out = ApplyTextEdits(bytes, MakeTextEdits("edit", edits));
    return out.ok() ? std::string(out->begin(), out->end()) : out.error().message;
  };
  EXPECT_EQ(apply({}), "abcd");
  EXPECT_EQ(apply({{1, 2, "0123456789"}}), "a0123456789d");
  EXPECT_EQ(apply({{0, 1, ""}, {2, 0, "x"}, {4, 0, "end"}}), "bxcdend");
  EXPECT_EQ(apply({{2, 1, ""}, {1, 0, ""}}), "mutation edit: parameter 3: 0x1 + 0 leaves 4 bytes");
  EXPECT_EQ(apply({{4, 1, ""}}), "mutation edit: parameter 0: 0x4 + 1 leaves 4 bytes");
  EXPECT_FALSE(ApplyTextEdits(bytes, {"edit", {0, 0}}).ok());
  EXPECT_FALSE(ApplyTextEdits(bytes, {"edit", {0, 0, 9, 1}}).ok());
  EXPECT_FALSE(ApplyTextEdits(bytes, {"edit", {0, 0, 5000}}).ok());
}

RC_GTEST_PROP(MilGenerator, AnyBytesDriveIt, (const std::vector<uint8_t>& bytes)) {
  ChoiceStream choices = ChoiceStream::FromBytes(bytes);
  const Bytes text = kGenerator_mil.generate(choices);
  const auto violations = kFormat_mil.verify(text);
  RC_ASSERT(violations.ok());
  RC_ASSERT(violations->empty());
  RC_ASSERT(kFormat_mil.rewrite(text).value() == text);
}

}  // namespace
}  // namespace anecheck
