#include "harness/judging/cpu_run.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "harness/base/half.h"

namespace anecheck {
namespace {

// Elements with other bits; two NaNs are one value.
size_t CountDifferent(const Tensor& output, const Tensor& cpu) {
  const auto elements = static_cast<size_t>(output.type.shape.Elements());
  const size_t size = elements == 0 ? 0 : output.bytes.size() / elements;
  const bool is_fp16 = output.type.dtype == DType::kFp16;
  const auto half = [](const uint8_t* bytes) {
    return HalfToFloat(Half{static_cast<uint16_t>(bytes[0] | bytes[1] << 8)});
  };
  size_t different = 0;
  for (size_t i = 0; i < elements; ++i) {
    const uint8_t* const a = output.bytes.data() + i * size;
    const uint8_t* const b = cpu.bytes.data() + i * size;
    if (std::equal(a, a + size, b)) continue;
    different += is_fp16 && std::isnan(half(a)) && std::isnan(half(b)) ? 0 : 1;
  }
  return different;
}

}  // namespace

std::string BesideCpu(const OutputJudgement& judged, const Tensor& output,
                      const OutputJudgement& on_cpu, const Tensor& cpu) {
  const bool comparable = output.type == cpu.type && output.bytes.size() == cpu.bytes.size();
  const size_t different = comparable ? CountDifferent(output, cpu) : 0;
  const bool is_right = !IsSuspect(on_cpu.verdict);
  if (!comparable || (different == 0 && !IsSuspect(judged.verdict))) return judged.reason;
  const std::string lead = judged.reason.empty() ? "" : judged.reason + "; ";
  if (different == 0) return lead + "the CPU alone gives the same";
  const std::string words = fmt::format("the CPU alone gives other values in {} of {} elements",
                                        different, output.type.shape.Elements());
  if (is_right) return lead + words + (IsSuspect(judged.verdict) ? ", which are right" : "");
  return fmt::format("{}{}, which are {}: {}", lead, words, on_cpu.verdict, on_cpu.reason);
}

}  // namespace anecheck
