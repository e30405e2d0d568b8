#include "harness/formats/td/td.h"

namespace anecheck::td {

std::vector<FieldFact> ChainFacts(const std::string& prefix, FactEvidence coding,
                                  const FieldFact& version) {
  constexpr FactEvidence kNotes = FactEvidence::kPublicNotes;
  const bool real = coding == FactEvidence::kRealFile;
  const char* const stream = real ? "35 streams of 25 real files (facts/hwx.md, register stream)"
                                  : "more/hwx_stream_rules.csv (public guide)";
  const char* const chain = real ? "25 real files (facts/hwx.md, task chain and header)"
                                 : "more/td_generations.csv (public guide)";
  const char* const names =
      real ? "td_v7_fields.json (tinygrad's register list); freedomtan's H13 register map"
           : "public guide; freedomtan's register maps";
  const std::string at = prefix.empty() ? "" : prefix + ".";
  const std::string write = at + "tasks[].writes[]";
  const std::string registers = write + ".registers[]";
  return {
      {at + "version", version.evidence, version.source},
      {at + "section_header", kNotes, "public guide: the words 1, 0, 0, 0 from H14 on"},
      {at + "header_words", kNotes, "public guide against the H16 register map"},
      {at + "size", coding, chain},
      {at + "tasks[].padding", kNotes, "public guide: units of 16 zero bytes from H14 on"},
      {at + "tasks[].extra_word", kNotes,
       "notes, and compiler records of H14 with the flag word 0x50003: a word follows the header"},
      {at + "tasks[].header.NextPointer", coding, chain},
      {at + "tasks[].header.NextSize", coding, chain},
      {at + "tasks[].header.rest", FactEvidence::kOpaque, "bits that no source names"},
      {at + "tasks[].header", kNotes, names},
      {registers + ".rest", FactEvidence::kOpaque, "bits that no source names"},
      {registers + ".derived", kNotes,
       "more/td_v7_field_conflicts.csv: the value where the register map places the field"},
      {registers + ".*", kNotes, names},
      {registers, kNotes, "more/hwx_block_bases.csv: its place in a block; its bits have no names"},
      {write + ".derived.block", kNotes, "more/hwx_block_bases.csv"},
      {write + ".reserved", FactEvidence::kOpaque, "bits 21 to 30, which no source names"},
      {write + ".mask", kNotes, "more/hwx_stream_rules.csv (public guide)"},
      {write + ".address", coding, stream},
  };
}

}  // namespace anecheck::td
