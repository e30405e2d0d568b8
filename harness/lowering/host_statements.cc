#include "harness/lowering/host_statements.h"

#include "harness/formats/mil/reader.h"

namespace anecheck {

bool MovesBuffer(mil::StatementView statement) {
  if (statement.op() == "tensor_to_tensor_buffer") {
    return statement.results().size() == 1 &&
           statement.results()[0].type().kind() == mil::TypeKind::kBuffer;
  }
  if (statement.op() != "tensor_buffer_to_tensor" || statement.results().size() != 1) return false;
  const auto input = mil::FindValue(statement.arguments(), "input");
  return input && input->kind() == mil::ValueKind::kName && input->IsResolved() &&
         input->binding().type().kind() == mil::TypeKind::kBuffer;
}

bool GivesLabels(mil::StatementView statement) { return statement.op() == "classify"; }

bool GivesLabels(const mil::Program& program) {
  for (uint32_t i = 0; i < program.statements.size(); ++i) {
    if (GivesLabels(mil::StatementView(&program, i))) return true;
  }
  return false;
}

}  // namespace anecheck
