// The laws of the weightunit format over generated and damaged units, and the golden text of one.
#include "generators/formats/weightunit/weightunit_generator.h"

#include <gtest/gtest.h>
#include <set>
#include <utility>

#include "generators/formats/common/testing/generator_laws_suite.h"
#include "harness/formats/weightunit/unit.h"

namespace anecheck {
namespace {

weightunit::Unit Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return weightunit::Parse(kGenerator_weightunit.generate(choices)).value();
}

TEST(WeightunitGenerator, MakesEveryFormWidthVectorAndSection) {
  std::set<std::pair<uint32_t, uint32_t>> forms_and_types;
  std::set<std::pair<uint32_t, uint32_t>> widths_and_vectors;
  std::set<uint32_t> sections;
  std::set<uint32_t> codebooks;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    const weightunit::Unit unit = Generated(seed);
    forms_and_types.insert({unit.form, unit.type});
    for (const weightunit::Section& section : unit.sections) sections.insert(section.id);
    if (unit.form != weightunit::kPalette) continue;
    widths_and_vectors.insert({unit.index_bits, unit.vector_size});
    codebooks.insert(unit.codebooks);
  }
  EXPECT_EQ(forms_and_types.size(), 8U) << "affine weights of two types, fp8 of two formats";
  EXPECT_EQ(widths_and_vectors.size(), 16U) << "widths 2, 4, 6, 8 by vectors of 1, 2, 4, 5";
  EXPECT_EQ(codebooks, (std::set<uint32_t>{1, 2}));
  EXPECT_EQ(sections.size(), weightunit::kSectionCount);
}

// What is generated has a meaning, not only a shape.
TEST(WeightunitGenerator, MakesWeightsThatTheCodecsRead) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const weightunit::Unit unit = Generated(seed);
    const auto weights = weightunit::ToWeights(unit);
    ASSERT_TRUE(weights.ok()) << seed << ": " << weights.error().message;
    EXPECT_EQ(kernelweights::Reconstruct(*weights).value().size(), unit.Count()) << seed;
  }
}

}  // namespace

namespace testing {

INSTANTIATE_TEST_SUITE_P(Weightunit, GeneratorLaws,
                         ::testing::Values(LawSubject{
                             .format = &kFormat_weightunit,
                             .generator = &kGenerator_weightunit,
                             .files_per_mutation = 80,
                             .damaged_seeds = {0, 1, 6, 7, 11},
                             .damage_stride = 5,
                             .golden = "generators/formats/weightunit/golden_seed_7.txt"}),
                         SubjectName);

}  // namespace testing
}  // namespace anecheck
