#include "harness/judging/cpu_run.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "harness/base/half.h"
#include "oracles/contract.h"

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

bool Comparable(const Tensor& output, const Tensor& cpu) {
  return output.type == cpu.type && output.bytes.size() == cpu.bytes.size();
}

}  // namespace

CpuRun::CpuRun(const Graph& graph, std::span<const Tensor> inputs, std::span<const Tensor> engine,
               std::span<const Tensor> cpu)
    : graph_(graph), inputs_(inputs), engine_(engine), cpu_(cpu) {
  const bool same = std::ranges::equal(engine, cpu, {}, &Tensor::bytes, &Tensor::bytes);
  if (cpu.empty() || same) return;
  auto sound = Evaluate(graph, inputs, ConformingContract(kFloatFamily));
  if (sound.ok()) sound_ = *std::move(sound);
}

std::string CpuRun::WordsOnOther(size_t output, bool engine_is_right) const {
  if (output >= sound_.size()) return "";
  const OutputJudgement judged =
      Judge(graph_, inputs_, output, sound_[output], cpu_[output], kFloatFamily);
  if (IsSuspect(judged.verdict)) {
    return fmt::format(", which are {}: {}", judged.verdict, judged.reason);
  }
  return engine_is_right ? "" : ", which are right";
}

std::string CpuRun::Beside(size_t output, const OutputJudgement& judged) const {
  if (output >= cpu_.size() || output >= engine_.size()) return judged.reason;
  if (!Comparable(engine_[output], cpu_[output])) return judged.reason;
  const bool is_right = !IsSuspect(judged.verdict);
  const size_t different = CountDifferent(engine_[output], cpu_[output]);
  if (different == 0 && is_right) return judged.reason;
  const std::string lead = judged.reason.empty() ? "" : judged.reason + "; ";
  if (different == 0) return lead + "the CPU alone gives the same";
  return fmt::format("{}the CPU alone gives other values in {} of {} elements{}", lead, different,
                     engine_[output].type.shape.Elements(), WordsOnOther(output, is_right));
}

}  // namespace anecheck
