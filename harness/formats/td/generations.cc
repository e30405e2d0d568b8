// The table of task descriptor generations, with the coding and the register blocks of each
// version. Sources: facts/hwx.md, more/hwx_block_bases.csv, more/td_generations.csv,
// later_programs/conflicts_later.csv.
#include <array>
#include <fmt/format.h>

#include "harness/formats/td/td.h"

namespace anecheck::td {
namespace {

constexpr auto kH13Blocks = std::to_array<RegisterBlock>({
    {"Common", 0x0, 16},
    {"L2", 0x4800, 18},
    {"PE", 0x8800, 4},
    {"NE", 0xc800, 5},
    {"TileDMASrc", 0x13800, 28},
    {"TileDMADst", 0x17800, 7},
    {"KernelDMASrc", 0x1f800, 62},
});

// The public guide gives the addresses of these blocks as word addresses, 0x140 to 0x640.
constexpr auto kH14Blocks = std::to_array<RegisterBlock>({
    {"Common", 0x0, 19},
    {"L2", 0x500, 25},
    {"PE", 0x900, 5},
    {"NE", 0xd00, 5},
    {"TileDMASrc", 0x1100, 53},
    {"TileDMADst", 0x1500, 10},
    {"KernelDMASrc", 0x1900, 70},
});

// The bases of H15 in the guide's register map and parser. The guide's text has the bases of H14,
// which are the alternate bases here (facts source_conflicts.csv).
constexpr auto kH15Blocks = std::to_array<RegisterBlock>({
    {"Common", 0x0, 19},
    {"L2", 0x4100, 25},
    {"PE", 0x4500, 15},
    {"NE", 0x4900, 5},
    {"TileDMASrc", 0x4d00, 53},
    {"TileDMADst", 0x5100, 15},
    {"KernelDMASrc", 0x5500, 72},
    {"CacheDMA", 0x5900, 12},
});

constexpr auto kH16Blocks = std::to_array<RegisterBlock>({
    {"Common", 0x0, 23},
    {"L2", 0x4100, 41},
    {"PE", 0x4500, 15},
    {"NE", 0x4900, 12},
    {"TileDMASrc", 0x4d00, 81},
    {"TileDMADst", 0x5100, 21},
    {"KernelDMASrc", 0x5500, 72},
    {"CacheDMA", 0x5900, 12},
    {"PEIndex", 0x44d0, 1},
});

constexpr auto kH17Blocks = std::to_array<RegisterBlock>({
    {"Common", 0x0, 23},
    {"L2", 0x4100, 42},
    {"PE", 0x4500, 16},
    {"NE", 0x4900, 13},
    {"TileDMASrc", 0x4d00, 83},
    {"TileDMADst", 0x5100, 23},
    {"KernelDMASrc", 0x5500, 74},
    {"CacheDMA", 0x5900, 14},
});

constexpr auto kH18Blocks = std::to_array<RegisterBlock>({
    {"Common", 0x0, 23},
    {"L2", 0x4100, 43},
    {"PE", 0x4500, 16},
    {"NE", 0x4900, 13},
    {"TileDMASrc", 0x4d00, 81},
    {"TileDMADst", 0x5100, 27},
    {"KernelDMASrc", 0x5500, 83},
    {"CacheDMA", 0x5900, 14},
});

// NE has one more register, directly before the word of the multiplier (generations.csv).
constexpr auto kH18gBlocks = std::to_array<RegisterBlock>({
    {"Common", 0x0, 23},
    {"L2", 0x4100, 43},
    {"PE", 0x4500, 16},
    {"NE", 0x4900, 14},
    {"TileDMASrc", 0x4d00, 81},
    {"TileDMADst", 0x5100, 27},
    {"KernelDMASrc", 0x5500, 83},
    {"CacheDMA", 0x5900, 14},
});

// In the guide's text and parser the stream of H16 starts at word 9, but its register map lists ten
// header words.
constexpr auto kGenerations = std::to_array<Generation>({
    {7,
     "H13",
     4,
     Coding::kByteAddress,
     10,
     0,
     kH13Blocks,
     {},
     0x5042a063,
     8,
     FactEvidence::kRealFile,
     "35 streams of 25 real files; specification 000"},
    {11,
     "H14",
     5,
     Coding::kWordAddress,
     8,
     0,
     kH14Blocks,
     {},
     0x5042a0c3,
     16,
     FactEvidence::kPublicNotes,
     "freedomtan guide, H14 register map"},
    {8, "H15", 6, Coding::kWordAddress, 8, 0, kH15Blocks, kH14Blocks, 0x5042a0c3, 16,
     FactEvidence::kPublicNotes, "freedomtan guide, H15 register map"},
    {17,
     "H16",
     7,
     Coding::kWordAddress,
     9,
     10,
     kH16Blocks,
     {},
     0x5042a0c3,
     16,
     FactEvidence::kPublicNotes,
     "freedomtan guide, H16 register map"},
    {19,
     "H17",
     9,
     Coding::kWordAddress,
     9,
     10,
     kH17Blocks,
     {},
     0x5042a0c3,
     16,
     FactEvidence::kPublicNotes,
     "freedomtan guide"},
    {20,
     "H18",
     10,
     Coding::kWordAddress,
     9,
     10,
     kH18Blocks,
     {},
     0,
     0,
     FactEvidence::kPublicNotes,
     "freedomtan guide"},
    {24,
     "H18g",
     11,
     Coding::kWordAddress,
     9,
     0,
     kH18gBlocks,
     {},
     0,
     0,
     FactEvidence::kPublicNotes,
     "generations.csv and header_forms.md of later programs; also H19"},
});

struct KnownElsewhere {
  uint32_t number;
  std::string_view why;
};

constexpr auto kUncodedVersions = std::to_array<KnownElsewhere>({
    {5, "H11: no source describes its task coding"},
    {6, "H12: no source describes its task coding"},
    {10, "an in-memory image (ZinAneTdHw_v10) that no container holds"},
});

constexpr auto kUncodedSubtypes = std::to_array<KnownElsewhere>({
    {1, "H11, version 5: no source describes its task coding"},
    {3, "H12, version 6: no source describes its task coding"},
});

struct Opcode {
  uint32_t word;
  std::string_view name;
};

// Source: specification 000, table 23.8.
constexpr auto kOpcodes = std::to_array<Opcode>({
    {0x5042a063, "Convolution"},
    {0x5000a021, "Reduce-mean"},
    {0x5000b021, "Matrix multiply"},
});

constexpr std::array<std::string_view, 3> kElementFormats = {"int8", "uint8", "float16"};

}  // namespace

std::span<const Generation> Generations() { return kGenerations; }

Result<const Generation*> GenerationOfVersion(uint32_t version) {
  for (const Generation& generation : kGenerations) {
    if (generation.version == version) return &generation;
  }
  for (const KnownElsewhere& known : kUncodedVersions) {
    if (known.number != version) continue;
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("task descriptor version {} is {}", version, known.why));
  }
  return MakeError(
      ErrorCode::kUnsupported,
      fmt::format("unknown task descriptor version {}; known are 7, 8, 11, 17, 19, 20, 24",
                  version));
}

Result<const Generation*> GenerationOfSubtype(uint32_t cpusubtype) {
  for (const Generation& generation : kGenerations) {
    if (generation.cpusubtype == cpusubtype) return &generation;
  }
  for (const KnownElsewhere& known : kUncodedSubtypes) {
    if (known.number != cpusubtype) continue;
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("cpusubtype {} is {}", cpusubtype, known.why));
  }
  return MakeError(
      ErrorCode::kUnsupported,
      fmt::format("unknown cpusubtype {}: its task descriptor version is not known", cpusubtype));
}

const RegisterBlock* FindBlock(const Generation& generation, uint32_t byte_address) {
  for (const auto blocks : {generation.blocks, generation.alternate_blocks}) {
    for (const RegisterBlock& block : blocks) {
      if (byte_address >= block.byte_address &&
          byte_address < block.byte_address + 4u * block.registers) {
        return &block;
      }
    }
  }
  return nullptr;
}

std::string_view OpcodeName(uint32_t word) {
  for (const Opcode& opcode : kOpcodes) {
    if (opcode.word == word) return opcode.name;
  }
  return {};
}

std::string_view ElementFormatName(uint32_t code) {
  return code < kElementFormats.size() ? kElementFormats[code] : std::string_view();
}

}  // namespace anecheck::td
