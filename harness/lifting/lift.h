// Returns the graph of a hardware container, so that the container can be judged without its
// source.
//
//   auto program = emulator::LoadProgram(bytes);
//   auto graph = lifting::LiftProgram(*program);   // inputs and outputs by the names of its ports
#pragma once

#include "harness/base/result.h"
#include "harness/emulator/program.h"
#include "harness/graph/graph.h"

namespace anecheck::lifting {

// Returns the operations of the task list in order. Their values are fp16. Each task becomes one or
// a few operations. Copies, L2 and scratch memory add no operations. An activation table becomes
// the function that it approximates. Outputs have the names of their ports without "@output".
//
// The emulator rounds once per task, but the graph rounds once per operation. The difference is
// within the oracle's bounds. Errors: those of decoding; kUnsupported with the name of the task if
// no operation expresses the task; kLimit for more than kMostTracked elements of written memory, or
// more than kMostOfTask elements of one surface.
Result<Graph> LiftProgram(const emulator::Program& program);

}  // namespace anecheck::lifting
