#include "harness/formats/milweights/milweights_format.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>
#include <string>

#include "harness/base/base64.h"
#include "harness/base/json.h"
#include "harness/base/little_endian.h"
#include "harness/formats/bytekinds/byte_kinds.h"
#include "harness/formats/format.h"
#include "harness/formats/milweights/weight_file.h"
#include "harness/formats/violation_list.h"

namespace anecheck {
namespace {

using milweights::Blob;
using milweights::Gap;
using milweights::WeightFile;

constexpr std::string_view kStorage = "public notes: coremltools, MILBlob/Blob/StorageFormat.hpp";
constexpr std::string_view kTypes = "public notes: coremltools, MILBlob/Blob/BlobDataType.hpp";

enum RuleIndex : uint8_t {
  kVersionIsTwo,
  kRecordsAsCounted,
  kNoUncountedRecords,
  kTypeKnown,
  kDataInsideFile,
  kDataBehindRecord,
  kDataAligned,
  kWholeElements,
  kPaddingBits,
  kReservedZero,
  kGapsZero,
};

constexpr auto kRules = std::to_array<Rule>({
    {"version-is-two", "The header's version is 2.", kStorage, FactEvidence::kPublicNotes},
    {"records-as-counted",
     "As many records, each begun by 0xDEADBEEF at a multiple of 64, follow as the header counts.",
     "facts/mil.md", FactEvidence::kPublicNotes},
    {"no-uncounted-records", "No record follows the last one that the header counts.", kStorage,
     FactEvidence::kPublicNotes},
    {"type-known", "A record's type is 1 to 17.", kTypes, FactEvidence::kPublicNotes},
    {"data-inside-file", "A blob's data end within the file.", "facts/mil.md",
     FactEvidence::kPublicNotes},
    {"data-behind-record", "A blob's data lie behind its record.", kStorage,
     FactEvidence::kPublicNotes},
    {"data-aligned", "A blob's data start at a multiple of 64.", "facts/mil.md",
     FactEvidence::kPublicNotes},
    {"whole-elements", "A blob's size is a whole number of its type's elements.", kTypes,
     FactEvidence::kPublicNotes},
    {"padding-bits",
     "Fewer than eight bits are padding, and none of types of whole bytes or without data.",
     kStorage, FactEvidence::kPublicNotes},
    {"reserved-zero", "Reserved bytes of the header and of records are zero.", "no source",
     FactEvidence::kAssumed},
    {"gaps-zero",
     "Nothing but the zeros that align it stands between the parts or behind the last.",
     "no source", FactEvidence::kAssumed},
});

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  constexpr FactEvidence kNotes = FactEvidence::kPublicNotes;
  static const std::vector<FieldFact> facts = {
      {"count", kNotes, std::string(kStorage)},
      {"version", kNotes, std::string(kStorage)},
      {"reserved", FactEvidence::kOpaque, "reserved by the public notes"},
      {"blobs[].offset", FactEvidence::kNotation, "where the record stands in the file"},
      {"blobs[].type", kNotes, std::string(kTypes)},
      {"blobs[].size", kNotes, std::string(kStorage)},
      {"blobs[].data_offset", kNotes, std::string(kStorage)},
      {"blobs[].padding_size_in_bits", kNotes, std::string(kStorage)},
      {"blobs[].reserved", FactEvidence::kOpaque, "reserved by the public notes"},
      {"blobs[].data", kNotes, "facts/mil.md: the constant's elements"},
      {"gaps[].offset", FactEvidence::kNotation, "where the bytes stand in the file"},
      {"gaps[].data", FactEvidence::kOpaque, "bytes of no record and no blob"}};
  return facts;
}

template <size_t N>
bool AllZero(const std::array<uint8_t, N>& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
}

class Verifier {
 public:
  Verifier(ByteSpan bytes, const WeightFile& file) : bytes_(bytes), file_(file) {}

  std::vector<Violation> Run() {
    if (file_.version != milweights::kVersion) {
      Add(kVersionIsTwo, 4, fmt::format("version {}", file_.version));
    }
    if (!AllZero(file_.reserved)) Add(kReservedZero, 8, "the header's reserved bytes");
    for (size_t i = 0; i < file_.blobs.size(); ++i) CheckBlob(i, file_.blobs[i]);
    CheckCount();
    for (const Gap& gap : file_.gaps) {
      Add(kGapsZero, gap.offset, fmt::format("{} bytes", gap.bytes.size()));
    }
    return std::move(violations_).Take();
  }

 private:
  void Add(RuleIndex rule, uint64_t offset, std::string_view message) {
    violations_.Add(kRules[rule], offset, "{}: {}", kRules[rule].id, message);
  }

  bool InFile(const Blob& blob) const {
    return blob.data_offset <= bytes_.size() && blob.size <= bytes_.size() - blob.data_offset;
  }

  void CheckBlob(size_t index, const Blob& blob) {
    const uint64_t at = blob.record_offset;
    const mil::DataType type = milweights::BlobTypeFromNumber(blob.type);
    const int bits = mil::DataTypeBits(type);
    const auto say = [&](std::string_view what) {
      return fmt::format("blob[{}]: {}", index, what);
    };
    if (type == mil::DataType::kOther) {
      Add(kTypeKnown, at + 4, say(fmt::format("type {}", blob.type)));
    } else if (bits >= 8 && blob.size % static_cast<uint64_t>(bits / 8) != 0) {
      Add(kWholeElements, at + 8,
          say(fmt::format("{} bytes of {}", blob.size, mil::DataTypeName(type))));
    }
    if (!InFile(blob)) {
      Add(kDataInsideFile, at + 16,
          say(fmt::format("{} bytes at 0x{:x} in a file of {}", blob.size, blob.data_offset,
                          bytes_.size())));
    } else if (blob.data_offset < at + milweights::kRecordSize) {
      Add(kDataBehindRecord, at + 16,
          say(fmt::format("data at 0x{:x}, record at 0x{:x}", blob.data_offset, at)));
    }
    if (blob.data_offset % milweights::kAlignment != 0) {
      Add(kDataAligned, at + 16, say(fmt::format("data at 0x{:x}", blob.data_offset)));
    }
    if (blob.padding_bits > 7 || (blob.padding_bits != 0 && (bits >= 8 || blob.size == 0))) {
      Add(kPaddingBits, at + 24, say(fmt::format("{} bits of padding", blob.padding_bits)));
    }
    if (!AllZero(blob.reserved)) Add(kReservedZero, at + 32, say("the record's reserved bytes"));
  }

  void CheckCount() {
    const size_t found = file_.blobs.size();
    if (found > file_.count) {
      Add(kNoUncountedRecords, file_.blobs[file_.count].record_offset,
          fmt::format("{} records, the header counts {}", found, file_.count));
    }
    // Behind a record whose data are nowhere, the next record cannot be found.
    const bool lost = found > 0 && !InFile(file_.blobs.back());
    if (found < file_.count && !lost) {
      Add(kRecordsAsCounted, NextRecord(),
          fmt::format("{} records, the header counts {}", found, file_.count));
    }
  }

  uint64_t NextRecord() const {
    uint64_t at = milweights::kHeaderSize;
    if (!file_.blobs.empty()) {
      const Blob& last = file_.blobs.back();
      at = last.data.empty() ? last.record_offset + milweights::kRecordSize
                             : last.data_offset + last.data.size();
    }
    at = (at + milweights::kAlignment - 1) / milweights::kAlignment * milweights::kAlignment;
    return std::min<uint64_t>(at, bytes_.size());
  }

  ByteSpan bytes_;
  const WeightFile& file_;
  ViolationList violations_;
};

int Recognise(ByteSpan bytes, std::string_view path) {
  if (bytes.size() < milweights::kHeaderSize || LoadU32(&bytes[4]) != milweights::kVersion)
    return 0;
  if (bytes.size() >= milweights::kHeaderSize + milweights::kRecordSize &&
      LoadU32(&bytes[milweights::kHeaderSize]) == milweights::kSentinel) {
    return 100;
  }
  return LoadU32(bytes.data()) == 0 && path.ends_with("weight.bin") ? 60 : 0;
}

// Arrays of bytes are left out of the JSON where they are all zero.
template <size_t N>
void PutReserved(Json& json, const std::array<uint8_t, N>& bytes) {
  if (!AllZero(bytes)) json["reserved"] = Base64Encode(bytes);
}

Json TypeJson(uint32_t number) {
  const mil::DataType type = milweights::BlobTypeFromNumber(number);
  if (type == mil::DataType::kOther) return number;
  return std::string(mil::DataTypeName(type));
}

Result<Json> ToJson(ByteSpan bytes) {
  ANECHECK_ASSIGN(const WeightFile file, milweights::Parse(bytes));
  Json json;
  json["format"] = "milweights";
  json["count"] = file.count;
  json["version"] = file.version;
  PutReserved(json, file.reserved);
  json["blobs"] = Json::array();
  for (const Blob& blob : file.blobs) {
    Json entry;
    entry["offset"] = blob.record_offset;
    entry["type"] = TypeJson(blob.type);
    entry["size"] = blob.size;
    entry["data_offset"] = blob.data_offset;
    if (blob.padding_bits != 0) entry["padding_size_in_bits"] = blob.padding_bits;
    PutReserved(entry, blob.reserved);
    if (!blob.data.empty()) entry["data"] = Base64Encode(blob.data);
    json["blobs"].push_back(std::move(entry));
  }
  for (const Gap& gap : file.gaps) {
    json["gaps"].push_back({{"offset", gap.offset}, {"data", Base64Encode(gap.bytes)}});
  }
  return json;
}

Error Wrong(std::string_view where, std::string_view what) {
  return MakeError(ErrorCode::kMalformed, fmt::format("milweights json: {}: {}", where, what));
}

Result<uint64_t> GetNumber(const Json& json, std::string_view key, uint64_t limit,
                           std::string_view where) {
  const auto found = json.find(key);
  const bool number = found != json.end() && found->is_number_integer() &&
                      (found->is_number_unsigned() || found->get<int64_t>() >= 0);
  if (!number || found->get<uint64_t>() > limit) {
    return Wrong(where, fmt::format("{} must be a number of at most {}", key, limit));
  }
  return found->get<uint64_t>();
}

Result<Bytes> GetBytes(const Json& json, std::string_view key, std::string_view where) {
  const auto found = json.find(key);
  if (found == json.end()) return Bytes();
  if (!found->is_string()) return Wrong(where, fmt::format("{} must be base64 text", key));
  return Base64Decode(found->text());
}

template <size_t N>
Status GetReserved(const Json& json, std::array<uint8_t, N>& out, std::string_view where) {
  ANECHECK_ASSIGN(const Bytes bytes, GetBytes(json, "reserved", where));
  if (bytes.empty()) return {};
  if (bytes.size() != N) return Wrong(where, fmt::format("reserved must be {} bytes", N));
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return {};
}

Result<uint32_t> GetType(const Json& json, std::string_view where) {
  const auto found = json.find("type");
  if (found != json.end() && found->is_string()) {
    const auto number = milweights::BlobTypeNumber(mil::DataTypeFromName(found->text()));
    if (number) return *number;
  }
  if (found == json.end() || !found->is_number_integer()) {
    return Wrong(where, "type must be the name of a type or its number");
  }
  ANECHECK_ASSIGN(const uint64_t number, GetNumber(json, "type", UINT32_MAX, where));
  return static_cast<uint32_t>(number);
}

// `kept` holds the bytes that the blob's data refer to.
Result<Blob> GetBlob(const Json& json, std::string_view where, std::vector<Bytes>& kept) {
  if (!json.is_object()) return Wrong(where, "must be an object");
  Blob blob;
  ANECHECK_ASSIGN(blob.record_offset, GetNumber(json, "offset", UINT64_MAX, where));
  ANECHECK_ASSIGN(blob.type, GetType(json, where));
  ANECHECK_ASSIGN(blob.size, GetNumber(json, "size", UINT64_MAX, where));
  ANECHECK_ASSIGN(blob.data_offset, GetNumber(json, "data_offset", UINT64_MAX, where));
  if (json.contains("padding_size_in_bits")) {
    ANECHECK_ASSIGN(blob.padding_bits, GetNumber(json, "padding_size_in_bits", UINT64_MAX, where));
  }
  ANECHECK_RETURN_IF_ERROR(GetReserved(json, blob.reserved, where));
  ANECHECK_ASSIGN(Bytes data, GetBytes(json, "data", where));
  kept.push_back(std::move(data));
  blob.data = kept.back();
  return blob;
}

Result<Bytes> FromJson(const Json& json) {
  if (!json.is_object()) return Wrong("file", "must be an object");
  WeightFile file;
  std::vector<Bytes> kept;
  ANECHECK_ASSIGN(const uint64_t count, GetNumber(json, "count", UINT32_MAX, "file"));
  ANECHECK_ASSIGN(const uint64_t version, GetNumber(json, "version", UINT32_MAX, "file"));
  file.count = static_cast<uint32_t>(count);
  file.version = static_cast<uint32_t>(version);
  ANECHECK_RETURN_IF_ERROR(GetReserved(json, file.reserved, "file"));
  const auto blobs = json.find("blobs");
  if (blobs == json.end() || !blobs->is_array()) return Wrong("file", "blobs must be an array");
  for (size_t i = 0; i < blobs->size(); ++i) {
    ANECHECK_ASSIGN(const Blob blob, GetBlob((*blobs)[i], fmt::format("blobs[{}]", i), kept));
    file.blobs.push_back(blob);
  }
  if (const auto gaps = json.find("gaps"); gaps != json.end() && gaps->is_array()) {
    for (size_t i = 0; i < gaps->size(); ++i) {
      const std::string where = fmt::format("gaps[{}]", i);
      if (!(*gaps)[i].is_object()) return Wrong(where, "must be an object");
      Gap gap;
      ANECHECK_ASSIGN(gap.offset, GetNumber((*gaps)[i], "offset", UINT64_MAX, where));
      ANECHECK_ASSIGN(Bytes data, GetBytes((*gaps)[i], "data", where));
      kept.push_back(std::move(data));
      gap.bytes = kept.back();
      file.gaps.push_back(gap);
    }
  }
  return milweights::Write(file);
}

Result<Bytes> Rewrite(ByteSpan bytes) {
  ANECHECK_ASSIGN(const WeightFile file, milweights::Parse(bytes));
  return milweights::Write(file);
}

Result<std::vector<Violation>> Verify(ByteSpan bytes) {
  ANECHECK_ASSIGN(const WeightFile file, milweights::Parse(bytes));
  return Verifier(bytes, file).Run();
}

Result<std::string> Print(ByteSpan bytes) {
  ANECHECK_ASSIGN(const WeightFile file, milweights::Parse(bytes));
  std::string out = fmt::format("MIL weight side file, version {}, {} blobs counted, {} found\n",
                                file.version, file.count, file.blobs.size());
  for (size_t i = 0; i < file.blobs.size(); ++i) {
    const Blob& blob = file.blobs[i];
    const mil::DataType type = milweights::BlobTypeFromNumber(blob.type);
    out +=
        fmt::format("  blob[{}] at 0x{:x}: type {} ({}), {} bytes at 0x{:x}", i, blob.record_offset,
                    blob.type, mil::DataTypeName(type), blob.size, blob.data_offset);
    if (blob.padding_bits != 0) out += fmt::format(", {} bits of padding", blob.padding_bits);
    if (const int bits = mil::DataTypeBits(type); bits != 0 && blob.size <= UINT64_MAX / 8) {
      out += fmt::format(", {} elements",
                         (blob.size * 8 - std::min(blob.padding_bits, blob.size * 8)) /
                             static_cast<uint64_t>(bits));
    }
    out += '\n';
  }
  for (const Gap& gap : file.gaps) {
    out += fmt::format("  {} bytes of unknown use at 0x{:x}\n", gap.bytes.size(), gap.offset);
  }
  return out;
}

// Reserved bytes and gaps are left unclaimed: zeros are fill there, and others opaque.
Result<ByteCounts> CountBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(const WeightFile file, milweights::Parse(bytes));
  ByteKindMap map(bytes);
  map.Claim(ByteKind::kTyped, 0, milweights::kHeaderSize - file.reserved.size());
  for (const Blob& blob : file.blobs) {
    map.Claim(ByteKind::kTyped, blob.record_offset, milweights::kRecordSize - blob.reserved.size());
    map.Claim(ByteKind::kPayload, blob.data_offset, blob.data.size());
  }
  return std::move(map).Count();
}

}  // namespace

constinit const Format kFormat_milweights = {
    .name = "milweights",
    .title = "MIL weight side file",
    .rules = kRules,
    .fields = FieldFacts,
    .recognise = Recognise,
    .to_json = ToJson,
    .from_json = FromJson,
    .rewrite = Rewrite,
    .verify = Verify,
    .print = Print,
    .count_bytes = CountBytes,
};

}  // namespace anecheck
