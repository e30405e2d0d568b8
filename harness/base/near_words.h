// The words that a misspelt one may mean.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anecheck {

// Those of `list` that few changed, added, left out or swapped letters part from `word` (a third of
// its letters at most), nearest first, at most three.
std::vector<std::string> NearWords(std::string_view word, std::span<const std::string> list);

// "; did you mean run or runs?"; empty where no word is near.
std::string DidYouMean(std::string_view word, std::span<const std::string> list);

}  // namespace anecheck
