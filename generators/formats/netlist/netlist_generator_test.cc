// The laws of the netlist format over generated and damaged files, and the golden text of one.
#include "generators/formats/netlist/netlist_generator.h"

#include "generators/formats/common/testing/generator_laws_suite.h"
#include "harness/formats/netlist/netlist_format.h"

namespace anecheck::testing {

INSTANTIATE_TEST_SUITE_P(Netlist, GeneratorLaws,
                         ::testing::Values(LawSubject{
                             .format = &kFormat_netlist,
                             .generator = &kGenerator_netlist,
                             .golden = "generators/formats/netlist/golden_seed_7.txt"}),
                         SubjectName);

}  // namespace anecheck::testing
