#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <memory_resource>
#include <optional>
#include <string>

#include "harness/base/byte_writer.h"
#include "harness/formats/hwx/layout.h"
#include "harness/formats/message.h"

namespace anecheck::hwx {
namespace {

// The bytes of the file that Write makes. Two parts may have bytes at the same offset only if these
// bytes are equal. Different bytes are an error.
class Canvas {
 public:
  explicit Canvas(uint64_t size) : bytes_(size) {}

  // `what` names the data in messages. `section` is set only for the data of a section.
  Status Place(uint64_t offset, ByteSpan data, std::string_view what,
               std::optional<size_t> section = {}) {
    if (data.empty()) return {};
    if (offset > bytes_.size() || data.size() > bytes_.size() - offset) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("{}: {} bytes do not fit in a file of {}", Name(what, section),
                                   data.size(), bytes_.size()),
                       offset);
    }
    const uint64_t end = offset + data.size();
    auto next = placed_.upper_bound(offset);
    if (next != placed_.begin() && std::prev(next)->second > offset) --next;
    for (auto other = next; other != placed_.end() && other->first < end; ++other) {
      const uint64_t from = std::max(offset, other->first);
      const uint64_t to = std::min(end, other->second);
      if (!std::equal(bytes_.begin() + static_cast<ptrdiff_t>(from),
                      bytes_.begin() + static_cast<ptrdiff_t>(to),
                      data.begin() + static_cast<ptrdiff_t>(from - offset))) {
        return MakeError(
            ErrorCode::kInvalid,
            fmt::format("{}: overlaps other contents of the file", Name(what, section)), from);
      }
    }
    std::copy(data.begin(), data.end(), bytes_.begin() + static_cast<ptrdiff_t>(offset));
    Join(offset, end, next);
    return {};
  }

  Bytes Take() && { return std::move(bytes_); }

 private:
  static std::string Name(std::string_view what, std::optional<size_t> section) {
    return section ? fmt::format("section[{}].{}", *section, what) : std::string(what);
  }

  using Ranges = std::pmr::map<uint64_t, uint64_t>;

  void Join(uint64_t begin, uint64_t end, Ranges::iterator next) {
    while (next != placed_.end() && next->first < end) {
      begin = std::min(begin, next->first);
      end = std::max(end, next->second);
      next = placed_.erase(next);
    }
    placed_[begin] = end;
  }

  Bytes bytes_;
  std::array<std::byte, 1024> room_;  // memory for the ranges of a small container
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
  Ranges placed_{&memory_};
};

void PutPort(const auto& record, Port port, ByteWriter& writer) {
  port.name_offset = port.byte_size.value_or(port.name_offset);
  record.Write(port, writer);
  writer.CString(port.name);
}

void PutThread(const Thread& thread, ByteWriter& writer) {
  kThreadRecord.Write(thread.Head(), writer);
  writer.U32s(thread.words);
  for (const std::string_view name : thread.names) writer.CString(name);
}

void PutRecord(const Container& container, const Command& command, ByteWriter& writer) {
  kCommandRecord.Write(command, writer);
  if (command.opaque) return writer.Bytes(container.opaque_commands[command.index].body);
  switch (command.cmd) {
    case kSegmentCommand: {
      const Segment& segment = container.segments[command.index];
      kSegmentRecord.Write(segment, writer);
      for (const Section& section : container.SectionsOf(segment)) {
        kSectionRecord.Write(section, writer);
      }
      return;
    }
    case kShortPortCommand:
      return PutPort(kShortPortRecord, container.ports[command.index], writer);
    case kPortCommand:
      return PutPort(kPortRecord, container.ports[command.index], writer);
    case kThreadCommand:
      return PutThread(container.threads[command.index], writer);
    case kBuildInfoCommand:
      return writer.CString(container.build_infos[command.index].text);
    case kNoteCommand:
      return kNoteRecord.Write(container.notes[command.index], writer);
    default:
      return kSymtabRecord.Write(container.symtabs[command.index], writer);
  }
}

// Returns the bytes of the header and the commands.
Result<Bytes> CommandBytes(const Container& container) {
  ByteWriter writer;
  uint64_t whole = kHeaderSize;
  for (const Command& command : container.commands) whole += command.cmdsize;
  writer.Reserve(std::min(whole, container.file_size));
  kHeaderRecord.Write(container.header, writer);
  for (size_t i = 0; i < container.commands.size(); ++i) {
    const Command& command = container.commands[i];
    const size_t begin = writer.size();
    PutRecord(container, command, writer);
    writer.Bytes(command.trailing);
    const size_t size = writer.size() - begin;
    if (size > command.cmdsize) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("command[{}].cmdsize: {} bytes, the record takes {}", i,
                                   command.cmdsize, size),
                       begin + kCommandRecord.OffsetOf("cmdsize"));
    }
    writer.PadTo(begin + command.cmdsize);
  }
  return std::move(writer).Take();
}

Bytes SymbolBytes(const Symtab& table) {
  ByteWriter writer;
  writer.Reserve(kSymbolRecord.kSize * table.symbols.size());
  for (const Symbol& symbol : table.symbols) {
    kSymbolRecord.Write(symbol, writer);
  }
  return std::move(writer).Take();
}

Bytes StringBytes(const Symtab& table) {
  ByteWriter writer;
  size_t size = 1;
  for (const Symbol& symbol : table.symbols) size += symbol.name.size() + 1;
  writer.Reserve(size);
  writer.U8(0);
  for (const Symbol& symbol : table.symbols) writer.CString(symbol.name);
  return std::move(writer).Take();
}

Bytes RelocationBytes(const Section& section) {
  ByteWriter writer;
  writer.Reserve(kRelocationRecord * section.relocations.size());
  for (const Relocation& relocation : section.relocations) {
    writer.I32(relocation.address);
    writer.U32(RelocationInfo(relocation));
  }
  return std::move(writer).Take();
}

Status PlaceSection(Canvas& canvas, const Section& section, size_t index) {
  if (section.in_file && section.tasks != nullptr) {
    ANECHECK_ASSIGN(const Bytes text, td::Encode(*section.tasks));
    ANECHECK_RETURN_IF_ERROR(canvas.Place(section.offset, text, "tasks", index));
  } else if (section.in_file) {
    ANECHECK_RETURN_IF_ERROR(canvas.Place(section.offset, section.data, "data", index));
  }
  if (section.relocations.empty()) return {};
  return canvas.Place(section.reloff, RelocationBytes(section), "relocations", index);
}

uint64_t ContentBytes(const Container& container) {
  uint64_t sum = 0;
  for (const Section& section : container.sections) sum += section.data.size();
  for (const Note& note : container.notes) sum += note.data.size();
  for (const Region& region : container.regions) sum += region.data.size();
  return sum;
}

}  // namespace

uint64_t RecordSize(const Container& container, const Command& command) {
  ByteWriter writer;
  PutRecord(container, command, writer);
  return writer.size();
}

Result<Bytes> Write(const Container& container) {
  for (const Command& command : container.commands) {
    if (command.opaque || command.cmd != kShortPortCommand) continue;
    const Port& port = container.ports[command.index];
    if (port.vmaddr <= UINT32_MAX) continue;
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("port '{}': address 0x{:x} does not fit command 0x06, which holds "
                                 "32 bits; command 0x40 holds 64",
                                 Shown(port.name), port.vmaddr));
  }
  constexpr uint64_t kMaxFile = uint64_t{1} << 32;
  if (container.file_size > kMaxFile) {
    return MakeError(ErrorCode::kLimit, fmt::format("file_size: {} bytes, the limit is {}",
                                                    container.file_size, kMaxFile));
  }
  // A few bytes of JSON must not require a huge file, so the bytes without contents are limited.
  constexpr uint64_t kMaxHoles = uint64_t{1} << 28;
  if (container.file_size > kMaxHoles + ContentBytes(container)) {
    return MakeError(
        ErrorCode::kLimit,
        fmt::format("file_size: {} bytes, most of them in no section", container.file_size));
  }
  ANECHECK_ASSIGN(const Bytes commands, CommandBytes(container));
  Canvas canvas(container.file_size);
  ANECHECK_RETURN_IF_ERROR(canvas.Place(0, commands, "commands"));
  for (size_t i = 0; i < container.sections.size(); ++i) {
    ANECHECK_RETURN_IF_ERROR(PlaceSection(canvas, container.sections[i], i));
  }
  for (const Symtab& table : container.symtabs) {
    ANECHECK_RETURN_IF_ERROR(canvas.Place(table.symoff, SymbolBytes(table), "symbols"));
    const Bytes in_order = table.strings_in_order ? StringBytes(table) : Bytes();
    const ByteSpan strings = table.strings_in_order ? ByteSpan(in_order) : table.strings;
    ANECHECK_RETURN_IF_ERROR(canvas.Place(table.stroff, strings, "strings"));
  }
  for (const Note& note : container.notes) {
    ANECHECK_RETURN_IF_ERROR(canvas.Place(note.offset, note.data, "note"));
  }
  for (const Region& region : container.regions) {
    ANECHECK_RETURN_IF_ERROR(canvas.Place(region.offset, region.data, "region"));
  }
  return std::move(canvas).Take();
}

}  // namespace anecheck::hwx
