#include "harness/runners/analytics.h"

#include <algorithm>
#include <cctype>

#include "harness/device/simulator_control.h"

namespace anecheck {
namespace {

bool IsNameByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool HasWord(std::string_view text, std::string_view word) {
  for (size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at) {
    const size_t end = at + word.size();
    const bool begins = at == 0 || !IsNameByte(text[at - 1]);
    const bool ends = end == text.size() || !IsNameByte(text[end]);
    if (begins && ends) return true;
  }
  return false;
}

}  // namespace

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

bool SpeaksOf(std::string_view text, std::span<const std::string> ports,
              std::span<const std::string> operations) {
  const auto in_text = [&](const std::string& word) { return HasWord(text, word); };
  return std::ranges::all_of(ports, in_text) &&
         (operations.empty() || std::ranges::any_of(operations, in_text));
}

bool ProvesEngine(std::string_view text, std::span<const std::string> ports,
                  std::span<const std::string> operations) {
  return !operations.empty() && BackendInAnalytics(text) == kEngineBackend &&
         !SaysSimulated(text) && SpeaksOf(text, ports, operations);
}

bool SaysSimulated(std::string_view text) {
  return text.find(ANECHECK_SIM_ANALYTICS_NAME) != std::string_view::npos;
}

}  // namespace anecheck
