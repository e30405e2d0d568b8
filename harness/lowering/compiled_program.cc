#include "harness/lowering/compiled_program.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "harness/base/hash.h"
#include "harness/formats/hwx/builder.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/pair/pair.h"

namespace anecheck {
namespace {

constexpr int kEngineAxes = 4;
constexpr size_t kLanes = 16;
constexpr std::string_view kProcedure = "net";

// Registers of version 7 by byte address (facts/td_v7_fields.json): the Common block begins at 0.
constexpr uint32_t kCommonAt = 0x0;
constexpr uint32_t kCommonRegisters = 16;
constexpr uint32_t kKernelAt = 0x1f800;
constexpr uint32_t kKernelRegisters = 62;
// What real containers hold in the 16 coefficient configurations that follow the first two
// registers.
constexpr uint32_t kFirstCoefficient = 2;
constexpr uint32_t kCoefficientDefault = 0x80;
enum CommonRegister : uint32_t { kInDim = 0, kCin = 3, kCout = 4, kOutDim = 5 };

struct ElementType {
  DType dtype;
  e5::TensorDataType e5;
  uint32_t catalog;  // harness/formats/stabs
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

// 64 hexadecimal digits that follow from the bytes: real kernels are named so, by what is not
// known.
std::string KernelName(const CompiledKernel& kernel) {
  std::string name = "K";
  Fnv1a hash(Fnv1a::kBasis ^ kernel.task);
  for (int word = 0; word < 4; ++word) {
    hash.Add(std::span<const uint8_t>(kernel.bytes)).Add(static_cast<uint64_t>(word));
    name += fmt::format("{:016X}", hash.value());
  }
  return name;
}

// Output channels lie one block a lane, as in the weight bank of specification 000.
int64_t ChannelsOfLane(int64_t channels) {
  return (channels + static_cast<int64_t>(kLanes) - 1) / static_cast<int64_t>(kLanes);
}

hwx::KernelSpec ToKernelSpec(const CompiledKernel& kernel) {
  hwx::KernelSpec spec;
  spec.name = KernelName(kernel);
  spec.task = static_cast<uint32_t>(kernel.task);
  spec.lanes = kLanes;
  const size_t step = kernel.bytes.size() / static_cast<size_t>(kernel.channels) *
                      static_cast<size_t>(ChannelsOfLane(kernel.channels));
  for (size_t at = 0; at < kernel.bytes.size(); at += step) {
    const size_t end = std::min(at + step, kernel.bytes.size());
    spec.tiles.emplace_back(kernel.bytes.begin() + static_cast<ptrdiff_t>(at),
                            kernel.bytes.begin() + static_cast<ptrdiff_t>(end));
  }
  return spec;
}

uint32_t Extents(uint32_t width, uint32_t height) { return width | height << 16; }

td::Task ToTask(const CompiledTask& from, uint32_t id, bool has_kernel) {
  td::Task task;
  task.header[0] = id;
  if (has_kernel) {
    std::vector<uint32_t> kernels(kKernelRegisters);
    std::fill_n(kernels.begin() + kFirstCoefficient, kLanes, kCoefficientDefault);
    task.Write(kKernelAt, kernels);
  }
  std::vector<uint32_t> common(kCommonRegisters);
  common[kInDim] = Extents(from.in[3], from.in[2]);
  common[kCin] = from.in[1];
  common[kCout] = from.out[1];
  common[kOutDim] = Extents(from.out[3], from.out[2]);
  task.Write(kCommonAt, common);
  return task;
}

hwx::TensorSpec ToTensorSpec(const CompiledTensor& tensor, bool output) {
  const EngineShape shape = *ToEngineShape(tensor.type.shape);
  return {.name = tensor.name,
          .output = output,
          .element_type = FindElementType(tensor.type.dtype)->catalog,
          .shape = shape,
          .strides =
              hwx::PackedStrides(shape, static_cast<uint64_t>(DTypeBits(tensor.type.dtype) / 8))};
}

Result<Bytes> WriteContainer(const CompiledProgram& program) {
  if (!program.cpu_subtype) {
    return MakeError(ErrorCode::kUnsupported, "no source gives the cpusubtype of its containers");
  }
  const auto generation = td::GenerationOfSubtype(static_cast<uint32_t>(*program.cpu_subtype));
  if (!generation.ok()) return MakeError(ErrorCode::kUnsupported, generation.error().message);
  if ((*generation)->version != 7) {
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("no source gives the registers that hold the extents of a task of "
                                 "version {}",
                                 (*generation)->version));
  }
  if (program.tasks.empty()) {
    return MakeError(ErrorCode::kUnsupported, "nothing of it runs on the engine");
  }
  hwx::ContainerSpec spec;
  spec.cpusubtype = (*generation)->cpusubtype;
  spec.options = {"-t " + program.target, "-i ./net.plist", "-o ./model.hwx"};
  spec.procedure = kProcedure;
  for (const CompiledTensor& tensor : program.inputs) {
    spec.tensors.push_back(ToTensorSpec(tensor, false));
  }
  for (const CompiledTensor& tensor : program.outputs) {
    spec.tensors.push_back(ToTensorSpec(tensor, true));
  }
  spec.tasks.generation = *generation;
  spec.tasks.header_words = td::kV7HeaderWords;
  for (size_t i = 0; i < program.tasks.size(); ++i) {
    const bool has_kernel =
        std::ranges::find(program.kernels, i, &CompiledKernel::task) != program.kernels.end();
    spec.tasks.tasks.push_back(ToTask(program.tasks[i], static_cast<uint32_t>(i), has_kernel));
  }
  for (const CompiledKernel& kernel : program.kernels) spec.kernels.push_back(ToKernelSpec(kernel));
  return hwx::BuildBytes(std::move(spec));
}

// Gives tensors their apertures: those of the container's ports, or without one a page-aligned
// window each, in the order in which a container would have them.
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

// The chain of MakeProgram with the kinds and the procedure that the program has.
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

Result<CompiledFiles> WriteCompiledFiles(const CompiledProgram& program) {
  ANECHECK_RETURN_IF_ERROR(CheckProgram(program));
  if (program.inferences.empty()) {
    return MakeError(ErrorCode::kUnsupported, "a program without a dispatch has no descriptor");
  }
  CompiledFiles files;
  Result<Bytes> container = WriteContainer(program);
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
