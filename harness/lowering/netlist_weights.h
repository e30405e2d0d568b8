// Weights of network descriptions, which stand in files by index, offset and type.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "harness/lowering/netlist_axes.h"

namespace anecheck {

// Gives the elements of a type that stand `offset` bytes into the weight file of an index in the
// network's Weights.
using NetlistRead =
    std::function<Result<SharedBytes>(int64_t index, uint64_t offset, const TensorType& type)>;

struct WeightPlace {
  int64_t index = 0, offset = 0;
  std::string type = std::string(kNetlistHalf);  // as descriptions spell it
};

// Elements as they are stored. Errors begin with `name`: kInvalid for a negative offset, and those
// of `read`.
Result<SharedBytes> ReadStored(const NetlistRead& read, const WeightPlace& place,
                               const TensorType& type, const std::string& name);
// fp16 elements; those of Float32 are rounded to nearest, ties to even. Errors: kUnsupported for
// other types, kLimit for shapes that no tensor has, and those of ReadStored.
Result<SharedBytes> ReadHalves(const NetlistRead& read, const WeightPlace& place,
                               const Shape& shape, const std::string& name);

}  // namespace anecheck
