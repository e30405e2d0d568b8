// The function that an activation table approximates.
#pragma once

#include <optional>
#include <string_view>

#include "harness/emulator/activation_table.h"
#include "harness/ops/op.h"

namespace anecheck::lifting {

struct TableFunction {
  OpKind op = OpKind::kIdentity;
  double alpha = 0;  // the slope of kLeakyRelu, or the lower bound of kClip
  double beta = 0;   // the upper bound of kClip
};

// Returns the operation whose function the table approximates over all fp16 numbers, within the
// error of a table of 33 knots. Empty if there is no such operation. `scale` is the factor that the
// task applies before the table. With a factor of log2(e), a table of 2^x computes exp.
std::optional<TableFunction> FunctionOf(const emulator::ActivationTable& table, double scale);

}  // namespace anecheck::lifting
