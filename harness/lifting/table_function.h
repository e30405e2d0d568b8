// The function that an activation table approximates.
#pragma once

#include <optional>
#include <string_view>

#include "harness/emulator/activation_table.h"
#include "harness/ops/op.h"

namespace anecheck::lifting {

struct TableFunction {
  OpKind op = OpKind::kIdentity;
  double alpha = 0;  // of kLeakyRelu; the lower bound of kClip
  double beta = 0;   // the upper bound of kClip
};

// The operation whose function the table follows over all fp16 numbers, within the error that 33
// knots allow; nothing if there is no such operation. `scale` is the factor that the task applies
// before the table: with a factor of log2(e), a table of 2^x computes exp.
std::optional<TableFunction> FunctionOf(const emulator::ActivationTable& table, double scale);

}  // namespace anecheck::lifting
