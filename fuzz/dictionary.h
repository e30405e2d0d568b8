// The dictionary of a target: the words and numbers that have a meaning in its format, in the form
// that libFuzzer and AFL++ read.
#pragma once

#include <string>

#include "fuzz/fuzz_target.h"

namespace anecheck::fuzz {

// libFuzzer's dictionaries take no words longer than kMaxWord. A word of one byte is useless,
// because every byte could be such a word.
inline constexpr size_t kMinWord = 2;
inline constexpr size_t kMaxWord = 64;

// The words of the target's tables (FuzzTarget::words), then the table "written": up to 500 keys
// and keywords that are common in its generator's files and in no other table. Each word occurs
// once and has kMinWord to kMaxWord bytes. Empty if the target reads choice streams. Deterministic.
WordTables DictionaryTables(const FuzzTarget& target);

// DictionaryTables as text: one entry `table="word"` on each line, with bytes that are not
// printable ASCII as \xAB.
std::string MakeDictionary(const FuzzTarget& target);

}  // namespace anecheck::fuzz
