// The machine that this process runs on, by the names that evidence uses.
#pragma once

#include <string>

namespace anecheck {

// The chip, such as "Apple M2", from the system; empty if the system does not report it.
std::string ChipName();
// The system: "macOS 15.1 (24B83)", with the build, or "Linux 6.1.0"; empty if it is not reported.
std::string SystemName();

}  // namespace anecheck
