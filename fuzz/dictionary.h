// The dictionary of a target: the words and numbers that its format gives a meaning, in the form
// that libFuzzer and AFL++ read.
#pragma once

#include <string>

#include "fuzz/fuzz_target.h"

namespace anecheck::fuzz {

// Longer words fit no dictionary of libFuzzer's; of shorter ones every byte is one.
inline constexpr size_t kMinWord = 2;
inline constexpr size_t kMaxWord = 64;

// The words of the target's tables (FuzzTarget::words), and behind them the table "written": the
// keys and keywords common to its generator's files that stand in no table. At most 500 of the
// latter. No word comes twice, none is shorter or longer than the two bounds. None for choice
// streams. Deterministic.
WordTables DictionaryTables(const FuzzTarget& target);

// The same as text: one entry `table="word"` a line, bytes that are not printable ASCII as \xAB.
std::string MakeDictionary(const FuzzTarget& target);

}  // namespace anecheck::fuzz
