// The hardware container (magic 0xbeefface) as typed records. Parse makes it from a file without
// copying payload. Write returns the same bytes again. Used by the hwx format, the builder, the
// lowering and the emulator.
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
inline constexpr uint64_t kPage = 0x4000;              // page size of the address translation unit
inline constexpr uint64_t kTile = 0x40;                // alignment that the engine needs
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
  int32_t address = 0;     // from the section's start
  uint32_t symbolnum = 0;  // 24 bits; a section number if `external` is false
  bool pc_relative = false;
  uint8_t length = 0;  // log2 of the number of bytes
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

  uint64_t record_offset = 0;  // offset of this record in the file
  bool in_file = false;        // whether `data` or `tasks` is in the file
  ByteSpan data;
  std::unique_ptr<td::Chain> tasks;  // the tasks of the text section, if it decodes
  std::optional<Error> tasks_error;  // set if the text section does not decode
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
  uint32_t name_offset = 0;  // from the command's start; set by Parse and by Layout
  uint32_t reserved = 0;
  uint64_t vmaddr = 0;
  std::string_view name;
  // The first word, if it is not a name offset. Then the record has the form of specification 000,
  // {byteSize, apertureVA, nameRef}, which occurs in no real file.
  std::optional<uint32_t> byte_size;
};

// The fields before the words of a thread command.
struct ThreadHead {
  uint32_t flavor = 0;
  uint32_t count = 0;
};

// The words of a thread command and the names after them. thread_words.h has the named words.
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
  uint8_t sect = 0;  // section number, from 1
};
inline constexpr uint8_t kPlaceSymbol = 0x0f;  // a tile or a port
// A type, or the stride frame of a buffer inside the program, for example in L2. Compiler 9.509
// writes such stride frames (a third-party container made by macOS 26).
inline constexpr uint8_t kTypeStabSymbol = 0x80;
inline constexpr uint8_t kTensorStabSymbol = 0x20;  // the stride frame of a port

struct Symtab {
  uint32_t symoff = 0;
  uint32_t nsyms = 0;
  uint32_t stroff = 0;
  uint32_t strsize = 0;
  std::vector<Symbol> symbols;
  ByteSpan strings;
  // True if the string table is a zero byte followed by the symbols' names in order. If true, Write
  // makes the table from the names. Otherwise Write writes `strings`.
  bool strings_in_order = false;
};

// A command that is kept as raw bytes. `reason` is empty for an unknown command id.
struct OpaqueCommand {
  ByteSpan body;
  std::string_view reason;
};

// The reason for a source note that does not parse as owner, offset and size. Real files confirm
// only the owner, so such a note is not an error in the file.
inline constexpr std::string_view kNoteShape =
    "a note that is not an owner and a range of the file";

// A load command. It has its kind and the index of its record in the vector for that kind.
struct Command {
  uint32_t cmd = 0;
  uint32_t cmdsize = 0;
  uint32_t index = 0;
  bool opaque = false;
  uint64_t offset = 0;  // in the file
  ByteSpan trailing;    // bytes from the record's end to cmdsize, unless all are zero
};

// Bytes that no record contains or refers to, and that are not all zero.
struct Region {
  uint64_t offset = 0;
  ByteSpan data;
};

// Move-only. Spans and names refer to the bytes given to Parse, or to the container's own bytes.
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
  // Returns the first section with this name, or nullptr.
  const Section* FindSection(std::string_view sectname) const;
  // Returns the section with tasks, or nullptr.
  const Section* Text() const;
};

// Reads a container. The bytes must outlive it. Keeps a text section that does not decode, and a
// command of unexpected shape, as bytes. Errors: kTruncated or kMalformed, with the absolute
// offset, if a record or a range does not fit in the bytes.
Result<Container> Parse(ByteSpan bytes);

// Returns the bytes of a container. Errors: kInvalid if two records need different contents at the
// same offset, or if a record does not fit in `file_size`.
Result<Bytes> Write(const Container& container);

// One weight tile: a symbol in a kernel section, and the bytes up to the next such symbol.
struct Tile {
  const Symbol* symbol = nullptr;
  std::string_view kernel;  // the name without _ne_<i>
  int32_t lane = -1;        // i, or -1 for a table symbol
  uint64_t offset = 0;      // in its section
  ByteSpan data;            // empty for a sentinel at the section's end
  bool sentinel = false;
  size_t order = 0;  // index among the section's symbols
};
// Returns the tiles of a section, sorted by offset. `section_number` counts from 1.
std::vector<Tile> TilesOf(const Container& container, size_t section_number);
// Returns the tiles of all sections, indexed by section, in one pass over the symbols.
std::vector<std::vector<Tile>> AllTiles(const Container& container);

}  // namespace anecheck::hwx

namespace anecheck {
extern const Format kFormat_hwx;
}  // namespace anecheck
