// Colour in the output of commands on a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace anecheck {

enum class Colour : uint8_t { kRed, kGreen, kYellow };

// `text` in a colour where standard output is a terminal that has some; elsewhere as it is. Off
// where NO_COLOR is set and not empty (no-color.org) or TERM is "dumb".
std::string Coloured(Colour colour, std::string_view text);

}  // namespace anecheck
