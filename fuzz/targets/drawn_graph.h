// Draws small graphs from choices, for fuzz targets. Small graphs run fast and suffice to find
// wrong code.
#pragma once

#include "fuzz/targets/input_text.h"
#include "generators/graph_generator.h"
#include "harness/lowering/graph_to_mil.h"

namespace anecheck::fuzz {

// Options for graphs of at most `max_nodes` nodes in any mode except kLargeAxis.
inline GeneratorOptions DrawGraphOptions(ChoiceStream& choices, int family, uint64_t max_nodes) {
  GeneratorOptions options;
  options.family = family;
  options.mode = static_cast<CaseMode>(choices.Below(static_cast<uint64_t>(CaseMode::kLargeAxis)));
  options.max_nodes = static_cast<int>(1 + choices.Below(max_nodes));
  options.max_elements = 32;
  options.max_products = 2048;
  return options;
}

inline Graph DrawGraph(ChoiceStream& choices, const GeneratorOptions& options) {
  Graph graph;
  GenerateGraph(choices, options, graph);
  return graph;
}

// Draws a graph of at most `max_nodes` nodes and returns its MIL text.
inline Bytes DrawMilText(ChoiceStream& choices, int family, uint64_t max_nodes) {
  const GeneratorOptions options = DrawGraphOptions(choices, family, max_nodes);
  return AsBytes(GraphToMil(DrawGraph(choices, options)).value());
}

// A random input for a target whose inputs are choice streams.
inline Bytes DrawChoiceBytes(ChoiceStream& choices) {
  Bytes bytes(16 + choices.Below(240));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(choices.Below(256));
  return bytes;
}

}  // namespace anecheck::fuzz
