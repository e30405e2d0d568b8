// Statements of a MIL program that stand for no operation of a graph: the host does their work at
// the edges of a model.
#pragma once

#include "harness/formats/mil/program.h"

namespace anecheck {

// Inputs and results of Core ML's analytics go through buffers, which hold the same as the
// tensors.
bool MovesBuffer(mil::StatementView statement);

// classify: pairs the numbers of its argument `probabilities` with the labels of a classifier, and
// gives the likeliest label and a dictionary. Source: coremltools, MIL operations of iOS 15.
bool GivesLabels(mil::StatementView statement);
// Whether a statement of the program, in any of its functions, does so.
bool GivesLabels(const mil::Program& program);

}  // namespace anecheck
