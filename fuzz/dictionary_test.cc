// Each fuzz target whose inputs contain fixed texts has a dictionary. The dictionary's lines are
// the entries of the target's tables. Entries of each table occur in files that the target reads.
#include "fuzz/dictionary.h"

#include <algorithm>
#include <cctype>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sstream>
#include <string>

namespace anecheck::fuzz {
namespace {

class DictionaryTest : public ::testing::TestWithParam<const FuzzTarget*> {
 protected:
  const FuzzTarget& target_ = *GetParam();
};

// Returns the text that libFuzzer and AFL++ read from a dictionary entry, without the outer quotes.
std::string Unquoted(const std::string& quoted) {
  std::string word;
  for (size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      word += quoted[i];
    } else {
      EXPECT_EQ(quoted.substr(i, 2), "\\x");
      word += static_cast<char>(std::stoi(quoted.substr(i + 2, 2), nullptr, 16));
      i += 3;
    }
  }
  return word;
}

std::string GeneratedFiles(const FuzzTarget& target) {
  std::string files;
  for (uint64_t seed = 0; seed < 64; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const Bytes file =
        target.generate != nullptr ? target.generate(choices) : target.generator->generate(choices);
    files.append(file.begin(), file.end());
  }
  return files;
}

TEST_P(DictionaryTest, EveryTargetHasOneExceptThoseThatReadChoiceStreams) {
  const std::string text = MakeDictionary(target_);
  EXPECT_EQ(text.empty(), target_.draw != nullptr);
  EXPECT_EQ(target_.words == nullptr, target_.draw != nullptr);
}

TEST_P(DictionaryTest, ItsLinesAreTheWordsOfTheTables) {
  std::map<std::string, std::set<std::string>> tables;
  if (target_.words != nullptr) {
    for (const WordTable& table : target_.words()) {
      EXPECT_TRUE(std::ranges::all_of(table.name, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_';
      })) << table.name;
      EXPECT_FALSE(tables.contains(table.name)) << table.name;
      tables[table.name].insert(table.words.begin(), table.words.end());
    }
  }
  std::set<std::string> told;
  std::istringstream lines(MakeDictionary(target_));
  for (std::string line; std::getline(lines, line);) {
    const size_t equals = line.find('=');
    ASSERT_NE(equals, std::string::npos) << line;
    const std::string table = line.substr(0, equals);
    const std::string quoted = line.substr(equals + 1);
    ASSERT_GE(quoted.size(), 3u) << line;
    EXPECT_EQ(quoted.front(), '"') << line;
    EXPECT_EQ(quoted.back(), '"') << line;
    const std::string word = Unquoted(quoted);
    if (table != "written") {
      EXPECT_TRUE(tables[table].contains(word)) << line;
    }
    EXPECT_TRUE(told.insert(word).second) << line;
  }
  for (const auto& [name, words] : tables) {
    for (const std::string& word : words) {
      const bool fits = word.size() >= kMinWord && word.size() <= kMaxWord;
      EXPECT_EQ(told.contains(word), fits) << name << ": " << word;
    }
  }
}

// If a table had the wrong byte order, width or spelling, no file would contain its entries.
TEST_P(DictionaryTest, TheWordsOfEachTableOccurInFiles) {
  if (target_.draw != nullptr) return;
  const std::string files = GeneratedFiles(target_);
  for (const WordTable& table : DictionaryTables(target_)) {
    const bool met = std::ranges::any_of(table.words, [&](const std::string& word) {
      return files.find(word) != std::string::npos;
    });
    EXPECT_TRUE(met || table.words.empty()) << table.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, DictionaryTest,
                         ::testing::ValuesIn(AllTargets().begin(), AllTargets().end()),
                         [](const auto& row) { return std::string(row.param->name); });

TEST(Dictionary, ContainsTheMagicNumbersAndKeywordsOfFormats) {
  const auto words_of = [](std::string_view name) {
    std::set<std::string> words;
    const FuzzTarget* target = FindTarget(name);
    if (target == nullptr) return words;
    for (const WordTable& table : DictionaryTables(*target)) {
      words.insert(table.words.begin(), table.words.end());
    }
    return words;
  };
  EXPECT_TRUE(words_of("hwx").contains("\xce\xfa\xef\xbe"));
  EXPECT_TRUE(words_of("npz").contains(std::string("PK\x03\x04", 4)));
  EXPECT_TRUE(words_of("npz").contains("'fortran_order'"));
  EXPECT_TRUE(words_of("vmfb").contains("IREE"));
  EXPECT_TRUE(words_of("mil").contains("conv"));
  EXPECT_TRUE(words_of("netlist").contains("<dict>"));
  EXPECT_TRUE(words_of("netlist_binary").contains("bplist00"));
  EXPECT_TRUE(words_of("firmware").contains("HENA"));
  EXPECT_TRUE(words_of("results_file").contains("findings"));
  EXPECT_TRUE(words_of("e5").contains("AneInference"));
}

}  // namespace
}  // namespace anecheck::fuzz
