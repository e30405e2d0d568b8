// Loads a hardware container as a program. Sources: execution.md, "Order", item 1; layout.md,
// "Surfaces in memory"; header_forms.md, "Container (H14 to H18)".
#include <algorithm>
#include <fmt/format.h>

#include "harness/emulator/program.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/message.h"

namespace anecheck::emulator {
namespace {

constexpr uint32_t kLaterHeaderFlavor = 4;  // the program command from H14 on
// Ids in the catalog of element types. The id of bools is that of uint8
// (research/oracles/h13/boolean of the public repository joshuaswarren/mil-hwx-compiler).
constexpr uint32_t kByteType = 3, kHalfType = 5;

RegionKind RegionKindOf(const hwx::Section& section) {
  if (hwx::IsKernelSection(section)) return RegionKind::kConstants;
  switch (hwx::KindOf(section)) {
    case hwx::kInputSection:
      return RegionKind::kInput;
    case hwx::kOutputSection:
      return RegionKind::kOutput;
    case hwx::kBssSection:
      return RegionKind::kScratch;
    case hwx::kTextSection:
      return RegionKind::kText;
    default:
      return RegionKind::kOther;
  }
}

class Loader {
 public:
  Loader(const hwx::Container& container, uint64_t memory_limit)
      : container_(container), memory_limit_(memory_limit) {}

  Result<Program> Run() {
    ANECHECK_RETURN_IF_ERROR(LoadTasks());
    ANECHECK_RETURN_IF_ERROR(LoadRegions());
    ANECHECK_RETURN_IF_ERROR(LoadBars());
    for (const hwx::Thread& thread : container_.threads) {
      if (hwx::IsTensor(thread)) ANECHECK_RETURN_IF_ERROR(LoadPort(hwx::TensorOf(thread)));
    }
    return std::move(program_);
  }

 private:
  Status LoadTasks() {
    const hwx::Section* text = container_.Text();
    if (text == nullptr) {
      return MakeError(ErrorCode::kMalformed, "the container has no section of tasks");
    }
    if (text->tasks == nullptr) {
      if (text->tasks_error) return *text->tasks_error;
      return MakeError(
          ErrorCode::kUnsupported,
          fmt::format("the tasks of cpusubtype {} are not decoded", container_.header.cpusubtype));
    }
    const td::Generation& coded = *text->tasks->generation;
    const std::optional<Generation> generation = GenerationOfVersion(coded.version);
    if (!generation) {
      return MakeError(ErrorCode::kUnsupported,
                       fmt::format("no register table for task version {}", coded.version));
    }
    program_.generation = *generation;
    program_.version = coded.version;
    ANECHECK_ASSIGN(program_.tasks, WordsOf(*text->tasks));
    return {};
  }

  Status LoadRegions() {
    for (const hwx::Section& section : container_.sections) {
      if (section.size == 0) continue;
      Region region;
      region.name = Escaped(hwx::TextOf(section.sectname));
      region.kind = RegionKindOf(section);
      region.address = section.addr;
      if (section.size > memory_limit_) {
        return MakeError(ErrorCode::kLimit,
                         fmt::format("section {} has {} bytes; at most {} are emulated",
                                     region.name, section.size, memory_limit_));
      }
      const size_t stored = std::min<size_t>(section.data.size(), section.size);
      region.bytes.assign(section.data.begin(),
                          section.data.begin() + static_cast<ptrdiff_t>(stored));
      region.bytes.resize(section.size);
      ANECHECK_ASSIGN(const size_t index, program_.memory.Add(std::move(region), memory_limit_));
      static_cast<void>(index);
    }
    return {};
  }

  // The table has 256 slots of 8 bytes. On H13 a BAR's number is the index of its slot. In later
  // generations the number counts words of 4 bytes.
  Status LoadBars() {
    const hwx::Thread* header = nullptr;
    for (const hwx::Thread& thread : container_.threads) {
      if (thread.flavor != hwx::kHeaderFlavor && thread.flavor != kLaterHeaderFlavor) continue;
      if (header != nullptr) {
        return MakeError(ErrorCode::kUnsupported, "a container of several procedures");
      }
      header = &thread;
    }
    if (header == nullptr || header->words.size() < 2 * hwx::kBaseSlots) {
      return MakeError(ErrorCode::kMalformed, "the container has no table of base addresses");
    }
    const uint32_t step = program_.generation == Generation::kH13 ? 1 : 2;
    for (uint32_t slot = 0; slot < hwx::kBaseSlots; ++slot) {
      const uint64_t address = hwx::Pair(*header, 2 * slot);
      if (address != 0) program_.memory.SetBar(slot * step, address);
    }
    return {};
  }

  Status LoadPort(const hwx::TensorRecord& tensor) {
    Port port;
    port.name = tensor.name;
    port.output = tensor.direction == hwx::kOutput;
    port.shape = tensor.shape;
    port.strides = tensor.strides;
    if (tensor.element_type != kHalfType && tensor.element_type != kByteType) {
      return MakeError(ErrorCode::kUnsupported,
                       fmt::format("tensor {} has element type {}; 5, float16, and 3, uint8, are"
                                   " emulated",
                                   Shown(tensor.name), tensor.element_type));
    }
    port.element = tensor.element_type == kByteType ? 1 : 2;
    ANECHECK_RETURN_IF_ERROR(PlacePort(port));
    ANECHECK_RETURN_IF_ERROR(CheckPort(port));
    program_.ports.push_back(std::move(port));
    return {};
  }

  Status PlacePort(Port& port) {
    auto record = std::ranges::find(container_.ports, port.name, &hwx::Port::name);
    if (record == container_.ports.end()) {
      // For a result `x@output`, compilers from 7.6 on name the port `x`.
      const std::string_view plain = std::string_view(port.name).substr(0, port.name.find('@'));
      record = std::ranges::find(container_.ports, plain, &hwx::Port::name);
    }
    if (record == container_.ports.end()) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("tensor {} has no port", Shown(port.name)));
    }
    const std::vector<Region>& regions = program_.memory.regions();
    for (size_t i = 0; i < regions.size(); ++i) {
      const uint64_t at = record->vmaddr - regions[i].address;
      if (record->vmaddr < regions[i].address || at >= regions[i].bytes.size()) continue;
      port.region = i;
      port.offset = at;
      // The sections of all windows have the same name, so the region takes the name of the port.
      program_.memory.regions()[i].name = Escaped(port.name);
      return {};
    }
    return MakeError(ErrorCode::kMalformed, fmt::format("port {} at 0x{:x} lies in no section",
                                                        Shown(port.name), record->vmaddr));
  }

  Status CheckPort(const Port& port) const {
    const uint64_t room = program_.memory.regions()[port.region].bytes.size() - port.offset;
    unsigned __int128 end = port.element;
    for (size_t axis = 0; axis < port.shape.size(); ++axis) {
      if (port.shape[axis] == 0) {
        return MakeError(ErrorCode::kMalformed,
                         fmt::format("tensor {} is empty", Shown(port.name)));
      }
      end += static_cast<unsigned __int128>(port.shape[axis] - 1) * port.strides[axis];
    }
    if (end <= room && port.strides[3] >= port.element && port.Count() <= room) return {};
    return MakeError(ErrorCode::kMalformed,
                     fmt::format("tensor {} does not fit the 0x{:x} bytes of its window",
                                 Escaped(port.name), room));
  }

  const hwx::Container& container_;
  uint64_t memory_limit_;
  Program program_;
};

}  // namespace

Result<Program> LoadProgram(ByteSpan bytes, uint64_t memory_limit) {
  ANECHECK_ASSIGN(const hwx::Container container, hwx::Parse(bytes));
  return Loader(container, memory_limit).Run();
}

}  // namespace anecheck::emulator
