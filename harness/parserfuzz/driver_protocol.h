// The messages between the harness and a persistent driver (drivers/). The driver finds
// "PATH:IN:OUT" in the variable ANECHECK_FUZZ. PATH names a memory file that both processes map.
// The driver reads orders from the descriptor IN and writes answers to the descriptor OUT.
//
// The only order is the byte 'R', which means: run the file in the shared memory. An answer is one
// byte and a number of four bytes, in the machine's byte order:
//   'H' 1        the driver has started; sent once, before the first order
//   'D' code     the parser returned; 0 accepts the file
//   'E' code     the worker that ran the file ended with this exit code
//   'S' signal   this signal ended the worker that ran the file
// The driver forks a worker, which runs files until it ends. Then the driver forks the next worker,
// so a crash or a call of exit() costs one fork.
// Standard error is a file, which the harness empties after each answer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace anecheck::parserfuzz {

inline constexpr const char* kDriverVariable = "ANECHECK_FUZZ";

inline constexpr size_t kDriverHead = 4096;
inline constexpr size_t kDriverCounters = 65536;  // one byte per place of the parser

// The beginning of the shared memory. The counters follow this header, then the file.
struct DriverHead {
  uint32_t magic;
  uint32_t size;      // of the file, bytes
  uint32_t counters;  // in use, of the last file; 0: the parser reports no coverage
  int32_t child;      // the process that runs the file
  uint32_t closed;    // set by a worker that read the end of the orders
};
inline constexpr uint32_t kDriverMagic = 0x315a4641;  // "AFZ1"

struct DriverAnswer {
  char tag = 0;
  int32_t value = 0;
};
inline constexpr size_t kDriverAnswerSize = 5;

}  // namespace anecheck::parserfuzz
