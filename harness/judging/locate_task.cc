#include "harness/judging/locate_task.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "harness/base/half.h"
#include "harness/emulator/explain.h"
#include "harness/ops/op.h"
#include "oracles/judge.h"

namespace anecheck {
namespace {

// The most tasks that are tried together for one value. Several tasks make the batches of a product
// or the parts of a concat.
constexpr size_t kMostTogether = 64;

// The work and the results of one task.
struct Given {
  std::string work;
  std::vector<double> numbers;
};

// The lower and the upper ends of an operation's admitted intervals, each sorted separately. If
// numbers lie inside their intervals, the sorted numbers lie between the sorted ends.
struct Bounds {
  std::vector<double> low, high;
};

std::optional<Bounds> BoundsOf(const Estimate& estimate) {
  const auto finite = [](double x) { return std::isfinite(x); };
  if (estimate.type.dtype != DType::kFp16 || estimate.value.empty() ||
      !std::ranges::all_of(estimate.low, finite) || !std::ranges::all_of(estimate.high, finite) ||
      std::ranges::any_of(estimate.flags, [](uint8_t flag) { return flag != 0; })) {
    return std::nullopt;
  }
  Bounds bounds = {{estimate.low.begin(), estimate.low.end()},
                   {estimate.high.begin(), estimate.high.end()}};
  std::ranges::sort(bounds.low);
  std::ranges::sort(bounds.high);
  return bounds;
}

bool Fits(const Bounds& bounds, std::vector<double> numbers) {
  if (!std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); })) return false;
  std::ranges::sort(numbers);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < bounds.low[i] || numbers[i] > bounds.high[i]) return false;
  }
  return true;
}

// Returns the last task of the first group of consecutive tasks that together make these numbers.
std::optional<size_t> FindTask(const Bounds& bounds, std::span<const Given> tasks) {
  for (size_t last = 0; last < tasks.size(); ++last) {
    std::vector<double> numbers;
    for (size_t count = 1; count <= std::min(last + 1, kMostTogether); ++count) {
      const std::vector<double>& more = tasks[last + 1 - count].numbers;
      numbers.insert(numbers.end(), more.begin(), more.end());
      if (numbers.size() > bounds.low.size()) break;
      if (numbers.size() == bounds.low.size() && Fits(bounds, numbers)) return last;
    }
  }
  return std::nullopt;
}

class Search {
 public:
  Search(const Graph& graph, std::span<const Given> tasks) : graph_(graph), tasks_(tasks) {
    states_.resize(graph.values().size());
  }

  // Records which values of the evaluation the tasks make. May be called for several evaluations.
  // `outputs` are those of the container.
  void Match(const Evaluation& evaluation, std::span<const Tensor> outputs) {
    Estimate estimate;
    for (const Node& node : graph_.nodes()) {
      for (uint32_t i = 0; i < node.result_count; ++i) {
        const ValueId id = node.first_result + i;
        evaluation.Stored(id, estimate);
        const auto bounds = BoundsOf(estimate);
        if (!bounds) continue;
        states_[id].known = true;
        if (!states_[id].task) states_[id].task = FindTask(*bounds, tasks_);
      }
    }
    for (size_t i = 0; i < outputs.size(); ++i) MatchOutput(evaluation, i, outputs[i]);
  }

  // Returns the first operation whose values no task makes, or nothing if there is none.
  std::optional<TaskDeviation> First() {
    SpreadBack();
    for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
      const NodeView node(graph_, id);
      if (node.node().result_count == 0) continue;
      const State& state = states_[node.Result()];
      if (!state.known || state.agrees || IsMovement(node)) continue;
      return Describe(node);
    }
    return std::nullopt;
  }

 private:
  struct State {
    bool known = false;   // it is fp16 and its intervals are finite
    bool agrees = false;  // a task makes it, or a value that depends on it
    std::optional<size_t> task;
  };

  // Returns whether the operation only moves elements. There may be no task for it.
  static bool IsMovement(const NodeView& node) {
    return DefinitionOf(node.schema()).op_class == OpClass::kMovement;
  }

  void MatchOutput(const Evaluation& evaluation, size_t index, const Tensor& actual) {
    const ValueId id = graph_.outputs()[index];
    Estimate estimate;
    evaluation.Stored(id, estimate);
    std::vector<double> numbers(estimate.value.size());
    if (actual.type != estimate.type) return;
    DecodeElements(actual.type.dtype, actual.bytes, numbers);
    bool inside = true;
    for (size_t i = 0; i < numbers.size(); ++i) {
      inside = inside && numbers[i] >= estimate.low[i] && numbers[i] <= estimate.high[i];
    }
    states_[id].agrees = states_[id].agrees || inside;
  }

  void SpreadBack() {
    // Right numbers at wrong places of an output do not count as agreement.
    for (const ValueId id : graph_.outputs()) {
      if (!states_[id].agrees) states_[id].task.reset();
    }
    for (State& state : states_) state.agrees = state.agrees || state.task.has_value();
    for (NodeId id = static_cast<NodeId>(graph_.nodes().size()); id-- > 0;) {
      const Node& node = graph_.node(id);
      bool agrees = false;
      for (uint32_t i = 0; i < node.result_count; ++i) {
        agrees = agrees || states_[node.first_result + i].agrees;
      }
      if (!agrees) continue;
      for (const Argument& argument : graph_.arguments(node)) {
        states_[argument.value].agrees = true;
      }
    }
  }

  // Returns the last task that makes an operand of the node, or an ancestor of an operand.
  std::pair<std::optional<size_t>, ValueId> Before(const Node& node) const {
    std::pair<std::optional<size_t>, ValueId> last = {std::nullopt, kNoValue};
    std::vector<bool> seen(graph_.values().size(), false);
    std::vector<const Node*> open = {&node};
    while (!open.empty()) {
      const Node& at = *open.back();
      open.pop_back();
      for (const Argument& argument : graph_.arguments(at)) {
        const Value& value = graph_.value(argument.value);
        if (value.kind != ValueKind::kResult || seen[argument.value]) continue;
        seen[argument.value] = true;
        const std::optional<size_t> task = states_[argument.value].task;
        if (!task) {
          open.push_back(&graph_.node(value.producer));
        } else if (!last.first || *task > *last.first) {
          last = {task, argument.value};
        }
      }
    }
    return last;
  }

  TaskDeviation Describe(const NodeView& node) const {
    const auto [before, operand] = Before(node.node());
    const size_t next = before ? *before + 1 : 0;
    TaskDeviation deviation;
    deviation.op = node.op();
    deviation.name = graph_.value(node.Result()).name;
    if (operand != kNoValue) deviation.after = graph_.value(operand).name;
    deviation.task = static_cast<uint32_t>(std::min(next, tasks_.size() - 1));
    deviation.tasks = static_cast<uint32_t>(tasks_.size());
    deviation.work = tasks_[deviation.task].work;
    return deviation;
  }

  const Graph& graph_;
  std::span<const Given> tasks_;
  std::vector<State> states_;
};

}  // namespace

std::string TaskDeviation::ToString() const {
  return fmt::format("the first deviation is in task {} of {} ({}), where {} ({}) comes behind {}",
                     task, tasks, work, name, op, after.empty() ? "the inputs" : after);
}

Result<std::optional<TaskDeviation>> LocateTask(const Graph& graph, std::span<const Tensor> inputs,
                                                const ContainerAnswer& container,
                                                std::span<const Contract> contracts) {
  std::vector<Given> tasks;
  const auto note = [&](const emulator::Task& task, std::span<const uint16_t> result) {
    Given& given = tasks.emplace_back();
    given.work = emulator::DescribeWork(task);
    given.numbers.reserve(result.size());
    for (const uint16_t bits : result) given.numbers.push_back(HalfToDouble(Half{bits}));
  };
  ANECHECK_ASSIGN(const std::vector<Tensor> outputs,
                  ExecuteContainer(container.bytes, graph, inputs, container.exact, note));
  if (tasks.empty()) return std::optional<TaskDeviation>();
  Search search(graph, tasks);
  for (const Contract& contract : contracts) {
    Evaluation evaluation;
    ANECHECK_RETURN_IF_ERROR(evaluation.Run(graph, inputs, contract));
    search.Match(evaluation, outputs);
  }
  return search.First();
}

}  // namespace anecheck
