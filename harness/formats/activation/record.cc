// The two views of an activation record, their rules and the curve.
#include "harness/formats/activation/record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/planted_bug.h"
#include "harness/formats/violation_list.h"

namespace anecheck::activation {

namespace {

constexpr std::string_view kWords = "facts/numerics.md; facts/more/weight_sections.csv";
constexpr std::string_view kDeltas = "specification 004, Programmable activation LUT";
constexpr std::array<Rule, 6> kRules = {{
    {"described-length", "A words record has 43 half words.", kWords, FactEvidence::kAssumed},
    {"clamps-ordered", "The low input clamp is below the high one.", kWords,
     FactEvidence::kAssumed},
    {"clamps-finite", "The input clamps are finite: the domain is fixed.", kWords,
     FactEvidence::kAssumed},
    {"knots-numbers", "No knot is a NaN: the device emits none.", kWords, FactEvidence::kAssumed},
    {"scale-finite", "The scale is finite.", "no source states it", FactEvidence::kAssumed},
    {"deltas-between-knots",
     "A delta is the difference of its knots, within a unit in the last "
     "place of the larger.",
     kDeltas, FactEvidence::kSpecification},
}};
enum RuleIndex : size_t {
  kDescribedLength,
  kClampsOrdered,
  kClampsFinite,
  kKnotsNumbers,
  kScaleFinite,
  kDeltasBetween,
};

constexpr uint64_t kWordsKnotOffset = 8;

Half ReadHalf(ByteReader& reader, std::string_view field) { return Half{reader.U16(field)}; }

class Verifier {
 public:
  std::vector<Violation> Run(const Record& record) {
    std::visit([this](const auto& one) { Check(one); }, record);
    return std::move(violations_).Take();
  }

 private:
  void Add(RuleIndex rule, uint64_t offset, const std::string& message) {
    violations_.Add(kRules[rule], offset, "{}: {}", kRules[rule].id, message);
  }

  void CheckKnots(std::span<const Half> knots, uint64_t offset) {
    for (size_t i = 0; i < knots.size(); ++i) {
      if (knots[i].IsNan()) Add(kKnotsNumbers, offset + 2 * i, fmt::format("knots[{}] is NaN", i));
    }
  }

  void Check(const WordsRecord& record) {
    if (!record.clamp_low.IsFinite() || !record.clamp_high.IsFinite()) {
      Add(kClampsFinite, record.clamp_low.IsFinite() ? 2 : 0, "a clamp is not finite");
    } else if (HalfToDouble(record.clamp_low) >= HalfToDouble(record.clamp_high)) {
      Add(kClampsOrdered, 0,
          fmt::format("clamps {} and {}", HalfToDouble(record.clamp_low),
                      HalfToDouble(record.clamp_high)));
    }
    if (!record.scale.IsFinite()) Add(kScaleFinite, 6, "the scale is not finite");
    CheckKnots(record.knots, kWordsKnotOffset);
    if (record.unplaced.empty()) {
      Add(kDescribedLength, 2 * kNamedWords, "42 half words, where the sources say 43");
    }
  }

  void Check(const DeltasRecord& record) {
    const uint64_t knots = 2 * record.header.size();
    CheckKnots(record.knots, knots);
    const std::array<Half, kSegments> expected = DeltasOf(record.knots);
    for (size_t i = 0; i < kSegments; ++i) {
      if (expected[i].IsNan()) continue;  // infinite knots, or a NaN of another rule
      if (UlpDistance(expected[i], record.deltas[i]) > 1) {
        const double larger = std::max(std::fabs(HalfToDouble(record.knots[i])),
                                       std::fabs(HalfToDouble(record.knots[i + 1])));
        const double off = std::fabs(HalfToDouble(record.deltas[i]) - HalfToDouble(expected[i]));
        if (off <= HalfUlp(larger)) continue;
        Add(kDeltasBetween, knots + 2 * (kKnots + i),
            fmt::format("deltas[{}] is {}, the knots differ by {}", i,
                        HalfToDouble(record.deltas[i]), HalfToDouble(expected[i])));
      }
    }
  }

  ViolationList violations_;
};

}  // namespace

std::span<const Rule> Rules() { return kRules; }

std::vector<Violation> Verify(const Record& record) { return Verifier().Run(record); }

Result<Record> Parse(ByteSpan bytes) {
  ByteReader reader(bytes, 0, "activation");
  const size_t size = bytes.size();
  if (size == 2 * kNamedWords || size == 2 * kDescribedWords) {
    WordsRecord record;
    record.clamp_low = ReadHalf(reader, "clamp_low");
    record.clamp_high = ReadHalf(reader, "clamp_high");
    record.mode = reader.U16("mode");
    record.scale = ReadHalf(reader, "scale");
    for (Half& knot : record.knots) knot = ReadHalf(reader, "knots");
    for (Half& tail : record.tail) tail = ReadHalf(reader, "tail");
    record.packed_mode = reader.U16("packed_mode");
    while (!reader.AtEnd()) record.unplaced.push_back(reader.U16("unplaced"));
    return Record(std::move(record));
  }
  if (size % 2 == 0 && size > kDeltaTableBytes && size <= kDeltaTableBytes + kMaxHeaderBytes) {
    DeltasRecord record;
    while (reader.remaining() > kDeltaTableBytes) record.header.push_back(reader.U16("header"));
    for (Half& knot : record.knots) knot = ReadHalf(reader, "knots");
    for (Half& delta : record.deltas) delta = ReadHalf(reader, "deltas");
    return Record(std::move(record));
  }
  return MakeError(ErrorCode::kMalformed,
                   fmt::format("activation record: {} bytes; the words view has 84 or 86, the "
                               "deltas view 132 to 146, even",
                               size),
                   size);
}

Bytes Write(const Record& record) {
  ByteWriter writer;
  if (const auto* words = std::get_if<WordsRecord>(&record)) {
    writer.U16(words->clamp_low.bits);
    writer.U16(words->clamp_high.bits);
    writer.U16(words->mode);
    writer.U16(words->scale.bits);
    for (const Half knot : words->knots) writer.U16(knot.bits);
    for (const Half tail : words->tail) writer.U16(tail.bits);
    writer.U16(IsPlanted(PlantedBug::kActivationLostWord) ? 0 : words->packed_mode);
    for (const uint16_t word : words->unplaced) writer.U16(word);
  } else {
    const auto& deltas = std::get<DeltasRecord>(record);
    for (const uint16_t word : deltas.header) writer.U16(word);
    for (const Half knot : deltas.knots) writer.U16(knot.bits);
    for (const Half delta : deltas.deltas) writer.U16(delta.bits);
  }
  return std::move(writer).Take();
}

std::array<Half, kSegments> DeltasOf(const std::array<Half, kKnots>& knots) {
  std::array<Half, kSegments> deltas;
  for (size_t i = 0; i < kSegments; ++i) {
    deltas[i] = DoubleToHalf(HalfToDouble(knots[i + 1]) - HalfToDouble(knots[i]));
  }
  return deltas;
}

WordsRecord Sample(double low, double high, double (*function)(double)) {
  WordsRecord record;
  record.clamp_low = DoubleToHalf(low);
  record.clamp_high = DoubleToHalf(high);
  record.scale = DoubleToHalf(1.0);
  record.unplaced = {0};
  const double begin = HalfToDouble(record.clamp_low);
  const double step = (HalfToDouble(record.clamp_high) - begin) / kSegments;
  for (size_t i = 0; i < kKnots; ++i) {
    record.knots[i] = DoubleToHalf(function(begin + step * static_cast<double>(i)));
  }
  return record;
}

double Evaluate(const WordsRecord& record, double x) {
  const double low = HalfToDouble(record.clamp_low);
  const double high = HalfToDouble(record.clamp_high);
  if (std::isnan(x) || x >= high) return HalfToDouble(record.knots[kSegments]);
  if (x <= low) return HalfToDouble(record.knots[0]);
  const double position = (x - low) / (high - low) * kSegments;
  const auto segment = std::min<size_t>(static_cast<size_t>(position), kSegments - 1);
  const double left = HalfToDouble(record.knots[segment]);
  const double right = HalfToDouble(record.knots[segment + 1]);
  return left + (right - left) * (position - static_cast<double>(segment));
}

}  // namespace anecheck::activation
