// Places of a hardware container: header, load commands, sections, symbols, relocations, tasks.
// Offsets are those of specification 000, tables 23.6 to 23.11, and of facts/hwx.md.
#include <algorithm>
#include <array>
#include <cstring>

#include "generators/formats/boundary/places.h"

namespace anecheck::boundary {
namespace {

constexpr uint32_t kHeader = 32, kSection = 80, kSymbol = 16, kRelocation = 8, kSegment = 72;
constexpr uint32_t kSegmentCommand = 0x19, kSymtabCommand = 0x02;
constexpr uint32_t kMostCommands = 64, kMostSections = 64, kMostRecords = 3, kMostTasks = 4;

constexpr auto kHeaderFields = std::to_array<Field>({{"header.cputype", 4},
                                                     {"header.cpusubtype", 8},
                                                     {"header.filetype", 12},
                                                     {"header.ncmds", 16},
                                                     {"header.sizeofcmds", 20},
                                                     {"header.flags", 24}});
constexpr auto kCommandFields = std::to_array<Field>({{"command.cmd", 0}, {"command.cmdsize", 4}});
constexpr auto kSegmentFields =
    std::to_array<Field>({{"segment.segname", 8, 16, Role::kName},
                          {"segment.vmaddr", 24, 8},
                          {"segment.vmsize", 32, 8},
                          {"segment.fileoff", 40, 8},
                          {"segment.filesize", 48, 8},
                          {"segment.nsects", 64, 4, Role::kNumber, kSection},
                          {"segment.flags", 68}});
constexpr auto kSectionFields =
    std::to_array<Field>({{"section.sectname", 0, 16, Role::kName},
                          {"section.segname", 16, 16, Role::kName},
                          {"section.addr", 32, 8},
                          {"section.size", 40, 8},
                          {"section.offset", 48},
                          {"section.align", 52},
                          {"section.reloff", 56},
                          {"section.nreloc", 60, 4, Role::kNumber, kRelocation},
                          {"section.flags", 64}});
constexpr auto kSymtabFields =
    std::to_array<Field>({{"symtab.symoff", 8},
                          {"symtab.nsyms", 12, 4, Role::kNumber, kSymbol},
                          {"symtab.stroff", 16},
                          {"symtab.strsize", 20}});
constexpr auto kSymbolFields = std::to_array<Field>({{"symbol.strx", 0},
                                                     {"symbol.type", 4, 1},
                                                     {"symbol.sect", 5, 1},
                                                     {"symbol.desc", 6, 2},
                                                     {"symbol.value", 8, 8}});
constexpr auto kRelocationFields =
    std::to_array<Field>({{"relocation.address", 0}, {"relocation.info", 4}});
constexpr auto kTaskFields = std::to_array<Field>({{"task.words", 0},
                                                   {"task.header", 4},
                                                   {"task.word 2", 8},
                                                   {"task.word 3", 12},
                                                   {"task.next", 0x1c},
                                                   {"task.stream", 40}});
// Of commands with a name behind their words (ports, thread commands, banner).
constexpr auto kNamedFields = std::to_array<Field>({{"command.word 2", 8},
                                                    {"command.word 3", 12},
                                                    {"command.word 4", 16},
                                                    {"command.word 5", 20}});

uint64_t Load(ByteSpan file, uint64_t at, uint32_t width) {
  if (at > file.size() || file.size() - at < width) return 0;
  uint64_t value = 0;
  for (uint32_t i = width; i > 0; --i) value = value << 8 | file[at + i - 1];
  return value;
}

class ContainerWalk {
 public:
  ContainerWalk(ByteSpan file, std::vector<Place>& places) : file_(file), places_(places) {}

  void Run() {
    Add(kHeaderFields, 0);
    const uint64_t commands = std::min<uint64_t>(Load(file_, 16, 4), kMostCommands);
    uint64_t at = kHeader;
    for (uint64_t i = 0; i < commands && at + 8 <= file_.size(); ++i) {
      const uint64_t size = Load(file_, at + 4, 4);
      Command(at, size);
      if (size < 8 || size > file_.size() - at) break;
      at += size;
    }
  }

 private:
  template <typename Fields>
  void Add(const Fields& fields, uint64_t at) {
    AddRecord(fields, at, file_, places_);
  }

  void Command(uint64_t at, uint64_t size) {
    Add(kCommandFields, at);
    switch (Load(file_, at, 4)) {
      case kSegmentCommand:
        return Segment(at, size);
      case kSymtabCommand:
        return Symtab(at);
      default:
        return Named(at, size);
    }
  }

  void Segment(uint64_t at, uint64_t size) {
    Add(kSegmentFields, at);
    const uint64_t fitting = size < kSegment ? 0 : (size - kSegment) / kSection;
    const uint64_t count = std::min({Load(file_, at + 64, 4), fitting, uint64_t{kMostSections}});
    for (uint64_t i = 0; i < count; ++i) Section(at + kSegment + i * kSection);
  }

  void Section(uint64_t at) {
    Add(kSectionFields, at);
    const uint64_t relocations = Load(file_, at + 56, 4);
    const uint64_t count = std::min<uint64_t>(Load(file_, at + 60, 4), kMostRecords);
    for (uint64_t i = 0; i < count; ++i) Add(kRelocationFields, relocations + i * kRelocation);
    if (at + 6 <= file_.size() && std::memcmp(file_.data() + at, "__text", 6) == 0) {
      Tasks(Load(file_, at + 48, 4));
    }
  }

  void Tasks(uint64_t text) {
    uint64_t at = text;
    for (uint32_t i = 0; i < kMostTasks; ++i) {
      Add(kTaskFields, at);
      const uint64_t next = Load(file_, at + 0x1c, 4);
      if (next == 0 || text + next <= at) return;
      at = text + next;
    }
  }

  void Symtab(uint64_t at) {
    Add(kSymtabFields, at);
    const uint64_t symbols = Load(file_, at + 8, 4);
    const uint64_t count = Load(file_, at + 12, 4);
    for (uint64_t i = 0; i < std::min<uint64_t>(count, kMostRecords); ++i) {
      Add(kSymbolFields, symbols + i * kSymbol);
    }
    if (count > kMostRecords) Add(kSymbolFields, symbols + (count - 1) * kSymbol);
    // The zero byte that ends the last string, and with it the table.
    const uint64_t end = Load(file_, at + 16, 4) + Load(file_, at + 20, 4);
    if (end >= 16 && end <= file_.size()) {
      places_.push_back({.role = Role::kName,
                         .offset = static_cast<uint32_t>(end - 16),
                         .width = 16,
                         .name = "strings.end"});
    }
  }

  void Named(uint64_t at, uint64_t size) {
    const uint64_t words = std::min<uint64_t>(size / 4, 6);
    for (const Field& field : kNamedFields) {
      if (field.offset / 4 < words) Add(std::array{field}, at);
    }
    if (size >= 24 && size <= file_.size() - std::min<uint64_t>(at, file_.size())) {
      places_.push_back({.role = Role::kName,
                         .offset = static_cast<uint32_t>(at + size - 8),
                         .width = 8,
                         .name = "command.end of the name"});
    }
  }

  ByteSpan file_;
  std::vector<Place>& places_;
};

}  // namespace

void WalkHardwareContainer(ByteSpan file, std::vector<Place>& places) {
  ContainerWalk(file, places).Run();
}

}  // namespace anecheck::boundary
