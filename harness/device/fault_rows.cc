// The fault table.
#include "harness/device/fault_rows.h"

namespace anecheck::device {
namespace {

constexpr auto kDatapath = FaultMechanism::kDatapath;

constexpr Fault kRows[] = {
    {.id = "conv-bias-dropped",
     .description = "the bias of a convolution is not added",
     .op = "conv",
     .op_class = "convolution",
     .kind = FaultKind::kNumeric,
     .mechanism = kDatapath,
     .planted = Planted::kBiasDropped},
    {.id = "conv-pad-wrong-side",
     .description = "all padding of a convolution stands before the input",
     .op = "conv",
     .op_class = "convolution",
     .kind = FaultKind::kBoundary,
     .mechanism = kDatapath,
     .planted = Planted::kPadWrongSide},
    {.id = "mac-fp16-accumulation",
     .description = "the accumulator of the array is rounded to fp16 after every tile",
     .op = "*",
     .op_class = "convolution",
     .kind = FaultKind::kAccumulation,
     .mechanism = kDatapath,
     .ulps = 1,
     .planted = Planted::kMacHalfAccumulator},
    {.id = "linear-weight-transposed",
     .description = "the weight of a linear layer is read with its axes exchanged",
     .op = "linear",
     .op_class = "convolution",
     .kind = FaultKind::kLayout,
     .mechanism = kDatapath,
     .planted = Planted::kWeightTransposed},
    {.id = "slice-off-by-one",
     .description = "a slice that does not begin at 0 begins one element early",
     .op = "slice_by_size",
     .op_class = "movement",
     .kind = FaultKind::kBoundary,
     .mechanism = kDatapath,
     .planted = Planted::kSliceOffByOne},
};

}  // namespace

std::span<const Fault> FaultRows() { return kRows; }

}  // namespace anecheck::device
