// Values for tensors: the numbers that each mode draws.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "generators/choice_stream.h"
#include "generators/graph_generator.h"
#include "harness/base/half.h"
#include "harness/graph/types.h"

namespace anecheck {

// The largest magnitude of inputs in a mode, for which the generator conditions graphs.
double InputMagnitude(CaseMode mode);

// One fp16 value of the mode, of magnitude up to `limit` (in kCancellation, up to half of it). The
// infinities, NaN and largest finite numbers of kSpecial ignore the limit.
Half DrawHalf(ChoiceStream& choices, CaseMode mode, double limit);

// Little-endian bytes of a whole tensor. fp16 and fp32 follow the mode; integers are uniform in the
// part of [-limit, limit] that their type can represent (int32 draws only numbers that int16 can
// represent). bool is 0 or 1. fp8 and types of less than 8 bits take any bits.
std::vector<uint8_t> DrawTensor(ChoiceStream& choices, const TensorType& type, CaseMode mode,
                                double limit);
// As DrawTensor, but writes to `bytes`, which must have type.ByteSize() bytes.
void FillTensor(ChoiceStream& choices, const TensorType& type, CaseMode mode, double limit,
                std::span<uint8_t> bytes);

}  // namespace anecheck
