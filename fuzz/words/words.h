// The words that have a meaning in a format or protocol. They are magic values, ids, keys, names
// and counts from the tables of its reader. Dictionaries have these words (dictionary.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace anecheck::td {
enum class Coding : uint8_t;
}  // namespace anecheck::td

namespace anecheck::fuzz {

struct WordTable {
  std::string name;                     // letters, digits and underscores
  std::vector<std::string> words = {};  // bytes, as in a file

  void Text(std::string_view word) { words.emplace_back(word); }
  // An integer of `width` bytes, little endian.
  void Number(uint64_t value, size_t width) {
    std::string& bytes = words.emplace_back();
    for (size_t i = 0; i < width; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
};
using WordTables = std::vector<WordTable>;

// One function for each format, in words/<format>.cc. Its tables contain only words that have a
// meaning in that format.
namespace words {

#define ANECHECK_FORMAT(name) WordTables name();
#include "harness/formats/formats.def"
#undef ANECHECK_FORMAT

// Names, arguments, enumerated values and element types of operations, as in MIL and graphs.
WordTables Operations();
// The 32-bit words that begin a run of registers in a task descriptor, for all generations that use
// `coding`.
WordTable RegisterRuns(td::Coding coding);
// The bytes with which the records of a ZIP archive begin.
WordTable ZipSignatures();

}  // namespace words
}  // namespace anecheck::fuzz
