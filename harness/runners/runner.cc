#include "harness/runners/runner.h"

#include <algorithm>

namespace anecheck {

bool GivesSecond(const RunRequest& request) {
  if (!request.settings.repeat || !request.again.empty()) return request.settings.repeat;
  return std::ranges::any_of(request.graph->values(),
                             [](const Value& value) { return value.kind == ValueKind::kState; });
}

bool SamePlacement(const RunReply& a, const RunReply& b) {
  const bool alike = (FirstElsewhere(a.plan) == nullptr) == (FirstElsewhere(b.plan) == nullptr);
  return alike && a.backend == b.backend;
}

Error Stopped() {
  return MakeError(ErrorCode::kInterrupted, "the runner was stopped before its last case");
}

}  // namespace anecheck
