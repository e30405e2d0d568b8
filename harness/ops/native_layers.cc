#include "harness/ops/native_layers.h"

namespace anecheck {
namespace {

constexpr NativeLayer kLayers[] = {
#define ANECHECK_NATIVE_LAYER(layer, unit, op, reason) {#layer, unit, op, reason},
#include "harness/ops/native_layers.def"
#undef ANECHECK_NATIVE_LAYER
};

constexpr NarrowedParameter kNarrowed[] = {
#define ANECHECK_NARROWED_PARAMETER(layer, parameter, reason) {#layer, parameter, reason},
#include "harness/ops/native_parameters.def"
#undef ANECHECK_NARROWED_PARAMETER
};

}  // namespace

std::span<const NativeLayer> NativeLayers() { return kLayers; }

std::span<const NarrowedParameter> NarrowedParameters() { return kNarrowed; }

}  // namespace anecheck
