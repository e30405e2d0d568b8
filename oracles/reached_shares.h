// How near engines that keep the contract come to the bound of each operation, measured: the
// evidence that the bounds are not lazy. The adversary test measures it and holds the table to it.
#pragma once

#include <span>
#include <string_view>

namespace anecheck {

struct ReachedShare {
  std::string_view op;
  // Mean over result elements with a bound of the part of it that the worst of the test's engines
  // reach, 0 to 1.
  double share = 0;
};

// In the order of the operation table. Operations whose results each admit one number have no row.
std::span<const ReachedShare> RecordedShares();

}  // namespace anecheck
