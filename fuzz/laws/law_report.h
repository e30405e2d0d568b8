// Reports how often a replay checked each law of a target, because sampling, or inputs that all end
// early, can leave a law unchecked.
#pragma once

#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"

namespace anecheck::fuzz {

// One line per law of the target, "<checks>  <law>", from LawCounts().
std::string LawReport(const FuzzTarget& target);

// The faults of the counts, one line each: a law that was not checked and is not exempt in
// law_report.cc, or an exempt law that was checked.
std::vector<std::string> LawFaults(const FuzzTarget& target);

}  // namespace anecheck::fuzz
