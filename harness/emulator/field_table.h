// The fields of a task descriptor as data: name, place in each generation, known values, evidence.
// The emulator decodes only with it, and an encoder may place fields with it. Rows: fields.def.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace anecheck::emulator {

// The generations that differ in the positions of fields. In all records H17 equals H16.
enum class Generation : uint8_t { kH13, kH14, kH15, kH16, kH18 };
inline constexpr size_t kGenerations = 5;
std::string_view GenerationName(Generation generation);
// Returns the generation of a task descriptor version (7, 11, 8, 17, 19, 20), or nothing.
std::optional<Generation> GenerationOfVersion(uint32_t version);

inline constexpr uint32_t kEngines = 16;

// FIELD16 and FIELD4 define 16 and 4 consecutive enumerators.
enum class Field : uint16_t {
#define FIELD(name, ...) k##name,
#define FIELD4(name, ...) k##name, k##name##Last = k##name + 3,
#define FIELD16(name, ...) k##name, k##name##Last = k##name + 15,
#include "harness/emulator/fields.def"
#undef FIELD
#undef FIELD4
#undef FIELD16
  kCount
};
inline constexpr size_t kFieldValues = static_cast<size_t>(Field::kCount);

// The evidence for the meaning of a field. The strongest comes first.
enum class Evidence : uint8_t {
  kRealFile,  // the result of an executed container of a compiler depends on it
  kRecorded,  // the result of an executed record of a compiler's words depends on it
  kNotes,     // public notes, or files that agree with the meaning but do not depend on it
  kAssumed,   // inferred from the name or from symmetry alone
};
std::string_view EvidenceName(Evidence evidence);

enum class Effect : uint8_t { kResult, kSchedules };

// The tasks in which a field has an effect. In other tasks the field's unit is idle. The words of
// idle units contain old values without a meaning.
enum class When : uint8_t {
  kAlways,
  kNeural,        // tasks of the neural engines
  kPlanar,        // tasks of the planar engine
  kTwoSources,    // planar tasks with an elementwise operation
  kReducing,      // planar reductions
  kCoefficients,  // neural tasks with coefficients
  kKernel,        // tasks with a coefficient or table stream
  kTable,         // tasks whose table has its own address
  kSource1Dma,
  kSource2Dma,
  kResultDma,
  kL2Source1,
  kL2Source2,
  kL2Result,
};

enum class PlaceKind : uint8_t {
  kNone,
  kRegister,   // bits of a register; `address` counts bytes
  kHeader,     // bits of a header word; `address` is its index
  kPacketBar,  // BAR number of the address packet that wrote the register
  kBound,      // 1 if an address packet wrote the register
};

struct Place {
  PlaceKind kind = PlaceKind::kNone;
  uint32_t address = 0;
  uint8_t bit = 0;
  uint8_t width = 0;
};

// Stands for 1.0 in the width of the field, which is fp16 in 16 bits and fp32 in 32 bits.
inline constexpr uint32_t kOne = 0xffffffff;

struct FieldRow {
  Field field = Field::kCount;
  uint32_t count = 1;  // the number of values, which are 4 bytes apart
  std::string_view name;
  When when = When::kAlways;
  Effect effect = Effect::kResult;
  Evidence evidence = Evidence::kAssumed;
  std::string_view values;  // in the grammar of fields.def
  uint32_t reset = 0;
  std::array<Place, kGenerations> places = {};
  std::string_view meaning;
  std::string_view other;
};

const FieldRow& RowOf(Field field);

// A range of known codes. The emulator treats the code `low` as the code `meaning`. The two codes
// are equal unless a test changes `meaning`.
struct KnownCodes {
  uint32_t low = 0;
  uint32_t high = 0;
  uint32_t meaning = 0;
  std::string_view name;
};
// Returns the codes of a row at a place of `width` bits. Empty if every value is known.
std::vector<KnownCodes> CodesOf(const FieldRow& row, uint8_t width);

// The table of one generation, indexed for decoding. Immutable. Any number of threads may read it.
class FieldTable {
 public:
  struct Entry {
    const FieldRow* row = nullptr;
    Place place;
    std::vector<KnownCodes> codes;  // empty if every value is known
    uint32_t reset = 0;
  };

  // `rows` must outlive the table.
  FieldTable(std::span<const FieldRow> rows, Generation generation);
  // Returns the table of the rows in fields.def.
  static const FieldTable& Of(Generation generation);

  Generation generation() const { return generation_; }
  std::span<const Entry> entries() const { return entries_; }
  std::vector<Entry>& mutable_entries() { return entries_; }  // for tests that change a meaning

  // Returns the bits of a register or header word that belong to a field.
  uint32_t KnownBits(PlaceKind kind, uint32_t address) const;

 private:
  Generation generation_;
  std::vector<Entry> entries_;
  std::unordered_map<uint64_t, uint32_t> known_bits_;
};

}  // namespace anecheck::emulator
