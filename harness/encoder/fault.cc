#include "harness/encoder/fault.h"

#include <array>

namespace anecheck::encoder {
namespace {

constexpr auto kNames = std::to_array<FaultName>({
    {Fault::kLaneOrder, "lane-order", "conv",
     "sets of output channels stand on the engines in reverse"},
    {Fault::kStride, "stride", "add", "the planes of a result lie one line closer"},
    {Fault::kBiasRow, "bias-row", "conv", "the bias row in front of the weights is missing"},
    {Fault::kTableShift, "table-shift", "sigmoid",
     "the knots of an activation table stand one further"},
    {Fault::kL2Base, "l2-base", "linear", "a task reads its operand from one line further in L2"},
});

}  // namespace

std::span<const FaultName> FaultNames() { return kNames; }

}  // namespace anecheck::encoder
