// Weights of network descriptions, which are addressed by file index, offset and type.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "harness/base/result.h"
#include "harness/graph/graph.h"
#include "harness/lowering/netlist_axes.h"

namespace anecheck {

// Reads elements of a type at `offset` bytes in a weight file; `index` is the position of that
// file in the network's Weights.
using NetlistRead =
    std::function<Result<SharedBytes>(int64_t index, uint64_t offset, const TensorType& type)>;

struct WeightPlace {
  int64_t index = 0, offset = 0;
  std::string type = std::string(kNetlistHalf);  // as descriptions spell it
};

// Reads elements as they are stored. Errors, whose messages begin with `name`: kInvalid for a
// negative offset, and those of `read`.
Result<SharedBytes> ReadStored(const NetlistRead& read, const WeightPlace& place,
                               const TensorType& type, const std::string& name);
// Reads fp16 elements; Float32 elements are rounded to nearest, ties to even. Errors: kUnsupported
// for other types, kLimit for shapes that no tensor has, and those of ReadStored.
Result<SharedBytes> ReadHalves(const NetlistRead& read, const WeightPlace& place,
                               const Shape& shape, const std::string& name);

}  // namespace anecheck
