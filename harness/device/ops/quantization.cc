// Conversions between element types, and 8-bit integers with a scale.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
    if (model_.Has(Planted::kCastWraps) && !IsFloat(to_) && to_ != Element::kBool) {
      return StoreWrapped(block, count, to);
    }
    StoreFloats(to_, block, count, model_, to);
  }

  // Planted defect: stores the low bits of the truncated number.
  void StoreWrapped(const float* block, int64_t count, void* to) const {
    int64_t whole[kBlock];
    for (int64_t i = 0; i < count; ++i) {
      whole[i] = std::isfinite(block[i]) ? static_cast<int64_t>(block[i]) : 0;
    }
    StoreInts(to_, whole, count, to);
  }

  void FromInts(const void* from, int64_t count, void* to) const {
    int64_t block[kBlock];
    LoadInts(from_, from, 1, count, block);
    if (IsFloat(to_)) {
      for (int64_t i = 0; i < count; ++i) {
        const double value = static_cast<double>(block[i]);
        // Rounds once, directly from the integer. A conversion through fp32 would round twice.
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

// ---- bytes with a scale and a zero point, for the tensor or for each place along an axis --------

struct ByteScale {
  Element byte = Element::kInt8;
  Element number = Element::kFp16;
  int64_t count = 1;  // number of elements
  int64_t inner = 1;  // number of neighbouring elements that share a scale
  std::vector<float> scale;
  std::vector<float> zero;  // one zero point per scale; empty if there are none

  size_t At(int64_t element) const { return static_cast<size_t>(element / inner) % scale.size(); }
  float Zero(size_t at) const { return zero.empty() ? 0.0f : zero[at]; }
};

// Computes clip(round(x / scale) + zero point). round() rounds ties to even.
class QuantizeKernel : public Kernel {
 public:
  QuantizeKernel(ByteScale scale, const NumericModel& model)
      : scale_(std::move(scale)), model_(model) {}
  void Run(const Invocation& call) const override {
    for (int64_t i = 0; i < scale_.count; ++i) {
      const size_t at = scale_.At(i);
      auto x = static_cast<float>(LoadNumber(scale_.number, call.inputs[0], i));
      if (std::isnan(x) && model_.nan_is_infinity) x = std::numeric_limits<float>::infinity();
      const double rounded = std::nearbyint(static_cast<double>(x / scale_.scale[at]));
      const int64_t byte =
          SaturateToInt(scale_.byte, rounded + static_cast<double>(scale_.Zero(at)));
      StoreInts(scale_.byte, &byte, 1, static_cast<char*>(call.outputs[0]) + i);
    }
  }

 private:
  ByteScale scale_;
  NumericModel model_;
};

// Computes scale * (x - zero point), rounded once (facts/numerics.md, dequantisation).
class DequantizeKernel : public Kernel {
 public:
  DequantizeKernel(ByteScale scale, const NumericModel& model)
      : scale_(std::move(scale)), model_(model) {}
  void Run(const Invocation& call) const override {
    const int64_t size = ElementSize(scale_.number);
    for (int64_t i = 0; i < scale_.count; ++i) {
      const size_t at = scale_.At(i);
      const auto byte = static_cast<float>(LoadNumber(scale_.byte, call.inputs[0], i));
      const float number = (byte - scale_.Zero(at)) * scale_.scale[at];
      StoreFloats(scale_.number, &number, 1, model_,
                  static_cast<char*>(call.outputs[0]) + i * size);
    }
  }

 private:
  ByteScale scale_;
  NumericModel model_;
};

bool IsByte(Element element) { return element == Element::kInt8 || element == Element::kUint8; }

// Reads scale, zero point and axis for operands of that shape. The builder refuses arguments that
// do not fit.
ByteScale ReadByteScale(OpBuilder& builder, const Shape& shape, Element byte) {
  ByteScale read{.byte = byte, .count = shape.Elements(), .scale = {}, .zero = {}};
  const auto scale = builder.ConstantTensor("scale");
  if (!builder.ok()) return read;
  Shape wanted;
  if (builder.Has("axis")) {
    const int axis = builder.Axis("axis", builder.Int("axis"), shape.rank());
    if (!builder.ok()) return read;
    wanted.Append(shape[axis]);
    read.inner = shape.Product(axis + 1, shape.rank());
  }
  read.number = scale->type.element;
  read.scale = ConstantFloats(*scale->constant);
  bool fits = IsByte(byte) && IsFloat(read.number) && scale->type.shape == wanted;
  if (builder.Has("zero_point")) {
    const auto zero = builder.ConstantTensor("zero_point");
    if (!builder.ok()) return read;
    fits = fits && zero->type == TensorType{byte, wanted};
    read.zero = ConstantFloats(*zero->constant);
  }
  if (!fits) {
    builder.Reject(Stage::kFrontend, fmt::format("scale {} and zero point do not fit {}",
                                                 scale->type.ToString(), shape.ToString()));
  }
  return read;
}

std::unique_ptr<const Kernel> BuildQuantize(OpBuilder& builder) {
  const Operand input = builder.Tensor("input");
  const Element byte = mil::DataTypeFromName(builder.String("output_dtype"));
  if (!builder.ok()) return nullptr;
  ByteScale scale = ReadByteScale(builder, input.type.shape, byte);
  if (builder.ok() && scale.number != input.type.element) {
    builder.Reject(Stage::kFrontend, fmt::format("input is {}", input.type.ToString()));
  }
  if (!builder.ok()) return nullptr;
  builder.Output({byte, input.type.shape});
  return std::make_unique<QuantizeKernel>(std::move(scale), builder.model());
}

std::unique_ptr<const Kernel> BuildDequantize(OpBuilder& builder) {
  const Operand input = builder.Tensor("input");
  if (!builder.ok()) return nullptr;
  ByteScale scale = ReadByteScale(builder, input.type.shape, input.type.element);
  if (!builder.ok()) return nullptr;
  builder.Output({scale.number, input.type.shape});
  return std::make_unique<DequantizeKernel>(std::move(scale), builder.model());
}

constexpr OpRow kRows[] = {
    {"cast", BuildCast}, {"quantize", BuildQuantize}, {"dequantize", BuildDequantize}};

}  // namespace

std::span<const OpRow> QuantizationRows() { return kRows; }

}  // namespace anecheck::device
