#include "harness/runners/analytics.h"

#include "harness/device/simulator_control.h"

namespace anecheck {

std::string BackendInAnalytics(std::string_view text) {
  constexpr std::string_view kKey = "SelectedBackend = string(\"";
  const size_t at = text.find(kKey);
  if (at == std::string_view::npos) return {};
  const size_t begin = at + kKey.size();
  const size_t end = text.find('"', begin);
  return end == std::string_view::npos ? std::string()
                                       : std::string(text.substr(begin, end - begin));
}

bool SaysSimulated(std::string_view text) {
  return text.find(ANECHECK_SIM_ANALYTICS_NAME) != std::string_view::npos;
}

}  // namespace anecheck
