// Structured mutation can be replayed, stays within the given size, and usually changes something.
// Most results from a valid file still parse. A child of two files has whole parts of both.
#include "generators/formats/mutator/structured_mutator.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "generators/formats/mutator/json_edit.h"
#include "generators/formats/td/td_generator.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"

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

// An unchanged file would waste an execution. Containers are mostly zeros, so many edits change
// nothing.
TEST(StructuredMutator, ReturnsNoInputUnchanged) {
  const Bytes zeros(4096, 0);
  Bytes other = zeros;
  other[2048] = 1;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    EXPECT_NE(MutateFile({}, zeros, 1 << 16, seed), zeros) << seed;
    EXPECT_NE(MutateFile(kParts, MakeFile(seed), 1 << 16, seed), MakeFile(seed)) << seed;
    const Bytes child = CrossFiles({}, zeros, other, 1 << 16, seed);
    EXPECT_TRUE(child != zeros && child != other) << seed;
  }
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

TEST(StructuredMutator, ChangesAFieldThatOccursOnceAboutAsOftenAsOneThatRepeats) {
  constexpr int kMutations = 1500;
  Format text = kFormat_td;
  text.name = "mil";
  const std::string head = "x = 7; [";
  std::string rest = "1";
  for (int i = 0; i < 300; ++i) rest += ", 1";
  const std::string whole = head + rest;
  const Bytes file(whole.begin(), whole.end());
  int changed = 0;
  for (uint64_t seed = 0; seed < kMutations; ++seed) {
    const Bytes mutated = MutateFile({.format = &text}, file, 1 << 16, seed);
    const std::string result(mutated.begin(), mutated.end());
    changed += result.starts_with("x = ") && !result.starts_with(head) && result.ends_with(rest);
  }
  EXPECT_GT(changed, kMutations / 50) << "of 300 other numbers";
}

// Containers of the generators have up to 96 KiB.
TEST(StructuredMutator, EditsTheJsonFormOfFilesAsLargeAsTheGeneratorsMake) {
  static int asked = 0;
  Format format = kFormat_td;
  format.to_json = [](ByteSpan) -> Result<Json> {
    ++asked;
    return MakeError(ErrorCode::kMalformed, "td: no");
  };
  for (const auto& [size, expected] :
       {std::pair(96 << 10, true), std::pair((128 << 10) + 1, false)}) {
    const Bytes file(size, 1);
    asked = 0;
    for (uint64_t seed = 0; seed < 16; ++seed) {
      (void)MutateStructure({.format = &format}, file, 1 << 18, seed);
    }
    EXPECT_EQ(asked > 0, expected) << size;
    asked = 0;
    for (uint64_t seed = 0; seed < 16; ++seed) {
      (void)CrossFiles({.format = &format}, file, file, 1 << 18, seed);
    }
    EXPECT_EQ(asked > 0, expected) << size << ", of two files";
  }
}

// The JSON forms of large files would take most of a fuzzer's time.
TEST(CrossFiles, SeldomTakesTheFormsOfLargeFiles) {
  static int asked = 0;
  Format format = kFormat_td;
  format.to_json = [](ByteSpan) -> Result<Json> {
    ++asked;
    return MakeError(ErrorCode::kMalformed, "td: no");
  };
  const ByteEditor edit = [](uint8_t*, size_t size, size_t) { return size; };
  const auto asked_of = [&](size_t size) {
    asked = 0;
    const Bytes file(size, 1);
    for (uint64_t seed = 0; seed < kSeeds; ++seed) {
      (void)CrossFiles({.format = &format, .edit_bytes = edit}, file, file, 1 << 16, seed);
    }
    return asked / 2;  // once for each of two files
  };
  EXPECT_GT(asked_of(512), kSeeds / 2);
  EXPECT_GT(asked_of(16384), 0);
  EXPECT_LT(asked_of(16384), kSeeds / 8);
}

// Most edits of the JSON form do not fit the format. If several in a row do not fit, the mutator
// edits bytes instead.
TEST(StructuredMutator, TriesSeveralEditsOfTheJsonForm) {
  static int encoded = 0;
  encoded = 0;
  const Format format = {
      .name = "choosy",
      .to_json = [](ByteSpan bytes) -> Result<Json> { return Json{{"size", bytes.size()}}; },
      .from_json = [](const Json&) -> Result<Bytes> {
        if (++encoded % 4 != 0) return MakeError(ErrorCode::kMalformed, "choosy: no");
        return Bytes(17, 0x11);
      },
  };
  int edited = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    edited += MutateStructure({.format = &format}, Bytes(8, 1), 64, seed) == Bytes(17, 0x11);
  }
  EXPECT_GT(edited, kSeeds / 4);
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

// Named mutations find their places in files that parse, and may read them unchecked.
TEST(StructuredMutator, AppliesNoNamedMutationToUnparsableFiles) {
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

// A format of JSON texts. A text is a document of records, each of which names the document's
// parent.
const Format kDocuments = {
    .name = "documents",
    .to_json = [](ByteSpan text) -> Result<Json> {
      return ParseJson({reinterpret_cast<const char*>(text.data()), text.size()});
    },
    .from_json = [](const Json& json) -> Result<Bytes> {
      const std::string text = DumpJson(json);
      return Bytes(text.begin(), text.end());
    },
};

Bytes Document(std::string_view parent, int records) {
  Json json = {{"records", Json::array()}};
  for (int i = 0; i < records; ++i) json["records"].push_back({{"of", parent}, {"at", i}});
  return kDocuments.from_json(json).value();
}

TEST(CrossFiles, AChildOfDocumentsHasWholeRecordsOfBoth) {
  const MutatorParts parts = {.format = &kDocuments};
  const Bytes a = Document("a", 6);
  const Bytes b = Document("b", 9);
  int of_both = 0;
  int parsed = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Result<Json> child = kDocuments.to_json(CrossFiles(parts, a, b, 1 << 16, seed));
    if (!child.ok() || !child->contains("records")) continue;
    ++parsed;
    std::set<std::string> parents;
    for (const Json& record : (*child)["records"]) {
      if (record.contains("of") && record["of"].is_string()) {
        parents.insert(record["of"].get<std::string>());
      }
    }
    of_both += parents == std::set<std::string>{"a", "b"} ? 1 : 0;
  }
  EXPECT_GT(parsed, kSeeds * 5 / 8);
  EXPECT_GT(of_both, kSeeds / 3);
}

TEST(CrossFiles, ChildrenOfTaskStreamsMostlyParse) {
  int readable = 0;
  int like_neither = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Bytes a = MakeFile(2 * seed);
    const Bytes b = MakeFile(2 * seed + 1);
    const Bytes child = CrossFiles(kParts, a, b, 1 << 16, seed);
    readable += kFormat_td.verify(child).ok() ? 1 : 0;
    like_neither += child != a && child != b ? 1 : 0;
  }
  EXPECT_GT(readable, kSeeds / 4);
  EXPECT_GT(like_neither, kSeeds / 2);
}

// Without a format, half of the children are joined at a position where both files have the same
// bytes.
TEST(CrossFiles, TextsAreJoinedAtCommonWords) {
  const std::string_view a = "if (width == 3) return; else stop;";
  const std::string_view b = "while (height != 3) return once;";
  int alike = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Bytes child =
        CrossFiles({}, Bytes(a.begin(), a.end()), Bytes(b.begin(), b.end()), 64, seed);
    const std::string text(child.begin(), child.end());
    alike += text == "if (width == 3) return once;" ? 1 : 0;
  }
  EXPECT_GT(alike, 5);
}

using Records = std::vector<std::vector<uint64_t>>;

// Reads records. The first number of each record is the count of the numbers that follow.
Records ReadRecords(ChoiceStream& choices) {
  Records records;
  while (!choices.Exhausted()) {
    auto& record = records.emplace_back(choices.Below(5));
    for (uint64_t& number : record) number = choices.Below(1000);
  }
  return records;
}

TEST(CrossFiles, ChoiceStreamsAreCutBetweenDraws) {
  const MutatorParts parts = {.draw = [](ChoiceStream& choices) { (void)ReadRecords(choices); }};
  int of_both = 0;
  int torn = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const auto draw = [&choices] {
      Bytes bytes(64);
      for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(choices.Below(256));
      return bytes;
    };
    const Bytes a = draw();
    const Bytes b = draw();
    const auto read = [](const Bytes& bytes) {
      ChoiceStream stream = ChoiceStream::FromBytes(bytes);
      return ReadRecords(stream);
    };
    const Records of_a = read(a);
    const Records of_b = read(b);
    int from_a = 0;
    int from_b = 0;
    int from_none = 0;
    for (const auto& record : read(CrossFiles(parts, a, b, 256, seed))) {
      if (record.size() < 2) continue;  // too short to name its origin
      const bool in_a = std::ranges::find(of_a, record) != of_a.end();
      const bool in_b = std::ranges::find(of_b, record) != of_b.end();
      from_a += in_a ? 1 : 0;
      from_b += in_b ? 1 : 0;
      from_none += in_a || in_b ? 0 : 1;
    }
    of_both += from_a > 0 && from_b > 0 ? 1 : 0;
    torn += from_none > 2 ? 1 : 0;  // each of the two cuts may tear one record
  }
  EXPECT_GT(of_both, kSeeds / 2);
  EXPECT_LT(torn, kSeeds / 4);
}

TEST(ChoiceStreamLog, LogsOnlyDrawsThatReadAByte) {
  const Bytes bytes = {1, 2, 3, 4};
  std::vector<ChoiceStream::LoggedDraw> log;
  ChoiceStream choices = ChoiceStream::FromBytes(bytes, &log);
  choices.Below(10);
  choices.Below(1);
  choices.Below(300);
  choices.Word();
  choices.Word();
  ASSERT_EQ(log.size(), 3u);
  EXPECT_EQ(log[0].position, 0u);
  EXPECT_EQ(log[0].bound, 10u);
  EXPECT_EQ(log[1].position, 1u);
  EXPECT_EQ(log[1].bound, 300u);
  EXPECT_EQ(log[2].position, 3u);
  EXPECT_EQ(log[2].bound, 0u);
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

// Large descriptors and texts have more places than one edit considers.
TEST(JsonEdit, ReachesTheEndOfLargeFiles) {
  Json json = {{"list", Json::array()}};
  for (int i = 0; i < 12000; ++i) json["list"].push_back(i);
  size_t first = json["list"].size();
  size_t last = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Json edited = json;
    ASSERT_TRUE(EditJson(edited, choices));
    if (edited["list"].size() != json["list"].size()) continue;
    const auto at =
        std::ranges::mismatch(edited["list"], json["list"]).in1 - edited["list"].begin();
    first = std::min(first, static_cast<size_t>(at));
    last = std::max(last, static_cast<size_t>(at));
  }
  EXPECT_LT(first, 2000u);
  EXPECT_GT(last, 10000u);
}

// The JSON form writes numbers and bytes as hexadecimal digits; other characters, or more digits,
// mostly make them invalid.
TEST(JsonEdit, ReplacesDigitsByDigits) {
  int numbers = 0;
  std::set<std::string> texts;
  for (uint64_t seed = 0; seed < 10 * kSeeds; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Json json = Json::array({"0x004a"});
    if (!EditJson(json, choices) || json.size() != 1) continue;
    const std::string text = json[0].get<std::string>();
    numbers += text.size() == 6 && text.starts_with("0x") &&
                       text.find_first_not_of("0123456789abcdef", 2) == std::string::npos
                   ? 1
                   : 0;
    texts.insert(text);
  }
  EXPECT_GT(numbers, 10 * kSeeds / 4);
  EXPECT_TRUE(texts.contains("0x7fff") && texts.contains("0x8000"))
      << "the ends of the signed range";
}

TEST(JsonEdit, ChangesFractions) {
  std::set<double> numbers;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Json json = Json::array({0.75});
    if (!EditJson(json, choices) || json.size() != 1) continue;
    ASSERT_TRUE(json[0].is_number_float());
    EXPECT_TRUE(std::isfinite(json[0].get<double>()));
    numbers.insert(json[0].get<double>());
  }
  EXPECT_GT(numbers.size(), 20u);
  EXPECT_EQ(*numbers.rbegin(), std::numeric_limits<double>::max());
}

TEST(JsonEdit, CrossesMembersOfTheSameName) {
  ChoiceStream choices = ChoiceStream::FromSeed(1);
  Json a = {{"size", 1}, {"name", "x"}};
  ASSERT_TRUE(CrossJson(a, {{"size", 7}, {"other", 3}}, choices));
  EXPECT_EQ(a, (Json{{"size", 7}, {"name", "x"}}));
  EXPECT_FALSE(CrossJson(a, {{"other", 3}}, choices));
}

TEST(JsonEdit, CrossesRunsOfElements) {
  std::set<size_t> sizes;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Json a = {{"list", {1, 1, 1, 1}}};
    ASSERT_TRUE(a["list"].is_array());
    if (!CrossJson(a, {{"list", {2, 2, 2}}}, choices)) continue;
    ASSERT_TRUE(a["list"].is_array());
    sizes.insert(a["list"].size());
    EXPECT_LE(a["list"].size(), 7u);
  }
  EXPECT_GE(sizes.size(), 5u);
}

}  // namespace
}  // namespace anecheck
