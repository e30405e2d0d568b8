// The activation record, in which the engine stores a nonlinear function as 33 knots of a piecewise
// linear curve. Two sources describe it differently, and no real file is known. This code reads and
// writes both forms, called views. The length of a record determines its view.
//
// Words view (facts/numerics.md; weight_sections.csv, guide chapter 25): The guide states "43 half
// words = 86 bytes", but the parts that it names have only 42 words of 16 bits. They are two input
// clamps, mode, scale, 33 knots, 4 tail coefficients and a packed mode word. This code reads a
// record of 84 bytes as the 42 named words. A record of 86 bytes has one more word. This code
// assumes that it follows the packed mode word.
//
// Deltas view (specification 004, "Programmable activation LUT"): The record has a short header,
// then 33 knot values at a fixed step, then the 32 deltas between them. No source gives the
// header's length. This code assumes that the header is everything before the last 130 bytes.
#pragma once

#include <array>
#include <cstdint>
#include <variant>
#include <vector>

#include "harness/base/half.h"
#include "harness/formats/format.h"
#include "harness/formats/record/typed_record.h"

namespace anecheck {

extern const Format kFormat_activation;

namespace activation {

inline constexpr size_t kKnots = 33;
inline constexpr size_t kSegments = 32;
inline constexpr size_t kNamedWords = 42;
inline constexpr size_t kDescribedWords = 43;
// The deltas view has a header of 2 to 16 bytes, then 130 bytes of knots and deltas. The limit of
// 16 bytes is assumed. It ensures that no length of a record fits both views.
inline constexpr size_t kDeltaTableBytes = 2 * (kKnots + kSegments);
inline constexpr size_t kMaxHeaderBytes = 16;

struct WordsRecord {
  Half clamp_low;   // smaller inputs become this value
  Half clamp_high;  // larger inputs become this value
  uint16_t mode = 0;
  Half scale;
  std::array<Half, kKnots> knots = {};
  std::array<Half, 4> tail = {};  // slope and intercept on both sides (the pairing is assumed)
  uint16_t packed_mode = 0;
  std::vector<uint16_t> unplaced;  // at most one word
};

// The 42 named words. `unplaced` follows them.
inline constexpr auto kWordsLayout = RecordOf<WordsRecord>(
    "facts/more/weight_sections.csv, activation record (guide, chapter 25)",
    FactEvidence::kPublicNotes, Field{"clamp_low", &WordsRecord::clamp_low},
    Field{"clamp_high", &WordsRecord::clamp_high}, Field{"mode", &WordsRecord::mode},
    Field{"scale", &WordsRecord::scale}, Field{"knots", &WordsRecord::knots},
    Field{"tail", &WordsRecord::tail}, Field{"packed_mode", &WordsRecord::packed_mode});
static_assert(kWordsLayout.kSize == 2 * kNamedWords);

struct DeltasRecord {
  std::vector<uint16_t> header;  // 1 to 8 words
  std::array<Half, kKnots> knots = {};
  std::array<Half, kSegments> deltas = {};
};

// The fields after the header.
inline constexpr auto kDeltasLayout = RecordOf<DeltasRecord>(
    "specification 004, Programmable activation LUT", FactEvidence::kSpecification,
    Field{"knots", &DeltasRecord::knots}, Field{"deltas", &DeltasRecord::deltas});
static_assert(kDeltasLayout.kSize == kDeltaTableBytes);

using Record = std::variant<WordsRecord, DeltasRecord>;

// Reads a little-endian record. Errors: kMalformed if no view has this length.
Result<Record> Parse(ByteSpan bytes);
Bytes Write(const Record& record);

// Returns the differences knots[i + 1] - knots[i], each rounded once to fp16.
std::array<Half, kSegments> DeltasOf(const std::array<Half, kKnots>& knots);

// Returns a words record. Its knots are the values of `function` at 33 equidistant points from
// `low` to `high`. Its scale is 1, and its mode and tail are 0. Preconditions: low < high, and both
// are finite.
WordsRecord Sample(double low, double high, double (*function)(double));

// Returns the value of the curve at `x`. Clamps the input to the domain and interpolates linearly
// between the two nearest knots, without rounding to fp16. NaN counts as +infinity
// (facts/numerics.md, A13).
double Evaluate(const WordsRecord& record, double x);

}  // namespace activation
}  // namespace anecheck
