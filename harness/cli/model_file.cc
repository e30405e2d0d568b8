#include "harness/cli/model_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include "harness/base/file.h"
#include "harness/base/half.h"
#include "harness/base/hash.h"
#include "harness/base/log.h"
#include "harness/cli/with_file.h"
#include "harness/graph/json.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/pack.h"
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
// Between -1 and 1.
double Noise(uint64_t seed, uint64_t index) {
  return std::ldexp(static_cast<double>(Mix(seed ^ Mix(index)) >> 11), -52) - 1;
}

// ---- weights ------------------------------------------------------------------------------------

// Matrices scaled by the root of their inner extent, so that activations keep their size; vectors
// (biases, scales, gains) small and positive.
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
      // As far as the narrowest integer type goes, both signs where there are two.
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

std::vector<uint8_t> MadeUpBytes(const TensorType& type, uint64_t seed) {
  std::vector<uint8_t> bytes(static_cast<size_t>(type.ByteSize()));
  EncodeElements(type.dtype, MadeUpElements(type, seed), bytes);
  return DTypeBits(type.dtype) < 8 ? UnpackElements(type, bytes) : bytes;
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

// Reads constants of the side file that a program names.
class SideFile {
 public:
  SideFile(const std::string& model, std::string given) : given_(std::move(given)) {
    const size_t slash = model.rfind('/');
    folder_ = slash == std::string::npos ? "." : model.substr(0, slash);
  }

  Result<std::vector<uint8_t>> Read(std::string_view path, uint64_t offset,
                                    const TensorType& type) {
    ANECHECK_RETURN_IF_ERROR(Open(path));
    if (!bytes_) {
      ++synthesised_;
      return MadeUpBytes(type, offset);
    }
    return ReadMilBlob(*bytes_, offset, type);
  }

  uint64_t synthesised() const { return synthesised_; }
  const std::string& path() const { return path_; }

 private:
  Status Open(std::string_view path) {
    if (opened_) return {};
    opened_ = true;
    constexpr std::string_view kModelPath = "@model_path";
    path_ = std::string(path);
    if (path.starts_with(kModelPath)) {
      path_ = folder_ + std::string(path.substr(kModelPath.size()));
    }
    if (!given_.empty()) path_ = given_;
    auto read = ReadFile(path_);
    if (read.ok()) {
      bytes_ = std::move(read).value();
      return {};
    }
    if (!given_.empty()) return read.error();
    return {};
  }

  std::string folder_;
  std::string given_;
  std::string path_;
  bool opened_ = false;
  std::optional<std::vector<uint8_t>> bytes_;
  uint64_t synthesised_ = 0;
};

// ---- arrays -------------------------------------------------------------------------------------

npz::ElementType ArrayType(DType dtype) {
  switch (dtype) {
    case DType::kFp16:
    case DType::kFp8E4M3:
    case DType::kFp8E5M2:
      return npz::ElementType::kFloat16;
    case DType::kFp32:
      return npz::ElementType::kFloat32;
    case DType::kInt8:
    case DType::kInt4:
      return npz::ElementType::kInt8;
    case DType::kInt16:
      return npz::ElementType::kInt16;
    case DType::kUint16:
      return npz::ElementType::kUint16;
    case DType::kInt32:
      return npz::ElementType::kInt32;
    case DType::kBool:
      return npz::ElementType::kBool;
    default:
      return npz::ElementType::kUint8;
  }
}

// The element type whose bytes an array's are, for those that tensors have.
std::optional<DType> TensorTypeOf(npz::ElementType type) {
  for (const DType dtype : {DType::kFp16, DType::kFp32, DType::kInt8, DType::kInt16, DType::kUint16,
                            DType::kInt32, DType::kBool, DType::kUint8}) {
    if (ArrayType(dtype) == type) return dtype;
  }
  return std::nullopt;
}

std::vector<double> Doubles(const npz::Array& array) {
  std::vector<double> elements(array.data.size() / npz::ElementSize(array.type));
  if (array.type == npz::ElementType::kFloat64) {
    std::memcpy(elements.data(), array.data.data(), array.data.size());
  } else if (const auto dtype = TensorTypeOf(array.type)) {
    DecodeElements(*dtype, array.data, elements);
  }
  return elements;
}

bool IsFloatArray(npz::ElementType type) { return type <= npz::ElementType::kFloat64; }

// What an array means to the model: outputs are what an engine gave, so that rounding them hides
// how far they lie from what is admitted.
enum class Role : uint8_t { kInput, kOutput };

void WarnOfRounding(const Value& value, const npz::Array& array, std::span<const double> given,
                    std::span<const double> taken, Role role) {
  size_t rounded = 0;
  size_t beyond = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    if (!std::isfinite(given[i]) || taken[i] == given[i]) continue;
    ++(std::isfinite(taken[i]) ? rounded : beyond);
  }
  const std::string_view from = npz::ElementDescr(array.type);
  const std::string_view to = DTypeName(value.type.dtype);
  if (beyond != 0) {
    LogWarning(fmt::format("{}: {} of {} numbers ({}) are beyond {} and were taken as infinite",
                           value.name, beyond, given.size(), from, to));
  }
  if (rounded != 0 && role == Role::kOutput) {
    LogWarning(fmt::format("{}: {} of {} numbers ({}) are none of {} and were rounded to it",
                           value.name, rounded, given.size(), from, to));
  }
}

Result<Tensor> FromArray(const Value& value, const npz::Array& array, Role role) {
  const Shape& shape = value.type.shape;
  bool same_shape = array.shape.size() == static_cast<size_t>(shape.rank());
  for (int axis = 0; same_shape && axis < shape.rank(); ++axis) {
    same_shape = array.shape[static_cast<size_t>(axis)] == static_cast<uint64_t>(shape[axis]);
  }
  const bool floats = IsFloat(value.type.dtype) && IsFloatArray(array.type);
  if (!same_shape || (!floats && ArrayType(value.type.dtype) != array.type)) {
    const std::string is = same_shape ? fmt::format("is {}", npz::ElementDescr(array.type))
                                      : fmt::format("has shape [{}]", fmt::join(array.shape, ", "));
    return MakeError(ErrorCode::kInvalid, fmt::format("{}: the array {}, the model wants {}",
                                                      value.name, is, value.type.ToString()));
  }
  Tensor tensor{value.type, array.data};
  if (ArrayType(value.type.dtype) == array.type) return tensor;
  const std::vector<double> given = Doubles(array);
  std::vector<double> elements = given;
  for (double& x : elements) {
    x = value.type.dtype == DType::kFp16 ? HalfToDouble(DoubleToHalf(x))
                                         : static_cast<double>(static_cast<float>(x));
  }
  WarnOfRounding(value, array, given, elements, role);
  tensor.bytes.resize(static_cast<size_t>(value.type.ByteSize()));
  EncodeElements(value.type.dtype, elements, tensor.bytes);
  return tensor;
}

void WarnOfUnused(const Graph& graph, std::span<const ValueId> ids,
                  std::span<const npz::NamedArray> arrays, std::string_view role) {
  for (const npz::NamedArray& array : arrays) {
    const bool used = std::any_of(ids.begin(), ids.end(),
                                  [&](ValueId id) { return graph.value(id).name == array.name; });
    if (used) continue;
    LogWarning(
        fmt::format("the array \"{}\" is no {} of the model and was ignored", array.name, role));
  }
}

Result<std::vector<Tensor>> FromArrays(const Graph& graph, std::span<const ValueId> ids,
                                       std::span<const npz::NamedArray> arrays, Role role) {
  std::vector<Tensor> tensors;
  for (const ValueId id : ids) {
    const Value& value = graph.value(id);
    const auto found =
        std::find_if(arrays.begin(), arrays.end(),
                     [&](const npz::NamedArray& array) { return array.name == value.name; });
    if (found == arrays.end()) {
      return MakeError(ErrorCode::kNotFound, fmt::format("the arrays have no \"{}\" ({})",
                                                         value.name, value.type.ToString()));
    }
    ANECHECK_ASSIGN(Tensor tensor, FromArray(value, found->array, role));
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

}  // namespace

Result<ModelFile> LoadModel(const std::string& path, const std::string& weights,
                            const std::vector<ModelShape>& shapes) {
  ANECHECK_ASSIGN(std::string text, ReadTextFile(path));
  ModelFile model;
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    auto read = GraphFromText(text, OpVocabulary(), path);
    if (!read.ok()) return WithFile(path, read.error());
    model.graph = std::move(read).value();
    return model;
  }
  const bool open = text.contains("DefaultShapes");
  SideFile file(path, weights);
  MilReadOptions options;
  options.shapes = shapes;
  options.read_blob = [&](std::string_view name, uint64_t offset, const TensorType& type) {
    return file.Read(name, offset, type);
  };
  auto graph = MilTextToGraph(std::move(text), OpVocabulary(), options);
  if (!graph.ok()) {
    const char* const hint = shapes.empty() && open
                                 ? "; its `?` axes have their default extents, arrays give others"
                                 : "";
    return MakeError(graph.error().code,
                     fmt::format("{}: {}{}", path, graph.error().message, hint));
  }
  model.graph = std::move(graph).value();
  model.synthesised = file.synthesised();
  model.weights = file.path();
  if (model.synthesised > 0) FitMasks(model.graph);
  return model;
}

std::vector<ModelShape> ShapesOfArrays(std::span<const npz::NamedArray> arrays) {
  std::vector<ModelShape> shapes;
  for (const npz::NamedArray& array : arrays) {
    if (array.array.shape.size() > static_cast<size_t>(Shape::kMaxRank)) continue;
    ModelShape& shape = shapes.emplace_back(ModelShape{array.name, {}});
    for (const uint64_t extent : array.array.shape) {
      shape.shape.Append(static_cast<int64_t>(extent));
    }
  }
  return shapes;
}

void WarnOfUnusedInputs(const Graph& graph, std::span<const npz::NamedArray> arrays) {
  WarnOfUnused(graph, graph.ValuesOfKind(ValueKind::kInput), arrays, "input");
}

std::vector<ValueId> StatesAmong(const Graph& graph, std::span<const npz::NamedArray> arrays) {
  std::vector<ValueId> named = graph.ValuesOfKind(ValueKind::kState);
  std::erase_if(named, [&](ValueId state) {
    return std::ranges::find(arrays, graph.value(state).name, &npz::NamedArray::name) ==
           arrays.end();
  });
  return named;
}

void RenameArrays(const Graph& graph, std::span<const ValueId> states,
                  std::span<const std::string> names, std::span<npz::NamedArray> arrays) {
  for (size_t i = 0; i < states.size(); ++i) {
    std::ranges::find(arrays, graph.value(states[i]).name, &npz::NamedArray::name)->name = names[i];
  }
}

Result<std::vector<Tensor>> InputsFromArrays(const Graph& graph,
                                             std::span<const npz::NamedArray> arrays,
                                             const std::string& path) {
  auto inputs = FromArrays(graph, graph.ValuesOfKind(ValueKind::kInput), arrays, Role::kInput);
  if (!inputs.ok()) return WithFile(path, inputs.error());
  return inputs;
}

Result<std::vector<Tensor>> OutputsFromArrays(const Graph& graph,
                                              std::span<const npz::NamedArray> arrays,
                                              const std::string& path) {
  WarnOfUnused(graph, graph.outputs(), arrays, "output");
  auto outputs = FromArrays(graph, graph.outputs(), arrays, Role::kOutput);
  if (!outputs.ok()) return WithFile(path, outputs.error());
  return outputs;
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

npz::NamedArray ToArray(const std::string& name, const TensorType& type,
                        std::span<const double> elements) {
  npz::NamedArray named;
  named.name = name;
  named.array.type = ArrayType(type.dtype);
  for (const int64_t extent : type.shape.dims()) {
    named.array.shape.push_back(static_cast<uint64_t>(extent));
  }
  named.array.data.resize(elements.size() * npz::ElementSize(named.array.type));
  EncodeElements(*TensorTypeOf(named.array.type), elements, named.array.data);
  return named;
}

}  // namespace anecheck
