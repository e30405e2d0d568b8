// Unpacks the coefficient streams of a neural task: weights, biases and activation tables.
// Source: layout.md, "Coefficient stream of NE tasks" and "Zero-skip stream".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/emulator/activation_table.h"
#include "harness/emulator/memory.h"
#include "harness/emulator/task.h"

namespace anecheck::emulator {

struct Coefficients {
  // weights[(g * output channels + o) * taps + r], r = (channel * Kh + ky) * Kw + kx.
  std::vector<float> weights;
  std::vector<float> bias;  // bias[g * output channels + o]; empty without a bias row
  uint64_t taps = 0;
  // The offset of each weight, in bytes from the start of the streams' surface; empty for zero-skip
  // streams, whose weights have no fixed offsets.
  std::vector<uint64_t> places;
  std::optional<ActivationTable> table;
};

enum class WithPlaces : bool { kNo, kYes };

// Errors: kUnsupported if the coefficients do not fill a stream up to its padding, or if its
// content is unknown; kInvalid if a stream goes beyond its surface.
Result<Coefficients> ReadCoefficients(const Task& task, const Memory& memory,
                                      WithPlaces with_places = WithPlaces::kNo);
// Reads only the activation table. Nothing if the task has none. Errors: as ReadCoefficients.
Result<std::optional<ActivationTable>> ReadTable(const Task& task, const Memory& memory);

}  // namespace anecheck::emulator
