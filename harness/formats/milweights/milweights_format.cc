#include "harness/formats/milweights/milweights_format.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>

#include "harness/base/base64.h"
#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/base/little_endian.h"
#include "harness/base/round_up.h"
#include "harness/formats/bytekinds/byte_kinds.h"
#include "harness/formats/format_of.h"
#include "harness/formats/milweights/weight_file.h"
#include "harness/formats/record/json_fields.h"
#include "harness/formats/rules.h"

namespace anecheck {
namespace {

using milweights::Blob;
using milweights::Gap;
using milweights::WeightFile;

constexpr std::string_view kStorage = "public notes: coremltools, MILBlob/Blob/StorageFormat.hpp";
constexpr std::string_view kTypes = "public notes: coremltools, MILBlob/Blob/BlobDataType.hpp";

constexpr std::string_view kFacts = "facts/mil.md";
constexpr FactEvidence kNotes = FactEvidence::kPublicNotes;
constexpr FactEvidence kAssumed = FactEvidence::kAssumed;
constexpr uint64_t kSizeAt = milweights::kSentinelSize + milweights::kBlobRecord.OffsetOf("size");
constexpr uint64_t kDataAt =
    milweights::kSentinelSize + milweights::kBlobRecord.OffsetOf("data_offset");
constexpr uint64_t kPaddingAt =
    milweights::kSentinelSize + milweights::kBlobRecord.OffsetOf("padding_size_in_bits");
constexpr uint64_t kReservedAt =
    milweights::kSentinelSize + milweights::kBlobRecord.OffsetOf("reserved");

template <size_t N>
bool AllZero(const std::array<uint8_t, N>& bytes) {
  return std::ranges::all_of(bytes, [](uint8_t b) { return b == 0; });
}

int BitsOf(const Blob& blob) {
  return mil::DataTypeBits(milweights::BlobTypeFromNumber(blob.type));
}

// Returns the offset at which another record after the last one would begin.
uint64_t NextRecord(const WeightFile& file) {
  uint64_t at = milweights::kHeaderSize;
  if (!file.blobs.empty()) {
    const Blob& last = file.blobs.back();
    at = last.data.empty() ? last.record_offset + milweights::kRecordSize
                           : last.data_offset + last.data.size();
  }
  return std::min(RoundUp(at, milweights::kAlignment), file.size);
}

constexpr auto kRules = RulesOf<WeightFile>({
    {"version-is-two", "The header's version is 2.", kStorage, kNotes,
     [](const WeightFile& file, RuleReport& broken) {
       if (file.version != milweights::kVersion) {
         broken(milweights::kHeaderRecord.OffsetOf("version"), "the version is {}, must be 2",
                file.version);
       }
     }},
    {"records-as-counted",
     "The header's count is the number of records, which begin with 0xDEADBEEF at multiples of 64.",
     kFacts, kNotes,
     [](const WeightFile& file, RuleReport& broken) {
       // The next record can be found only if the data of the previous record is in the file.
       const size_t found = file.blobs.size();
       const bool lost = found > 0 && !IsDataInFile(file.blobs.back(), file.size);
       if (found < file.count && !lost) {
         broken(NextRecord(file), "{} records, the header counts {}", found, file.count);
       }
     }},
    {"no-uncounted-records", "No record follows the last one that the header counts.", kStorage,
     kNotes,
     [](const WeightFile& file, RuleReport& broken) {
       if (file.blobs.size() > file.count) {
         broken(file.blobs[file.count].record_offset, "{} records, the header counts {}",
                file.blobs.size(), file.count);
       }
     }},
    {"type-known", "A record's type is 1 to 17.", kTypes, kNotes,
     [](const WeightFile& file, RuleReport& broken) {
       for (const Blob& blob : file.blobs) {
         if (milweights::BlobTypeFromNumber(blob.type) == mil::DataType::kOther) {
           broken(blob.record_offset + milweights::kSentinelSize, "the type {} is unknown",
                  blob.type);
         }
       }
     }},
    {"data-inside-file", "A blob's data end within the file.", kFacts, kNotes,
     [](const WeightFile& file, RuleReport& broken) {
       for (const Blob& blob : file.blobs) {
         if (IsDataInFile(blob, file.size)) continue;
         broken(blob.record_offset + kDataAt,
                "{} bytes of data at 0x{:x} leave the file of {} bytes", blob.size,
                blob.data_offset, file.size);
       }
     }},
    {"data-behind-record", "A blob's data lie behind its record.", kStorage, kNotes,
     [](const WeightFile& file, RuleReport& broken) {
       for (const Blob& blob : file.blobs) {
         if (IsDataInFile(blob, file.size) &&
             blob.data_offset < blob.record_offset + milweights::kRecordSize) {
           broken(blob.record_offset + kDataAt, "the data are at 0x{:x}, the record is at 0x{:x}",
                  blob.data_offset, blob.record_offset);
         }
       }
     }},
    {"data-aligned", "A blob's data start at a multiple of 64.", kFacts, kNotes,
     [](const WeightFile& file, RuleReport& broken) {
       for (const Blob& blob : file.blobs) {
         if (blob.data_offset % milweights::kAlignment != 0) {
           broken(blob.record_offset + kDataAt,
                  "the data are at 0x{:x}, which is no multiple of 64", blob.data_offset);
         }
       }
     }},
    {"whole-elements", "A blob's size is a whole number of its type's elements.", kTypes, kNotes,
     [](const WeightFile& file, RuleReport& broken) {
       for (const Blob& blob : file.blobs) {
         const mil::DataType type = milweights::BlobTypeFromNumber(blob.type);
         const int bits = mil::DataTypeBits(type);
         if (type != mil::DataType::kOther && bits >= 8 &&
             blob.size % static_cast<uint64_t>(bits / 8) != 0) {
           broken(blob.record_offset + kSizeAt, "{} bytes are no whole number of {} elements",
                  blob.size, mil::DataTypeName(type));
         }
       }
     }},
    {"padding-bits",
     "Padding has at most 7 bits. A blob of whole-byte elements or without data has no padding.",
     kStorage, kNotes,
     [](const WeightFile& file, RuleReport& broken) {
       for (const Blob& blob : file.blobs) {
         const bool whole = BitsOf(blob) >= 8 || blob.size == 0;
         if (blob.padding_bits > 7 || (blob.padding_bits != 0 && whole)) {
           broken(blob.record_offset + kPaddingAt, "the padding has {} bits", blob.padding_bits);
         }
       }
     }},
    {"reserved-zero", "Reserved bytes of the header and of records are zero.", "no source",
     kAssumed,
     [](const WeightFile& file, RuleReport& broken) {
       if (!AllZero(file.reserved)) {
         broken(milweights::kHeaderRecord.OffsetOf("reserved"),
                "the header's reserved bytes are not zero");
       }
       for (const Blob& blob : file.blobs) {
         if (!AllZero(blob.reserved)) {
           broken(blob.record_offset + kReservedAt, "the record's reserved bytes are not zero");
         }
       }
     }},
    {"gaps-zero",
     "Only zeros for alignment are between the parts, and nothing is behind the last part.",
     "no source", kAssumed,
     [](const WeightFile& file, RuleReport& broken) {
       for (const Gap& gap : file.gaps)
         broken(gap.offset, "no part has {} bytes", gap.bytes.size());
     }},
});

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts = [] {
    std::vector<FieldFact> rows;
    milweights::kHeaderRecord.AddFacts("", kNotes, rows);
    rows.push_back(
        {"blobs[].offset", FactEvidence::kNotation, "where the record stands in the file"});
    milweights::kBlobRecord.AddFacts("blobs[]", kNotes, rows);
    rows.insert(rows.end(),
                {{"blobs[].data", kNotes, "facts/mil.md: the constant's elements"},
                 {"gaps[].offset", FactEvidence::kNotation, "where the bytes stand in the file"},
                 {"gaps[].data", FactEvidence::kOpaque, "bytes of no record and no blob"}});
    return rows;
  }();
  return facts;
}

int Recognise(ByteSpan bytes, std::string_view path) {
  if (bytes.size() < milweights::kHeaderSize || LoadU32(&bytes[4]) != milweights::kVersion)
    return 0;
  if (bytes.size() >= milweights::kHeaderSize + milweights::kRecordSize &&
      LoadU32(&bytes[milweights::kHeaderSize]) == milweights::kSentinel) {
    return 100;
  }
  return LoadU32(bytes.data()) == 0 && path.ends_with("weight.bin") ? 60 : 0;
}

Json TypeJson(uint32_t number) {
  const mil::DataType type = milweights::BlobTypeFromNumber(number);
  if (type == mil::DataType::kOther) return number;
  return std::string(mil::DataTypeName(type));
}

Result<Json> ToJson(const WeightFile& file) {
  Json json = {{"format", "milweights"}};
  milweights::kHeaderRecord.ToJson(file, json);
  json["blobs"] = Json::array();
  for (const Blob& blob : file.blobs) {
    Json entry = {{"offset", blob.record_offset}, {"type", TypeJson(blob.type)}};
    milweights::kBlobRecord.ToJson(blob, entry);
    if (!blob.data.empty()) entry["data"] = Base64Encode(blob.data);
    json["blobs"].push_back(std::move(entry));
  }
  for (const Gap& gap : file.gaps) {
    json["gaps"].push_back({{"offset", gap.offset}, {"data", Base64Encode(gap.bytes)}});
  }
  return json;
}

// Reads the name of a type or its number.
uint32_t TypeFromJson(JsonFields& fields) {
  const auto found = fields.object().find("type");
  if (found != fields.object().end() && found->is_string()) {
    const auto number = milweights::BlobTypeNumber(mil::DataTypeFromName(found->text()));
    fields.ReadElsewhere({"type"});
    if (number) return *number;
    fields.Fail("type", "must be the name of a type or its number");
  }
  return fields.U32("type");
}

Result<Bytes> FromJson(const Json& json) {
  Status status;
  JsonFields fields(json, "", &status);
  fields.ReadElsewhere({"format"});
  WeightFile file;
  std::vector<Bytes> kept;  // the bytes to which the spans of `file` refer
  const auto keep = [&](JsonFields& item) -> ByteSpan {
    if (item.Has("data")) kept.push_back(item.Base64("data"));
    return item.Has("data") ? ByteSpan(kept.back()) : ByteSpan();
  };
  milweights::kHeaderRecord.FromJson(fields, file);
  fields.ForEach("blobs", [&](JsonFields item) {
    Blob& blob = file.blobs.emplace_back();
    blob.record_offset = item.Uint("offset");
    blob.type = TypeFromJson(item);
    milweights::kBlobRecord.FromJson(item, blob);
    blob.data = keep(item);
    item.RefuseOthers();
  });
  fields.ForEach("gaps", [&](JsonFields item) {
    const uint64_t offset = item.Uint("offset");
    file.gaps.push_back({offset, keep(item)});
    item.RefuseOthers();
  });
  fields.RefuseOthers();
  if (!status.ok()) return status.error();
  return milweights::Write(file);
}

std::string Print(const WeightFile& file) {
  std::string out = fmt::format("MIL weight side file, version {}, {} counted, {} found\n",
                                file.version, Counted(file.count, "blob"), file.blobs.size());
  for (size_t i = 0; i < file.blobs.size(); ++i) {
    const Blob& blob = file.blobs[i];
    const mil::DataType type = milweights::BlobTypeFromNumber(blob.type);
    out += fmt::format("  blob[{}] at 0x{:x}: type {} ({}), {} at 0x{:x}", i, blob.record_offset,
                       blob.type, mil::DataTypeName(type), Counted(blob.size, "byte"),
                       blob.data_offset);
    if (blob.padding_bits != 0) out += ", " + Counted(blob.padding_bits, "bit") + " of padding";
    if (const int bits = mil::DataTypeBits(type); bits != 0 && blob.size <= UINT64_MAX / 8) {
      out += ", " + Counted((blob.size * 8 - std::min(blob.padding_bits, blob.size * 8)) /
                                static_cast<uint64_t>(bits),
                            "element");
    }
    out += '\n';
  }
  for (const Gap& gap : file.gaps) {
    out += fmt::format("  {} of unknown use at 0x{:x}\n", Counted(gap.bytes.size(), "byte"),
                       gap.offset);
  }
  return out;
}

// Does not claim reserved bytes and gaps, so their zeros are fill and other bytes are opaque.
ByteCounts CountBytes(const WeightFile& file, ByteSpan bytes) {
  ByteKindMap map(bytes);
  map.Claim(ByteKind::kTyped, 0, milweights::kHeaderSize - file.reserved.size());
  for (const Blob& blob : file.blobs) {
    map.Claim(ByteKind::kTyped, blob.record_offset, milweights::kRecordSize - blob.reserved.size());
    map.Claim(ByteKind::kPayload, blob.data_offset, blob.data.size());
  }
  return std::move(map).Count();
}

constexpr FormatOf<WeightFile> kDefinition = {
    .name = "milweights",
    .title = "MIL weight side file",
    .rules = kRules.rules(),
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FromJson,
    .parse = milweights::Parse,
    .to_json = ToJson,
    .write = milweights::Write,
    .verify = [](const WeightFile& file) { return kRules.Verify(file); },
    .print = Print,
    .count_bytes = CountBytes,
};

}  // namespace

const Format kFormat_milweights = MakeFormat<kDefinition>();

}  // namespace anecheck
