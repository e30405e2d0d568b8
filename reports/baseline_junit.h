// JUnit XML of a comparison of baselines, for CI servers.
#pragma once

#include <span>
#include <string>

#include "harness/baseline/compare.h"

namespace anecheck::reports {

// One test case per entry, in a suite per target. An entry whose class is among `failing` is a
// failure; one that cannot be compared, and is not among them, is skipped.
std::string BaselineJUnitXml(const BaselineComparison& comparison, std::span<const Drift> failing);

}  // namespace anecheck::reports
