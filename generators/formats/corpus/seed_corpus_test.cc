// Tests the files chosen as a fuzzer's seeds. They are few, contain every member that many drawn
// files contain, and are always the same.
#include "generators/formats/corpus/seed_corpus.h"

#include <gtest/gtest.h>
#include <set>

#include "generators/formats/td/td_generator.h"
#include "harness/base/json.h"
#include "harness/formats/td/td.h"

namespace anecheck {
namespace {

void CollectPaths(const Json& json, const std::string& path, std::set<std::string>& paths) {
  if (json.is_object()) {
    for (const auto& [key, item] : json.items()) CollectPaths(item, path + "." + key, paths);
  } else if (json.is_array()) {
    for (const Json& item : json) CollectPaths(item, path + "[]", paths);
  } else {
    paths.insert(path);
  }
}

TEST(SeedCorpus, FewFilesHaveEveryMemberOfMany) {
  const auto files = ChooseValidFiles(kGenerator_td, kFormat_td, 7, {.drawn = 64});
  ASSERT_FALSE(files.empty());
  EXPECT_LT(files.size(), 64u);
  std::set<std::string> chosen, all;
  for (const CorpusFile& file : files) {
    CollectPaths(kFormat_td.to_json(file.bytes).value(), "", chosen);
  }
  ChoiceStream source = ChoiceStream::FromSeed(7);
  for (int i = 0; i < 64; ++i) {
    ChoiceStream choices = ChoiceStream::FromSeed(source.Word());
    CollectPaths(kFormat_td.to_json(kGenerator_td.generate(choices)).value(), "", all);
  }
  EXPECT_EQ(chosen, all);
}

TEST(SeedCorpus, OneSeedGivesOneCorpus) {
  const auto once = ChooseValidFiles(kGenerator_td, kFormat_td, 3, {.drawn = 20});
  const auto again = ChooseValidFiles(kGenerator_td, kFormat_td, 3, {.drawn = 20});
  ASSERT_EQ(once.size(), again.size());
  for (size_t i = 0; i < once.size(); ++i) EXPECT_EQ(once[i].bytes, again[i].bytes);
}

TEST(SeedCorpus, EdgesAreInFilesOfTheirOwn) {
  const auto valid = ChooseValidFiles(kGenerator_td, kFormat_td, 3, {.drawn = 20});
  const auto edges = MakeEdgeFiles("td", valid, 1 << 16);
  EXPECT_GT(edges.size(), 50u);
  EXPECT_LT(edges.size(), 400u);
  for (const CorpusFile& file : edges) {
    for (const CorpusFile& one : valid) EXPECT_NE(file.bytes, one.bytes) << file.reason;
  }
}

}  // namespace
}  // namespace anecheck
