#include "harness/models/made_up.h"

#include <algorithm>
#include <cmath>

#include "harness/base/half.h"
#include "harness/base/hash.h"
#include "harness/ops/op.h"
#include "harness/ops/params.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

uint64_t Mix(uint64_t z) {
  z = (z + kGoldenRatio64) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}
// A pseudo-random number between -1 and 1.
double Noise(uint64_t seed, uint64_t index) {
  return std::ldexp(static_cast<double>(Mix(seed ^ Mix(index)) >> 11), -52) - 1;
}

// Matrices are scaled by the root of their inner extent, so that activations keep their magnitude.
// Vectors (biases, scales, gains) are small and positive.
std::vector<double> MadeUpElements(const TensorType& type, uint64_t seed) {
  std::vector<double> elements(static_cast<size_t>(type.shape.Elements()));
  const bool matrix = type.shape.rank() > 1;
  const double inner =
      matrix ? static_cast<double>(std::max<int64_t>(1, type.shape.Elements() / type.shape[0])) : 1;
  for (size_t i = 0; i < elements.size(); ++i) {
    const double noise = Noise(seed, i);
    double& x = elements[i];
    if (type.dtype == DType::kFp16 || type.dtype == DType::kFp32) {
      x = matrix ? noise * std::sqrt(3 / inner) : 0.02 + 0.01 * noise;
      x = type.dtype == DType::kFp16 ? HalfToDouble(DoubleToHalf(x))
                                     : static_cast<double>(static_cast<float>(x));
    } else if (IsFloat(type.dtype)) {
      x = 0.5;
    } else {
      // Draws integers in the range of the narrowest integer type, with both signs if the type has
      // a sign.
      const int bits = std::min(DTypeBits(type.dtype), 8);
      const bool has_sign = type.dtype == DType::kInt8 || type.dtype == DType::kInt4 ||
                            type.dtype == DType::kInt16 || type.dtype == DType::kInt32;
      const double span = std::ldexp(1.0, bits);
      x = std::floor((noise + 1) / 2 * span * 0.999) - (has_sign ? span / 2 : 0);
      if (type.dtype == DType::kBool) x = noise > 0 ? 1 : 0;
    }
  }
  return elements;
}

// A made-up mask must have as many set bits as there are data: the first ones are set.
void FitMask(Graph& graph, ValueId mask, ValueId data) {
  if (graph.value(mask).kind != ValueKind::kConst) return;
  const int64_t wanted = graph.type(data).shape.Elements();
  std::vector<uint8_t> bytes(graph.ConstData(mask).size(), 0);
  for (int64_t i = 0; i < wanted && i / 8 < static_cast<int64_t>(bytes.size()); ++i) {
    bytes[static_cast<size_t>(i / 8)] |= static_cast<uint8_t>(1u << (i % 8));
  }
  graph.SetConstData(mask, bytes);
}

}  // namespace

std::vector<uint8_t> MadeUpConstant(const TensorType& type, uint64_t seed) {
  std::vector<uint8_t> bytes(static_cast<size_t>(type.ByteSize()));
  EncodeElements(type.dtype, MadeUpElements(type, seed), bytes);
  return bytes;
}

void FitMasks(Graph& graph) {
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    const NodeView node(graph, id);
    switch (KindOf(node.schema())) {
      case OpKind::kConstexprSparseToDense:
        FitMask(graph, node.Input(params::SparseToDense::kMask),
                node.Input(params::SparseToDense::kNonzeroData));
        break;
      case OpKind::kConstexprLutToSparse:
        FitMask(graph, node.Input(params::LutToSparse::kIndicesMask),
                node.Input(params::LutToSparse::kIndicesNonzeroData));
        break;
      case OpKind::kConstexprSparseBlockwiseShiftScale:
        FitMask(graph, node.Input(params::SparseBlockwiseShiftScale::kDataMask),
                node.Input(params::SparseBlockwiseShiftScale::kNonzeroData));
        break;
      default:
        break;
    }
  }
}

std::vector<Tensor> MadeUpInputs(const Graph& graph, uint64_t seed) {
  std::vector<Tensor> inputs;
  for (const ValueId id : graph.ValuesOfKind(ValueKind::kInput)) {
    const TensorType& type = graph.type(id);
    std::vector<double> elements(static_cast<size_t>(type.shape.Elements()));
    for (size_t i = 0; i < elements.size(); ++i) {
      const double noise = Noise((inputs.size() + 1) * seed, i);
      elements[i] = !IsFloat(type.dtype) ? (noise > 0 ? 1 : 0) : HalfToDouble(DoubleToHalf(noise));
    }
    Tensor tensor{type, std::vector<uint8_t>(static_cast<size_t>(type.ByteSize()))};
    EncodeElements(type.dtype, elements, tensor.bytes);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace anecheck
