#include "harness/formats/hwx/verify.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "harness/base/little_endian.h"
#include "harness/formats/hwx/banner.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/relocate.h"
#include "harness/formats/hwx/rules.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/message.h"
#include "harness/formats/stabs/stabs.h"
#include "harness/formats/td/json_fields.h"
#include "harness/formats/violation_list.h"

namespace anecheck::hwx {
namespace {

constexpr uint32_t kH13Subtype = 4;  // of all real files

std::string Quote(std::string_view text) { return fmt::format("'{}'", Shown(text)); }

class Verifier {
 public:
  explicit Verifier(const Container& container) : c_(container) {}

  std::vector<Violation> Run() {
    CheckHeader();
    CheckCommands();
    CheckCounts();
    CheckSegments();
    CheckPorts();
    for (const Command& command : c_.commands) {
      if (command.opaque || command.cmd != kThreadCommand) continue;
      CheckThread(c_.threads[command.index], command.offset);
    }
    for (const Symtab& table : c_.symtabs) CheckSymbols(table);
    for (size_t i = 0; i < c_.sections.size(); ++i) CheckContent(i);
    CheckTensors();
    CheckBanners();
    for (const Region& region : c_.regions) {
      Report(
          kUnclaimedBytes, region.offset,
          fmt::format("{} bytes at 0x{:x} belong to no record", region.data.size(), region.offset));
    }
    return std::move(violations_).Take();
  }

 private:
  void Report(RuleIndex rule, uint64_t offset, std::string_view message) {
    violations_.Add(Rules()[rule], offset, "{} at 0x{:x}: {}", Rules()[rule].id, offset, message);
  }

  void CheckHeader() {
    const Header& header = c_.header;
    if (header.cputype != 0x80) {
      Report(kHeaderCputype, 4, fmt::format("header.cputype is 0x{:x}", header.cputype));
    }
    if (FamilyOfSubtype(header.cpusubtype).empty()) {
      Report(
          kHeaderCpusubtype, 8,
          fmt::format("cpusubtype {} is of no known generation, its task descriptors are kept as "
                      "bytes",
                      header.cpusubtype));
    }
    if (header.filetype != 2) {
      Report(kHeaderFiletype, 12, fmt::format("header.filetype is {}", header.filetype));
    }
    if (header.flags != 0x200000) {
      Report(kHeaderFlags, 24, fmt::format("header.flags is 0x{:x}", header.flags));
    }
    uint64_t sum = 0;
    for (const Command& command : c_.commands) sum += command.cmdsize;
    if (header.sizeofcmds != sum) {
      Report(kHeaderSizeofcmds, 20,
             fmt::format("header.sizeofcmds is 0x{:x}, the commands take 0x{:x}", header.sizeofcmds,
                         sum));
    }
  }

  void CheckCommands() {
    for (size_t i = 0; i < c_.commands.size(); ++i) {
      const Command& command = c_.commands[i];
      if (command.cmdsize % 8 != 0) {
        Report(kCommandAligned, command.offset + 4,
               fmt::format("command[{}].cmdsize is 0x{:x}", i, command.cmdsize));
      }
      if (!command.trailing.empty()) {
        Report(
            kCommandTrailing, command.offset,
            fmt::format("command[{}] has {} bytes behind its record", i, command.trailing.size()));
      }
      if (!command.opaque) continue;
      const std::string_view reason = c_.opaque_commands[command.index].reason;
      const RuleIndex rule = reason.empty()         ? kCommandKnown
                             : reason == kNoteShape ? kNoteKnown
                                                    : kCommandShape;
      Report(rule, command.offset,
             fmt::format("command[{}] (0x{:x}): {}", i, command.cmd,
                         reason.empty() ? "unknown id" : reason));
    }
  }

  void CheckCounts() {
    if (c_.symtabs.size() != 1) {
      Report(kOneSymtab, kHeaderSize, fmt::format("{} symbol tables", c_.symtabs.size()));
    }
    if (c_.build_infos.size() != 1) {
      Report(kOneBuildInfo, kHeaderSize, fmt::format("{} banners", c_.build_infos.size()));
    }
    const bool table = std::any_of(c_.threads.begin(), c_.threads.end(), IsApertureTable);
    if (!table)
      Report(Aperture(kApertureTable), kHeaderSize, "no thread command has the aperture table");
    const bool text = std::any_of(c_.sections.begin(), c_.sections.end(),
                                  [](const Section& s) { return TextOf(s.sectname) == "__text"; });
    if (!text) Report(kTextSectionPresent, kHeaderSize, "no section is named __text");
  }

  void CheckSegments() {
    struct Extent {
      uint64_t begin;
      uint64_t size;
      uint64_t offset;
      std::string_view name;
    };
    std::vector<Extent> extents;
    for (const Command& command : c_.commands) {
      if (command.opaque || command.cmd != kSegmentCommand) continue;
      const Segment& segment = c_.segments[command.index];
      const uint64_t at = command.offset;
      const std::string name = Quote(TextOf(segment.segname));
      if (segment.vmaddr % kPage != 0 || segment.vmsize % kPage != 0) {
        Report(kSegmentPage, at + 24,
               fmt::format("segment {} is 0x{:x} + 0x{:x}", name, segment.vmaddr, segment.vmsize));
      }
      if (segment.filesize > segment.vmsize) {
        Report(kSegmentFileInMemory, at + 48,
               fmt::format("segment {} has 0x{:x} bytes for 0x{:x} of memory", name,
                           segment.filesize, segment.vmsize));
      }
      if (segment.vmsize != 0) {
        extents.push_back({segment.vmaddr, segment.vmsize, at + 24, TextOf(segment.segname)});
      }
      CheckSections(segment, at);
    }
    std::sort(extents.begin(), extents.end(),
              [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
    for (size_t i = 1; i < extents.size(); ++i) {
      if (extents[i].begin - extents[i - 1].begin >= extents[i - 1].size) continue;
      Report(kSegmentsDisjoint, extents[i].offset,
             fmt::format("segment {} at 0x{:x} begins in {}", Quote(extents[i].name),
                         extents[i].begin, Quote(extents[i - 1].name)));
    }
  }

  void CheckSections(const Segment& segment, uint64_t at) {
    std::vector<const Section*> by_address;
    for (const Section& section : c_.SectionsOf(segment)) {
      CheckSection(segment, section, at);
      if (section.size != 0) by_address.push_back(&section);
    }
    std::sort(by_address.begin(), by_address.end(),
              [](const Section* a, const Section* b) { return a->addr < b->addr; });
    for (size_t i = 1; i < by_address.size(); ++i) {
      const Section& first = *by_address[i - 1];
      const Section& second = *by_address[i];
      if (second.addr - first.addr >= first.size) continue;
      Report(kSectionsDisjoint, second.record_offset + 32,
             fmt::format("section {} at 0x{:x} begins in {}", Quote(TextOf(second.sectname)),
                         second.addr, Quote(TextOf(first.sectname))));
    }
  }

  void CheckSection(const Segment& segment, const Section& section, uint64_t at) {
    const uint64_t record = section.record_offset;
    const std::string name = Quote(TextOf(section.sectname));
    const bool inside = section.addr >= segment.vmaddr && section.size <= segment.vmsize &&
                        section.addr - segment.vmaddr <= segment.vmsize - section.size;
    if (!inside) {
      Report(kSectionInsideSegment, record + 32,
             fmt::format("section {} is 0x{:x} + 0x{:x}, its segment 0x{:x} + 0x{:x}", name,
                         section.addr, section.size, segment.vmaddr, segment.vmsize));
    }
    const uint64_t expected =
        section.in_file ? segment.fileoff + (section.addr - segment.vmaddr) : 0;
    if (inside && section.offset != expected) {
      Report(kSectionFileOffset, record + 48,
             fmt::format("section {} has offset 0x{:x}, expected 0x{:x}", name, section.offset,
                         expected));
    }
    if (section.segname != segment.segname) {
      Report(kSectionSegname, record + 16,
             fmt::format("section {} names segment {}", name, Quote(TextOf(section.segname))));
    }
    if (section.align >= 64 || section.addr % (uint64_t{1} << section.align) != 0) {
      Report(kSectionAligned, record + 52,
             fmt::format("section {} at 0x{:x} is aligned to 2^{}", name, section.addr,
                         section.align));
    }
    if (SectionKindName(section.flags).empty()) {
      Report(kSectionKindKnown, record + 64,
             fmt::format("section {} has flags 0x{:x}", name, section.flags));
    }
    if (((section.flags & kHasRelocations) != 0) != (section.nreloc != 0)) {
      Report(kSectionRelocationFlag, record + 64,
             fmt::format("section {} has flags 0x{:x} and {} relocations", name, section.flags,
                         section.nreloc));
    }
    const bool empty_kind = IsWindow(section) || KindOf(section) == kBssSection;
    if (empty_kind && (segment.fileoff != 0 || segment.filesize != 0)) {
      Report(kWindowWithoutFile, at + 40,
             fmt::format("section {} has no bytes, its segment 0x{:x} + 0x{:x} of the file", name,
                         segment.fileoff, segment.filesize));
    }
    if (IsWindow(section)) windows_.emplace(section.addr, &section);
  }

  void CheckPorts() {
    std::set<std::string_view> names;
    uint32_t first_kind = 0;
    std::set<uint64_t> bound;
    for (const Command& command : c_.commands) {
      if (command.opaque || (command.cmd != kPortCommand && command.cmd != kShortPortCommand)) {
        continue;
      }
      const Port& port = c_.ports[command.index];
      const std::string name = Quote(port.name);
      if (port.name.empty() || !names.insert(port.name).second) {
        Report(kPortNameUnique, command.offset + port.name_offset,
               fmt::format("port {} {}", name, port.name.empty() ? "has no name" : "stands twice"));
      }
      if (port.byte_size) {
        cut_names_ = true;
        Report(kPortForm, command.offset + 8,
               fmt::format("port {} begins with 0x{:x}, which is no name offset", name,
                           *port.byte_size));
      }
      if (first_kind == 0) first_kind = command.cmd;
      if (command.cmd != first_kind) {
        Report(kPortKinds, command.offset,
               fmt::format("port {} is a command 0x{:02x}, others are not", name, command.cmd));
      }
      const auto window = windows_.find(port.vmaddr);
      if (window == windows_.end()) {
        Report(kPortWindow, command.offset + 16,
               fmt::format("port {} is at 0x{:x}, where no window begins", name, port.vmaddr));
      } else {
        ports_[port.name] = window->second;
      }
      bound.insert(port.vmaddr);
    }
    for (const auto& [address, section] : windows_) {
      if (bound.contains(address)) continue;
      Report(kWindowPort, section->record_offset + 32,
             fmt::format("the window at 0x{:x} has no port", address));
    }
  }

  void CheckThread(const Thread& thread, uint64_t at) {
    if (!IsApertureTable(thread)) return;
    const auto word = [at](uint32_t index) { return at + 16 + 4ull * index; };
    const Section* text = c_.FindSection("__text");
    if (text != nullptr && !SlotHolds(thread, kTextSlot, text->addr)) {
      Report(Aperture(kApertureText), word(2 * kTextSlot),
             fmt::format("base slot 0 is 0x{:x}, __text is at 0x{:x}", Pair(thread, 2 * kTextSlot),
                         text->addr));
    }
    CheckConstSlot(thread, word(2 * kConstSlot));
    CheckIoSlots(thread, word(2 * kFirstIoSlot));
    if (text != nullptr) CheckProcedure(thread, *text, at + 16);
  }

  // The table is known of H13; what later generations keep of it is assumed.
  RuleIndex Aperture(RuleIndex of_h13) const {
    return c_.header.cpusubtype == kH13Subtype ? of_h13 : kLaterAperture;
  }

  // Public notes give slots of 16 bytes from H14 on, files of H13 have 8.
  bool SlotHolds(const Thread& thread, uint32_t slot, uint64_t address) const {
    if (Pair(thread, 2 * slot) == address) return true;
    return c_.header.cpusubtype != kH13Subtype && 4 * slot + 1 < thread.words.size() &&
           Pair(thread, 4 * slot) == address;
  }

  void CheckIoSlots(const Thread& thread, uint64_t at) {
    std::set<uint64_t> slots;
    for (uint32_t i = kFirstIoSlot; i < kBaseSlots; ++i) {
      slots.insert(Pair(thread, 2 * i));
      if (c_.header.cpusubtype != kH13Subtype && 4 * i + 1 < thread.words.size()) {
        slots.insert(Pair(thread, 4 * i));
      }
    }
    // One report a table: a file may have as many windows as tables have slots.
    uint64_t missing = 0;
    uint64_t first = 0;
    for (const auto& [window, section] : windows_) {
      if (slots.contains(window)) continue;
      if (missing++ == 0) first = window;
    }
    if (missing == 0) return;
    Report(Aperture(kApertureIo), at,
           fmt::format("no base slot holds the window at 0x{:x}{}", first,
                       missing == 1 ? "" : fmt::format(" and {} others", missing - 1)));
  }

  // How several procedures share a text section is not known; their tables are not compared.
  void CheckProcedure(const Thread& thread, const Section& text, uint64_t words) {
    if (std::count_if(c_.threads.begin(), c_.threads.end(), IsApertureTable) != 1) return;
    const uint64_t address = Pair(thread, kTextAddressWord);
    if (address != text.addr) {
      Report(Aperture(kApertureText), words + 4 * kTextAddressWord,
             fmt::format("word 512 is 0x{:x}, __text is at 0x{:x}", address, text.addr));
    }
    if (text.tasks == nullptr) return;
    const td::Chain& chain = *text.tasks;
    if (thread.words[kTaskCountWord] != chain.tasks.size()) {
      Report(Aperture(kTaskCount), words + 4 * kTaskCountWord,
             fmt::format("word 515 is {}, the chain has {} tasks", thread.words[kTaskCountWord],
                         chain.tasks.size()));
    }
    const uint32_t first = chain.tasks.front().size / 4 - 1;
    if (thread.words[kFirstTaskWordsWord] != first) {
      Report(Aperture(kFirstTaskWords), words + 4 * kFirstTaskWordsWord,
             fmt::format("word 514 is {}, expected {}", thread.words[kFirstTaskWordsWord], first));
    }
  }

  void CheckConstSlot(const Thread& thread, uint64_t at) {
    for (const Section& section : c_.sections) {
      if (TextOf(section.segname) != "__TEXT" || TextOf(section.sectname) != "__const") continue;
      if (!SlotHolds(thread, kConstSlot, section.addr)) {
        Report(Aperture(kApertureConst), at,
               fmt::format("base slot 1 is 0x{:x}, __const is at 0x{:x}",
                           Pair(thread, 2 * kConstSlot), section.addr));
      }
      return;
    }
  }

  void CheckSymbols(const Symtab& table) {
    uint32_t types = 0;
    for (size_t i = 0; i < table.symbols.size(); ++i) {
      const Symbol& symbol = table.symbols[i];
      const uint64_t at = table.symoff + 16 * i;
      switch (symbol.type) {
        case kPlaceSymbol:
          CheckPlace(symbol, at);
          continue;
        case kTypeStabSymbol:
          CheckTypeStab(symbol, at, types);
          break;
        case kTensorStabSymbol:
          CheckTensorStab(symbol, at);
          break;
        // Of a section and not seen outside of it (N_SECT of Mach-O without N_EXT): compilers
        // after 4.2.1.
        case 0x0e:
          continue;
        default:
          Report(kSymbolType, at + 4,
                 fmt::format("symbol {} has type 0x{:x}", Quote(symbol.name), symbol.type));
          continue;
      }
      if (symbol.sect != 0) {
        Report(kSymbolSection, at + 5,
               fmt::format("stab {} names section {}", Quote(symbol.name), symbol.sect));
      }
    }
  }

  void CheckPlace(const Symbol& symbol, uint64_t at) {
    if (symbol.sect == 0 || symbol.sect > c_.sections.size()) {
      Report(kSymbolSection, at + 5,
             fmt::format("symbol {} names section {} of {}", Quote(symbol.name), symbol.sect,
                         c_.sections.size()));
      return;
    }
    const Section& section = c_.sections[symbol.sect - 1];
    if (symbol.value < section.addr || symbol.value - section.addr > section.size) {
      Report(kSymbolInSection, at + 8,
             fmt::format("symbol {} is at 0x{:x}, its section 0x{:x} + 0x{:x}", Quote(symbol.name),
                         symbol.value, section.addr, section.size));
      return;
    }
    if (IsKernelSection(section)) CheckTile(symbol, section, at);
  }

  void CheckTile(const Symbol& symbol, const Section& section, uint64_t at) {
    const uint64_t offset = symbol.value - section.addr;
    const bool sentinel = offset == section.size;
    if (offset % kTile != 0) {
      Report(kTileAligned, at + 8,
             fmt::format("tile {} is 0x{:x} bytes into its section", Quote(symbol.name), offset));
    }
    if (symbol.desc != (sentinel ? 0 : 2)) {
      Report(kTileDesc, at + 6,
             fmt::format("tile {} has n_desc {} and is {}", Quote(symbol.name), symbol.desc,
                         sentinel ? "a sentinel" : "live"));
    }
    tile_offsets_[symbol.sect].insert(offset);
    const size_t mark = symbol.name.rfind("_ne_");
    if (mark == std::string_view::npos) return;
    uint32_t& next = lanes_[symbol.name.substr(0, mark)];
    if (symbol.name.substr(mark + 4) != fmt::format("{}", next)) {
      Report(kTileLanes, at, fmt::format("tile {} is not lane {}", Quote(symbol.name), next));
    }
    ++next;
  }

  void CheckTypeStab(const Symbol& symbol, uint64_t at, uint32_t& types) {
    const auto stab = stabs::ParseType(symbol.name);
    ++types;
    const std::optional<uint32_t> id = stab ? stab->id : stabs::OddTypeId(symbol.name);
    if (!id) {
      Report(kStabShape, at, fmt::format("type stab {}", Quote(symbol.name)));
      return;
    }
    if (*id != types) {
      Report(kCatalogOrder, at,
             fmt::format("type stab {} is number {}", Quote(symbol.name), types));
    }
    if (symbol.desc != 0) {
      Report(kStabDesc, at + 6,
             fmt::format("type stab {} has n_desc {}", Quote(symbol.name), symbol.desc));
    }
    catalog_.insert(*id);
  }

  void CheckTensorStab(const Symbol& symbol, uint64_t at) {
    const auto stab = stabs::ParseTensor(symbol.name);
    if (!stab) {
      Report(kStabShape, at, fmt::format("tensor stab {}", Quote(symbol.name)));
      return;
    }
    if (symbol.desc != stab->id % 32) {
      Report(kStabDesc, at + 6,
             fmt::format("tensor stab {} has n_desc {}, expected {}", Quote(symbol.name),
                         symbol.desc, stab->id % 32));
    }
    frames_.emplace(stab->name, *stab);
  }

  void CheckContent(size_t index) {
    const Section& section = c_.sections[index];
    // A generation whose coding is not known is no fault of the file; header-cpusubtype names it.
    if (section.tasks_error && section.tasks_error->code != ErrorCode::kUnsupported) {
      const uint64_t at = section.tasks_error->offset;
      Report(kTextDecodes, at == Error::kNoOffset ? section.offset : at,
             section.tasks_error->message);
    }
    if (section.tasks != nullptr) td::VerifyChain(*section.tasks, section.offset, violations_);
    for (size_t i = 0; i < section.relocations.size(); ++i) {
      CheckRelocation(section, section.relocations[i], section.reloff + 8 * i);
    }
  }

  void CheckRelocation(const Section& section, const Relocation& relocation, uint64_t at) {
    const int64_t address = relocation.address;
    if (address < 0 || address % 4 != 0 || section.size < 4 ||
        static_cast<uint64_t>(address) > section.size - 4) {
      Report(kRelocationInside, at,
             fmt::format("a relocation at 0x{:x} of a section of 0x{:x} bytes", address,
                         section.size));
      return;
    }
    const bool against_kernel = relocation.symbolnum != 0 &&
                                relocation.symbolnum <= c_.sections.size() &&
                                IsKernelSection(c_.sections[relocation.symbolnum - 1]);
    if (!relocation.pc_relative || relocation.length != 2 || relocation.external ||
        relocation.type != 0 || !against_kernel) {
      Report(kRelocationKind, at + 4,
             fmt::format("a relocation at 0x{:x} with info 0x{:x}", address,
                         RelocationInfo(relocation)));
      return;
    }
    if (section.tasks == nullptr) return;
    if (section.tasks->generation->version == 7 && !IsCoefficientBase(*section.tasks, address)) {
      Report(kRelocationRegister, at,
             fmt::format("a relocation at 0x{:x} is at no coefficient base", address));
      return;
    }
    const uint32_t offset = LoadU32(section.data.data() + address);
    if (!tile_offsets_[relocation.symbolnum].contains(offset)) {
      Report(kRelocationTile, section.offset + static_cast<uint64_t>(address),
             fmt::format("the word at 0x{:x} is 0x{:x}, where no tile begins", address, offset));
    }
  }

  void CheckTensors() {
    for (const Command& command : c_.commands) {
      if (command.opaque || command.cmd != kThreadCommand) continue;
      const Thread& thread = c_.threads[command.index];
      if (IsTensor(thread)) CheckTensor(TensorOf(thread), command.offset + 16);
    }
  }

  // Compilers after 4.2.1 call an output "probs@output" and its port and stab "probs" (containers
  // of 7.6.4 and 9.509).
  static std::string_view WithoutDirection(std::string_view tensor) {
    constexpr std::string_view kOfOutput = "@output";
    if (tensor.ends_with(kOfOutput)) tensor.remove_suffix(kOfOutput.size());
    return tensor;
  }

  const Section* WindowOf(std::string_view tensor) const {
    auto port = ports_.find(tensor);
    if (port == ports_.end()) port = ports_.find(WithoutDirection(tensor));
    // The specification's port record has room for eight bytes of a name.
    if (port == ports_.end() && cut_names_) port = ports_.find(tensor.substr(0, 8));
    return port == ports_.end() ? nullptr : port->second;
  }

  void CheckTensor(const TensorRecord& tensor, uint64_t words) {
    const std::string name = Quote(tensor.name);
    const Section* window = WindowOf(tensor.name);
    if (window == nullptr) {
      Report(kTensorPort, words + 4 * kTensorNameWord, fmt::format("tensor {} has no port", name));
    } else {
      CheckTensorWindow(tensor, *window, words);
    }
    if (!catalog_.contains(tensor.element_type)) {
      Report(kTensorElement, words + 4 * kElementTypeWord,
             fmt::format("tensor {} is of type {}, which the catalog lacks", name,
                         tensor.element_type));
    }
    auto frame = frames_.find(tensor.name);
    if (frame == frames_.end()) frame = frames_.find(WithoutDirection(tensor.name));
    if (frame == frames_.end()) {
      Report(kTensorStab, words, fmt::format("tensor {} has no stab", name));
      return;
    }
    if (frame->second.element_type != tensor.element_type) {
      Report(kTensorStab, words + 4 * kElementTypeWord,
             fmt::format("tensor {} is of type {}, its stab of {}", name, tensor.element_type,
                         frame->second.element_type));
    }
    constexpr std::string_view kAxes = "nchw";
    for (uint32_t i = 0; i < kAxes.size(); ++i) {
      const stabs::Axis* axis = frame->second.Find(kAxes[i]);
      if (axis != nullptr && axis->stride == tensor.strides[i] &&
          axis->extent == int64_t{tensor.shape[i]}) {
        continue;
      }
      Report(kTensorStab, words + 4 * (kShapeWord + i),
             fmt::format("tensor {} has {} {} elements {} bytes apart, its stab says otherwise",
                         name, kAxes[i], tensor.shape[i], tensor.strides[i]));
    }
  }

  void CheckTensorWindow(const TensorRecord& tensor, const Section& window, uint64_t words) {
    const std::string name = Quote(tensor.name);
    const uint32_t expected = KindOf(window) == kInputSection ? kInput : kOutput;
    if (tensor.direction != expected) {
      Report(kTensorDirection, words + 4 * kDirectionWord,
             fmt::format("tensor {} has direction {}, its window {}", name, tensor.direction,
                         expected));
    }
    const uint64_t batch = tensor.shape[0];
    if (batch != 0 && tensor.strides[0] > window.size / batch) {
      Report(kTensorFitsWindow, words + 4 * kStrideWord,
             fmt::format("tensor {} takes {} times 0x{:x} bytes, its window 0x{:x}", name, batch,
                         tensor.strides[0], window.size));
    }
  }

  void CheckBanners() {
    for (const Command& command : c_.commands) {
      if (command.opaque || command.cmd != kBuildInfoCommand) continue;
      const Banner banner = ParseBanner(c_.build_infos[command.index].text);
      const uint64_t at = command.offset + 8;
      if (banner.format != "ANEC v1" || banner.compiler.empty() || banner.version.empty()) {
        Report(kBannerFormat, at,
               fmt::format("the banner begins with {} {}", Quote(banner.format),
                           Quote(banner.compiler)));
      }
      const std::string_view family = FamilyOfSubtype(c_.header.cpusubtype);
      if (!family.empty() && !TargetIsOf(banner.target, family)) {
        Report(kBannerTarget, at,
               fmt::format("the banner's target is {}, cpusubtype {} is {}", Quote(banner.target),
                           c_.header.cpusubtype, family));
      }
      if (banner.input.empty() || banner.output.empty()) {
        Report(kBannerPaths, at, "the banner lacks -i or -o");
      }
    }
  }

  const Container& c_;
  ViolationList violations_;
  std::map<uint64_t, const Section*> windows_;
  std::map<std::string_view, const Section*> ports_;
  bool cut_names_ = false;  // whether a port has the specification's record
  std::map<uint32_t, std::set<uint64_t>> tile_offsets_;
  std::map<std::string_view, uint32_t> lanes_;
  std::set<uint32_t> catalog_;
  std::map<std::string_view, stabs::TensorStab> frames_;
};

}  // namespace

std::vector<Violation> Verify(const Container& container) { return Verifier(container).Run(); }

}  // namespace anecheck::hwx
