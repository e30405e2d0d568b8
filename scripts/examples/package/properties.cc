// Properties over anecheck's graphs and files, as another project would write them.
#include <cstdio>
#include <rapidcheck.h>

#include "generators/rapidcheck/arbitrary.h"
#include "harness/formats/registry/registry.h"
#include "harness/graph/validate.h"
#include "harness/lowering/graph_to_mil.h"
#include "oracles/metamorphic/relation.h"
#include "oracles/oracle.h"

using anecheck::FileOf;
using anecheck::GraphCase;

int main() {
  // 1. Put your compiler's front end in place of GraphToMil.
  const bool lowered = rc::check("every graph has a MIL text", [](const GraphCase& item) {
    const auto mil = anecheck::GraphToMil(item.graph);
    RC_ASSERT(mil.ok());
    RC_ASSERT(mil->find("func main") != std::string::npos);
  });

  // 2. Put your engine's outputs in place of the estimate's own values.
  const bool evaluated = rc::check("values lie inside their bounds", [](const GraphCase& item) {
    const auto outputs =
        anecheck::Evaluate(item.graph, item.inputs, anecheck::ConformingContract(2));
    RC_PRE(outputs.ok());
    for (const anecheck::Estimate& output : *outputs) {
      for (size_t i = 0; i < output.value.size(); ++i) {
        RC_ASSERT(anecheck::Admits(output, i, output.value[i]));
      }
    }
  });

  // 3. Put your parser in place of the format's own.
  const bool parsed =
      rc::check("every hardware container is accepted", [](const FileOf<"hwx">& file) {
        const auto format = anecheck::FindFormat("hwx");
        RC_ASSERT(format.ok());
        const auto again = (*format)->rewrite(file.bytes);
        RC_ASSERT(again.ok());
        RC_ASSERT(*again == file.bytes);
      });

  // 4. Put your engine's outputs of both graphs in place of the estimates.
  const bool related = rc::check("a rewritten graph is one", [](const GraphCase& item) {
    const anecheck::Rewritten rewritten =
        anecheck::Rewrite(item.graph, *rc::gen::arbitrary<uint64_t>());
    RC_ASSERT(anecheck::ValidateGraph(rewritten.graph).ok());
    RC_ASSERT(rewritten.graph.outputs().size() >= item.graph.outputs().size());
  });
  const bool all = lowered && evaluated && parsed && related;
  std::puts(all ? "all properties hold" : "a property fails");
  return all ? 0 : 1;
}
