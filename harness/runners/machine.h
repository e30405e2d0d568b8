// The machine that this process runs on, as evidence names it.
#pragma once

#include <string>

namespace anecheck {

// "Apple M2", from the system itself; empty where it does not tell.
std::string ChipName();
// "macOS 15.1 (24B83)" with the build, "Linux 6.1.0"; empty where it does not tell.
std::string SystemName();

}  // namespace anecheck
