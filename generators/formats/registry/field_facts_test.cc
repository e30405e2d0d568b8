// The format states a source for every printed field, in generated files of every kind and in real
// files of all formats.
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "generators/formats/registry/file_set.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/fieldsources/field_sources.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

// Fields of the file's JSON form for which the format states no fact.
std::set<std::string> UnknownFields(const Format& format, ByteSpan bytes) {
  std::set<std::string> unknown;
  const Result<Json> json = format.to_json(bytes);
  if (!json.ok()) return unknown;
  const FieldSources found = SourcesOf(format.fields(*json), *json);
  EXPECT_FALSE(found.rows.empty());
  for (const SourcedField& field : found.fields) {
    if (field.fact == nullptr) unknown.insert(field.path);
  }
  return unknown;
}

using Paths = std::set<std::string>;

class FieldFactsTest : public ::testing::TestWithParam<const DescriptorGenerator*> {
 protected:
  const DescriptorGenerator& generator_ = *GetParam();
  const Format& format_ = *FindFormat(generator_.format).value();
};

TEST_P(FieldFactsTest, EveryFieldOfGeneratedFilesHasItsEvidence) {
  constexpr uint64_t kFiles = 60;
  Paths unknown;
  for (const FileSetMode mode : {FileSetMode::kValid, FileSetMode::kMutated,
                                 FileSetMode::kMustReject, FileSetMode::kMustWarn}) {
    const auto recipes = DrawFileSet(generator_, format_, mode, kFiles, 7);
    // Not every format has rules of both kinds.
    if (!recipes.ok() && recipes.error().code == ErrorCode::kUnsupported) continue;
    ASSERT_TRUE(recipes.ok()) << recipes.error().message;
    for (const FileRecipe& recipe : *recipes) {
      unknown.merge(UnknownFields(format_, MakeFile(generator_, recipe).value()));
    }
  }
  EXPECT_EQ(unknown, Paths());
}

TEST_P(FieldFactsTest, EveryRowHasASourceAndOccursOnce) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const Json json = format_.to_json(generator_.generate(choices)).value();
    Paths paths;
    for (const FieldFact& fact : format_.fields(json)) {
      EXPECT_FALSE(fact.source.empty()) << fact.path;
      EXPECT_TRUE(paths.insert(fact.path).second) << fact.path << " occurs twice";
    }
    EXPECT_FALSE(paths.empty());
  }
}

// A member that the format does not have gets no evidence. No row of facts matches all names.
TEST_P(FieldFactsTest, AMemberOfNoFormatHasNoEvidence) {
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  Json json = format_.to_json(generator_.generate(choices)).value();
  json["no-such-member"] = 1;
  const FieldSources found = SourcesOf(format_.fields(json), json);
  Paths unknown;
  for (const SourcedField& field : found.fields) {
    if (field.fact == nullptr) unknown.insert(field.path);
  }
  EXPECT_EQ(unknown, Paths{"no-such-member"});
  EXPECT_NE(FieldSourcesText(found).find("unknown: no-such-member"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Formats, FieldFactsTest,
                         ::testing::ValuesIn(AllGenerators().begin(), AllGenerators().end()),
                         [](const auto& row) { return std::string(row.param->format); });

TEST(FieldFacts, EveryFieldOfRealFilesHasItsEvidence) {
  ANECHECK_SKIP_WITHOUT(testing::RealDataPath("hwx"));
  size_t files = 0;
  for (const char* folder : {"espresso", "hwx", "mil", "netlist", "vmfb", "weights"}) {
    for (const std::string& path : testing::FilesUnder(testing::RealDataPath(folder))) {
      ++files;
      const Bytes bytes = ReadFile(path).value();
      EXPECT_EQ(UnknownFields(*RecogniseFormat(bytes, path).value(), bytes), Paths()) << path;
    }
  }
  EXPECT_EQ(files, 55u);
}

TEST(FieldFacts, TaskChainsReadAsAnyVersionHaveEvidenceToo) {
  for (const char* version : {"7", "8", "11", "17", "19", "20"}) {
    const Format& format = *FindFormat(std::string("td:") + version).value();
    const auto rows = format.fields(Json{{"version", std::stoul(version)}});
    ASSERT_FALSE(rows.empty()) << version;
    bool real = false;
    for (const FieldFact& fact : rows) real |= fact.evidence == FactEvidence::kRealFile;
    EXPECT_EQ(real, std::string(version) == "7") << "only version 7 has real files";
  }
}

}  // namespace
}  // namespace anecheck
