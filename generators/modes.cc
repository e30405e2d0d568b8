#include "generators/modes.h"

#include <algorithm>
#include <array>
#include <string>

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

// Compressed constants are their weights.
constexpr std::array kWithWeights = {OpKind::kConv, OpKind::kLinear, OpKind::kMatmul,
                                     OpKind::kConvTranspose};

// Where the length of the axis tells.
constexpr std::array kAlongAxis = {
    OpKind::kReduceSum,    OpKind::kReduceMean,   OpKind::kReduceMax, OpKind::kReduceSumSquare,
    OpKind::kReduceL1Norm, OpKind::kReduceL2Norm, OpKind::kLinear,    OpKind::kMatmul,
    OpKind::kSoftmax,      OpKind::kLayerNorm,    OpKind::kCumsum,    OpKind::kReduceLogSumExp};

// That keep integers integers, and whose route depends on the length of the axis.
constexpr std::array kExactReductions = {OpKind::kReduceMax, OpKind::kReduceMin, OpKind::kReduceSum,
                                         OpKind::kReduceL1Norm, OpKind::kReduceSumSquare};

constexpr std::array kStates = {
    OpKind::kWriteState,
    OpKind::kTensorToTensorBuffer,
    OpKind::kTensorToCircularBuffer,
};

using M = CaseMode;
using S = ShapeClass;

constexpr std::array<ModeTraits, kCaseModeCount> kTraits = {{
    {.name = "integer", .values = M::kInteger},
    {.name = "float"},
    {.name = "cancellation", .values = M::kCancellation},
    {.name = "special", .values = M::kSpecial},
    {.name = "boundary", .values = M::kBoundary},
    {.name = "large-axis",
     .values = M::kLargeAxis,
     .shapes = S::kLong,
     .max_nodes = 3,
     .wanted = kAlongAxis},
    {.name = "compressed", .wanted = kCompressed, .often = kWithWeights},
    {.name = "state", .wanted = kStates},
    {.name = "shape-ranges",
     .values = M::kInteger,
     .shapes = S::kRangeEnds,
     .max_nodes = 3,
     .often = kExactReductions},
    {.name = "must-reject"},
    {.name = "metamorphic"},
}};

}  // namespace

const ModeTraits& TraitsOf(CaseMode mode) { return kTraits[static_cast<size_t>(mode)]; }

std::string_view CaseModeName(CaseMode mode) { return TraitsOf(mode).name; }

CaseMode ValuesOf(CaseMode mode) { return TraitsOf(mode).values; }

std::optional<CaseMode> CaseModeFromName(std::string_view name) {
  std::string spelled(name);
  std::ranges::replace(spelled, '_', '-');
  const auto found = std::ranges::find(kTraits, std::string_view(spelled), &ModeTraits::name);
  if (found == kTraits.end()) return std::nullopt;
  return static_cast<CaseMode>(found - kTraits.begin());
}

}  // namespace anecheck
