// H13 programs of comparisons, choices and roundings as a compiler wrote them. A program has the
// register words that can change a result, and memory for inputs and outputs. Source:
// research/oracles/h13/boolean and plugins/H13/H13BooleanTemplates.inc (constants) of the public
// repository joshuaswarren/mil-hwx-compiler. Each function's comment names its record.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/emulator/program.h"

namespace anecheck::emulator::testing {

inline constexpr uint32_t kBooleanChannels = 64;

// less_bool_rr_1x64x1x1: x, y fp16 and z bool of 64 channels.
Program LessProgram();
// floor_r_1x64x1x1: x and y fp16 of 64 channels.
Program FloorProgram();
// select_rrb_1x64x1x1: a, b fp16, cond bool and y fp16 of 64 channels.
Program SelectProgram();
// cast_b_to_f16_1x1x64x1: x bool and y fp16 of 64 rows.
Program CastProgram();
// logical_not_1x1x64x64: x and y bool of 64 rows and columns.
Program NotProgram();

// The chain of kernels/unary/log.bin of the public repository eiln/ane, anec/kernels.tar.gz, blob
// ddcde13e: a table, and twice its value. x and y are fp16 of 64 channels. The table is replaced by
// that of the integer part, because its values are exact.
Program ChainProgram();

// Makes a table that is `zero` at 0, `below` under 0 and `above` over 0, all as fp16 bits. The
// records of these functions have such tables.
std::vector<uint8_t> StepTable(uint16_t below, uint16_t zero, uint16_t above);

}  // namespace anecheck::emulator::testing
