#include "harness/formats/netweights/netweights_format.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>

#include "harness/base/base64.h"
#include "harness/base/counted.h"
#include "harness/base/half.h"
#include "harness/base/json.h"
#include "harness/base/little_endian.h"
#include "harness/formats/format_of.h"
#include "harness/formats/netweights/weight_file.h"
#include "harness/formats/record/json_fields.h"
#include "harness/formats/rules.h"

namespace anecheck {

namespace netweights {
namespace {

constexpr std::string_view kSource = kTableSource;
constexpr FactEvidence kReal = FactEvidence::kRealFile;

uint64_t EntryOffset(size_t blob) { return kCountBytes + kEntryRecord.kSize * blob; }

constexpr auto kRules = RulesOf<WeightFile>({
    {"blob-ids-count-up", "The ids of the table are 0, 1, 2, ...", kSource, kReal,
     [](const WeightFile& file, RuleReport& broken) {
       for (size_t i = 0; file.has_table && i < file.blobs.size(); ++i) {
         if (file.blobs[i].id != i) {
           broken(EntryOffset(i), "blob {} has the id {}", i, file.blobs[i].id);
         }
       }
     }},
    {"blob-sizes-whole-words", "Each blob's size is a multiple of 8.", kSource, kReal,
     [](const WeightFile& file, RuleReport& broken) {
       for (size_t i = 0; file.has_table && i < file.blobs.size(); ++i) {
         const size_t size = file.blobs[i].bytes.size();
         if (size % 8 != 0)
           broken(EntryOffset(i) + kEntryRecord.OffsetOf("size"), "blob {} has {}", i,
                  Counted(size, "byte"));
       }
     }},
    {"file-not-empty", "A weight file holds at least one byte.", "real files", kReal,
     [](const WeightFile& file, RuleReport& broken) {
       if (!file.has_table && file.blobs[0].bytes.empty()) broken(0, "the file is empty");
     }},
    {"values-not-all-zero", "A file without a table holds a value that is not 0.", "real files",
     kReal,
     [](const WeightFile& file, RuleReport& broken) {
       const Bytes& bytes = file.blobs[0].bytes;
       const bool zero = std::ranges::all_of(bytes, [](uint8_t byte) { return byte == 0; });
       if (!file.has_table && !bytes.empty() && zero) {
         broken(0, "{} bytes of zeros are no weights", bytes.size());
       }
     }},
    {"plain-values-whole", "A file without a table holds whole 16-bit values.",
     "no source states it: 8-bit weights may make an odd file", FactEvidence::kAssumed,
     [](const WeightFile& file, RuleReport& broken) {
       const size_t size = file.blobs[0].bytes.size();
       if (!file.has_table && size % 2 != 0) broken(size - 1, "an odd number of bytes");
     }},
});

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts = {
      {"table", FactEvidence::kRealFile, std::string(kSource)},
      {"blobs[].id", FactEvidence::kRealFile, std::string(kSource)},
      {"blobs[].data", FactEvidence::kRealFile,
       "real files: values; the unit that reads them determines their type"}};
  return facts;
}

int Recognise(ByteSpan bytes, std::string_view path) {
  if (path.ends_with(".weights")) return 60;
  return HasBlobTable(bytes) ? 50 : 0;
}

Result<Json> ToJson(const WeightFile& file) {
  Json json = Json{{"format", "netweights"}, {"table", file.has_table}};
  Json blobs = Json::array();
  for (const WeightBlob& blob : file.blobs) {
    Json item = Json::object();
    if (file.has_table) item["id"] = blob.id;
    item["data"] = Base64Encode(blob.bytes);
    blobs.push_back(std::move(item));
  }
  json["blobs"] = std::move(blobs);
  return json;
}

Result<Bytes> FromJson(const Json& json) {
  Status status;
  JsonFields fields(json, "", &status);
  fields.ReadElsewhere({"format"});
  WeightFile file;
  file.has_table = fields.Bool("table");
  fields.ForEach("blobs", [&](JsonFields blob) {
    // A file of plain values has no table, so its blob has no id.
    const uint64_t id = file.has_table ? blob.Uint("id") : blob.UintOr("id", 0);
    file.blobs.push_back({id, blob.Base64("data")});
    blob.RefuseOthers();
  });
  fields.RefuseOthers();
  if (!status.ok()) return status.error();
  return WriteWeightFile(file);
}

// Returns a blob's first values in both float types. The type depends on the unit that reads it.
std::string FirstValues(ByteSpan bytes) {
  std::string text = "fp16";
  for (size_t i = 0; i + 2 <= bytes.size() && i < 8; i += 2) {
    const Half half{LoadU16(&bytes[i])};
    text += fmt::format(" {}", HalfToDouble(half));
  }
  if (bytes.size() < 4) return text;
  text += ", fp32";
  for (size_t i = 0; i + 4 <= bytes.size() && i < 8; i += 4) {
    text += fmt::format(" {}", std::bit_cast<float>(LoadU32(&bytes[i])));
  }
  return text;
}

std::string Print(const WeightFile& file) {
  if (!file.has_table) {
    const Bytes& values = file.blobs[0].bytes;
    return fmt::format("weight file, {} of plain values\n  as {}\n", Counted(values.size(), "byte"),
                       FirstValues(values));
  }
  std::string text = fmt::format(
      "weight file, table of {}; these bytes may be plain values too, because no header "
      "distinguishes the two\n",
      Counted(file.blobs.size(), "blob"));
  for (size_t i = 0; i < file.blobs.size(); ++i) {
    text +=
        fmt::format("  blob {} at {:#x}, {}: {}\n", file.blobs[i].id, BlobOffset(file, i),
                    Counted(file.blobs[i].bytes.size(), "byte"), FirstValues(file.blobs[i].bytes));
  }
  return text;
}

ByteCounts CountBytes(const WeightFile& file, ByteSpan bytes) {
  uint64_t payload = 0;
  for (const WeightBlob& blob : file.blobs) payload += blob.bytes.size();
  return {bytes.size(), payload, bytes.size() - payload};
}

constexpr FormatOf<WeightFile> kDefinition = {
    .name = "netweights",
    .title = "weight file of a network description",
    .rules = kRules.rules(),
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FromJson,
    .parse = ParseWeightFile,
    .to_json = ToJson,
    .write = [](const WeightFile& file) -> Result<Bytes> { return WriteWeightFile(file); },
    .verify = [](const WeightFile& file) { return kRules.Verify(file); },
    .print = Print,
    .count_bytes = CountBytes,
};

}  // namespace
}  // namespace netweights

const Format kFormat_netweights = MakeFormat<netweights::kDefinition>();

}  // namespace anecheck
