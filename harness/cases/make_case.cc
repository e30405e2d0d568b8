#include <algorithm>

#include "generators/repair/non_vacuous.h"
#include "harness/base/hash.h"
#include "harness/cases/case.h"
#include "harness/cases/drawn_ops.h"
#include "harness/cases/placement_cost.h"
#include "harness/cases/rejected_graph.h"
#include "harness/cases/shape_range.h"
#include "harness/lowering/graph_to_mil.h"
#include "harness/lowering/graph_to_netlist.h"
#include "harness/targets/catalog.h"
#include "oracles/contract.h"

namespace anecheck {
namespace {

// The default mix of modes. In most cases outputs must be equal, so that a wrong bit shows. The
// other cases cover the cliffs.
constexpr CaseMode kMix[] = {
    CaseMode::kInteger,  CaseMode::kInteger,  CaseMode::kInteger,      CaseMode::kInteger,
    CaseMode::kFloat,    CaseMode::kFloat,    CaseMode::kFloat,        CaseMode::kFloat,
    CaseMode::kFloat,    CaseMode::kSpecial,  CaseMode::kCancellation, CaseMode::kCancellation,
    CaseMode::kBoundary, CaseMode::kBoundary, CaseMode::kInteger,      CaseMode::kFloat};

// One case in this many has a long axis, because such a case costs as much as a hundred others.
constexpr uint64_t kLargeAxisEvery = 64;

// Draws a mode. The default mix lacks the modes that a run must name: compressed, state,
// shape-ranges, must-reject, metamorphic.
CaseMode DrawMode(const CampaignOptions& options, ChoiceStream& choices) {
  if (!options.modes.empty()) return options.modes[choices.Below(options.modes.size())];
  if (choices.Below(kLargeAxisEvery) == 1) return CaseMode::kLargeAxis;
  return kMix[choices.Below(std::size(kMix))];
}

// Most graphs are small, so that a case is cheap. One graph in this many may have kMostNodes nodes.
constexpr uint32_t kLongGraphsEvery = 32;

void DrawSizes(const CampaignOptions& options, ChoiceStream& choices, GeneratorOptions& generator) {
  constexpr int kMostNodes = 40;
  const bool is_long = choices.Chance(1, kLongGraphsEvery);
  if (options.small) {
    generator.max_elements = kSmallElements;
    generator.max_products = kSmallProducts;
  } else if (is_long) {
    generator.max_nodes = kMostNodes;
  }
}

bool MayBeIntegers(const std::optional<OpChain>& chain) {
  return !chain || (KeepsIntegers(chain->producer) && KeepsIntegers(chain->consumer));
}

// Whether the case may contain an operation whose results are integers if its operands are.
bool HasIntegers(const CampaignOptions& options, const Case& item) {
  if (options.ops.all()) return true;
  return std::ranges::any_of(AllOps(), [&](const OpDefinition* op) {
    return options.ops.test(op->schema.id) && KeepsIntegers(KindOf(op->schema)) &&
           IsDrawnByName(*op, item.target.family, item.route);
  });
}

// Whether no graph of integers could contain a requested operation.
bool CannotBeIntegers(const CampaignOptions& options, const Case& item) {
  if (ValuesOf(item.mode) == CaseMode::kInteger && !MayBeIntegers(options.chain)) return true;
  return item.mode == CaseMode::kInteger && !HasIntegers(options, item);
}

// Returns the mode by which the case's graph and values are drawn. Half of the metamorphic cases
// use integers, for which both graphs must return equal values. A hash of the seed selects these
// cases, so the case's other random choices do not change.
CaseMode DrawnMode(const CampaignOptions& options, const Case& item) {
  if (item.mode != CaseMode::kMetamorphic) return item.mode;
  const bool integers = MixBits(item.seed ^ 0x1f83d9abfb41bd6b) % 2 != 0;
  return integers && MayBeIntegers(options.chain) && HasIntegers(options, item) ? CaseMode::kInteger
                                                                                : item.mode;
}

// Returns a limit of the target in elements (facts/limits.csv), or `otherwise` if unknown.
int64_t LimitOf(const std::string& target, std::string_view name, int64_t otherwise) {
  const auto found = TargetCatalog::Builtin().Find(target);
  if (!found.ok()) return otherwise;
  const Known<uint64_t> limit = Limit(**found, name);
  return limit.known() ? static_cast<int64_t>(limit.value()) : otherwise;
}

// Returns the greatest extent of every axis except the channel axis.
int64_t LongestAxis(const std::string& target) {
  return LimitOf(target, "max_tensor_wh", GeneratorOptions().longest_axis);
}

// One case in kWorkingSetEvery has tensors of 64 KB or 2 MB. If the user names modes that test
// sizes, this is one case in kNamedWorkingSetEvery of these modes. One in k2MegabytesEvery of the
// cases with such tensors has 2 MB, because it costs as much as thousands of other cases.
constexpr uint64_t kWorkingSetEvery = 1024;
constexpr uint64_t kNamedWorkingSetEvery = 64;
constexpr uint64_t k2MegabytesEvery = 32;

// Whether the graph may begin with a large product.
bool MayBeWorthTheEngine(const CampaignOptions& options, CaseMode mode) {
  return !options.small && mode != CaseMode::kState && mode != CaseMode::kCompressed &&
         mode != CaseMode::kShapeRanges;
}

bool IsAboutSizes(CaseMode mode) {
  return mode == CaseMode::kBoundary || mode == CaseMode::kLargeAxis ||
         mode == CaseMode::kShapeRanges;
}

// A hash of the seed selects the working set, so other random choices do not change.
WorkingSet WorkingSetOf(const CampaignOptions& options, const Case& item) {
  const bool named = !options.modes.empty();
  if (options.small || options.chain || (named && !IsAboutSizes(item.mode))) {
    return WorkingSet::kSmall;
  }
  const uint64_t draw = MixBits(item.seed ^ 0x3c6ef372fe94f82b);
  const uint64_t every = named ? kNamedWorkingSetEvery : kWorkingSetEvery;
  if (draw % every != 0) return WorkingSet::kSmall;
  return draw / every % k2MegabytesEvery == 0 ? WorkingSet::k2Megabytes : WorkingSet::k64Kilobytes;
}

// Sets the longest extents. The conversion route has one limit for all axes, and network
// descriptions have one limit per axis.
void SetLimits(const Case& item, GeneratorOptions& generator) {
  const std::string& target = item.target.name;
  generator.longest_axis = LongestAxis(target);
  generator.most_channels = LimitOf(target, "max_tensor_c", generator.most_channels);
  generator.most_batch = LimitOf(target, "max_tensor_n", generator.most_batch);
  if (item.route == Route::kNetlist) return;
  generator.most_channels = std::min(generator.most_channels, generator.longest_axis);
  generator.most_batch = std::min(generator.most_batch, generator.longest_axis);
}

Status MakeRejected(ChoiceStream& choices, Case& item) {
  ANECHECK_ASSIGN(item.broken_rule, DrawRejected(choices, item.target.name, item.graph));
  item.inputs = GenerateInputs(choices, item.graph, item.mode);
  ANECHECK_ASSIGN(item.mil, GraphToMil(item.graph));
  return {};
}

// The maximum number of tries to draw a graph with a named operation. In one try the operation may
// fit no shape, and the generator then draws another operation instead.
constexpr int kTriesToHold = 32;

void DrawGraph(ChoiceStream& choices, const GeneratorOptions& generator, Graph& graph) {
  for (int i = 0; i < kTriesToHold; ++i) {
    GenerateGraph(choices, generator, graph);
    const auto wanted = [&](const Node& node) { return generator.ops.test(node.schema->id); };
    if (std::ranges::any_of(graph.nodes(), wanted)) return;
  }
}

// Draws the graph, the inputs and the proof that they can show an error, and writes the program.
Status DrawCase(ChoiceStream& choices, const GeneratorOptions& generator, Case& item,
                std::vector<Estimate>& expected) {
  DrawGraph(choices, generator, item.graph);
  item.inputs = GenerateInputs(choices, item.graph, generator.mode);
  // Thread-local only to reuse its memory. It keeps no state between cases.
  thread_local CaseRepair repair;
  ANECHECK_ASSIGN(item.sensitivity,
                  repair.Run(choices, generator.mode, ConformingContract(item.target.family),
                             item.graph, item.inputs, expected));
  return SpellCase(item);
}

// One case in this many, chosen by its seed, is executed a second time. Every case with states is
// also executed a second time, since only a second execution shows the content of states.
constexpr uint64_t kRepeatEvery = 16;

bool IsRepeated(const Case& item) {
  return item.seed % kRepeatEvery == 0 || !item.graph.ValuesOfKind(ValueKind::kState).empty();
}

// Half of the repeated cases take other inputs the second time. These inputs are known to move an
// output beyond its bound, so an engine that repeats its first results rarely passes.
std::vector<Tensor> InputsAgain(const Case& item) {
  const uint64_t draw = MixBits(item.seed ^ 0x9b05688c2b3e6c1f);
  const std::vector<Witness>& witnesses = item.sensitivity.witnesses;
  if (!IsRepeated(item) || draw % 2 == 0 || witnesses.empty()) return {};
  return item.sensitivity.changes[witnesses[draw / 2 % witnesses.size()].change];
}

}  // namespace

bool IsOfMilAlone(CaseMode mode) {
  return mode == CaseMode::kCompressed || mode == CaseMode::kState ||
         mode == CaseMode::kMustReject || mode == CaseMode::kMetamorphic;
}

Route RouteOfCase(const CampaignOptions& options, uint64_t index) {
  if (options.routes != RouteSet::kBoth) {
    return Has(options.routes, Route::kNetlist) ? Route::kNetlist : Route::kMil;
  }
  return index / options.targets.size() % 2 == 0 ? Route::kMil : Route::kNetlist;
}

uint64_t CaseSeed(uint64_t run_seed, uint64_t index) {
  return MixBits(MixBits(run_seed + kGoldenRatio64) + index * 0xd1342543de82ef95);
}

Case InPlaceOf(const Case& item) {
  Case other;
  other.index = item.index;
  other.seed = item.seed;
  other.target = item.target;
  other.mode = item.mode;
  other.route = item.route;
  return other;
}

Status SpellCase(Case& item) {
  ANECHECK_ASSIGN(MilProgram mil, GraphToMilProgram(item.graph));
  item.mil = std::move(mil.text);
  item.mil_weights = std::move(mil.weights);
  item.ranged_mil.clear();
  item.further.clear();
  if (item.range && !SpellRange(item).ok()) item.range.reset();
  if (item.route != Route::kNetlist) return {};
  ANECHECK_ASSIGN(NetlistProgram program, GraphToNetlist(item.graph));
  const auto bytes = netlist::Write(program.description);
  item.netlist.assign(bytes.begin(), bytes.end());
  item.netlist_weights = std::move(program.weights);
  return {};
}

RunRequest RequestOf(const Case& item) {
  RunRequest request = {item.index, item.target.name, item.mil, &item.graph, item.inputs};
  request.mil_weights = item.mil_weights;
  request.route = item.route;
  request.netlist = item.netlist;
  request.netlist_weights = item.netlist_weights;
  request.ranged_mil = item.ranged_mil;
  request.further = item.further;
  request.settings.repeat = IsRepeated(item);
  if (request.settings.repeat && !item.range) request.again = item.again;
  return request;
}

Result<Case> MakeCase(const CampaignOptions& options, uint64_t index,
                      std::vector<Estimate>* expected) {
  if (options.targets.empty()) return MakeError(ErrorCode::kInvalid, "no target was given");
  Case item;
  item.index = index;
  item.seed = CaseSeed(options.seed, index);
  item.target = options.targets[index % options.targets.size()];
  ChoiceStream choices = ChoiceStream::FromSeed(item.seed);
  item.mode = DrawMode(options, choices);
  if (!IsOfMilAlone(item.mode)) item.route = RouteOfCase(options, index);
  if (CannotBeIntegers(options, item)) item.mode = CaseMode::kFloat;
  GeneratorOptions generator;
  generator.family = IsAnyEngine(item.target.family) ? kNoFamily : item.target.family;
  generator.mode = DrawnMode(options, item);
  generator.ops = options.ops;
  generator.chain = options.chain;
  DrawSizes(options, choices, generator);
  if (item.mode == CaseMode::kMustReject) {
    ANECHECK_RETURN_IF_ERROR(MakeRejected(choices, item));
    return item;
  }
  generator.direct = item.route == Route::kNetlist;
  generator.spelt = generator.direct ? NetlistOps() : MilOps();
  generator.working_set = WorkingSetOf(options, item);
  if (options.least_saving_us > 0 && MayBeWorthTheEngine(options, item.mode)) {
    generator.working_set = WorkingSet::kProducts;
    generator.least_products = ProductsWorth(static_cast<double>(options.least_saving_us) / 1000);
  }
  const bool is_large = generator.working_set != WorkingSet::kSmall;
  if (is_large || item.mode == CaseMode::kShapeRanges) SetLimits(item, generator);
  std::vector<Estimate> found;
  ANECHECK_RETURN_IF_ERROR(DrawCase(choices, generator, item, found));
  if (expected != nullptr) *expected = std::move(found);
  if (item.mode == CaseMode::kShapeRanges && item.route == Route::kMil && !is_large) {
    item.range = DrawRange(choices, item.graph, item.target.name);
    if (item.range) ANECHECK_RETURN_IF_ERROR(SpellCase(item));
  }
  if (!item.range) item.again = InputsAgain(item);
  return item;
}

}  // namespace anecheck
