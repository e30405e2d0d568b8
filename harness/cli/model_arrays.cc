#include "harness/cli/model_arrays.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include "harness/base/counted.h"
#include "harness/base/half.h"
#include "harness/base/log.h"
#include "harness/cli/with_file.h"
#include "oracles/oracle.h"

namespace anecheck {
namespace {

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

// Returns the element type of tensors that has the same bytes as the array's; empty if there is
// none.
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

// The role of an array. Only a rounded output causes a warning: rounding hides how far the engine's
// output lies from the admitted interval.
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
    LogWarning(fmt::format("{}: {} of {} ({}) beyond {}, taken as infinite", value.name, beyond,
                           Counted(given.size(), "number"), from, to));
  }
  if (rounded != 0 && role == Role::kOutput) {
    LogWarning(fmt::format("{}: {} of {} ({}) not exact in {}, rounded", value.name, rounded,
                           Counted(given.size(), "number"), from, to));
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
    return MakeError(ErrorCode::kInvalid, fmt::format("{}: the array {}; the model takes {}",
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
    // `eval --bounds` writes bounds with these suffixes beside a value.
    const bool bound = array.name.ends_with(".lo") || array.name.ends_with(".hi");
    const std::string_view stem =
        std::string_view(array.name).substr(0, array.name.size() - (bound ? 3 : 0));
    const bool used = std::any_of(ids.begin(), ids.end(), [&](ValueId id) {
      return graph.value(id).name == array.name || graph.value(id).name == stem;
    });
    if (used) continue;
    LogWarning(
        fmt::format("the array \"{}\" is no {} of the model and was ignored", array.name, role));
  }
}

// Returns whether the arrays have bounds of the output but not the output itself, as in
// expected.npz of an exported finding.
bool HoldsBoundsAlone(const Value& output, std::span<const npz::NamedArray> arrays) {
  const auto has = [&](const std::string& name) {
    return std::ranges::find(arrays, name, &npz::NamedArray::name) != arrays.end();
  };
  return has(output.name + ".low") && has(output.name + ".high") && !has(output.name);
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
  for (const ValueId id : graph.outputs()) {
    const Value& output = graph.value(id);
    if (!HoldsBoundsAlone(output, arrays)) continue;
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{}: holds the bounds of {} and no output; give a file with the "
                                 "array \"{}\", as actual.npz beside it has it",
                                 path, output.name, output.name));
  }
  WarnOfUnused(graph, graph.outputs(), arrays, "output");
  auto outputs = FromArrays(graph, graph.outputs(), arrays, Role::kOutput);
  if (!outputs.ok()) return WithFile(path, outputs.error());
  return outputs;
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
