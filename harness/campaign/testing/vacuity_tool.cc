// Counts the nodes that reach no output in many cases of a campaign. Also counts, by operation and
// cause, the outputs that no change of the inputs moves beyond their bounds. It makes cases like a
// campaign and examines them with the independent check of oracles/testing/vacuity.h, which first
// applies the changes that each case carries as its proof, and then further changes.
//
// usage: anecheck_vacuity_tool CASES [SEED [MODE [FAMILY]]]
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <string>

#include "harness/campaign/campaign.h"
#include "oracles/testing/vacuity.h"

namespace anecheck {
namespace {

struct Counts {
  uint64_t cases = 0, outputs = 0, nodes = 0, dead = 0, failed = 0;
  uint64_t vacuous_cases = 0, vacuous = 0;
  std::map<std::string, uint64_t> by_op;
  std::map<std::string, std::string> example;  // the first case for each key of by_op
};

void Count(const Case& item, Evaluation& evaluation, Counts& counts) {
  ++counts.cases;
  // The values of a graph that must be refused are never judged.
  if (item.mode == CaseMode::kMustReject) return;
  counts.nodes += item.graph.nodes().size();
  counts.outputs += item.graph.outputs().size();
  counts.dead += testing::DeadNodes(item.graph).size();
  const auto vacuous =
      testing::FindVacuous(evaluation, item.graph, item.inputs,
                           ConformingContract(item.target.family), item.sensitivity.changes);
  counts.vacuous += vacuous.size();
  counts.vacuous_cases += vacuous.empty() ? 0 : 1;
  for (const testing::VacuousOutput& output : vacuous) {
    constexpr const char* kWhy[] = {"moves", "constant", "too wide", "not evaluated"};
    const std::string key = fmt::format("{:<28} {:<14} {}", output.op,
                                        kWhy[static_cast<size_t>(output.why)], ToText(item.mode));
    ++counts.by_op[key];
    counts.example.try_emplace(key, fmt::format("case {} output {}", item.index, output.output));
  }
}

int Main(int argc, char** argv) {
  CampaignOptions options;
  options.cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000;
  options.seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  if (argc > 3) {
    const auto mode = FindWord<CaseMode>(argv[3]);
    if (mode) options.modes.push_back(*mode);
  }
  const int family = argc > 4 ? std::atoi(argv[4]) : 2;
  options.targets.push_back({"h13", family});
  Counts counts;
  Evaluation evaluation;
  for (uint64_t index = 0; index < options.cases; ++index) {
    const Result<Case> item = MakeCase(options, index);
    if (!item.ok()) {
      fmt::print("case {}: {}\n", index, item.error().message);
      return 3;
    }
    Count(*item, evaluation, counts);
  }
  fmt::print("{} cases, {} nodes, {} dead; {} outputs, {} vacuous in {} cases\n", counts.cases,
             counts.nodes, counts.dead, counts.outputs, counts.vacuous, counts.vacuous_cases);
  for (const auto& [key, count] : counts.by_op) {
    fmt::print("{:>7} {}  ({})\n", count, key, counts.example[key]);
  }
  return counts.vacuous == 0 && counts.dead == 0 ? 0 : 1;
}

}  // namespace
}  // namespace anecheck

int main(int argc, char** argv) { return anecheck::Main(argc, argv); }
