#include "oracles/right_tensor.h"

#include <cstdint>
#include <vector>

namespace anecheck {

Tensor RightTensor(const Estimate& estimate) {
  Tensor tensor = {estimate.type,
                   std::vector<uint8_t>(static_cast<size_t>(estimate.type.ByteSize()))};
  EncodeElements(estimate.type.dtype, estimate.value, tensor.bytes);
  return tensor;
}

}  // namespace anecheck
