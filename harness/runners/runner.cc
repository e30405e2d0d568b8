#include "harness/runners/runner.h"

#include <algorithm>

namespace anecheck {

bool GivesSecond(const RunRequest& request) {
  if (!request.settings.repeat || !request.again.empty()) return request.settings.repeat;
  return std::ranges::any_of(request.graph->values(),
                             [](const Value& value) { return value.kind == ValueKind::kState; });
}

Error Stopped() {
  return MakeError(ErrorCode::kInterrupted, "the runner was stopped before its last case");
}

}  // namespace anecheck
