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

// The largest magnitude of inputs in a mode. The generator keeps the values of a graph in range for
// inputs up to this magnitude.
double InputMagnitude(CaseMode mode);

// Draws one fp16 value by the mode. Its magnitude is at most `limit` (in kCancellation, at most
// half of `limit`). The infinities, NaN and largest finite numbers of kSpecial ignore the limit.
Half DrawHalf(ChoiceStream& choices, CaseMode mode, double limit);

// Draws the little-endian bytes of a whole tensor. The mode decides how fp16 and fp32 elements are
// drawn. Integers are uniform in the part of [-limit, limit] that their type can represent (for
// int32, the part that int16 can represent). A bool is 0 or 1. Elements of fp8 and of types of less
// than 8 bits have any bits.
std::vector<uint8_t> DrawTensor(ChoiceStream& choices, const TensorType& type, CaseMode mode,
                                double limit);
// As DrawTensor, but writes to `bytes`, which must have type.ByteSize() bytes.
void FillTensor(ChoiceStream& choices, const TensorType& type, CaseMode mode, double limit,
                std::span<uint8_t> bytes);

}  // namespace anecheck
