// The values of a number on the command line: CLI11 itself lets -1 wrap into an unsigned number and
// a number that is too large become the largest.
#pragma once

#include <cstdint>

#include "harness/cli/command_line.h"

namespace anecheck {

// The most cases of one campaign; more than any machine runs.
inline constexpr uint64_t kMostCases = uint64_t{1} << 40;
// The most worker processes of one campaign.
inline constexpr uint64_t kMostJobs = 1024;
// The longest wait, a day.
inline constexpr uint64_t kMostMilliseconds = 86400000;

// Accepts decimal whole numbers from `low` to `high` and tells the range of others.
OptionCheck WholeNumber(uint64_t low, uint64_t high = UINT64_MAX);

// Accepts decimal numbers from 0 on.
OptionCheck NumberFromZero();

}  // namespace anecheck
