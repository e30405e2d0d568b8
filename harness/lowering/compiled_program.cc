#include "harness/lowering/compiled_program.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "harness/formats/hwx/builder.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/pair/pair.h"

namespace anecheck {
namespace {

constexpr int kEngineAxes = 4;
constexpr std::string_view kProcedure = "main";
constexpr uint32_t kVersion7 = 7;

struct ElementType {
  DType dtype;
  e5::TensorDataType e5;
  uint32_t catalog;  // the type's code in harness/formats/stabs
};
constexpr auto kElementTypes = std::to_array<ElementType>({
    {DType::kFp16, e5::TensorDataType::kFloat16, 5},
    {DType::kFp32, e5::TensorDataType::kFloat32, 6},
    {DType::kInt8, e5::TensorDataType::kInt8, 2},
    {DType::kUint8, e5::TensorDataType::kUInt8, 3},
    {DType::kInt16, e5::TensorDataType::kInt16, 4},
});

const ElementType* FindElementType(DType dtype) {
  const auto at = std::ranges::find(kElementTypes, dtype, &ElementType::dtype);
  return at == kElementTypes.end() ? nullptr : at;
}

Status CheckTensor(const CompiledTensor& tensor) {
  if (FindElementType(tensor.type.dtype) == nullptr) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: containers have no port of {}", tensor.name,
                                 DTypeName(tensor.type.dtype)));
  }
  if (!ToEngineShape(tensor.type.shape)) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{}: {} does not fit batch, channel, height and width",
                                 tensor.name, tensor.type.shape.ToString()));
  }
  return {};
}

Status CheckProgram(const CompiledProgram& program) {
  for (const auto* tensors : {&program.inputs, &program.outputs}) {
    for (const CompiledTensor& tensor : *tensors) ANECHECK_RETURN_IF_ERROR(CheckTensor(tensor));
  }
  return {};
}

// Assigns apertures to tensors. A tensor gets the aperture of the container's port with its name.
// Without such a port it gets a page-aligned window of its own, in the order of a container.
class Apertures {
 public:
  explicit Apertures(const hwx::Container* container) : container_(container) {}

  e5::Outline::Tensor Place(const CompiledTensor& tensor) {
    const EngineShape shape = *ToEngineShape(tensor.type.shape);
    const auto bytes = static_cast<uint64_t>(DTypeBits(tensor.type.dtype) / 8);
    e5::Outline::Tensor made{.name = tensor.name, .dtype = FindElementType(tensor.type.dtype)->e5};
    std::ranges::copy(shape, made.shape.begin());
    made.byte_size = shape[0] * hwx::PackedStrides(shape, bytes)[0];
    made.aperture_va = next_;
    next_ += (made.byte_size + hwx::kPage - 1) / hwx::kPage * hwx::kPage;
    if (container_ == nullptr) return made;
    const auto port = std::ranges::find(container_->ports, tensor.name, &hwx::Port::name);
    if (port != container_->ports.end()) made.aperture_va = port->vmaddr;
    return made;
  }

 private:
  const hwx::Container* container_;
  uint64_t next_ = hwx::kApertureBase;
};

// Sets the kinds and the procedure of the program's dispatches in the chain that MakeProgram made.
void SetInferences(const CompiledProgram& program, e5::Program& descriptor) {
  size_t next = 0;
  for (e5::Operation& operation : descriptor.functions[0].blocks[0].operations) {
    if (operation.type != e5::OpType::kAneInference) continue;
    const e5::OpType type = program.inferences[next++];
    if (type == e5::OpType::kAneInference) {
      std::get<e5::AneInferenceAttrs>(operation.attrs).procedure_name = kProcedure;
    } else {
      operation.type = type;
      operation.attrs = e5::OpaqueAttrs{};
    }
  }
}

void SetStates(const CompiledProgram& program, e5::Program& descriptor) {
  for (const CompiledState& state : program.states) {
    const auto& names = descriptor.symbol_names;
    const auto at = std::ranges::find(names, state.input + "_ane");
    if (at == names.end()) continue;
    descriptor.alias_symbols.push_back(
        {state.input, static_cast<uint32_t>(at - names.begin()), state.offset});
  }
}

Result<Bytes> WriteDescriptor(const CompiledProgram& program, ByteSpan container) {
  Result<hwx::Container> parsed = hwx::Container{};
  if (!container.empty()) parsed = hwx::Parse(container);
  if (!parsed.ok()) return std::move(parsed).error();
  Apertures apertures(container.empty() ? nullptr : &*parsed);
  e5::Outline outline;
  for (const CompiledTensor& tensor : program.inputs) {
    outline.inputs.push_back(apertures.Place(tensor));
  }
  for (const CompiledTensor& tensor : program.outputs) {
    outline.outputs.push_back(apertures.Place(tensor));
  }
  outline.segments = static_cast<uint32_t>(program.inferences.size());
  outline.build_info = {{"engine", "anecheck"}, {"target", program.target}};
  e5::Program descriptor = e5::MakeProgram(outline);
  SetInferences(program, descriptor);
  SetStates(program, descriptor);
  return e5::Write(descriptor);
}

}  // namespace

std::optional<EngineShape> ToEngineShape(const Shape& shape) {
  if (shape.rank() > kEngineAxes) return std::nullopt;
  EngineShape made = {1, 1, 1, 1};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] < 0 || shape[axis] > std::numeric_limits<uint32_t>::max()) return std::nullopt;
    made[static_cast<size_t>(kEngineAxes - shape.rank() + axis)] =
        static_cast<uint32_t>(shape[axis]);
  }
  return made;
}

std::string NoContainer(const CompiledProgram& program) {
  if (!program.cpu_subtype) return "no source gives the cpusubtype of its containers";
  const auto generation = td::GenerationOfSubtype(static_cast<uint32_t>(*program.cpu_subtype));
  if (!generation.ok()) return generation.error().message;
  if ((*generation)->version != kVersion7) {
    return fmt::format(
        "no source gives the registers that hold the extents of a task of version {}",
        (*generation)->version);
  }
  return program.tasks.empty() ? "none of its operations runs on the engine" : "";
}

Result<CompiledFiles> WriteCompiledFiles(const CompiledProgram& program, Result<Bytes> container) {
  ANECHECK_RETURN_IF_ERROR(CheckProgram(program));
  if (program.inferences.empty()) {
    return MakeError(ErrorCode::kUnsupported, "a program without a dispatch has no descriptor");
  }
  CompiledFiles files;
  if (container.ok()) {
    files.container = std::move(*container);
  } else if (container.error().code == ErrorCode::kUnsupported) {
    files.no_container = container.error().message;
  } else {
    return std::move(container).error();
  }
  ANECHECK_ASSIGN(files.descriptor, WriteDescriptor(program, files.container));
  return files;
}

}  // namespace anecheck
