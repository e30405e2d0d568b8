// Conversions between element types.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>

#include "harness/device/half_block.h"
#include "harness/device/op_table.h"

namespace anecheck::device {
namespace {

class CastKernel : public Kernel {
 public:
  CastKernel(const TensorType& x, Element to, NumericModel model)
      : from_(x.element), to_(to), count_(x.shape.Elements()), model_(model) {}

  void Run(const Invocation& call) const override {
    for (int64_t first = 0; first < count_; first += kBlock) {
      const int64_t count = std::min(kBlock, count_ - first);
      const void* from = static_cast<const char*>(call.inputs[0]) + first * ElementSize(from_);
      void* to = static_cast<char*>(call.outputs[0]) + first * ElementSize(to_);
      IsFloat(from_) ? FromFloats(from, count, to) : FromInts(from, count, to);
    }
  }

 private:
  void FromFloats(const void* from, int64_t count, void* to) const {
    float block[kBlock];
    LoadFloats(from_, from, 1, count, block);
    if (!IsFloat(to_)) {
      for (int64_t i = 0; i < count; ++i) {
        if (std::isnan(block[i]) && model_.nan_is_infinity) block[i] = INFINITY;
        if (model_.Has(Planted::kCastRounds) && to_ != Element::kBool) {
          block[i] = std::nearbyint(block[i]);
        }
      }
    }
    StoreFloats(to_, block, count, model_, to);
  }

  void FromInts(const void* from, int64_t count, void* to) const {
    int64_t block[kBlock];
    LoadInts(from_, from, 1, count, block);
    if (IsFloat(to_)) {
      for (int64_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(block[i]);
        // One rounding from the integer: fp32 would round a first time.
        if (to_ == Element::kFp16) {
          static_cast<uint16_t*>(to)[i] = DoubleToHalf(value, model_.store_rounding).bits;
        } else {
          static_cast<float*>(to)[i] = static_cast<float>(value);
        }
      }
      return;
    }
    if (!model_.Has(Planted::kCastWraps)) {
      for (int64_t i = 0; i < count; ++i) {
        block[i] = SaturateToInt(to_, static_cast<double>(block[i]));
      }
    }
    StoreInts(to_, block, count, to);
  }

  Element from_;
  Element to_;
  int64_t count_;
  NumericModel model_;
};

std::unique_ptr<const Kernel> BuildCast(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const std::string name = builder.String("dtype");
  if (!builder.ok()) return nullptr;
  const Element to = mil::DataTypeFromName(name);
  if (ElementSize(to) == 0 || ElementSize(to) > 4) {
    builder.Reject(Stage::kFrontend, fmt::format("dtype '{}' is not known", name));
    return nullptr;
  }
  builder.Output({to, x.type.shape});
  return std::make_unique<CastKernel>(x.type, to, builder.model());
}

constexpr OpRow kRows[] = {{"cast", BuildCast}};

}  // namespace

std::span<const OpRow> QuantizationRows() { return kRows; }

}  // namespace anecheck::device
