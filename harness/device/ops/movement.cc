// Data movement: reshape, transpose, concat, pad.
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <utility>
#include <vector>

#include "harness/device/half_block.h"
#include "harness/device/op_table.h"
#include "harness/device/ops/copy_kernel.h"
#include "harness/device/ops/strided_copy.h"

namespace anecheck::device {
namespace {

// By MIL's definition, a 0 stands for the extent of the input axis at the same distance from the
// last axis, or for 1 if there is no such axis. One entry may be -1, which stands for the extent
// that the other entries leave.
std::unique_ptr<const Kernel> BuildReshape(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const IntList wanted = builder.Ints("shape");
  if (!builder.ok()) return nullptr;
  if (wanted.size() > 5) {
    builder.RejectOnEngine(Stage::kFrontend, "Cannot reshape a tensor of rank > 5");
  }
  if (wanted.size() > Shape::kMaxRank) {
    builder.Reject(Stage::kFrontend, "shape has too many entries");
  }
  if (!builder.ok()) return nullptr;
  Shape shape;
  int open = -1;
  for (size_t i = 0; i < wanted.size(); ++i) {
    int64_t extent = wanted[i];
    if (extent == 0) {
      const int from = x.type.shape.rank() - static_cast<int>(wanted.size() - i);
      extent = from < 0 ? 1 : x.type.shape[from];
    }
    if (extent == -1 && open < 0) {
      open = static_cast<int>(i);
      extent = 1;
    }
    if (extent < 1 || extent > (int64_t{1} << 31)) {
      builder.Reject(Stage::kFrontend, fmt::format("shape[{}] is {}", i, wanted[i]));
      return nullptr;
    }
    shape.Append(extent);
  }
  const int64_t elements = x.type.shape.Elements();
  if (open >= 0) shape[open] = std::max<int64_t>(1, elements / shape.Elements());
  if (shape.Elements() != elements) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("{} elements do not fit {}", elements, shape.ToString()));
    return nullptr;
  }
  builder.Output({x.type.element, shape});
  return std::make_unique<CopyKernel>(x.type.Bytes());
}

class TransposeKernel : public Kernel {
 public:
  TransposeKernel(Shape result, int64_t size, Strides from)
      : result_(result), size_(size), from_(from), to_(DenseStrides(result)) {}
  void Run(const Invocation& call) const override {
    CopyStrided(result_, size_, call.inputs[0], from_, call.outputs[0], to_);
  }

 private:
  Shape result_;
  int64_t size_;
  Strides from_;
  Strides to_;
};

std::unique_ptr<const Kernel> BuildTranspose(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const IntList perm = builder.Ints("perm");
  if (!builder.ok()) return nullptr;
  const int rank = x.type.shape.rank();
  if (perm.size() != static_cast<size_t>(rank)) {
    builder.Reject(Stage::kFrontend,
                   fmt::format("perm has {} entries, x has rank {}", perm.size(), rank));
    return nullptr;
  }
  if (rank >= 5 && builder.QuirkOn("P12")) {
    builder.RejectOnEngine(Stage::kCodegen,
                           "Some ops are not supported on any of the specified backends");
  }
  uint32_t seen = 0;
  IntList axes;
  for (const int64_t entry : perm) {
    const int axis = builder.Axis("perm entry", entry, rank);
    if ((seen >> axis & 1) != 0) builder.Reject(Stage::kFrontend, "perm is not a permutation");
    seen |= uint32_t{1} << axis;
    axes.Append(axis);
  }
  if (!builder.ok()) return nullptr;
  const Strides dense = DenseStrides(x.type.shape);
  Shape shape;
  Strides from{};
  for (int i = 0; i < rank; ++i)
    shape.Append(x.type.shape[static_cast<int>(axes[static_cast<size_t>(i)])]);
  IntList source = axes;
  if (builder.model().Has(Planted::kTransposeInverse)) {
    for (int i = 0; i < rank; ++i) source[static_cast<size_t>(axes[static_cast<size_t>(i)])] = i;
    bool fits = true;
    for (int i = 0; i < rank; ++i) {
      fits &= x.type.shape[static_cast<int>(source[static_cast<size_t>(i)])] == shape[i];
    }
    if (!fits) source = axes;
  }
  for (int i = 0; i < rank; ++i) {
    from[static_cast<size_t>(i)] = dense[static_cast<size_t>(source[static_cast<size_t>(i)])];
  }
  builder.Output({x.type.element, shape});
  return std::make_unique<TransposeKernel>(shape, ElementSize(x.type.element), from);
}

// Copies each input to a region of the output. Along the axis, the region has every `step`-th index
// from the input's `start` on.
class ConcatKernel : public Kernel {
 public:
  struct Part {
    Shape shape;
    int64_t start;
  };
  ConcatKernel(const TensorType& result, int axis, int64_t step, std::vector<Part> parts)
      : size_(ElementSize(result.element)),
        dense_(DenseStrides(result.shape)),
        to_(dense_),
        axis_(axis),
        parts_(std::move(parts)) {
    to_[static_cast<size_t>(axis)] *= step;
  }
  void Run(const Invocation& call) const override {
    for (size_t i = 0; i < parts_.size(); ++i) {
      auto* to = static_cast<char*>(call.outputs[0]) +
                 parts_[i].start * dense_[static_cast<size_t>(axis_)] * size_;
      CopyStrided(parts_[i].shape, size_, call.inputs[i], DenseStrides(parts_[i].shape), to, to_);
    }
  }

 private:
  int64_t size_;
  Strides dense_;
  Strides to_;
  int axis_;
  std::vector<Part> parts_;
};

std::unique_ptr<const Kernel> BuildConcat(OpBuilder& builder) {
  const std::vector<Operand> values = builder.Tensors("values");
  const int64_t given_axis = builder.Int("axis");
  bool interleave = builder.Bool("interleave", false);
  if (!builder.ok()) return nullptr;
  if (values.empty()) {
    builder.Reject(Stage::kFrontend, "values is empty");
    return nullptr;
  }
  TensorType result = values.front().type;
  const int axis = builder.Axis("axis", given_axis, result.shape.rank());
  if (!builder.ok()) return nullptr;
  result.shape[axis] = 0;
  std::vector<ConcatKernel::Part> parts;
  for (const Operand& value : values) {
    TensorType expected = values.front().type;
    if (value.type.shape.rank() == expected.shape.rank() && !interleave) {
      expected.shape[axis] = value.type.shape[axis];
    }
    if (value.type != expected) {
      builder.Reject(Stage::kValidator, "both concat inputs must have the same layout");
      return nullptr;
    }
    const auto index = static_cast<int64_t>(parts.size());
    parts.push_back({value.type.shape, interleave ? index : result.shape[axis]});
    result.shape[axis] += value.type.shape[axis];
  }
  const size_t count = parts.size();
  if (builder.model().Has(Planted::kConcatSwapsLast) && count > 1 &&
      parts[count - 1].shape == parts[count - 2].shape) {
    std::swap(parts[count - 1].start, parts[count - 2].start);
  }
  builder.Output(result);
  return std::make_unique<ConcatKernel>(result, axis, interleave ? static_cast<int64_t>(count) : 1,
                                        std::move(parts));
}

enum class PadMode : uint8_t { kConstant, kReflect, kReplicate, kSymmetric };

// Returns the input index that a padded index reads, or -1 if it reads the constant.
int64_t SourceIndex(PadMode mode, int64_t index, int64_t extent) {
  if (index >= 0 && index < extent) return index;
  switch (mode) {
    case PadMode::kConstant:
      return -1;
    case PadMode::kReplicate:
      return std::clamp<int64_t>(index, 0, extent - 1);
    case PadMode::kReflect:
      return index < 0 ? -index : 2 * (extent - 1) - index;
    case PadMode::kSymmetric:
      return index < 0 ? -index - 1 : 2 * extent - 1 - index;
  }
  return -1;
}

class PadKernel : public Kernel {
 public:
  PadKernel(const TensorType& x, const Shape& result, std::vector<int64_t> sources,
            std::vector<uint8_t> constant)
      : size_(ElementSize(x.element)),
        x_(x.shape),
        result_(result),
        sources_(std::move(sources)),
        constant_(std::move(constant)) {}

  void Run(const Invocation& call) const override { Fill(call, 0, 0, 0, true, sources_.data()); }

 private:
  // `from` and `to` are the element indices for the axes before `axis`. `inside` is false if one of
  // these axes is at an index that the constant pads.
  void Fill(const Invocation& call, int axis, int64_t from, int64_t to, bool inside,
            const int64_t* sources) const {
    if (axis == result_.rank()) {
      const void* value = inside ? static_cast<const char*>(call.inputs[0]) + from * size_
                                 : static_cast<const void*>(constant_.data());
      std::memcpy(static_cast<char*>(call.outputs[0]) + to * size_, value,
                  static_cast<size_t>(size_));
      return;
    }
    for (int64_t i = 0; i < result_[axis]; ++i) {
      const int64_t source = sources[i];
      Fill(call, axis + 1, from * x_[axis] + std::max<int64_t>(0, source), to * result_[axis] + i,
           inside && source >= 0, sources + result_[axis]);
    }
  }

  int64_t size_;
  Shape x_;
  Shape result_;
  std::vector<int64_t> sources_;  // for each axis, the source of each of its indices
  std::vector<uint8_t> constant_;
};

PadMode ReadPadMode(OpBuilder& builder) {
  const std::string mode = builder.String("mode", "constant");
  if (mode == "constant") return PadMode::kConstant;
  if (mode == "reflect") {
    return builder.model().Has(Planted::kPadReflectAsReplicate) ? PadMode::kReplicate
                                                                : PadMode::kReflect;
  }
  if (mode == "replicate") return PadMode::kReplicate;
  if (mode == "symmetric") return PadMode::kSymmetric;
  builder.Reject(Stage::kFrontend, fmt::format("mode '{}' is not known", mode));
  return PadMode::kConstant;
}

std::vector<uint8_t> PadConstant(OpBuilder& builder, Element element) {
  float value = static_cast<float>(builder.Float("constant_val", 0));
  if (builder.model().Has(Planted::kPadConstantZero)) value = 0;
  std::vector<uint8_t> bytes(8, 0);
  if (ElementSize(element) > 0) StoreFloats(element, &value, 1, NumericModel{}, bytes.data());
  return bytes;
}

std::unique_ptr<const Kernel> BuildPad(OpBuilder& builder) {
  const Operand x = builder.Tensor("x");
  const IntList pad = builder.Ints("pad");
  const PadMode mode = ReadPadMode(builder);
  if (mode == PadMode::kReflect) builder.PadsByReflection();
  std::vector<uint8_t> constant = PadConstant(builder, x.type.element);
  if (!builder.ok()) return nullptr;
  const int rank = x.type.shape.rank();
  if (pad.size() % 2 != 0 || static_cast<int>(pad.size() / 2) > rank) {
    builder.Reject(
        Stage::kFrontend,
        fmt::format("pad has {} entries, but needs two for each of {} axes", pad.size(), rank));
    return nullptr;
  }
  const int first = rank - static_cast<int>(pad.size() / 2);
  Shape result = x.type.shape;
  std::vector<int64_t> sources;
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t extent = x.type.shape[axis];
    const bool padded = axis >= first;
    const auto at = static_cast<size_t>(2 * (axis - first));
    int64_t before = padded ? pad[at] : 0;
    const int64_t after = padded ? pad[at + 1] : 0;
    const int64_t most = mode == PadMode::kReflect     ? extent - 1
                         : mode == PadMode::kSymmetric ? extent
                                                       : int64_t{1} << 31;
    if (before < 0 || after < 0 || before > most || after > most) {
      builder.Reject(Stage::kFrontend,
                     fmt::format("padding of {} and {} is not possible on an axis of {}", before,
                                 after, extent));
      return nullptr;
    }
    result[axis] = extent + before + after;
    if (result[axis] > (int64_t{1} << 24)) {
      builder.Reject(Stage::kFrontend, "the padded axis is too long");
      return nullptr;
    }
    if (builder.model().Has(Planted::kPadWrongSide)) before = after;
    for (int64_t i = 0; i < result[axis]; ++i) {
      const int64_t source = SourceIndex(mode, i - before, extent);
      sources.push_back(source >= extent ? extent - 1 : source);
    }
  }
  builder.Output({x.type.element, result});
  return std::make_unique<PadKernel>(x.type, result, std::move(sources), std::move(constant));
}

constexpr OpRow kRows[] = {
    {"reshape", BuildReshape},
    {"transpose", BuildTranspose},
    {"concat", BuildConcat},
    {"pad", BuildPad},
};

}  // namespace

std::span<const OpRow> MovementRows() { return kRows; }

}  // namespace anecheck::device
