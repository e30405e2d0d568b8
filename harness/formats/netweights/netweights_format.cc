// Weight files behind the format interface.
#include "harness/formats/netweights/netweights_format.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>

#include "harness/base/base64.h"
#include "harness/base/half.h"
#include "harness/base/json.h"
#include "harness/base/little_endian.h"
#include "harness/formats/netweights/weight_file.h"
#include "harness/formats/violation_list.h"

namespace anecheck {

namespace netweights {
namespace {

constexpr std::string_view kSource = "the real file of this layout, model.espresso.weights";
constexpr std::array<Rule, 4> kRules = {{
    {"blob-ids-count-up", "The ids of the table are 0, 1, 2, ...", kSource,
     FactEvidence::kRealFile},
    {"blob-sizes-whole-words", "Each blob's size is a multiple of 8.", kSource,
     FactEvidence::kRealFile},
    {"file-not-empty", "A weight file holds at least one byte.", "real files",
     FactEvidence::kRealFile},
    {"plain-values-whole", "A file without a table holds whole 16-bit values.",
     "no source states it: 8-bit weights may make an odd file", FactEvidence::kAssumed},
}};

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts = {
      {"table", FactEvidence::kRealFile, std::string(kSource)},
      {"blobs[].id", FactEvidence::kRealFile, std::string(kSource)},
      {"blobs[].data", FactEvidence::kRealFile,
       "real files: values, whose type the unit that reads them tells"}};
  return facts;
}

int Recognise(ByteSpan bytes, std::string_view path) {
  if (path.ends_with(".weights")) return 60;
  return HasBlobTable(bytes) ? 50 : 0;
}

Result<Json> ToJson(ByteSpan bytes) {
  ANECHECK_ASSIGN(const WeightFile file, ParseWeightFile(bytes));
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

Error BadJson(std::string_view what) {
  return MakeError(ErrorCode::kInvalid, fmt::format("netweights JSON: {}", what));
}

Result<Bytes> DataAt(const Json& json, const char* key) {
  const auto it = json.find(key);
  if (it == json.end() || !it->is_string()) return BadJson(fmt::format("needs {} in base64", key));
  return Base64Decode(it->text());
}

Result<Bytes> FromJson(const Json& json) {
  if (!json.is_object() || !json.contains("table") || !json["table"].is_boolean() ||
      !json.contains("blobs") || !json["blobs"].is_array()) {
    return BadJson("needs table (a boolean) and blobs (an array)");
  }
  WeightFile file;
  file.has_table = json["table"].get<bool>();
  for (const Json& item : json["blobs"]) {
    if (!item.is_object()) return BadJson("a blob is an object");
    WeightBlob blob;
    if (file.has_table) {
      if (!item.contains("id") || !item["id"].is_number_unsigned()) {
        return BadJson("a blob of a table needs an id");
      }
      blob.id = item["id"].get<uint64_t>();
    }
    ANECHECK_ASSIGN(blob.bytes, DataAt(item, "data"));
    file.blobs.push_back(std::move(blob));
  }
  if (json.contains("trailing")) {
    return BadJson("has trailing bytes; a table ends with its last blob, as the file does");
  }
  return WriteWeightFile(file);
}

Result<Bytes> Rewrite(ByteSpan bytes) {
  ANECHECK_ASSIGN(const WeightFile file, ParseWeightFile(bytes));
  return WriteWeightFile(file);
}

void Add(ViolationList& violations, size_t rule, uint64_t offset, const std::string& message) {
  violations.Add(kRules[rule], offset, "{}: {}", kRules[rule].id, message);
}

void VerifyTable(const WeightFile& file, ViolationList& violations) {
  for (size_t i = 0; i < file.blobs.size(); ++i) {
    const uint64_t entry = 8 + 16 * i;
    const WeightBlob& blob = file.blobs[i];
    if (blob.id != i) {
      Add(violations, 0, entry, fmt::format("blob {} has the id {}", i, blob.id));
    }
    if (blob.bytes.size() % 8 != 0) {
      Add(violations, 1, entry + 8, fmt::format("blob {} has {} bytes", i, blob.bytes.size()));
    }
  }
}

Result<std::vector<Violation>> Verify(ByteSpan bytes) {
  ANECHECK_ASSIGN(const WeightFile file, ParseWeightFile(bytes));
  ViolationList violations;
  if (bytes.empty()) {
    Add(violations, 2, 0, "the file is empty");
  } else if (file.has_table) {
    VerifyTable(file, violations);
  } else if (bytes.size() % 2 != 0) {
    Add(violations, 3, bytes.size() - 1, "an odd number of bytes");
  }
  return std::move(violations).Take();
}

// The first values of a blob in both float types: no source tells the type, the unit that reads it
// does.
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

Result<std::string> Print(ByteSpan bytes) {
  ANECHECK_ASSIGN(const WeightFile file, ParseWeightFile(bytes));
  if (!file.has_table) {
    return fmt::format("weight file, {} bytes of plain values\n  as {}\n", bytes.size(),
                       FirstValues(bytes));
  }
  std::string text = fmt::format(
      "weight file, table of {} blobs; no header tells it from plain values, which these bytes may "
      "be too\n",
      file.blobs.size());
  for (size_t i = 0; i < file.blobs.size(); ++i) {
    text += fmt::format("  blob {} at {:#x}, {} bytes: {}\n", file.blobs[i].id, BlobOffset(file, i),
                        file.blobs[i].bytes.size(), FirstValues(file.blobs[i].bytes));
  }
  return text;
}

Result<ByteCounts> CountBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(const WeightFile file, ParseWeightFile(bytes));
  uint64_t payload = 0;
  for (const WeightBlob& blob : file.blobs) payload += blob.bytes.size();
  return ByteCounts{bytes.size(), payload, bytes.size() - payload};
}

}  // namespace
}  // namespace netweights

const Format kFormat_netweights = {
    .name = "netweights",
    .title = "weight file of a network description",
    .rules = netweights::kRules,
    .fields = netweights::FieldFacts,
    .recognise = netweights::Recognise,
    .to_json = netweights::ToJson,
    .from_json = netweights::FromJson,
    .rewrite = netweights::Rewrite,
    .verify = netweights::Verify,
    .print = netweights::Print,
    .count_bytes = netweights::CountBytes,
};

}  // namespace anecheck
