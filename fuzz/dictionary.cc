#include "fuzz/dictionary.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/json.h"

namespace anecheck::fuzz {
namespace {

constexpr uint64_t kFiles = 64;
constexpr int kCommonFiles = 4;  // a value that fewer files contain is left out
constexpr size_t kMaxWritten = 500;
constexpr size_t kMaxWrittenWord = 32;

std::string_view AsText(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Collects the values of the file's fields whose bytes occur unchanged in the file.
void CollectFields(const Json& json, std::string_view file, std::set<std::string>& found) {
  if (json.is_structured()) {
    for (const Json& item : json) CollectFields(item, file, found);
  } else if (json.is_string()) {
    const auto& text = json.text();
    if (text.size() >= 2 && text.size() <= kMaxWrittenWord &&
        file.find(text) != std::string_view::npos) {
      found.insert(text);
    }
  } else if (json.is_number_unsigned()) {
    const auto value = json.get<uint64_t>();
    if (value < 0x100) return;
    WordTable number;
    number.Number(value, value <= 0xffff ? 2 : value <= 0xffffffff ? 4 : 8);
    if (file.find(number.words[0]) != std::string_view::npos) found.insert(number.words[0]);
  }
}

// Collects runs of letters, digits and underscores. They are keys and keywords of texts, or names
// in binary files.
void CollectWords(std::string_view file, std::set<std::string>& found) {
  size_t start = 0;
  for (size_t i = 0; i <= file.size(); ++i) {
    const bool inside = i < file.size() &&
                        (std::isalnum(static_cast<unsigned char>(file[i])) != 0 || file[i] == '_');
    if (inside) continue;
    if (i - start >= 3 && i - start <= kMaxWrittenWord)
      found.insert(std::string(file.substr(start, i - start)));
    start = i + 1;
  }
}

std::string Quote(std::string_view bytes) {
  std::string quoted = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') {
      quoted += fmt::format("\\x{:02X}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

// Returns the words that several generated files contain, the most frequent first.
WordTable Written(const FuzzTarget& target) {
  std::map<std::string, int> files_with;
  for (uint64_t seed = 0; seed < kFiles; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const Bytes file =
        target.generate != nullptr ? target.generate(choices) : target.generator->generate(choices);
    std::set<std::string> found;
    CollectWords(AsText(file), found);
    if (target.format != nullptr) {
      const Result<Json> json = target.format->to_json(file);
      if (json.ok()) CollectFields(*json, AsText(file), found);
    }
    for (const std::string& word : found) ++files_with[word];
  }
  std::vector<std::pair<int, std::string>> ranked;
  for (const auto& [word, files] : files_with) {
    if (files >= kCommonFiles) ranked.emplace_back(-files, word);
  }
  std::ranges::sort(ranked);
  WordTable written = {"written"};
  for (const auto& [rank, word] : ranked) written.Text(word);
  return written;
}

}  // namespace

WordTables DictionaryTables(const FuzzTarget& target) {
  if (target.draw != nullptr) return {};
  WordTables tables = target.words == nullptr ? WordTables() : target.words();
  if (target.generate != nullptr || target.generator != nullptr) tables.push_back(Written(target));
  std::set<std::string> known;
  for (WordTable& table : tables) {
    std::erase_if(table.words, [&](const std::string& word) {
      return word.size() < kMinWord || word.size() > kMaxWord || !known.insert(word).second;
    });
  }
  if (!tables.empty() && tables.back().name == "written" &&
      tables.back().words.size() > kMaxWritten) {
    tables.back().words.resize(kMaxWritten);
  }
  return tables;
}

std::string MakeDictionary(const FuzzTarget& target) {
  std::string text;
  for (const WordTable& table : DictionaryTables(target)) {
    for (const std::string& word : table.words) {
      text += fmt::format("{}={}\n", table.name, Quote(word));
    }
  }
  return text;
}

}  // namespace anecheck::fuzz
