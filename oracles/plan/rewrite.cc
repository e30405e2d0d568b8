#include "oracles/plan/rewrite.h"

#include <algorithm>

#include "harness/graph/constant_values.h"
#include "oracles/legality/instance.h"
#include "oracles/legality/scope.h"

namespace anecheck::plan {
namespace {

using legality::Outcome;
using legality::Ruling;

// Every rewrite produces operations that need fewer rewrites; this limit is far above the longest
// chain.
constexpr int kMostPasses = 16;

bool Contains(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

// A constant of the old graph is copied when something first needs it.
void PlaceOperands(const Graph& from, const Node& node, Graph& to, std::vector<ValueId>& places) {
  for (const Argument& argument : from.arguments(node)) {
    const Value& value = from.value(argument.value);
    if (value.kind != ValueKind::kConst || places[argument.value] != kNoValue) continue;
    places[argument.value] = to.CopyConst(from, argument.value, value.name);
  }
}

std::vector<std::string> ResultNames(const NodeView& node) {
  std::vector<std::string> names;
  names.reserve(node.node().result_count);
  for (uint32_t i = 0; i < node.node().result_count; ++i) {
    names.push_back(node.graph().value(node.Result(i)).name);
  }
  return names;
}

// Tries the rewrite in a separate graph, so that a rewrite that fails leaves nothing behind.
Status HasGraph(const NodeView& node, int64_t cap, const Decomposition& entry) {
  Graph apart;
  ConstantValues constants(node.graph());
  std::vector<ValueId> places(node.graph().values().size(), kNoValue);
  for (const Argument& argument : node.graph().arguments(node.node())) {
    const ValueId id = argument.value;
    if (places[id] != kNoValue) continue;
    if (constants.Contains(id)) {
      constants.Copy(id, places, apart);
    } else {
      places[id] = apart.AddInput(node.graph().type(id));
    }
  }
  std::set<std::string, std::less<>> names;
  Builder out(apart, names, "apart");
  const auto made = entry.apply({node, places, out, cap});
  return made.ok() ? Status() : Status(made.error());
}

bool IsOutput(const Graph& graph, ValueId id) {
  return std::find(graph.outputs().begin(), graph.outputs().end(), id) != graph.outputs().end();
}

}  // namespace

std::string OperationName(const NodeView& node) {
  if (node.node().result_count > 0) return node.graph().value(node.Result(0)).name;
  const auto arguments = node.graph().arguments(node.node());
  return arguments.empty()
             ? std::string(node.op())
             : node.graph().value(arguments[0].value).name + "_" + std::string(node.op());
}

const legality::LayerVerdict* Decomposing(const legality::Verdict& verdict) {
  for (const legality::LayerVerdict& layer : verdict.layers) {
    if (layer.reached && layer.ruling == Ruling::kDecompose) return &layer;
  }
  return nullptr;
}

std::optional<WeightPlan> WeightsOf(const NodeView& node, const Target& target,
                                    const PlanOptions& options) {
  const legality::Instance instance = legality::InstanceOf(node);
  const legality::Operand* weight = instance.FindOperand("weight");
  if (weight == nullptr || !weight->constant) return std::nullopt;
  const legality::Rules& rules = legality::Rules::Builtin();
  const legality::CatalogueRow* row = rules.Find(instance.op);
  if (row == nullptr) return std::nullopt;
  const legality::InstanceScope scope(rules, *row, instance, target, options.route, options.order);
  const auto value = [&](std::string_view name) { return rules.Definition(name)->Evaluate(scope); };
  WeightPlan plan;
  plan.format = value("format").text;
  const legality::Value demand = value("demand"), cap = value("cap");
  if (demand.missing() || cap.missing()) {
    plan.unknown = demand.missing() ? demand.text : cap.text;
    return plan;
  }
  plan.streamed = value("streamable").truth();
  plan.bytes = static_cast<int64_t>(demand.number);
  plan.cap = static_cast<int64_t>(cap.number);
  if (plan.cap > 0) plan.parts = std::max<int64_t>(1, (plan.bytes + plan.cap - 1) / plan.cap);
  return plan;
}

Rewriter::Rewriter(const Graph& graph, const Target& target, const PlanOptions& options)
    : target_(target), options_(options), graph_(graph) {
  for (const Value& value : graph.values()) names_.insert(value.name);
  for (NodeId id = 0; id < graph.nodes().size(); ++id) {
    origins_.push_back(OperationName(NodeView(graph, id)));
    settled_.emplace_back();
  }
}

Result<Rewriter::Demand> Rewriter::DemandOn(const NodeView& node, size_t index, bool host_alone) {
  const legality::Instance instance = legality::InstanceOf(node);
  auto judged = legality::Judge(instance, target_, options_.route, options_.order);
  // An operation that the tables do not contain gets its verdict as a layer.
  if (!judged.ok()) return Demand{};
  const legality::Verdict& verdict = *judged;
  const legality::LayerVerdict* asked = Decomposing(verdict);
  Demand demand;
  const bool inlined = asked != nullptr && asked->rule == "inlined";
  const bool refused = verdict.outcome == Outcome::kNoPath || verdict.outcome == Outcome::kRejected;
  if (inlined || refused) {
    const legality::LayerVerdict* said = inlined ? asked : verdict.Stopper();
    demand = {FindDecomposition(node.op(), Occasion::kHost), 0, said->rule, said->reason};
    // The direct route has no compressed constants.
    if (demand.decomposition == nullptr && said->rule == "no_direct_route") {
      demand.decomposition =
          FindDecomposition(node.op(), Occasion::kDecompose, "weight_form_folds");
    }
  } else if (!host_alone) {
    if (asked != nullptr) {
      demand = {FindDecomposition(node.op(), Occasion::kDecompose, asked->rule), 0, asked->rule,
                asked->reason};
    }
    if (demand.decomposition == nullptr) {
      demand = {FindDecomposition(node.op(), Occasion::kAlways), 0, {}, {}};
    }
    const legality::LayerVerdict& memory = verdict.at(legality::Layer::kKernelMemory);
    if (demand.decomposition == nullptr && memory.ruling == Ruling::kSplit) {
      const auto weights = WeightsOf(node, target_, options_);
      demand = {FindDecomposition(node.op(), Occasion::kSplit), weights ? weights->cap : 0,
                memory.rule, memory.reason};
    }
  }
  const bool wanted = demand.decomposition != nullptr &&
                      (!host_alone || demand.decomposition->occasion == Occasion::kHost);
  if (!wanted || Contains(settled_[index], demand.rule)) return Demand{};
  return demand;
}

Result<bool> Rewriter::Replace(const NodeView& node, size_t index, const Demand& demand,
                               Graph& next, std::vector<ValueId>& places) {
  const Decomposition& entry = *demand.decomposition;
  Rewrite rewrite{OperationName(node),
                  std::string(node.op()),
                  entry.occasion,
                  demand.rule,
                  demand.reason,
                  std::string(entry.what),
                  std::string(entry.source),
                  {},
                  {}};
  const std::vector<std::string> names = ResultNames(node);
  const Status possible = HasGraph(node, demand.cap, entry);
  if (!possible.ok()) {
    if (possible.error().code != ErrorCode::kUnsupported) return possible.error();
    rewrite.no_graph = possible.error().message;
    settled_[index].push_back(demand.rule);
    rewrites_.push_back(std::move(rewrite));
    return false;
  }
  const size_t first_node = next.nodes().size();
  const size_t first_value = next.values().size();
  Builder out(next, names_, rewrite.name);
  const auto made = entry.apply({node, places, out, demand.cap});
  if (!made.ok()) return made.error();
  for (size_t i = 0; i < made->size(); ++i) {
    ValueId place = (*made)[i];
    const bool own = place >= first_value && next.value(place).kind == ValueKind::kResult &&
                     std::count(made->begin(), made->end(), place) == 1;
    // An output keeps its name, even if it is now another value.
    if (!own && IsOutput(node.graph(), node.Result(static_cast<uint32_t>(i)))) {
      place = out.Add("identity", {{"x", place}});
      ANECHECK_RETURN_IF_ERROR(out.status());
    } else if (!own) {
      places[node.Result(static_cast<uint32_t>(i))] = place;
      continue;
    }
    next.Rename(place, names[i]);
    places[node.Result(static_cast<uint32_t>(i))] = place;
  }
  for (NodeId id = static_cast<NodeId>(first_node); id < next.nodes().size(); ++id) {
    rewrite.into.push_back(OperationName(NodeView(next, id)));
  }
  rewrites_.push_back(std::move(rewrite));
  return true;
}

void Rewriter::Take(Graph next, std::vector<std::string> origins,
                    std::vector<std::vector<std::string>> settled) {
  graph_ = std::move(next);
  origins_ = std::move(origins);
  settled_ = std::move(settled);
}

Result<bool> Rewriter::Pass(bool host_alone) {
  Graph next;
  next.name = graph_.name;
  std::vector<ValueId> places(graph_.values().size(), kNoValue);
  for (ValueId id = 0; id < graph_.values().size(); ++id) {
    const Value& value = graph_.value(id);
    if (value.kind == ValueKind::kInput) places[id] = next.AddInput(value.type, value.name);
    if (value.kind == ValueKind::kState) places[id] = next.AddState(value.type, value.name);
  }
  std::vector<std::string> origins;
  std::vector<std::vector<std::string>> settled;
  bool changed = false;
  for (NodeId id = 0; id < graph_.nodes().size(); ++id) {
    const NodeView node(graph_, id);
    PlaceOperands(graph_, node.node(), next, places);
    ANECHECK_ASSIGN(const Demand demand, DemandOn(node, id, host_alone));
    bool replaced = false;
    if (demand.decomposition != nullptr) {
      ANECHECK_ASSIGN(replaced, Replace(node, id, demand, next, places));
    }
    if (!replaced) {
      Builder out(next, names_, OperationName(node));
      const ValueId first = out.Copy(node, places, ResultNames(node));
      ANECHECK_RETURN_IF_ERROR(out.status());
      for (uint32_t i = 0; i < node.node().result_count; ++i) places[node.Result(i)] = first + i;
    }
    changed = changed || replaced;
    std::vector<std::string> rules = settled_[id];
    // A compiler's rule does not rewrite its own product again.
    if (replaced && demand.decomposition->occasion == Occasion::kDecompose) {
      rules.push_back(demand.rule);
    }
    origins.resize(next.nodes().size(), origins_[id]);
    settled.resize(next.nodes().size(), rules);
  }
  for (const ValueId output : graph_.outputs()) {
    const Value& value = graph_.value(output);
    if (places[output] == kNoValue) {
      places[output] = next.CopyConst(graph_, output, value.name);
    }
    next.AddOutput(places[output]);
  }
  Take(std::move(next), std::move(origins), std::move(settled));
  return changed;
}

Status Rewriter::Run(bool host_alone) {
  for (int pass = 0; pass < kMostPasses; ++pass) {
    ANECHECK_ASSIGN(const bool changed, Pass(host_alone));
    if (!changed) return {};
  }
  return MakeError(ErrorCode::kInternal, "lowering: the rewrites do not come to an end");
}

}  // namespace anecheck::plan
