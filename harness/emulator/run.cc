// Runs the tasks of a list in order. Source: execution.md, "Order" and "One task".
#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "harness/emulator/coefficients.h"
#include "harness/emulator/program.h"
#include "harness/emulator/surface.h"

namespace anecheck::emulator {
namespace {

class TaskRun {
 public:
  // `chain` contains the elements that the previous task left for this task. It receives the
  // elements that this task leaves for the next task.
  TaskRun(const Task& task, Memory& memory, const RunOptions& options, std::vector<uint16_t>& chain)
      : task_(task), memory_(memory), options_(options), chain_(chain) {}

  Status Run() {
    ANECHECK_ASSIGN(std::vector<float> source1, Fetch(task_.source1, "source 1"));
    std::vector<float> source2;
    if (task_.source2) {
      ANECHECK_ASSIGN(source2, Fetch(*task_.source2, "source 2"));
    }
    // Checks the result's place first, so that no work is done for a result without a place.
    ANECHECK_RETURN_IF_ERROR(CheckResult());
    ANECHECK_ASSIGN(std::vector<uint16_t> result, Compute(std::move(source1), source2));
    if (options_.on_result) options_.on_result(task_, result);
    return Store(std::move(result));
  }

 private:
  std::string Who(std::string_view what) const {
    return fmt::format("task {}, {}", task_.index, what);
  }

  // Returns the part of L2 that the pattern reaches.
  Result<std::span<uint8_t>> L2For(const Pattern& pattern, const Extents& extents,
                                   const std::string& who) {
    ANECHECK_RETURN_IF_ERROR(CheckPattern(pattern, extents, kL2Bytes, who));
    return memory_.l2(EndOf(pattern, extents));
  }

  Result<std::vector<float>> Fetch(const Source& source, std::string_view what) {
    const std::string who = Who(what);
    if (source.chained) {
      std::vector<float> values(chain_.size());
      std::ranges::transform(std::exchange(chain_, {}), values.begin(), NumberOf);
      return values;
    }
    if (!source.by_dma) {
      ANECHECK_ASSIGN(const auto l2, L2For(source.l2, source.extents, who + " in L2"));
      return Gather(l2, source.l2, source.extents, who);
    }
    ANECHECK_ASSIGN(const auto surface, memory_.Bar(source.bar, false, who));
    ANECHECK_ASSIGN(std::vector<float> values, Gather(surface, source.memory, source.extents, who));
    if (source.keep) {
      ANECHECK_RETURN_IF_ERROR(KeepCopy(surface, source, who));
    }
    return values;
  }

  // A source of type 1 also stores the bits of the fetched elements in L2.
  Status KeepCopy(std::span<const uint8_t> surface, const Source& source, const std::string& who) {
    std::vector<uint16_t> bits;
    ANECHECK_ASSIGN(bits, GatherBits(surface, source.memory, source.extents, who));
    ANECHECK_ASSIGN(const auto l2, L2For(source.l2, source.extents, who + " kept in L2"));
    return Scatter(l2, source.l2, source.extents, bits, who);
  }

  Status CheckResult() {
    const Destination& result = task_.result;
    if (result.by_dma) {
      ANECHECK_ASSIGN(const auto surface, memory_.Bar(result.bar, true, Who("the result")));
      ANECHECK_RETURN_IF_ERROR(
          CheckPattern(result.memory, task_.output, surface.size(), Who("the result")));
    }
    // A result for the next task has no address, but its size is limited too.
    if (result.chained) return CheckPattern({}, task_.output, kL2Bytes, Who("the result"));
    if (!result.to_l2) return {};
    return CheckPattern(result.l2, task_.output, kL2Bytes, Who("the result in L2"));
  }

  Result<std::vector<uint16_t>> Compute(std::vector<float> source1,
                                        const std::vector<float>& source2) {
    if (task_.kind != TaskKind::kNeural) {
      return RunPlanar(task_, source1, source2, options_.arithmetic);
    }
    ANECHECK_ASSIGN(const Coefficients coefficients, ReadCoefficients(task_, memory_));
    return RunNeural(task_, coefficients, std::move(source1), options_.arithmetic);
  }

  Status Store(std::vector<uint16_t> values) {
    const Destination& result = task_.result;
    if (result.memory.OfBytes()) {
      ANECHECK_ASSIGN(values, AsBytes(values, Who("the result")));
    }
    if (result.by_dma) {
      ANECHECK_ASSIGN(const auto surface, memory_.Bar(result.bar, true, Who("the result")));
      ANECHECK_RETURN_IF_ERROR(
          Scatter(surface, result.memory, task_.output, values, Who("the result")));
    }
    if (result.chained) {
      chain_ = std::move(values);
      return {};
    }
    if (!result.to_l2) return {};
    const std::string who = Who("the result in L2");
    ANECHECK_ASSIGN(const auto l2, L2For(result.l2, task_.output, who));
    return Scatter(l2, result.l2, task_.output, values, who);
  }

  const Task& task_;
  Memory& memory_;
  const RunOptions& options_;
  std::vector<uint16_t>& chain_;
};

// Checks that each result for the next task is source 1 of that task and has its extents.
Status CheckChains(std::span<const Task> tasks) {
  for (size_t i = 0; i <= tasks.size(); ++i) {
    const bool left = i > 0 && tasks[i - 1].result.chained;
    const bool taken = i < tasks.size() && tasks[i].source1.chained;
    if (!left && !taken) continue;
    if (left && taken && tasks[i - 1].output == tasks[i].source1.extents) continue;
    const Task& task = taken ? tasks[i] : tasks[i - 1];
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("task {}: a result for the next task that is not the next task's"
                                 " source, element by element",
                                 task.index),
                     task.offset);
  }
  return {};
}

Result<Task> DecodeOne(const Program& program, const TaskWords& words, const RunOptions& options,
                       std::vector<std::string>& warnings) {
  const FieldTable& table =
      options.table != nullptr ? *options.table : FieldTable::Of(program.generation);
  ANECHECK_ASSIGN(const FieldValues values, ReadFields(table, words, warnings));
  return DecodeTask(program.generation, words, values, table);
}

}  // namespace

Result<std::vector<Task>> DecodeProgram(const Program& program, const RunOptions& options,
                                        std::vector<std::string>& warnings) {
  std::vector<Task> tasks;
  for (const TaskWords& words : program.tasks) {
    ANECHECK_ASSIGN(const Task task, DecodeOne(program, words, options, warnings));
    tasks.push_back(task);
  }
  ANECHECK_RETURN_IF_ERROR(CheckChains(tasks));
  return tasks;
}

Result<RunReport> RunProgram(Program& program, const RunOptions& options) {
  RunReport report;
  // All tasks are decoded first, so that a refusal does not change the outputs.
  ANECHECK_ASSIGN(const std::vector<Task> tasks, DecodeProgram(program, options, report.warnings));
  program.memory.Clear();
  std::vector<uint16_t> chain;
  for (const Task& task : tasks) {
    ANECHECK_RETURN_IF_ERROR(TaskRun(task, program.memory, options, chain).Run());
    ++report.tasks;
  }
  return report;
}

}  // namespace anecheck::emulator
