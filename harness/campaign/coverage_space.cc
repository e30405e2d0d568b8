// The cells known beforehand, and steering towards empty cells.
#include <algorithm>
#include <bitset>
#include <fmt/format.h>
#include <map>
#include <span>
#include <utility>

#include "generators/drawer.h"
#include "generators/must_reject.h"
#include "harness/base/hash.h"
#include "harness/campaign/attribute_class.h"
#include "harness/campaign/coverage.h"
#include "harness/cases/drawn_ops.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/ops/sheet.h"
#include "oracles/legality/rules.h"

namespace anecheck {
namespace {

// The number of graphs drawn for each operation to find its element types and classes of numbers,
// and the modes of these graphs. The modes draw different attributes.
constexpr uint64_t kSamples = 512;
constexpr CaseMode kSampledModes[] = {CaseMode::kFloat, CaseMode::kInteger, CaseMode::kSpecial,
                                      CaseMode::kBoundary};
// A cell is known if at least this many of these graphs show it. A rarer cell may occur once in a
// hundred thousand graphs, too rarely for any campaign.
constexpr uint64_t kLeastDrawn = 2;
// While any cell of a single operation is empty, one steered case in this many aims at such a cell.
constexpr uint64_t kSingleEvery = 16;

// Network descriptions state the begin and the end of a slice in the layer's attributes Offset and
// Size, so no operand can compute them.
constexpr std::string_view kFixedPlaces =
    "facts/more/op_notes.csv, slice_by_index: static offsets fold into the descriptor; "
    "facts/netlist_layers.csv, input_view: no offset is an operand";

// Operands that may be computed in MIL, but that layers take only from the weight file
// (facts/netlist_layers.csv, gain_offset_control: BiasOffset). Cases draw constants for them.
constexpr std::string_view kConstantAlone[] = {"conv.bias", "conv_transpose.bias", "ne_conv.bias"};

constexpr std::string_view kTooLarge = "drawn graphs are smaller";

constexpr ExcludedCell kExcluded[] = {
    {"op_attribute", "affine.align_corners=false",
     "MIL's definition of affine: only align_corners = true is supported"},
    {"op_attribute", "MinMaxNorm.Dimension=Channel",
     "facts/known_defects.csv, D20: the compiler of A13 refuses it"},
    {"op_attribute", "SDPA.SubtractMax=false",
     "facts/netlist_layers.csv: must be true; if it is false, the softmax is wrong (D21)"},
    {"op_attribute", "ScaledElementWise.Type=Sub",
     "facts/known_defects.csv, D26: the compiler refuses it"},
    {"op_attribute", "slice_by_index.begin=computed", kFixedPlaces},
    {"op_attribute", "slice_by_index.end=computed", kFixedPlaces},
    {"op_attribute", "slice_by_size.begin=computed", kFixedPlaces},
    {"op_attribute", "slice_update.begin=computed", kFixedPlaces},
    {"op_attribute", "slice_update.end=computed", kFixedPlaces},
    {"rule", "channels_disputed", kTooLarge},
    {"rule", "gather_by_topk", "drawn graphs gather by inputs and constants"},
    {"rule", "large_kernel_decomposed", kTooLarge},
    {"rule", "large_kernel_unmeasured", kTooLarge},
    {"rule", "newest_target", "a remark on every operation of one target"},
    {"rule", "product_inner_extent_open", kTooLarge},
};

// Whether the parameter is the state of an operation on states.
bool IsState(const OpDefinition& op, const Parameter& parameter) {
  return op.op_class == OpClass::kControl && parameter.name == "input";
}

constexpr std::string_view kNeverBroken = "it refuses, and no graph is drawn to break it";

// Whether a rule refuses graphs and no must-reject case breaks it.
bool IsNeverBroken(const legality::Rule& rule) {
  if (rule.ruling != legality::Ruling::kReject) return false;
  return std::ranges::none_of(RuleBreaks(), [&](const RuleBreak& broken) {
    return broken.rule == rule.id || broken.restated_by.find(rule.id) != std::string_view::npos;
  });
}

class Space {
 public:
  using DTypes = std::bitset<kDTypeCount>;

  std::vector<CoverageCell> Build() {
    for (const OpDefinition* op : AllOps()) {
      if (RoutesOf(*op) == RouteSet::kNone) continue;
      drawn_.push_back(op);
      for (const Parameter& parameter : op->schema.parameters) AddParameter(*op, parameter);
    }
    AddSampled();
    for (const std::string_view extent :
         {"one", "power of two", "next to a power", "odd", "even", "large"}) {
      Add("shape", fmt::format("all.extent={}", extent));
    }
    for (const std::string_view value :
         {"zero", "negative zero", "subnormal", "fraction", "integer to 2048", "to 32752",
          "above 32752", "infinite", "nan"}) {
      Add("value", fmt::format("all.input={}", value));
    }
    for (const legality::Rule& rule : legality::Rules::Builtin().rules()) {
      if (!IsNeverBroken(rule)) Add("rule", rule.id);
    }
    std::ranges::sort(cells_);
    cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
    return std::move(cells_);
  }

 private:
  void Add(std::string_view kind, std::string cell) {
    const bool excluded = std::ranges::any_of(kExcluded, [&](const ExcludedCell& each) {
      return each.kind == kind && each.cell == cell;
    });
    if (excluded) return;
    cells_.push_back({std::string(kind), std::move(cell)});
  }

  void AddParameter(const OpDefinition& op, const Parameter& parameter) {
    const std::string name = fmt::format("{}.{}", op.schema.name, parameter.name);
    const auto add = [&](std::string_view what) {
      Add("op_attribute", fmt::format("{}={}", name, what));
    };
    if (parameter.need == Need::kOptional) add("absent");
    if (IsTensorKind(parameter.kind)) {
      const bool constant = parameter.constant || std::ranges::count(kConstantAlone, name) != 0;
      add(IsState(op, parameter) ? "state" : constant ? "constant" : "computed");
    } else if (parameter.kind == ParameterKind::kBool) {
      add("true");
      add("false");
    } else if (parameter.kind == ParameterKind::kString && !parameter.choices.empty()) {
      for (const std::string_view choice : parameter.choices) add(choice);
    } else {
      add("given");
    }
  }

  // Returns options for drawing graphs of only this operation.
  static GeneratorOptions Alone(const OpDefinition& op) {
    GeneratorOptions options;
    options.max_nodes = 2;
    options.ops.reset();
    options.ops.set(op.schema.id);
    options.family = 7;
    if (!Has(RoutesOf(op), Route::kMil)) {
      options.direct = true;
      options.spelt = NetlistOps();
    }
    return options;
  }

  // The cells that graphs of one operation show.
  struct Shown {
    DTypes dtypes;  // the types of its results
    // How often each class of a parameter occurs.
    std::map<std::pair<size_t, uint32_t>, uint64_t> classes;

    void Add(const Graph& graph, const Node& node) {
      for (uint32_t i = 0; i < node.result_count; ++i) {
        dtypes.set(static_cast<size_t>(graph.type(node.first_result + i).dtype));
      }
      for (const Attribute& attribute : graph.attributes(node)) {
        const auto value = AttributeClass(graph, attribute);
        if (value) ++classes[{attribute.parameter, *value}];
      }
    }
  };

  static Shown Sample(const OpDefinition& op) {
    GeneratorOptions options = Alone(op);
    Shown shown;
    Graph graph;
    for (uint64_t seed = 0; seed < kSamples; ++seed) {
      options.mode = kSampledModes[seed % std::size(kSampledModes)];
      ChoiceStream choices = ChoiceStream::FromSeed(seed);
      GenerateGraph(choices, options, graph);
      for (const Node& node : graph.nodes()) {
        if (node.schema == &op.schema) shown.Add(graph, node);
      }
    }
    return shown;
  }

  void AddClasses(const OpSchema& schema, const Shown& shown) {
    for (const auto& [key, count] : shown.classes) {
      const auto& [parameter, value] = key;
      if (count < kLeastDrawn) continue;
      Add("attribute_value", fmt::format("{}.{}={}", schema.name, schema.parameters[parameter].name,
                                         AttributeClassName(value)));
    }
  }

  // Whether every operand is a constant, so that the result is also a constant.
  static bool IsConstantExpression(const OpDefinition& op) {
    return std::ranges::all_of(op.schema.parameters, [](const Parameter& parameter) {
      return !IsTensorKind(parameter.kind) || parameter.constant;
    });
  }

  static bool Takes(const OpDefinition& op, const DTypes& given, bool constants) {
    return std::ranges::any_of(op.schema.parameters, [&](const Parameter& parameter) {
      if (!IsTensorKind(parameter.kind) || (parameter.constant && !constants)) return false;
      if (IsState(op, parameter)) return false;
      for (size_t i = 0; i < kDTypeCount; ++i) {
        if (given.test(i) && parameter.dtypes.Contains(static_cast<DType>(i))) return true;
      }
      return false;
    });
  }

  // Adds the cells that need drawn samples. These are the classes of numbers, and the pairs, which
  // depend on the types that producers return.
  void AddSampled() {
    for (const OpDefinition* producer : drawn_) {
      const Shown shown = Sample(*producer);
      AddClasses(producer->schema, shown);
      for (const OpDefinition* consumer : drawn_) {
        const bool constants = IsConstantExpression(*producer) && IsConstantExpression(*consumer);
        const bool together = (RoutesOf(*producer) & RoutesOf(*consumer)) != RouteSet::kNone;
        if (!together || !Takes(*consumer, shown.dtypes, constants)) continue;
        Add("op_pair", fmt::format("{}>{}", producer->schema.name, consumer->schema.name));
      }
    }
  }

  std::vector<const OpDefinition*> drawn_;
  std::vector<CoverageCell> cells_;
};

constexpr std::string_view kAimedKinds[] = {"attribute_value", "op_attribute", "op_pair"};

// Returns the operation or the pair that a cell names ("conv.groups=one", "conv>relu").
std::vector<const OpDefinition*> OpsOf(const CoverageCell& cell) {
  if (std::ranges::count(kAimedKinds, cell.kind) == 0) return {};
  const size_t arrow = cell.cell.find('>');
  const OpDefinition* first = FindOp(cell.cell.substr(0, cell.cell.find_first_of(".>")));
  const OpDefinition* second =
      arrow == std::string::npos ? first : FindOp(cell.cell.substr(arrow + 1));
  if (first == nullptr || second == nullptr) return {};
  return {first, second};
}

// Returns the content required of a case that aims at a cell of these operations. `ops` is a pair,
// or one operation twice.
Aim AimAtOps(std::string_view kind, const OpChain& ops) {
  Aim aim;
  if (kind == "op_pair") {
    aim.chain = ops;
    return aim;
  }
  aim.ops.reset();
  // Generators clip computed operands, and take magnitudes of divisors and exponents, so clip and
  // abs are needed too.
  for (const OpKind op : {ops.producer, OpKind::kClip, OpKind::kAbs}) {
    aim.ops.set(static_cast<size_t>(op));
  }
  return aim;
}

bool IsReached(const OpDefinition& op, int family, Route route) {
  if (!Has(RoutesOf(op), route)) return false;
  // Every family has the layers that only direct authoring reaches.
  if (route == Route::kNetlist) return op.family_floor <= family || op.family_floor == kNoFamily;
  const auto reach = ReachOn(op.schema.name, family);
  const bool gated = reach && *reach != Reach::kNative && *reach != Reach::kBridge;
  return op.family_floor <= family && !gated;
}

// Bit f is set if both operations are reached on family index f by that route.
uint32_t FamiliesOf(const OpDefinition& first, const OpDefinition& second, Route route) {
  constexpr int kFamilies = 8;
  uint32_t families = 0;
  for (int family = 0; family < kFamilies; ++family) {
    const bool reached = IsReached(first, family, route) && IsReached(second, family, route);
    if (reached) families |= uint32_t{1} << family;
  }
  return families;
}

std::vector<ExcludedCell> Excluded() {
  // The rules' ids live as long as the rules.
  std::vector<ExcludedCell> excluded(std::begin(kExcluded), std::end(kExcluded));
  for (const OpDefinition* op : AllOps()) {
    const std::string_view reason = WhyNotDrawn(*op);
    if (!reason.empty()) excluded.push_back({"op_attribute", op->schema.name, reason});
  }
  for (const legality::Rule& rule : legality::Rules::Builtin().rules()) {
    if (IsNeverBroken(rule)) excluded.push_back({"rule", rule.id, kNeverBroken});
  }
  return excluded;
}

}  // namespace

std::span<const ExcludedCell> ExcludedCells() {
  static const std::vector<ExcludedCell> excluded = Excluded();
  return excluded;
}

const std::vector<CoverageCell>& CoverageSpace() {
  static const std::vector<CoverageCell> space = Space().Build();
  return space;
}

std::optional<Aim> AimAt(const CoverageCell& cell) {
  const auto ops = OpsOf(cell);
  if (ops.empty()) return std::nullopt;
  Aim aim = AimAtOps(cell.kind, {KindOf(ops[0]->schema), KindOf(ops[1]->schema)});
  aim.routes = RoutesOf(*ops[0]) & RoutesOf(*ops[1]);
  return aim;
}

Steering::Steering() {
  for (const CoverageCell& cell : CoverageSpace()) {
    const auto ops = OpsOf(cell);
    if (ops.empty()) continue;
    const OpChain chain = {KindOf(ops[0]->schema), KindOf(ops[1]->schema)};
    goals_.push_back({cell,
                      chain,
                      {FamiliesOf(*ops[0], *ops[1], Route::kMil),
                       FamiliesOf(*ops[0], *ops[1], Route::kNetlist)}});
  }
}

void Steering::Meet(std::string_view kind, std::string_view cell, uint64_t case_index) {
  const CoverageCell key = {std::string(kind), std::string(cell)};
  const auto goal = std::ranges::lower_bound(goals_, key, {}, &Goal::cell);
  if (goal == goals_.end() || goal->cell != key || goal->met <= case_index) return;
  goal->met = case_index;
  for (Open& open : open_) {
    if (open.known && case_index < *open.known) open.known.reset();
  }
}

const Steering::Open& Steering::OpenTo(int family, bool direct, uint64_t known) {
  Open& open = open_[2 * (static_cast<size_t>(family) % kFamilies) + (direct ? 1 : 0)];
  if (open.known == known) return open;
  open = {known, {}, 0};
  for (size_t i = 0; i < goals_.size(); ++i) {
    const Goal& goal = goals_[i];
    if (goal.met < known || (goal.families[direct ? 1 : 0] >> family & 1) == 0) continue;
    open.singles += goal.cell.kind == "op_pair" ? 0 : 1;
    open.goals.push_back(static_cast<uint32_t>(i));
  }
  return open;
}

Aim Steering::AimFor(uint64_t index, uint64_t seed, uint64_t known, int family, bool direct) {
  const uint64_t draw = MixBits(seed ^ MixBits(index + 0x51ee2));
  if (draw % kSteerEvery != 0) return {};
  const Open& open = OpenTo(family, direct, known);
  if (open.goals.empty()) return {};
  const bool single =
      open.singles > 0 && (open.singles == open.goals.size() || MixBits(draw) % kSingleEvery == 0);
  const std::span<const uint32_t> goals = single ? std::span(open.goals).first(open.singles)
                                                 : std::span(open.goals).subspan(open.singles);
  const Goal& goal = goals_[goals[MixBits(draw + 1) % goals.size()]];
  return AimAtOps(goal.cell.kind, goal.ops);
}

}  // namespace anecheck
