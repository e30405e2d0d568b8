// Checks the properties that every generator must have (GeneratorLaws) on the netweights format,
// with generated and damaged files, and compares the text of one file with a golden file.
#include "generators/formats/netweights/netweights_generator.h"

#include "generators/formats/common/testing/generator_laws_suite.h"
#include "harness/formats/netweights/netweights_format.h"

namespace anecheck::testing {

INSTANTIATE_TEST_SUITE_P(Netweights, GeneratorLaws,
                         ::testing::Values(LawSubject{
                             .format = &kFormat_netweights,
                             .generator = &kGenerator_netweights,
                             .golden = "generators/formats/netweights/golden_seed_7.txt"}),
                         SubjectName);

}  // namespace anecheck::testing
