// A weight unit as a file: one compressed weight tensor in the parts that a compiled kernel keeps
// of it. The parts and their order are the guide's, which calls them the sections of a unit
// (facts/more/weight_sections.csv, guide, chapter 25); the header before them, which tells the form
// and where each section ends, is this project's own. What the forms mean is kernelweights/codec.h.
// Used by `anecheck inspect` through kFormat_weightunit and by the generator of units.
//
// Layout, little endian: the 8 bytes of kMagic; ten u32: form, channels, elements, type,
// index_bits, vector_size, codebooks, block_channels, block_elements, number of sections; for each
// section u32 id and u32 size; the sections one behind the other.
//
// | section | holds                                                              | evidence      |
// |---------|--------------------------------------------------------------------|---------------|
// | lut     | the activation lookup of the kernel, kept as it stands             | public notes  |
// | pal     | codebooks of fp16 vectors                                          | public notes  |
// | ocgs    | 14-word records of output-channel groups (kernelweights/group_record) | public notes
// | | scale   | fp16 scales                                                        | public notes |
// | bias    | fp16 biases, one a channel                                         | assumed       |
// | weights | values, bytes or indices; of sparse weights the mask, then values  | public notes  |
// | zero    | i16 zero points: no source places them                             | assumed       |
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/formats/kernelweights/codec.h"

namespace anecheck {

extern const Format kFormat_weightunit;

namespace weightunit {

inline constexpr std::array<uint8_t, 8> kMagic = {'A', 'N', 'E', 'W', 'U', 'N', 'T', 1};
inline constexpr uint64_t kHeaderSize = 48;
inline constexpr uint64_t kEntrySize = 8;  // of a section, behind the header

// The forms of kernelweights::Weights, in its order.
enum FormId : uint32_t { kDense, kAffine, kPalette, kSparse, kBlockwise, kFloat8 };
inline constexpr uint32_t kFormCount = 6;
// "palette"; empty for another number.
std::string_view FormName(uint32_t form);

// In their order in a unit.
enum SectionId : uint32_t { kLut, kPal, kOcgs, kScale, kBias, kWeights, kZero };
inline constexpr uint32_t kSectionCount = 7;
std::string_view SectionName(uint32_t section);

// Numbers of element types (kernelweights::UnitTypeNumbers). E5M2, which no source numbers, is 0.
enum TypeId : uint32_t {
  kE5m2Type = 0,
  kInt8 = 2,
  kUint8 = 3,
  kHalf = 5,
  kLutType = 8,
  kE4m3 = 16
};
// "int8"; empty for a number that no source gives.
std::string_view TypeName(uint32_t type);

struct Section {
  uint32_t id = 0;  // a SectionId; other numbers are kept
  Bytes bytes;
  uint64_t offset = 0;  // of the first byte in the file; set by Parse, not written
};

struct Unit {
  uint32_t form = 0;  // a FormId; other numbers are kept
  uint32_t channels = 0;
  uint32_t elements = 0;  // of one channel
  uint32_t type = 0;      // a TypeId
  uint32_t index_bits = 0;
  uint32_t vector_size = 0;
  uint32_t codebooks = 0;
  uint32_t block_channels = 0;
  uint32_t block_elements = 0;
  std::vector<Section> sections;

  uint64_t Count() const { return uint64_t{channels} * elements; }
  // The first section of that id, or null.
  const Section* Find(uint32_t id) const;
  Section* Find(uint32_t id);
};

// The names of the unit's numbers beside their members, in the order of the file.
struct UnitNumber {
  std::string_view name;
  uint32_t Unit::* member;
};
std::span<const UnitNumber> UnitNumbers();

// Errors begin with the rule's id: another magic, a section that leaves the file, bytes behind the
// last one.
Result<Unit> Parse(ByteSpan bytes);
Bytes Write(const Unit& unit);

// The weights that a unit holds, validated, and the unit of weights without bias, records or
// lookup. kInvalid where a part is missing or of a wrong length, or the form is unknown.
Result<kernelweights::Weights> ToWeights(const Unit& unit);
Unit FromWeights(const kernelweights::Weights& weights);

std::span<const Rule> Rules();
// Every broken rule, in file order.
std::vector<Violation> Verify(const Unit& unit);

// The JSON form and back (see Format::to_json). A section whose bytes are not whole elements of
// what it should hold stands as "bytes".
Json ToJson(const Unit& unit);
Result<Unit> FromJson(const Json& json);

// Little-endian elements of two bytes, for sections of an even size.
std::vector<Half> HalvesOf(ByteSpan bytes);
Bytes BytesOfHalves(std::span<const Half> halves);

}  // namespace weightunit
}  // namespace anecheck
