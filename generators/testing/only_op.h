// Generator options for tests that draw one operation at a time.
#pragma once

#include <string_view>

#include "generators/graph_generator.h"
#include "harness/ops/op.h"

namespace anecheck::testing {

// Options for graphs of one node with the operation `kind`. They admit every form that any family
// admits. The graphs are small, so tests can evaluate many.
inline GeneratorOptions OnlyOp(OpKind kind) {
  GeneratorOptions options;
  options.family = kNoFamily;
  options.max_nodes = 1;
  options.max_elements = 96;
  options.max_products = 4096;
  options.ops.reset();
  options.ops.set(static_cast<size_t>(kind));
  return options;
}
inline GeneratorOptions OnlyOp(std::string_view name) {
  return OnlyOp(static_cast<OpKind>(FindOp(name)->schema.id));
}

}  // namespace anecheck::testing
