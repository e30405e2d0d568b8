// The rules of weight units. A rule whose terms another broken rule has taken away is not checked:
// without legal blocks no number of scales is wrong.
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>

#include "harness/formats/kernelweights/group_record.h"
#include "harness/formats/kernelweights/kernel_format.h"
#include "harness/formats/violation_list.h"
#include "harness/formats/weightunit/unit.h"

namespace anecheck::weightunit {
namespace {

constexpr FactEvidence kNotes = FactEvidence::kPublicNotes;
constexpr FactEvidence kGuess = FactEvidence::kAssumed;
constexpr std::string_view kOwnLayout =
    "the layout of weight units (harness/formats/weightunit/unit.h)";
constexpr std::string_view kCodecs = "facts/more/weight_codecs.csv (guide, chapter 25)";
constexpr std::string_view kSectionTable = "facts/more/weight_sections.csv (guide, chapter 25)";
constexpr std::string_view kRanges = "facts/more/weight_format_ranges.csv (guide, chapter 25)";

enum RuleIndex : size_t {
  kUnitMagic,
  kUnitComplete,
  kUnitEnd,
  kFormKnown,
  kSectionKnown,
  kSectionsInOrder,
  kSectionsOfForm,
  kParametersOfForm,
  kTypeOfForm,
  kExtentNotEmpty,
  kIndexWidth,
  kVectorSize,
  kChannelsDivide,
  kBlocksDivide,
  kWeightsLength,
  kMaskPadding,
  kIndexPadding,
  kCodebookLength,
  kScaleCount,
  kScalesFinite,
  kZeroPointCount,
  kZeroPointRange,
  kBiasCount,
  kRecordsWhole,
  kReservedZero,
  kSlotsUnresolved,
  kOffsetInside,
  kRuleCount,
};

constexpr std::array<Rule, kRuleCount> kRules = {{
    {"unit-magic", "A unit begins with its magic.", kOwnLayout},
    {"unit-complete", "Every section lies inside the unit.", kOwnLayout},
    {"unit-end", "Nothing follows the last section.", kOwnLayout},
    {"form-known", "The form is one of the six.", kOwnLayout},
    {"section-known", "A section has a known id.", kSectionTable, kNotes},
    {"sections-in-order",
     "Sections stand in the order lut, pal, ocgs, scale, bias, weights, each "
     "once; zero points come last.",
     kSectionTable, kNotes},
    {"sections-of-form", "A unit has the sections that its form needs and none of another form.",
     kCodecs, kNotes},
    {"parameters-of-form", "The numbers of other forms are 0.", kOwnLayout},
    {"type-of-form",
     "The type is one that the form stores: 5 of dense and sparse weights, 2 or 3 "
     "of affine ones, 8 of palettes, 2 of blocks, 16 of E4M3 and 0 of E5M2.",
     "the numbers: facts/more/weight_sections.csv; no source says which form has which", kGuess},
    {"extent-not-empty", "A unit has 1 to 2^28 elements.", kOwnLayout},
    {"index-width", "Indices have 2, 4, 6 or 8 bits.", kRanges, kNotes},
    {"vector-size", "Vectors have 1, 2, 4 or 5 channels.", kRanges, kNotes},
    {"channels-divide", "Channels divide into vectors, and rows of indices into codebooks.",
     "how rows are dealt is assumed (kernelweights/codec.h)", kGuess},
    {"blocks-divide", "Blocks divide the channels and the elements.", kOwnLayout},
    {"weights-length", "The weights section holds each element once as its form stores it.",
     kCodecs, kNotes},
    {"mask-padding", "The mask has no bit past the last element.",
     "no source: only its length is described", kGuess},
    {"index-padding", "The bits past the last index are 0.", "no source", kGuess},
    {"codebook-length", "A codebook has 2^index_bits vectors.", kRanges, kNotes},
    {"scale-count", "There is one scale, or one a channel; of blocks one each.", kCodecs, kNotes},
    {"scales-finite", "Scales are finite.", "no source", kGuess},
    {"zero-point-count", "There is one zero point, or one a channel.", kCodecs, kNotes},
    {"zero-point-range", "A zero point is a value of the type.", "no source", kGuess},
    {"bias-count", "There is one bias a channel.", "no source: the section is named alone", kGuess},
    {"records-whole", "The ocgs section is a whole number of records.", kSectionTable, kNotes},
    {"reserved-zero", "Words 12 and 13 of a record are 0.", kSectionTable, kNotes},
    {"slots-unresolved", "Words 2 to 11 of a record are -1 until the program is loaded.",
     kSectionTable, kNotes},
    {"offset-inside-section", "Word 0 of a record points into the weights section.", kSectionTable,
     kNotes},
}};

constexpr uint32_t Bit(uint32_t section) { return 1U << section; }
constexpr uint32_t kOfEveryForm = Bit(kLut) | Bit(kOcgs) | Bit(kBias) | Bit(kWeights);

// What each form is made of.
struct FormParts {
  uint32_t needed = 0;    // bits of sections
  uint32_t optional = 0;  // of those that not every form has
  std::array<uint32_t, 2> types{};
  uint32_t first_number = 0;  // of UnitNumbers: the form's own are [first_number, end_number)
  uint32_t end_number = 0;
};
constexpr std::array<FormParts, kFormCount> kForms = {{
    {Bit(kWeights), 0, {kHalf, kHalf}},
    {Bit(kScale) | Bit(kWeights), Bit(kZero), {kInt8, kUint8}},
    {Bit(kPal) | Bit(kWeights), 0, {kLutType, kLutType}, 4, 7},
    {Bit(kWeights), 0, {kHalf, kHalf}},
    {Bit(kScale) | Bit(kWeights), 0, {kInt8, kInt8}, 7, 9},
    {Bit(kWeights), Bit(kScale), {kE4m3, kE5m2Type}},
}};
constexpr uint32_t kFirstParameter = 4;  // of UnitNumbers

// Of a number in the file, by its index in UnitNumbers.
constexpr uint64_t NumberOffset(uint32_t index) { return kMagic.size() + sizeof(uint32_t) * index; }
constexpr uint64_t kChannelsOffset = NumberOffset(1);
constexpr uint64_t kTypeOffset = NumberOffset(3);
constexpr uint64_t kIndexBitsOffset = NumberOffset(4);
constexpr uint64_t kVectorSizeOffset = NumberOffset(5);
constexpr uint64_t kBlockChannelsOffset = NumberOffset(7);

class Verifier {
 public:
  explicit Verifier(const Unit& unit) : unit_(unit) {}

  std::vector<Violation> Run() {
    CheckSections();
    CheckExtent();
    if (unit_.form < kFormCount) {
      CheckForm(kForms[unit_.form]);
    } else {
      Add(kFormKnown, NumberOffset(0), "{} is no form", unit_.form);
    }
    CheckBias();
    CheckRecords();
    return std::move(found_).Take();
  }

 private:
  template <typename... Args>
  void Add(RuleIndex rule, uint64_t offset, fmt::format_string<Args...> text, Args&&... args) {
    found_.Add(kRules[rule], offset, "{}: {}", kRules[rule].id,
               fmt::format(text, std::forward<Args>(args)...));
  }

  uint64_t EntryOffset(size_t index) const { return kHeaderSize + kEntrySize * index; }

  void CheckSections() {
    std::optional<uint32_t> before;
    for (size_t i = 0; i < unit_.sections.size(); ++i) {
      const uint32_t id = unit_.sections[i].id;
      if (id >= kSectionCount) {
        Add(kSectionKnown, EntryOffset(i), "section {} is {}", i, id);
        continue;
      }
      if (before && id <= *before) {
        Add(kSectionsInOrder, EntryOffset(i), "{} stands behind {}", SectionName(id),
            SectionName(*before));
      }
      before = id;
    }
  }

  void CheckExtent() {
    has_extent_ = unit_.Count() != 0 && unit_.Count() <= kernelweights::kMaxElements;
    if (has_extent_) return;
    Add(kExtentNotEmpty, kChannelsOffset, "{} channels of {} elements", unit_.channels,
        unit_.elements);
  }

  void CheckForm(const FormParts& parts) {
    CheckSectionsOf(parts);
    for (uint32_t i = kFirstParameter; i < UnitNumbers().size(); ++i) {
      const UnitNumber& number = UnitNumbers()[i];
      const bool own = i >= parts.first_number && i < parts.end_number;
      if (own || unit_.*number.member == 0) continue;
      Add(kParametersOfForm, NumberOffset(i), "{} is {} of {} weights", number.name,
          unit_.*number.member, FormName(unit_.form));
    }
    const bool typed = unit_.type == parts.types[0] || unit_.type == parts.types[1];
    if (!typed) {
      Add(kTypeOfForm, kTypeOffset, "type {} of {} weights", unit_.type, FormName(unit_.form));
    }
    if (!has_extent_) return;
    switch (unit_.form) {
      case kAffine:
        CheckWeightsLength(unit_.Count());
        CheckScales(unit_.channels, true);
        CheckZeroPoints(typed);
        break;
      case kPalette:
        CheckPalette();
        break;
      case kSparse:
        CheckSparse();
        break;
      case kBlockwise:
        CheckWeightsLength(unit_.Count());
        CheckBlocks();
        break;
      case kFloat8:
        CheckWeightsLength(unit_.Count());
        CheckScales(unit_.channels, true);
        break;
      default:
        CheckWeightsLength(2 * unit_.Count());
        break;
    }
  }

  void CheckSectionsOf(const FormParts& parts) {
    uint32_t missing = parts.needed;
    for (size_t i = 0; i < unit_.sections.size(); ++i) {
      const uint32_t id = unit_.sections[i].id;
      if (id >= kSectionCount) continue;
      missing &= ~Bit(id);
      if (((kOfEveryForm | parts.needed | parts.optional) & Bit(id)) == 0) {
        Add(kSectionsOfForm, EntryOffset(i), "{} weights have no section {}", FormName(unit_.form),
            SectionName(id));
      }
    }
    for (uint32_t id = 0; id < kSectionCount; ++id) {
      if ((missing & Bit(id)) == 0) continue;
      Add(kSectionsOfForm, NumberOffset(0), "{} weights without a section {}", FormName(unit_.form),
          SectionName(id));
    }
  }

  // False, and a violation, where the weights section has another length; false where it is absent.
  bool CheckWeightsLength(uint64_t needed) {
    const Section* weights = unit_.Find(kWeights);
    if (weights == nullptr) return false;
    if (weights->bytes.size() == needed) return true;
    Add(kWeightsLength, weights->offset, "{} bytes of weights, {} x {} take {}",
        weights->bytes.size(), unit_.channels, unit_.elements, needed);
    return false;
  }

  // `count` scales, or one where that is enough.
  void CheckScales(uint64_t count, bool or_one) {
    const Section* scales = unit_.Find(kScale);
    if (scales == nullptr) return;
    const uint64_t bytes = scales->bytes.size();
    if (bytes != 2 * count && !(or_one && bytes == 2)) {
      Add(kScaleCount, scales->offset, "{} bytes of scales, {} take {}", bytes, count, 2 * count);
    }
    const std::vector<Half> halves = HalvesOf(scales->bytes);
    for (size_t i = 0; i < halves.size(); ++i) {
      if (halves[i].IsFinite()) continue;
      Add(kScalesFinite, scales->offset + 2 * i, "scale {} is {:#06x}", i, halves[i].bits);
    }
  }

  void CheckZeroPoints(bool typed) {
    const Section* points = unit_.Find(kZero);
    if (points == nullptr) return;
    const uint64_t bytes = points->bytes.size();
    if (bytes != 2 && bytes != 2 * uint64_t{unit_.channels}) {
      Add(kZeroPointCount, points->offset, "{} bytes of zero points, {} channels", bytes,
          unit_.channels);
    }
    if (!typed) return;
    const int least = unit_.type == kUint8 ? 0 : -128;
    const std::vector<Half> words = HalvesOf(points->bytes);
    for (size_t i = 0; i < words.size(); ++i) {
      const int point = static_cast<int16_t>(words[i].bits);
      if (point >= least && point <= least + 255) continue;
      Add(kZeroPointRange, points->offset + 2 * i,
          "zero point {} is {}, the type goes from {} "
          "to {}",
          i, point, least, least + 255);
    }
  }

  void CheckPalette() {
    const bool width = kernelweights::IsPaletteIndexWidth(unit_.index_bits);
    const bool vector = kernelweights::IsPaletteVectorSize(unit_.vector_size);
    if (!width) Add(kIndexWidth, kIndexBitsOffset, "indices of {} bits", unit_.index_bits);
    if (!vector) Add(kVectorSize, kVectorSizeOffset, "vectors of {}", unit_.vector_size);
    if (!width || !vector) return;
    const uint64_t rows = unit_.channels / unit_.vector_size;
    if (unit_.channels % unit_.vector_size != 0 || unit_.codebooks == 0 ||
        rows % unit_.codebooks != 0) {
      Add(kChannelsDivide, kVectorSizeOffset, "{} channels in vectors of {} for {} codebooks",
          unit_.channels, unit_.vector_size, unit_.codebooks);
      return;
    }
    const Section* codebooks = unit_.Find(kPal);
    const uint64_t needed = uint64_t{unit_.codebooks} *
                            kernelweights::CodebookBytes(unit_.index_bits, unit_.vector_size);
    if (codebooks != nullptr && codebooks->bytes.size() != needed) {
      Add(kCodebookLength, codebooks->offset, "{} bytes of codebooks, {} take {}",
          codebooks->bytes.size(), unit_.codebooks, needed);
    }
    CheckIndices(rows * unit_.elements * unit_.index_bits);
  }

  void CheckIndices(uint64_t bits) {
    if (!CheckWeightsLength((bits + 7) / 8) || bits % 8 == 0) return;
    const Section& weights = *unit_.Find(kWeights);
    const uint8_t last = weights.bytes.back();
    if (last >> (bits % 8) == 0) return;
    Add(kIndexPadding, weights.offset + weights.bytes.size() - 1, "the last byte is {:#04x}", last);
  }

  void CheckSparse() {
    const Section* weights = unit_.Find(kWeights);
    if (weights == nullptr) return;
    const uint64_t count = unit_.Count();
    const uint64_t mask = (count + 7) / 8;
    const ByteSpan bytes = weights->bytes;
    if (bytes.size() < mask) {
      CheckWeightsLength(mask);
      return;
    }
    uint64_t set = 0;
    for (const uint8_t byte : bytes.first(mask)) set += static_cast<uint64_t>(std::popcount(byte));
    if (count % 8 != 0) {
      const uint32_t past = bytes[mask - 1] >> (count % 8);
      set -= static_cast<uint64_t>(std::popcount(past));
      if (past != 0) {
        Add(kMaskPadding, weights->offset + mask - 1,
            "the mask's last byte is {:#04x} of {} "
            "elements",
            bytes[mask - 1], count);
      }
    }
    CheckWeightsLength(mask + 2 * set);
  }

  void CheckBlocks() {
    const uint32_t channels = unit_.block_channels;
    const uint32_t elements = unit_.block_elements;
    if (channels == 0 || elements == 0 || unit_.channels % channels != 0 ||
        unit_.elements % elements != 0) {
      Add(kBlocksDivide, kBlockChannelsOffset, "blocks of {} x {} in {} x {}", channels, elements,
          unit_.channels, unit_.elements);
      return;
    }
    CheckScales(uint64_t{unit_.channels / channels} * (unit_.elements / elements), false);
  }

  void CheckBias() {
    const Section* bias = unit_.Find(kBias);
    if (bias == nullptr || !has_extent_ || bias->bytes.size() == 2 * uint64_t{unit_.channels}) {
      return;
    }
    Add(kBiasCount, bias->offset, "{} bytes of biases, {} channels", bias->bytes.size(),
        unit_.channels);
  }

  void CheckRecords() {
    const Section* section = unit_.Find(kOcgs);
    if (section == nullptr) return;
    const auto records = kernelweights::ParseGroupRecords(section->bytes, section->offset);
    if (!records.ok()) {
      Add(kRecordsWhole, section->offset, "{} bytes of records of {}", section->bytes.size(),
          kernelweights::kGroupRecordBytes);
      return;
    }
    const Section* weights = unit_.Find(kWeights);
    const uint64_t end = weights == nullptr ? UINT64_MAX : weights->bytes.size();
    for (size_t i = 0; i < records->size(); ++i) {
      CheckRecord((*records)[i], i, end, section->offset + i * kernelweights::kGroupRecordBytes);
    }
  }

  void CheckRecord(const kernelweights::GroupRecord& record, size_t index, uint64_t end,
                   uint64_t offset) {
    if (record.offset >= end) {
      Add(kOffsetInside, offset, "record {} begins at {:#x} of {:#x} bytes", index, record.offset,
          end);
    }
    if (record.slots != kernelweights::UnloadedGroupRecord(0, 0).slots) {
      Add(kSlotsUnresolved, offset + 8, "record {} has a slot set", index);
    }
    if (record.reserved != std::array<uint32_t, 2>{}) {
      Add(kReservedZero, offset + 48, "record {} has words 12 and 13 set", index);
    }
  }

  const Unit& unit_;
  bool has_extent_ = false;
  ViolationList found_;
};

}  // namespace

std::span<const Rule> Rules() { return kRules; }

std::vector<Violation> Verify(const Unit& unit) { return Verifier(unit).Run(); }

}  // namespace anecheck::weightunit
