#include "harness/ops/native_layers.h"

namespace anecheck {
namespace {

constexpr NativeLayer kLayers[] = {
#define ANECHECK_NATIVE_LAYER(layer, unit, op, reason) {#layer, unit, op, reason},
#include "harness/ops/native_layers.def"
#undef ANECHECK_NATIVE_LAYER
};

}  // namespace

std::span<const NativeLayer> NativeLayers() { return kLayers; }

}  // namespace anecheck
