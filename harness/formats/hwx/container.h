// The hardware container (magic 0xbeefface) as typed records. Parse makes it from a file without
// copying payload, Write turns it back into the same bytes. Used by the hwx format, the builder,
// the lowering and the emulator.
//
// Sources: specification 000 (tables 23.6, 23.9, 23.11), facts/hwx.md (25 real files).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/formats/td/td.h"

namespace anecheck::hwx {

inline constexpr uint32_t kMagic = 0xbeefface;
inline constexpr uint64_t kHeaderSize = 32;
inline constexpr uint64_t kPage = 0x4000;              // granule of the address translation unit
inline constexpr uint64_t kTile = 0x40;                // granule of the engine
inline constexpr uint64_t kApertureBase = 0x30000000;  // specification 000, table 23.6

enum CommandId : uint32_t {
  kSymtabCommand = 0x02,
  kThreadCommand = 0x04,
  kShortPortCommand = 0x06,  // compilers 4 and 5
  kBuildInfoCommand = 0x08,
  kSegmentCommand = 0x19,
  kNoteCommand = 0x31,
  kPortCommand = 0x40,  // compiler 7.6 and later
};

struct Header {
  uint32_t magic = kMagic;
  uint32_t cputype = 0x80;
  uint32_t cpusubtype = 4;
  uint32_t filetype = 2;
  uint32_t ncmds = 0;
  uint32_t sizeofcmds = 0;
  uint32_t flags = 0x200000;
  uint32_t reserved = 0;
};

using Name16 = std::array<char, 16>;
Name16 MakeName16(std::string_view text);     // cut at 16 bytes
std::string_view TextOf(const Name16& name);  // without trailing zeros

// A Mach-O relocation entry. In real files the second word is 0x05000002: section 2, pc-relative,
// length 2.
struct Relocation {
  int32_t address = 0;     // counts from the section's start
  uint32_t symbolnum = 0;  // 24 bits; a section number if `external` is false
  bool pc_relative = false;
  uint8_t length = 0;  // log2 of the bytes
  bool external = false;
  uint8_t type = 0;
};
uint32_t RelocationInfo(const Relocation& relocation);

struct Section {
  Name16 sectname = {};
  Name16 segname = {};
  uint64_t addr = 0;
  uint64_t size = 0;
  uint32_t offset = 0;
  uint32_t align = 0;  // log2
  uint32_t reloff = 0;
  uint32_t nreloc = 0;
  uint32_t flags = 0;
  std::array<uint32_t, 3> reserved = {};

  uint64_t record_offset = 0;  // the place of this record in the file
  bool in_file = false;        // whether `data` or `tasks` is in the file
  ByteSpan data;
  std::unique_ptr<td::Chain> tasks;  // the tasks of the text section, if it decodes
  std::optional<Error> tasks_error;  // why the text section does not decode
  std::vector<Relocation> relocations;
};

struct Segment {
  Name16 segname = {};
  uint64_t vmaddr = 0;
  uint64_t vmsize = 0;
  uint64_t fileoff = 0;
  uint64_t filesize = 0;
  uint32_t maxprot = 0;
  uint32_t initprot = 0;
  uint32_t flags = 0;
  uint32_t first_section = 0;  // index into Container::sections
  uint32_t nsects = 0;
};

struct Port {
  uint32_t name_offset = 0;  // counts from the command's start; set by parsing and laying out
  uint32_t reserved = 0;
  uint64_t vmaddr = 0;
  std::string_view name;
  // The first word if it is no name offset. The record then has the specification's form {byteSize,
  // apertureVA, nameRef}, which no real file has (specification 000).
  std::optional<uint32_t> byte_size;
};

// The fields before the words of a thread command.
struct ThreadHead {
  uint32_t flavor = 0;
  uint32_t count = 0;
};

// The words of a thread command and the names behind them. See thread_words.h for the named words.
struct Thread {
  ThreadHead Head() const { return {flavor, static_cast<uint32_t>(words.size())}; }

  uint32_t flavor = 0;
  std::vector<uint32_t> words;
  std::vector<std::string_view> names;
};
inline constexpr uint32_t kHeaderFlavor = 1;  // aperture table, one per procedure
inline constexpr uint32_t kTensorFlavor = 3;  // one per tensor

struct BuildInfo {
  std::string_view text;
};

struct Note {
  Name16 owner = {};
  uint64_t offset = 0;
  uint64_t size = 0;
  ByteSpan data;
};

struct Symbol {
  std::string_view name;
  uint64_t value = 0;
  uint32_t strx = 0;
  uint16_t desc = 0;
  uint8_t type = 0;
  uint8_t sect = 0;  // counts sections from 1
};
inline constexpr uint8_t kPlaceSymbol = 0x0f;  // tiles and ports
// A type, or the stride frame of a buffer inside the program, in L2 for instance. Compiler 9.509
// writes such frames (a container of a third party, made by macOS 26).
inline constexpr uint8_t kTypeStabSymbol = 0x80;
inline constexpr uint8_t kTensorStabSymbol = 0x20;  // the stride frame of a port

struct Symtab {
  uint32_t symoff = 0;
  uint32_t nsyms = 0;
  uint32_t stroff = 0;
  uint32_t strsize = 0;
  std::vector<Symbol> symbols;
  ByteSpan strings;
  // True if the string table is a zero byte and the symbols' names in order. Then Write makes it
  // from the names, otherwise it writes `strings`.
  bool strings_in_order = false;
};

// A command that is kept as raw bytes; `reason` is empty for an unknown command id.
struct OpaqueCommand {
  ByteSpan body;
  std::string_view reason;
};

// The reason to keep a source note as raw bytes: it does not parse as owner, offset and size. Real
// files confirm only the owner, so another shape is no fault of the file.
inline constexpr std::string_view kNoteShape =
    "a note that is not an owner and a range of the file";

// A load command: its kind and the index of its record in the vector of that kind.
struct Command {
  uint32_t cmd = 0;
  uint32_t cmdsize = 0;
  uint32_t index = 0;
  bool opaque = false;
  uint64_t offset = 0;  // in the file
  ByteSpan trailing;    // bytes behind the record up to cmdsize, if not all are zero
};

// Bytes of the file that no record claims and that are not zero.
struct Region {
  uint64_t offset = 0;
  ByteSpan data;
};

// Move-only. Spans and names view the bytes given to Parse, or bytes that the container owns.
struct Container {
  Header header;
  std::vector<Command> commands;
  std::vector<Segment> segments;
  std::vector<Section> sections;
  std::vector<Port> ports;
  std::vector<Thread> threads;
  std::vector<BuildInfo> build_infos;
  std::vector<Note> notes;
  std::vector<Symtab> symtabs;
  std::vector<OpaqueCommand> opaque_commands;
  std::vector<Region> regions;
  uint64_t file_size = 0;

  std::vector<std::unique_ptr<Bytes>> owned;
  ByteSpan Own(Bytes bytes);
  std::string_view OwnText(std::string_view text);

  std::span<const Section> SectionsOf(const Segment& segment) const {
    return std::span(sections).subspan(segment.first_section, segment.nsects);
  }
  // The first section with this name, or nullptr.
  const Section* FindSection(std::string_view sectname) const;
  // The section with tasks, or nullptr.
  const Section* Text() const;
};

// Reads a container. The bytes must outlive it. A text section that does not decode and a command
// of unexpected shape are kept as bytes. Errors: kTruncated or kMalformed, with the absolute
// offset, if a record or a range does not fit in the bytes.
Result<Container> Parse(ByteSpan bytes);

// The bytes of a container. Errors: kInvalid if two records claim the same bytes with different
// contents, or if a record does not fit in `file_size`.
Result<Bytes> Write(const Container& container);

// One weight tile: a symbol of a kernel section and the bytes up to the next one.
struct Tile {
  const Symbol* symbol = nullptr;
  std::string_view kernel;  // the name without _ne_<i>
  int32_t lane = -1;        // i, or -1 for a table symbol
  uint64_t offset = 0;      // in its section
  ByteSpan data;            // empty for a sentinel at the section's end
  bool sentinel = false;
  size_t order = 0;  // the position among the section's symbols
};
// The tiles of a section, by offset. `section_number` counts from 1.
std::vector<Tile> TilesOf(const Container& container, size_t section_number);
// The tiles of every section, by the section's index, in one pass over the symbols.
std::vector<std::vector<Tile>> AllTiles(const Container& container);

}  // namespace anecheck::hwx

namespace anecheck {
extern const Format kFormat_hwx;
}  // namespace anecheck
