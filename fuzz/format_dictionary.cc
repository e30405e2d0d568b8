#include "fuzz/format_dictionary.h"

#include "fuzz/dictionary.h"
#include "generators/formats/registry/registry.h"
#include "harness/formats/registry/registry.h"

namespace anecheck::fuzz {
namespace {

struct WordsOfFormat {
  std::string_view name;
  WordTables (*words)();
};

constexpr WordsOfFormat kWords[] = {
#define ANECHECK_FORMAT(name) {#name, words::name},
#include "harness/formats/formats.def"
#undef ANECHECK_FORMAT
};

}  // namespace

Result<std::string> DictionaryOfFormat(std::string_view name) {
  ANECHECK_ASSIGN(const Format* format, FindFormat(std::string(name)));
  FuzzTarget target = {.name = name, .check = nullptr, .laws = {}};
  target.format = format;
  target.generator = FindGenerator(name);
  for (const WordsOfFormat& row : kWords) {
    if (row.name == name) target.words = row.words;
  }
  return MakeDictionary(target);
}

}  // namespace anecheck::fuzz
