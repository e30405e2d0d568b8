#include "harness/device/op_table.h"

#include <unordered_map>

namespace anecheck::device {
namespace {

std::unordered_map<std::string_view, const OpRow*> MakeIndex() {
  std::unordered_map<std::string_view, const OpRow*> index;
  for (const auto rows : {ConvolutionRows(),
                          PoolingRows(),
                          ElementwiseRows(),
                          ActivationRows(),
                          UnaryRows(),
                          SoftmaxRows(),
                          NormalizationRows(),
                          ReductionRows(),
                          MovementRows(),
                          SliceRows(),
                          SortingRows(),
                          StructureRows(),
                          RearrangementRows(),
                          GatherRows(),
                          ImageRows(),
                          QuantizationRows(),
                          ConstantExpressionRows(),
                          ComparisonRows(),
                          ChannelRows(),
                          ComposedReductionRows(),
                          ScalingNormRows(),
                          NativeRankRows(),
                          NativeRows(),
                          StateRows()}) {
    for (const OpRow& row : rows) index.emplace(row.name, &row);
  }
  return index;
}

}  // namespace

const OpRow* FindOpRow(std::string_view name) {
  static const auto index = MakeIndex();
  const auto found = index.find(name);
  return found == index.end() ? nullptr : found->second;
}

}  // namespace anecheck::device
