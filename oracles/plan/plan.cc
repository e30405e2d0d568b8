#include "oracles/plan/plan.h"

#include <algorithm>

#include "oracles/legality/instance.h"
#include "oracles/plan/dispatch.h"
#include "oracles/plan/rewrite.h"

namespace anecheck::plan {
namespace {

using legality::LayerVerdict;
using legality::Outcome;
using legality::Ruling;
using legality::Verdict;

constexpr std::string_view kFateNames[] = {"native", "folded",    "streamed", "decomposed", "cut",
                                           "bridge", "elsewhere", "rejected", "unknown"};

Fate FateOfDecomposed(const LayerVerdict& asked) {
  if (asked.rule == "folded") return Fate::kFolded;
  if (asked.rule == "other_backend" || asked.rule == "nms_backend") return Fate::kElsewhere;
  // An operation that only the compiler makes is here because a rewrite made it.
  if (asked.rule == "inside_the_compiler") return Fate::kNative;
  return Fate::kDecomposed;
}

// The rule of targets whose front end takes no MIL text: there is no program to cut a bridge into.
constexpr std::string_view kNoProgramAtAll = "mil_needs_h13";

// Whether the direct route admits an operation that conversion refuses.
bool IsBridge(const Verdict& refused, const legality::Instance& instance, const Target& target,
              const PlanOptions& options) {
  if (options.route != Route::kMil) return false;
  const LayerVerdict* stopper = refused.Stopper();
  if (stopper != nullptr && stopper->rule == kNoProgramAtAll) return false;
  const auto direct = legality::Judge(instance, target, Route::kNetlist, options.order);
  return direct.ok() &&
         (direct->outcome == Outcome::kNative || direct->outcome == Outcome::kDecomposed);
}

void Explain(const LayerVerdict& verdict, Layer& layer) {
  layer.rule = verdict.rule;
  layer.reason = verdict.reason;
  layer.source = verdict.source;
}

Fate FateOf(const Verdict& verdict, const NodeView& node, const legality::Instance& instance,
            const Target& target, const PlanOptions& options, Layer& layer) {
  if (const LayerVerdict* asked = Decomposing(verdict)) Explain(*asked, layer);
  if (const LayerVerdict* stopper = verdict.Stopper()) Explain(*stopper, layer);
  switch (verdict.outcome) {
    case Outcome::kUnknown:
      return Fate::kUnknown;
    case Outcome::kRejected:
    case Outcome::kNoPath:
      return IsBridge(verdict, instance, target, options) ? Fate::kBridge : Fate::kRejected;
    case Outcome::kDecomposed:
      return FateOfDecomposed(*Decomposing(verdict));
    case Outcome::kNative:
      break;
  }
  if (node.op().starts_with("constexpr_")) return Fate::kStreamed;
  return CutsProgram(node.op()) ? Fate::kCut : Fate::kNative;
}

Layer MakeLayer(const Plan& plan, NodeId id, const std::string& origin, const Target& target,
                const PlanOptions& options) {
  const NodeView node(plan.lowered, id);
  Layer layer;
  layer.node = id;
  layer.op = node.op();
  layer.from = origin;
  layer.name = node.node().result_count > 0 ? plan.lowered.value(node.Result()).name : origin;
  const legality::Instance instance = legality::InstanceOf(node);
  const auto verdict = legality::Judge(instance, target, options.route, options.order);
  if (!verdict.ok()) {
    layer.fate = Fate::kUnknown;
    layer.reason = verdict.error().message;
    return layer;
  }
  layer.native_layer = verdict->native_layer;
  layer.fate = FateOf(*verdict, node, instance, target, options, layer);
  layer.weights = WeightsOf(node, target, options);
  return layer;
}

// The producer of a layer's only data operand if nothing else uses its result.
Layer* SoleProducer(Plan& plan, const Layer& layer, const std::vector<int>& uses) {
  const ValueId x = NodeView(plan.lowered, layer.node).Input(0);
  if (x == kNoValue || uses[x] != 1) return nullptr;
  const Value& value = plan.lowered.value(x);
  return value.kind == ValueKind::kResult ? &plan.layers[value.producer] : nullptr;
}

// A gain and an offset after a convolution go into the convolution's epilogue, so that the
// convolution has all four coefficient streams (specification 000, relocation registers; table
// 23.5).
void NameStreams(Plan& plan) {
  std::vector<int> uses(plan.lowered.values().size(), 0);
  for (const Node& node : plan.lowered.nodes()) {
    for (const Argument& argument : plan.lowered.arguments(node)) ++uses[argument.value];
  }
  for (const ValueId output : plan.lowered.outputs()) ++uses[output];
  for (Layer& layer : plan.layers) {
    if (layer.op != "pe_goc") continue;
    Layer* before = SoleProducer(plan, layer, uses);
    if (before == nullptr || before->op != "conv" || !before->weights) continue;
    before->streams = {"bias 0x1554", "post-scale 0x1558", "palette table 0x155c",
                       "activation table 0x1560"};
    layer.rule = "folded_batch_norm";
    layer.reason = "folded into the coefficient streams of " + before->name;
    layer.source = "specification 000, table 23.5";
  }
}

}  // namespace

std::string_view FateName(Fate fate) { return kFateNames[static_cast<size_t>(fate)]; }

bool Plan::compiles() const {
  return compiles_with_bridges() &&
         std::ranges::none_of(layers, [](const Layer& l) { return l.fate == Fate::kBridge; });
}

bool Plan::compiles_with_bridges() const {
  return std::ranges::none_of(layers, [](const Layer& layer) {
    return layer.fate == Fate::kRejected || layer.fate == Fate::kUnknown;
  });
}

bool IsNeeded(const Rewrite& rewrite) {
  return rewrite.occasion == Occasion::kHost && rewrite.rule != "inlined" &&
         rewrite.no_graph.empty();
}

Result<Plan> PlanLowering(const Graph& graph, const Target& target, const PlanOptions& options) {
  Plan plan;
  plan.target = target.compiler_name;
  plan.route = options.route;
  Rewriter rewriter(graph, target, options);
  ANECHECK_RETURN_IF_ERROR(rewriter.Run(true));
  plan.program = rewriter.graph();
  ANECHECK_RETURN_IF_ERROR(rewriter.ShareStates(plan.states));
  ANECHECK_RETURN_IF_ERROR(rewriter.Run(false));
  plan.lowered = rewriter.graph();
  plan.rewrites = std::move(rewriter.rewrites());
  for (NodeId id = 0; id < plan.lowered.nodes().size(); ++id) {
    plan.layers.push_back(MakeLayer(plan, id, rewriter.origins()[id], target, options));
  }
  NameStreams(plan);
  CutIntoDispatches(plan);
  return plan;
}

}  // namespace anecheck::plan
