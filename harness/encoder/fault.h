// Faults that can be planted in the encoder, so that `power` can measure whether they are found.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace anecheck::encoder {

enum class Fault : uint8_t {
  kNone,
  kLaneOrder,   // sets of output channels stand on the engines in reverse
  kStride,      // the planes of a result lie one line closer
  kBiasRow,     // no bias row in front of the weights
  kTableShift,  // the knots of a table stand one further
  kL2Base,      // a task reads L2 one line further
};

struct FaultName {
  Fault fault;
  std::string_view name;     // "lane-order"
  std::string_view op;       // an operation whose tasks show it
  std::string_view meaning;  // for people
};
std::span<const FaultName> FaultNames();

}  // namespace anecheck::encoder
