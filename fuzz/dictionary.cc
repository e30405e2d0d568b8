#include "fuzz/dictionary.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

namespace anecheck::fuzz {
namespace {

constexpr uint64_t kFiles = 64;
constexpr int kCommonFiles = 4;  // a value in fewer files is one file's own
constexpr size_t kMaxWord = 32;
constexpr size_t kMaxEntries = 500;

std::string_view AsText(ByteSpan bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string LittleEndian(uint64_t value, size_t width) {
  std::string bytes;
  for (size_t i = 0; i < width; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  return bytes;
}

// The values of a file's fields that stand in it as they are.
void CollectFields(const Json& json, std::string_view file, std::set<std::string>& found) {
  if (json.is_structured()) {
    for (const Json& item : json) CollectFields(item, file, found);
  } else if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    if (text.size() >= 2 && text.size() <= kMaxWord && file.find(text) != std::string_view::npos) {
      found.insert(text);
    }
  } else if (json.is_number_unsigned()) {
    const auto value = json.get<uint64_t>();
    if (value < 0x100) return;
    const size_t width = value <= 0xffff ? 2 : value <= 0xffffffff ? 4 : 8;
    const std::string bytes = LittleEndian(value, width);
    if (file.find(bytes) != std::string_view::npos) found.insert(bytes);
  }
}

// Runs of letters, digits and underscores: keys and keywords of text formats, names of binary ones.
void CollectWords(std::string_view file, std::set<std::string>& found) {
  size_t start = 0;
  for (size_t i = 0; i <= file.size(); ++i) {
    const bool inside = i < file.size() &&
                        (std::isalnum(static_cast<unsigned char>(file[i])) != 0 || file[i] == '_');
    if (inside) continue;
    if (i - start >= 3 && i - start <= kMaxWord)
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
  return quoted + "\"\n";
}

}  // namespace

std::string MakeDictionary(const FuzzTarget& target) {
  if (target.format == nullptr || target.generator == nullptr) return {};
  std::map<std::string, int> files_with;
  for (uint64_t seed = 0; seed < kFiles; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    const Bytes file =
        target.generate != nullptr ? target.generate(choices) : target.generator->generate(choices);
    std::set<std::string> found;
    CollectWords(AsText(file), found);
    const Result<Json> json = target.format->to_json(file);
    if (json.ok()) CollectFields(*json, AsText(file), found);
    for (const std::string& word : found) ++files_with[word];
  }
  std::vector<std::pair<int, std::string>> ranked;
  for (const auto& [word, files] : files_with) {
    if (files >= kCommonFiles) ranked.emplace_back(-files, word);
  }
  std::ranges::sort(ranked);
  if (ranked.size() > kMaxEntries) ranked.resize(kMaxEntries);
  std::string text;
  for (const auto& [rank, word] : ranked) text += Quote(word);
  return text;
}

}  // namespace anecheck::fuzz
