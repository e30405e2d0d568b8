// Integers that make parsers fail. They are the smallest and largest numbers of every width,
// changes of sign, neighbours of these, and counts whose product with a record's size wraps at 32
// bits. Internal to the structured mutator.
#pragma once

#include <array>
#include <cstdint>

namespace anecheck {

inline constexpr std::array<uint64_t, 27> kExtremeValues = {0,
                                                            1,
                                                            2,
                                                            7,
                                                            8,
                                                            0x7f,
                                                            0x80,
                                                            0xff,
                                                            0x100,
                                                            0x7fff,
                                                            0x8000,
                                                            0xffff,
                                                            0x10000,
                                                            0x10000000,
                                                            0x20000000,
                                                            0x40000000,
                                                            0x7fffffff,
                                                            0x80000000,
                                                            0xfffffff0,
                                                            0xfffffffe,
                                                            0xffffffff,
                                                            0x100000000,
                                                            0x3fffffffffffffff,
                                                            0x7fffffffffffffff,
                                                            0x8000000000000000,
                                                            0xfffffffffffffff8,
                                                            0xffffffffffffffff};

}  // namespace anecheck
