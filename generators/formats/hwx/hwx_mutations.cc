#include "generators/formats/hwx/hwx_mutations.h"

#include <algorithm>
#include <array>

#include "generators/formats/common/model_edit.h"
#include "harness/formats/hwx/banner.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/layout.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/td/td.h"

namespace anecheck {
namespace {

using hwx::Command;
using hwx::Container;
using hwx::Port;
using hwx::Relocation;
using hwx::Section;
using hwx::Segment;
using hwx::Symbol;
using hwx::Thread;
using Edit = ModelEdit<Container>;

template <typename T>
T* Pick(std::vector<T>& items, uint64_t choice) {
  return items.empty() ? nullptr : &items[choice % items.size()];
}

// The `choice`th element for which `holds`, or nullptr.
template <typename T, typename Holds>
T* PickWhere(std::vector<T>& items, uint64_t choice, Holds holds) {
  std::vector<T*> found;
  for (T& item : items) {
    if (holds(item)) found.push_back(&item);
  }
  return found.empty() ? nullptr : found[choice % found.size()];
}

Command* PickCommand(Container& c, uint32_t cmd, uint64_t choice) {
  return PickWhere(c.commands, choice,
                   [cmd](const Command& command) { return command.cmd == cmd && !command.opaque; });
}

const Command* FindCommand(const Container& c, uint32_t cmd, uint64_t choice) {
  std::vector<const Command*> found;
  for (const Command& command : c.commands) {
    if (command.cmd == cmd && !command.opaque) found.push_back(&command);
  }
  return found.empty() ? nullptr : found[choice % found.size()];
}

std::vector<Symbol>& Symbols(Container& c) { return c.symtabs.front().symbols; }

Symbol* PickSymbol(Container& c, uint8_t type, uint64_t choice) {
  return PickWhere(Symbols(c), choice, [type](const Symbol& s) { return s.type == type; });
}

Symbol* PickTile(Container& c, uint64_t choice) {
  return PickWhere(Symbols(c), choice, [&](const Symbol& s) {
    return s.type == hwx::kPlaceSymbol && hwx::IsKernelSection(c.sections[s.sect - 1u]);
  });
}

Thread* ApertureTable(Container& c) {
  return PickWhere(c.threads, 0, [](const Thread& t) { return hwx::IsApertureTable(t); });
}

Thread* PickTensor(Container& c, uint64_t choice) {
  return PickWhere(c.threads, choice, [](const Thread& t) { return hwx::IsTensor(t); });
}

Section* PickWindow(Container& c, uint64_t choice) {
  return PickWhere(c.sections, choice, [](const Section& s) { return hwx::IsWindow(s); });
}

Segment* SegmentOf(Container& c, const Section* section) {
  const auto index = static_cast<uint32_t>(section - c.sections.data());
  return PickWhere(c.segments, 0, [index](const Segment& s) {
    return index >= s.first_section && index < s.first_section + s.nsects;
  });
}

Section* TextSection(Container& c) {
  return PickWhere(c.sections, 0, [](const Section& s) { return s.tasks != nullptr; });
}

// Bytes behind the tables, where files have zeros: room for tables that grow.
bool HasRoom(const Container& c, uint64_t bytes) {
  uint64_t end = 0;
  uint64_t first = c.file_size;
  for (const Section& section : c.sections) {
    if (section.in_file) first = std::min<uint64_t>(first, section.offset);
    end = std::max(end, section.reloff + 8 * section.relocations.size());
  }
  for (const hwx::Symtab& table : c.symtabs) {
    end = std::max(end, uint64_t{table.stroff} + table.strsize);
  }
  for (const hwx::Note& note : c.notes) end = std::max(end, note.offset + note.size);
  return end + bytes <= first;
}

// Lays everything out again, notes behind the tables.
bool Relay(Container& c) {
  if (!HasRoom(c, 512)) return false;
  hwx::Layout(c);
  uint64_t end = uint64_t{c.symtabs.front().stroff} + c.symtabs.front().strsize;
  for (const Section& section : c.sections) {
    end = std::max(end, section.reloff + 8 * section.relocations.size());
  }
  for (hwx::Note& note : c.notes) {
    note.offset = hwx::AlignUp(end, 8);
    end = note.offset + note.size;
  }
  return true;
}

void SetWord(Bytes& bytes, uint64_t at, uint32_t word) {
  for (uint64_t i = 0; i < 4 && at + i < bytes.size(); ++i) {
    bytes[at + i] = static_cast<uint8_t>(word >> (8 * i));
  }
}

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

bool AddOpaque(Container& c, uint32_t cmd, Bytes body) {
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

bool RepeatCommand(Container& c, uint32_t cmd) {
  const Command* command = PickCommand(c, cmd, 0);
  if (command == nullptr || !HasRoom(c, 2048)) return false;
  const Command copy = *command;
  c.commands.push_back(copy);
  return Relay(c);
}
bool TwoBanners(Container& c, uint64_t, uint64_t) {
  return RepeatCommand(c, hwx::kBuildInfoCommand);
}
// Both tables are the same bytes.
bool TwoSymtabs(Container& c, uint64_t, uint64_t) {
  if (!c.notes.empty()) return false;
  for (const Symbol& symbol : Symbols(c)) {
    if (symbol.type == hwx::kPlaceSymbol && symbol.name.find("_ne_") != std::string_view::npos) {
      return false;  // lanes would count twice
    }
  }
  return RepeatCommand(c, hwx::kSymtabCommand);
}
bool OtherFlavor(Container& c, uint64_t a, uint64_t) {
  Thread* table = ApertureTable(c);
  if (table == nullptr) return false;
  table->flavor = 100 + static_cast<uint32_t>(a);
  return true;
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
bool OverlapSegments(Container& c, uint64_t, uint64_t) {
  Segment* guard = PickWhere(c.segments, 0, [](const Segment& s) { return s.vmaddr == 0; });
  if (guard == nullptr || guard->nsects != 0) return false;
  guard->vmaddr = hwx::kApertureBase;
  return true;
}
bool FileBeyondMemory(Container& c, uint64_t, uint64_t) {
  // The first segment of the file also takes the page before, which holds the tables.
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
  // A second section over the last window; section numbers before it stay.
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

// ---- ports and apertures ------------------------------------------------------------------------

bool DropPort(Container& c, uint64_t, uint64_t) {
  // The port binds another window; its own has none. Needs two windows of one direction and a
  // tensor that fits both.
  if (c.ports.size() < 2) return false;
  Thread* first = PickTensor(c, 0);
  Thread* second = PickTensor(c, 1);
  if (first == nullptr || second == nullptr || first == second) return false;
  const hwx::TensorRecord one = hwx::TensorOf(*first);
  const hwx::TensorRecord two = hwx::TensorOf(*second);
  if (one.direction != two.direction) return false;
  const bool first_smaller = one.strides[0] * one.shape[0] <= two.strides[0] * two.shape[0];
  const std::string_view small = first_smaller ? one.name : two.name;
  const std::string_view large = first_smaller ? two.name : one.name;
  Port* from = PickWhere(c.ports, 0, [&](const Port& p) { return p.name == small; });
  const Port* to = PickWhere(c.ports, 0, [&](const Port& p) { return p.name == large; });
  if (from == nullptr || to == nullptr) return false;
  from->vmaddr = to->vmaddr;
  return true;
}
bool PortNowhere(Container& c, uint64_t a, uint64_t b) {
  const Command* command = PickWhere(c.commands, a, [](const Command& x) {
    return !x.opaque && (x.cmd == hwx::kPortCommand || x.cmd == hwx::kShortPortCommand);
  });
  if (command == nullptr || !HasRoom(c, 512)) return false;
  Port port;
  port.name = c.OwnText("nowhere");
  port.vmaddr = 0x7f000000 + 0x4000 * (b % 256);
  c.commands.push_back({.cmd = command->cmd, .index = static_cast<uint32_t>(c.ports.size())});
  c.ports.push_back(port);
  return Relay(c);
}
bool RepeatPort(Container& c, uint64_t a, uint64_t) {
  const Port* port = Pick(c.ports, a);
  if (port == nullptr || !HasRoom(c, 512)) return false;
  const Command* command = PickWhere(c.commands, 0, [](const Command& x) {
    return !x.opaque && (x.cmd == hwx::kPortCommand || x.cmd == hwx::kShortPortCommand);
  });
  const Command copy = *command;
  c.commands.push_back(copy);
  return Relay(c);
}
bool MixPorts(Container& c, uint64_t, uint64_t) {
  Command* last = PickWhere(c.commands, c.ports.size() - 1, [](const Command& x) {
    return !x.opaque && (x.cmd == hwx::kPortCommand || x.cmd == hwx::kShortPortCommand);
  });
  if (last == nullptr || c.ports.size() < 2 || !HasRoom(c, 512)) return false;
  last->cmd = last->cmd == hwx::kPortCommand ? hwx::kShortPortCommand : hwx::kPortCommand;
  return Relay(c);
}
bool SwapPorts(Container& c, uint64_t a, uint64_t b) {
  if (c.ports.size() < 2) return false;
  Port& one = c.ports[a % c.ports.size()];
  Port& two = c.ports[b % c.ports.size()];
  if (&one == &two) return false;
  std::swap(one.vmaddr, two.vmaddr);
  return true;
}

bool WrongTextSlot(Container& c, uint64_t a, uint64_t b) {
  Thread* table = ApertureTable(c);
  if (table == nullptr) return false;
  const uint32_t word = b % 2 == 0 ? 0 : hwx::kTextAddressWord;
  hwx::SetPair(*table, word, hwx::Pair(*table, word) + 0x4000 * (1 + a));
  return true;
}
bool WrongConstSlot(Container& c, uint64_t a, uint64_t) {
  Thread* table = ApertureTable(c);
  const bool has_const =
      PickWhere(c.sections, 0, [](const Section& s) {
        return hwx::TextOf(s.segname) == "__TEXT" && hwx::TextOf(s.sectname) == "__const";
      }) != nullptr;
  if (table == nullptr || !has_const) return false;
  hwx::SetPair(*table, 2, hwx::Pair(*table, 2) + 0x40 * (1 + a));
  return true;
}
bool DropIoSlot(Container& c, uint64_t a, uint64_t) {
  Thread* table = ApertureTable(c);
  if (table == nullptr || c.ports.empty()) return false;
  const auto slot = hwx::kFirstIoSlot + static_cast<uint32_t>(a % c.ports.size());
  hwx::SetPair(*table, 2 * slot, 0);
  return true;
}
bool WrongTaskCount(Container& c, uint64_t a, uint64_t) {
  Thread* table = ApertureTable(c);
  if (table == nullptr) return false;
  table->words[hwx::kTaskCountWord] += 1 + static_cast<uint32_t>(a);
  return true;
}
bool WrongFirstTaskWords(Container& c, uint64_t a, uint64_t) {
  Thread* table = ApertureTable(c);
  if (table == nullptr) return false;
  table->words[hwx::kFirstTaskWordsWord] += 1 + static_cast<uint32_t>(a);
  return true;
}

// ---- tensors ------------------------------------------------------------------------------------

// A further tensor record and stab, without a port.
bool TensorWithoutPort(Container& c, uint64_t a, uint64_t) {
  Thread* tensor = PickTensor(c, a);
  if (tensor == nullptr) return false;
  const std::string_view name = hwx::TensorOf(*tensor).name;
  Port* port = PickWhere(c.ports, 0, [&](const Port& p) { return p.name == name; });
  if (port == nullptr || name.empty()) return false;
  std::string other(name);
  other[0] = other[0] == 'z' ? 'y' : 'z';
  port->name = c.OwnText(other);
  return true;
}
bool WrongDirection(Container& c, uint64_t a, uint64_t) {
  Thread* tensor = PickTensor(c, a);
  if (tensor == nullptr) return false;
  tensor->words[hwx::kDirectionWord] ^= 3;
  return true;
}
bool WrongStride(Container& c, uint64_t a, uint64_t b) {
  Thread* tensor = PickTensor(c, a);
  if (tensor == nullptr) return false;
  tensor->words[hwx::kStrideWord + 2 + 2 * (b % 3)] += 64;
  return true;
}
bool WrongShape(Container& c, uint64_t a, uint64_t b) {
  Thread* tensor = PickTensor(c, a);
  if (tensor == nullptr) return false;
  tensor->words[hwx::kShapeWord + 1 + b % 3] += 1;
  return true;
}
// A tensor and its stab of a type behind the catalog's end.
bool EndOfCatalog(Container& c, uint64_t a, uint64_t) {
  Thread* tensor = PickTensor(c, a);
  if (tensor == nullptr || !HasRoom(c, 512)) return false;
  const std::string_view name = hwx::TensorOf(*tensor).name;
  Symbol* stab = PickWhere(Symbols(c), 0, [&](const Symbol& s) {
    return s.type == hwx::kTensorStabSymbol && s.name.starts_with(name) &&
           s.name.substr(name.size()).starts_with(":t") && s.name.ends_with(":5");
  });
  if (stab == nullptr) return false;
  tensor->words[hwx::kElementTypeWord] = 55;
  stab->name = c.OwnText(std::string(stab->name) + "5");
  return Relay(c);
}
bool SmallWindow(Container& c, uint64_t a, uint64_t) {
  Section* window = PickWindow(c, a);
  if (window == nullptr || window->size < 128) return false;
  window->size -= 64;
  return true;
}

// ---- symbols ------------------------------------------------------------------------------------

bool UnknownSymbolType(Container& c, uint64_t a, uint64_t) {
  // A port symbol: nothing else depends on it.
  Symbol* symbol = PickWhere(Symbols(c), a, [&](const Symbol& s) {
    return s.type == hwx::kPlaceSymbol && !hwx::IsKernelSection(c.sections[s.sect - 1u]);
  });
  if (symbol == nullptr) return false;
  symbol->type = 0x44;
  return true;
}
bool WrongSymbolSection(Container& c, uint64_t a, uint64_t b) {
  Symbol* symbol = PickWhere(Symbols(c), a, [&](const Symbol& s) {
    return s.type != hwx::kPlaceSymbol || !hwx::IsKernelSection(c.sections[s.sect - 1u]);
  });
  if (symbol == nullptr) return false;
  symbol->sect = static_cast<uint8_t>(200 + b % 50);
  return true;
}
bool SymbolOutside(Container& c, uint64_t a, uint64_t b) {
  Symbol* symbol = PickWhere(Symbols(c), a, [&](const Symbol& s) {
    return s.type == hwx::kPlaceSymbol && !hwx::IsKernelSection(c.sections[s.sect - 1u]);
  });
  if (symbol == nullptr) return false;
  symbol->value -= 1 + b;
  return true;
}
bool BrokenStab(Container& c, uint64_t a, uint64_t) {
  Symbol* symbol = PickSymbol(c, hwx::kTypeStabSymbol, a);
  if (symbol == nullptr || symbol->name.find("float16") == 0) return false;
  std::string text(symbol->name);
  text[text.find('=')] = '-';
  symbol->name = c.OwnText(text);
  return true;
}
bool WrongStabDesc(Container& c, uint64_t a, uint64_t b) {
  Symbol* symbol =
      PickWhere(Symbols(c), a, [](const Symbol& s) { return s.type != hwx::kPlaceSymbol; });
  if (symbol == nullptr) return false;
  symbol->desc ^= static_cast<uint16_t>(1 + b % 255);
  return true;
}
bool SwapCatalogEntries(Container& c, uint64_t a, uint64_t b) {
  Symbol* one = PickSymbol(c, hwx::kTypeStabSymbol, a);
  Symbol* two = PickSymbol(c, hwx::kTypeStabSymbol, b);
  if (one == two || one == nullptr) return false;
  std::swap(one->name, two->name);
  return Relay(c);
}
// A symbol in the middle of a live tile that no relocation names.
bool UnalignedTile(Container& c, uint64_t, uint64_t b) {
  Symbol* first = PickTile(c, 0);
  if (first == nullptr || !HasRoom(c, 512)) return false;
  Symbol copy = *first;
  copy.name = c.OwnText("Kunaligned");
  copy.value += 1 + b % 63;
  Symbols(c).insert(Symbols(c).begin(), copy);
  return Relay(c);
}
bool SkipLane(Container& c, uint64_t, uint64_t) {
  Symbol* tile = PickWhere(Symbols(c), 0, [](const Symbol& s) {
    return s.type == hwx::kPlaceSymbol && s.name.ends_with("_ne_0");
  });
  if (tile == nullptr || !HasRoom(c, 512)) return false;
  // A kernel of its own whose only lane is 1.
  Symbol copy = *tile;
  copy.name = c.OwnText("Klonely_ne_1");
  Symbols(c).insert(Symbols(c).begin(), copy);
  return Relay(c);
}
bool WrongTileDesc(Container& c, uint64_t a, uint64_t) {
  Symbol* tile = PickTile(c, a);
  if (tile == nullptr) return false;
  tile->desc ^= 2;
  return true;
}

// ---- relocations and tasks ----------------------------------------------------------------------

Relocation* PickRelocation(Container& c, uint64_t choice) {
  Section* text = TextSection(c);
  return text == nullptr ? nullptr : Pick(text->relocations, choice);
}
bool RelocationOutside(Container& c, uint64_t a, uint64_t b) {
  Relocation* relocation = PickRelocation(c, a);
  if (relocation == nullptr) return false;
  relocation->address += static_cast<int32_t>(1 + b % 3);
  return true;
}
bool RelocationKind(Container& c, uint64_t a, uint64_t) {
  Relocation* relocation = PickRelocation(c, a);
  if (relocation == nullptr) return false;
  relocation->pc_relative = false;
  return true;
}
bool RelocationElsewhere(Container& c, uint64_t a, uint64_t) {
  Relocation* relocation = PickRelocation(c, a);
  if (relocation == nullptr || TextSection(c)->tasks->generation->version != 7) return false;
  relocation->address = 0x20;
  return true;
}
bool RelocationToNoTile(Container& c, uint64_t a, uint64_t b) {
  Relocation* relocation = PickRelocation(c, a);
  Section* text = TextSection(c);
  if (relocation == nullptr) return false;
  td::Chain& chain = *text->tasks;
  for (td::Task& task : chain.tasks) {
    const int64_t within = relocation->address - int64_t{task.offset};
    if (within < 0x74 || within >= 0xb4) continue;
    task.values[static_cast<size_t>((within - 0x2c) / 4)] |= static_cast<uint32_t>(1 + b % 63);
    return true;
  }
  return false;
}
bool RenameText(Container& c, uint64_t, uint64_t) {
  Section* text = TextSection(c);
  if (text == nullptr || !text->relocations.empty()) return false;
  text->sectname = hwx::MakeName16("__tasks");
  return true;
}
bool LoopTasks(Bytes& bytes, const Container& c, uint64_t a, uint64_t b) {
  const Section* text = c.Text();
  if (text == nullptr || text->tasks->generation->version != 7) return false;
  if (!text->relocations.empty()) return false;
  const auto& tasks = text->tasks->tasks;
  const td::Task& task = tasks[a % tasks.size()];
  const bool loop = b % 2 == 0 && task.offset != 0;
  SetWord(bytes, text->offset + task.offset + 4 * td::kV7NextPointerWord,
          loop ? task.offset : text->tasks->size);
  return true;
}

// ---- banner and the rest ------------------------------------------------------------------------

// Replaces `from` in the banner by text of the same length.
bool ReplaceInBanner(Container& c, std::string_view from, std::string_view to) {
  if (c.build_infos.size() != 1) return false;
  std::string text(c.build_infos.front().text);
  const size_t at = text.find(from);
  if (at == std::string::npos) return false;
  text.replace(at, from.size(), to);
  c.build_infos.front().text = c.OwnText(text);
  return true;
}
bool WrongBannerHead(Container& c, uint64_t, uint64_t) {
  return ReplaceInBanner(c, "ANEC v1", "ANEC v9");
}
bool WrongBannerTarget(Container& c, uint64_t, uint64_t) {
  return ReplaceInBanner(c, "-t h1", "-t h9");
}
bool NoBannerPath(Container& c, uint64_t, uint64_t) { return ReplaceInBanner(c, "\t-o ", "\t-p "); }

bool UnclaimedBytes(Bytes& bytes, const Container& c, uint64_t a, uint64_t) {
  uint64_t end = 0;
  for (const hwx::Symtab& table : c.symtabs) {
    end = std::max(end, uint64_t{table.stroff} + table.strsize);
  }
  for (const Section& section : c.sections) {
    end = std::max(end, section.reloff + 8 * section.relocations.size());
  }
  for (const hwx::Note& note : c.notes) end = std::max(end, note.offset + note.size);
  if (end >= bytes.size() || bytes[end] != 0 || end % hwx::kPage == 0) return false;
  bytes[end] = static_cast<uint8_t>(1 + a % 255);
  return true;
}

bool CutShort(Bytes& bytes, const Container&, uint64_t a, uint64_t b) {
  bytes.resize((a << 16 | b) % bytes.size());
  return true;
}
bool OverflowNcmds(Bytes& bytes, const Container&, uint64_t a, uint64_t) {
  SetWord(bytes, 16, 0xffff0000 | static_cast<uint32_t>(a));
  return true;
}
bool OverflowNsyms(Bytes& bytes, const Container& c, uint64_t a, uint64_t) {
  const Command* symtab = FindCommand(c, hwx::kSymtabCommand, 0);
  if (symtab == nullptr) return false;
  SetWord(bytes, symtab->offset + 12, 0x10000000 | static_cast<uint32_t>(a));
  return true;
}
bool OverflowSections(Bytes& bytes, const Container& c, uint64_t a, uint64_t b) {
  const Command* segment = FindCommand(c, hwx::kSegmentCommand, a);
  if (segment == nullptr) return false;
  SetWord(bytes, segment->offset + 64, 0x7fff0000 | static_cast<uint32_t>(b));
  return true;
}
bool ResizeSymbols(Container& c, uint64_t a, uint64_t) {
  auto& symbols = Symbols(c);
  if (symbols.size() < 2) return false;
  symbols.resize(1 + a % (symbols.size() - 1));
  return Relay(c);
}

// ---- tasks, by the rules of task descriptors ----------------------------------------------------

td::Chain* ChainOf(Container& c) {
  Section* text = TextSection(c);
  return text == nullptr ? nullptr : text->tasks.get();
}
bool IsV7(const td::Chain& chain) { return chain.generation->version == 7; }

bool TaskPosition(Container& c, uint64_t a, uint64_t b) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr || !IsV7(*chain)) return false;
  chain->tasks[a % chain->tasks.size()].header[0] ^= static_cast<uint32_t>(1 + b % 255) << 24;
  return true;
}
bool NextSize(Container& c, uint64_t a, uint64_t b) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr || !IsV7(*chain)) return false;
  td::Task& task = chain->tasks[a % chain->tasks.size()];
  td::SetV7NextSize(task, td::V7NextSize(task) ^ static_cast<uint32_t>(1 + b % 511));
  return true;
}
bool TaskId(Container& c, uint64_t a, uint64_t b) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr) return false;
  chain->tasks[a % chain->tasks.size()].header[0] ^= static_cast<uint32_t>(1 + b % 255);
  return true;
}
// Makes the text section longer, up to the next section or its segment's end.
bool GrowText(Container& c, uint32_t by) {
  Section* text = TextSection(c);
  const Segment* segment = SegmentOf(c, text);
  uint64_t end = segment->vmaddr + segment->vmsize;
  for (const Section& section : c.SectionsOf(*segment)) {
    if (section.addr > text->addr) end = std::min(end, section.addr);
  }
  if (text->addr + text->size + by > end) return false;
  text->tasks->size += by;
  text->size += by;
  return true;
}
// Pulls the last task close to the one before it.
bool NextStep(Container& c, uint64_t, uint64_t) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr || !IsV7(*chain) || chain->tasks.size() < 2) return false;
  td::Task& last = chain->tasks.back();
  td::Task& before = chain->tasks[chain->tasks.size() - 2];
  const uint32_t to = before.offset + before.size;
  const uint32_t by = last.offset - to;
  if (by == 0) return false;
  Section* text = TextSection(c);
  for (Relocation& relocation : text->relocations) {
    if (relocation.address >= static_cast<int32_t>(last.offset)) {
      relocation.address -= static_cast<int32_t>(by);
    }
  }
  before.header[td::kV7NextPointerWord] = to;
  last.offset = to;
  chain->size -= by;
  text->size = chain->size;
  return true;
}
bool TextTail(Container& c, uint64_t, uint64_t) {
  return ChainOf(c) != nullptr && GrowText(c, IsV7(*ChainOf(c)) ? 4 : 0x400);
}
td::RegisterWrite* PickWrite(Container& c, uint64_t a, uint64_t b) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr) return nullptr;
  td::Task& task = chain->tasks[a % chain->tasks.size()];
  return Pick(task.writes, b);
}
bool WriteOutside(Container& c, uint64_t a, uint64_t b) {
  td::RegisterWrite* write = PickWrite(c, a, b);
  if (write == nullptr) return false;
  write->byte_address = 0x1e000;
  return true;
}
bool RunOver(Container& c, uint64_t a, uint64_t b) {
  td::RegisterWrite* write = PickWrite(c, a, b);
  if (write == nullptr || write->count < 2) return false;
  const td::RegisterBlock* block = td::FindBlock(*ChainOf(c)->generation, write->byte_address);
  if (block == nullptr) return false;
  write->byte_address = block->byte_address + 4u * (block->registers - 1u);
  return td::FindBlock(*ChainOf(c)->generation, write->byte_address) == block;
}
bool OddAddress(Container& c, uint64_t a, uint64_t b) {
  td::RegisterWrite* write = PickWrite(c, a, b);
  if (write == nullptr || !IsV7(*ChainOf(c))) return false;
  write->byte_address += 1;
  return true;
}
bool ReservedBits(Container& c, uint64_t a, uint64_t b) {
  td::RegisterWrite* write = PickWrite(c, a, b);
  if (write == nullptr || IsV7(*ChainOf(c)) || write->sparse) return false;
  write->reserved = 1;
  return true;
}
// Lays a later chain out anew with another beginning; the section follows.
bool RelayLater(Container& c) {
  td::Chain& chain = *ChainOf(c);
  const uint32_t before = chain.size;
  td::Layout(chain);
  const uint32_t after = chain.size;
  chain.size = std::min(before, after);
  TextSection(c)->size = chain.size;
  if (after > before && !GrowText(c, after - before)) return false;
  Thread* table = ApertureTable(c);
  table->words[hwx::kFirstTaskWordsWord] = chain.tasks.front().size / 4 - 1;
  return true;
}
bool NoSectionHeader(Container& c, uint64_t, uint64_t) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr || !chain->section_header) return false;
  chain->section_header.reset();
  return RelayLater(c);
}
bool LongHeader(Container& c, uint64_t, uint64_t) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr || chain->generation->alternate_header_words == 0) return false;
  chain->header_words = chain->generation->alternate_header_words;
  // Read as the first word of the stream, this asks for more values than a short task has.
  for (td::Task& task : chain->tasks) task.header[9] = 0x1f8000;
  // The last task gives up its writes, which makes room for the words.
  chain->tasks.back().writes.clear();
  chain->tasks.back().values.clear();
  if (!RelayLater(c)) return false;
  const auto bytes = td::Encode(*chain);
  if (!bytes.ok()) return false;
  const auto again = td::Decode(*bytes, *chain->generation);
  return again.ok() && again->header_words == chain->header_words;
}

constexpr auto kEdits = std::to_array<Edit>({
    {.id = "wrong-cputype", .breaks_rule = "header-cputype", .edit = WrongCputype},
    {.id = "unknown-cpusubtype", .breaks_rule = "header-cpusubtype", .edit = UnknownCpusubtype},
    {.id = "wrong-filetype", .breaks_rule = "header-filetype", .edit = WrongFiletype},
    {.id = "wrong-flags", .breaks_rule = "header-flags", .edit = WrongFlags},
    {.id = "wrong-sizeofcmds", .breaks_rule = "header-sizeofcmds", .edit = WrongSizeofcmds},
    {.id = "odd-cmdsize", .breaks_rule = "command-aligned", .edit = OddCmdsize},
    {.id = "endless-banner", .patch = EndlessBanner},
    {.id = "bad-thread", .breaks_rule = "command-shape", .edit = BadThread},
    {.id = "trailing-bytes", .breaks_rule = "command-trailing", .edit = TrailingBytes},
    {.id = "unknown-command", .breaks_rule = "command-known", .edit = UnknownCommand},
    {.id = "bad-note", .breaks_rule = "note-known", .edit = BadNote},
    {.id = "two-symtabs", .breaks_rule = "one-symtab", .edit = TwoSymtabs},
    {.id = "two-banners", .breaks_rule = "one-build-info", .edit = TwoBanners},
    {.id = "other-flavor", .breaks_rule = "aperture-table", .edit = OtherFlavor},
    {.id = "swap-commands", .edit = SwapCommands},
    {.id = "odd-segment-size", .breaks_rule = "segment-page", .edit = OddSegmentSize},
    {.id = "overlap-segments", .breaks_rule = "segments-disjoint", .edit = OverlapSegments},
    {.id = "file-beyond-memory", .breaks_rule = "segment-file-in-memory", .edit = FileBeyondMemory},
    {.id = "section-outside", .breaks_rule = "section-inside-segment", .edit = SectionOutside},
    {.id = "wrong-section-offset",
     .breaks_rule = "section-file-offset",
     .edit = WrongSectionOffset},
    {.id = "wrong-segname", .breaks_rule = "section-segname", .edit = WrongSegname},
    {.id = "wrong-align", .breaks_rule = "section-aligned", .edit = WrongAlign},
    {.id = "alias-sections", .breaks_rule = "sections-disjoint", .edit = AliasSections},
    {.id = "unknown-kind", .breaks_rule = "section-kind", .edit = UnknownKind},
    {.id = "wrong-relocation-flag",
     .breaks_rule = "section-relocation-flag",
     .edit = WrongRelocationFlag},
    {.id = "window-with-file", .breaks_rule = "window-without-file", .edit = WindowWithFile},
    {.id = "drop-port", .breaks_rule = "window-port", .edit = DropPort},
    {.id = "port-nowhere", .breaks_rule = "port-window", .edit = PortNowhere},
    {.id = "repeat-port", .breaks_rule = "port-name-unique", .edit = RepeatPort},
    {.id = "mix-ports", .breaks_rule = "port-kinds", .edit = MixPorts},
    {.id = "swap-ports", .edit = SwapPorts},
    {.id = "wrong-text-slot", .breaks_rule = "aperture-text", .edit = WrongTextSlot},
    {.id = "wrong-const-slot", .breaks_rule = "aperture-const", .edit = WrongConstSlot},
    {.id = "drop-io-slot", .breaks_rule = "aperture-io", .edit = DropIoSlot},
    {.id = "wrong-task-count", .breaks_rule = "task-count", .edit = WrongTaskCount},
    {.id = "wrong-first-task-words",
     .breaks_rule = "first-task-words",
     .edit = WrongFirstTaskWords},
    {.id = "tensor-without-port", .breaks_rule = "tensor-port", .edit = TensorWithoutPort},
    {.id = "wrong-direction", .breaks_rule = "tensor-direction", .edit = WrongDirection},
    {.id = "wrong-stride", .breaks_rule = "tensor-stab", .edit = WrongStride},
    {.id = "wrong-shape", .breaks_rule = "tensor-stab", .edit = WrongShape},
    {.id = "end-of-catalog", .breaks_rule = "tensor-element", .edit = EndOfCatalog},
    {.id = "small-window", .breaks_rule = "tensor-fits-window", .edit = SmallWindow},
    {.id = "unknown-symbol-type", .breaks_rule = "symbol-type", .edit = UnknownSymbolType},
    {.id = "wrong-symbol-section", .breaks_rule = "symbol-section", .edit = WrongSymbolSection},
    {.id = "symbol-outside", .breaks_rule = "symbol-in-section", .edit = SymbolOutside},
    {.id = "broken-stab", .breaks_rule = "stab-shape", .edit = BrokenStab},
    {.id = "wrong-stab-desc", .breaks_rule = "stab-desc", .edit = WrongStabDesc},
    {.id = "swap-catalog-entries", .breaks_rule = "catalog-order", .edit = SwapCatalogEntries},
    {.id = "unaligned-tile", .breaks_rule = "tile-aligned", .edit = UnalignedTile},
    {.id = "skip-lane", .breaks_rule = "tile-lanes", .edit = SkipLane},
    {.id = "wrong-tile-desc", .breaks_rule = "tile-desc", .edit = WrongTileDesc},
    {.id = "relocation-outside", .breaks_rule = "relocation-inside", .edit = RelocationOutside},
    {.id = "relocation-kind", .breaks_rule = "relocation-kind", .edit = RelocationKind},
    {.id = "relocation-elsewhere",
     .breaks_rule = "relocation-register",
     .edit = RelocationElsewhere},
    {.id = "relocation-to-no-tile", .breaks_rule = "relocation-tile", .edit = RelocationToNoTile},
    {.id = "rename-text", .breaks_rule = "text-present", .edit = RenameText},
    {.id = "loop-tasks", .breaks_rule = "text-decodes", .patch = LoopTasks},
    {.id = "wrong-banner-head", .breaks_rule = "banner-format", .edit = WrongBannerHead},
    {.id = "wrong-banner-target", .breaks_rule = "banner-target", .edit = WrongBannerTarget},
    {.id = "no-banner-path", .breaks_rule = "banner-paths", .edit = NoBannerPath},
    {.id = "unclaimed-bytes", .breaks_rule = "unclaimed-bytes", .patch = UnclaimedBytes},
    {.id = "cut-short", .patch = CutShort},
    {.id = "overflow-ncmds", .patch = OverflowNcmds},
    {.id = "overflow-nsyms", .patch = OverflowNsyms},
    {.id = "overflow-sections", .patch = OverflowSections},
    {.id = "resize-symbols", .edit = ResizeSymbols},
    {.id = "task-position", .breaks_rule = "td-task-position", .edit = TaskPosition},
    {.id = "next-size", .breaks_rule = "td-next-size", .edit = NextSize},
    {.id = "next-step", .breaks_rule = "td-next-step", .edit = NextStep},
    {.id = "write-outside", .breaks_rule = "td-write-in-block", .edit = WriteOutside},
    {.id = "run-over", .breaks_rule = "td-run-in-block", .edit = RunOver},
    {.id = "odd-address", .breaks_rule = "td-word-address", .edit = OddAddress},
    {.id = "text-tail", .breaks_rule = "td-tail", .edit = TextTail},
    {.id = "reserved-bits", .breaks_rule = "td-reserved-bits", .edit = ReservedBits},
    {.id = "task-id", .breaks_rule = "td-task-id", .edit = TaskId},
    {.id = "no-section-header", .breaks_rule = "td-section-header", .edit = NoSectionHeader},
    {.id = "long-header", .breaks_rule = "td-header-words", .edit = LongHeader},
});

constexpr auto kTable = ModelMutations<hwx::Parse, hwx::Write, kEdits>::Make();

}  // namespace

const std::span<const MutationKind> kHwxMutations = kTable;

}  // namespace anecheck
