// JUnit XML of a comparison of baselines, for CI servers.
#pragma once

#include <span>
#include <string>

#include "harness/baseline/compare.h"

namespace anecheck::reports {

// One test case per entry, in a suite per target. An entry whose class is in `failing` is a
// failure. An entry outside `failing` that cannot be compared is skipped.
std::string BaselineJUnitXml(const BaselineComparison& comparison, std::span<const Drift> failing);

}  // namespace anecheck::reports
