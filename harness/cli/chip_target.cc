#include "harness/cli/chip_target.h"

#include "harness/targets/catalog.h"

namespace anecheck {
namespace {

// The text up to the next space, which is taken off `text`.
std::string_view NextWord(std::string_view& text) {
  const size_t end = text.find(' ');
  const std::string_view word = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return word;
}

// Whether "M1 Pro/Max/Ultra" names the chip of that generation and variant.
bool Names(std::string_view row, std::string_view generation, std::string_view variant) {
  if (NextWord(row) != generation) return false;
  std::string_view variants = NextWord(row);
  if (variant.empty() || variants.empty()) return variant == variants;
  while (!variants.empty()) {
    const size_t slash = variants.find('/');
    if (variants.substr(0, slash) == variant) return true;
    variants = slash == std::string_view::npos ? std::string_view() : variants.substr(slash + 1);
  }
  return false;
}

}  // namespace

std::string TargetOfChip(std::string_view chip) {
  if (NextWord(chip) != "Apple") return {};
  const std::string_view generation = NextWord(chip);
  const std::string_view variant = NextWord(chip);
  for (const Target& target : TargetCatalog::Builtin().targets()) {
    if (target.chips.known() && Names(target.chips.value(), generation, variant)) {
      return target.compiler_name;
    }
  }
  return {};
}

}  // namespace anecheck
