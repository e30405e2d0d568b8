#include "harness/results/read_leans.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <limits>
#include <span>

namespace anecheck {
namespace {

// Above the outputs of one operation in any campaign, so that sums of many runs hold.
constexpr int64_t kMostOutputs = int64_t{1} << 32;
// What one output changes a number of LeanSums by at the most: the boldest player loses 2.2 of
// these units.
constexpr int64_t kMostOfOne = 4 * static_cast<int64_t>(LeanSums::kUnit);

constexpr std::string_view kNumbers[] = {"outputs",   "sum",       "capital_1", "capital_2",
                                         "capital_3", "capital_4", "extreme",   "extreme_case"};
constexpr size_t kOutputs = 0, kSum = 1, kCapital = 2, kExtreme = 6, kCase = 7;

// How far from 0 the number of that column may lie.
int64_t MostOf(size_t column, int64_t outputs) {
  switch (column) {
    case kOutputs:
      return kMostOutputs;
    case kExtreme:
      return kMostOfOne;
    case kCase:
      return std::numeric_limits<int64_t>::max();
    default:
      return outputs * kMostOfOne;
  }
}

// The numbers of a row of error_leans in that order.
Result<LeanSums> ReadSums(const std::string& path, std::span<const std::string> texts) {
  std::array<int64_t, std::size(kNumbers)> numbers{};
  for (size_t i = 0; i < numbers.size(); ++i) {
    const std::string& text = texts[i];
    int64_t& number = numbers[i];
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    const int64_t most = MostOf(i, numbers[kOutputs]);
    const int64_t least = i == kOutputs || i == kCase ? 0 : -most;
    if (!whole || number < least || number > most) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("{}: error_leans has {} '{}', {}; the file is damaged", path,
                                   kNumbers[i], text,
                                   whole ? fmt::format("which is not within {} to {}", least, most)
                                         : "which is no whole number"));
    }
  }
  LeanSums sums;
  sums.outputs = static_cast<uint64_t>(numbers[kOutputs]);
  sums.sum = numbers[kSum];
  std::copy_n(numbers.begin() + kCapital, kBets, sums.capitals.begin());
  sums.extreme = numbers[kExtreme];
  sums.extreme_case = static_cast<uint64_t>(numbers[kCase]);
  return sums;
}

}  // namespace

Result<RunLeans> ReadLeans(Store& store, int64_t run) {
  const std::string id = std::to_string(run);
  ANECHECK_ASSIGN(const auto rows,
                  store.Query(fmt::format("SELECT target, route, op, lean, {} FROM error_leans "
                                          "WHERE run = CAST(? AS INTEGER)",
                                          fmt::join(kNumbers, ", ")),
                              {&id, 1}));
  RunLeans leans;
  for (const auto& row : rows) {
    const auto lean = LeanFromName(row[3]);
    if (!lean) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("{}: error_leans has lean '{}', which is none; the file is "
                                   "damaged",
                                   store.path(), row[3]));
    }
    ANECHECK_ASSIGN(leans[std::tie(row[0], row[1], row[2])][static_cast<size_t>(*lean)],
                    ReadSums(store.path(), std::span(row).subspan(4)));
  }
  return leans;
}

}  // namespace anecheck
