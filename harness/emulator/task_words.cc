#include "harness/emulator/task_words.h"

#include <algorithm>
#include <fmt/format.h>

namespace anecheck::emulator {
namespace {

constexpr uint32_t kAddressPacket = 0x100;  // bit 29 of a record header, in its bits 21 to 30

uint32_t Extract(uint32_t word, const Place& place) {
  return static_cast<uint32_t>(uint64_t{word} >> place.bit & ((uint64_t{1} << place.width) - 1));
}

// Returns the raw value of one field, or the reset value if no write sets it.
uint32_t RawValue(const FieldTable::Entry& entry, const TaskWords& words, uint32_t index) {
  const Place& place = entry.place;
  const uint32_t address = place.address + 4 * index;
  if (place.kind == PlaceKind::kNone) return entry.reset;
  if (place.kind == PlaceKind::kHeader) {
    return place.address < words.header.size() ? Extract(words.header[place.address], place) : 0;
  }
  const RegisterValue* found = words.Find(address);
  switch (place.kind) {
    case PlaceKind::kPacketBar:
      return found != nullptr && found->bar ? *found->bar : 0;
    case PlaceKind::kBound:
      return found != nullptr && found->bar ? 1 : 0;
    default:
      return found == nullptr ? entry.reset : Extract(found->value, place);
  }
}

const KnownCodes* FindCode(const FieldTable::Entry& entry, uint32_t raw) {
  for (const KnownCodes& codes : entry.codes) {
    if (raw >= codes.low && raw <= codes.high) return &codes;
  }
  return nullptr;
}

std::string KnownText(const FieldTable::Entry& entry) {
  std::string text;
  for (const KnownCodes& codes : entry.codes) {
    if (!text.empty()) text += ", ";
    text += codes.low == codes.high ? fmt::format("{}", codes.low)
                                    : fmt::format("{} to {}", codes.low, codes.high);
    if (!codes.name.empty()) text += fmt::format(" {}", codes.name);
  }
  return text;
}

Error UnknownBits(const TaskWords& words, std::string_view what, uint32_t word, uint32_t bits) {
  return MakeError(
      ErrorCode::kUnsupported,
      fmt::format("task {}, {}: bits 0x{:x} of 0x{:x} have no known meaning; no file or"
                  " record sets them",
                  words.index, what, bits, word),
      words.offset);
}

Status CheckUnknownBits(const FieldTable& table, const TaskWords& words) {
  for (size_t i = 0; i < words.header.size(); ++i) {
    const auto index = static_cast<uint32_t>(i);
    const uint32_t bits = words.header[i] & ~table.KnownBits(PlaceKind::kHeader, index);
    if (bits != 0) {
      return UnknownBits(words, fmt::format("header word {}", i), words.header[i], bits);
    }
  }
  for (const RegisterValue& written : words.registers) {
    const uint32_t bits = written.value & ~table.KnownBits(PlaceKind::kRegister, written.address);
    if (bits != 0) {
      return UnknownBits(words, fmt::format("register 0x{:x}", written.address), written.value,
                         bits);
    }
  }
  return {};
}

}  // namespace

const RegisterValue* TaskWords::Find(uint32_t address) const {
  const auto at = std::ranges::lower_bound(registers, address, {}, &RegisterValue::address);
  return at != registers.end() && at->address == address ? &*at : nullptr;
}

void TaskWords::Set(uint32_t address, uint32_t value, std::optional<uint32_t> bar) {
  const auto at = std::ranges::lower_bound(registers, address, {}, &RegisterValue::address);
  if (at != registers.end() && at->address == address) {
    *at = {address, value, bar};
  } else {
    registers.insert(at, {address, value, bar});
  }
}

Result<std::vector<TaskWords>> WordsOf(const td::Chain& chain) {
  std::vector<TaskWords> tasks;
  for (const td::Task& task : chain.tasks) {
    TaskWords words;
    words.index = static_cast<uint32_t>(tasks.size());
    words.offset = task.offset;
    words.header.assign(task.header.begin(), task.header.begin() + chain.header_words);
    for (const td::RegisterWrite& write : task.writes) {
      std::optional<uint32_t> bar;
      if ((write.reserved & kAddressPacket) != 0) bar = write.reserved & 0xffu;
      if (!bar && write.reserved != 0) {
        return MakeError(ErrorCode::kUnsupported,
                         fmt::format("task {}: bits 21 to 30 of the record at register 0x{:x} are"
                                     " 0x{:x}, and it is no address packet",
                                     words.index, write.byte_address, write.reserved),
                         task.offset);
      }
      td::ForEachRegister(
          task, write, [&](uint32_t address, uint32_t value) { words.Set(address, value, bar); });
    }
    tasks.push_back(std::move(words));
  }
  return tasks;
}

bool IsDma(uint32_t type) { return type == kDmaAndL2 || type == kDma; }
bool UsesL2(uint32_t type) { return type == 0 || type == kDmaAndL2; }

bool Counts(When when, const FieldValues& values) {
  const uint32_t type = values[Field::kTaskType];
  const bool neural = type == 0;
  const bool table = neural && values[Field::kNonlinear] == 2;
  switch (when) {
    case When::kAlways:
      return true;
    case When::kNeural:
      return neural;
    case When::kPlanar:
      return !neural;
    case When::kTwoSources:
      return type == 3 || type == 4 || type == 6;
    case When::kReducing:
      return type == 5 || type == 6;
    case When::kCoefficients:
      return neural && values[Field::kNoCoefficients] == 0;
    case When::kKernel:
      return values[Field::kKernelBound] != 0;
    case When::kTable:
      return table && values[Field::kTableEnable] != 0;
    case When::kSource1Dma:
      return IsDma(values[Field::kSourceType]);
    case When::kSource2Dma:
      return values[Field::kSource2Bound] != 0;
    case When::kResultDma:
      return IsDma(values[Field::kResultType]);
    case When::kL2Source1:
      return UsesL2(values[Field::kSourceType]);
    case When::kL2Source2:
      return !neural && values[Field::kSource2Bound] == 0;
    case When::kL2Result:
      return UsesL2(values[Field::kResultType]);
  }
  return true;
}

std::string PlaceOf(const TaskWords& words, const FieldTable::Entry& entry, uint32_t index) {
  const Place& place = entry.place;
  const std::string where = place.kind == PlaceKind::kHeader
                                ? fmt::format("header word {}", place.address)
                                : fmt::format("register 0x{:x}", place.address + 4 * index);
  return fmt::format("task {}, {} bits {}-{} ({})", words.index, where, place.bit,
                     place.bit + place.width - 1, entry.row->name);
}

Result<FieldValues> ReadFields(const FieldTable& table, const TaskWords& words,
                               std::vector<std::string>& warnings) {
  ANECHECK_RETURN_IF_ERROR(CheckUnknownBits(table, words));
  FieldValues values;
  for (const FieldTable::Entry& entry : table.entries()) {
    for (uint32_t i = 0; i < entry.row->count; ++i) {
      const uint32_t raw = RawValue(entry, words, i);
      const KnownCodes* codes = FindCode(entry, raw);
      values.Set(entry.row->field, i, codes != nullptr ? codes->meaning + (raw - codes->low) : raw);
    }
  }
  for (const FieldTable::Entry& entry : table.entries()) {
    if (entry.codes.empty() || !Counts(entry.row->when, values)) continue;
    for (uint32_t i = 0; i < entry.row->count; ++i) {
      const uint32_t raw = RawValue(entry, words, i);
      if (FindCode(entry, raw) != nullptr) continue;
      std::string text =
          fmt::format("{} = {}: {}; known: {} ({})", PlaceOf(words, entry, i), raw,
                      entry.row->meaning, KnownText(entry), EvidenceName(entry.row->evidence));
      if (!entry.row->other.empty()) text += fmt::format("; {}", entry.row->other);
      if (entry.row->effect == Effect::kResult) {
        return MakeError(ErrorCode::kUnsupported, text, words.offset);
      }
      warnings.push_back(std::move(text));
    }
  }
  return values;
}

}  // namespace anecheck::emulator
