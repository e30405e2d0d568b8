// Makes the dictionary of a target. It has the words and numbers that have a meaning in the
// target's format, in the form that libFuzzer and AFL++ read.
#pragma once

#include <string>

#include "fuzz/fuzz_target.h"

namespace anecheck::fuzz {

// libFuzzer's dictionaries take no words longer than kMaxWord. A word of one byte is useless,
// because byte edits already try every byte.
inline constexpr size_t kMinWord = 2;
inline constexpr size_t kMaxWord = 64;

// Returns the target's tables of words (FuzzTarget::words), followed by the table "written". It has
// up to 500 keys and keywords that are common in generated files and in no other table. Each word
// occurs once and has kMinWord to kMaxWord bytes. Empty if the target reads choice streams.
// Deterministic.
WordTables DictionaryTables(const FuzzTarget& target);

// Returns DictionaryTables as text. Each line is an entry `table="word"`, in which bytes that are
// not printable ASCII have the form \xAB.
std::string MakeDictionary(const FuzzTarget& target);

}  // namespace anecheck::fuzz
