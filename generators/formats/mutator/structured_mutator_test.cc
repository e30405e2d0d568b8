// What holds of structured mutation: it replays, it stays within its size, it changes something
// most of the time, and much of what it makes of a valid file still parses.
#include "generators/formats/mutator/structured_mutator.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "generators/formats/mutator/json_edit.h"
#include "generators/formats/td/td_generator.h"

namespace anecheck {
namespace {

constexpr int kSeeds = 150;

Bytes MakeFile(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_td.generate(choices);
}

const MutatorParts kParts = {.format = &kFormat_td, .generator = &kGenerator_td};

TEST(StructuredMutator, OneSeedGivesOneChange) {
  const Bytes file = MakeFile(1);
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    EXPECT_EQ(MutateFile(kParts, file, 1 << 16, seed), MutateFile(kParts, file, 1 << 16, seed));
    EXPECT_EQ(CrossFiles(kParts, file, MakeFile(2), 1 << 16, seed),
              CrossFiles(kParts, file, MakeFile(2), 1 << 16, seed));
  }
}

TEST(StructuredMutator, ChangesMostFilesAndKeepsManyOfThemReadable) {
  int changed = 0;
  int readable = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Bytes file = MakeFile(seed);
    const Bytes mutated = MutateFile(kParts, file, 1 << 16, seed);
    changed += mutated != file ? 1 : 0;
    readable += mutated != file && kFormat_td.verify(mutated).ok() ? 1 : 0;
  }
  EXPECT_GT(changed, kSeeds * 9 / 10);
  EXPECT_GT(readable, kSeeds / 4);
}

TEST(StructuredMutator, StaysWithinTheSize) {
  const Bytes file = MakeFile(3);
  for (const size_t max_size : {size_t{1}, size_t{16}, file.size(), file.size() + 8}) {
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      EXPECT_LE(MutateFile(kParts, file, max_size, seed).size(), max_size);
      EXPECT_LE(CrossFiles(kParts, file, file, max_size, seed).size(), max_size);
    }
  }
}

TEST(StructuredMutator, WorksWithoutAFormat) {
  int changed = 0;
  const Bytes file = {1, 2, 3, 4, 5, 6, 7, 8};
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    changed += MutateFile({}, file, 64, seed) != file ? 1 : 0;
    (void)MutateFile({}, {}, 64, seed);
  }
  EXPECT_GT(changed, kSeeds / 2);
}

// Named mutations find their places in what parses, and may read them unchecked.
TEST(StructuredMutator, AsksNoNamedMutationOfWhatDoesNotParse) {
  static constexpr MutationKind kKinds[] = {
      {"careless", "",
       [](ByteSpan bytes, ChoiceStream&) -> std::optional<Mutation> {
         EXPECT_TRUE(kFormat_td.verify(bytes).ok());
         return std::nullopt;
       },
       nullptr}};
  const DescriptorGenerator generator = {"td", kGenerator_td.generate, kKinds};
  const MutatorParts parts = {.format = &kFormat_td, .generator = &generator};
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    (void)MutateFile(parts, MakeFile(seed), 1 << 16, seed);
    (void)MutateFile(parts, Bytes{1, 2, 3}, 1 << 16, seed);
    (void)MutateFile(parts, {}, 1 << 16, seed);
  }
}

TEST(StructuredMutator, UsesTheByteEditorItIsGiven) {
  const MutatorParts parts = {.edit_bytes = [](uint8_t* data, size_t, size_t) -> size_t {
    data[0] = 0x5a;
    return 1;
  }};
  int edited = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    edited += MutateFile(parts, Bytes{1, 2, 3}, 8, seed) == Bytes{0x5a} ? 1 : 0;
  }
  EXPECT_GT(edited, kSeeds / 5);
}

TEST(JsonEdit, ChangesOnePlace) {
  const Json json = {{"a", 1}, {"list", {1, 2, 3}}, {"text", "0x10"}};
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Json edited = json;
    EXPECT_TRUE(EditJson(edited, choices)) << seed;
  }
}

TEST(JsonEdit, CrossesPartsOfOneName) {
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  Json a = {{"size", 1}, {"name", "x"}};
  ASSERT_TRUE(CrossJson(a, {{"size", 7}, {"other", 3}}, choices));
  EXPECT_EQ(a, (Json{{"size", 7}, {"name", "x"}}));
  EXPECT_FALSE(CrossJson(a, {{"other", 3}}, choices));
}

}  // namespace
}  // namespace anecheck
