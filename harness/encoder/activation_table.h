// The 64-halfword tables of the engines' activation functions. The tables of sigmoid, silu, gelu
// and exp2 were read from a compiler (act_tables.csv). The other tables are computed, with knots
// that are the exact values rounded to fp16 (numerics_laws.md, L9 to L13). The computed tables of
// the square root and the reciprocal equal a compiler's tables in every word. That of tanh is only
// the same function (kernels/unary of the public repository eiln/ane, anec/kernels.tar.gz, blob
// ddcde13e).
#pragma once

#include <array>
#include <cstdint>

#include "harness/formats/format.h"

namespace anecheck::encoder {

inline constexpr size_t kTableBytes = 128;
inline constexpr uint16_t kOne = 0x3c00;  // 1 as fp16

enum class Function : uint8_t {
  kSigmoid,
  kSilu,
  kGelu,
  kExp2,
  kTanh,
  kSquareRoot,
  kReciprocalRoot,
  kReciprocal,
};

// Returns the table's 128 bytes.
Bytes TableOf(Function function);
// Returns the table of x for x > 0 and alpha * x otherwise. alpha is fp16 bits.
Bytes LeakyTable(uint16_t alpha);

// The tables of comparisons with zero and of roundings. Source: constants of the records of less,
// logical_not, select and floor in the public repository joshuaswarren/mil-hwx-compiler,
// plugins/H13/H13BooleanTemplates.inc.

// Returns the table of `below` for x < 0, `zero` at 0, `above` for x > 0; all three are fp16 bits.
Bytes StepTable(uint16_t below, uint16_t zero, uint16_t above);
// The table of 1 with the sign of x, and 0 at 0. Source: kernels/unary/sign.bin of eiln/ane.
Bytes SignTable();
// Return the table of x rounded towards zero, and the table of x minus that integer.
Bytes WholeTable();
Bytes FractionTable();

}  // namespace anecheck::encoder
