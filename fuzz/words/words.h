// The words to which a format or a protocol gives a meaning, row by row out of the tables that its
// reader stands on: magic values, ids, keys, names, counts. Dictionaries are made of them
// (fuzz/dictionary.h).
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
  std::vector<std::string> words = {};  // bytes, as they stand in a file

  void Text(std::string_view word) { words.emplace_back(word); }
  // An integer of `width` bytes, little endian.
  void Number(uint64_t value, size_t width) {
    std::string& bytes = words.emplace_back();
    for (size_t i = 0; i < width; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
};
using WordTables = std::vector<WordTable>;

// One function a format, in words/<format>.cc: its tables, which tell no word of another format.
namespace words {

#define ANECHECK_FORMAT(name) WordTables name();
#include "harness/formats/formats.def"
#undef ANECHECK_FORMAT

// Names, arguments, spelled choices and element types of the operations, as MIL and graphs spell
// them.
WordTables Operations();
// The opening words of runs of registers, of the generations of one coding.
WordTable RegisterRuns(td::Coding coding);
// The bytes that open the records of a ZIP archive.
WordTable ZipSignatures();

}  // namespace words
}  // namespace anecheck::fuzz
