#include "generators/formats/weightunit/weightunit_generator.h"

#include <algorithm>
#include <array>

#include "generators/formats/common/model_edit.h"
#include "harness/formats/kernelweights/group_record.h"
#include "harness/formats/weightunit/unit.h"

namespace anecheck {
namespace {

using kernelweights::Extent;
using weightunit::Section;
using weightunit::Unit;

constexpr uint16_t kOne = 0x3c00;       // of fp16
constexpr uint16_t kInfinity = 0x7c00;  // of fp16

// ---- valid units ------------------------------------------------------------------------------

// Quarters from -2 to 2.
Half SmallHalf(ChoiceStream& choices) {
  return DoubleToHalf(static_cast<double>(choices.Range(-8, 8)) / 4);
}

std::vector<Half> SmallHalves(uint64_t count, ChoiceStream& choices) {
  std::vector<Half> halves;
  halves.reserve(count);
  for (uint64_t i = 0; i < count; ++i) halves.push_back(SmallHalf(choices));
  return halves;
}

Bytes AnyBytes(uint64_t count, ChoiceStream& choices) {
  Bytes bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(choices.Below(256));
  return bytes;
}

Extent SmallExtent(ChoiceStream& choices) {
  Extent extent;
  extent.channels = static_cast<uint32_t>(1 + choices.Below(4));
  extent.elements = static_cast<uint32_t>(1 + choices.Below(9));
  return extent;
}

kernelweights::Weights MakeDense(ChoiceStream& choices) {
  const Extent extent = SmallExtent(choices);
  return kernelweights::Dense{extent, SmallHalves(extent.Count(), choices)};
}

kernelweights::Weights MakeAffine(ChoiceStream& choices) {
  kernelweights::AffineInt8 weights;
  weights.extent = SmallExtent(choices);
  weights.is_signed = !choices.Coin();
  weights.bytes = AnyBytes(weights.extent.Count(), choices);
  weights.scales = SmallHalves(choices.Coin() ? weights.extent.channels : 1, choices);
  const int least = weights.is_signed ? -128 : 0;
  const std::array<uint32_t, 3> counts = {0, 1, weights.extent.channels};
  weights.zero_points.resize(choices.Pick(counts));
  for (int16_t& point : weights.zero_points) {
    point = static_cast<int16_t>(choices.Range(least, least + 255));
  }
  return weights;
}

kernelweights::Weights MakePalette(ChoiceStream& choices) {
  static constexpr std::array<uint8_t, 4> kWidths = {4, 2, 6, 8};
  static constexpr std::array<uint8_t, 4> kVectors = {1, 2, 4, 5};
  kernelweights::Palette weights;
  weights.index_bits = choices.Pick(kWidths);
  weights.vector_size = choices.Pick(kVectors);
  weights.codebook_count = static_cast<uint32_t>(1 + choices.Below(2));
  const auto rows = static_cast<uint32_t>(weights.codebook_count * (1 + choices.Below(2)));
  weights.extent.channels = rows * weights.vector_size;
  weights.extent.elements = static_cast<uint32_t>(1 + choices.Below(9));
  weights.codebooks = SmallHalves(
      (uint64_t{weights.codebook_count} * weights.vector_size) << weights.index_bits, choices);
  Bytes indices(uint64_t{rows} * weights.extent.elements);
  for (uint8_t& index : indices) {
    index = static_cast<uint8_t>(choices.Below(uint64_t{1} << weights.index_bits));
  }
  weights.indices = kernelweights::PackBits(indices, weights.index_bits);
  return weights;
}

kernelweights::Weights MakeSparse(ChoiceStream& choices) {
  const Extent extent = SmallExtent(choices);
  Bytes bits(extent.Count());
  for (uint8_t& bit : bits) bit = choices.Chance(1, 3) ? 1 : 0;
  const auto kept = static_cast<uint64_t>(std::ranges::count(bits, 1));
  return kernelweights::Sparse{extent, kernelweights::PackBits(bits, 1),
                               SmallHalves(kept, choices)};
}

kernelweights::Weights MakeBlockwise(ChoiceStream& choices) {
  kernelweights::BlockwiseInt8 weights;
  weights.block_channels = static_cast<uint32_t>(1 + choices.Below(3));
  weights.block_elements = static_cast<uint32_t>(1 + choices.Below(4));
  const uint64_t rows = 1 + choices.Below(3);
  const uint64_t columns = 1 + choices.Below(3);
  weights.extent.channels = static_cast<uint32_t>(rows * weights.block_channels);
  weights.extent.elements = static_cast<uint32_t>(columns * weights.block_elements);
  weights.bytes = AnyBytes(weights.extent.Count(), choices);
  weights.scales = SmallHalves(rows * columns, choices);
  return weights;
}

kernelweights::Weights MakeFloat8(ChoiceStream& choices) {
  kernelweights::Float8 weights;
  weights.extent = SmallExtent(choices);
  weights.format = choices.Coin() ? Float8Format::kE5M2 : Float8Format::kE4M3;
  weights.bytes = AnyBytes(weights.extent.Count(), choices);
  const std::array<uint32_t, 3> counts = {0, 1, weights.extent.channels};
  weights.scales = SmallHalves(choices.Pick(counts), choices);
  return weights;
}

// Before the first section that comes later in a unit.
void Insert(Unit& unit, uint32_t id, Bytes bytes) {
  const auto later =
      std::ranges::find_if(unit.sections, [id](const Section& section) { return section.id > id; });
  unit.sections.insert(later, Section{.id = id, .bytes = std::move(bytes)});
}

// One record a share of the weights.
Bytes MakeRecords(const Unit& unit, ChoiceStream& choices) {
  std::vector<kernelweights::GroupRecord> records(1 + choices.Below(3));
  const uint64_t size = unit.Find(weightunit::kWeights)->bytes.size();
  for (kernelweights::GroupRecord& record : records) {
    const auto offset = static_cast<uint32_t>(choices.Below(size));
    record = kernelweights::UnloadedGroupRecord(
        offset, static_cast<uint32_t>(1 + choices.Below(unit.channels)));
  }
  return kernelweights::WriteGroupRecords(records);
}

Bytes Generate(ChoiceStream& choices) {
  static constexpr std::array<kernelweights::Weights (*)(ChoiceStream&), 6> kForms = {
      MakeDense, MakeAffine, MakePalette, MakeSparse, MakeBlockwise, MakeFloat8};
  Unit unit = weightunit::FromWeights(choices.Pick(kForms)(choices));
  if (choices.Chance(1, 3)) {
    Insert(unit, weightunit::kLut, AnyBytes(8 + choices.Below(24), choices));
  }
  if (choices.Coin()) Insert(unit, weightunit::kOcgs, MakeRecords(unit, choices));
  if (choices.Coin()) {
    Insert(unit, weightunit::kBias, weightunit::BytesOfHalves(SmallHalves(unit.channels, choices)));
  }
  return weightunit::Write(unit);
}

// ---- mutations --------------------------------------------------------------------------------

// The bytes of a section, or null where the unit has no byte of it.
Bytes* BytesAt(Unit& unit, uint32_t id) {
  Section* section = unit.Find(id);
  return section == nullptr || section->bytes.empty() ? nullptr : &section->bytes;
}

bool Drop(Unit& unit, uint32_t id) {
  return std::erase_if(unit.sections, [id](const Section& s) { return s.id == id; }) != 0;
}

bool Lengthen(Unit& unit, uint32_t id, size_t bytes) {
  Bytes* section = BytesAt(unit, id);
  if (section == nullptr) return false;
  section->resize(section->size() + bytes);
  return true;
}

// Appends `word` until the section has neither one word nor one a channel.
bool WrongCount(Unit& unit, uint32_t id, uint16_t word) {
  Bytes* section = BytesAt(unit, id);
  if (section == nullptr) return false;
  do {
    section->push_back(static_cast<uint8_t>(word));
    section->push_back(static_cast<uint8_t>(word >> 8));
  } while (section->size() / 2 == unit.channels);
  return true;
}

bool SetWord(Unit& unit, uint32_t id, uint64_t which, uint16_t word) {
  Bytes* section = BytesAt(unit, id);
  if (section == nullptr || section->size() < 2) return false;
  const size_t at = 2 * (which % (section->size() / 2));
  (*section)[at] = static_cast<uint8_t>(word);
  (*section)[at + 1] = static_cast<uint8_t>(word >> 8);
  return true;
}

// A little-endian word of the ocgs section.
bool SetRecordWord(Unit& unit, uint64_t record, size_t word, uint32_t value) {
  Bytes* section = BytesAt(unit, weightunit::kOcgs);
  if (section == nullptr || section->size() < kernelweights::kGroupRecordBytes) return false;
  const size_t at = record % (section->size() / kernelweights::kGroupRecordBytes) *
                        kernelweights::kGroupRecordBytes +
                    4 * word;
  for (size_t i = 0; i < 4; ++i) (*section)[at + i] = static_cast<uint8_t>(value >> (8 * i));
  return true;
}

// Sets the highest bit of the byte in which `bits` bits end, where they do not fill it.
bool SetPadding(Bytes& bytes, uint64_t bits) {
  if (bits == 0 || bits % 8 == 0 || bits / 8 >= bytes.size()) return false;
  uint8_t& last = bytes[bits / 8];
  if ((last & 0x80U) != 0) return false;
  last |= 0x80;
  return true;
}

bool IsOf(const Unit& unit, weightunit::FormId form) { return unit.form == form; }

constexpr ModelEdit<Unit> kEdits[] = {
    {.id = "change-magic",
     .breaks_rule = "unit-magic",
     .patch =
         [](Bytes& bytes, const Unit&, uint64_t a, uint64_t b) {
           bytes[a % weightunit::kMagic.size()] ^= static_cast<uint8_t>(1 + b % 255);
           return true;
         }},
    {.id = "truncate",
     .breaks_rule = "unit-complete",
     .patch =
         [](Bytes& bytes, const Unit&, uint64_t a, uint64_t) {
           const size_t magic = weightunit::kMagic.size();
           bytes.resize(magic + a % (bytes.size() - magic));
           return true;
         }},
    {.id = "lengthen-section",
     .breaks_rule = "unit-complete",
     .patch =
         [](Bytes& bytes, const Unit& unit, uint64_t a, uint64_t) {
           if (unit.sections.empty()) return false;
           const uint64_t entry = a % unit.sections.size();
           bytes[weightunit::kHeaderSize + weightunit::kEntrySize * entry + 7] ^= 0x80;
           return true;
         }},
    {.id = "append-byte",
     .breaks_rule = "unit-end",
     .patch =
         [](Bytes& bytes, const Unit&, uint64_t, uint64_t b) {
           bytes.push_back(static_cast<uint8_t>(b));
           return true;
         }},
    {.id = "unknown-form",
     .breaks_rule = "form-known",
     .edit =
         [](Unit& unit, uint64_t, uint64_t b) {
           unit.form = weightunit::kFormCount + static_cast<uint32_t>(b);
           return true;
         }},
    {.id = "add-unknown-section",
     .breaks_rule = "section-known",
     .edit =
         [](Unit& unit, uint64_t, uint64_t b) {
           unit.sections.push_back(
               {.id = weightunit::kSectionCount + static_cast<uint32_t>(b), .bytes = {1, 2, 3}});
           return true;
         }},
    {.id = "swap-sections",
     .breaks_rule = "sections-in-order",
     .edit =
         [](Unit& unit, uint64_t a, uint64_t) {
           if (unit.sections.size() < 2) return false;
           const size_t first = a % (unit.sections.size() - 1);
           std::swap(unit.sections[first], unit.sections[first + 1]);
           return true;
         }},
    {.id = "repeat-section",
     .breaks_rule = "sections-in-order",
     .edit =
         [](Unit& unit, uint64_t, uint64_t) {
           if (unit.sections.empty()) return false;
           unit.sections.push_back(Section(unit.sections.back()));
           return true;
         }},
    {.id = "drop-weights",
     .breaks_rule = "sections-of-form",
     .edit = [](Unit& unit, uint64_t, uint64_t) { return Drop(unit, weightunit::kWeights); }},
    {.id = "drop-codebooks",
     .breaks_rule = "sections-of-form",
     .edit = [](Unit& unit, uint64_t, uint64_t) { return Drop(unit, weightunit::kPal); }},
    {.id = "drop-scales",
     .breaks_rule = "sections-of-form",
     .edit =
         [](Unit& unit, uint64_t, uint64_t) {
           return !IsOf(unit, weightunit::kFloat8) && Drop(unit, weightunit::kScale);
         }},
    {.id = "add-zero-points",
     .breaks_rule = "sections-of-form",
     .edit =
         [](Unit& unit, uint64_t, uint64_t) {
           if (IsOf(unit, weightunit::kAffine)) return false;
           unit.sections.push_back({.id = weightunit::kZero, .bytes = {0, 0}});
           return true;
         }},
    {.id = "set-foreign-number",
     .breaks_rule = "parameters-of-form",
     .edit =
         [](Unit& unit, uint64_t, uint64_t b) {
           const bool palette = IsOf(unit, weightunit::kPalette);
           (palette ? unit.block_channels : unit.vector_size) = static_cast<uint32_t>(1 + b);
           return true;
         }},
    {.id = "change-type",
     .breaks_rule = "type-of-form",
     .edit =
         [](Unit& unit, uint64_t, uint64_t) {
           unit.type = 23;  // int4, that no form stores
           return true;
         }},
    {.id = "no-channels",
     .breaks_rule = "extent-not-empty",
     .edit =
         [](Unit& unit, uint64_t, uint64_t) {
           unit.channels = 0;
           return true;
         }},
    {.id = "huge-extent",
     .breaks_rule = "extent-not-empty",
     .edit =
         [](Unit& unit, uint64_t, uint64_t b) {
           unit.elements = UINT32_MAX - static_cast<uint32_t>(b);
           return true;
         }},
    {.id = "illegal-index-width",
     .breaks_rule = "index-width",
     .edit =
         [](Unit& unit, uint64_t a, uint64_t) {
           static constexpr std::array<uint32_t, 6> kIllegal = {1, 3, 5, 7, 9, 0};
           unit.index_bits = kIllegal[a % kIllegal.size()];
           return IsOf(unit, weightunit::kPalette);
         }},
    {.id = "illegal-vector",
     .breaks_rule = "vector-size",
     .edit =
         [](Unit& unit, uint64_t a, uint64_t) {
           static constexpr std::array<uint32_t, 4> kIllegal = {3, 6, 8, 0};
           unit.vector_size = kIllegal[a % kIllegal.size()];
           return IsOf(unit, weightunit::kPalette);
         }},
    {.id = "uneven-codebooks",
     .breaks_rule = "channels-divide",
     .edit =
         [](Unit& unit, uint64_t, uint64_t b) {
           unit.codebooks = unit.channels + 1 + static_cast<uint32_t>(b);  // more than rows
           return IsOf(unit, weightunit::kPalette);
         }},
    {.id = "uneven-blocks",
     .breaks_rule = "blocks-divide",
     .edit =
         [](Unit& unit, uint64_t, uint64_t b) {
           unit.block_elements = unit.elements + 1 + static_cast<uint32_t>(b);
           return IsOf(unit, weightunit::kBlockwise);
         }},
    {.id = "lengthen-weights",
     .breaks_rule = "weights-length",
     .edit = [](Unit& unit, uint64_t,
                uint64_t) { return Lengthen(unit, weightunit::kWeights, 1); }},
    {.id = "clear-mask-bit",
     .breaks_rule = "weights-length",
     .edit =
         [](Unit& unit, uint64_t, uint64_t) {
           Bytes* weights = BytesAt(unit, weightunit::kWeights);
           if (!IsOf(unit, weightunit::kSparse) || weights == nullptr) return false;
           uint8_t& byte = weights->front();
           if (byte == 0) return false;
           byte &= static_cast<uint8_t>(byte - 1);
           return true;
         }},
    {.id = "mask-past-end",
     .breaks_rule = "mask-padding",
     .edit =
         [](Unit& unit, uint64_t, uint64_t) {
           Bytes* weights = BytesAt(unit, weightunit::kWeights);
           return IsOf(unit, weightunit::kSparse) && weights != nullptr &&
                  SetPadding(*weights, unit.Count());
         }},
    {.id = "index-past-end",
     .breaks_rule = "index-padding",
     .edit =
         [](Unit& unit, uint64_t, uint64_t) {
           Bytes* weights = BytesAt(unit, weightunit::kWeights);
           return IsOf(unit, weightunit::kPalette) && weights != nullptr && unit.vector_size != 0 &&
                  SetPadding(*weights, uint64_t{unit.channels / unit.vector_size} * unit.elements *
                                           unit.index_bits);
         }},
    {.id = "lengthen-codebooks",
     .breaks_rule = "codebook-length",
     .edit = [](Unit& unit, uint64_t, uint64_t) { return Lengthen(unit, weightunit::kPal, 2); }},
    {.id = "add-scale",
     .breaks_rule = "scale-count",
     .edit = [](Unit& unit, uint64_t,
                uint64_t) { return WrongCount(unit, weightunit::kScale, kOne); }},
    {.id = "infinite-scale",
     .breaks_rule = "scales-finite",
     .edit = [](Unit& unit, uint64_t a,
                uint64_t) { return SetWord(unit, weightunit::kScale, a, kInfinity); }},
    {.id = "add-zero-point",
     .breaks_rule = "zero-point-count",
     .edit = [](Unit& unit, uint64_t, uint64_t) { return WrongCount(unit, weightunit::kZero, 0); }},
    {.id = "zero-point-out-of-range",
     .breaks_rule = "zero-point-range",
     .edit =
         [](Unit& unit, uint64_t a, uint64_t b) {
           return SetWord(unit, weightunit::kZero, a, static_cast<uint16_t>(256 + b % 1000));
         }},
    {.id = "add-bias",
     .breaks_rule = "bias-count",
     .edit = [](Unit& unit, uint64_t, uint64_t) { return Lengthen(unit, weightunit::kBias, 2); }},
    {.id = "split-record",
     .breaks_rule = "records-whole",
     .edit = [](Unit& unit, uint64_t, uint64_t) { return Lengthen(unit, weightunit::kOcgs, 4); }},
    {.id = "set-reserved-word",
     .breaks_rule = "reserved-zero",
     .edit =
         [](Unit& unit, uint64_t a, uint64_t b) {
           return SetRecordWord(unit, a, 12 + b % 2, static_cast<uint32_t>(1 + b));
         }},
    {.id = "resolve-slot",
     .breaks_rule = "slots-unresolved",
     .edit =
         [](Unit& unit, uint64_t a, uint64_t b) {
           return SetRecordWord(unit, a, 2 + b % 10, static_cast<uint32_t>(b));
         }},
    {.id = "move-record",
     .breaks_rule = "offset-inside-section",
     .edit =
         [](Unit& unit, uint64_t a, uint64_t b) {
           return SetRecordWord(unit, a, 0, UINT32_MAX - static_cast<uint32_t>(b));
         }},
    {.id = "change-weight",
     .edit =
         [](Unit& unit, uint64_t a, uint64_t b) {
           Bytes* weights = BytesAt(unit, weightunit::kWeights);
           if (weights == nullptr) return false;
           (*weights)[a % weights->size()] ^= static_cast<uint8_t>(1 + b % 255);
           return true;
         }},
    {.id = "change-lookup",
     .edit =
         [](Unit& unit, uint64_t a, uint64_t b) {
           Bytes* lookup = BytesAt(unit, weightunit::kLut);
           if (lookup == nullptr) return false;
           (*lookup)[a % lookup->size()] ^= static_cast<uint8_t>(1 + b % 255);
           return true;
         }},
    {.id = "other-form",
     .edit =
         [](Unit& unit, uint64_t a, uint64_t) {
           unit.form = (unit.form + 1 + static_cast<uint32_t>(a % 5)) % weightunit::kFormCount;
           return true;
         }},
};

constexpr auto kMutations = ModelMutations<weightunit::Parse, weightunit::Write, kEdits>::Make();

}  // namespace

const DescriptorGenerator kGenerator_weightunit = {"weightunit", Generate, kMutations};

}  // namespace anecheck
