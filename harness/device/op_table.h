// The operations that the simulated engine knows. Each operation has one row in the file of its
// class under ops/. A row's builder checks the statement and makes the kernel.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "harness/device/op_builder.h"

namespace anecheck::device {

struct OpRow {
  std::string_view name;  // as MIL spells it
  // Makes the kernel. Returns null if the builder has refused or every result is a constant.
  std::unique_ptr<const Kernel> (*build)(OpBuilder& builder);
  bool direct = false;  // a native layer: MIL's front end has no such operation
  Pass pass = Pass::kShared;
};

// Returns null if the engine does not know the operation.
const OpRow* FindOpRow(std::string_view name);

// The classes. Each class is defined in its own file of ops/.
std::span<const OpRow> ConvolutionRows();
std::span<const OpRow> PoolingRows();
std::span<const OpRow> ElementwiseRows();
std::span<const OpRow> ActivationRows();
std::span<const OpRow> UnaryRows();
std::span<const OpRow> SoftmaxRows();
std::span<const OpRow> NormalizationRows();
std::span<const OpRow> ReductionRows();
std::span<const OpRow> MovementRows();
std::span<const OpRow> SliceRows();
std::span<const OpRow> SortingRows();
std::span<const OpRow> StructureRows();
std::span<const OpRow> RearrangementRows();
std::span<const OpRow> GatherRows();
std::span<const OpRow> ImageRows();
std::span<const OpRow> QuantizationRows();
std::span<const OpRow> ConstantExpressionRows();
std::span<const OpRow> ComparisonRows();
std::span<const OpRow> ChannelRows();
std::span<const OpRow> ComposedReductionRows();
std::span<const OpRow> ScalingNormRows();
std::span<const OpRow> NativeRankRows();
std::span<const OpRow> NativeRows();
std::span<const OpRow> StateRows();

}  // namespace anecheck::device
