// Faults that can be planted in the encoder. With them, `power` measures whether they are found.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace anecheck::encoder {

enum class Fault : uint8_t {
  kNone,
  kLaneOrder,   // sets of output channels are on the engines in reverse order
  kStride,      // the planes of a result are one line closer together
  kBiasRow,     // no bias row in front of the weights
  kTableShift,  // the knots of a table are shifted by one
  kL2Base,      // a task reads L2 one line too far
};

struct FaultName {
  Fault fault;
  std::string_view name;     // "lane-order"
  std::string_view op;       // an operation whose tasks show it
  std::string_view meaning;  // a description for people
};
std::span<const FaultName> FaultNames();

}  // namespace anecheck::encoder
