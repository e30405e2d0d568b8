// JUnit XML of a comparison of baselines, for CI servers.
#pragma once

#include <span>
#include <string>

#include "harness/baseline/compare.h"

namespace anecheck::reports {

// Each target has a suite with one test case for each entry. An entry whose class is in `failing`
// is a failure. Any other entry that cannot be compared is skipped.
std::string BaselineJUnitXml(const BaselineComparison& comparison, std::span<const Drift> failing);

}  // namespace anecheck::reports
