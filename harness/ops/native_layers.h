// The engine's native layers and the operations of the table that compute them. Used by `anecheck
// ops` and by the test that no layer is missing.
#pragma once

#include <span>
#include <string_view>

namespace anecheck {

struct NativeLayer {
  std::string_view layer;   // as in facts/native_layers.csv
  std::string_view unit;    // its Type in a network description
  std::string_view op;      // the operation that computes it, or empty
  std::string_view reason;  // why no operation computes it, or empty
};

// The 53 layers, in the order of the facts.
std::span<const NativeLayer> NativeLayers();

// A parameter of a layer that the table does not support, or supports with one value only.
struct NarrowedParameter {
  std::string_view layer;      // NativeLayer::layer
  std::string_view parameter;  // as in facts/netlist_layers.csv
  std::string_view reason;
};

std::span<const NarrowedParameter> NarrowedParameters();

}  // namespace anecheck
