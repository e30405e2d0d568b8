// Reports how often a replay checked each law of a target. A law may be unchecked because of
// sampling, or because all inputs end before its check.
#pragma once

#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"

namespace anecheck::fuzz {

// Returns one line "<checks>  <law>" for each law of the target. The counts are from LawCounts().
std::string LawReport(const FuzzTarget& target);

// Returns the faults of the counts, one on each line. A fault is a law that was not checked and is
// not exempt in law_report.cc, or an exempt law that was checked.
std::vector<std::string> LawFaults(const FuzzTarget& target);

}  // namespace anecheck::fuzz
