// A table of measurements: the part of each operation's bound that engines within the contract
// reach. It is the evidence that the bounds are tight. The adversary test measures the shares and
// checks the table.
#pragma once

#include <span>
#include <string_view>

namespace anecheck {

struct ReachedShare {
  std::string_view op;
  // The part of the bound that the test's worst engines reach, 0 to 1, as the mean over result
  // elements with a bound.
  double share = 0;
};

// All entries in the order of the operation table. An operation has no entry if each element of its
// result admits only one number.
std::span<const ReachedShare> RecordedShares();

}  // namespace anecheck
