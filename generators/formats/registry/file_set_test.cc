// What a set of generated files promises, for every format: the same seed gives the same files,
// each file can be made from its recipe alone, and a must-reject set breaks the rules it names.
#include "generators/formats/registry/file_set.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

Result<Bytes> ThroughJson(const DescriptorGenerator& generator, const FileRecipe& recipe) {
  ANECHECK_ASSIGN(const FileRecipe read, RecipeFromJson(RecipeToJson(recipe)));
  return MakeFile(generator, read);
}

// Generated files of the others hold much that no source describes: sections, structures, fields.
constexpr std::array<std::string_view, 7> kDescribed = {
    "e5", "milweights", "netlist", "netweights", "npz", "td", "vmfb"};

class FileSetTest : public ::testing::TestWithParam<const DescriptorGenerator*> {
 protected:
  const DescriptorGenerator& generator_ = *GetParam();
  const Format& format_ = *FindFormat(generator_.format).value();
};

TEST_P(FileSetTest, ValidFilesBreakNoRuleAndAreRecognised) {
  for (const FileRecipe& recipe : DrawFileSet(generator_, format_, FileSetMode::kValid, 10, 7)) {
    const Bytes bytes = MakeFile(generator_, recipe).value();
    EXPECT_EQ(ThroughJson(generator_, recipe).value(), bytes);
    const auto violations = format_.verify(bytes).value();
    for (const Violation& violation : violations) {
      if (violation.IsWarning() && violation.rule->id.ends_with("-open")) continue;
      ADD_FAILURE() << violation.message;
    }
    const std::string name = std::string("file.").append(FileSuffix(format_.name));
    EXPECT_EQ(RecogniseFormat(bytes, name).value()->name, format_.name) << recipe.seed;
    if (std::ranges::find(kDescribed, format_.name) != kDescribed.end()) {
      const Coverage coverage = format_.coverage(bytes).value();
      EXPECT_GE(static_cast<double>(coverage.typed),
                0.95 * static_cast<double>(coverage.total - coverage.payload))
          << recipe.seed;
    }
  }
}

TEST_P(FileSetTest, MutatedFilesReplayAndDifferFromTheirOrigin) {
  const auto recipes = DrawFileSet(generator_, format_, FileSetMode::kMutated, 10, 7);
  const auto again = DrawFileSet(generator_, format_, FileSetMode::kMutated, 10, 7);
  size_t changed = 0;
  for (size_t i = 0; i < recipes.size(); ++i) {
    EXPECT_GE(recipes[i].mutations.size(), 1u);
    const Bytes bytes = MakeFile(generator_, recipes[i]).value();
    EXPECT_EQ(MakeFile(generator_, again[i]).value(), bytes);
    EXPECT_EQ(ThroughJson(generator_, recipes[i]).value(), bytes);
    changed += bytes != MakeFile(generator_, {.seed = recipes[i].seed}).value() ? 1 : 0;
  }
  EXPECT_GE(changed, recipes.size() - 1);  // two mutations may undo each other
}

TEST_P(FileSetTest, AMustRejectSetBreaksEveryRuleOfTheFormat) {
  std::set<std::string_view> rules;
  const uint64_t count = 3 * generator_.mutations.size();
  for (const FileRecipe& recipe :
       DrawFileSet(generator_, format_, FileSetMode::kMustReject, count, 7)) {
    ASSERT_NE(recipe.breaks, "");
    const Bytes bytes = MakeFile(generator_, recipe).value();
    const auto violations = format_.verify(bytes);
    if (!violations.ok()) {
      EXPECT_NE(violations.error().message.find(recipe.breaks), std::string::npos)
          << violations.error().message;
      EXPECT_LE(violations.error().offset, bytes.size()) << violations.error().message;
      rules.insert(recipe.breaks);
      continue;
    }
    ASSERT_FALSE(violations->empty()) << recipe.breaks;
    for (const Violation& violation : *violations) {
      const bool open = violation.IsWarning() && violation.rule->id.ends_with("-open");
      if (open && violation.rule->id != recipe.breaks) continue;
      EXPECT_EQ(violation.rule->id, recipe.breaks) << violation.message;
      EXPECT_LE(violation.offset, bytes.size()) << violation.message;
      EXPECT_EQ(violation.IsWarning() ? "warning" : "error", recipe.severity);
    }
    rules.insert(recipe.breaks);
  }
  EXPECT_EQ(rules.size(), format_.rules.size());
}

INSTANTIATE_TEST_SUITE_P(Formats, FileSetTest,
                         ::testing::ValuesIn(AllGenerators().begin(), AllGenerators().end()),
                         [](const auto& row) { return std::string(row.param->format); });

TEST(Generators, EveryFormatHasOneWithADozenMutations) {
  EXPECT_EQ(AllGenerators().size(), AllFormats().size());
  for (const Format* format : AllFormats()) {
    const auto generator = GeneratorOf(format->name);
    ASSERT_TRUE(generator.ok()) << format->name;
    EXPECT_GE((*generator)->mutations.size(), 12u) << format->name;
  }
}

// Formats whose own tests pin no text.
TEST(GoldenTest, TextOfTheFirstFileOfSeed7) {
  for (const std::string name : {"td", "milweights", "npz"}) {
    const Format& format = *FindFormat(name).value();
    const DescriptorGenerator& generator = *GeneratorOf(name).value();
    const auto recipes = DrawFileSet(generator, format, FileSetMode::kValid, 1, 7);
    const Result<std::string> golden =
        ReadTextFile(testing::SourcePath("generators/formats/registry/golden_" + name + ".txt"));
    ASSERT_TRUE(golden.ok()) << golden.error().message;
    EXPECT_EQ(format.print(MakeFile(generator, recipes[0]).value()).value(), *golden) << name;
  }
}

TEST(GoldenTest, EveryFormatHasOne) {
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

TEST(RecipeTest, SaysWhatIsWrong) {
  EXPECT_FALSE(RecipeFromJson(Json::object()).ok());
  const FileRecipe recipe{.seed = 1, .mutations = {{"no-such-mutation", {}}}};
  const auto made = MakeFile(*GeneratorOf("e5").value(), recipe);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message, "mutations: e5 has no mutation \"no-such-mutation\"");
  EXPECT_FALSE(GeneratorOf("jpeg").ok());
}

}  // namespace
}  // namespace anecheck
