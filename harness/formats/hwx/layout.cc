#include "harness/formats/hwx/layout.h"

#include <algorithm>

#include "harness/formats/hwx/thread_words.h"

namespace anecheck::hwx {
namespace {

constexpr uint64_t kCommandUnit = 8;
constexpr uint64_t kSymbolRecord = 16;
constexpr uint64_t kRelocationRecord = 8;

}  // namespace

uint64_t RecordSize(const Container& container, const Command& command) {
  if (command.opaque) return 8 + container.opaque_commands[command.index].body.size();
  switch (command.cmd) {
    case kSegmentCommand:
      return 72 + 80ull * container.segments[command.index].nsects;
    case kShortPortCommand:
      return 20 + container.ports[command.index].name.size() + 1;
    case kPortCommand:
      return 24 + container.ports[command.index].name.size() + 1;
    case kThreadCommand: {
      const Thread& thread = container.threads[command.index];
      return NameOffset(thread, thread.names.size());
    }
    case kBuildInfoCommand:
      return 8 + container.build_infos[command.index].text.size() + 1;
    case kNoteCommand:
      return 40;
    default:
      return 24;
  }
}

uint64_t AlignUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

uint32_t LaidCmdSize(const Container& container, const Command& command) {
  const uint64_t record = RecordSize(container, command) + command.trailing.size();
  return static_cast<uint32_t>(command.opaque ? record : AlignUp(record, kCommandUnit));
}

uint32_t LaidSizeofcmds(const Container& container) {
  uint32_t sum = 0;
  for (const Command& command : container.commands) sum += command.cmdsize;
  return sum;
}

uint64_t LaidSectionSize(const Section& section) {
  return section.tasks != nullptr ? section.tasks->size : section.data.size();
}

uint32_t LaidSectionOffset(const Segment& segment, const Section& section) {
  if (!section.in_file) return 0;
  return static_cast<uint32_t>(segment.fileoff + (section.addr - segment.vmaddr));
}

uint32_t LaidSymoff(const Container& container) {
  return static_cast<uint32_t>(AlignUp(kHeaderSize + LaidSizeofcmds(container), kCommandUnit));
}

uint32_t LaidStroff(const Symtab& table) {
  return static_cast<uint32_t>(table.symoff + kSymbolRecord * table.symbols.size());
}

uint32_t LaidStrsize(const Symtab& table) {
  if (!table.strings_in_order) return static_cast<uint32_t>(table.strings.size());
  uint64_t size = 1;
  for (const Symbol& symbol : table.symbols) size += symbol.name.size() + 1;
  return static_cast<uint32_t>(size);
}

std::vector<uint32_t> LaidStrx(const Symtab& table) {
  std::vector<uint32_t> places;
  places.reserve(table.symbols.size());
  uint32_t next = 1;
  for (const Symbol& symbol : table.symbols) {
    places.push_back(next);
    next += static_cast<uint32_t>(symbol.name.size()) + 1;
  }
  return places;
}

uint32_t LaidReloff(const Container& container, const Section* before, const Section& section) {
  if (section.relocations.empty()) return 0;
  uint64_t offset = 0;
  if (before != nullptr) {
    offset = before->reloff + kRelocationRecord * before->relocations.size();
  } else if (!container.symtabs.empty()) {
    const Symtab& table = container.symtabs.front();
    offset = uint64_t{table.stroff} + table.strsize;
  } else {
    offset = LaidSymoff(container);
  }
  return static_cast<uint32_t>(AlignUp(offset, kRelocationRecord));
}

uint64_t LaidFileSize(const Container& container) {
  uint64_t end = kHeaderSize + LaidSizeofcmds(container);
  for (const Segment& segment : container.segments) {
    if (segment.filesize != 0) end = std::max(end, segment.fileoff + segment.filesize);
  }
  for (const Section& section : container.sections) {
    if (section.in_file) end = std::max(end, section.offset + section.size);
    end = std::max(end, section.reloff + kRelocationRecord * section.relocations.size());
  }
  for (const Symtab& table : container.symtabs) {
    end = std::max({end, table.symoff + kSymbolRecord * table.symbols.size(),
                    uint64_t{table.stroff} + table.strsize});
  }
  for (const Note& note : container.notes) end = std::max(end, note.offset + note.size);
  for (const Region& region : container.regions) {
    end = std::max(end, region.offset + region.data.size());
  }
  return end;
}

std::optional<uint32_t> LaidThreadWord(const Container& container, const Thread& thread,
                                       uint32_t word_index) {
  const auto name = [&](size_t k) -> std::optional<uint32_t> {
    if (k >= thread.names.size()) return std::nullopt;
    return NameOffset(thread, k);
  };
  if (thread.flavor == kTensorFlavor) {
    if (word_index == kTensorProcedureWord) return name(0);
    if (word_index == kTensorNameWord) return name(1);
    if (word_index == kSymbolNameWord) return name(2);
    return std::nullopt;
  }
  if (word_index == kProcedureNameWord) return name(0);
  const Section* text = container.Text();
  if (text == nullptr) return std::nullopt;
  const td::Chain& chain = *text->tasks;
  if (word_index == kTaskCountWord) return static_cast<uint32_t>(chain.tasks.size());
  if (word_index == kFirstTaskWordsWord) {
    return td::TaskBytes(chain, chain.tasks.front()) / 4 - 1;
  }
  return std::nullopt;
}

void Layout(Container& container) {
  for (Thread& thread : container.threads) {
    for (const ThreadWord& word : ThreadWords(thread.flavor)) {
      if (!Applies(word, thread)) continue;
      if (const auto laid = LaidThreadWord(container, thread, word.index)) {
        SetThreadValue(thread, word, *laid);
      }
    }
  }
  uint64_t offset = kHeaderSize;
  for (Command& command : container.commands) {
    command.cmdsize = LaidCmdSize(container, command);
    command.offset = offset;
    offset += command.cmdsize;
  }
  for (Command& command : container.commands) {
    if (command.opaque) continue;
    if (command.cmd == kShortPortCommand) container.ports[command.index].name_offset = 20;
    if (command.cmd == kPortCommand) container.ports[command.index].name_offset = 24;
  }
  container.header.ncmds = static_cast<uint32_t>(container.commands.size());
  container.header.sizeofcmds = LaidSizeofcmds(container);
  for (const Segment& segment : container.segments) {
    for (uint32_t i = 0; i < segment.nsects; ++i) {
      Section& section = container.sections[segment.first_section + i];
      if (section.in_file) section.size = LaidSectionSize(section);
      section.offset = LaidSectionOffset(segment, section);
    }
  }
  const uint32_t symoff = LaidSymoff(container);
  for (Symtab& table : container.symtabs) {
    table.nsyms = static_cast<uint32_t>(table.symbols.size());
    table.symoff = symoff;
    table.stroff = LaidStroff(table);
    table.strsize = LaidStrsize(table);
    const std::vector<uint32_t> places = LaidStrx(table);
    for (size_t i = 0; i < places.size() && table.strings_in_order; ++i) {
      table.symbols[i].strx = places[i];
    }
  }
  const Section* before = nullptr;
  for (Section& section : container.sections) {
    section.nreloc = static_cast<uint32_t>(section.relocations.size());
    section.reloff = LaidReloff(container, before, section);
    if (!section.relocations.empty()) before = &section;
  }
  container.file_size = LaidFileSize(container);
}

}  // namespace anecheck::hwx
