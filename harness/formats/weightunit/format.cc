// Weight units behind the format interface.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/formats/kernelweights/group_record.h"
#include "harness/formats/weightunit/unit.h"

namespace anecheck {

namespace weightunit {
namespace {

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  constexpr FactEvidence kNotes = FactEvidence::kPublicNotes;
  constexpr const char* kSections = "facts/more/weight_sections.csv (guide, chapter 25)";
  constexpr const char* kCodecs = "facts/more/weight_codecs.csv (guide, chapter 25)";
  constexpr const char* kRanges = "facts/more/weight_format_ranges.csv (guide, chapter 25)";
  constexpr const char* kOwn = "the header of a weight unit is this project's own";
  static const std::vector<FieldFact> facts = {
      {"form", FactEvidence::kNotation, kOwn},
      {"channels", FactEvidence::kNotation, kOwn},
      {"elements", FactEvidence::kNotation, kOwn},
      {"type", kNotes, kSections},
      {"index_bits", kNotes, kRanges},
      {"vector_size", kNotes, kRanges},
      {"codebooks", kNotes, kCodecs},
      {"block_channels", FactEvidence::kAssumed,
       "a scale a block is described, the shape of blocks is not"},
      {"block_elements", FactEvidence::kAssumed,
       "a scale a block is described, the shape of blocks is not"},
      {"sections[].section", kNotes, kSections},
      {"sections[].codebooks", kNotes, kRanges},
      {"sections[].records", kNotes, kSections},
      {"sections[].scales", kNotes, kCodecs},
      {"sections[].biases", FactEvidence::kAssumed,
       "the section is named alone; that it holds fp16 is assumed"},
      {"sections[].zero_points", FactEvidence::kAssumed,
       "no source places or types the zero points of w = s(q - z)"},
      {"sections[].halves", kNotes, kSections},
      {"sections[].integers", kNotes, kCodecs},
      {"sections[].indices", kNotes, kCodecs},
      {"sections[].mask", kNotes, kSections},
      {"sections[].nonzeros", kNotes, kSections},
      {"sections[].codes", kNotes, "facts/more/fp8_formats.csv (guide, chapter 36)"},
      {"sections[].bytes", FactEvidence::kOpaque,
       "no source describes the lookup, a section of another id or what is no whole element"}};
  return facts;
}

int Recognise(ByteSpan bytes, std::string_view /*path*/) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin())
             ? 100
             : 0;
}

Result<Json> BytesToJson(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Unit unit, Parse(bytes));
  return ToJson(unit);
}

Result<Bytes> BytesFromJson(const Json& json) {
  ANECHECK_ASSIGN(const Unit unit, FromJson(json));
  return Write(unit);
}

Result<Bytes> Rewrite(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Unit unit, Parse(bytes));
  return Write(unit);
}

Result<std::vector<Violation>> VerifyBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Unit unit, Parse(bytes));
  return Verify(unit);
}

std::string FormText(const Unit& unit) {
  switch (unit.form) {
    case kPalette:
      return fmt::format("  indices of {} bits into {} codebooks of vectors of {}\n",
                         unit.index_bits, unit.codebooks, unit.vector_size);
    case kBlockwise:
      return fmt::format("  blocks of {} x {} (their shape is assumed)\n", unit.block_channels,
                         unit.block_elements);
    default:
      return "";
  }
}

std::string FirstHalves(ByteSpan bytes) {
  constexpr size_t kShown = 8;
  std::string text;
  for (const Half half : HalvesOf(bytes.first(std::min(bytes.size(), 2 * kShown)))) {
    text += fmt::format(" {}", HalfToDouble(half));
  }
  return text + (bytes.size() > 2 * kShown ? " ..." : "");
}

std::string FirstRecord(ByteSpan bytes) {
  const auto records = kernelweights::ParseGroupRecords(
      bytes.first(std::min<size_t>(bytes.size(), kernelweights::kGroupRecordBytes)));
  if (!records.ok() || records->empty()) return "";
  return fmt::format(" {} records, the first of {} channels at {:#x}",
                     bytes.size() / kernelweights::kGroupRecordBytes, records->front().channels,
                     records->front().offset);
}

std::string SectionText(const Unit& unit, const Section& section) {
  const std::string_view name = SectionName(section.id);
  std::string text =
      fmt::format("  {:<8}at {:#x}, {} bytes", name.empty() ? std::to_string(section.id) : name,
                  section.offset, section.bytes.size());
  switch (section.id) {
    case kPal:
    case kScale:
      return text + ":" + FirstHalves(section.bytes) + "\n";
    case kBias:
      return text + " (type assumed):" + FirstHalves(section.bytes) + "\n";
    case kWeights:
      if (unit.form == kDense) return text + ":" + FirstHalves(section.bytes) + "\n";
      return text + "\n";
    case kOcgs:
      return text + ":" + FirstRecord(section.bytes) + "\n";
    case kZero:
      return text + " (place and type assumed)\n";
    default:
      return text + " (opaque)\n";
  }
}

// The bytes that the weights take: values, indices or masks, and what their meaning needs.
uint64_t StoredBytes(const Unit& unit) {
  uint64_t bytes = 0;
  for (const Section& section : unit.sections) {
    const uint32_t id = section.id;
    if (id == kPal || id == kScale || id == kWeights || id == kZero) bytes += section.bytes.size();
  }
  return bytes;
}

Result<std::string> Print(ByteSpan bytes) {
  constexpr size_t kShownSections = 32;
  ANECHECK_ASSIGN(const Unit unit, Parse(bytes));
  const std::string_view form = FormName(unit.form);
  const std::string_view type = TypeName(unit.type);
  std::string text =
      fmt::format("weight unit, {} weights, {} channels of {} elements, type {}{}\n",
                  form.empty() ? fmt::format("form {}", unit.form) : form, unit.channels,
                  unit.elements, unit.type, type.empty() ? "" : fmt::format(" ({})", type));
  text += FormText(unit);
  for (const Section& section :
       std::span(unit.sections).first(std::min(unit.sections.size(), kShownSections))) {
    text += SectionText(unit, section);
  }
  if (unit.sections.size() > kShownSections) {
    text += fmt::format("  {} further sections\n", unit.sections.size() - kShownSections);
  }
  return text + fmt::format("{} bytes, {} as dense fp16\n", StoredBytes(unit),
                            2 * static_cast<unsigned __int128>(unit.Count()) > UINT64_MAX
                                ? "more than 2^64"
                                : std::to_string(2 * unit.Count()));
}

Result<Coverage> CoverageOf(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Unit unit, Parse(bytes));
  Coverage coverage{.total = bytes.size(),
                    .typed = kHeaderSize + kEntrySize * unit.sections.size()};
  for (const Section& section : unit.sections) {
    if (section.id == kOcgs) {
      coverage.typed += section.bytes.size();
    } else if (section.id < kSectionCount && section.id != kLut) {
      coverage.payload += section.bytes.size();
    }
  }
  return coverage;
}

}  // namespace
}  // namespace weightunit

const Format kFormat_weightunit = {
    .name = "weightunit",
    .title = "compressed weights in the sections of a kernel",
    .rules = weightunit::Rules(),
    .fields = weightunit::FieldFacts,
    .recognise = weightunit::Recognise,
    .to_json = weightunit::BytesToJson,
    .from_json = weightunit::BytesFromJson,
    .rewrite = weightunit::Rewrite,
    .verify = weightunit::VerifyBytes,
    .print = weightunit::Print,
    .coverage = weightunit::CoverageOf,
};

}  // namespace anecheck
