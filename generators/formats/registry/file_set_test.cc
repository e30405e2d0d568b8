// For every format, the same seed gives the same set of files, each file can be made from its
// recipe alone, and a must-reject set breaks the rules that it names.
#include "generators/formats/registry/file_set.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

Result<Bytes> ThroughJson(const DescriptorGenerator& generator, const FileRecipe& recipe) {
  ANECHECK_ASSIGN(const FileRecipe read, RecipeFromJson(RecipeToJson(recipe)));
  return MakeFile(generator, read);
}

// The formats whose generated files consist of described fields. Files of other formats contain
// many sections, structures and fields that no source describes.
constexpr std::array<std::string_view, 6> kDescribed = {"e5",         "milweights", "netlist",
                                                        "netweights", "npz",        "vmfb"};

class FileSetTest : public ::testing::TestWithParam<const DescriptorGenerator*> {
 protected:
  const DescriptorGenerator& generator_ = *GetParam();
  const Format& format_ = *FindFormat(generator_.format).value();

  // Returns the format as which to read the recipe's file. Read as this format, the file has no
  // warning about facts that its bytes do not determine.
  const Format& ReadingOf(const FileRecipe& recipe) const {
    return recipe.reading.empty() ? format_ : *FindFormat(recipe.reading).value();
  }

  void ExpectBrokenAlone(const FileRecipe& recipe, const Bytes& bytes) const {
    const auto violations = ReadingOf(recipe).verify(bytes);
    if (!violations.ok()) {
      EXPECT_NE(violations.error().message.find(recipe.breaks), std::string::npos)
          << violations.error().message;
      EXPECT_LE(violations.error().offset, bytes.size()) << violations.error().message;
      return;
    }
    EXPECT_FALSE(violations->empty()) << recipe.breaks;
    for (const Violation& violation : *violations) {
      EXPECT_EQ(violation.rule->id, recipe.breaks) << violation.message;
      EXPECT_LE(violation.offset, bytes.size()) << violation.message;
      EXPECT_EQ(violation.IsWarning() ? "warning" : "error", recipe.severity);
    }
  }
};

TEST_P(FileSetTest, ValidFilesBreakNoRuleAndAreRecognised) {
  const auto recipes = DrawFileSet(generator_, format_, FileSetMode::kValid, 10, 7).value();
  for (const FileRecipe& recipe : recipes) {
    const Bytes bytes = MakeFile(generator_, recipe).value();
    EXPECT_EQ(ThroughJson(generator_, recipe).value(), bytes);
    for (const Violation& violation : ReadingOf(recipe).verify(bytes).value()) {
      // No source states the length of the header of an H16 task, and tasks of H16, H17 and H18
      // have the same layout.
      if (violation.IsWarning() &&
          (violation.rule->id == "td-header-open" || violation.rule->id == "td-version-open")) {
        continue;
      }
      ADD_FAILURE() << violation.message;
    }
    const std::string name = std::string("file.").append(FileSuffix(format_.name));
    EXPECT_EQ(RecogniseFormat(bytes, name).value()->name, format_.name) << recipe.seed;
    if (std::ranges::find(kDescribed, format_.name) != kDescribed.end()) {
      const ByteCounts coverage = format_.count_bytes(bytes).value();
      EXPECT_GE(coverage.TypedShare(), 0.95) << recipe.seed;
    }
  }
}

TEST_P(FileSetTest, MutatedFilesReplayAndDifferFromTheirOrigin) {
  const auto recipes = DrawFileSet(generator_, format_, FileSetMode::kMutated, 40, 7).value();
  const auto again = DrawFileSet(generator_, format_, FileSetMode::kMutated, 40, 7).value();
  std::set<Bytes> files;
  for (size_t i = 0; i < recipes.size(); ++i) {
    EXPECT_GE(recipes[i].mutations.size(), 1u);
    const Bytes bytes = MakeFile(generator_, recipes[i]).value();
    EXPECT_EQ(MakeFile(generator_, again[i]).value(), bytes);
    EXPECT_EQ(ThroughJson(generator_, recipes[i]).value(), bytes);
    EXPECT_NE(bytes, MakeFile(generator_, {.seed = recipes[i].seed}).value());
    EXPECT_TRUE(files.insert(bytes).second) << "made before: " << RecipeToJson(recipes[i]);
  }
}

// One set breaks rules that are errors, the other rules that only warn. A format may lack one kind.
TEST_P(FileSetTest, SetsThatBreakRulesBreakEachRuleOfTheFormat) {
  std::set<std::string> rules;
  const uint64_t count = 2 * generator_.mutations.size();
  for (const FileSetMode mode : {FileSetMode::kMustReject, FileSetMode::kMustWarn}) {
    const bool warns = mode == FileSetMode::kMustWarn;
    const auto recipes = DrawFileSet(generator_, format_, mode, count, 7);
    if (!recipes.ok()) {
      EXPECT_EQ(recipes.error().code, ErrorCode::kUnsupported) << recipes.error().message;
      EXPECT_TRUE(std::ranges::none_of(format_.rules, [&](const Rule& rule) {
        return (rule.evidence == FactEvidence::kAssumed) == warns;
      }));
      continue;
    }
    for (const FileRecipe& recipe : *recipes) {
      ASSERT_NE(recipe.breaks, "");
      EXPECT_EQ(recipe.severity, warns ? "warning" : "error");
      const Bytes bytes = MakeFile(generator_, recipe).value();
      EXPECT_EQ(RecipeFromJson(RecipeToJson(recipe)).value().reading, recipe.reading);
      ExpectBrokenAlone(recipe, bytes);
      // If the recipe has no reading, the content and name of the file must identify its format.
      const std::string name = std::string("file.").append(FileSuffix(format_.name));
      const auto known = RecogniseFormat(bytes, name);
      EXPECT_TRUE(!recipe.reading.empty() || (known.ok() && *known == &format_)) << recipe.breaks;
      rules.insert(recipe.breaks);
    }
  }
  EXPECT_EQ(rules.size(), format_.rules.size());
}

// A format whose files have two bytes. The rules require both bytes to be 0 and the size to be 2.
constexpr Rule kToyRules[] = {
    {"first-zero", "", ""}, {"second-zero", "", ""}, {"two-bytes", "", ""}};
const Format kToy = {.name = "toy",
                     .rules = kToyRules,
                     .verify = [](ByteSpan bytes) -> Result<std::vector<Violation>> {
                       if (bytes.size() != 2) {
                         return MakeError(ErrorCode::kMalformed,
                                          "two-bytes: no first-zero can be seen");
                       }
                       std::vector<Violation> violations;
                       for (size_t i = 0; i < 2; ++i) {
                         if (bytes[i] != 0) violations.push_back({&kToyRules[i], i, "is not zero"});
                       }
                       return violations;
                     }};
Bytes MakeToy(ChoiceStream&) { return {0, 0}; }
// Sets the first byte and, in about half of the files, also the second byte.
constexpr MutationKind kToyKinds[] = {
    {"both-or-one", "first-zero",
     [](ByteSpan, ChoiceStream& choices) -> std::optional<Mutation> {
       return Mutation{"both-or-one", {choices.Below(2)}};
     },
     [](ByteSpan, const Mutation& mutation) -> Result<Bytes> {
       return Bytes{1, static_cast<uint8_t>(mutation.parameters[0])};
     }},
    {"cut", "two-bytes",
     [](ByteSpan, ChoiceStream&) -> std::optional<Mutation> { return Mutation{"cut", {}}; },
     [](ByteSpan, const Mutation&) -> Result<Bytes> { return Bytes{0}; }}};
constexpr MutationKind kFalseKinds[] = {
    {"always-both", "second-zero",
     [](ByteSpan, ChoiceStream&) -> std::optional<Mutation> { return Mutation{"always-both", {}}; },
     [](ByteSpan, const Mutation&) -> Result<Bytes> { return Bytes{1, 1}; }}};

TEST(MustReject, EveryFileBreaksOnlyItsRule) {
  const DescriptorGenerator generator = {"toy", MakeToy, kToyKinds};
  const auto recipes = DrawFileSet(generator, kToy, FileSetMode::kMustReject, 40, 3);
  ASSERT_TRUE(recipes.ok()) << recipes.error().message;
  for (size_t i = 0; i < recipes->size(); ++i) {
    const FileRecipe& recipe = (*recipes)[i];
    EXPECT_EQ(recipe.breaks, i % 2 == 0 ? "first-zero" : "two-bytes");
    const Bytes bytes = MakeFile(generator, recipe).value();
    EXPECT_EQ(bytes, i % 2 == 0 ? (Bytes{1, 0}) : (Bytes{0}));
  }
}

TEST(MustWarn, WithoutARuleOfTheKindThereIsNoSet) {
  const DescriptorGenerator generator = {"toy", MakeToy, kToyKinds};
  const auto recipes = DrawFileSet(generator, kToy, FileSetMode::kMustWarn, 4, 3);
  ASSERT_FALSE(recipes.ok());
  EXPECT_EQ(recipes.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(recipes.error().message.find("--must-reject"), std::string::npos);
}

TEST(MustReject, AMutationThatBreaksMoreThanItSaysIsAnError) {
  const DescriptorGenerator generator = {"toy", MakeToy, kFalseKinds};
  const auto recipes = DrawFileSet(generator, kToy, FileSetMode::kMustReject, 1, 3);
  ASSERT_FALSE(recipes.ok());
  EXPECT_NE(recipes.error().message.find("always-both"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Formats, FileSetTest,
                         ::testing::ValuesIn(AllGenerators().begin(), AllGenerators().end()),
                         [](const auto& row) { return std::string(row.param->format); });

// SetsThatBreakRulesBreakEachRuleOfTheFormat tests the mutations that break rules.
TEST(Generators, EveryFormatHasOneWithDamageThatNamesNoRule) {
  EXPECT_EQ(AllGenerators().size(), AllFormats().size());
  for (const Format* format : AllFormats()) {
    const auto generator = GeneratorOf(format->name);
    ASSERT_TRUE(generator.ok()) << format->name;
    EXPECT_TRUE(std::ranges::any_of((*generator)->mutations, [](const MutationKind& kind) {
      return kind.breaks_rule.empty();
    })) << format->name;
  }
}

TEST(Generators, TheErrorOfAnUnknownFormatNamesEveryFormat) {
  const auto unknown = GeneratorOf("jpeg");
  ASSERT_FALSE(unknown.ok());
  std::string names;
  for (const Format* format : AllFormats()) {
    names += names.empty() ? "" : ", ";
    names += format->name;
  }
  EXPECT_EQ(unknown.error().message, "there is no generator of \"jpeg\"; there are " + names);
}

// Covers the formats whose own tests compare no golden text. If ANECHECK_UPDATE_GOLDEN is set, the
// test rewrites the golden files.
TEST(GoldenTest, TextOfTheFirstFileOfSeed7) {
  for (const std::string name : {"td", "milweights", "npz"}) {
    const Format& format = *FindFormat(name).value();
    const DescriptorGenerator& generator = *GeneratorOf(name).value();
    const auto recipes = DrawFileSet(generator, format, FileSetMode::kValid, 1, 7).value();
    const std::string path =
        testing::SourcePath("generators/formats/registry/golden_" + name + ".txt");
    const std::string text = format.print(MakeFile(generator, recipes[0]).value()).value();
    if (std::getenv("ANECHECK_UPDATE_GOLDEN") != nullptr) {
      ASSERT_TRUE(WriteFileAtomic(path, std::string_view(text)).ok());
    }
    const Result<std::string> golden = ReadTextFile(path);
    ASSERT_TRUE(golden.ok()) << golden.error().message;
    EXPECT_EQ(text, *golden) << name;
  }
}

TEST(GoldenTest, EveryFormatHasAGoldenText) {
  for (const Format* format : AllFormats()) {
    const std::string name(format->name);
    size_t texts =
        testing::FilesUnder(testing::SourcePath("harness/formats/" + name + "/testdata")).size();
    for (const std::string& path : testing::FilesUnder(testing::SourcePath("generators/formats"))) {
      texts += path.find("/" + name + "/golden") != std::string::npos ||
               path.ends_with("/golden_" + name + ".txt");
    }
    EXPECT_GE(texts, 1u) << name;
  }
}

TEST(RecipeTest, NamesTheFault) {
  EXPECT_FALSE(RecipeFromJson(Json::object()).ok());
  const FileRecipe recipe{.seed = 1, .mutations = {{"no-such-mutation", {}}}};
  const auto made = MakeFile(*GeneratorOf("e5").value(), recipe);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message, "mutations: e5 has no mutation \"no-such-mutation\"");
  EXPECT_FALSE(GeneratorOf("jpeg").ok());
}

}  // namespace
}  // namespace anecheck
