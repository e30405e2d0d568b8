// Colour in the output of commands on a terminal.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace anecheck {

enum class Colour : uint8_t { kRed, kGreen, kYellow };

// Returns `text` in a colour if standard output is a terminal with colours, else `text` unchanged.
// Colours are off if NO_COLOR is set and not empty (no-color.org), or if TERM is "dumb".
std::string Coloured(Colour colour, std::string_view text);

}  // namespace anecheck
