// The rules of a container's own records: header, commands, segments, sections, banner.
#include <algorithm>

#include "harness/base/counted.h"
#include "harness/formats/hwx/banner.h"
#include "harness/formats/hwx/bindings.h"
#include "harness/formats/hwx/rule_groups.h"
#include "harness/formats/rules.h"

namespace anecheck::hwx {
namespace {

constexpr FactEvidence kReal = FactEvidence::kRealFile;
constexpr FactEvidence kAssumed = FactEvidence::kAssumed;
constexpr std::string_view kTable239 = "specification 000, table 23.9";
constexpr std::string_view kIdentity =
    "specification 000, the 15 load commands of the identity layer";

// Offsets from the start of a segment's command.
constexpr uint64_t kVmaddrAt = kCommandHead + kSegmentRecord.OffsetOf("vmaddr");
constexpr uint64_t kFilesizeAt = kCommandHead + kSegmentRecord.OffsetOf("filesize");

uint64_t At(const Section& section, uint64_t field) { return section.record_offset + field; }
constexpr uint64_t kAddrAt = kSectionRecord.OffsetOf("addr");

// Calls visit(index, command, reason) for commands that are kept as bytes.
template <typename Visit>
void ForEachOpaque(const Container& c, Visit visit) {
  for (size_t i = 0; i < c.commands.size(); ++i) {
    const Command& command = c.commands[i];
    if (command.opaque) visit(i, command, c.opaque_commands[command.index].reason);
  }
}

// Sorts records by address and calls tell(record, previous) for each that begins inside the
// previous one.
template <typename Record, typename Begin, typename Size, typename Tell>
void CheckDisjoint(std::vector<Record> records, Begin begin, Size size, Tell tell) {
  std::ranges::sort(records, {}, begin);
  for (size_t i = 1; i < records.size(); ++i) {
    if (begin(records[i]) - begin(records[i - 1]) < size(records[i - 1])) {
      tell(records[i], records[i - 1]);
    }
  }
}

bool IsInside(const Segment& segment, const Section& section) {
  return section.addr >= segment.vmaddr && section.size <= segment.vmsize &&
         section.addr - segment.vmaddr <= segment.vmsize - section.size;
}

constexpr auto kRules = RulesOf<Bindings>({
    {"header-cputype", "cputype is 0x80", kTable239, kReal,
     [](const Bindings& b, RuleReport& broken) {
       if (b.c.header.cputype == 0x80) return;
       broken(kHeaderRecord.OffsetOf("cputype"), "header.cputype is 0x{:x}, must be 0x80",
              b.c.header.cputype);
     }},
    {"header-cpusubtype", "cpusubtype is that of a known generation",
     "facts/hwx.md, later generations; a list in public notes, which may be incomplete", kAssumed,
     [](const Bindings& b, RuleReport& broken) {
       const uint32_t subtype = b.c.header.cpusubtype;
       if (!FamilyOfSubtype(subtype).empty()) return;
       broken(kHeaderRecord.OffsetOf("cpusubtype"),
              "cpusubtype {} is of no known generation, its task descriptors are kept as bytes",
              subtype);
     }},
    {"header-filetype", "filetype is 2", kTable239, kReal,
     [](const Bindings& b, RuleReport& broken) {
       if (b.c.header.filetype == 2) return;
       broken(kHeaderRecord.OffsetOf("filetype"), "header.filetype is {}, must be 2",
              b.c.header.filetype);
     }},
    {"header-flags", "the header's flags are 0x200000", kTable239, kReal,
     [](const Bindings& b, RuleReport& broken) {
       if (b.c.header.flags == 0x200000) return;
       broken(kHeaderRecord.OffsetOf("flags"), "header.flags is 0x{:x}, must be 0x200000",
              b.c.header.flags);
     }},
    {"header-sizeofcmds", "sizeofcmds is the sum of the commands' sizes", kTable239, kReal,
     [](const Bindings& b, RuleReport& broken) {
       uint64_t sum = 0;
       for (const Command& command : b.c.commands) sum += command.cmdsize;
       if (b.c.header.sizeofcmds == sum) return;
       broken(kHeaderRecord.OffsetOf("sizeofcmds"),
              "header.sizeofcmds is 0x{:x}, the commands take 0x{:x}", b.c.header.sizeofcmds, sum);
     }},
    {"command-aligned", "a command's size is a multiple of 8", "25 real files", kReal,
     [](const Bindings& b, RuleReport& broken) {
       for (size_t i = 0; i < b.c.commands.size(); ++i) {
         const Command& command = b.c.commands[i];
         if (command.cmdsize % 8 == 0) continue;
         broken(command.offset + kCommandRecord.OffsetOf("cmdsize"),
                "command[{}].cmdsize is 0x{:x}, no multiple of 8", i, command.cmdsize);
       }
     }},
    {"command-shape", "a port, thread or banner command parses as its record",
     "facts/hwx.md, port record and thread command", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachOpaque(b.c, [&](size_t i, const Command& command, std::string_view reason) {
         if (reason.empty() || reason == kNoteShape) return;
         broken(command.offset, "command[{}] (0x{:x}): {}", i, command.cmd, reason);
       });
     }},
    {"command-trailing", "zeros follow a command's record", "nine real files", kReal,
     [](const Bindings& b, RuleReport& broken) {
       for (size_t i = 0; i < b.c.commands.size(); ++i) {
         const Command& command = b.c.commands[i];
         if (command.trailing.empty()) continue;
         broken(command.offset, "command[{}] has {} bytes behind its record", i,
                command.trailing.size());
       }
     }},
    {"command-known", "a command's id is one that real files have", "facts/hwx.md, load commands",
     kAssumed,
     [](const Bindings& b, RuleReport& broken) {
       ForEachOpaque(b.c, [&](size_t i, const Command& command, std::string_view reason) {
         if (reason.empty())
           broken(command.offset, "command[{}] (0x{:x}): unknown id", i, command.cmd);
       });
     }},
    {"note-known", "a source note is an owner and a range of the file",
     "the usual Mach-O note; no source gives its shape", kAssumed,
     [](const Bindings& b, RuleReport& broken) {
       ForEachOpaque(b.c, [&](size_t i, const Command& command, std::string_view reason) {
         if (reason != kNoteShape) return;
         broken(command.offset, "command[{}] (0x{:x}): {}", i, command.cmd, reason);
       });
     }},
    {"one-symtab", "there is one symbol table", kIdentity, kReal,
     [](const Bindings& b, RuleReport& broken) {
       const size_t count = b.c.symtabs.size();
       if (count != 1) broken(kHeaderSize, "there are {} symbol tables, must be 1", count);
     }},
    {"one-build-info", "there is one build-info banner", kIdentity, kReal,
     [](const Bindings& b, RuleReport& broken) {
       const size_t count = b.c.build_infos.size();
       if (count != 1) broken(kHeaderSize, "there are {} banners, must be 1", count);
     }},
    {"segment-page", "a segment's address and memory size are multiples of 0x4000",
     "specification 000, the 16-kibibyte granule; real files", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachSegment(b.c, [&](const Segment& segment, uint64_t at) {
         if (segment.vmaddr % kPage == 0 && segment.vmsize % kPage == 0) return;
         broken(at + kVmaddrAt,
                "segment '{}' at 0x{:x} of 0x{:x} bytes is not in whole pages of 0x4000 bytes",
                TextOf(segment.segname), segment.vmaddr, segment.vmsize);
       });
     }},
    {"segments-disjoint", "segments do not share memory", "specification 000, table 23.6", kReal,
     [](const Bindings& b, RuleReport& broken) {
       std::vector<std::pair<const Segment*, uint64_t>> segments;
       ForEachSegment(b.c, [&](const Segment& segment, uint64_t at) {
         if (segment.vmsize != 0) segments.emplace_back(&segment, at);
       });
       CheckDisjoint(
           std::move(segments), [](const auto& s) { return s.first->vmaddr; },
           [](const auto& s) { return s.first->vmsize; },
           [&](const auto& second, const auto& first) {
             broken(second.second + kVmaddrAt, "segment '{}' at 0x{:x} begins in '{}'",
                    TextOf(second.first->segname), second.first->vmaddr,
                    TextOf(first.first->segname));
           });
     }},
    {"segment-file-in-memory", "a segment's file bytes fit its memory", "real files", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachSegment(b.c, [&](const Segment& segment, uint64_t at) {
         if (segment.filesize <= segment.vmsize) return;
         broken(at + kFilesizeAt, "segment '{}' has 0x{:x} bytes for 0x{:x} of memory",
                TextOf(segment.segname), segment.filesize, segment.vmsize);
       });
     }},
    {"section-inside-segment", "a section lies in its segment's memory",
     "specification 000, table 23.6", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachSection(b.c, [&](const Segment& segment, const Section& section, uint64_t) {
         if (IsInside(segment, section)) return;
         broken(
             At(section, kAddrAt),
             "section '{}' at 0x{:x} of 0x{:x} bytes leaves its segment at 0x{:x} of 0x{:x} bytes",
             TextOf(section.sectname), section.addr, section.size, segment.vmaddr, segment.vmsize);
       });
     }},
    {"section-file-offset",
     "a section is as far from its segment's start in the file as in memory; its file offset is 0 "
     "if it has no bytes in the file",
     "real files", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachSection(b.c, [&](const Segment& segment, const Section& section, uint64_t) {
         const uint64_t expected =
             section.in_file ? segment.fileoff + (section.addr - segment.vmaddr) : 0;
         if (!IsInside(segment, section) || section.offset == expected) return;
         broken(At(section, kSectionRecord.OffsetOf("offset")),
                "section '{}' has offset 0x{:x}, expected 0x{:x}", TextOf(section.sectname),
                section.offset, expected);
       });
     }},
    {"section-segname", "a section names its segment", "real files", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachSection(b.c, [&](const Segment& segment, const Section& section, uint64_t) {
         if (section.segname == segment.segname) return;
         broken(At(section, kSectionRecord.OffsetOf("segname")), "section '{}' names segment '{}'",
                TextOf(section.sectname), TextOf(section.segname));
       });
     }},
    {"section-aligned", "a section's address is a multiple of its alignment",
     "specification 000, the 0x4000 and 0x40 alignments", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachSection(b.c, [&](const Segment&, const Section& section, uint64_t) {
         if (section.align < 64 && section.addr % (uint64_t{1} << section.align) == 0) return;
         broken(At(section, kSectionRecord.OffsetOf("align")),
                "section '{}' at 0x{:x} is at no multiple of its alignment 2^{}",
                TextOf(section.sectname), section.addr, section.align);
       });
     }},
    {"sections-disjoint", "sections of a segment do not overlap", "real files", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachSegment(b.c, [&](const Segment& segment, uint64_t) {
         std::vector<const Section*> sections;
         for (const Section& section : b.c.SectionsOf(segment)) {
           if (section.size != 0) sections.push_back(&section);
         }
         CheckDisjoint(
             std::move(sections), [](const Section* s) { return s->addr; },
             [](const Section* s) { return s->size; },
             [&](const Section* second, const Section* first) {
               broken(At(*second, kAddrAt), "section '{}' at 0x{:x} begins in '{}'",
                      TextOf(second->sectname), second->addr, TextOf(first->sectname));
             });
       });
     }},
    {"section-kind", "the low byte of a section's flags is a known kind",
     "facts/hwx.md, section flags", kAssumed,
     [](const Bindings& b, RuleReport& broken) {
       ForEachSection(b.c, [&](const Segment&, const Section& section, uint64_t) {
         if (!SectionKindName(section.flags).empty()) return;
         broken(At(section, kSectionRecord.OffsetOf("flags")),
                "section '{}' has flags 0x{:x}, whose low byte is no known kind",
                TextOf(section.sectname), section.flags);
       });
     }},
    {"section-relocation-flag", "flag 0x100 is set if and only if a section has relocations",
     "facts/hwx.md, section flags", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachSection(b.c, [&](const Segment&, const Section& section, uint64_t) {
         if (((section.flags & kHasRelocations) != 0) == (section.nreloc != 0)) return;
         broken(At(section, kSectionRecord.OffsetOf("flags")),
                "section '{}' has flags 0x{:x} and {} relocations", TextOf(section.sectname),
                section.flags, section.nreloc);
       });
     }},
    {"window-without-file", "input, output and bss sections have no bytes in the file",
     "specification 000, the two __FVMLIB windows; facts/hwx.md, windows", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachSection(b.c, [&](const Segment& segment, const Section& section, uint64_t at) {
         const bool empty_kind = IsWindow(section) || KindOf(section) == kBssSection;
         if (!empty_kind || (segment.fileoff == 0 && segment.filesize == 0)) return;
         broken(at + kCommandHead + kSegmentRecord.OffsetOf("fileoff"),
                "section '{}' must have no file bytes, but its segment has offset 0x{:x} and "
                "0x{:x} bytes in the file",
                TextOf(section.sectname), segment.fileoff, segment.filesize);
       });
     }},
    {"text-present", "there is a __text section", "specification 000, table 23.6", kReal,
     [](const Bindings& b, RuleReport& broken) {
       if (b.c.FindSection("__text") == nullptr) broken(kHeaderSize, "no section is named __text");
     }},
    {"text-decodes", "the __text section is a chain of task descriptors",
     "specification 000, task-descriptor linked list", kReal,
     [](const Bindings& b, RuleReport& broken) {
       for (const Section& section : b.c.sections) {
         const std::optional<Error>& error = section.tasks_error;
         // The rule header-cpusubtype reports a generation with unknown coding.
         if (!error || error->code == ErrorCode::kUnsupported) continue;
         broken.Say(error->offset == Error::kNoOffset ? section.offset : error->offset,
                    error->message);
       }
     }},
    {"banner-format", "the banner begins with ANEC v1, a compiler and its version",
     "facts/hwx.md, build info", kReal,
     [](const Bindings& b, RuleReport& broken) {
       for (const auto& [banner, at] : b.banners) {
         const bool whole = !banner.compiler.empty() && !banner.version.empty();
         if (banner.format == "ANEC v1" && whole) continue;
         broken(at, "the banner begins with '{}' '{}'", banner.format, banner.compiler);
       }
     }},
    {"banner-target", "the banner's target is of the generation of cpusubtype",
     "25 real files of h13; no source lists the other targets of a cpusubtype", kAssumed,
     [](const Bindings& b, RuleReport& broken) {
       for (const auto& [banner, at] : b.banners) {
         const std::string_view family = FamilyOfSubtype(b.c.header.cpusubtype);
         if (family.empty() || TargetIsOf(banner.target, family)) continue;
         broken(at, "the banner's target is '{}', cpusubtype {} is {}", banner.target,
                b.c.header.cpusubtype, family);
       }
     }},
    {"banner-paths", "the banner names the input and output files",
     "specification 000, listing 23.4", kReal,
     [](const Bindings& b, RuleReport& broken) {
       for (const auto& [banner, at] : b.banners) {
         if (banner.input.empty() || banner.output.empty()) broken(at, "the banner lacks -i or -o");
       }
     }},
    {"unclaimed-bytes", "bytes that no record claims are zero", "nine real files", kAssumed,
     [](const Bindings& b, RuleReport& broken) {
       for (const Region& region : b.c.regions) {
         broken(region.offset, "no record claims {} at 0x{:x}", Counted(region.data.size(), "byte"),
                region.offset);
       }
     }},
});

}  // namespace

std::span<const Rule> LayoutRules() { return kRules.rules(); }

void VerifyLayout(const Bindings& bindings, ViolationList& violations) {
  kRules.Verify(bindings, 0, violations);
}

}  // namespace anecheck::hwx
