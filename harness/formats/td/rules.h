// The rules of task descriptors. The hwx format lists them with its own.
#pragma once

#include <span>

#include "harness/formats/format.h"

namespace anecheck::td {

std::span<const Rule> Rules();
// Those that a section within a container can break: its header names the version, which the last
// rule is about.
inline std::span<const Rule> ContainerRules() { return Rules().first(Rules().size() - 1); }

}  // namespace anecheck::td
