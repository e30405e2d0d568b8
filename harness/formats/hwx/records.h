// The record definitions of a hardware container. The codec, the JSON form, the facts and the
// offsets in rules are derived from them. The words of threads are defined in thread_words.h.
// Relocations have bit fields, so the codec reads and writes them without a definition here.
#pragma once

#include "harness/formats/hwx/container.h"
#include "harness/formats/record/typed_record.h"

namespace anecheck::hwx {

inline constexpr std::string_view kCommandsSource = "facts/hwx.md, load commands";

// The head before the record of every load command.
inline constexpr auto kCommandRecord =
    RecordOf<Command>(kCommandsSource, FactEvidence::kRealFile,
                      // JSON has it as "id", next to the name of the kind.
                      Field{"cmd", &Command::cmd, RecordKind::kHex, FieldRole::kSpelled},
                      Field{"cmdsize", &Command::cmdsize, RecordKind::kHex, FieldRole::kFollows});
inline constexpr uint64_t kCommandHead = kCommandRecord.kSize;

inline constexpr auto kHeaderRecord = RecordOf<Header>(
    "specification 000, table 23.9; facts/hwx.md, header", FactEvidence::kRealFile,
    Field{"magic", &Header::magic, RecordKind::kHex},
    Field{"cputype", &Header::cputype, RecordKind::kHex}, Field{"cpusubtype", &Header::cpusubtype},
    Field{"filetype", &Header::filetype},
    Field{"ncmds", &Header::ncmds, RecordKind::kNumber, FieldRole::kCounted},
    Field{"sizeofcmds", &Header::sizeofcmds, RecordKind::kHex, FieldRole::kFollows},
    Field{"flags", &Header::flags, RecordKind::kHex},
    Field{"reserved", &Header::reserved, RecordKind::kHex, FieldRole::kUnlessZero,
          FactEvidence::kAssumed, "the 64-bit Mach-O header ends with it"});
static_assert(kHeaderRecord.kSize == kHeaderSize);

inline constexpr std::string_view kSegmentsSource =
    "specification 000, table 23.6; facts/hwx.md, segments";

inline constexpr auto kSegmentRecord =
    RecordOf<Segment>(kSegmentsSource, FactEvidence::kRealFile, Field{"segname", &Segment::segname},
                      Field{"vmaddr", &Segment::vmaddr, RecordKind::kHex},
                      Field{"vmsize", &Segment::vmsize, RecordKind::kHex},
                      Field{"fileoff", &Segment::fileoff, RecordKind::kHex},
                      Field{"filesize", &Segment::filesize, RecordKind::kHex},
                      Field{"maxprot", &Segment::maxprot}, Field{"initprot", &Segment::initprot},
                      // In JSON it is the length of "sections".
                      Field{"nsects", &Segment::nsects, RecordKind::kNumber, FieldRole::kSpelled},
                      Field{"flags", &Segment::flags, RecordKind::kHex});

inline constexpr auto kSectionRecord = RecordOf<Section>(
    kSegmentsSource, FactEvidence::kRealFile, Field{"sectname", &Section::sectname},
    // JSON leaves it out if it equals the segment's name, which is the usual case.
    Field{"segname", &Section::segname, RecordKind::kNumber, FieldRole::kSpelled},
    Field{"addr", &Section::addr, RecordKind::kHex},
    // JSON has it only if the file has no bytes of the section. Otherwise it is their number.
    Field{"size", &Section::size, RecordKind::kHex, FieldRole::kSpelled},
    Field{"offset", &Section::offset, RecordKind::kHex, FieldRole::kFollows},
    Field{"align", &Section::align},
    Field{"reloff", &Section::reloff, RecordKind::kHex, FieldRole::kFollows,
          FactEvidence::kRealFile, "facts/hwx.md, relocations"},
    Field{"nreloc", &Section::nreloc, RecordKind::kNumber, FieldRole::kCounted},
    Field{"flags", &Section::flags, RecordKind::kHex, FieldRole::kPlain, FactEvidence::kRealFile,
          "facts/hwx.md, section flags"},
    Field{"reserved", &Section::reserved, RecordKind::kNumber, FieldRole::kUnlessZero,
          FactEvidence::kAssumed, "the Mach-O section record ends with them"});

// The width of the address depends on the command.
template <typename Address>
inline constexpr auto kPortRecordOf =
    RecordOf<Port>("facts/hwx.md, port record", FactEvidence::kRealFile,
                   // Derived from the record's size, or "byte_size" in JSON.
                   Field{"name", &Port::name_offset, RecordKind::kHex, FieldRole::kSpelled},
                   Field{"reserved", &Port::reserved, RecordKind::kHex, FieldRole::kUnlessZero},
                   Stored<Address>("vmaddr", &Port::vmaddr, RecordKind::kHex));
inline constexpr auto kShortPortRecord = kPortRecordOf<uint32_t>;
inline constexpr auto kPortRecord = kPortRecordOf<uint64_t>;

inline constexpr auto kThreadRecord =
    RecordOf<ThreadHead>("facts/hwx.md, thread command", FactEvidence::kRealFile,
                         Field{"flavor", &ThreadHead::flavor}, Field{"count", &ThreadHead::count});

inline constexpr auto kNoteRecord =
    RecordOf<Note>("the usual Mach-O note; no source gives its shape", FactEvidence::kAssumed,
                   Field{"owner", &Note::owner, RecordKind::kNumber, FieldRole::kPlain,
                         FactEvidence::kRealFile, kCommandsSource},
                   Field{"offset", &Note::offset, RecordKind::kHex},
                   // In JSON it is the size of "bytes".
                   Field{"size", &Note::size, RecordKind::kHex, FieldRole::kSpelled});

inline constexpr auto kSymtabRecord =
    RecordOf<Symtab>(kCommandsSource, FactEvidence::kRealFile,
                     Field{"symoff", &Symtab::symoff, RecordKind::kHex, FieldRole::kFollows},
                     Field{"nsyms", &Symtab::nsyms, RecordKind::kNumber, FieldRole::kCounted},
                     Field{"stroff", &Symtab::stroff, RecordKind::kHex, FieldRole::kFollows},
                     Field{"strsize", &Symtab::strsize, RecordKind::kHex, FieldRole::kFollows});

// JSON has the parts of a symbol's name (to_json.cc).
inline constexpr auto kSymbolRecord = RecordOf<Symbol>(
    "facts/hwx.md, symbols; specification 000, listings 23.5 and 23.6", FactEvidence::kRealFile,
    Field{"strx", &Symbol::strx}, Field{"type", &Symbol::type}, Field{"sect", &Symbol::sect},
    Field{"desc", &Symbol::desc}, Field{"value", &Symbol::value});

inline constexpr uint64_t kRelocationRecord = 8;

}  // namespace anecheck::hwx
