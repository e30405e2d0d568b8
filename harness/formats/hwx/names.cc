#include "harness/formats/hwx/names.h"

#include <algorithm>
#include <array>

#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/stabs/stabs.h"

namespace anecheck::hwx {
namespace {

struct NumberName {
  uint32_t number;
  std::string_view name;
};

constexpr auto kCommands = std::to_array<NumberName>({
    {kSegmentCommand, "segment"},
    {kSymtabCommand, "symtab"},
    {kThreadCommand, "thread"},
    {kShortPortCommand, "port"},
    {kPortCommand, "port"},
    {kBuildInfoCommand, "build_info"},
    {kNoteCommand, "note"},
});

constexpr auto kSectionKinds = std::to_array<NumberName>({
    {kInputSection, "input"},
    {kOutputSection, "output"},
    {kBssSection, "bss"},
    {kConstSection, "const"},
    {kTextSection, "text"},
    {kFvmlibInitSection, "fvmlib_init"},
    {kInitSection, "init"},
    {kDebugSection, "debug"},
});

// Source: facts/hwx.md, later generations.
constexpr auto kFamilies = std::to_array<NumberName>({
    {1, "H11"},
    {3, "H12"},
    {4, "H13"},
    {5, "H14"},
    {6, "H15"},
    {7, "H16"},
    {9, "H17"},
    {10, "H18"},
});

std::string_view Lookup(std::span<const NumberName> table, uint32_t number) {
  for (const NumberName& row : table) {
    if (row.number == number) return row.name;
  }
  return {};
}

struct Difference {
  bool (*holds)(const Container&);
  std::string_view text;
};

// Specification 000, table 23.10.
constexpr size_t kConvolutionStride = 0xc0;
constexpr size_t kProductStride = 0x40;

bool HasCommand(const Container& container, uint32_t cmd) {
  for (const Command& command : container.commands) {
    if (command.cmd == cmd && !command.opaque) return true;
  }
  return false;
}

bool WeightsInText(const Container& container) {
  const size_t number = KernelSectionNumber(container);
  return number != 0 && TextOf(container.sections[number - 1].segname) == "__TEXT";
}

// Returns whether a version-7 task writes a convolution configuration that is not in table 23.8.
bool HasUnlistedOpcode(const Container& container) {
  constexpr uint32_t kConvCfg = 0x1c;  // byte address of Common.ConvCfg
  const Section* text = container.Text();
  if (text == nullptr || text->tasks->generation->version != 7) return false;
  for (const td::Task& task : text->tasks->tasks) {
    const std::optional<uint32_t> word = task.Find(kConvCfg);
    if (word && td::OpcodeName(*word).empty()) return true;
  }
  return false;
}

// Returns whether the tiles of lanes have another stride than table 23.10. A task does not show
// whether its weights belong to a convolution. So a container with only 0x40 also counts.
bool HasOtherStride(const Container& container) {
  size_t lanes = 0;
  size_t convolution = 0;
  for (const Tile& tile : TilesOf(container, KernelSectionNumber(container))) {
    if (tile.lane < 0 || tile.sentinel) continue;
    const size_t size = tile.data.size();
    if (size != kConvolutionStride && size != kProductStride) return true;
    ++lanes;
    convolution += size == kConvolutionStride ? 1 : 0;
  }
  return lanes != 0 && convolution == 0;
}

bool IsOneTaskWithWeights(const Container& container) {
  const Section* text = container.Text();
  if (text == nullptr || text->tasks->generation->version != 7) return false;
  const auto tiles = TilesOf(container, KernelSectionNumber(container));
  return text->tasks->tasks.size() == 1 &&
         std::ranges::any_of(tiles, [](const Tile& tile) { return tile.lane >= 0; });
}

// The differences between the specification and the real files. Source: facts/hwx.md.
constexpr auto kDifferences = std::to_array<Difference>({
    {[](const Container& c) { return HasCommand(c, kShortPortCommand); },
     "ports are records {name offset, 0, u32 vmaddr, name} (command 0x06); the specification "
     "gives {size, pad, u64 vmaddr, name[8]} and {byteSize, apertureVA, nameRef}"},
    {[](const Container& c) {
       return HasCommand(c, kPortCommand) &&
              std::none_of(c.ports.begin(), c.ports.end(),
                           [](const Port& port) { return port.byte_size.has_value(); });
     },
     "ports are records {name offset, 0, u64 vmaddr, name} (command 0x40); the specification "
     "gives {size, pad, u64 vmaddr, name[8]} and {byteSize, apertureVA, nameRef}"},
    {[](const Container& c) {
       return std::any_of(c.ports.begin(), c.ports.end(),
                          [](const Port& port) { return port.byte_size.has_value(); });
     },
     "ports begin with a byte size, as the specification says; real files have the name's offset "
     "there"},
    {WeightsInText,
     "constants stand in __TEXT,__const; the specification puts weights in __KERN_0,__kern_0"},
    {[](const Container& c) {
       return c.Text() != nullptr && c.Text()->tasks->generation->version == 7;
     },
     "the first task begins at offset 0 of __text; the specification names a 12-byte header there, "
     "whose bytes read as the first words of a task header"},
    {[](const Container& c) {
       for (const Tile& tile : TilesOf(c, KernelSectionNumber(c))) {
         if (tile.lane >= 8 && !tile.sentinel) return true;
       }
       return false;
     },
     "a kernel is split into more than 8 tiles; the specification says min(8, lanes)"},
    {HasOtherStride,
     "a tile takes the bytes of its lane, rounded up to a multiple of 64; the specification gives "
     "0xC0 for the weights of a convolution and 0x40 for those of a matrix product, and 512 for "
     "its identity layer"},
    {IsOneTaskWithWeights,
     "one task computes a layer with weights; the specification's identity layer has two, of which "
     "the first converts the layout"},
    {HasUnlistedOpcode,
     "the word that the specification calls the opcode is the convolution configuration, which "
     "does not tell the operation"},
    {[](const Container& c) {
       size_t catalog = 0;
       for (const Symtab& table : c.symtabs) {
         for (const Symbol& symbol : table.symbols) {
           catalog += symbol.type == kTypeStabSymbol && !stabs::ParseTensor(symbol.name);
         }
       }
       return catalog != 24 && catalog != 0;
     },
     "the element-type catalog does not have the specification's 24 entries"},
});

}  // namespace

std::string_view CommandName(uint32_t cmd) { return Lookup(kCommands, cmd); }

std::string_view SectionKindName(uint32_t flags) { return Lookup(kSectionKinds, flags & 0xff); }

std::string_view FamilyOfSubtype(uint32_t cpusubtype) { return Lookup(kFamilies, cpusubtype); }

bool IsKernelSection(const Section& section) {
  const std::string_view segment = TextOf(section.segname);
  return segment.starts_with("__KERN") ||
         (segment == "__TEXT" && TextOf(section.sectname) == "__const");
}

size_t KernelSectionNumber(const Container& container) {
  size_t in_text = 0;
  for (size_t i = 0; i < container.sections.size(); ++i) {
    const Section& section = container.sections[i];
    if (!IsKernelSection(section)) continue;
    if (TextOf(section.segname).starts_with("__KERN")) return i + 1;
    if (in_text == 0) in_text = i + 1;
  }
  return in_text;
}

std::map<uint32_t, std::string_view> CatalogOf(const Container& container) {
  std::map<uint32_t, std::string_view> catalog;
  for (const Symtab& table : container.symtabs) {
    for (const Symbol& symbol : table.symbols) {
      if (symbol.type != kTypeStabSymbol) continue;
      if (const auto stab = stabs::ParseType(symbol.name)) catalog.emplace(stab->id, stab->name);
    }
  }
  return catalog;
}

std::vector<std::string_view> DifferencesFromSpecification(const Container& container) {
  std::vector<std::string_view> texts;
  for (const Difference& difference : kDifferences) {
    if (difference.holds(container)) texts.push_back(difference.text);
  }
  return texts;
}

}  // namespace anecheck::hwx
