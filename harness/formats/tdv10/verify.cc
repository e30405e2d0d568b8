#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <map>

#include "harness/base/little_endian.h"
#include "harness/formats/tdv10/file.h"
#include "harness/formats/violation_list.h"

namespace anecheck::tdv10 {
namespace {

constexpr Rule kRules[] = {
    {"image-size", "An image has 0x3ac bytes, or 0x3b4 as a structure.",
     "specification 000, table 23.4: the end of the last group", FactEvidence::kSpecification},
    {"record-size", "Records have 44 bytes.", "specification 000, below table 23.5",
     FactEvidence::kSpecification},
    {"record-marker", "A record begins with the marker 0x28.",
     "specification 000, table 23.7, for the marker; no source for its place",
     FactEvidence::kAssumed},
    {"record-register", "A record's register belongs to a group.",
     "specification 000, table 23.4, for the groups; no source for the register's place",
     FactEvidence::kAssumed},
    {"record-aperture", "All registers lie in one aperture.",
     "specification 000, below table 23.5; no source for the register's place",
     FactEvidence::kAssumed},
    {"record-once", "A register has one record.", "no source", FactEvidence::kAssumed},
    {"record-value", "A register's value has 32 bits, and only a slot has a second one.",
     "no source", FactEvidence::kAssumed},
    {"record-default", "A record's value differs from the default, taken to be 0.",
     "specification 000, below table 23.5, for the rule; no source for the defaults",
     FactEvidence::kAssumed},
    {"field-mask", "Bits outside the masks of listing 23.3 are 0.",
     "no source: the listing gives the masks alone", FactEvidence::kAssumed},
    {"task-type", "CommonTaskType is 0 to 8: nine values are valid.",
     "public guide, appendix C.6, for the number; no source for which", FactEvidence::kAssumed},
    {"groups-divide", "numGroups divides Cin and Cout.", "no source", FactEvidence::kAssumed},
    {"slot-symbolic", "The registers of relocation slots are 0 before a load.",
     "specification 000, table 23.5, for the slots; no source for the 0", FactEvidence::kAssumed},
};

const Rule* Named(std::string_view id) {
  return std::find_if(std::begin(kRules), std::end(kRules),
                      [&](const Rule& rule) { return rule.id == id; });
}

void Add(ViolationList& list, std::string_view rule, uint64_t offset, std::string_view what) {
  list.Add(*Named(rule), offset, "{}: {}", rule, what);
}

// The registers that listing 23.3 gives a mask, with the bits that their fields take together.
// CommonTaskType comes from another source, which names no mask of its register.
std::map<uint32_t, uint32_t> Masks() {
  std::map<uint32_t, uint32_t> masks;
  for (const NamedField& field : Fields()) {
    if (field.evidence != FactEvidence::kSpecification) continue;
    masks[field.bits.address] |= ((uint32_t{1} << field.bits.width) - 1) << field.bits.bit;
  }
  return masks;
}

void VerifyImage(const Image& image, uint64_t lead, ViolationList& list) {
  for (const auto& [address, mask] : Masks()) {
    const uint32_t value = image.Register(address).value();
    if ((value & ~mask) != 0) {
      Add(list, "field-mask", lead + ImageOffset(address),
          fmt::format("register 0x{:x} has 0x{:x} outside its fields", address, value & ~mask));
    }
  }
  const auto field = [&](std::string_view name) { return image.Field(name).value(); };
  if (field("CommonTaskType") > 8) {
    Add(list, "task-type", lead + ImageOffset(0x38),
        fmt::format("CommonTaskType is {}", field("CommonTaskType")));
  }
  const uint64_t groups = field("numGroups");
  if (groups != 0 && (field("Cin") % groups != 0 || field("Cout") % groups != 0)) {
    Add(list, "groups-divide", lead + ImageOffset(0x28),
        fmt::format("{} groups of {} input and {} output channels", groups, field("Cin"),
                    field("Cout")));
  }
  for (const RelocationSlot& slot : RelocationSlots()) {
    const uint32_t value = image.Register(slot.address()).value();
    if (value != 0) {
      Add(list, "slot-symbolic", lead + ImageOffset(slot.address()),
          fmt::format("{} at register 0x{:x} holds 0x{:x}", slot.name, slot.word, value));
    }
  }
}

void VerifyRecord(const SparseRecord& record, uint64_t offset, ViolationList& list) {
  if (record.marker != kRecordMarker) {
    Add(list, "record-marker", offset, fmt::format("the marker is 0x{:x}", record.marker));
  }
  const RegisterGroup* group = GroupOf(record.address());
  if (group == nullptr) {
    Add(list, "record-register", offset + 4,
        fmt::format("0x{:x} is no register", record.address()));
    return;
  }
  const bool pair_fits = SlotAt(record.address()) != nullptr &&
                         GroupOf(record.address() + 4) == group && record.second <= UINT32_MAX;
  if (record.first > UINT32_MAX || (record.second != 0 && !pair_fits)) {
    Add(list, "record-value", offset + 12,
        fmt::format("register 0x{:x} cannot hold 0x{:x} and 0x{:x}", record.address(), record.first,
                    record.second));
  }
  if (record.first == 0) {
    Add(list, "record-default", offset + 12,
        fmt::format("register 0x{:x} has its default", record.address()));
  }
}

void VerifySparse(std::span<const SparseRecord> records, ViolationList& list) {
  std::map<uint32_t, size_t> seen;
  for (size_t i = 0; i < records.size(); ++i) {
    const uint64_t offset = i * kRecordSize;
    VerifyRecord(records[i], offset, list);
    if (!seen.emplace(records[i].address(), i).second) {
      Add(list, "record-once", offset + 4,
          fmt::format("register 0x{:x} has a record before", records[i].address()));
    }
    const uint64_t aperture = records[i].register_address & ~(kApertureSize - 1);
    if (aperture != (records[0].register_address & ~(kApertureSize - 1))) {
      Add(list, "record-aperture", offset + 4,
          fmt::format("0x{:x} lies in another aperture than the first record",
                      records[i].register_address));
    }
  }
}

}  // namespace

std::string_view FormName(Form form) {
  constexpr std::array<std::string_view, 3> kNames = {"image", "structure", "sparse"};
  return kNames[static_cast<size_t>(form)];
}

Result<Form> FormOf(ByteSpan bytes) {
  if (bytes.size() == kImageSize) return Form::kImage;
  if (bytes.size() == kImageSize + kStructureLead) return Form::kStructure;
  if (bytes.size() >= kRecordSize && bytes.size() % kRecordSize == 0) return Form::kSparse;
  if (bytes.size() >= 4 && LoadLittle(bytes, 0, 4) == kRecordMarker) {
    return ReadRecords(bytes).error();
  }
  return MakeError(ErrorCode::kMalformed,
                   fmt::format("image-size: 0x{:x} bytes are no version-10 task: an image has "
                               "0x3ac, a structure 0x3b4, a sparse stream 44 a record",
                               bytes.size()),
                   std::min(bytes.size(), kImageSize));
}

std::span<const Rule> Rules() { return kRules; }

Result<std::vector<Violation>> Verify(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Form form, FormOf(bytes));
  ViolationList list;
  if (form == Form::kSparse) {
    ANECHECK_ASSIGN(const std::vector<SparseRecord> records, ReadRecords(bytes));
    VerifySparse(records, list);
  } else {
    const uint64_t lead = form == Form::kStructure ? kStructureLead : 0;
    ANECHECK_ASSIGN(const Image image, Image::Parse(bytes.subspan(lead)));
    VerifyImage(image, lead, list);
  }
  return std::move(list).Take();
}

}  // namespace anecheck::tdv10
