#include "harness/encoder/fault.h"

#include <array>

namespace anecheck::encoder {
namespace {

constexpr auto kNames = std::to_array<FaultName>({
    {Fault::kLaneOrder, "lane-order", "conv",
     "the engines have the sets of output channels in reverse order"},
    {Fault::kStride, "stride", "add", "the planes of a result are one line closer together"},
    {Fault::kBiasRow, "bias-row", "conv", "the bias row in front of the weights is missing"},
    {Fault::kTableShift, "table-shift", "sigmoid",
     "the knots of an activation table are shifted by one"},
    {Fault::kL2Base, "l2-base", "linear", "a task reads its operand from one line further in L2"},
});

}  // namespace

std::span<const FaultName> FaultNames() { return kNames; }

}  // namespace anecheck::encoder
