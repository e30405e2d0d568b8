#include "generators/formats/tdv10/tdv10_generator.h"

#include <array>

#include "generators/formats/common/byte_mutations.h"
#include "harness/base/little_endian.h"
#include "harness/formats/tdv10/file.h"

namespace anecheck {
namespace {

using namespace tdv10;  // NOLINT(google-build-using-namespace): every name here is of that room

// Whether a field of listing 23.3 is in the register. Only the bits of fields are set in such
// registers.
bool IsFieldRegister(uint32_t address) {
  for (const NamedField& field : Fields()) {
    if (field.bits.address == address) return true;
  }
  return false;
}

// Sets random registers to random values. Does not change the registers of fields and slots.
void FillRegisters(Image& image, ChoiceStream& choices) {
  for (uint64_t n = choices.Below(60); n > 0; --n) {
    const RegisterGroup& group = choices.Pick(Groups());
    const auto address = static_cast<uint32_t>(group.address + 4 * choices.Below(group.count));
    if (IsFieldRegister(address) || SlotAt(address) != nullptr) continue;
    (void)image.SetRegister(address, static_cast<uint32_t>(choices.Below(uint64_t{1} << 32)));
  }
}

void FillFields(Image& image, ChoiceStream& choices) {
  const uint64_t groups = choices.Below(9);
  const uint64_t unit = groups == 0 ? 1 : groups;
  (void)image.SetField("numGroups", groups);
  (void)image.SetField("Cin", unit * choices.Below(0x1ffff / unit + 1));
  (void)image.SetField("Cout", unit * choices.Below(0x1ffff / unit + 1));
  (void)image.SetField("Win", choices.Below(0x8000));
  (void)image.SetField("Hin", choices.Below(0x8000));
  (void)image.SetField("OCGSize", choices.Below(8));
  (void)image.SetField("CommonTaskType", choices.Below(9));
}

Bytes Opaque(size_t size, ChoiceStream& choices) {
  Bytes bytes(size, 0);
  if (!choices.Coin()) return bytes;
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(choices.Below(256));
  bytes[0] = 0;  // never the marker of a sparse stream
  return bytes;
}

Bytes GenerateSparse(Image image, ChoiceStream& choices) {
  for (const RelocationSlot& slot : RelocationSlots()) {
    if (choices.Coin()) {
      (void)image.SetBits({slot.address(), 0, 64}, choices.Below(uint64_t{1} << 40));
    }
  }
  const uint64_t aperture = kApertureSize * choices.Below(1u << 20);
  Bytes bytes = WriteRecords(Serialize(image, Image(), aperture));
  if (bytes.empty()) {  // if every register has its default
    bytes = WriteRecords(std::vector<SparseRecord>{{kRecordMarker, aperture, 1, 0}});
  }
  if (choices.Chance(1, 4)) {
    for (size_t at = 28; at < bytes.size(); at += kRecordSize) {
      bytes[at + choices.Below(16)] = static_cast<uint8_t>(choices.Below(256));
    }
  }
  return bytes;
}

Bytes Generate(ChoiceStream& choices) {
  const auto form = static_cast<Form>(choices.Below(3));
  Image image;
  FillRegisters(image, choices);
  FillFields(image, choices);
  if (form == Form::kSparse) return GenerateSparse(image, choices);
  Bytes bytes(image.bytes().begin(), image.bytes().end());
  const Bytes head = Opaque(Groups()[0].image_base, choices);
  std::copy(head.begin(), head.end(), bytes.begin());
  if (form == Form::kStructure) {
    const Bytes lead = Opaque(kStructureLead, choices);
    bytes.insert(bytes.begin(), lead.begin(), lead.end());
  }
  return bytes;
}

bool IsSparse(ByteSpan bytes) { return FormOf(bytes).value() == Form::kSparse; }

// Returns the offset at which the image begins in a dense file.
uint64_t Lead(ByteSpan bytes) {
  return FormOf(bytes).value() == Form::kStructure ? kStructureLead : 0;
}

uint64_t At(ByteSpan bytes, uint32_t address) { return Lead(bytes) + ImageOffset(address); }

size_t PickRecord(ByteSpan bytes, ChoiceStream& choices) {
  return choices.Below(bytes.size() / kRecordSize) * kRecordSize;
}

std::optional<Mutation> Resize(ByteSpan bytes, ChoiceStream& choices) {
  if (IsSparse(bytes)) return std::nullopt;
  constexpr std::array<uint64_t, 6> kSizes = {0x3ab, 0x3ad, 0x3b3, 0x3b5, 1, 0x938};
  return MakeResize("resize-image", choices.Pick(kSizes));
}

std::optional<Mutation> CutRecord(ByteSpan bytes, ChoiceStream& choices) {
  if (!IsSparse(bytes)) return std::nullopt;
  return MakeResize("cut-record", bytes.size() - 1 - choices.Below(19));
}

std::optional<Mutation> Marker(ByteSpan bytes, ChoiceStream& choices) {
  if (!IsSparse(bytes)) return std::nullopt;
  constexpr std::array<uint64_t, 5> kMarkers = {0x29, 0, 0x2c, 0x2800, 0xffffffff};
  return MakePatch("change-marker", {{PickRecord(bytes, choices), 4, choices.Pick(kMarkers)}});
}

std::optional<Mutation> Register(ByteSpan bytes, ChoiceStream& choices) {
  if (!IsSparse(bytes)) return std::nullopt;
  const size_t at = PickRecord(bytes, choices);
  const uint64_t aperture = LoadLittle(bytes, at + 4, 8) & ~(kApertureSize - 1);
  return MakePatch("leave-groups", {{at + 4, 8, aperture + 0x4c + choices.Below(0x4000)}});
}

std::optional<Mutation> Aperture(ByteSpan bytes, ChoiceStream& choices) {
  if (!IsSparse(bytes) || bytes.size() < 2 * kRecordSize) return std::nullopt;
  const size_t at = (1 + choices.Below(bytes.size() / kRecordSize - 1)) * kRecordSize;
  const uint64_t moved = LoadLittle(bytes, at + 4, 8) + kApertureSize * (1 + choices.Below(9));
  return MakePatch("change-aperture", {{at + 4, 8, moved}});
}

std::optional<Mutation> RepeatRecord(ByteSpan bytes, ChoiceStream& choices) {
  if (!IsSparse(bytes)) return std::nullopt;
  return MakeRepeat("repeat-record", PickRecord(bytes, choices), kRecordSize);
}

std::optional<Mutation> WideValue(ByteSpan bytes, ChoiceStream& choices) {
  if (!IsSparse(bytes)) return std::nullopt;
  return MakePatch("widen-value",
                   {{PickRecord(bytes, choices) + 16, 4, 1 + choices.Below(0xffff)}});
}

std::optional<Mutation> DefaultValue(ByteSpan bytes, ChoiceStream& choices) {
  if (!IsSparse(bytes)) return std::nullopt;
  return MakePatch("write-default", {{PickRecord(bytes, choices) + 12, 8, 0}});
}

std::optional<Mutation> DropRecord(ByteSpan bytes, ChoiceStream& choices) {
  if (!IsSparse(bytes) || bytes.size() < 2 * kRecordSize) return std::nullopt;
  return MakeCut("drop-record", PickRecord(bytes, choices), kRecordSize);
}

std::optional<Mutation> MoveRecord(ByteSpan bytes, ChoiceStream& /*choices*/) {
  if (!IsSparse(bytes) || bytes.size() < 2 * kRecordSize) return std::nullopt;
  return MakeMove("move-record", 0, kRecordSize, bytes.size() - kRecordSize);
}

std::optional<Mutation> FieldMask(ByteSpan bytes, ChoiceStream& choices) {
  if (IsSparse(bytes)) return std::nullopt;
  constexpr std::array<std::pair<uint32_t, uint8_t>, 6> kBits = {
      {{0x00, 15}, {0x00, 31}, {0x0c, 17}, {0x10, 17}, {0x24, 3}, {0x28, 13}}};
  const auto& [address, bit] = choices.Pick(kBits);
  const uint64_t at = At(bytes, address);
  return MakePatch("exceed-field", {{at, 4, LoadLittle(bytes, at, 4) | (uint64_t{1} << bit)}});
}

std::optional<Mutation> TaskType(ByteSpan bytes, ChoiceStream& choices) {
  if (IsSparse(bytes)) return std::nullopt;
  return MakePatch("odd-task-type", {{At(bytes, 0x38), 4, (9 + choices.Below(7)) << 4}});
}

std::optional<Mutation> GroupCount(ByteSpan bytes, ChoiceStream& choices) {
  if (IsSparse(bytes)) return std::nullopt;
  const uint64_t groups = 2 + choices.Below(1000);
  return MakePatch(
      "split-channels-unevenly",
      {{At(bytes, 0x0c), 4, groups * (1 + choices.Below(50)) + 1}, {At(bytes, 0x28), 4, groups}});
}

std::optional<Mutation> FillSlot(ByteSpan bytes, ChoiceStream& choices) {
  if (IsSparse(bytes)) return std::nullopt;
  const RelocationSlot& slot = choices.Pick(RelocationSlots());
  return MakePatch("fill-slot",
                   {{At(bytes, slot.address()), 4, 0x30000000 + 0x4000 * choices.Below(9)}});
}

std::optional<Mutation> ChangeRegister(ByteSpan bytes, ChoiceStream& choices) {
  if (IsSparse(bytes)) return std::nullopt;
  const uint64_t at = At(bytes, static_cast<uint32_t>(0x4900 + 4 * choices.Below(11)));
  return MakePatch("change-register",
                   {{at, 4, LoadLittle(bytes, at, 4) ^ (uint64_t{1} << choices.Below(32))}});
}

std::optional<Mutation> ScribbleGap(ByteSpan bytes, ChoiceStream& choices) {
  if (IsSparse(bytes)) return std::nullopt;
  const uint64_t at = Lead(bytes) + 0xac + choices.Below(0x48);
  return MakePatch("scribble-gap", {{at, 1, uint64_t{bytes[at]} ^ (1 + choices.Below(255))}});
}

constexpr MutationKind kMutations[] = {
    {"resize-image", "image-size", Resize, ApplyResize},
    {"cut-record", "record-size", CutRecord, ApplyResize},
    {"change-marker", "record-marker", Marker, ApplyPatch},
    {"leave-groups", "record-register", Register, ApplyPatch},
    {"change-aperture", "record-aperture", Aperture, ApplyPatch},
    {"repeat-record", "record-once", RepeatRecord, ApplyRepeat},
    {"widen-value", "record-value", WideValue, ApplyPatch},
    {"write-default", "record-default", DefaultValue, ApplyPatch},
    {"drop-record", "", DropRecord, ApplyCut},
    {"move-record", "", MoveRecord, ApplyMove},
    {"exceed-field", "field-mask", FieldMask, ApplyPatch},
    {"odd-task-type", "task-type", TaskType, ApplyPatch},
    {"split-channels-unevenly", "groups-divide", GroupCount, ApplyPatch},
    {"fill-slot", "slot-symbolic", FillSlot, ApplyPatch},
    {"change-register", "", ChangeRegister, ApplyPatch},
    {"scribble-gap", "", ScribbleGap, ApplyPatch},
};

}  // namespace

const DescriptorGenerator kGenerator_tdv10 = {"tdv10", Generate, kMutations};

}  // namespace anecheck
