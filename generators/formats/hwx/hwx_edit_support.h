// Helpers with which the edits of hardware containers find and move bytes. Used by the mutations of
// this folder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "harness/base/round_up.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/layout.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/td/td.h"

namespace anecheck::hwx_edits {

using hwx::Command;
using hwx::Container;
using hwx::Port;
using hwx::Relocation;
using hwx::Section;
using hwx::Segment;
using hwx::Symbol;
using hwx::Thread;

template <typename T>
T* Pick(std::vector<T>& items, uint64_t choice) {
  return items.empty() ? nullptr : &items[choice % items.size()];
}

// Picks one of the elements for which `holds` is true. Returns nullptr if there is none.
template <typename T, typename Holds>
T* PickWhere(std::vector<T>& items, uint64_t choice, Holds holds) {
  std::vector<T*> found;
  for (T& item : items) {
    if (holds(item)) found.push_back(&item);
  }
  return found.empty() ? nullptr : found[choice % found.size()];
}

inline Command* PickCommand(Container& c, uint32_t cmd, uint64_t choice) {
  return PickWhere(c.commands, choice,
                   [cmd](const Command& command) { return command.cmd == cmd && !command.opaque; });
}

inline const Command* FindCommand(const Container& c, uint32_t cmd, uint64_t choice) {
  std::vector<const Command*> found;
  for (const Command& command : c.commands) {
    if (command.cmd == cmd && !command.opaque) found.push_back(&command);
  }
  return found.empty() ? nullptr : found[choice % found.size()];
}

inline std::vector<Symbol>& Symbols(Container& c) { return c.symtabs.front().symbols; }

inline Symbol* PickSymbol(Container& c, uint8_t type, uint64_t choice) {
  return PickWhere(Symbols(c), choice, [type](const Symbol& s) { return s.type == type; });
}

inline Symbol* PickTile(Container& c, uint64_t choice) {
  return PickWhere(Symbols(c), choice, [&](const Symbol& s) {
    return s.type == hwx::kPlaceSymbol && hwx::IsKernelSection(c.sections[s.sect - 1u]);
  });
}

inline Thread* ApertureTable(Container& c) {
  return PickWhere(c.threads, 0, [](const Thread& t) { return hwx::IsApertureTable(t); });
}

inline Thread* PickTensor(Container& c, uint64_t choice) {
  return PickWhere(c.threads, choice, [](const Thread& t) { return hwx::IsTensor(t); });
}

inline Section* PickWindow(Container& c, uint64_t choice) {
  return PickWhere(c.sections, choice, [](const Section& s) { return hwx::IsWindow(s); });
}

inline Segment* SegmentOf(Container& c, const Section* section) {
  const auto index = static_cast<uint32_t>(section - c.sections.data());
  return PickWhere(c.segments, 0, [index](const Segment& s) {
    return index >= s.first_section && index < s.first_section + s.nsects;
  });
}

inline Section* TextSection(Container& c) {
  return PickWhere(c.sections, 0, [](const Section& s) { return s.tasks != nullptr; });
}

inline uint64_t EndOfTables(const Container& c) {
  uint64_t end = 0;
  for (const Section& section : c.sections) {
    end = std::max<uint64_t>(end, section.reloff + 8 * section.relocations.size());
  }
  for (const hwx::Symtab& table : c.symtabs) {
    end = std::max(end, uint64_t{table.stroff} + table.strsize);
  }
  for (const hwx::Note& note : c.notes) end = std::max(end, note.offset + note.size);
  return end;
}

// Whether the zeros behind the tables have space for `bytes` more bytes of tables.
inline bool HasRoom(const Container& c, uint64_t bytes) {
  uint64_t first = c.file_size;
  for (const Section& section : c.sections) {
    if (section.in_file) first = std::min<uint64_t>(first, section.offset);
  }
  return EndOfTables(c) + bytes <= first;
}

// Lays out the whole container again. The notes follow the tables.
inline bool Relay(Container& c) {
  if (!HasRoom(c, 512)) return false;
  hwx::Layout(c);
  uint64_t end = uint64_t{c.symtabs.front().stroff} + c.symtabs.front().strsize;
  for (const Section& section : c.sections) {
    end = std::max<uint64_t>(end, section.reloff + 8 * section.relocations.size());
  }
  for (hwx::Note& note : c.notes) {
    note.offset = RoundUp(end, 8);
    end = note.offset + note.size;
  }
  return true;
}

inline void SetWord(Bytes& bytes, uint64_t at, uint32_t word) {
  for (uint64_t i = 0; i < 4 && at + i < bytes.size(); ++i) {
    bytes[at + i] = static_cast<uint8_t>(word >> (8 * i));
  }
}

}  // namespace anecheck::hwx_edits
