// Compares predictions from the rules alone with published results: the operation matrix (public
// guide, appendix A) and a sweep of one M5. Golden files list every cell that differs, with the
// rule that decides the prediction.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/file.h"
#include "harness/base/testing/test_data.h"
#include "harness/targets/catalog.h"
#include "oracles/legality/legality.h"

namespace anecheck::legality {
namespace {

using testing::SourcePath;

struct Published {
  std::string op, target, status;
};

std::vector<std::string> Cut(std::string_view text, char mark) {
  std::vector<std::string> parts;
  while (true) {
    const size_t at = text.find(mark);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// Returns the rows of published.csv whose source begins with this text. No field before the source
// contains a comma.
std::vector<Published> ReadPublished(std::string_view source) {
  const auto text = ReadTextFile(SourcePath("harness/evidence/data/published.csv"));
  std::vector<Published> rows;
  if (!text.ok()) return rows;
  for (const std::string& line : Cut(*text, '\n')) {
    const std::vector<std::string> fields = Cut(line, ',');
    if (fields.size() > 8 && line.find(source) != std::string::npos) {
      rows.push_back({fields[0], fields[1], fields[4]});
    }
  }
  return rows;
}

void ExpectListed(const std::string& listed, const char* name) {
  const auto golden = ReadTextFile(SourcePath(fmt::format("oracles/legality/testdata/{}", name)));
  ASSERT_TRUE(golden.ok()) << golden.error().message;
  EXPECT_EQ(listed, *golden) << "the differing cells; if they are right, put them in " << name;
}

TEST(PublishedMatrix, AtLeast95PercentOfCellsAreEqualAndTheOthersAreListed) {
  const std::vector<Published> cells = ReadPublished("(facts/op_device_matrix.csv)");
  ASSERT_EQ(cells.size(), 187u * 5);
  size_t equal = 0;
  std::string listed = "op,target,published,predicted,rule\n";
  for (const Published& cell : cells) {
    std::string rule;
    const auto predicted =
        ReachStatus(cell.op, **FindTarget(cell.target), FamilyOrder::kSpecification, &rule);
    ASSERT_TRUE(predicted.ok()) << predicted.error().message;
    if (*predicted == cell.status) {
      ++equal;
      continue;
    }
    if (rule.empty() && Rules::Builtin().Find(cell.op)->fields.contains("gates")) {
      rule = "weight_form_folds: its gates are open";
    }
    if (rule.empty() && Rules::Builtin().Find(cell.op)->fields.contains("supported")) {
      rule = "no_native_layer: a newer compiler has it";
    }
    EXPECT_FALSE(rule.empty()) << cell.op << " on " << cell.target << ": " << *predicted;
    listed += fmt::format("{},{},{},{},{}\n", cell.op, cell.target, cell.status, *predicted, rule);
  }
  EXPECT_GE(equal * 100, cells.size() * 95) << equal << " of " << cells.size();
  ExpectListed(listed, "matrix_differences.csv");
}

// The sweep states for each operation whether one probe of the operation compiled and ran.
// `not_implemented` and `compile_rejected` both count as not reached.
TEST(SweepOfM5, DiffersOnlyAsListed) {
  const std::vector<Published> cells = ReadPublished("(facts/silicon_sweep_m5.csv)");
  ASSERT_EQ(cells.size(), 166u);
  std::string listed = "op,swept,predicted,rule\n";
  for (const Published& cell : cells) {
    Instance instance;
    instance.op = cell.op;
    const auto verdict = Judge(instance, **FindTarget(cell.target), Route::kMil);
    ASSERT_TRUE(verdict.ok()) << verdict.error().message;
    const bool curated = verdict->at(Layer::kPlacement).rule == "curated_path";
    const bool predicted = !curated && (verdict->outcome == Outcome::kNative ||
                                        verdict->outcome == Outcome::kDecomposed);
    const bool swept = cell.status.starts_with("reachable");
    if (predicted == swept) continue;
    const LayerVerdict* stopper = verdict->Stopper();
    listed += fmt::format("{},{},{},{}\n", cell.op, cell.status, OutcomeName(verdict->outcome),
                          stopper != nullptr ? stopper->rule : "none refuses it");
  }
  ExpectListed(listed, "sweep_differences.csv");
}

// Specification 004: the two numberings of the families differ only from H16 on, above every floor.
TEST(FamilyOrder, DoesNotChangeThePredictionsOfTheMatrix) {
  for (const Published& cell : ReadPublished("(facts/op_device_matrix.csv)")) {
    const Target& target = **FindTarget(cell.target);
    EXPECT_EQ(*ReachStatus(cell.op, target, FamilyOrder::kPublicGuide),
              *ReachStatus(cell.op, target))
        << cell.op << " on " << cell.target;
  }
}

}  // namespace
}  // namespace anecheck::legality
