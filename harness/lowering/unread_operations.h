// Operations of a program that graphs lack.
#pragma once

#include "harness/base/result.h"
#include "harness/formats/mil/program.h"
#include "harness/graph/schema.h"

namespace anecheck {

// The error for a statement whose operation the vocabulary lacks. It also lists the other such
// operations of the program with their counts.
Error UnreadOperation(const mil::Program& program, mil::StatementView statement,
                      const Vocabulary& vocabulary);

}  // namespace anecheck
