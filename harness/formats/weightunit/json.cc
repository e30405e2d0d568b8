// The JSON form of a weight unit: its numbers, and each section as the elements that it holds.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "harness/base/json_fields.h"
#include "harness/formats/kernelweights/group_record.h"
#include "harness/formats/message.h"
#include "harness/formats/record/record.h"
#include "harness/formats/weightunit/unit.h"

namespace anecheck::weightunit {
namespace {

using json_fields::Bad;

constexpr uint32_t kLargestIndexBits = 8;

// ---- to JSON ----------------------------------------------------------------------------------

Json HalvesToJson(std::span<const Half> halves) {
  Json json = Json::array();
  for (const Half half : halves) json.push_back(half.bits);
  return json;
}

Json ZeroPointsToJson(ByteSpan bytes) {
  Json json = Json::array();
  for (const Half half : HalvesOf(bytes)) json.push_back(static_cast<int16_t>(half.bits));
  return json;
}

Json RecordsToJson(ByteSpan bytes) {
  Json json = Json::array();
  const auto records = kernelweights::ParseGroupRecords(bytes);
  for (const kernelweights::GroupRecord& record : *records) {
    json.push_back({{"offset", record.offset},
                    {"channels", record.channels},
                    {"slots", record.slots},
                    {"reserved", record.reserved}});
  }
  return json;
}

Json IntegersToJson(ByteSpan bytes, bool is_signed) {
  Json json = Json::array();
  for (const uint8_t byte : bytes) {
    json.push_back(is_signed ? static_cast<int>(static_cast<int8_t>(byte)) : int{byte});
  }
  return json;
}

// Those of `count` indices whose packing gives the bytes again.
std::optional<Json> UnpackIndices(ByteSpan bytes, uint64_t count, uint8_t bits) {
  if (count > 8 * uint64_t{bytes.size()} / bits) return std::nullopt;
  std::vector<uint8_t> indices(count);
  for (uint64_t i = 0; i < count; ++i) indices[i] = kernelweights::UnpackBits(bytes, i, bits);
  if (!std::ranges::equal(kernelweights::PackBits(indices, bits), bytes)) return std::nullopt;
  return Json(indices);
}

std::optional<Json> IndicesToJson(const Unit& unit, ByteSpan bytes) {
  if (unit.index_bits == 0 || unit.index_bits > kLargestIndexBits) return std::nullopt;
  const auto bits = static_cast<uint8_t>(unit.index_bits);
  const uint64_t stated =
      unit.vector_size == 0 ? 0 : uint64_t{unit.channels / unit.vector_size} * unit.elements;
  if (std::optional<Json> indices = UnpackIndices(bytes, stated, bits)) return indices;
  return UnpackIndices(bytes, 8 * uint64_t{bytes.size()} / bits, bits);
}

// The weights of a form; nothing where they are no whole elements of it.
void WeightsToJson(const Unit& unit, ByteSpan bytes, Json& json) {
  switch (unit.form) {
    case kDense:
      if (bytes.size() % 2 == 0) json["halves"] = HalvesToJson(HalvesOf(bytes));
      break;
    case kAffine:
    case kBlockwise:
      json["integers"] = IntegersToJson(bytes, unit.type != kUint8);
      break;
    case kPalette:
      if (std::optional<Json> indices = IndicesToJson(unit, bytes)) {
        json["indices"] = *std::move(indices);
      }
      break;
    case kSparse:
      if (const uint64_t mask = (unit.Count() + 7) / 8;
          mask <= bytes.size() && (bytes.size() - mask) % 2 == 0) {
        json["mask"] = HexBytesText(bytes.first(mask));
        json["nonzeros"] = HalvesToJson(HalvesOf(bytes.subspan(mask)));
      }
      break;
    case kFloat8:
      json["codes"] = HexBytesText(bytes);
      break;
    default:
      break;
  }
}

Json SectionToJson(const Unit& unit, const Section& section) {
  const std::string_view name = SectionName(section.id);
  Json json = Json::object();
  json["section"] = name.empty() ? Json(section.id) : Json(name);
  const ByteSpan bytes = section.bytes;
  const bool halves = bytes.size() % 2 == 0;
  switch (section.id) {
    case kPal:
      if (halves) json["codebooks"] = HalvesToJson(HalvesOf(bytes));
      break;
    case kOcgs:
      if (bytes.size() % kernelweights::kGroupRecordBytes == 0) {
        json["records"] = RecordsToJson(bytes);
      }
      break;
    case kScale:
      if (halves) json["scales"] = HalvesToJson(HalvesOf(bytes));
      break;
    case kBias:
      if (halves) json["biases"] = HalvesToJson(HalvesOf(bytes));
      break;
    case kWeights:
      WeightsToJson(unit, bytes, json);
      break;
    case kZero:
      if (halves) json["zero_points"] = ZeroPointsToJson(bytes);
      break;
    default:
      break;
  }
  if (json.size() == 1) json["bytes"] = HexBytesText(bytes);
  return json;
}

// ---- from JSON --------------------------------------------------------------------------------

Result<int64_t> Integer(const Json& json, int64_t least, int64_t most, const std::string& path) {
  const bool fits = json.is_number_integer() &&
                    (!json.is_number_unsigned() || json.get<uint64_t>() <= uint64_t{INT64_MAX});
  if (!fits || json.get<int64_t>() < least || json.get<int64_t>() > most) {
    return Bad(path, fmt::format("needs an integer from {} to {}", least, most));
  }
  return json.get<int64_t>();
}

Result<uint32_t> Number(const Json& json, const std::string& path) {
  ANECHECK_ASSIGN(const int64_t number, Integer(json, 0, UINT32_MAX, path));
  return static_cast<uint32_t>(number);
}

// A number, or one of the names of those below `count`.
Result<uint32_t> NamedNumber(const Json& json, std::string_view (*name)(uint32_t), uint32_t count,
                             const std::string& path) {
  if (!json.is_string()) return Number(json, path);
  for (uint32_t number = 0; number < count; ++number) {
    if (!name(number).empty() && name(number) == json.get_ref<const std::string&>()) return number;
  }
  return Bad(path, "is no name that the format knows");
}

Result<std::vector<int64_t>> Integers(const Json& json, int64_t least, int64_t most,
                                      const std::string& path) {
  if (!json.is_array()) return Bad(path, "needs an array");
  std::vector<int64_t> values;
  values.reserve(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    ANECHECK_ASSIGN(const int64_t value,
                    Integer(json[i], least, most, fmt::format("{}[{}]", path, i)));
    values.push_back(value);
  }
  return values;
}

// Two bytes each, in two's complement.
Result<Bytes> WordsFromJson(const Json& json, int64_t least, int64_t most,
                            const std::string& path) {
  ANECHECK_ASSIGN(const std::vector<int64_t> values, Integers(json, least, most, path));
  std::vector<Half> halves;
  halves.reserve(values.size());
  for (const int64_t value : values) halves.push_back(Half{static_cast<uint16_t>(value)});
  return BytesOfHalves(halves);
}

Result<Bytes> HexFromJson(const Json& json, const std::string& path) {
  if (!json.is_string()) return Bad(path, "needs a string of hexadecimal digits");
  return ParseHexBytes(json.get_ref<const std::string&>(), path);
}

template <size_t N>
Status WordsAt(const Json& json, const char* key, const std::string& path,
               std::array<uint32_t, N>& words) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_array() || found->size() != N) {
    return Bad(path, fmt::format("needs an array \"{}\" of {} numbers", key, N));
  }
  for (size_t i = 0; i < N; ++i) {
    ANECHECK_ASSIGN(words[i], Number((*found)[i], fmt::format("{}.{}[{}]", path, key, i)));
  }
  return {};
}

Result<Bytes> RecordsFromJson(const Json& json, const std::string& path) {
  if (!json.is_array()) return Bad(path, "needs an array");
  std::vector<kernelweights::GroupRecord> records(json.size());
  for (size_t i = 0; i < json.size(); ++i) {
    const Json& item = json[i];
    const std::string at = fmt::format("{}[{}]", path, i);
    if (!item.is_object() || item.size() != 4 || !item.contains("offset") ||
        !item.contains("channels")) {
      return Bad(at, "needs offset, channels, slots and reserved");
    }
    ANECHECK_ASSIGN(records[i].offset, Number(item["offset"], at + ".offset"));
    ANECHECK_ASSIGN(records[i].channels, Number(item["channels"], at + ".channels"));
    ANECHECK_RETURN_IF_ERROR(WordsAt(item, "slots", at, records[i].slots));
    ANECHECK_RETURN_IF_ERROR(WordsAt(item, "reserved", at, records[i].reserved));
  }
  return kernelweights::WriteGroupRecords(records);
}

Result<Bytes> IntegersFromJson(const Json& json, const std::string& path) {
  ANECHECK_ASSIGN(const std::vector<int64_t> values, Integers(json, -128, 255, path));
  Bytes bytes(values.size());
  std::ranges::transform(values, bytes.begin(),
                         [](int64_t value) { return static_cast<uint8_t>(value); });
  return bytes;
}

Result<Bytes> IndicesFromJson(const Unit& unit, const Json& json, const std::string& path) {
  if (unit.index_bits == 0 || unit.index_bits > kLargestIndexBits) {
    return Bad(path, "needs index_bits from 1 to 8");
  }
  ANECHECK_ASSIGN(const std::vector<int64_t> values,
                  Integers(json, 0, (int64_t{1} << unit.index_bits) - 1, path));
  const std::vector<uint8_t> indices(values.begin(), values.end());
  return kernelweights::PackBits(indices, static_cast<uint8_t>(unit.index_bits));
}

Result<Bytes> SparseFromJson(const Json& json, const std::string& path) {
  ANECHECK_ASSIGN(Bytes bytes, HexFromJson(json["mask"], path + ".mask"));
  ANECHECK_ASSIGN(const Bytes nonzeros,
                  WordsFromJson(json["nonzeros"], 0, UINT16_MAX, path + ".nonzeros"));
  bytes.insert(bytes.end(), nonzeros.begin(), nonzeros.end());
  return bytes;
}

// The key of a section's content tells how it is spelled, whatever the section.
Result<Bytes> ContentOf(const Unit& unit, std::string_view key, const Json& content,
                        const std::string& path) {
  if (key == "bytes" || key == "codes") return HexFromJson(content, path);
  if (key == "records") return RecordsFromJson(content, path);
  if (key == "integers") return IntegersFromJson(content, path);
  if (key == "indices") return IndicesFromJson(unit, content, path);
  if (key == "zero_points") return WordsFromJson(content, INT16_MIN, INT16_MAX, path);
  if (key == "codebooks" || key == "scales" || key == "biases" || key == "halves") {
    return WordsFromJson(content, 0, UINT16_MAX, path);
  }
  return Bad(path, "is no content of a section");
}

Result<Bytes> ContentFromJson(const Unit& unit, const Json& json, const std::string& path) {
  if (json.size() == 3 && json.contains("mask") && json.contains("nonzeros")) {
    return SparseFromJson(json, path);
  }
  if (json.size() != 2) {
    return Bad(path, "needs \"section\" and its content, such as \"scales\" or \"bytes\"");
  }
  auto content = json.begin();
  if (content.key() == "section") ++content;
  return ContentOf(unit, content.key(), *content, fmt::format("{}.{}", path, Shown(content.key())));
}

Status NumbersFromJson(const Json& json, Unit& unit) {
  for (const UnitNumber& number : UnitNumbers()) {
    const std::string name(number.name);
    const auto found = json.find(name);
    if (found == json.end()) return Bad("unit JSON", fmt::format("needs {}", name));
    if (name == "form") {
      ANECHECK_ASSIGN(unit.form, NamedNumber(*found, FormName, kFormCount, name));
    } else if (name == "type") {
      ANECHECK_ASSIGN(unit.type, NamedNumber(*found, TypeName, UINT8_MAX, name));
    } else {
      ANECHECK_ASSIGN(unit.*number.member, Number(*found, name));
    }
  }
  return {};
}

}  // namespace

Json ToJson(const Unit& unit) {
  Json json{{"format", "weightunit"}};
  for (const UnitNumber& number : UnitNumbers()) {
    json[std::string(number.name)] = unit.*number.member;
  }
  if (!FormName(unit.form).empty()) json["form"] = FormName(unit.form);
  if (!TypeName(unit.type).empty()) json["type"] = TypeName(unit.type);
  json["sections"] = Json::array();
  for (const Section& section : unit.sections) {
    json["sections"].push_back(SectionToJson(unit, section));
  }
  return json;
}

Result<Unit> FromJson(const Json& json) {
  if (!json.is_object()) return Bad("unit JSON", "needs an object");
  Unit unit;
  ANECHECK_RETURN_IF_ERROR(NumbersFromJson(json, unit));
  const size_t members = UnitNumbers().size() + 1 + (json.contains("format") ? 1 : 0);
  const auto sections = json.find("sections");
  if (sections == json.end() || !sections->is_array() || json.size() != members) {
    return Bad("unit JSON", "needs its numbers and an array \"sections\", and nothing else");
  }
  unit.sections.reserve(sections->size());
  for (size_t i = 0; i < sections->size(); ++i) {
    const Json& item = (*sections)[i];
    const std::string path = fmt::format("sections[{}]", i);
    if (!item.is_object() || !item.contains("section")) return Bad(path, "needs \"section\"");
    Section section;
    ANECHECK_ASSIGN(section.id,
                    NamedNumber(item["section"], SectionName, kSectionCount, path + ".section"));
    ANECHECK_ASSIGN(section.bytes, ContentFromJson(unit, item, path));
    unit.sections.push_back(std::move(section));
  }
  return unit;
}

}  // namespace anecheck::weightunit
