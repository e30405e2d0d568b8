#include "harness/formats/hwx/print.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "harness/base/counted.h"
#include "harness/formats/enums/enums.h"
#include "harness/formats/hwx/banner.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/records.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/stabs/stabs.h"

namespace anecheck::hwx {
namespace {

using Out = std::back_insert_iterator<std::string>;

size_t TaskCount(const Container& container) {
  size_t count = 0;
  for (const Section& section : container.sections) {
    if (section.tasks != nullptr) count += section.tasks->tasks.size();
  }
  return count;
}

void PrintHead(Out out, const Container& container) {
  const Header& header = container.header;
  const std::string_view family = FamilyOfSubtype(header.cpusubtype);
  fmt::format_to(out, "hardware container (hwx), {}\n", Counted(container.file_size, "byte"));
  fmt::format_to(out, "target: {}\n",
                 family.empty() ? fmt::format("unknown (cpusubtype {})", header.cpusubtype)
                                : std::string(family));
  for (const BuildInfo& info : container.build_infos) {
    const Banner banner = ParseBanner(info.text);
    fmt::format_to(out, "compiler: {} {}, -t {}\n", EscapeText(banner.compiler),
                   EscapeText(banner.version), EscapeText(banner.target));
  }
  fmt::format_to(out, "tasks: {}\n", TaskCount(container));
  fmt::format_to(out, "header: {}\n", kHeaderRecord.Print(header));
}

std::string Shape(const TensorRecord& tensor) {
  return fmt::format("[{}, {}, {}, {}] strides s{}n/s{}c/s{}h/s{}w", tensor.shape[0],
                     tensor.shape[1], tensor.shape[2], tensor.shape[3], tensor.strides[0],
                     tensor.strides[1], tensor.strides[2], tensor.strides[3]);
}

void PrintTensors(Out out, const Container& container) {
  const auto catalog = CatalogOf(container);
  fmt::format_to(out, "tensors:\n");
  for (const Thread& thread : container.threads) {
    if (!IsTensor(thread)) continue;
    const TensorRecord tensor = TensorOf(thread);
    const auto entry = catalog.find(tensor.element_type);
    const std::string_view type = entry == catalog.end() ? "" : entry->second;
    const std::string_view direction = tensor.direction == kInput    ? "input"
                                       : tensor.direction == kOutput ? "output"
                                                                     : "tensor";
    fmt::format_to(
        out, "  {} {}: {} {}\n", direction, EscapeText(tensor.name),
        type.empty()
            ? fmt::format("type {} ({}, not in the file's catalog)", tensor.element_type,
                          EnumName(EnumKind::kCatalogType, tensor.element_type).value_or("unknown"))
            : EscapeText(type),
        Shape(tensor));
  }
}

void PrintSegments(Out out, const Container& container) {
  fmt::format_to(out, "segments:\n");
  for (const Segment& segment : container.segments) {
    fmt::format_to(out, "  {:16} vm 0x{:x} + 0x{:x}, file 0x{:x} + 0x{:x}, protection {}{}{}\n",
                   EscapeText(TextOf(segment.segname)), segment.vmaddr, segment.vmsize,
                   segment.fileoff, segment.filesize, (segment.initprot & 1) != 0 ? "r" : "-",
                   (segment.initprot & 2) != 0 ? "w" : "-",
                   (segment.initprot & 4) != 0 ? "x" : "-");
    for (const Section& section : container.SectionsOf(segment)) {
      const std::string_view kind = SectionKindName(section.flags);
      fmt::format_to(out, "    {:16} 0x{:x} + 0x{:x}, align 2^{}, flags 0x{:x}{}{}\n",
                     EscapeText(TextOf(section.sectname)), section.addr, section.size,
                     section.align, section.flags, kind.empty() ? "" : fmt::format(" ({})", kind),
                     section.relocations.empty()
                         ? ""
                         : ", " + Counted(section.relocations.size(), "relocation"));
    }
  }
}

void PrintPorts(Out out, const Container& container) {
  fmt::format_to(out, "ports:\n");
  for (const Command& command : container.commands) {
    if (command.opaque || (command.cmd != kPortCommand && command.cmd != kShortPortCommand)) {
      continue;
    }
    const Port& port = container.ports[command.index];
    fmt::format_to(
        out, "  {} at 0x{:x} (command 0x{:02x}){}\n", EscapeText(port.name), port.vmaddr,
        command.cmd,
        port.byte_size ? fmt::format(", byte size 0x{:x} (assumed)", *port.byte_size) : "");
  }
}

// Prints the words with assumed names and the reason for each name. The line of a tensor does not
// show these words.
void PrintTensorWords(Out out, const Thread& thread) {
  for (const ThreadWord& word : ThreadWords(thread.flavor)) {
    if (word.evidence != FactEvidence::kAssumed || !Applies(word, thread)) continue;
    fmt::format_to(out, "    {} 0x{:x} ({})\n", word.name, ThreadValue(thread, word),
                   FactEvidenceName(word.evidence));
  }
}

void PrintThreads(Out out, const Container& container) {
  fmt::format_to(out, "threads:\n");
  for (const Thread& thread : container.threads) {
    fmt::format_to(out, "  flavor {}, {}", thread.flavor, Counted(thread.words.size(), "word"));
    for (const std::string_view name : thread.names) {
      fmt::format_to(out, " '{}'", EscapeText(name));
    }
    fmt::format_to(out, "\n");
    if (IsTensor(thread)) PrintTensorWords(out, thread);
    if (!IsApertureTable(thread)) continue;
    fmt::format_to(out, "    text 0x{:x}, {}, first of {}\n", Pair(thread, kTextAddressWord),
                   Counted(thread.words[kTaskCountWord], "task"),
                   Counted(thread.words[kFirstTaskWordsWord] + 1, "word"));
    for (uint32_t slot = 0; slot < kBaseSlots; ++slot) {
      const uint64_t base = Pair(thread, 2 * slot);
      if (base != 0) fmt::format_to(out, "    base slot {}: 0x{:x}\n", slot, base);
    }
  }
}

void PrintBanner(Out out, const Container& container) {
  for (const BuildInfo& info : container.build_infos) {
    fmt::format_to(out, "build info:\n");
    const Banner banner = ParseBanner(info.text);
    for (const BannerModule& module : banner.modules) {
      fmt::format_to(out, "  module {}: bundle {}, version {}\n", EscapeText(module.name),
                     EscapeText(module.bundle), EscapeText(module.version));
    }
    for (const BannerFlag& flag : banner.flags) {
      const KnownFlag* known = FindKnownFlag(flag.name);
      fmt::format_to(out, "  {}{}{}{}\n", EscapeText(flag.name), flag.has_value ? " " : "",
                     EscapeText(flag.value),
                     known == nullptr ? "" : fmt::format("  ({})", known->meaning));
    }
  }
}

void PrintSymbols(Out out, const Container& container) {
  for (const Symtab& table : container.symtabs) {
    fmt::format_to(out, "symbols:\n");
    for (const Symbol& symbol : table.symbols) {
      fmt::format_to(out, "  0x{:02x} section {} desc 0x{:x} 0x{:x} {}\n", symbol.type, symbol.sect,
                     symbol.desc, symbol.value, EscapeText(symbol.name));
    }
  }
}

void PrintTiles(Out out, const Container& container) {
  const std::vector<std::vector<Tile>> all = AllTiles(container);
  for (size_t i = 0; i < container.sections.size(); ++i) {
    const std::vector<Tile>& tiles = all[i];
    if (tiles.empty() || !IsKernelSection(container.sections[i])) continue;
    fmt::format_to(out, "weight tiles in section {}:\n", i + 1);
    int64_t used = 0;
    for (size_t k = 0; k < tiles.size(); ++k) {
      const Tile& tile = tiles[k];
      if (k == 0 || tile.offset != tiles[k - 1].offset) {
        used = std::count_if(tile.data.begin(), tile.data.end(),
                             [](uint8_t byte) { return byte != 0; });
      }
      fmt::format_to(out, "  0x{:x} + 0x{:x} {}{}{}\n", tile.offset, tile.data.size(),
                     EscapeText(tile.kernel),
                     tile.lane < 0 ? "" : fmt::format(" lane {}", tile.lane),
                     tile.sentinel ? ", sentinel of an unused lane"
                                   : ", " + Counted(used, "byte") + " not zero");
    }
  }
}

void PrintTasks(std::string& text, const Container& container) {
  const Out out = std::back_inserter(text);
  for (size_t i = 0; i < container.sections.size(); ++i) {
    const Section& section = container.sections[i];
    if (section.tasks != nullptr) td::PrintChain(*section.tasks, 0, text);
    if (section.tasks_error) {
      fmt::format_to(out, "section {} is kept as bytes: {}\n", i + 1, section.tasks_error->message);
    }
    for (const Relocation& relocation : section.relocations) {
      fmt::format_to(out, "  relocation at 0x{:x} against section {}\n", relocation.address,
                     relocation.symbolnum);
    }
  }
}

void PrintRest(Out out, const Container& container) {
  for (const Command& command : container.commands) {
    if (!command.opaque) continue;
    const OpaqueCommand& body = container.opaque_commands[command.index];
    fmt::format_to(out, "command 0x{:x} at 0x{:x}: {} kept unchanged{}{}\n", command.cmd,
                   command.offset, Counted(command.cmdsize, "byte"),
                   body.reason.empty() ? "" : ", ", body.reason);
  }
  for (const Note& note : container.notes) {
    fmt::format_to(out, "note '{}' at 0x{:x} + 0x{:x}\n", EscapeText(TextOf(note.owner)),
                   note.offset, note.size);
  }
  for (const Region& region : container.regions) {
    fmt::format_to(out, "unclaimed bytes at 0x{:x} + 0x{:x}\n", region.offset, region.data.size());
  }
  for (const std::string_view text : DifferencesFromSpecification(container)) {
    fmt::format_to(out, "difference from the specification: {}\n", text);
  }
}

}  // namespace

std::string PrintContainer(const Container& container) {
  std::string text;
  const Out out = std::back_inserter(text);
  PrintHead(out, container);
  PrintTensors(out, container);
  PrintSegments(out, container);
  PrintPorts(out, container);
  PrintThreads(out, container);
  PrintBanner(out, container);
  PrintSymbols(out, container);
  PrintTiles(out, container);
  PrintTasks(text, container);
  PrintRest(out, container);
  return text;
}

}  // namespace anecheck::hwx
