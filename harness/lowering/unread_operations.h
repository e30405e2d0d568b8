// Operations of a program that no graph has.
#pragma once

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"
#include "harness/graph/schema.h"

namespace anecheck {

// The refusal of a program for a statement whose operation the vocabulary lacks. Names the other
// such operations of the program too, each with their number.
Error UnreadOperation(const mil::Program& program, mil::StatementView statement,
                      const Vocabulary& vocabulary);

}  // namespace anecheck
