// The rules of the hal format. Used by format.cc and by the generator of tables that break exactly
// one rule.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/formats/format.h"
#include "harness/formats/hal/hal.h"

namespace anecheck::hal {

// A rule for a scalar that has one of a few values according to the sources.
struct ValueRule {
  std::string_view id;
  uint32_t offset = 0;
  std::vector<uint64_t> values;
};

std::span<const Rule> Rules();
std::span<const ValueRule> ValueRules();
std::vector<Violation> Verify(const HalBlob& blob);

}  // namespace anecheck::hal
