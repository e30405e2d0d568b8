// Checks of numbers on the command line. Without them CLI11 would turn -1 into a large unsigned
// number, and a number that is too large into the largest number of its type.
#pragma once

#include <cstdint>

#include "harness/cli/command_line.h"

namespace anecheck {

// The largest number of cases of one campaign. No machine can run as many.
inline constexpr uint64_t kMostCases = uint64_t{1} << 40;
// The largest number of worker processes of one campaign.
inline constexpr uint64_t kMostJobs = 1024;
// The longest time limit, one day.
inline constexpr uint64_t kMostMilliseconds = 86400000;

// Accepts decimal whole numbers from `low` to `high`. The error for other numbers names that range.
OptionCheck WholeNumber(uint64_t low, uint64_t high = UINT64_MAX);

// Accepts decimal numbers of 0 or more.
OptionCheck NumberFromZero();

}  // namespace anecheck
