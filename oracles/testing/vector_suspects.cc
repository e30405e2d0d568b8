// The published records that the tests do not accept, each with a proof that its reason applies.
#include <algorithm>

#include "oracles/testing/vector_files.h"

namespace anecheck::testing::vectors {
namespace {

std::vector<double> NumbersOf(const Json& tensor) {
  std::vector<double> numbers;
  for (const Json& element : tensor["data"]) numbers.push_back(NumberOf(element));
  return numbers;
}

// Whether the record, which has one window over the whole plane, expects the root of the mean of
// squares, although its operation is the root of their sum.
bool HasTheMean(const Json& record) {
  const std::vector<double> x = NumbersOf(record["inputs"][0]);
  const std::vector<double> expected = NumbersOf(record["outputs"][0]);
  const size_t channels = expected.size();
  const size_t places = x.size() / channels;
  const bool channels_last = record["attrs"]["layout"] == "nhwc";
  const double tolerance = record["tolerance"]["atol"].get<double>();
  bool mean = true;
  for (size_t c = 0; c < channels; ++c) {
    double sum = 0;
    for (size_t i = 0; i < places; ++i) {
      const double element = x[channels_last ? i * channels + c : c * places + i];
      sum += element * element;
    }
    mean &= std::fabs(expected[c] - std::sqrt(sum / static_cast<double>(places))) <= tolerance;
    mean &= std::fabs(expected[c] - std::sqrt(sum)) > 1;
  }
  return mean;
}

// Whether an index of the record is out of range, and the record expects the nearest row. MIL
// leaves such results undefined.
bool ClampsAnIndex(const Json& record) {
  const std::vector<double> x = NumbersOf(record["inputs"][0]);
  const auto rows = record["inputs"][0]["shape"][0].get<size_t>();
  const size_t inner = x.size() / rows;
  const std::vector<double> expected = NumbersOf(record["outputs"][0]);
  bool outside = false;
  bool clamps = true;
  size_t at = 0;
  for (const double index : NumbersOf(record["inputs"][1])) {
    const double last = static_cast<double>(rows) - 1;
    outside |= index > last;
    const size_t from = static_cast<size_t>(std::min(index, last)) * inner;
    for (size_t i = 0; i < inner; ++i) clamps &= expected.at(at++) == x[from + i];
  }
  return outside && clamps && at == expected.size();
}

constexpr const char* kMean = "NNAPI's mean in place of WebNN's sum";
constexpr const char* kClamped = "indices out of range, which MIL leaves undefined";

constexpr Suspect kSuspects[] = {
    {"webnn", "gather float32 2D tensor and int32 0D out-of-bound positive indices default options",
     kClamped, ClampsAnIndex},
    {"webnn", "gatherND float32 1D input and 2D out-of-bounds indices", kClamped, ClampsAnIndex},
    {"webnn", "gatherND float32 2D input and 2D out-of-bounds indices", kClamped, ClampsAnIndex},
    {"nnapi", "test l2Pool2d + clamp converted from l2_pool_float_large_relaxed test", kMean,
     HasTheMean},
    {"nnapi", "test l2Pool2d + clamp converted from l2_pool_v1_2_large_nchw_relaxed test", kMean,
     HasTheMean},
};

}  // namespace

std::span<const Suspect> Suspects() { return kSuspects; }

}  // namespace anecheck::testing::vectors
