// The words that a misspelt word may mean.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anecheck {

// At most three words of `list`, nearest first, that differ from `word` by few changed, added,
// removed or swapped letters: at most a third of the letters of `word`, but one letter in any case.
std::vector<std::string> NearWords(std::string_view word, std::span<const std::string> list);

// "; did you mean run or runs?"; empty if no word is near.
std::string DidYouMean(std::string_view word, std::span<const std::string> list);

}  // namespace anecheck
