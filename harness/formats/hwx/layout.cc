#include "harness/formats/hwx/layout.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/round_up.h"
#include "harness/formats/hwx/thread_words.h"

namespace anecheck::hwx {
namespace {

constexpr uint64_t kCommandUnit = 8;
constexpr uint32_t kShortPortName = kCommandHead + kShortPortRecord.kSize;
constexpr uint32_t kPortName = kCommandHead + kPortRecord.kSize;

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
  return static_cast<uint32_t>(RoundUp(offset, kRelocationRecord));
}

}  // namespace

uint32_t LaidCmdSize(const Container& container, const Command& command) {
  const uint64_t record = RecordSize(container, command) + command.trailing.size();
  return static_cast<uint32_t>(command.opaque ? record : RoundUp(record, kCommandUnit));
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
  return static_cast<uint32_t>(RoundUp(kHeaderSize + LaidSizeofcmds(container), kCommandUnit));
}

Header LaidHeader(const Container& container) {
  Header laid;
  laid.ncmds = static_cast<uint32_t>(container.commands.size());
  laid.sizeofcmds = LaidSizeofcmds(container);
  return laid;
}

Symtab LaidSymtab(uint32_t symoff, const Symtab& table) {
  Symtab laid;
  laid.symoff = symoff;
  laid.nsyms = static_cast<uint32_t>(table.symbols.size());
  laid.stroff = static_cast<uint32_t>(table.symoff + kSymbolRecord.kSize * table.symbols.size());
  uint64_t size = 1;
  for (const Symbol& symbol : table.symbols) size += symbol.name.size() + 1;
  laid.strsize = static_cast<uint32_t>(table.strings_in_order ? size : table.strings.size());
  return laid;
}

Section LaidSection(const Container& container, const Segment& segment, const Section* before,
                    const Section& section) {
  Section laid;
  laid.offset = LaidSectionOffset(segment, section);
  laid.nreloc = static_cast<uint32_t>(section.relocations.size());
  laid.reloff = LaidReloff(container, before, section);
  return laid;
}

uint64_t LaidFileSize(const Container& container) {
  uint64_t end = kHeaderSize + LaidSizeofcmds(container);
  for (const Segment& segment : container.segments) {
    if (segment.filesize != 0) end = std::max(end, segment.fileoff + segment.filesize);
  }
  for (const Section& section : container.sections) {
    if (section.in_file) end = std::max(end, section.offset + section.size);
    end = std::max<uint64_t>(end, section.reloff + kRelocationRecord * section.relocations.size());
  }
  for (const Symtab& table : container.symtabs) {
    end = std::max<uint64_t>({end, table.symoff + kSymbolRecord.kSize * table.symbols.size(),
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

namespace {

class Placement {
 public:
  Placement(Container& container, const Json& document, Status& status)
      : c_(container), document_(document), status_(status) {}

  void Run() {
    Each(kThreadCommand,
         [&](size_t command, uint32_t index) { PlaceWords(c_.threads[index], Command(command)); });
    Each(kShortPortCommand,
         [&](size_t, uint32_t index) { c_.ports[index].name_offset = kShortPortName; });
    Each(kPortCommand, [&](size_t, uint32_t index) { c_.ports[index].name_offset = kPortName; });
    uint64_t offset = kHeaderSize;
    for (size_t i = 0; i < c_.commands.size(); ++i) {
      hwx::Command& command = c_.commands[i];
      JsonFields fields = Command(i);
      kCommandRecord.FollowingFromJson(fields, {.cmdsize = LaidCmdSize(c_, command)}, command);
      command.offset = offset;
      offset += command.cmdsize;
    }
    JsonFields header(Member(document_, "header"), "header", &status_);
    kHeaderRecord.FollowingFromJson(header, LaidHeader(c_), c_.header);
    const uint32_t symoff = LaidSymoff(c_);
    Each(kSymtabCommand, [&](size_t command, uint32_t index) {
      PlaceSymbols(symoff, c_.symtabs[index], Command(command));
    });
    Each(kSegmentCommand, [&](size_t command, uint32_t index) {
      for (uint32_t k = 0; k < c_.segments[index].nsects; ++k) {
        PlaceSection(c_.segments[index], k, Command(command));
      }
    });
    JsonFields fields(document_, "", &status_);
    c_.file_size = fields.UintOr("file_size", LaidFileSize(c_), kMaxSize);
  }

 private:
  static constexpr uint64_t kMaxSize = uint64_t{1} << 30;

  // Returns a part of the document, or an empty object if it is absent.
  static const Json& Member(const Json& object, std::string_view key) {
    static const Json nothing = Json::object();
    const auto found = object.find(key);
    return found == object.end() ? nothing : *found;
  }
  static const Json& Member(const Json& object, std::string_view key, size_t index) {
    const Json& list = Member(object, key);
    return list.is_array() ? list[index] : list;
  }

  JsonFields Command(size_t index) {
    return {Member(document_, "commands", index), fmt::format("commands[{}]", index), &status_};
  }

  template <typename Place>
  void Each(uint32_t cmd, Place place) {
    for (size_t i = 0; i < c_.commands.size(); ++i) {
      if (!c_.commands[i].opaque && c_.commands[i].cmd == cmd) place(i, c_.commands[i].index);
    }
  }

  void PlaceWords(Thread& thread, const JsonFields& fields) {
    for (const ThreadWord& word : ThreadWords(thread.flavor)) {
      if (!Applies(word, thread) || fields.Has(word.name)) continue;
      const auto laid = LaidThreadWord(c_, thread, word.index);
      if (laid) SetThreadValue(thread, word, *laid);
    }
  }

  static void PlaceSymbols(uint32_t symoff, Symtab& table, JsonFields fields) {
    // LaidSymtab reads values that the first pass sets, so a second pass is needed.
    for (int pass = 0; pass < 2; ++pass) {
      kSymtabRecord.FollowingFromJson(fields, LaidSymtab(symoff, table), table);
    }
    uint32_t next = 1;
    for (Symbol& symbol : table.symbols) {
      if (!table.strings_in_order) break;
      symbol.strx = next;
      next += static_cast<uint32_t>(symbol.name.size()) + 1;
    }
  }

  void PlaceSection(const Segment& segment, uint32_t k, const JsonFields& command) {
    Section& section = c_.sections[segment.first_section + k];
    if (section.in_file) section.size = LaidSectionSize(section);
    JsonFields fields(Member(command.object(), "sections", k),
                      command.Path(fmt::format("sections[{}]", k)), &status_);
    kSectionRecord.FollowingFromJson(fields, LaidSection(c_, segment, before_, section), section);
    if (!section.relocations.empty()) before_ = &section;
  }

  Container& c_;
  const Json& document_;
  Status& status_;
  const Section* before_ = nullptr;  // the last of the previous sections that has relocations
};

}  // namespace

void Layout(Container& container, const Json& document, Status& status) {
  Placement(container, document, status).Run();
}

void Layout(Container& container) {
  Status status;
  Layout(container, Json::object(), status);
}

}  // namespace anecheck::hwx
