// Edits of the header, the load commands, segments and sections. See hwx_mutations.cc.
#include <array>
#include <utility>

#include "generators/formats/hwx/hwx_edit_support.h"
#include "generators/formats/hwx/hwx_edits.h"
#include "harness/base/round_up.h"
#include "harness/formats/hwx/records.h"

namespace anecheck::hwx_edits {

// ---- header and commands ------------------------------------------------------------------------

bool WrongCputype(Container& c, uint64_t a, uint64_t) {
  c.header.cputype ^= 1 + static_cast<uint32_t>(a);
  return true;
}
bool WrongFiletype(Container& c, uint64_t a, uint64_t) {
  c.header.filetype ^= 1 + static_cast<uint32_t>(a);
  return true;
}
bool WrongFlags(Container& c, uint64_t a, uint64_t) {
  c.header.flags ^= 1 + static_cast<uint32_t>(a);
  return true;
}
bool WrongSizeofcmds(Container& c, uint64_t a, uint64_t) {
  c.header.sizeofcmds += 8 * (1 + static_cast<uint32_t>(a));
  return true;
}

bool UnknownCpusubtype(Container& c, uint64_t a, uint64_t) {
  c.header.cpusubtype = 100 + static_cast<uint32_t>(a);
  return true;
}

bool OddCmdsize(Container& c, uint64_t a, uint64_t) {
  Command* command = Pick(c.commands, a);
  if (command == nullptr || !Relay(c)) return false;
  command->cmdsize += 4;
  c.header.sizeofcmds += 4;
  c.symtabs.front().symoff += 8;
  c.symtabs.front().stroff += 8;
  for (Section& section : c.sections) {
    if (!section.relocations.empty()) section.reloff += 8;
  }
  for (hwx::Note& note : c.notes) note.offset += 8;
  return true;
}

bool EndlessBanner(Bytes& bytes, const Container& c, uint64_t a, uint64_t) {
  const Command* banner = FindCommand(c, hwx::kBuildInfoCommand, a);
  if (banner == nullptr) return false;
  for (uint64_t i = 8; i < banner->cmdsize; ++i) bytes[banner->offset + i] |= 1;
  return true;
}

static bool AddOpaque(Container& c, uint32_t cmd, Bytes body) {
  if (!HasRoom(c, 512)) return false;
  c.commands.push_back(
      {.cmd = cmd, .index = static_cast<uint32_t>(c.opaque_commands.size()), .opaque = true});
  c.opaque_commands.push_back({c.Own(std::move(body)), {}});
  return Relay(c);
}

bool BadThread(Container& c, uint64_t a, uint64_t) {
  Bytes body(16, 0);
  body[0] = 3;
  SetWord(body, 4, 3 + static_cast<uint32_t>(a));
  return AddOpaque(c, hwx::kThreadCommand, std::move(body));
}
bool UnknownCommand(Container& c, uint64_t a, uint64_t b) {
  return AddOpaque(c, 0x1000 + static_cast<uint32_t>(a), Bytes(8 * (b % 8), 0x5a));
}
bool BadNote(Container& c, uint64_t a, uint64_t) {
  return AddOpaque(c, hwx::kNoteCommand, Bytes(8 * (a % 4), 1));
}

bool TrailingBytes(Container& c, uint64_t a, uint64_t b) {
  Command* command = PickWhere(c.commands, a, [](const Command& candidate) {
    return !candidate.opaque && candidate.cmd != hwx::kThreadCommand &&
           candidate.cmd != hwx::kSegmentCommand;
  });
  if (command == nullptr || !HasRoom(c, 512)) return false;
  command->trailing = c.Own(Bytes(8, static_cast<uint8_t>(1 + b % 255)));
  return Relay(c);
}

static bool RepeatCommand(Container& c, uint32_t cmd) {
  const Command* command = PickCommand(c, cmd, 0);
  if (command == nullptr || !HasRoom(c, 2048)) return false;
  const Command copy = *command;
  c.commands.push_back(copy);
  return Relay(c);
}
bool TwoBanners(Container& c, uint64_t, uint64_t) {
  return RepeatCommand(c, hwx::kBuildInfoCommand);
}
// Repeats the command of the symbol table, so that two commands refer to the same table.
bool TwoSymtabs(Container& c, uint64_t, uint64_t) {
  if (!c.notes.empty()) return false;
  for (const Symbol& symbol : Symbols(c)) {
    if (symbol.type == hwx::kPlaceSymbol && symbol.name.find("_ne_") != std::string_view::npos) {
      return false;  // the container would have each lane twice
    }
  }
  return RepeatCommand(c, hwx::kSymtabCommand);
}
bool OtherFlavor(Container& c, uint64_t a, uint64_t) {
  Thread* table = ApertureTable(c);
  if (table == nullptr) return false;
  table->flavor = 100 + static_cast<uint32_t>(a);
  return c.header.cpusubtype == 4;
}
bool SwapCommands(Container& c, uint64_t a, uint64_t b) {
  Command* one = PickWhere(c.commands, a, [](const Command& x) {
    return x.cmd != hwx::kSegmentCommand && x.cmd != hwx::kSymtabCommand;
  });
  Command* two = PickWhere(c.commands, b, [one](const Command& x) {
    return x.cmd != hwx::kSegmentCommand && x.cmd != hwx::kSymtabCommand && &x != one;
  });
  if (one == nullptr || two == nullptr) return false;
  std::swap(*one, *two);
  return true;
}

// ---- segments and sections ----------------------------------------------------------------------

bool OddSegmentSize(Container& c, uint64_t a, uint64_t b) {
  Segment* segment = PickWhere(c.segments, a, [](const Segment& s) { return s.vmaddr == 0; });
  if (segment == nullptr) return false;
  segment->vmsize += 0x10 * (1 + b % 100);
  return true;
}
// Places the contents near the end of the tables, without page padding. The result is a small file
// that has every part, and has space for tables that other edits enlarge.
bool PackPages(Container& c, uint64_t, uint64_t) {
  if (!Relay(c)) return false;
  uint64_t at = RoundUp(EndOfTables(c) + 1024, 8);
  std::erase_if(c.regions, [at](const hwx::Region& region) { return region.offset >= at; });
  for (Segment& segment : c.segments) {
    uint64_t extent = 0;
    for (const Section& section : c.SectionsOf(segment)) {
      if (section.in_file) extent = std::max(extent, section.addr - segment.vmaddr + section.size);
    }
    if (extent > segment.filesize) return false;
    segment.fileoff = extent == 0 ? 0 : at;
    segment.filesize = extent;
    at = RoundUp(at + extent, 8);
  }
  hwx::Layout(c);
  return true;
}
bool OverlapSegments(Container& c, uint64_t, uint64_t) {
  Segment* guard = PickWhere(c.segments, 0, [](const Segment& s) { return s.vmaddr == 0; });
  if (guard == nullptr || guard->nsects != 0) return false;
  guard->vmaddr = hwx::kApertureBase;
  return true;
}
bool FileBeyondMemory(Container& c, uint64_t, uint64_t) {
  // Makes the first segment of the file also cover the page before it, which contains the tables.
  Segment* segment = PickWhere(c.segments, 0, [](const Segment& s) { return s.vmaddr == 0; });
  if (segment == nullptr || segment->nsects != 0) return false;
  segment->filesize = c.file_size - c.file_size % hwx::kPage;
  if (segment->filesize <= segment->vmsize) return false;
  return true;
}
bool SectionOutside(Container& c, uint64_t a, uint64_t) {
  Section* section =
      PickWhere(c.sections, a, [](const Section& s) { return hwx::KindOf(s) == hwx::kBssSection; });
  if (section == nullptr) return false;
  section->size += SegmentOf(c, section)->vmsize;
  return true;
}
bool WrongSectionOffset(Container& c, uint64_t a, uint64_t) {
  Section* section = PickWhere(c.sections, a, [](const Section& s) {
    return s.in_file && s.tasks == nullptr && !hwx::IsKernelSection(s);
  });
  if (section == nullptr || section->data.size() > 0x1000) return false;
  section->offset += 0x1000;
  return true;
}
bool WrongSegname(Container& c, uint64_t a, uint64_t b) {
  Section* section = PickWhere(c.sections, a, [](const Section& s) { return hwx::IsWindow(s); });
  if (section == nullptr) return false;
  section->segname[2 + b % 4] ^= 1;
  return true;
}
bool WrongAlign(Container& c, uint64_t a, uint64_t b) {
  Section* section = Pick(c.sections, a);
  if (section == nullptr) return false;
  section->align = 40 + static_cast<uint32_t>(b % 60);
  return true;
}
bool AliasSections(Container& c, uint64_t, uint64_t) {
  // Adds a second section over the last window. It comes last, so that all other sections keep
  // their numbers.
  Segment* segment = &c.segments.back();
  if (segment->nsects != 1 || !HasRoom(c, 512)) return false;
  const Section* window = &c.sections.back();
  if (!hwx::IsWindow(*window)) return false;
  Section copy;
  copy.sectname = hwx::MakeName16("__alias");
  copy.segname = window->segname;
  copy.addr = window->addr;
  copy.size = window->size;
  copy.align = window->align;
  copy.flags = hwx::kInitSection;
  ++segment->nsects;
  c.sections.push_back(std::move(copy));
  return Relay(c);
}
// Adds slightly more sections than the fixed tables of readers hold.
bool ManySections(Container& c, uint64_t a, uint64_t) {
  constexpr std::array<uint32_t, 4> kCounts = {17, 33, 65, 129};
  const uint32_t wanted = kCounts[a % kCounts.size()];
  Segment& segment = c.segments.back();
  if (segment.nsects == 0 || segment.nsects >= wanted) return false;
  if (!HasRoom(c, hwx::kSectionRecord.kSize * wanted + 512)) return false;
  const Section& window = c.sections.back();
  for (; segment.nsects < wanted; ++segment.nsects) {
    Section empty;
    empty.sectname = hwx::MakeName16("__empty");
    empty.segname = window.segname;
    empty.addr = window.addr;
    empty.align = window.align;
    empty.flags = window.flags;
    c.sections.push_back(std::move(empty));
  }
  return Relay(c);
}
bool UnknownKind(Container& c, uint64_t a, uint64_t b) {
  Section* section = PickWhere(c.sections, a, [](const Section& s) {
    return !hwx::IsWindow(s) && hwx::KindOf(s) != hwx::kBssSection;
  });
  if (section == nullptr) return false;
  section->flags = (section->flags & ~0xffu) | 0x60 | static_cast<uint32_t>(b % 16);
  return true;
}
bool WrongRelocationFlag(Container& c, uint64_t a, uint64_t) {
  Section* section = Pick(c.sections, a);
  if (section == nullptr) return false;
  section->flags ^= hwx::kHasRelocations;
  return true;
}
bool WindowWithFile(Container& c, uint64_t a, uint64_t) {
  Section* section = PickWhere(c.sections, a, [](const Section& s) {
    return hwx::IsWindow(s) || hwx::KindOf(s) == hwx::kBssSection;
  });
  if (section == nullptr) return false;
  SegmentOf(c, section)->fileoff = hwx::kPage;
  return true;
}

}  // namespace anecheck::hwx_edits
