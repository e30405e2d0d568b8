// Values for tensors: which numbers a mode draws, as fp16 bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "generators/choice_stream.h"
#include "generators/graph_generator.h"
#include "harness/base/half.h"
#include "harness/graph/types.h"

namespace anecheck {

// The largest magnitude that inputs of a mode have; the generator conditions graphs by it.
double InputMagnitude(CaseMode mode);

// One fp16 value of magnitude up to `limit` as the mode draws them, but for the infinities, NaN and
// largest finite numbers of kSpecial; in kCancellation up to half of it.
Half DrawHalf(ChoiceStream& choices, CaseMode mode, double limit);

// Little-endian bytes of a whole tensor. fp16 and fp32 follow the mode; integers are uniform in
// [-limit, limit] and in their type's range; bool is 0 or 1.
std::vector<uint8_t> DrawTensor(ChoiceStream& choices, const TensorType& type, CaseMode mode,
                                double limit);
// The same into `bytes`, type.ByteSize() of them.
void FillTensor(ChoiceStream& choices, const TensorType& type, CaseMode mode, double limit,
                std::span<uint8_t> bytes);

}  // namespace anecheck
