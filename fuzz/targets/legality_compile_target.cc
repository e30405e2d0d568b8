// Compares the legality oracle with the simulated compiler, two implementations of the same rules.
// No layer of the oracle refuses a graph that the engine compiles. The engine compiles every graph
// whose nodes all layers admit, unless it has no kernel for an operation. The input is a choice
// stream. Graphs are drawn for one family and compiled for another. About half of the graphs have
// only operations that the chip lacks, so that gated operations are tested. The engine has the
// documented defects and the limits of the newest compilers, because the rules include the defects
// and limits for which a compiler refuses graphs.
#include <algorithm>
#include <bitset>
#include <iterator>
#include <span>
#include <string>

#include "fuzz/fuzz_target.h"
#include "fuzz/laws/laws.h"
#include "fuzz/targets/conforming_engine.h"
#include "fuzz/targets/drawn_graph.h"
#include "harness/device/executable_builder.h"
#include "harness/device/target.h"
#include "harness/ops/op.h"
#include "harness/targets/catalog.h"
#include "oracles/legality/legality.h"

namespace anecheck::fuzz {
namespace {

constexpr auto kLaws = LawList(
    "the catalogue has every operation of the table", "the rules and the engine know the target",
    "a graph that the engine compiles is not refused", "a graph that every layer admits compiles");
using Laws = LawBook<kLaws>;

constexpr std::string_view kTargets[] = {"h13", "h14", "h15", "h16", "h17s"};

// A difference between the rules and the engine. It exists because the two follow different
// sources. `why` names both sources.
struct KnownDifference {
  std::string_view rule, why;
  std::string_view op = {};                // set if the difference concerns only this operation
  std::span<const int> held_by_both = {};  // families to which the exception does not apply
};
constexpr int kTopKBandFamilies[] = {device::kFamilyA13, device::kFamilyA17};
constexpr std::string_view kNewestCompiler =
    "facts/silicon/compile_limits_silicon.csv of the compiler 10.26.6; the engine holds its limits "
    "on types, not its list of operations";
constexpr KnownDifference kKnownDifferences[] = {
    {"cast_to_int32_a13", "appendix A of the public guide against the spellings that run"},
    {"conv_kernel_height_input",
     "facts/compile_envelope.csv, chapter 17, of conv on one M1; the engine has no such limit",
     "conv"},
    {"unsupported_mil_operation", kNewestCompiler},
    {"lrn_channels", "facts/more/limits_plus.csv names A16 and later, known_defects.csv A13 alone"},
    {"reduction_axes", "facts/more/limits_plus.csv; the engine has no such limit"},
    {"top_k_band",
     "facts/known_defects.csv D17, seen on A13 and A17: the engine has it there alone, the rule on "
     "the families between and after as well",
     {},
     kTopKBandFamilies},
    {"transpose_rank_5", "seen on one M5; the engine has it as P12, which no family switches on"},
};

bool IsKnownDifference(std::string_view rule, std::string_view op, int family) {
  return std::ranges::any_of(kKnownDifferences, [&](const KnownDifference& known) {
    return known.rule == rule && (known.op.empty() || known.op == op) &&
           std::ranges::find(known.held_by_both, family) == known.held_by_both.end();
  });
}

// The ruling of the layers for a graph. It is the ruling for the first refused node, or that all
// layers admit the graph.
struct Opinion {
  bool refused = false;
  bool sure = true;  // every layer gave a definite ruling
  std::string words;
};

Opinion Ask(const Graph& graph, const Target& target, int family) {
  Opinion opinion;
  for (const Node& node : graph.nodes()) {
    const auto verdict =
        legality::Judge(legality::InstanceOf(NodeView(graph, node)), target, Route::kMil);
    Laws::Require(verdict.ok(), "the catalogue has every operation of the table",
                  verdict.ok() ? "" : verdict.error().message);
    const legality::LayerVerdict* stopper = verdict->Stopper();
    if (stopper != nullptr && IsKnownDifference(stopper->rule, verdict->op, family)) {
      opinion.sure = false;
      continue;
    }
    if (stopper != nullptr && stopper->ruling == legality::Ruling::kReject) {
      opinion.refused = true;
      opinion.words = verdict->op + ": " + stopper->rule + ": " + stopper->reason;
      return opinion;
    }
    opinion.sure &= stopper == nullptr;
    for (const auto& layer : verdict->layers) opinion.sure &= layer.open.empty();
  }
  return opinion;
}

struct Case {
  std::string_view target;
  Graph graph;
};

// Returns the operations that exist only on families later than `family`.
std::bitset<kOpCount> LaterThan(int family) {
  std::bitset<kOpCount> later;
  for (const OpDefinition* op : AllOps()) {
    later.set(op->schema.id, op->family_floor != kNoFamily && op->family_floor > family);
  }
  return later;
}

Case DrawCase(ChoiceStream& choices) {
  Case drawn;
  drawn.target = kTargets[choices.Below(std::size(kTargets))];
  const int family = static_cast<int>(2 + choices.Below(6));
  GeneratorOptions options = DrawGraphOptions(choices, family, 4);
  const auto lacked = LaterThan(device::FindTarget(drawn.target)->family);
  if (choices.Coin() && lacked.any()) {
    // Draws only gated operations. They are few, so a random graph is rarely refused.
    options.family = device::kFamilyA18;
    options.ops = lacked;
  }
  drawn.graph = DrawGraph(choices, options);
  return drawn;
}

bool Check(ByteSpan input) {
  ChoiceStream choices = ChoiceStream::FromBytes(input);
  const auto [name, graph] = DrawCase(choices);
  const std::string mil = GraphToMil(graph).value();
  device::CompileSettings settings = ConformingSettings(name);
  settings.quirks.SetAll(device::QuirkState::kFamilyDefault);
  settings.newest_compiler = true;
  const auto programs = device::CompileProgram(mil, settings, device::Backend::kAne);
  const auto target = TargetCatalog::Builtin().Find(name);
  Laws::Require(target.ok(), "the rules and the engine know the target", name);
  const Opinion opinion = Ask(graph, **target, device::FindTarget(name)->family);
  if (programs.ok()) {
    Laws::Require(!opinion.refused, "a graph that the engine compiles is not refused",
                  opinion.words + "\n" + mil);
    return true;
  }
  if (device::IsNoKernel(programs.error())) return true;
  Laws::Require(opinion.refused || !opinion.sure, "a graph that every layer admits compiles",
                programs.error().message + "\n" + mil);
  return true;
}

}  // namespace

extern const FuzzTarget kTarget_legality_compile;
const FuzzTarget kTarget_legality_compile = {
    .name = "legality_compile",
    .check = Check,
    .laws = kLaws,
    .generate = DrawChoiceBytes,
    .draw = [](ChoiceStream& choices) { (void)DrawCase(choices); }};

}  // namespace anecheck::fuzz
