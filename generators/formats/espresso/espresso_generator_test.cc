// Checks the properties that every generator must have (GeneratorLaws) on the espresso format, with
// generated and damaged files, and compares the text of one file with a golden file.
#include "generators/formats/espresso/espresso_generator.h"

#include "generators/formats/common/testing/generator_laws_suite.h"
#include "harness/formats/espresso/espresso.h"

namespace anecheck::testing {

INSTANTIATE_TEST_SUITE_P(Espresso, GeneratorLaws,
                         ::testing::Values(LawSubject{
                             .format = &kFormat_espresso,
                             .generator = &kGenerator_espresso,
                             .golden = "generators/formats/espresso/golden_seed_7.txt"}),
                         SubjectName);

}  // namespace anecheck::testing
