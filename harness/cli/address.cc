#include "harness/cli/address.h"

#include <charconv>
#include <fmt/format.h>

#include "harness/formats/message.h"

namespace anecheck {

Result<uint64_t> ReadAddress(std::string_view option, std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view digits = hex ? text.substr(2) : text;
  uint64_t address = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), address, hex ? 16 : 10);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("{} {}: not an address; write it as 0x30000000", option, Shown(text)));
  }
  return address;
}

}  // namespace anecheck
