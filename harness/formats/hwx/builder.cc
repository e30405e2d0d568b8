#include "harness/formats/hwx/builder.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "harness/base/round_up.h"
#include "harness/formats/hwx/banner.h"
#include "harness/formats/hwx/layout.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/stabs/stabs.h"

namespace anecheck::hwx {
namespace {

constexpr uint32_t kCoefficientConfig0 = 0x1f808;  // version 7: CoeffDMAConfig[0]
constexpr uint32_t kCoefficientBase0 = 0x1f848;    // version 7: CoeffBaseAddr[0]
constexpr uint32_t kCoefficients = 16;
constexpr uint32_t kKernelSlot = 2;  // assumed; the specification gives no slot

constexpr uint32_t kGuardFlags = 4;
constexpr uint32_t kZeroConstFlags = 4;
constexpr uint32_t kWindowFlags = 6;
constexpr uint32_t kRead = 1;
constexpr uint32_t kWrite = 2;
constexpr uint32_t kReadWrite = 3;
constexpr uint32_t kReadExecute = 5;

// The position of a register's value in a task's stream, in bytes from the task's start, and its
// index among the task's values. Empty if the stream does not write the register.
struct Place {
  uint32_t byte = 0;
  uint32_t value = 0;
};
std::optional<Place> PlaceOf(const td::Chain& chain, const td::Task& task, uint32_t register_at) {
  uint32_t byte = 4u * (chain.header_words + (task.extra_word ? 1u : 0u));
  for (const td::RegisterWrite& write : task.writes) {
    byte += 4;
    const bool holds = !write.sparse && register_at >= write.byte_address &&
                       register_at < write.byte_address + 4u * write.count;
    if (holds) {
      const uint32_t index = (register_at - write.byte_address) / 4;
      return Place{byte + 4 * index, write.first + index};
    }
    byte += 4u * write.count;
  }
  return std::nullopt;
}

class Builder {
 public:
  explicit Builder(ContainerSpec spec) : spec_(std::move(spec)) {}

  Result<Container> Run() {
    ANECHECK_RETURN_IF_ERROR(Check());
    td::Layout(spec_.tasks);
    c_.header.cpusubtype = spec_.cpusubtype;
    AddSegment("__PAGEZERO", kPage, 0, kGuardFlags, true);
    for (ExtraSegment& extra : spec_.extra_segments) AddExtra(extra);
    if (spec_.windows_first) AddWindows();
    ANECHECK_RETURN_IF_ERROR(AddText());
    if (!spec_.windows_first) AddWindows();
    AddPorts();
    AddThreads();
    AddBanner();
    AddSymbols();
    AddCommand(kSymtabCommand, 0);
    PlaceInFile();
    return std::move(c_);
  }

 private:
  Status Check() const {
    const auto invalid = [](std::string what) {
      return MakeError(ErrorCode::kInvalid, std::move(what));
    };
    if (spec_.tasks.tasks.empty()) return invalid("tasks: a container runs at least one task");
    if (spec_.tasks.generation->cpusubtype != spec_.cpusubtype) {
      return invalid(fmt::format("tasks: version {} is not of cpusubtype {}",
                                 spec_.tasks.generation->version, spec_.cpusubtype));
    }
    if (stabs::Catalog(spec_.catalog).empty()) {
      return invalid(fmt::format("catalog: no catalog has {} entries", spec_.catalog));
    }
    if (spec_.base % kPage != 0) return invalid("base: must be a multiple of 0x4000");
    for (const KernelSpec& kernel : spec_.kernels) {
      if (kernel.task >= spec_.tasks.tasks.size()) {
        return invalid(fmt::format("kernel {}: there is no task {}", kernel.name, kernel.task));
      }
      if (kernel.tiles.empty() || kernel.tiles.size() > kCoefficients ||
          (kernel.table && kernel.tiles.size() != 1)) {
        return invalid(
            fmt::format("kernel {}: has {} tiles; a table must have 1, other kernels 1 to 16",
                        kernel.name, kernel.tiles.size()));
      }
    }
    return CheckConstants();
  }

  Status CheckConstants() const {
    const auto invalid = [](std::string what) {
      return MakeError(ErrorCode::kInvalid, std::move(what));
    };
    if (!(spec_.constants.empty() && spec_.kernel_data.empty()) && !spec_.kernels.empty()) {
      return invalid("constants: must be empty if there are kernels, which Build lays out");
    }
    if (!spec_.kernel_data.empty() && !spec_.kernel_segment) {
      return invalid("constants: kernel_data needs a kernel segment");
    }
    const size_t named = spec_.kernel_segment ? spec_.kernel_data.size() : spec_.constants.size();
    for (const ConstantSymbol& symbol : spec_.constant_symbols) {
      if (symbol.offset >= named) {
        return invalid(
            fmt::format("constants: the place of {} is outside of the constants", symbol.name));
      }
    }
    for (const ConstantRegister& at : spec_.constant_registers) {
      if (at.task >= spec_.tasks.tasks.size() ||
          !PlaceOf(spec_.tasks, spec_.tasks.tasks[at.task], at.address)) {
        return invalid(
            fmt::format("constants: task {} does not write register 0x{:x}", at.task, at.address));
      }
    }
    return {};
  }

  void AddCommand(uint32_t cmd, size_t index) {
    c_.commands.push_back({.cmd = cmd, .index = static_cast<uint32_t>(index)});
  }

  Segment& AddSegment(std::string_view name, uint64_t size, uint32_t protection, uint32_t flags,
                      bool at_zero = false) {
    Segment segment;
    segment.segname = MakeName16(name);
    segment.vmaddr = at_zero ? 0 : next_address_;
    segment.vmsize = RoundUp(size, kPage);
    segment.maxprot = segment.initprot = protection;
    segment.flags = flags;
    segment.first_section = static_cast<uint32_t>(c_.sections.size());
    if (!at_zero) next_address_ += segment.vmsize;
    AddCommand(kSegmentCommand, c_.segments.size());
    c_.segments.push_back(segment);
    return c_.segments.back();
  }

  // Adds a section after the previous section of its segment, at the next aligned address.
  Section& AddSection(std::string_view name, uint32_t align, uint32_t flags, uint64_t size) {
    Segment& segment = c_.segments.back();
    Section section;
    section.sectname = MakeName16(name);
    section.segname = segment.segname;
    section.addr = segment.vmaddr;
    if (segment.nsects != 0) {
      const Section& before = c_.sections.back();
      section.addr = RoundUp(before.addr + before.size, uint64_t{1} << align);
    }
    section.size = size;
    section.align = align;
    section.flags = flags;
    ++segment.nsects;
    c_.sections.push_back(std::move(section));
    return c_.sections.back();
  }

  void AddExtra(ExtraSegment& extra) {
    const uint64_t size = extra.data.empty() ? extra.size : extra.data.size();
    AddSegment(extra.segname, size, extra.data.empty() ? kReadWrite : kRead, 0);
    Section& section = AddSection(extra.sectname, 14, extra.section_flags, size);
    section.in_file = !extra.data.empty();
    if (section.in_file) section.data = c_.Own(std::move(extra.data));
  }

  void AddWindows() {
    for (const TensorSpec& tensor : spec_.tensors) {
      const uint64_t size = tensor.shape[0] * tensor.strides[0];
      AddSegment("__FVMLIB", size, tensor.output ? kWrite : kRead, kWindowFlags);
      AddSection(tensor.output ? "__data" : "__const", 14,
                 tensor.output ? kOutputSection : kInputSection, size);
      windows_.push_back(c_.sections.size());
    }
  }

  Status AddText() {
    const uint64_t text_size = spec_.tasks.size;
    Bytes kernels;
    ANECHECK_RETURN_IF_ERROR(LayTiles(kernels));
    Bytes constants = std::move(spec_.constants);
    if (!spec_.kernel_data.empty()) kernels = std::move(spec_.kernel_data);
    if (!spec_.kernel_segment && !kernels.empty()) constants.swap(kernels);
    AddConstantRelocations();
    const uint64_t const_size = std::max<uint64_t>(spec_.const_size, constants.size());
    const uint64_t const_at = RoundUp(text_size, kTile);
    const bool zero_const = constants.empty();
    AddSegment("__TEXT", const_size == 0 ? text_size : const_at + const_size, kReadExecute,
               zero_const ? kZeroConstFlags : 0);
    const size_t text = c_.sections.size();
    AddSection("__text", 14, kTextSection, text_size);
    if (const_size != 0) {
      constants.resize(const_size);
      const_section_ = AddData("__const", std::move(constants));
      if (!spec_.kernel_segment) kernel_section_ = const_section_;
    }
    if (spec_.kernel_segment && !kernels.empty()) {
      AddSegment("__KERN_0", kernels.size(), kRead, 0);
      kernel_section_ = AddData("__kern_0", std::move(kernels));
    }
    return FinishText(text);
  }

  void AddConstantRelocations() {
    for (const ConstantRegister& at : spec_.constant_registers) {
      const td::Task& task = spec_.tasks.tasks[at.task];
      const auto place = PlaceOf(spec_.tasks, task, at.address);
      relocations_.push_back(static_cast<int32_t>(task.offset + place->byte));
    }
  }

  // Adds a section with these bytes and returns its number.
  size_t AddData(std::string_view name, Bytes data) {
    Section& section = AddSection(name, 6, kConstSection, data.size());
    section.in_file = true;
    section.data = c_.Own(std::move(data));
    return c_.sections.size();
  }

  // Appends the tiles one after another and sets the tasks' coefficient bases to their offsets.
  Status LayTiles(Bytes& kernels) {
    for (KernelSpec& kernel : spec_.kernels) {
      for (size_t lane = 0; lane < kernel.tiles.size(); ++lane) {
        tile_offsets_.push_back(kernels.size());
        ANECHECK_RETURN_IF_ERROR(SetCoefficient(kernel, lane, kernels.size()));
        const Bytes& tile = kernel.tiles[lane];
        kernels.insert(kernels.end(), tile.begin(), tile.end());
        kernels.resize(RoundUp(kernels.size(), kTile));
      }
    }
    return {};
  }

  // Does nothing for other versions than 7, whose registers with coefficient bases are unknown.
  Status SetCoefficient(const KernelSpec& kernel, size_t lane, uint64_t offset) {
    if (spec_.tasks.generation->version != 7) return {};
    td::Task& task = spec_.tasks.tasks[kernel.task];
    const uint32_t step = 4 * static_cast<uint32_t>(lane);
    const auto base = PlaceOf(spec_.tasks, task, kCoefficientBase0 + step);
    const auto config = PlaceOf(spec_.tasks, task, kCoefficientConfig0 + step);
    if (!base || !config) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("kernel {}: task {} does not write coefficient base {}",
                                   kernel.name, kernel.task, lane));
    }
    task.values[base->value] = static_cast<uint32_t>(offset);
    task.values[config->value] |= 1;
    relocations_.push_back(static_cast<int32_t>(task.offset + base->byte));
    return {};
  }

  Status FinishText(size_t index) {
    ANECHECK_ASSIGN(Bytes text, td::Encode(spec_.tasks));
    Section& section = c_.sections[index];
    section.in_file = true;
    section.data = c_.Own(std::move(text));
    section.tasks = std::make_unique<td::Chain>(std::move(spec_.tasks));
    for (const int32_t address : relocations_) {
      section.relocations.push_back({.address = address,
                                     .symbolnum = static_cast<uint32_t>(kernel_section_),
                                     .pc_relative = true,
                                     .length = 2});
    }
    if (!relocations_.empty()) section.flags |= kHasRelocations;
    text_section_ = index + 1;
    return {};
  }

  void AddPorts() {
    const uint32_t cmd = spec_.wide_ports ? kPortCommand : kShortPortCommand;
    for (size_t i = 0; i < spec_.tensors.size(); ++i) {
      AddCommand(cmd, c_.ports.size());
      c_.ports.push_back(
          {.vmaddr = c_.sections[windows_[i] - 1].addr, .name = c_.OwnText(spec_.tensors[i].name)});
    }
  }

  void AddThreads() {
    AddApertureTable();
    for (const TensorSpec& tensor : spec_.tensors) AddTensor(tensor);
  }

  void AddApertureTable() {
    Thread thread;
    thread.flavor = kHeaderFlavor;
    thread.words.resize(spec_.wide_ports ? kHeaderCountNew : kHeaderCountOld);
    thread.names = {c_.OwnText(spec_.procedure)};
    const uint64_t text = c_.sections[text_section_ - 1].addr;
    SetPair(thread, 2 * kTextSlot, text);
    SetPair(thread, kTextAddressWord, text);
    if (const_section_ != 0) {
      SetPair(thread, 2 * kConstSlot * spec_.slot_step, c_.sections[const_section_ - 1].addr);
    }
    for (const Section& section : c_.sections) {
      if (KindOf(section) == kBssSection)
        SetPair(thread, 2 * kBssSlot * spec_.slot_step, section.addr);
    }
    // Compilers 4 and 5 put outputs before inputs, later compilers after inputs (facts/hwx.md).
    std::vector<size_t> order;
    for (const bool outputs : {!spec_.wide_ports, spec_.wide_ports}) {
      for (size_t i = 0; i < spec_.tensors.size(); ++i) {
        if (spec_.tensors[i].output == outputs) order.push_back(i);
      }
    }
    if (spec_.slots_in_order) std::ranges::sort(order);
    if (spec_.slots_by_name) {
      std::ranges::sort(order, {}, [&](size_t i) { return spec_.tensors[i].name; });
    }
    uint32_t slot = spec_.first_tensor_slot;
    for (const size_t i : order) {
      SetPair(thread, 2 * slot++ * spec_.slot_step, c_.sections[windows_[i] - 1].addr);
    }
    if (spec_.kernel_segment && kernel_section_ != 0) {
      // From H16 on, the slot of the kernels follows the last tensor (header_forms.md, 4).
      const uint32_t kernels = spec_.slots_by_name ? slot * spec_.slot_step : kKernelSlot;
      SetPair(thread, 2 * kernels, c_.sections[kernel_section_ - 1].addr);
    }
    thread.words[517] = 0xffff;  // in all nine real files that were examined; no source explains it
    AddCommand(kThreadCommand, c_.threads.size());
    c_.threads.push_back(std::move(thread));
  }

  void AddTensor(const TensorSpec& tensor) {
    Thread thread;
    thread.flavor = kTensorFlavor;
    thread.words.resize(spec_.long_tensors ? kTensorCountNew : kTensorCountOld);
    thread.names = {c_.OwnText(spec_.procedure), c_.OwnText(tensor.name), c_.OwnText(tensor.name)};
    // Words 0 and 26 are 3 and 1 in all nine examined real files. No source explains them.
    thread.words[0] = 3;
    thread.words[26] = 1;
    thread.words[kDirectionWord] = tensor.output ? kOutput : kInput;
    thread.words[kElementTypeWord] = tensor.element_type;
    thread.words[kShapeWord + 4] = 1;
    uint64_t extent = tensor.strides[3];
    for (uint32_t i = 0; i < 4; ++i) {
      thread.words[kShapeWord + i] = tensor.shape[i];
      SetPair(thread, kStrideWord + 2 * i, tensor.strides[i]);
      extent += (std::max(tensor.shape[i], 1u) - 1) * tensor.strides[i];
    }
    const uint64_t size = tensor.shape[0] * tensor.strides[0];
    SetPair(thread, kByteSizeWord, size);
    SetPair(thread, kByteExtentWord, tensor.output ? extent : size);
    AddCommand(kThreadCommand, c_.threads.size());
    c_.threads.push_back(std::move(thread));
  }

  void AddBanner() {
    AddCommand(kBuildInfoCommand, 0);
    c_.build_infos.push_back({c_.OwnText(
        MakeBanner(spec_.compiler_name, spec_.compiler, spec_.options, spec_.modules))});
    if (!spec_.source_note) return;
    const std::string& text = *spec_.source_note;
    AddCommand(kNoteCommand, 0);
    c_.notes.push_back({.owner = MakeName16("src model info"),
                        .size = text.size(),
                        .data = c_.Own(Bytes(text.begin(), text.end()))});
  }

  void AddSymbol(const std::string& name, uint8_t type, size_t section, uint16_t desc,
                 uint64_t value) {
    c_.symtabs.back().symbols.push_back({.name = c_.OwnText(name),
                                         .value = value,
                                         .desc = desc,
                                         .type = type,
                                         .sect = static_cast<uint8_t>(section)});
  }

  void AddSymbols() {
    c_.symtabs.push_back({.strings_in_order = true});
    AddTiles();
    for (size_t i = 0; i < spec_.tensors.size(); ++i) {
      const TensorSpec& tensor = spec_.tensors[i];
      AddSymbol(tensor.name, kPlaceSymbol, windows_[i], tensor.output ? 0 : 2,
                c_.sections[windows_[i] - 1].addr);
    }
    for (const std::string_view entry : stabs::Catalog(spec_.catalog)) {
      AddSymbol(std::string(entry), kTypeStabSymbol, 0, 0, 0);
    }
    uint32_t id = static_cast<uint32_t>(spec_.catalog) + 1;
    for (const TensorSpec& tensor : spec_.tensors) {
      stabs::TensorStab stab{
          .name = tensor.name, .id = id, .axis_count = 4, .element_type = tensor.element_type};
      for (uint32_t i = 0; i < 4; ++i) {
        stab.axes[i] = {.extent = tensor.shape[i],
                        .id = id + 1 + i,
                        .stride = tensor.strides[i],
                        .axis = "nchw"[i]};
      }
      AddSymbol(stabs::Print(stab), kTensorStabSymbol, 0, static_cast<uint16_t>(id % 32), 0);
      id += 5;
    }
  }

  void AddTiles() {
    if (kernel_section_ == 0) return;
    const Section& section = c_.sections[kernel_section_ - 1];
    for (const ConstantSymbol& symbol : spec_.constant_symbols) {
      AddSymbol(symbol.name, kPlaceSymbol, kernel_section_, 2, section.addr + symbol.offset);
    }
    size_t tile = 0;
    for (const KernelSpec& kernel : spec_.kernels) {
      for (size_t lane = 0; lane < kernel.tiles.size(); ++lane) {
        AddSymbol(kernel.table ? kernel.name : fmt::format("{}_ne_{}", kernel.name, lane),
                  kPlaceSymbol, kernel_section_, 2, section.addr + tile_offsets_[tile++]);
      }
      for (size_t lane = kernel.tiles.size(); lane < kernel.lanes; ++lane) {
        AddSymbol(fmt::format("{}_ne_{}", kernel.name, lane), kPlaceSymbol, kernel_section_, 0,
                  section.addr + section.size);
      }
    }
  }

  // Places the contents of segments in the file, from the first page after the commands, symbols,
  // strings and relocations.
  void PlaceInFile() {
    Layout(c_);
    uint64_t end = c_.symtabs.front().stroff + uint64_t{c_.symtabs.front().strsize};
    for (const Section& section : c_.sections) {
      end = std::max<uint64_t>(end, section.reloff + 8 * section.relocations.size());
    }
    for (Note& note : c_.notes) {
      note.offset = RoundUp(end, 8);
      end = note.offset + note.size;
    }
    uint64_t offset = RoundUp(end, kPage);
    for (Segment& segment : c_.segments) {
      const auto sections = c_.SectionsOf(segment);
      const bool filed = std::any_of(sections.begin(), sections.end(),
                                     [](const Section& section) { return section.in_file; });
      if (!filed) continue;
      segment.fileoff = offset;
      segment.filesize = segment.vmsize;
      offset += segment.filesize;
    }
    Layout(c_);
    uint64_t at = kHeaderSize;
    for (const Command& command : c_.commands) {
      if (command.cmd == kSegmentCommand) {
        const Segment& segment = c_.segments[command.index];
        for (uint32_t i = 0; i < segment.nsects; ++i) {
          c_.sections[segment.first_section + i].record_offset =
              at + kCommandHead + kSegmentRecord.kSize + kSectionRecord.kSize * i;
        }
      }
      at += command.cmdsize;
    }
  }

  ContainerSpec spec_;
  Container c_;
  uint64_t next_address_ = spec_.base;
  std::vector<size_t> windows_;  // section numbers, one per tensor
  std::vector<uint64_t> tile_offsets_;
  std::vector<int32_t> relocations_;
  size_t text_section_ = 0;
  size_t const_section_ = 0;
  size_t kernel_section_ = 0;
};

}  // namespace

std::array<uint64_t, 4> PackedStrides(const std::array<uint32_t, 4>& shape,
                                      uint64_t element_bytes) {
  const uint64_t row = RoundUp(shape[3] * element_bytes, kTile);
  const uint64_t plane = row * shape[2];
  return {plane * shape[1], plane, row, element_bytes};
}

Result<Container> Build(ContainerSpec spec) { return Builder(std::move(spec)).Run(); }

Result<Bytes> BuildBytes(ContainerSpec spec) {
  ANECHECK_ASSIGN(const Container container, Build(std::move(spec)));
  return Write(container);
}

}  // namespace anecheck::hwx
