#include "harness/runners/runner.h"

#include <algorithm>
#include <array>

namespace anecheck {

std::string_view ProvenanceName(Provenance provenance) {
  constexpr std::array<std::string_view, 5> kNames = {"silicon", "simulated", "roundtrip",
                                                      "reported", "published"};
  return kNames[static_cast<size_t>(provenance)];
}

std::string_view RunStatusName(RunStatus status) {
  constexpr std::array<std::string_view, 9> kNames = {
      "ok",      "rejected",      "failed",       "crashed", "hung",
      "garbled", "memory-growth", "stray-output", "not-run"};
  return kNames[static_cast<size_t>(status)];
}

std::string_view MisconductName(MisconductKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"stray-output", "memory-growth", "slot-leak",
                                                      "garbled", "not-repeatable"};
  return kNames[static_cast<size_t>(kind)];
}

bool GivesSecond(const RunRequest& request) {
  if (!request.repeat || !request.again.empty()) return request.repeat;
  return std::ranges::any_of(request.graph->values(),
                             [](const Value& value) { return value.kind == ValueKind::kState; });
}

Error Stopped() {
  return MakeError(ErrorCode::kInterrupted, "the runner was stopped before its last case");
}

}  // namespace anecheck
