#include "harness/lowering/netlist_weights.h"

#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <vector>

#include "harness/base/half.h"
#include "harness/graph/validate.h"

namespace anecheck {

Result<SharedBytes> ReadStored(const NetlistRead& read, const WeightPlace& place,
                               const TensorType& type, const std::string& name) {
  if (place.offset < 0) {
    return MakeError(ErrorCode::kInvalid, fmt::format("{}: offset {}", name, place.offset));
  }
  auto stored = read(place.index, static_cast<uint64_t>(place.offset), type);
  if (stored.ok()) return stored;
  return MakeError(stored.error().code, fmt::format("{}: {}", name, stored.error().message));
}

Result<SharedBytes> ReadHalves(const NetlistRead& read, const WeightPlace& place,
                               const Shape& shape, const std::string& name) {
  if (!IsHoldable(shape)) {
    return MakeError(ErrorCode::kLimit, fmt::format("{}: more than 2^31 elements", name));
  }
  if (place.type == kNetlistHalf) return ReadStored(read, place, {DType::kFp16, shape}, name);
  if (place.type != "Float32") {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: weights of {}; Float16 and Float32 are read", name,
                                 place.type.empty() ? "no type" : place.type));
  }
  ANECHECK_ASSIGN(const SharedBytes wide, ReadStored(read, place, {DType::kFp32, shape}, name));
  const auto halves = std::make_shared<std::vector<uint8_t>>(wide.bytes.size() / 2);
  for (size_t i = 0; i < halves->size() / 2; ++i) {
    float number = 0;
    std::memcpy(&number, wide.bytes.data() + 4 * i, sizeof number);
    const uint16_t bits = DoubleToHalf(static_cast<double>(number)).bits;
    std::memcpy(halves->data() + 2 * i, &bits, sizeof bits);
  }
  return SharedBytes{*halves, halves};
}

}  // namespace anecheck
