// Reads a table of results by the bits of fp16 numbers, compiled for every instruction set
// (Highway).
#pragma once

#include <cstddef>
#include <cstdint>

namespace anecheck::reference {

// The result of a function for one fp16 number, in one cache line.
struct alignas(32) TableEntry {
  double value = 0;
  double low = 0;
  double high = 0;
  uint64_t flags = 0;
};

// Sets value[i], low[i] and high[i] from entries[halves[i]]. `entries` has one entry for every fp16
// number.
void ExpandEntries(const TableEntry* entries, const uint16_t* halves, size_t count, double* value,
                   double* low, double* high);

}  // namespace anecheck::reference
