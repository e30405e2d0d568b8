// Options of the generator for small graphs. A graph has one operation, and the operations that
// keep the operands of this operation in range.
#pragma once

#include <cstddef>

#include "generators/graph_generator.h"

namespace anecheck::testing {

inline GeneratorOptions OneOperation(size_t op, CaseMode mode) {
  GeneratorOptions options;
  options.mode = mode;
  options.max_nodes = 1;
  options.family = kNoFamily;
  options.max_elements = 256;
  options.max_products = 2048;
  options.ops.reset();
  options.ops.set(op);
  return options;
}

}  // namespace anecheck::testing
