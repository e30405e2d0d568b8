#include "generators/modes.h"

#include <array>

namespace anecheck {
namespace {

constexpr std::array kCompressed = {
    OpKind::kConstexprAffineDequantize,
    OpKind::kConstexprLutToDense,
    OpKind::kConstexprLutToSparse,
    OpKind::kConstexprBlockwiseShiftScale,
    OpKind::kConstexprSparseBlockwiseShiftScale,
    OpKind::kConstexprSparseToDense,
};

// Operations whose weights may be compressed constants.
constexpr std::array kWithWeights = {OpKind::kConv, OpKind::kLinear, OpKind::kMatmul,
                                     OpKind::kConvTranspose};

// Operations that engines compute by different methods for different lengths of the axis.
constexpr std::array kAlongAxis = {
    OpKind::kReduceSum,    OpKind::kReduceMean,   OpKind::kReduceMax, OpKind::kReduceSumSquare,
    OpKind::kReduceL1Norm, OpKind::kReduceL2Norm, OpKind::kLinear,    OpKind::kMatmul,
    OpKind::kSoftmax,      OpKind::kLayerNorm,    OpKind::kCumsum,    OpKind::kReduceLogSumExp};

// Reductions that keep integers exact and that engines compute by different methods for different
// lengths of the axis.
constexpr std::array kExactReductions = {OpKind::kReduceMax, OpKind::kReduceMin, OpKind::kReduceSum,
                                         OpKind::kReduceL1Norm, OpKind::kReduceSumSquare};

constexpr std::array kStates = {
    OpKind::kWriteState,
    OpKind::kTensorToTensorBuffer,
    OpKind::kTensorToCircularBuffer,
};

using M = CaseMode;
using S = ShapeClass;

// The rows have the order of CaseMode.
constexpr std::array<ModeTraits, kCaseModeCount> kTraits = {{
    {.values = M::kInteger},
    {},
    {.values = M::kCancellation},
    {.values = M::kSpecial},
    {.values = M::kBoundary},
    {.values = M::kLargeAxis, .shapes = S::kLong, .max_nodes = 3, .wanted = kAlongAxis},
    {.wanted = kCompressed, .often = kWithWeights},
    {.wanted = kStates},
    {.values = M::kInteger, .shapes = S::kRangeEnds, .max_nodes = 3, .often = kExactReductions},
    {},
    {.curves = true},
}};

}  // namespace

const ModeTraits& TraitsOf(CaseMode mode) { return kTraits[static_cast<size_t>(mode)]; }

CaseMode ValuesOf(CaseMode mode) { return TraitsOf(mode).values; }

}  // namespace anecheck
