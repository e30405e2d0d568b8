// From a processor's name to the compiler target of its engine.
#pragma once

#include <string>
#include <string_view>

namespace anecheck {

// "Apple M1 Max" to the target whose chips are named so ("h13"), in lower case. Where several rows
// name the chip, the first; empty where none does.
std::string TargetOfChip(std::string_view chip);

}  // namespace anecheck
