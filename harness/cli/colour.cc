#include "harness/cli/colour.h"

#include <cstdlib>
#include <fmt/format.h>
#include <unistd.h>

namespace anecheck {
namespace {

bool HasColour() {
  const char* off = std::getenv("NO_COLOR");
  if (off != nullptr && *off != 0) return false;
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !dumb && isatty(STDOUT_FILENO) == 1;
}

}  // namespace

std::string Coloured(Colour colour, std::string_view text) {
  // Bold, in the colours of ECMA-48 (SGR 31 to 33).
  if (!HasColour()) return std::string(text);
  return fmt::format("\x1b[1;{}m{}\x1b[0m", 31 + static_cast<int>(colour), text);
}

}  // namespace anecheck
