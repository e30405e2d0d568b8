#include "fuzz/words/words.h"
#include "harness/graph/types.h"
#include "harness/ops/op.h"

namespace anecheck::fuzz {

WordTables words::Operations() {
  WordTable names = {"operations"};
  WordTable arguments = {"arguments"};
  WordTable choices = {"choices"};
  for (const OpDefinition* op : AllOps()) {
    names.Text(op->schema.name);
    for (const Parameter& parameter : op->schema.parameters) {
      arguments.Text(parameter.name);
      for (const std::string_view choice : parameter.choices) choices.Text(choice);
    }
  }
  WordTable types = {"element_types"};
  for (size_t type = 0; type < kDTypeCount; ++type) {
    types.Text(DTypeName(static_cast<DType>(type)));
  }
  return {names, arguments, choices, types};
}

}  // namespace anecheck::fuzz
