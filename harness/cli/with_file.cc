#include "harness/cli/with_file.h"

#include <cctype>
#include <fmt/format.h>

namespace anecheck {

Error WithFile(const std::string& path, Error error) {
  if (!path.empty() && !error.message.starts_with(path + ":")) {
    error.message.insert(0, path + ": ");
  }
  return error;
}

std::string WithPlace(std::string_view message, uint64_t offset) {
  if (offset == Error::kNoOffset) return std::string(message);
  for (const std::string_view word : {"offset ", "at "}) {
    const std::string place = fmt::format("{}0x{:x}", word, offset);
    const size_t at = message.find(place);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = message.substr(at + place.size());
    if (rest.empty() || !std::isxdigit(static_cast<unsigned char>(rest.front()))) {
      return std::string(message);
    }
  }
  return fmt::format("{} (offset 0x{:x})", message, offset);
}

}  // namespace anecheck
