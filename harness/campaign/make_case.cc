#include "harness/campaign/campaign.h"
#include "harness/campaign/non_vacuous.h"
#include "harness/campaign/rejected_graph.h"
#include "harness/lowering/graph_to_mil.h"

namespace anecheck {
namespace {

uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The default mix: most cases where a wrong bit shows by equality, the rest spread over the cliffs.
constexpr CaseMode kMix[] = {
    CaseMode::kInteger,  CaseMode::kInteger,  CaseMode::kInteger,      CaseMode::kInteger,
    CaseMode::kFloat,    CaseMode::kFloat,    CaseMode::kFloat,        CaseMode::kFloat,
    CaseMode::kFloat,    CaseMode::kSpecial,  CaseMode::kCancellation, CaseMode::kCancellation,
    CaseMode::kBoundary, CaseMode::kBoundary, CaseMode::kInteger,      CaseMode::kFloat};

// One case in this many has a long axis: it costs as much as a hundred others.
constexpr uint64_t kLargeAxisEvery = 64;

// The modes that a run has to name are not among them: compressed, state, shape-ranges,
// must-reject, metamorphic.
CaseMode DrawMode(const CampaignOptions& options, ChoiceStream& choices) {
  if (!options.modes.empty()) return options.modes[choices.Below(options.modes.size())];
  if (choices.Below(kLargeAxisEvery) == 1) return CaseMode::kLargeAxis;
  return kMix[choices.Below(std::size(kMix))];
}

Status MakeRejected(ChoiceStream& choices, Case& item) {
  ANECHECK_ASSIGN(item.broken_rule, DrawRejected(choices, item.target.name, item.graph));
  item.inputs = GenerateInputs(choices, item.graph, item.mode);
  ANECHECK_ASSIGN(item.mil, GraphToMil(item.graph));
  return {};
}

}  // namespace

uint64_t CaseSeed(uint64_t run_seed, uint64_t index) {
  return Mix(Mix(run_seed + 0x9e3779b97f4a7c15) + index * 0xd1342543de82ef95);
}

Result<Case> MakeCase(const CampaignOptions& options, uint64_t index) {
  if (options.targets.empty()) return MakeError(ErrorCode::kInvalid, "no target was given");
  Case item;
  item.index = index;
  item.seed = CaseSeed(options.seed, index);
  item.target = options.targets[index % options.targets.size()];
  ChoiceStream choices = ChoiceStream::FromSeed(item.seed);
  item.mode = DrawMode(options, choices);
  GeneratorOptions generator;
  generator.family = item.target.family;
  generator.mode = item.mode;
  generator.ops = options.ops;
  if (item.mode == CaseMode::kMustReject) {
    ANECHECK_RETURN_IF_ERROR(MakeRejected(choices, item));
    return item;
  }
  GenerateGraph(choices, generator, item.graph);
  item.inputs = GenerateInputs(choices, item.graph, item.mode);
  // Only memory is kept from one case to the next.
  thread_local CaseRepair repair;
  ANECHECK_ASSIGN(item.witnesses,
                  repair.Run(choices, item.mode, ConformingContract(item.target.family), item.graph,
                             item.inputs));
  ANECHECK_ASSIGN(item.mil, GraphToMil(item.graph));
  return item;
}

}  // namespace anecheck
