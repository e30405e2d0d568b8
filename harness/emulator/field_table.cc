#include "harness/emulator/field_table.h"

#include <charconv>

namespace anecheck::emulator {
namespace {

constexpr Place NONE{};
constexpr Place R(uint32_t address, uint8_t bit, uint8_t width) {
  return {PlaceKind::kRegister, address, bit, width};
}
constexpr Place H(uint32_t word, uint8_t bit, uint8_t width) {
  return {PlaceKind::kHeader, word, bit, width};
}
constexpr Place PACKET(uint32_t address) { return {PlaceKind::kPacketBar, address, 0, 8}; }
constexpr Place BOUND(uint32_t address) { return {PlaceKind::kBound, address, 0, 1}; }
constexpr uint32_t ONE = kOne;

#define ROWS(name, count, when, effect, evidence, values, reset, h13, h14, h15, h16, h18, meaning, \
             other)                                                                                \
  {Field::k##name, count,          #name,                                                          \
   When::when,     Effect::effect, Evidence::evidence,                                             \
   values,         reset,          {h13, h14, h15, h16, h18},                                      \
   meaning,        other},
#define FIELD(name, ...) ROWS(name, 1, __VA_ARGS__)
#define FIELD4(name, ...) ROWS(name, 4, __VA_ARGS__)
#define FIELD16(name, ...) ROWS(name, 16, __VA_ARGS__)
constexpr FieldRow kRows[] = {
#include "harness/emulator/fields.def"
};
#undef FIELD
#undef FIELD4
#undef FIELD16
#undef ROWS

uint32_t OneOf(uint8_t width) { return width == 16 ? 0x3c00 : 0x3f800000; }

uint32_t ParseCode(std::string_view text, uint8_t width) {
  if (text == "ONE") return OneOf(width);
  uint32_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

KnownCodes ParseCodes(std::string_view item, uint8_t width) {
  KnownCodes codes;
  if (const size_t colon = item.find(':'); colon != std::string_view::npos) {
    codes.name = item.substr(colon + 1);
    item = item.substr(0, colon);
  }
  const size_t dash = item.find('-');
  codes.low = ParseCode(item.substr(0, dash), width);
  codes.high = dash == std::string_view::npos ? codes.low : ParseCode(item.substr(dash + 1), width);
  codes.meaning = codes.low;
  return codes;
}

uint64_t KeyOf(PlaceKind kind, uint32_t address) {
  return static_cast<uint64_t>(kind == PlaceKind::kHeader) << 32 | address;
}

}  // namespace

std::string_view GenerationName(Generation generation) {
  constexpr std::string_view kNames[] = {"H13", "H14", "H15", "H16", "H18"};
  return kNames[static_cast<size_t>(generation)];
}

std::optional<Generation> GenerationOfVersion(uint32_t version) {
  switch (version) {
    case 7:
      return Generation::kH13;
    case 11:
      return Generation::kH14;
    case 8:
      return Generation::kH15;
    case 17:
    case 19:
      return Generation::kH16;
    case 20:
      return Generation::kH18;
    default:
      return std::nullopt;
  }
}

std::string_view EvidenceName(Evidence evidence) {
  constexpr std::string_view kNames[] = {"confirmed by a real file", "recorded by a compiler",
                                         "public notes", "assumed"};
  return kNames[static_cast<size_t>(evidence)];
}

const FieldRow& RowOf(Field field) {
  for (const FieldRow& row : kRows) {
    const auto first = static_cast<uint32_t>(row.field);
    const auto wanted = static_cast<uint32_t>(field);
    if (wanted >= first && wanted < first + row.count) return row;
  }
  return kRows[0];
}

std::vector<KnownCodes> CodesOf(const FieldRow& row, uint8_t width) {
  std::vector<KnownCodes> codes;
  if (row.values == "*") return codes;
  std::string_view rest = row.values;
  while (!rest.empty()) {
    const size_t bar = rest.find('|');
    codes.push_back(ParseCodes(rest.substr(0, bar), width));
    rest = bar == std::string_view::npos ? std::string_view() : rest.substr(bar + 1);
  }
  return codes;
}

FieldTable::FieldTable(std::span<const FieldRow> rows, Generation generation)
    : generation_(generation) {
  for (const FieldRow& row : rows) {
    const Place& place = row.places[static_cast<size_t>(generation)];
    Entry entry;
    entry.row = &row;
    entry.place = place;
    entry.codes = CodesOf(row, place.width);
    // On H13 every task writes every register, so a register that is not written counts as zero.
    entry.reset = row.reset == kOne ? OneOf(place.width) : row.reset;
    if (generation == Generation::kH13 && place.kind != PlaceKind::kNone) entry.reset = 0;
    if (place.kind == PlaceKind::kRegister || place.kind == PlaceKind::kHeader) {
      const uint64_t mask = ((uint64_t{1} << place.width) - 1) << place.bit;
      for (uint32_t i = 0; i < row.count; ++i) {
        known_bits_[KeyOf(place.kind, place.address + 4 * i)] |= static_cast<uint32_t>(mask);
      }
    }
    entries_.push_back(std::move(entry));
  }
}

const FieldTable& FieldTable::Of(Generation generation) {
  static const std::array<FieldTable, kGenerations> tables = {
      FieldTable(kRows, Generation::kH13), FieldTable(kRows, Generation::kH14),
      FieldTable(kRows, Generation::kH15), FieldTable(kRows, Generation::kH16),
      FieldTable(kRows, Generation::kH18)};
  return tables[static_cast<size_t>(generation)];
}

uint32_t FieldTable::KnownBits(PlaceKind kind, uint32_t address) const {
  const auto found = known_bits_.find(KeyOf(kind, address));
  return found == known_bits_.end() ? 0 : found->second;
}

}  // namespace anecheck::emulator
