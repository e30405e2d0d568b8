// The cells that are known beforehand, and steering towards those that are empty.
#include <algorithm>
#include <array>
#include <bitset>
#include <fmt/format.h>

#include "generators/drawer.h"
#include "harness/campaign/coverage.h"
#include "harness/ops/device_matrix.h"
#include "oracles/legality/rules.h"

namespace anecheck {
namespace {

// Graphs drawn of one operation to see which element types it gives.
constexpr uint64_t kSamples = 24;
// Empty cells that one steered case aims at, at the most.
constexpr uint64_t kMostJoined = 15;

bool IsDrawn(const OpDefinition& op) {
  const OpGenerator& generator = *AllOpGenerators()[op.schema.id];
  return generator.draw != nullptr && generator.weight > 0 && op.family_floor != kNoFamily;
}

class Space {
 public:
  using DTypes = std::bitset<kDTypeCount>;

  std::vector<CoverageCell> Build() {
    for (const OpDefinition* op : AllOps()) {
      if (!IsDrawn(*op)) continue;
      drawn_.push_back(op);
      for (const Parameter& parameter : op->schema.parameters) AddParameter(*op, parameter);
    }
    AddPairs();
    for (const std::string_view extent :
         {"one", "power of two", "next to a power", "odd", "even", "large"}) {
      Add("shape", fmt::format("all.extent={}", extent));
    }
    for (const std::string_view value :
         {"zero", "negative zero", "subnormal", "fraction", "integer to 2048", "to 32752",
          "above 32752", "infinite", "nan"}) {
      Add("value", fmt::format("all.input={}", value));
    }
    for (const legality::Rule& rule : legality::Rules::Builtin().rules()) Add("rule", rule.id);
    std::ranges::sort(cells_);
    cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
    return std::move(cells_);
  }

 private:
  void Add(std::string_view kind, std::string cell) {
    cells_.push_back({std::string(kind), std::move(cell)});
  }

  void AddParameter(const OpDefinition& op, const Parameter& parameter) {
    const std::string name = fmt::format("{}.{}=", op.schema.name, parameter.name);
    const auto add = [&](std::string_view what) { Add("op_attribute", name + std::string(what)); };
    if (parameter.need == Need::kOptional) add("absent");
    if (IsTensorKind(parameter.kind)) {
      add(parameter.constant ? "constant" : "computed");
    } else if (parameter.kind == ParameterKind::kBool) {
      add("true");
      add("false");
    } else if (parameter.kind == ParameterKind::kString && !parameter.choices.empty()) {
      for (const std::string_view choice : parameter.choices) add(choice);
    } else {
      add("given");
    }
  }

  // The element types of an operation's results, as its generator gives them.
  static DTypes Gives(const OpDefinition& op) {
    DTypes given;
    GeneratorOptions options;
    options.max_nodes = 2;
    options.ops.reset();
    options.ops.set(op.schema.id);
    options.family = 7;
    Graph graph;
    for (uint64_t seed = 0; seed < kSamples; ++seed) {
      ChoiceStream choices = ChoiceStream::FromSeed(seed);
      GenerateGraph(choices, options, graph);
      for (const Node& node : graph.nodes()) {
        if (node.schema != &op.schema) continue;
        for (uint32_t i = 0; i < node.result_count; ++i) {
          given.set(static_cast<size_t>(graph.type(node.first_result + i).dtype));
        }
      }
    }
    return given;
  }

  // Whether every operand is a constant, and so the result.
  static bool IsConstantExpression(const OpDefinition& op) {
    return std::ranges::all_of(op.schema.parameters, [](const Parameter& parameter) {
      return !IsTensorKind(parameter.kind) || parameter.constant;
    });
  }

  static bool Takes(const OpDefinition& op, const DTypes& given, bool constants) {
    return std::ranges::any_of(op.schema.parameters, [&](const Parameter& parameter) {
      if (!IsTensorKind(parameter.kind) || (parameter.constant && !constants)) return false;
      for (size_t i = 0; i < kDTypeCount; ++i) {
        if (given.test(i) && parameter.dtypes.Contains(static_cast<DType>(i))) return true;
      }
      return false;
    });
  }

  void AddPairs() {
    for (const OpDefinition* producer : drawn_) {
      const DTypes given = Gives(*producer);
      for (const OpDefinition* consumer : drawn_) {
        const bool constants = IsConstantExpression(*producer) && IsConstantExpression(*consumer);
        if (!Takes(*consumer, given, constants)) continue;
        Add("op_pair", fmt::format("{}>{}", producer->schema.name, consumer->schema.name));
      }
    }
  }

  std::vector<const OpDefinition*> drawn_;
  std::vector<CoverageCell> cells_;
};

uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The operations that a cell names: "conv.groups=one", "conv>relu".
std::vector<const OpDefinition*> OpsOf(const CoverageCell& cell) {
  const size_t arrow = cell.cell.find('>');
  const OpDefinition* first = FindOp(cell.cell.substr(0, cell.cell.find_first_of(".>")));
  const OpDefinition* second =
      arrow == std::string::npos ? first : FindOp(cell.cell.substr(arrow + 1));
  if (first == nullptr || second == nullptr) return {};
  return {first, second};
}

bool IsReached(const OpDefinition& op, int family) {
  const auto reach = ReachOn(op.schema.name, family);
  return op.family_floor <= family && (!reach || *reach == Reach::kNative);
}

}  // namespace

const std::vector<CoverageCell>& CoverageSpace() {
  static const std::vector<CoverageCell> space = Space().Build();
  return space;
}

Steering::Steering(int family) {
  for (const CoverageCell& cell : CoverageSpace()) {
    if (cell.kind != "op_attribute" && cell.kind != "op_pair") continue;
    const auto ops = OpsOf(cell);
    if (ops.empty() || !IsReached(*ops[0], family) || !IsReached(*ops[1], family)) continue;
    goals_.push_back({cell, ops[0]->schema.id, ops[1]->schema.id});
  }
}

void Steering::Meet(std::string_view kind, std::string_view cell, uint64_t case_index) {
  const CoverageCell key = {std::string(kind), std::string(cell)};
  const auto goal = std::ranges::lower_bound(goals_, key, {}, &Goal::cell);
  if (goal != goals_.end() && goal->cell == key) goal->met = std::min(goal->met, case_index);
}

std::bitset<kOpCount> Steering::OpsFor(uint64_t index, uint64_t seed, uint64_t known) const {
  std::bitset<kOpCount> all;
  all.set();
  const uint64_t draw = Mix(seed ^ Mix(index + 0x51ee2));
  if (draw % kSteerEvery != 0) return all;
  std::vector<const Goal*> empty;
  for (const Goal& goal : goals_) {
    if (goal.met >= known) empty.push_back(&goal);
  }
  if (empty.empty()) return all;
  // Many at once while most are empty, so that a graph meets many; one alone towards the end, so
  // that it meets that one.
  const uint64_t joined = 1 + kMostJoined * empty.size() / goals_.size();
  std::bitset<kOpCount> ops;
  for (uint64_t i = 0; i < joined; ++i) {
    const Goal& goal = *empty[Mix(draw + i) % empty.size()];
    ops.set(goal.first);
    ops.set(goal.second);
  }
  return ops;
}

}  // namespace anecheck
