// The machine that this process runs on, by the names that evidence uses.
#pragma once

#include <string>

namespace anecheck {

// "Apple M2", from the system itself; empty if the system does not tell.
std::string ChipName();
// "macOS 15.1 (24B83)" with the build, "Linux 6.1.0"; empty if the system does not tell.
std::string SystemName();

}  // namespace anecheck
