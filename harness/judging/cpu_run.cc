#include "harness/judging/cpu_run.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/judging/different_bits.h"
#include "oracles/contract.h"

namespace anecheck {

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
  if (!AreAlike(engine_[output], cpu_[output])) return judged.reason;
  const bool is_right = !IsSuspect(judged.verdict);
  const size_t different = FindDifferentBits(engine_[output], cpu_[output]).count;
  if (different == 0 && is_right) return judged.reason;
  const std::string lead = judged.reason.empty() ? "" : judged.reason + "; ";
  if (different == 0) return lead + "the CPU alone gives the same";
  return fmt::format("{}the CPU alone gives other values in {} of {} elements{}", lead, different,
                     engine_[output].type.shape.Elements(), WordsOnOther(output, is_right));
}

}  // namespace anecheck
