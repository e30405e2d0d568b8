#include "oracles/reference/load.h"

#include <algorithm>
#include <cmath>

#include "oracles/oracle.h"
#include "oracles/reference/departures.h"
#include "oracles/reference/number_loops.h"

namespace anecheck::reference {

void Load(const Contract& contract, Arena& arena, BoundedTensor& tensor,
          std::span<const uint8_t> bytes) {
  tensor.value = arena.Allocate<double>(tensor.size);
  tensor.low = tensor.high = tensor.value;
  tensor.signed_zero = true;
  tensor.whole = !IsFloat(tensor.type.dtype);
  if (tensor.type.dtype == DType::kFp16) {
    tensor.special = DecodeHalves(bytes.data(), tensor.size, tensor.value);
    DepartFromInput(contract, arena, tensor);
    return;
  }
  DecodeElements(tensor.type.dtype, bytes, std::span(tensor.value, tensor.size));
  if (tensor.whole) return;
  for (size_t i = 0; i < tensor.size; ++i) {
    tensor.special |= !(std::fabs(tensor.value[i]) < kInfinity);
  }
  DepartFromInput(contract, arena, tensor);
}

void LoadZeros(Arena& arena, BoundedTensor& tensor) {
  tensor.value = arena.Allocate<double>(tensor.size);
  std::fill_n(tensor.value, tensor.size, 0.0);
  tensor.low = tensor.high = tensor.value;
  tensor.signed_zero = true;
}

}  // namespace anecheck::reference
