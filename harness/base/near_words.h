// Suggests words for a misspelt word.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anecheck {

// Returns at most three words of `list`, nearest first. The number of changed, added, removed or
// swapped letters is at most a third of the letters of `word`, or at most 1 for a short word.
std::vector<std::string> NearWords(std::string_view word, std::span<const std::string> list);

// Returns a text such as "; did you mean run or runs?"; empty if no word is near.
std::string DidYouMean(std::string_view word, std::span<const std::string> list);

}  // namespace anecheck
