// Statements of a MIL program that become no operation of a graph, because the host does their work
// at the inputs and outputs of a model.
#pragma once

#include "harness/formats/mil/program.h"

namespace anecheck {

// Whether the statement converts between a tensor and a buffer. Inputs and results of Core ML's
// analytics go through buffers, which hold the same elements as the tensors.
bool MovesBuffer(mil::StatementView statement);

// Whether the statement is a classify. A classify pairs the numbers of its argument `probabilities`
// with the labels of a classifier, and returns the likeliest label and a dictionary. Source:
// coremltools, MIL operations of iOS 15.
bool GivesLabels(mil::StatementView statement);
// Whether any statement of the program, in any of its functions, is a classify.
bool GivesLabels(const mil::Program& program);

}  // namespace anecheck
