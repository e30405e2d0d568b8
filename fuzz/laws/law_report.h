// How often each law of a target was checked in a replay: sampling and inputs that all end early
// can leave a law that nothing ever holds anybody to.
#pragma once

#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"

namespace anecheck::fuzz {

// One line per law of the target, "<checks>  <law>", from LawCounts().
std::string LawReport(const FuzzTarget& target);

// The faults of the counts, one line each: a law that was not checked, unless law_report.cc says
// why none of the target's inputs can meet it, or one that was checked although it says so.
std::vector<std::string> LawFaults(const FuzzTarget& target);

}  // namespace anecheck::fuzz
