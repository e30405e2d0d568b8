// The plan of a compiled program, as an external program reports it: the device of each operation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "harness/verdict/words.h"

namespace anecheck {

enum class Device : uint8_t { kAne, kCpu, kGpu };

template <>
struct Words<Device> {
  static constexpr std::string_view kConcept = "device";
  static constexpr auto kTexts = std::to_array<std::string_view>({"ane", "cpu", "gpu"});
};

struct PlannedOp {
  std::string op;    // by its MIL name: "conv"
  std::string name;  // its first result; empty if unknown
  Device device = Device::kAne;
  std::optional<double> cost;  // its share of the program's cost, 0 to 1
};

// The first operation that is planned on a device other than the engine; null if there is none.
const PlannedOp* FirstElsewhere(std::span<const PlannedOp> plan);

}  // namespace anecheck
