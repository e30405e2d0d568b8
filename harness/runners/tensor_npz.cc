#include "harness/runners/tensor_npz.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <optional>

#include "harness/formats/npz/npz.h"

namespace anecheck {
namespace {

using npz::ElementType;

std::optional<ElementType> ToElementType(DType dtype) {
  switch (dtype) {
    case DType::kFp16:
      return ElementType::kFloat16;
    case DType::kFp32:
      return ElementType::kFloat32;
    case DType::kInt8:
      return ElementType::kInt8;
    case DType::kUint8:
      return ElementType::kUint8;
    case DType::kInt16:
      return ElementType::kInt16;
    case DType::kUint16:
      return ElementType::kUint16;
    case DType::kInt32:
      return ElementType::kInt32;
    case DType::kBool:
      return ElementType::kBool;
    default:
      return std::nullopt;
  }
}

std::string ShapeText(std::span<const uint64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

// `port`: "input" or "output".
Result<Tensor> Take(std::vector<npz::NamedArray>& arrays, std::string_view port,
                    const std::string& name, const TensorType& type) {
  const auto found = std::find_if(arrays.begin(), arrays.end(),
                                  [&](const auto& array) { return array.name == name; });
  if (found == arrays.end()) {
    return MakeError(ErrorCode::kInvalid, fmt::format("{} {} is missing", port, name));
  }
  const npz::Array& array = found->array;
  if (ToElementType(type.dtype) != array.type) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{} {} has element type {}, must be {}", port, name,
                                 npz::ElementDescr(array.type), DTypeName(type.dtype)));
  }
  const auto dims = type.shape.dims();
  const bool same = std::equal(dims.begin(), dims.end(), array.shape.begin(), array.shape.end(),
                               [](int64_t a, uint64_t b) { return static_cast<uint64_t>(a) == b; });
  if (!same) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{} {} has shape {}, must be {}", port, name,
                                 ShapeText(array.shape), type.shape.ToString()));
  }
  // The bytes are copied and not moved, because a graph may name one value as two outputs.
  return Tensor{type, array.data};
}

// Room for headers, directory entries and unrequested arrays.
constexpr uint64_t kSlack = uint64_t{1} << 20;

}  // namespace

Result<npz::Array> TensorToArray(const Tensor& tensor) {
  const auto type = ToElementType(tensor.type.dtype);
  if (!type) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{} has no NumPy element type", DTypeName(tensor.type.dtype)));
  }
  npz::Array array;
  array.type = *type;
  for (const int64_t dim : tensor.type.shape.dims()) {
    array.shape.push_back(static_cast<uint64_t>(dim));
  }
  array.data = tensor.bytes;
  return array;
}

Status WriteInputsNpz(const std::string& path, const Graph& graph, std::span<const Tensor> inputs) {
  std::vector<npz::NamedArray> arrays;
  const std::vector<ValueId> ids = graph.ValuesOfKind(ValueKind::kInput);
  for (size_t i = 0; i < ids.size() && i < inputs.size(); ++i) {
    const Tensor& tensor = inputs[i];
    const std::string& name = graph.value(ids[i]).name;
    Result<npz::Array> array = TensorToArray(tensor);
    if (!array.ok()) {
      return MakeError(ErrorCode::kUnsupported,
                       fmt::format("input {}: {}", name, array.error().message));
    }
    arrays.push_back({name, std::move(array).value()});
  }
  return npz::WriteNpzFile(path, arrays);
}

Result<std::vector<Tensor>> ReadInputsNpz(const std::string& path, const Graph& graph) {
  ANECHECK_ASSIGN(auto arrays, npz::ReadNpzFile(path));
  std::vector<Tensor> inputs;
  for (const ValueId input : graph.ValuesOfKind(ValueKind::kInput)) {
    const Value& value = graph.value(input);
    ANECHECK_ASSIGN(Tensor tensor, Take(arrays, "input", value.name, value.type));
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

Result<std::vector<Tensor>> ReadOutputsNpz(const std::string& path, const Graph& graph) {
  uint64_t expected = kSlack;
  for (const ValueId output : graph.outputs()) {
    expected += static_cast<uint64_t>(graph.type(output).ByteSize()) + 512;
  }
  // Only regular files are read, because a pipe or a device might never end.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return MakeError(ErrorCode::kInvalid, "outputs.npz was not written");
  }
  auto arrays = npz::ReadNpzFile(path, expected);
  if (!arrays.ok()) {
    std::string message = std::move(arrays).error().message;
    // Removes the folder from the message, because its name differs from run to run.
    if (const size_t at = message.find(path); at != std::string::npos) {
      message.replace(at, path.size(), "outputs.npz");
    }
    return MakeError(ErrorCode::kInvalid, message);
  }
  std::vector<Tensor> outputs;
  for (const ValueId output : graph.outputs()) {
    const Value& value = graph.value(output);
    ANECHECK_ASSIGN(Tensor tensor, Take(*arrays, "output", value.name, value.type));
    outputs.push_back(std::move(tensor));
  }
  return outputs;
}

}  // namespace anecheck
