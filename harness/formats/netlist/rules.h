// The rules of network descriptions and their check.
#pragma once

#include <span>
#include <vector>

#include "harness/formats/format.h"
#include "harness/formats/tree/value.h"

namespace anecheck::netlist {

std::span<const Rule> Rules();

// Returns the violations of a property list, in file order.
std::vector<Violation> Verify(const tree::Value& root);

}  // namespace anecheck::netlist
