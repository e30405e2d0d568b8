// Activation records behind the format interface.
#include <fmt/format.h>

#include "harness/base/json.h"
#include "harness/formats/activation/record.h"

namespace anecheck {

namespace activation {
namespace {

constexpr FactEvidence kNotes = FactEvidence::kPublicNotes;
constexpr const char* kGuide =
    "facts/more/weight_sections.csv, activation record (guide, chapter 25)";
constexpr const char* kLut = "specification 004, Programmable activation LUT";
constexpr const char* kLength = "no source: the length tells the view";

std::span<const FieldFact> FieldFacts(const Json& json) {
  static const std::vector<FieldFact> words = {
      {"view", FactEvidence::kAssumed, kLength},
      {"clamp_low", kNotes, kGuide},
      {"clamp_high", kNotes, kGuide},
      {"mode", kNotes, kGuide},
      {"scale", kNotes, kGuide},
      {"knots", kNotes, kGuide},
      {"tail", kNotes, kGuide},
      {"packed_mode", kNotes, kGuide},
      {"unplaced", FactEvidence::kAssumed,
       "43 half words are described and 42 named; that the one left over stands last is assumed"}};
  static const std::vector<FieldFact> deltas = {
      {"view", FactEvidence::kAssumed, kLength},
      {"header", FactEvidence::kOpaque, "specification 004 says no more than that it is short"},
      {"knots", FactEvidence::kSpecification, kLut},
      {"deltas", FactEvidence::kSpecification, kLut}};
  return json.value("view", "") == "deltas" ? deltas : words;
}

int Recognise(ByteSpan bytes, std::string_view path) {
  if (!Parse(bytes).ok()) return 0;
  return path.ends_with(".activation") ? 60 : 1;
}

Json HalvesToJson(std::span<const Half> halves) {
  Json json = Json::array();
  for (const Half half : halves) json.push_back(half.bits);
  return json;
}

// Halves travel as their bits: a NaN's payload has no other spelling in JSON.
Result<Json> ToJson(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Record record, Parse(bytes));
  if (const auto* words = std::get_if<WordsRecord>(&record)) {
    return Json{{"format", "activation"},
                {"view", "words"},
                {"clamp_low", words->clamp_low.bits},
                {"clamp_high", words->clamp_high.bits},
                {"mode", words->mode},
                {"scale", words->scale.bits},
                {"knots", HalvesToJson(words->knots)},
                {"tail", HalvesToJson(words->tail)},
                {"packed_mode", words->packed_mode},
                {"unplaced", words->unplaced}};
  }
  const auto& deltas = std::get<DeltasRecord>(record);
  return Json{{"format", "activation"},
              {"view", "deltas"},
              {"header", deltas.header},
              {"knots", HalvesToJson(deltas.knots)},
              {"deltas", HalvesToJson(deltas.deltas)}};
}

Error BadJson(std::string_view key) {
  return MakeError(ErrorCode::kInvalid,
                   fmt::format("activation JSON: {} takes numbers up to 65535", key));
}

Result<std::vector<uint16_t>> WordsAt(const Json& json, const char* key, size_t least,
                                      size_t most) {
  const auto it = json.find(key);
  if (it == json.end() || !it->is_array() || it->size() < least || it->size() > most) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("activation JSON: {} takes {} to {} entries", key, least, most));
  }
  std::vector<uint16_t> words;
  for (const Json& item : *it) {
    if (!item.is_number_unsigned() || item.get<uint64_t>() > 0xffff) return BadJson(key);
    words.push_back(item.get<uint16_t>());
  }
  return words;
}

Status WordAt(const Json& json, const char* key, uint16_t& word) {
  const auto it = json.find(key);
  if (it == json.end() || !it->is_number_unsigned() || it->get<uint64_t>() > 0xffff) {
    return BadJson(key);
  }
  word = it->get<uint16_t>();
  return {};
}

template <size_t N>
Status HalvesAt(const Json& json, const char* key, std::array<Half, N>& halves) {
  ANECHECK_ASSIGN(const std::vector<uint16_t> words, WordsAt(json, key, N, N));
  for (size_t i = 0; i < N; ++i) halves[i] = Half{words[i]};
  return {};
}

Result<Bytes> FromJson(const Json& json) {
  if (!json.is_object() || !json.contains("view")) {
    return MakeError(ErrorCode::kInvalid, "activation JSON: needs view, words or deltas");
  }
  if (json["view"] == "deltas") {
    DeltasRecord record;
    ANECHECK_ASSIGN(record.header, WordsAt(json, "header", 1, kMaxHeaderBytes / 2));
    ANECHECK_RETURN_IF_ERROR(HalvesAt(json, "knots", record.knots));
    ANECHECK_RETURN_IF_ERROR(HalvesAt(json, "deltas", record.deltas));
    return Write(record);
  }
  if (json["view"] != "words") {
    return MakeError(ErrorCode::kInvalid, "activation JSON: view is words or deltas");
  }
  WordsRecord record;
  ANECHECK_RETURN_IF_ERROR(WordAt(json, "clamp_low", record.clamp_low.bits));
  ANECHECK_RETURN_IF_ERROR(WordAt(json, "clamp_high", record.clamp_high.bits));
  ANECHECK_RETURN_IF_ERROR(WordAt(json, "mode", record.mode));
  ANECHECK_RETURN_IF_ERROR(WordAt(json, "scale", record.scale.bits));
  ANECHECK_RETURN_IF_ERROR(HalvesAt(json, "knots", record.knots));
  ANECHECK_RETURN_IF_ERROR(HalvesAt(json, "tail", record.tail));
  ANECHECK_RETURN_IF_ERROR(WordAt(json, "packed_mode", record.packed_mode));
  ANECHECK_ASSIGN(record.unplaced, WordsAt(json, "unplaced", 0, 1));
  return Write(record);
}

Result<Bytes> Rewrite(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Record record, Parse(bytes));
  return Write(record);
}

Result<std::vector<Violation>> VerifyBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Record record, Parse(bytes));
  return Verify(record);
}

std::string ValuesText(std::span<const Half> halves) {
  std::string text;
  for (const Half half : halves) text += fmt::format(" {}", HalfToDouble(half));
  return text;
}

Result<std::string> Print(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Record record, Parse(bytes));
  std::string text;
  if (const auto* words = std::get_if<WordsRecord>(&record)) {
    text = fmt::format(
        "activation record, words view, {} half words\n"
        "  domain {} to {}, mode {}, scale {}\n  knots{}\n  tail{} (pairing assumed)\n"
        "  packed mode {:#06x}\n",
        bytes.size() / 2, HalfToDouble(words->clamp_low), HalfToDouble(words->clamp_high),
        words->mode, HalfToDouble(words->scale), ValuesText(words->knots), ValuesText(words->tail),
        words->packed_mode);
    for (const uint16_t word : words->unplaced) {
      text += fmt::format("  one word of no known part: {:#06x} (its place is assumed)\n", word);
    }
  } else {
    const auto& deltas = std::get<DeltasRecord>(record);
    text = fmt::format("activation record, deltas view, header of {} words (opaque)\n  header",
                       deltas.header.size());
    for (const uint16_t word : deltas.header) text += fmt::format(" {:#06x}", word);
    text += fmt::format("\n  knots{}\n  deltas{}\n", ValuesText(deltas.knots),
                        ValuesText(deltas.deltas));
  }
  return text +
         "sources differ: 43 half words of which 42 are named (guide, chapter 25), or 33 knots and "
         "32 deltas behind a short header (specification 004)\n";
}

Result<ByteCounts> CountBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Record record, Parse(bytes));
  uint64_t opaque = 0;
  if (const auto* words = std::get_if<WordsRecord>(&record)) {
    opaque = 2 * words->unplaced.size();
  } else {
    opaque = 2 * std::get<DeltasRecord>(record).header.size();
  }
  return ByteCounts{bytes.size(), 0, bytes.size() - opaque};
}

}  // namespace
}  // namespace activation

const Format kFormat_activation = {
    .name = "activation",
    .title = "activation record of 33 knots",
    .rules = activation::Rules(),
    .fields = activation::FieldFacts,
    .recognise = activation::Recognise,
    .to_json = activation::ToJson,
    .from_json = activation::FromJson,
    .rewrite = activation::Rewrite,
    .verify = activation::VerifyBytes,
    .print = activation::Print,
    .count_bytes = activation::CountBytes,
};

}  // namespace anecheck
