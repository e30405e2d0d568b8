// The rules of a hardware container: what each says and where it comes from.
#include "harness/formats/hwx/rules.h"

#include <array>
#include <vector>

#include "harness/formats/td/rules.h"

namespace anecheck::hwx {
namespace {

constexpr FactEvidence kReal = FactEvidence::kRealFile;
constexpr FactEvidence kAssumed = FactEvidence::kAssumed;

constexpr auto kRules = std::to_array<Rule>({
    {"header-cputype", "cputype is 0x80", "specification 000, table 23.9", kReal},
    {"header-cpusubtype", "cpusubtype is that of a known generation",
     "facts/hwx.md, later generations; a list of public notes, which need not be whole", kAssumed},
    {"header-filetype", "filetype is 2", "specification 000, table 23.9", kReal},
    {"header-flags", "the header's flags are 0x200000", "specification 000, table 23.9", kReal},
    {"header-sizeofcmds", "sizeofcmds is the sum of the commands' sizes",
     "specification 000, table 23.9", kReal},
    {"command-aligned", "a command's size is a multiple of 8", "25 real files", kReal},
    {"command-shape", "a port, thread or banner command reads as its record",
     "facts/hwx.md, port record and thread command", kReal},
    {"command-trailing", "zeros follow a command's record", "nine real files", kReal},
    {"command-known", "a command's id is one that real files have", "facts/hwx.md, load commands",
     kAssumed},
    {"note-known", "a source note is an owner and a range of the file",
     "the usual Mach-O note; no source gives its shape", kAssumed},
    {"one-symtab", "there is one symbol table",
     "specification 000, the 15 load commands of the identity layer", kReal},
    {"one-build-info", "there is one build-info banner",
     "specification 000, the 15 load commands of the identity layer", kReal},
    {"aperture-table", "there is a thread command of flavor 1 with the whole aperture table",
     "facts/hwx.md, thread command", kReal},
    {"segment-page", "a segment's address and memory size are multiples of 0x4000",
     "specification 000, the 16-kibibyte granule; real files", kReal},
    {"segments-disjoint", "segments do not share memory", "specification 000, table 23.6", kReal},
    {"segment-file-in-memory", "a segment's file bytes fit its memory", "real files", kReal},
    {"section-inside-segment", "a section lies in its segment's memory",
     "specification 000, table 23.6", kReal},
    {"section-file-offset",
     "a section's file offset and address are equally far from its segment's, and 0 where the "
     "segment has no file bytes",
     "real files", kReal},
    {"section-segname", "a section names its segment", "real files", kReal},
    {"section-aligned", "a section's address is a multiple of its alignment",
     "specification 000, the 0x4000 and 0x40 alignments", kReal},
    {"sections-disjoint", "sections of a segment do not overlap", "real files", kReal},
    {"section-kind", "the low byte of a section's flags is a known kind",
     "facts/hwx.md, section flags", kAssumed},
    {"section-relocation-flag", "flag 0x100 tells whether a section has relocations",
     "facts/hwx.md, section flags", kReal},
    {"window-without-file", "input, output and bss sections have no bytes in the file",
     "specification 000, the two __FVMLIB windows; facts/hwx.md, windows", kReal},
    {"window-port", "every input and output window has a port", "specification 000; real files",
     kReal},
    {"port-window", "a port's address is that of an input or output window",
     "specification 000, window-binding load commands", kReal},
    {"port-name-unique", "ports have different, non-empty names", "real files", kReal},
    {"port-kinds", "all ports are of one command id", "facts/hwx.md, load commands", kReal},
    {"port-form", "a port is a name offset, a zero, an address and a name",
     "real files; specification 000 has {byteSize, apertureVA, nameRef}", kAssumed},
    {"aperture-text", "base slot 0 and word 512 hold the address of __text",
     "facts/hwx.md, thread command, flavor 1", kReal},
    {"aperture-const", "base slot 1 holds the address of __TEXT,__const",
     "facts/hwx.md, thread command, flavor 1", kReal},
    {"aperture-io", "a base slot from 4 on holds the address of each window",
     "facts/hwx.md, thread command, flavor 1", kReal},
    {"task-count", "word 515 holds the number of tasks", "facts/hwx.md, thread command, flavor 1",
     kReal},
    {"first-task-words", "word 514 holds the words of the first task less one",
     "facts/hwx.md, thread command, flavor 1", kReal},
    {"aperture-later",
     "from H14 on base slots, of 8 or 16 bytes, and words 512 to 515 hold what those of H13 do",
     "more/crossgen_container.csv gives records of 16 bytes; no real file at hand", kAssumed},
    {"tensor-port", "a tensor's name is that of a port", "real files", kReal},
    {"tensor-direction", "a tensor is an input (1) or output (2), as its window is",
     "facts/hwx.md, thread command, flavor 3", kReal},
    {"tensor-stab", "a tensor's shape, strides and type are those of its stab",
     "specification 000, listing 23.6; facts/hwx.md, symbols", kReal},
    {"tensor-element", "a tensor's element type is in the catalog",
     "specification 000, listing 23.5", kReal},
    {"tensor-fits-window", "N times the batch stride fits the tensor's window", "nine real files",
     kReal},
    {"symbol-type", "a symbol's type is 0x0e, 0x0f, 0x80 or 0x20", "facts/hwx.md, symbols", kReal},
    {"symbol-section", "a place symbol names a section, a stab names none", "real files", kReal},
    {"symbol-in-section", "a place symbol's value is in its section or at its end",
     "facts/hwx.md, symbols; specification 000, sentinel tiles", kReal},
    {"stab-shape", "a stab reads as a catalog entry or a stride frame",
     "specification 000, listings 23.5 and 23.6", kReal},
    {"stab-desc", "n_desc of a stab is 0 for a type and its number mod 32 for a tensor",
     "facts/hwx.md, symbols", kReal},
    {"catalog-order", "the catalog's type numbers count up from 1",
     "specification 000, listing 23.5", kReal},
    {"tile-aligned", "a tile starts at a multiple of 64 bytes", "facts/hwx.md, weight tiles",
     kReal},
    {"tile-lanes", "the lanes of a kernel count up from 0",
     "specification 000, weight tiling and the per-lane naming", kReal},
    {"tile-desc", "n_desc is 2 for a live tile and 0 for a sentinel",
     "specification 000, weight tiling and the per-lane naming", kReal},
    {"relocation-inside", "a relocated word lies in its section", "facts/hwx.md, relocations",
     kReal},
    {"relocation-kind", "a relocation is pc-relative, of length 2, against a kernel section",
     "facts/hwx.md, relocations", kReal},
    {"relocation-register", "a relocation patches a coefficient base of a task, at +0x74 + 4i",
     "facts/hwx.md, relocations", kReal},
    {"relocation-tile", "the relocated word holds the offset of a tile",
     "facts/hwx.md, relocations; specification 000, tile base offsets", kReal},
    {"text-present", "there is a __text section", "specification 000, table 23.6", kReal},
    {"text-decodes", "the __text section is a chain of task descriptors",
     "specification 000, task-descriptor linked list", kReal},
    {"banner-format", "the banner begins with ANEC v1, a compiler and its version",
     "facts/hwx.md, build info", kReal},
    {"banner-target", "the banner's target is of the generation of cpusubtype",
     "25 real files of h13; which other targets a cpusubtype serves no source says", kAssumed},
    {"banner-paths", "the banner names the input and output files",
     "specification 000, listing 23.4", kReal},
    {"unclaimed-bytes", "bytes that no record claims are zero", "nine real files", kAssumed},
});
static_assert(kRules.size() == kOwnRules);

}  // namespace

std::span<const Rule> Rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> rules(kRules.begin(), kRules.end());
    const std::span<const Rule> tasks = td::ContainerRules();
    rules.insert(rules.end(), tasks.begin(), tasks.end());
    return rules;
  }();
  return all;
}

}  // namespace anecheck::hwx
