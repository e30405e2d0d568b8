#include "harness/device/program_files.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "harness/base/hash.h"
#include "harness/device/simulator_control.h"
#include "harness/device/task_list.h"
#include "harness/formats/e5/e5.h"
#include "harness/formats/hwx/builder.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/td/td.h"

namespace anecheck::device {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr std::string_view kProcedure = "main";
constexpr size_t kLanes = 16;  // sub-kernels of a weight bank (specification 000)
// The targets whose containers have tasks of version 7 (specification 000, table 23.9;
// facts/targets.csv). For T1, the reference target of the same family, the version is unknown.
constexpr std::array<std::string_view, 2> kVersion7Targets = {"h13", "h13g"};
constexpr uint32_t kVersion7 = 7;

// Byte addresses of registers of version 7 (facts/td_v7_fields.json). The common block has 16
// registers from address 0.
constexpr uint32_t kCommonBlock = 0x0;
constexpr size_t kCommonWords = 16;
constexpr size_t kInDimWord = 0, kCinWord = 3, kCoutWord = 4, kOutDimWord = 5;
// The coefficient streams: 62 registers. In real files the 16 configuration registers are 0x80.
constexpr uint32_t kKernelBlock = 0x1f800;
constexpr size_t kKernelWords = 62;
constexpr size_t kFirstConfiguration = 2;
constexpr uint32_t kConfiguration = 0x80;

// The address of a task's patch settings. In the image of version 7 the patch settings begin at
// 0x200. The L2 block is at 0x1e0 of the image and at the register address kL2Block
// (facts/more/td_generations.csv; facts/td_v7_fields.json). With D38 the last setting, the
// reflection of the tile overlap, is written to 0x224, which is the start of the settings of
// version 8. No source gives the bit of this setting; the lowest bit is assumed.
constexpr uint32_t kL2Block = 0x4800;
constexpr uint32_t kPatchSettings = kL2Block + 0x200 - 0x1e0;
constexpr uint32_t kPatchSettingsOf8 = kL2Block + 0x224 - 0x1e0;
constexpr std::array<uint32_t, 1> kOverlapReflects = {1};

struct StoredType {
  Element element;
  e5::TensorDataType descriptor;
  uint32_t catalog;  // type number in the container's catalog (specification 000, listing 23.5)
};
// The catalog has the code of uint8 for a bool, because Apple's compiler described the condition of
// a select in this way (github joshuaswarren/mil-hwx-compiler, research/h14-model-gap-findings.md).
constexpr std::array<StoredType, 6> kStoredTypes = {{
    {Element::kFp16, e5::TensorDataType::kFloat16, 5},
    {Element::kFp32, e5::TensorDataType::kFloat32, 6},
    {Element::kInt8, e5::TensorDataType::kInt8, 2},
    {Element::kUint8, e5::TensorDataType::kUInt8, 3},
    {Element::kInt16, e5::TensorDataType::kInt16, 4},
    {Element::kBool, e5::TensorDataType::kBool, 3},
}};

// The properties of a port that both files need.
struct FilePort {
  std::string name;
  bool output = false;
  StoredType type = kStoredTypes[0];
  Frame shape = {1, 1, 1, 1};
  std::array<uint64_t, 4> strides{};
  uint64_t bytes = 0;
  uint64_t address = 0;
};

// Pads the rows of tensors to the 64-byte tile (specification 000, listing 23.6). Planes and
// batches follow each other without gaps.
void LayOut(const ActiveFaults& faults, FilePort& port) {
  const auto element = static_cast<uint64_t>(ElementSize(port.type.element));
  uint64_t row = port.shape[3] * element;
  if (faults.Find(FaultEffect::kFileRowStride) == nullptr) {
    row = (row + hwx::kTile - 1) / hwx::kTile * hwx::kTile;
  }
  const uint64_t plane = row * port.shape[2];
  const uint64_t image = plane * port.shape[1];
  port.strides = {image, plane, row, element};
  port.bytes = image * port.shape[0];
}

Result<FilePort> PortOf(const Executable& executable, const Port& from, bool output) {
  const auto type = std::ranges::find(kStoredTypes, from.type.element, &StoredType::element);
  const auto frame = FrameOf(from.type.shape);
  if (type == kStoredTypes.end() || !frame) {
    return MakeError(ErrorCode::kUnsupported, fmt::format("{}: {} has no form in a container",
                                                          from.name, from.type.ToString()));
  }
  FilePort port{.name = from.name, .output = output, .type = *type, .shape = *frame};
  LayOut(executable.faults, port);
  return port;
}

// Returns the inputs, then the outputs. Each port takes the next free pages of the engine's address
// space.
Result<std::vector<FilePort>> PortsOf(const Executable& executable) {
  std::vector<FilePort> ports;
  for (const bool output : {false, true}) {
    for (const Port& from : output ? executable.outputs : executable.inputs) {
      ANECHECK_ASSIGN(FilePort port, PortOf(executable, from, output));
      ports.push_back(std::move(port));
    }
  }
  uint64_t next = hwx::kApertureBase;
  for (FilePort& port : ports) {
    port.address = next;
    next += (port.bytes + hwx::kPage - 1) / hwx::kPage * hwx::kPage;
  }
  return ports;
}

// Returns "K" and 64 hexadecimal digits, which differ for each kernel. Real names are hashes of
// unknown data.
std::string KernelName(size_t task, std::span<const uint8_t> bytes) {
  std::string name = "K";
  for (uint64_t part = 0; part < 4; ++part) {
    uint64_t sum = kGoldenRatio64 * (part + 1) + task;
    for (const uint8_t byte : bytes) sum = sum * 0x5851f42d4c957f2d + byte + 1;
    name += fmt::format("{:016X}", sum);
  }
  return name;
}

// Each lane has one block of output channels, as in the weight bank of specification 000.
hwx::KernelSpec KernelOf(const EngineTask& task, size_t index, const ActiveFaults& faults) {
  Bytes bytes = task.kernel->data;
  const auto channels = static_cast<size_t>(task.kernel->type.shape[0]);
  const size_t channel = bytes.size() / channels;
  if (channels > 1 && faults.Find(FaultEffect::kFileKernelSwap) != nullptr) {
    std::swap_ranges(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(channel),
                     bytes.begin() + static_cast<ptrdiff_t>(channel));
  }
  hwx::KernelSpec spec{
      .name = KernelName(index, bytes), .lanes = kLanes, .task = static_cast<uint32_t>(index)};
  const size_t block = channel * ((channels + kLanes - 1) / kLanes);
  for (size_t at = 0; at < bytes.size(); at += block) {
    const auto first = bytes.begin() + static_cast<ptrdiff_t>(at);
    spec.tiles.emplace_back(first,
                            first + static_cast<ptrdiff_t>(std::min(block, bytes.size() - at)));
  }
  return spec;
}

td::Task DescriptorOf(const EngineTask& from, size_t index, const Executable& executable) {
  const ActiveFaults& faults = executable.faults;
  td::Task task;
  task.header[0] = static_cast<uint32_t>(index);
  if (from.kernel != nullptr) {
    std::array<uint32_t, kKernelWords> words{};
    std::fill_n(words.begin() + kFirstConfiguration, kLanes, kConfiguration);
    task.Write(kKernelBlock, words);
  }
  const uint32_t more = faults.Find(FaultEffect::kFileTaskChannels) != nullptr ? 1 : 0;
  std::array<uint32_t, kCommonWords> words{};
  words[kInDimWord] = from.in[2] << 16 | from.in[3];
  words[kCinWord] = from.in[1];
  words[kCoutWord] = from.out[1] + more;
  words[kOutDimWord] = from.out[2] << 16 | from.out[3];
  task.Write(kCommonBlock, words);
  if (from.reflects) {
    task.Write(executable.misplaces_reflection ? kPatchSettingsOf8 : kPatchSettings,
               kOverlapReflects);
  }
  return task;
}

Result<Bytes> WriteContainer(const Executable& executable, std::span<const FilePort> ports,
                             std::span<const EngineTask> tasks) {
  const ActiveFaults& faults = executable.faults;
  ANECHECK_ASSIGN(const td::Generation* generation, td::GenerationOfVersion(kVersion7));
  hwx::ContainerSpec spec;
  spec.cpusubtype = generation->cpusubtype;
  spec.options = {fmt::format("-t {}", executable.target->name), "-i model.mil", "-o model.hwx"};
  spec.procedure = kProcedure;
  for (const FilePort& port : ports) {
    spec.tensors.push_back({.name = port.name,
                            .output = port.output,
                            .element_type = port.type.catalog,
                            .shape = port.shape,
                            .strides = port.strides});
  }
  spec.tasks.generation = generation;
  spec.tasks.header_words = td::kV7HeaderWords;
  if (tasks.size() > 1 && faults.Find(FaultEffect::kFileTaskLost) != nullptr) {
    tasks = tasks.first(tasks.size() - 1);
  }
  for (size_t i = 0; i < tasks.size(); ++i) {
    spec.tasks.tasks.push_back(DescriptorOf(tasks[i], i, executable));
    if (tasks[i].kernel != nullptr) spec.kernels.push_back(KernelOf(tasks[i], i, faults));
  }
  return hwx::BuildBytes(std::move(spec));
}

// Copies the addresses of the ports' windows from the container, which assigns them.
Status TakeAddresses(const Bytes& container, std::vector<FilePort>& ports) {
  ANECHECK_ASSIGN(const hwx::Container parsed, hwx::Parse(container));
  for (FilePort& port : ports) {
    const auto found = std::ranges::find(parsed.ports, port.name, &hwx::Port::name);
    if (found != parsed.ports.end()) port.address = found->vmaddr;
  }
  return {};
}

Result<Bytes> WriteDescriptor(const Executable& executable, std::span<const FilePort> ports) {
  const ActiveFaults& faults = executable.faults;
  const bool half = faults.Find(FaultEffect::kFilePortSize) != nullptr;
  e5::Outline outline;
  for (const FilePort& port : ports) {
    e5::Outline::Tensor tensor{.name = port.name,
                               .dtype = port.type.descriptor,
                               .byte_size = half ? port.bytes / 2 : port.bytes,
                               .aperture_va = port.address};
    std::ranges::copy(port.shape, tensor.shape.begin());
    (port.output ? outline.outputs : outline.inputs).push_back(std::move(tensor));
  }
  outline.segments = static_cast<uint32_t>(executable.dispatches);
  if (faults.Find(FaultEffect::kFileDispatchTwice) != nullptr) ++outline.segments;
  outline.build_info = {{"engine", ANECHECK_SIM_ANALYTICS_NAME},
                        {"target", std::string(executable.target->name)}};
  e5::Program descriptor = e5::MakeProgram(outline);
  for (e5::Operation& operation : descriptor.functions[0].blocks[0].operations) {
    auto* attributes = std::get_if<e5::AneInferenceAttrs>(&operation.attrs);
    if (attributes != nullptr) attributes->procedure_name = kProcedure;
  }
  return e5::Write(descriptor);
}

}  // namespace

Result<ProgramFiles> WriteProgramFiles(const Executable& executable) {
  if (!executable.states.empty()) {
    return MakeError(ErrorCode::kUnsupported, "no source names the two ports of a state");
  }
  const auto tasks = TasksOf(executable);
  if (!tasks) {
    return MakeError(ErrorCode::kUnsupported,
                     "a tensor does not fit batch, channel, height and "
                     "width");
  }
  if (tasks->empty())
    return MakeError(ErrorCode::kUnsupported, "none of its operations runs on the engine");
  ANECHECK_ASSIGN(std::vector<FilePort> ports, PortsOf(executable));
  ProgramFiles files;
  if (std::ranges::find(kVersion7Targets, executable.target->name) != kVersion7Targets.end()) {
    ANECHECK_ASSIGN(files.container, WriteContainer(executable, ports, *tasks));
    ANECHECK_RETURN_IF_ERROR(TakeAddresses(files.container, ports));
  }
  ANECHECK_ASSIGN(files.descriptor, WriteDescriptor(executable, ports));
  return files;
}

}  // namespace anecheck::device
