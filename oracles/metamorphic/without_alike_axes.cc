#include "oracles/metamorphic/alike_axes.h"

namespace anecheck {
namespace {

using enum OpKind;
constexpr OpKind kReadAnew[] = {kReshape, kReshapeLike, kFlatten2d, kSpaceToBatch, kBatchToSpace};
constexpr OpKind kNamedPlaces[] = {kSliceBySize,    kSliceByIndex,    kSliceUpdate,
                                   kSlidingWindows, kReverseSequence, kCropResize,
                                   kGatherNd,       kScatter,         kScatterNd};
constexpr OpKind kWithoutOperand[] = {kFill, kFillLike, kRange1d, kShape, kConst};
constexpr OpKind kPairsOfPlaces[] = {kCrossProduct, kCostVolume, kMatrixDecomposition,
                                     kNonMaximumSuppression};
constexpr OpKind kBeforeTheProgram[] = {kConstexprAffineDequantize,
                                        kConstexprLutToDense,
                                        kConstexprLutToSparse,
                                        kConstexprBlockwiseShiftScale,
                                        kConstexprSparseBlockwiseShiftScale,
                                        kConstexprSparseToDense,
                                        kConstexprCast};
constexpr OpKind kOfStates[] = {kReadState,
                                kWriteState,
                                kTensorBufferToTensor,
                                kTensorToTensorBuffer,
                                kCircularBufferToTensor,
                                kTensorToCircularBuffer};
constexpr OpKind kOfBlocks[] = {kCond, kWhileLoop, kCall};
constexpr OpKind kOutsideOfPrograms[] = {kNeMatmul,
                                         kNeConv,
                                         kNePool,
                                         kPePool,
                                         kPeElementwise,
                                         kPeGoc,
                                         kNeBypass,
                                         kNativeSdpa,
                                         kNativeSort,
                                         kNativeTopK,
                                         kNativeArgMinMax,
                                         kNativeGlobalArgMinMax,
                                         kNativeMinMaxNorm,
                                         kNativeScaledElementWise,
                                         kNativeCrossCorrelation,
                                         kNativeFurthestPointSampling,
                                         kNativeDynamicGoc,
                                         kNativeRadiusSearch,
                                         kNativeDynamicSlice,
                                         kNativeDropout};

constexpr WithoutAlikeAxes kWithout[] = {
    {"elements are read in another shape, in which a place along one axis is none", kReadAnew},
    {"what is read or written is named by its places, which have an order", kNamedPlaces},
    {"there is no operand whose elements could be cut or put in another order", kWithoutOperand},
    {"an element follows from several places whose order counts; batches are left whole",
     kPairsOfPlaces},
    {"it is computed before the program runs, and must be", kBeforeTheProgram},
    {"it reads or changes a state as a whole", kOfStates},
    {"what it does stands in blocks", kOfBlocks},
    {"no MIL text names it, in which metamorphic cases are written", kOutsideOfPrograms},
};

}  // namespace

std::span<const WithoutAlikeAxes> OperationsWithoutAlikeAxes() { return kWithout; }

}  // namespace anecheck
