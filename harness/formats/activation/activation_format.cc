#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "harness/base/json.h"
#include "harness/formats/activation/record.h"
#include "harness/formats/format_of.h"
#include "harness/formats/rules.h"

namespace anecheck {

namespace activation {
namespace {

constexpr FactEvidence kAssumed = FactEvidence::kAssumed;
constexpr std::string_view kWords = "facts/numerics.md; facts/more/weight_sections.csv";

// Returns the words record, or null if `record` is a deltas record.
const WordsRecord* WordsOf(const Record& record) { return std::get_if<WordsRecord>(&record); }

constexpr auto kRules = RulesOf<Record>({
    {"described-length", "A words record has 43 words of 16 bits.", kWords, kAssumed,
     [](const Record& record, RuleReport& broken) {
       if (WordsOf(record) != nullptr && WordsOf(record)->unplaced.empty()) {
         broken(kWordsLayout.kSize, "42 words of 16 bits, and the sources say 43");
       }
     }},
    {"clamps-ordered", "The low input clamp is below the high one.", kWords, kAssumed,
     [](const Record& record, RuleReport& broken) {
       const WordsRecord* words = WordsOf(record);
       if (words == nullptr || !words->clamp_low.IsFinite() || !words->clamp_high.IsFinite())
         return;
       const double low = HalfToDouble(words->clamp_low);
       const double high = HalfToDouble(words->clamp_high);
       if (low >= high)
         broken(kWordsLayout.OffsetOf("clamp_low"),
                "the low clamp {} is not below the high clamp {}", low, high);
     }},
    {"clamps-finite", "The input clamps are finite: the domain is fixed.", kWords, kAssumed,
     [](const Record& record, RuleReport& broken) {
       const WordsRecord* words = WordsOf(record);
       if (words == nullptr) return;
       if (!words->clamp_low.IsFinite()) {
         broken(kWordsLayout.OffsetOf("clamp_low"), "the low clamp is not finite");
       } else if (!words->clamp_high.IsFinite()) {
         broken(kWordsLayout.OffsetOf("clamp_high"), "the high clamp is not finite");
       }
     }},
    {"knots-numbers", "No knot is a NaN: the device emits none.", kWords, kAssumed,
     [](const Record& record, RuleReport& broken) {
       const auto* deltas = std::get_if<DeltasRecord>(&record);
       const size_t at =
           deltas != nullptr ? 2 * deltas->header.size() : size_t{kWordsLayout.OffsetOf("knots")};
       const auto& knots = deltas != nullptr ? deltas->knots : WordsOf(record)->knots;
       for (size_t i = 0; i < knots.size(); ++i) {
         if (knots[i].IsNan()) broken(at + 2 * i, "knots[{}] is NaN", i);
       }
     }},
    {"scale-finite", "The scale is finite.", "no source states it", kAssumed,
     [](const Record& record, RuleReport& broken) {
       if (WordsOf(record) != nullptr && !WordsOf(record)->scale.IsFinite()) {
         broken(kWordsLayout.OffsetOf("scale"), "the scale is not finite");
       }
     }},
    {"deltas-between-knots",
     "A delta is the difference of the two knots around it. The error is at most one unit in the "
     "last place of the delta or of the larger knot, whichever is greater.",
     "specification 004, Programmable activation LUT", FactEvidence::kSpecification,
     [](const Record& record, RuleReport& broken) {
       const auto* deltas = std::get_if<DeltasRecord>(&record);
       if (deltas == nullptr) return;
       const std::array<Half, kSegments> expected = DeltasOf(deltas->knots);
       for (size_t i = 0; i < kSegments; ++i) {
         if (expected[i].IsNan()) continue;  // infinite knots, or a NaN that another rule reports
         if (UlpDistance(expected[i], deltas->deltas[i]) <= 1) continue;
         const double larger = std::max(std::fabs(HalfToDouble(deltas->knots[i])),
                                        std::fabs(HalfToDouble(deltas->knots[i + 1])));
         const double delta = HalfToDouble(deltas->deltas[i]);
         if (std::fabs(delta - HalfToDouble(expected[i])) <= HalfUlp(larger)) continue;
         broken(2 * deltas->header.size() + kDeltasLayout.OffsetOf("deltas") + 2 * i,
                "deltas[{}] is {}, the knots differ by {}", i, delta, HalfToDouble(expected[i]));
       }
     }},
});

std::span<const FieldFact> FieldFacts(const Json& json) {
  static const FieldFact kView = {"view", kAssumed, "no source: the length determines the view"};
  static const std::vector<FieldFact> words = [] {
    std::vector<FieldFact> rows = {kView};
    kWordsLayout.AddFacts("", FactEvidence::kRealFile, rows);
    rows.push_back({"unplaced", kAssumed,
                    "43 half words are described and 42 named; that the one left over stands last "
                    "is assumed"});
    return rows;
  }();
  static const std::vector<FieldFact> deltas = [] {
    std::vector<FieldFact> rows = {
        kView, {"header", FactEvidence::kOpaque, "specification 004 states only that it is short"}};
    kDeltasLayout.AddFacts("", FactEvidence::kRealFile, rows);
    return rows;
  }();
  return json.value("view", "") == "deltas" ? deltas : words;
}

int Recognise(ByteSpan bytes, std::string_view path) {
  if (!Parse(bytes).ok()) return 0;
  return path.ends_with(".activation") ? 60 : 1;
}

Result<Json> ToJson(const Record& record) {
  Json json = {{"format", "activation"}};
  if (const WordsRecord* words = WordsOf(record)) {
    json["view"] = "words";
    kWordsLayout.ToJson(*words, json);
    json["unplaced"] = words->unplaced;
    return json;
  }
  const auto& deltas = std::get<DeltasRecord>(record);
  json["view"] = "deltas";
  json["header"] = deltas.header;
  kDeltasLayout.ToJson(deltas, json);
  return json;
}

Result<Bytes> FromJson(const Json& json) {
  Status status;
  JsonFields fields(json, "", &status);
  fields.ReadElsewhere({"format"});
  const auto words_of = [&](std::string_view key, size_t least, size_t most) {
    const std::vector<uint64_t> words = fields.Uints(key, UINT16_MAX, least, most);
    return std::vector<uint16_t>(words.begin(), words.end());
  };
  Record record;
  const std::string view = fields.Text("view");
  if (view == "deltas") {
    auto& deltas = record.emplace<DeltasRecord>();
    deltas.header = words_of("header", 1, kMaxHeaderBytes / 2);
    kDeltasLayout.FromJson(fields, deltas);
  } else {
    if (view != "words") fields.Fail("view", "is words or deltas");
    auto& words = std::get<WordsRecord>(record);
    kWordsLayout.FromJson(fields, words);
    words.unplaced = words_of("unplaced", 0, 1);
  }
  fields.RefuseOthers();
  if (!status.ok()) return status.error();
  return Write(record);
}

std::string ValuesText(std::span<const Half> halves) {
  std::string text;
  for (const Half half : halves) text += fmt::format(" {}", HalfToDouble(half));
  return text;
}

std::string Print(const Record& record) {
  std::string text;
  if (const WordsRecord* words = WordsOf(record)) {
    text = fmt::format(
        "activation record, words view, {} half words\n"
        "  domain {} to {}, mode {}, scale {}\n  knots{}\n  tail{} (pairing assumed)\n"
        "  packed mode {:#06x}\n",
        kNamedWords + words->unplaced.size(), HalfToDouble(words->clamp_low),
        HalfToDouble(words->clamp_high), words->mode, HalfToDouble(words->scale),
        ValuesText(words->knots), ValuesText(words->tail), words->packed_mode);
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

ByteCounts CountBytes(const Record& record, ByteSpan bytes) {
  const WordsRecord* words = WordsOf(record);
  const uint64_t opaque = 2 * (words != nullptr ? words->unplaced.size()
                                                : std::get<DeltasRecord>(record).header.size());
  return {bytes.size(), 0, bytes.size() - opaque};
}

constexpr FormatOf<Record> kDefinition = {
    .name = "activation",
    .title = "activation record of 33 knots",
    .rules = kRules.rules(),
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FromJson,
    .parse = Parse,
    .to_json = ToJson,
    .write = [](const Record& record) -> Result<Bytes> { return Write(record); },
    .verify = [](const Record& record) { return kRules.Verify(record); },
    .print = Print,
    .count_bytes = CountBytes,
};

}  // namespace
}  // namespace activation

const Format kFormat_activation = MakeFormat<activation::kDefinition>();

}  // namespace anecheck
