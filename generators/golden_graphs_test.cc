// The same choices give the same graphs with every compiler and build type and on every machine.
// golden_graphs.def has the hashes of these graphs.
#include <cstdint>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "generators/graph_generator.h"
#include "harness/base/hash.h"
#include "harness/graph/fingerprint.h"

namespace anecheck {
namespace {

struct GoldenGraphs {
  CaseMode mode;
  const char* name;
  int family;
  uint64_t prints;  // hash of the fingerprints of all graphs and of their inputs
};

constexpr GoldenGraphs kGolden[] = {
#define ANECHECK_GOLDEN(mode, family, prints) {CaseMode::mode, #mode, family, prints},
#include "generators/golden_graphs.def"
#undef ANECHECK_GOLDEN
};

constexpr uint64_t kGraphs = 64;

uint64_t Prints(CaseMode mode, int family) {
  Fnv1a prints;
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    ChoiceStream choices = ChoiceStream::FromSeed(seed);
    Graph graph;
    GenerateGraph(choices, {.family = family, .mode = mode}, graph);
    prints.AddWord(GraphFingerprint(graph));
    for (const Tensor& input : GenerateInputs(choices, graph, mode)) {
      prints.Add(std::span<const uint8_t>(input.bytes));
    }
  }
  return prints.value();
}

// If a change of the generator changes these hashes, check that all compilers give the same new
// hashes, and replace the old ones.
TEST(GoldenGraphs, SameSeedsSameGraphsEverywhere) {
  size_t differ = 0;
  std::string rows;
  for (const GoldenGraphs& golden : kGolden) {
    const uint64_t prints = Prints(golden.mode, golden.family);
    differ += prints == golden.prints ? 0 : 1;
    rows += fmt::format("ANECHECK_GOLDEN({}, {}, {:#018x})\n", golden.name, golden.family, prints);
  }
  EXPECT_EQ(differ, 0u) << "of " << std::size(kGolden) << " rows; now\n" << rows;
}

TEST(GoldenGraphs, EveryModeOfGraphsIsListedForEveryFamily) {
  // The list has all modes except must-reject, for A13 to A17.
  EXPECT_EQ(std::size(kGolden), (kCaseModeCount - 1) * 5);
}

}  // namespace
}  // namespace anecheck
