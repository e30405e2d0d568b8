// Checks the properties that every generator must have (GeneratorLaws) on the activation format,
// with generated and damaged files, and compares the text of one file with a golden file.
#include "generators/formats/activation/activation_generator.h"

#include "generators/formats/common/testing/generator_laws_suite.h"
#include "harness/formats/activation/record.h"

namespace anecheck::testing {

INSTANTIATE_TEST_SUITE_P(Activation, GeneratorLaws,
                         ::testing::Values(LawSubject{
                             .format = &kFormat_activation,
                             .generator = &kGenerator_activation,
                             .golden = "generators/formats/activation/golden_seed_7.txt"}),
                         SubjectName);

}  // namespace anecheck::testing
