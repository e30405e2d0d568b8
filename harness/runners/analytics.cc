#include "harness/runners/analytics.h"

#include "harness/device/simulator_control.h"

namespace anecheck {

std::string BackendInAnalytics(std::string_view text) {
  constexpr std::string_view kKey = "SelectedBackend = string(\"";
  std::string backend;
  for (size_t at = 0; (at = text.find(kKey, at)) != std::string_view::npos;) {
    at += kKey.size();
    const size_t end = text.find('"', at);
    if (end == std::string_view::npos) return {};
    const std::string_view named = text.substr(at, end - at);
    if (backend.empty() || backend == kEngineBackend) backend = named;
  }
  return backend;
}

bool SaysSimulated(std::string_view text) {
  return text.find(ANECHECK_SIM_ANALYTICS_NAME) != std::string_view::npos;
}

}  // namespace anecheck
