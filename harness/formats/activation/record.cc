#include "harness/formats/activation/record.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/planted_bug.h"

namespace anecheck::activation {

Result<Record> Parse(ByteSpan bytes) {
  ByteReader reader(bytes, 0, "activation");
  const size_t size = bytes.size();
  if (size == 2 * kNamedWords || size == 2 * kDescribedWords) {
    WordsRecord record;
    kWordsLayout.Read(reader, record);
    while (!reader.AtEnd()) record.unplaced.push_back(reader.U16("unplaced"));
    return Record(std::move(record));
  }
  if (size % 2 == 0 && size > kDeltaTableBytes && size <= kDeltaTableBytes + kMaxHeaderBytes) {
    DeltasRecord record;
    while (reader.remaining() > kDeltaTableBytes) record.header.push_back(reader.U16("header"));
    kDeltasLayout.Read(reader, record);
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
    WordsRecord written = *words;
    if (IsPlanted(PlantedBug::kActivationLostWord)) written.packed_mode = 0;
    kWordsLayout.Write(written, writer);
    for (const uint16_t word : words->unplaced) writer.U16(word);
  } else {
    const auto& deltas = std::get<DeltasRecord>(record);
    for (const uint16_t word : deltas.header) writer.U16(word);
    kDeltasLayout.Write(deltas, writer);
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
