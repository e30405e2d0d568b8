#include "harness/base/near_words.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace anecheck {
namespace {

constexpr size_t kMostNear = 3;

// Returns the optimal string alignment distance, ignoring case. It is the number of letters to
// change, add, remove or swap with a neighbour.
size_t DistanceOf(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  std::vector<std::vector<size_t>> rows(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) rows[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const char x = lower(a[i - 1]), y = lower(b[j - 1]);
      rows[i][j] =
          std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (x == y ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y;
      if (swapped) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

}  // namespace

std::vector<std::string> NearWords(std::string_view word, std::span<const std::string> list) {
  // A longer text cannot be a mistyped word of the tool.
  constexpr size_t kLongest = 64;
  std::vector<std::pair<size_t, std::string>> near;
  if (word.size() > kLongest) return {};
  for (const std::string& candidate : list) {
    const size_t distance = candidate.size() > kLongest ? kLongest : DistanceOf(word, candidate);
    if (distance <= std::max<size_t>(1, word.size() / 3)) near.emplace_back(distance, candidate);
  }
  std::ranges::sort(near);
  const auto repeated = std::ranges::unique(near);
  near.erase(repeated.begin(), repeated.end());
  std::vector<std::string> words;
  for (size_t i = 0; i < std::min(near.size(), kMostNear); ++i) words.push_back(near[i].second);
  return words;
}

std::string DidYouMean(std::string_view word, std::span<const std::string> list) {
  const std::vector<std::string> near = NearWords(word, list);
  return near.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(near, " or "));
}

}  // namespace anecheck
