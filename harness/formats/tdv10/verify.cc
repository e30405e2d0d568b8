#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

#include "harness/base/little_endian.h"
#include "harness/formats/rules.h"
#include "harness/formats/tdv10/file.h"

namespace anecheck::tdv10 {
namespace {

constexpr FactEvidence kAssumed = FactEvidence::kAssumed;
constexpr std::string_view kRegisterPlace =
    "specification 000, table 23.4, for the groups; no source for the register's place";
constexpr uint64_t kRegisterAt = kSparseRecord.OffsetOf("register");
constexpr uint64_t kFirstAt = kSparseRecord.OffsetOf("first");

// Returns the registers that have a mask in listing 23.3, with the bits of all their fields.
// CommonTaskType is from another source, which gives no mask for its register.
std::map<uint32_t, uint32_t> Masks() {
  std::map<uint32_t, uint32_t> masks;
  for (const NamedField& field : Fields()) {
    if (field.evidence != FactEvidence::kSpecification) continue;
    masks[field.bits.address] |= ((uint32_t{1} << field.bits.width) - 1) << field.bits.bit;
  }
  return masks;
}

uint64_t FieldOf(const File& file, std::string_view name) {
  return file.image->Field(name).value();
}

uint64_t At(const File& file, uint32_t address) { return file.lead.size() + ImageOffset(address); }

// Calls visit(record, offset) for the records of a sparse stream.
template <typename Visit>
void ForEachRecord(const File& file, Visit visit) {
  for (size_t i = 0; i < file.records.size(); ++i) visit(file.records[i], i * kRecordSize);
}

uint64_t ApertureOf(const SparseRecord& record) {
  return record.register_address & ~(kApertureSize - 1);
}

constexpr auto kRules = RulesOf<File>({
    {"image-size", "An image has 0x3ac bytes, or 0x3b4 as a structure.",
     "specification 000, table 23.4: the end of the last group", FactEvidence::kSpecification,
     CheckedWhileParsing},
    {"record-size", "Records have 44 bytes.", "specification 000, below table 23.5",
     FactEvidence::kSpecification, CheckedWhileParsing},
    {"record-marker", "A record begins with the marker 0x28.",
     "specification 000, table 23.7, for the marker; no source for its place", kAssumed,
     [](const File& file, RuleReport& broken) {
       ForEachRecord(file, [&](const SparseRecord& record, uint64_t at) {
         if (record.marker != kRecordMarker)
           broken(at, "the marker is 0x{:x}, must be 0x28", record.marker);
       });
     }},
    {"record-register", "A record's register belongs to a group.", kRegisterPlace, kAssumed,
     [](const File& file, RuleReport& broken) {
       ForEachRecord(file, [&](const SparseRecord& record, uint64_t at) {
         if (GroupOf(record.address()) == nullptr) {
           broken(at + kRegisterAt, "0x{:x} is no register of a group", record.address());
         }
       });
     }},
    {"record-aperture", "All registers lie in one aperture.",
     "specification 000, below table 23.5; no source for the register's place", kAssumed,
     [](const File& file, RuleReport& broken) {
       ForEachRecord(file, [&](const SparseRecord& record, uint64_t at) {
         if (ApertureOf(record) != ApertureOf(file.records[0])) {
           broken(at + kRegisterAt, "0x{:x} lies in another aperture than the first record",
                  record.register_address);
         }
       });
     }},
    {"record-once", "A register has one record.", "no source", kAssumed,
     [](const File& file, RuleReport& broken) {
       std::set<uint32_t> seen;
       ForEachRecord(file, [&](const SparseRecord& record, uint64_t at) {
         if (!seen.insert(record.address()).second) {
           broken(at + kRegisterAt, "register 0x{:x} already has a record", record.address());
         }
       });
     }},
    {"record-value", "A register's value has 32 bits, and only a slot has a second one.",
     "no source", kAssumed,
     [](const File& file, RuleReport& broken) {
       ForEachRecord(file, [&](const SparseRecord& record, uint64_t at) {
         const RegisterGroup* group = GroupOf(record.address());
         if (group == nullptr) return;
         const bool pair_fits = SlotAt(record.address()) != nullptr &&
                                GroupOf(record.address() + 4) == group &&
                                record.second <= UINT32_MAX;
         if (record.first > UINT32_MAX || (record.second != 0 && !pair_fits)) {
           broken(at + kFirstAt, "register 0x{:x} cannot hold 0x{:x} and 0x{:x}", record.address(),
                  record.first, record.second);
         }
       });
     }},
    {"record-default", "A record's value differs from the default, taken to be 0.",
     "specification 000, below table 23.5, for the rule; no source for the defaults", kAssumed,
     [](const File& file, RuleReport& broken) {
       ForEachRecord(file, [&](const SparseRecord& record, uint64_t at) {
         if (record.first == 0 && GroupOf(record.address()) != nullptr) {
           broken(at + kFirstAt, "a record sets register 0x{:x} to its default", record.address());
         }
       });
     }},
    {"field-mask", "Bits outside the masks of listing 23.3 are 0.",
     "no source: the listing gives the masks alone", kAssumed,
     [](const File& file, RuleReport& broken) {
       if (!file.image) return;
       for (const auto& [address, mask] : Masks()) {
         const uint32_t value = file.image->Register(address).value();
         if ((value & ~mask) == 0) continue;
         broken(At(file, address), "register 0x{:x} has 0x{:x} outside its fields", address,
                value & ~mask);
       }
     }},
    {"task-type", "CommonTaskType is 0 to 8: nine values are valid.",
     "public guide, appendix C.6, for their number; no source lists them", kAssumed,
     [](const File& file, RuleReport& broken) {
       if (file.image && FieldOf(file, "CommonTaskType") > 8) {
         broken(At(file, 0x38), "CommonTaskType is {}, must be 0 to 8",
                FieldOf(file, "CommonTaskType"));
       }
     }},
    {"groups-divide", "numGroups divides Cin and Cout.", "no source", kAssumed,
     [](const File& file, RuleReport& broken) {
       if (!file.image) return;
       const uint64_t groups = FieldOf(file, "numGroups");
       const uint64_t in = FieldOf(file, "Cin");
       const uint64_t out = FieldOf(file, "Cout");
       if (groups != 0 && (in % groups != 0 || out % groups != 0)) {
         broken(At(file, 0x28), "{} groups do not divide {} input and {} output channels", groups,
                in, out);
       }
     }},
    {"slot-symbolic", "The registers of relocation slots are 0 before a load.",
     "specification 000, table 23.5, for the slots; no source for the 0", kAssumed,
     [](const File& file, RuleReport& broken) {
       if (!file.image) return;
       for (const RelocationSlot& slot : RelocationSlots()) {
         const uint32_t value = file.image->Register(slot.address()).value();
         if (value != 0) {
           broken(At(file, slot.address()), "{} at register 0x{:x} holds 0x{:x}, must be 0",
                  slot.name, slot.word, value);
         }
       }
     }},
});

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
                               "0x3ac, a structure 0x3b4, a sparse stream 44 for each record",
                               bytes.size()),
                   std::min(bytes.size(), kImageSize));
}

Result<File> Parse(ByteSpan bytes) {
  File file;
  ANECHECK_ASSIGN(file.form, FormOf(bytes));
  if (file.form == Form::kSparse) {
    ANECHECK_ASSIGN(file.records, ReadRecords(bytes));
    return file;
  }
  const size_t lead = file.form == Form::kStructure ? kStructureLead : 0;
  file.lead.assign(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(lead));
  ANECHECK_ASSIGN(file.image, Image::Parse(bytes.subspan(lead)));
  return file;
}

std::span<const Rule> Rules() { return kRules.rules(); }

std::vector<Violation> Verify(const File& file) { return kRules.Verify(file); }

}  // namespace anecheck::tdv10
