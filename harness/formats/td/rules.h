// The rules of task descriptors. The rules of the hwx format include ContainerRules.
#pragma once

#include <span>

#include "harness/formats/format.h"

namespace anecheck::td {

std::span<const Rule> Rules();
// The rules that a section in a container can break. These are all rules except the last, because
// the container's header determines the version.
inline std::span<const Rule> ContainerRules() { return Rules().first(Rules().size() - 1); }

}  // namespace anecheck::td
