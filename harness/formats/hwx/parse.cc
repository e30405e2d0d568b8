// Parses a hardware container. Records become typed values. Payload is not copied.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

#include "harness/base/byte_reader.h"
#include "harness/base/planted_bug.h"
#include "harness/formats/hwx/records.h"

namespace anecheck::hwx {
namespace {

constexpr size_t kFewRecords = 4;  // records of each kind in a small container
constexpr size_t kMaxNames = 16;   // limit for a thread command; real files have up to three

bool AllZero(ByteSpan bytes) {
  uint64_t any = 0;
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    any |= word;
  }
  for (; i < bytes.size(); ++i) any |= bytes[i];
  return any == 0;
}

// Reserves room for `more` records. If it must grow, at least doubles the capacity, so that many
// small calls do not move the list each time.
template <typename T>
void MakeRoom(std::vector<T>& records, size_t more) {
  const size_t needed = records.size() + more;
  if (needed <= records.capacity()) return;
  records.reserve(std::max(needed, 2 * records.capacity()));
}

Relocation DecodeRelocation(uint32_t address, uint32_t info) {
  return {.address = static_cast<int32_t>(address),
          .symbolnum = info & 0xffffff,
          .pc_relative = (info >> 24 & 1) != 0,
          .length = static_cast<uint8_t>(info >> 25 & 3),
          .external = (info >> 27 & 1) != 0,
          .type = static_cast<uint8_t>(info >> 28)};
}

class Parser {
 public:
  explicit Parser(ByteSpan bytes) : bytes_(bytes), reader_(bytes) {
    constexpr size_t kFewRanges = 16;
    ranges_.reserve(kFewRanges);
  }

  Result<Container> Run() {
    ANECHECK_RETURN_IF_ERROR(ReadHeader());
    ANECHECK_RETURN_IF_ERROR(ReadCommands());
    ANECHECK_RETURN_IF_ERROR(ReadSections());
    ANECHECK_RETURN_IF_ERROR(ReadTables());
    FindRegions();
    out_.file_size = bytes_.size();
    return std::move(out_);
  }

 private:
  struct Range {
    uint64_t begin;
    uint64_t end;
  };

  Status ReadHeader() {
    Header& header = out_.header;
    ByteReader reader(bytes_, 0, "header");
    kHeaderRecord.Read(reader, header);
    if (bytes_.size() >= sizeof header.magic && header.magic != kMagic) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("header.magic: 0x{:x}, a hardware container has 0x{:x}",
                                   header.magic, kMagic),
                       0);
    }
    reader.CheckCount(header.ncmds, kCommandHead, "ncmds");
    reader_.Skip(kHeaderSize, "header");
    return reader.status();
  }

  Status ReadCommands() {
    out_.commands.reserve(out_.header.ncmds);
    for (uint32_t i = 0; i < out_.header.ncmds; ++i) {
      const uint64_t at = reader_.position();
      Command command;
      command.offset = at;
      ByteReader head = At(at, "command", -1);
      kCommandRecord.Read(head, command);
      ANECHECK_RETURN_IF_ERROR(head.status());
      reader_.Skip(kCommandHead, "command");
      if (command.cmdsize < kCommandHead) {
        return MakeError(ErrorCode::kMalformed,
                         fmt::format("command[{}].cmdsize: {} bytes, a command has at least 8", i,
                                     command.cmdsize),
                         at + kCommandRecord.OffsetOf("cmdsize"));
      }
      ByteReader body = reader_.Sub(at, command.cmdsize, "command", i);
      if (!reader_.ok()) return reader_.status();
      body.Skip(kCommandHead, "command");
      const std::string_view reason = ReadBody(body, command);
      if (!reason.empty()) KeepOpaque(body, command, reason);
      ANECHECK_RETURN_IF_ERROR(body.status());
      out_.commands.push_back(command);
      reader_.Seek(at + command.cmdsize, "command");
    }
    Claim(0, reader_.position());
    return reader_.status();
  }

  // Reads the command's record. Returns "" on success, or the reason to keep the command as bytes.
  // Keeps a command of an unknown kind as bytes and returns "".
  std::string_view ReadBody(ByteReader& body, Command& command) {
    switch (command.cmd) {
      case kSegmentCommand:
        return ReadSegment(body, command);
      case kSymtabCommand:
        return ReadSymtab(body, command);
      case kNoteCommand:
        return ReadNote(body, command);
      case kShortPortCommand:
        return ReadPort(body, command, kShortPortRecord);
      case kPortCommand:
        return ReadPort(body, command, kPortRecord);
      case kThreadCommand:
        return ReadThread(body, command);
      case kBuildInfoCommand:
        return ReadBuildInfo(body, command);
      default:
        KeepOpaque(body, command, {});
        return {};
    }
  }

  template <typename Record>
  static void Keep(Command& command, std::vector<Record>& records,
                   std::type_identity_t<Record> record) {
    command.index = static_cast<uint32_t>(records.size());
    MakeRoom(records, records.empty() ? kFewRecords : 1);
    records.push_back(std::move(record));
  }

  void KeepOpaque(ByteReader& body, Command& command, std::string_view reason) {
    command.opaque = true;
    command.trailing = {};
    Keep(command, out_.opaque_commands, {body.all().subspan(kCommandHead), reason});
  }

  // Keeps the bytes after the record if any of them is not zero. Zeros are padding.
  static void KeepTrailing(ByteReader& body, Command& command) {
    const ByteSpan rest = body.all().subspan(body.position());
    if (!AllZero(rest)) command.trailing = rest;
  }

  std::string_view ReadSegment(ByteReader& body, Command& command) {
    Segment segment;
    kSegmentRecord.Read(body, segment);
    if (!body.CheckCount(segment.nsects, kSectionRecord.kSize, "nsects")) return {};
    segment.first_section = static_cast<uint32_t>(out_.sections.size());
    const Section* const first =
        IsPlanted(PlantedBug::kHwxStaleSection) ? out_.sections.data() : nullptr;
    MakeRoom(out_.sections, segment.nsects);
    for (uint32_t i = 0; i < segment.nsects; ++i) ReadSection(body);
    if (first != nullptr && first->align == ~0u) out_.sections.back().align = 0;
    Keep(command, out_.segments, segment);
    KeepTrailing(body, command);
    return {};
  }

  void ReadSection(ByteReader& body) {
    Section section;
    section.record_offset = body.offset();
    kSectionRecord.Read(body, section);
    out_.sections.push_back(std::move(section));
  }

  std::string_view ReadPort(ByteReader& body, Command& command, const auto& record) {
    if (body.remaining() < record.kSize) return "a port command of fewer bytes than its record";
    Port port;
    record.Read(body, port);
    if (port.name_offset != body.position()) {
      if (command.cmd == kShortPortCommand) return "a port's name does not follow its record";
      port.byte_size = port.name_offset;
      port.name_offset = static_cast<uint32_t>(body.position());
    }
    if (!TakeName(body, port.name)) return "a port's name has no end";
    if (port.byte_size && port.name.empty()) return "a port without a name behind its record";
    KeepTrailing(body, command);
    Keep(command, out_.ports, port);
    return {};
  }

  static bool TakeName(ByteReader& body, std::string_view& name) {
    const ByteSpan rest = body.all().subspan(body.position());
    if (std::find(rest.begin(), rest.end(), 0) == rest.end()) return false;
    name = body.CString("name");
    return true;
  }

  std::string_view ReadThread(ByteReader& body, Command& command) {
    if (body.remaining() < kThreadRecord.kSize) {
      return "a thread command of fewer bytes than its record";
    }
    ThreadHead head;
    kThreadRecord.Read(body, head);
    const bool unchecked = IsPlanted(PlantedBug::kHwxThreadWords);
    if (!unchecked && head.count > body.remaining() / 4) {
      return "a thread command with more words than bytes";
    }
    Thread thread;
    thread.flavor = head.flavor;
    thread.words.resize(head.count);
    body.U32s(thread.words, "state");
    if (!TakeNames(body, thread.names)) {
      thread.names.clear();
      KeepTrailing(body, command);
    }
    Keep(command, out_.threads, std::move(thread));
    return {};
  }

  // Reads names up to the zero padding. Returns false if the bytes are not a list of names.
  static bool TakeNames(ByteReader& body, std::vector<std::string_view>& names) {
    ByteSpan rest = body.all().subspan(body.position());
    const size_t whole = rest.size();
    while (!rest.empty() && rest.back() == 0) rest = rest.first(rest.size() - 1);
    if (rest.empty()) return true;
    if (rest.size() == whole) return false;
    std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
    if (static_cast<size_t>(std::count(text.begin(), text.end(), '\0')) >= kMaxNames) return false;
    for (size_t end = text.find('\0'); end != std::string_view::npos; end = text.find('\0')) {
      names.push_back(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
    names.push_back(text);
    return true;
  }

  std::string_view ReadBuildInfo(ByteReader& body, Command& command) {
    BuildInfo info;
    if (!TakeName(body, info.text)) return "a build banner has no end";
    KeepTrailing(body, command);
    Keep(command, out_.build_infos, info);
    return {};
  }

  std::string_view ReadNote(ByteReader& body, Command& command) {
    if (body.remaining() < kNoteRecord.kSize) return kNoteShape;
    Note note;
    kNoteRecord.Read(body, note);
    if (note.offset > bytes_.size() || note.size > bytes_.size() - note.offset) return kNoteShape;
    note.data = File(note.offset, note.size, "note", body);
    KeepTrailing(body, command);
    Keep(command, out_.notes, note);
    return {};
  }

  std::string_view ReadSymtab(ByteReader& body, Command& command) {
    Symtab table;
    kSymtabRecord.Read(body, table);
    KeepTrailing(body, command);
    Keep(command, out_.symtabs, std::move(table));
    return {};
  }

  // Returns the bytes of the file that a record points to. Several records may point to the same
  // bytes. The sum of all sizes is limited to a few times the size of the file, so that the time
  // stays proportional to the input.
  ByteSpan File(uint64_t offset, uint64_t size, std::string_view field, ByteReader& at) {
    if (!at.ok()) return {};
    if (offset > bytes_.size() || size > bytes_.size() - offset) {
      at.Fail(ErrorCode::kTruncated, field,
              fmt::format("0x{:x} + 0x{:x} ends past the file's end at 0x{:x}", offset, size,
                          bytes_.size()));
      return {};
    }
    claimed_ += size;
    if (claimed_ > 8 * bytes_.size()) {
      at.Fail(ErrorCode::kLimit, field, "records claim the file's bytes more than eight times");
      return {};
    }
    Claim(offset, offset + size);
    return bytes_.subspan(offset, size);
  }

  // Returns a reader at a record of the file, with the context for its messages.
  ByteReader At(uint64_t offset, std::string_view context, int64_t index) {
    return ByteReader(bytes_.subspan(offset), offset, context, index);
  }

  Status ReadSections() {
    for (const Command& command : out_.commands) {
      if (command.cmd != kSegmentCommand || command.opaque) continue;
      const Segment& segment = out_.segments[command.index];
      ByteReader at = At(command.offset + kCommandHead + kSegmentRecord.OffsetOf("fileoff"),
                         "segment", command.index);
      const bool fits =
          segment.fileoff <= bytes_.size() && segment.filesize <= bytes_.size() - segment.fileoff;
      if (!fits) {
        at.Fail(ErrorCode::kTruncated, "fileoff",
                fmt::format("0x{:x} + 0x{:x} ends past the file's end at 0x{:x}", segment.fileoff,
                            segment.filesize, bytes_.size()));
        return at.status();
      }
      for (uint32_t i = 0; i < segment.nsects; ++i) {
        const size_t index = segment.first_section + i;
        ANECHECK_RETURN_IF_ERROR(ReadContent(out_.sections[index], index, segment.filesize != 0));
      }
    }
    return {};
  }

  Status ReadContent(Section& section, size_t index, bool segment_in_file) {
    ByteReader at = At(section.record_offset + kSectionRecord.OffsetOf("size"), "section",
                       static_cast<int64_t>(index));
    section.in_file = segment_in_file && section.offset != 0;
    if (section.in_file) section.data = File(section.offset, section.size, "offset", at);
    if (section.nreloc != 0) {
      const ByteSpan table = File(section.reloff, kRelocationRecord * section.nreloc, "reloff", at);
      ByteReader entries(table, section.reloff, "relocation");
      section.relocations.reserve(table.size() / kRelocationRecord);
      while (!entries.AtEnd()) {
        const uint32_t address = entries.U32("address");
        section.relocations.push_back(DecodeRelocation(address, entries.U32("info")));
      }
    }
    ANECHECK_RETURN_IF_ERROR(at.status());
    // Compilers after 4.2.1 also write a section __INIT,__text, which is not a chain of tasks.
    const bool of_tasks =
        TextOf(section.sectname) == "__text" && TextOf(section.segname) != "__INIT";
    if (section.in_file && of_tasks) DecodeTasks(section);
    return {};
  }

  void DecodeTasks(Section& section) {
    const auto generation = td::GenerationOfSubtype(out_.header.cpusubtype);
    if (!generation.ok()) {
      section.tasks_error = generation.error();
      section.tasks_error->offset = 8;
      return;
    }
    auto chain = td::Decode(section.data, **generation, section.offset);
    if (chain.ok()) {
      section.tasks = std::make_unique<td::Chain>(std::move(chain).value());
    } else {
      section.tasks_error = chain.error();
    }
  }

  Status ReadTables() {
    for (const Command& command : out_.commands) {
      if (command.cmd != kSymtabCommand || command.opaque) continue;
      Symtab& table = out_.symtabs[command.index];
      ByteReader at = At(command.offset + kCommandHead, "symtab", command.index);
      const ByteSpan entries = File(table.symoff, kSymbolRecord.kSize * table.nsyms, "symoff", at);
      table.strings = File(table.stroff, table.strsize, "stroff", at);
      ANECHECK_RETURN_IF_ERROR(at.status());
      ANECHECK_RETURN_IF_ERROR(ReadSymbols(table, entries));
    }
    return {};
  }

  Status ReadSymbols(Symtab& table, ByteSpan entries) {
    ByteReader reader(entries, table.symoff, "symbol");
    ByteReader strings(table.strings, table.stroff, "string");
    table.symbols.reserve(entries.size() / kSymbolRecord.kSize);
    uint64_t expected = 1;  // names in order begin after the zero byte
    bool in_order = table.strsize != 0 && table.strings[0] == 0;
    while (!reader.AtEnd()) {
      Symbol symbol;
      kSymbolRecord.Read(reader, symbol);
      strings.Seek(symbol.strx, "strx");
      symbol.name = strings.CString("name");
      ANECHECK_RETURN_IF_ERROR(strings.status());
      name_bytes_ += symbol.name.size();
      if (name_bytes_ > 8 * bytes_.size()) {
        reader.Fail(ErrorCode::kLimit, "strx", "symbols share names of more than eight files");
        return reader.status();
      }
      in_order = in_order && symbol.strx == expected;
      expected += symbol.name.size() + 1;
      table.symbols.push_back(symbol);
    }
    table.strings_in_order = in_order && expected == table.strsize;
    return {};
  }

  void Claim(uint64_t begin, uint64_t end) {
    if (begin < end) ranges_.push_back({begin, end});
  }

  void FindRegions() {
    std::sort(ranges_.begin(), ranges_.end(),
              [](const Range& a, const Range& b) { return a.begin < b.begin; });
    uint64_t covered = 0;
    for (const Range& range : ranges_) {
      if (range.begin > covered) KeepRegion(covered, range.begin);
      covered = std::max(covered, range.end);
    }
    KeepRegion(covered, bytes_.size());
  }

  void KeepRegion(uint64_t begin, uint64_t end) {
    const ByteSpan bytes = bytes_.subspan(begin, end - begin);
    if (AllZero(bytes)) return;
    const auto holds = [](uint8_t byte) { return byte != 0; };
    const auto first = std::ranges::find_if(bytes, holds);
    const auto last = std::ranges::find_if(bytes.rbegin(), bytes.rend(), holds).base();
    out_.regions.push_back({begin + static_cast<uint64_t>(first - bytes.begin()), {first, last}});
  }

  ByteSpan bytes_;
  ByteReader reader_;
  Container out_;
  std::vector<Range> ranges_;
  uint64_t claimed_ = 0;
  uint64_t name_bytes_ = 0;
};

}  // namespace

Name16 MakeName16(std::string_view text) {
  Name16 name = {};
  std::copy_n(text.begin(), std::min(text.size(), name.size()), name.begin());
  return name;
}

std::string_view TextOf(const Name16& name) { return record::TextOf(name); }

uint32_t RelocationInfo(const Relocation& relocation) {
  return (relocation.symbolnum & 0xffffff) | (relocation.pc_relative ? 1u << 24 : 0) |
         (relocation.length & 3u) << 25 | (relocation.external ? 1u << 27 : 0) |
         static_cast<uint32_t>(relocation.type & 15) << 28;
}

ByteSpan Container::Own(Bytes bytes) {
  owned.push_back(std::make_unique<Bytes>(std::move(bytes)));
  return *owned.back();
}

std::string_view Container::OwnText(std::string_view text) {
  const ByteSpan bytes = Own(Bytes(text.begin(), text.end()));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const Section* Container::FindSection(std::string_view sectname) const {
  for (const Section& section : sections) {
    if (TextOf(section.sectname) == sectname) return &section;
  }
  return nullptr;
}

const Section* Container::Text() const {
  for (const Section& section : sections) {
    if (section.tasks != nullptr) return &section;
  }
  return nullptr;
}

Result<Container> Parse(ByteSpan bytes) { return Parser(bytes).Run(); }

namespace {

// Adds the tile that begins at `symbol` if the symbol lies in `section`.
void AddTile(const Symbol& symbol, const Section& section, std::vector<Tile>& tiles) {
  if (symbol.value < section.addr || symbol.value - section.addr > section.size) return;
  Tile entry{.symbol = &symbol, .kernel = symbol.name, .offset = symbol.value - section.addr};
  entry.order = tiles.size();
  if (const size_t lane = symbol.name.rfind("_ne_"); lane != std::string_view::npos) {
    const std::string_view digits = symbol.name.substr(lane + 4);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), entry.lane);
    if (parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size()) {
      entry.kernel = symbol.name.substr(0, lane);
    }
  }
  entry.sentinel = entry.offset == section.size;
  tiles.push_back(entry);
}

// Sorts tiles and gives each one the bytes up to the next tile.
void ResolveTiles(const Section& section, std::vector<Tile>& tiles) {
  std::sort(tiles.begin(), tiles.end(), [](const Tile& a, const Tile& b) {
    return std::pair(a.offset, a.order) < std::pair(b.offset, b.order);
  });
  if (!section.in_file) return;
  uint64_t end = section.size;
  for (size_t i = tiles.size(); i > 0; --i) {
    Tile& tile = tiles[i - 1];
    if (i < tiles.size() && tiles[i].offset != tile.offset) end = tiles[i].offset;
    tile.data = section.data.subspan(tile.offset, end - tile.offset);
  }
}

}  // namespace

std::vector<Tile> TilesOf(const Container& container, size_t section_number) {
  std::vector<Tile> tiles;
  if (section_number == 0 || section_number > container.sections.size()) return tiles;
  const Section& section = container.sections[section_number - 1];
  for (const Symtab& table : container.symtabs) {
    for (const Symbol& symbol : table.symbols) {
      if (symbol.type == kPlaceSymbol && symbol.sect == section_number) {
        AddTile(symbol, section, tiles);
      }
    }
  }
  ResolveTiles(section, tiles);
  return tiles;
}

std::vector<std::vector<Tile>> AllTiles(const Container& container) {
  std::vector<std::vector<Tile>> tiles(container.sections.size());
  for (const Symtab& table : container.symtabs) {
    for (const Symbol& symbol : table.symbols) {
      if (symbol.type != kPlaceSymbol || symbol.sect == 0 || symbol.sect > tiles.size()) continue;
      AddTile(symbol, container.sections[symbol.sect - 1u], tiles[symbol.sect - 1u]);
    }
  }
  for (size_t i = 0; i < tiles.size(); ++i) ResolveTiles(container.sections[i], tiles[i]);
  return tiles;
}

}  // namespace anecheck::hwx
