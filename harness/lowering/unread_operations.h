// The error for operations of a MIL program that graphs cannot express.
#pragma once

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"
#include "harness/graph/schema.h"

namespace anecheck {

// Returns the error for a statement whose operation the vocabulary lacks. The message also lists
// the program's other operations that the vocabulary lacks, with their counts.
Error UnreadOperation(const mil::Program& program, mil::StatementView statement,
                      const Vocabulary& vocabulary);

}  // namespace anecheck
