#include "harness/ops/sheet.h"

#include <algorithm>

#include "harness/ops/sheet_table.h"

namespace anecheck {
namespace {

const OpSheet* FindIn(std::span<const OpSheet> sheets, std::string_view name) {
  const auto found = std::ranges::find(sheets, name, &OpSheet::name);
  return found == sheets.end() ? nullptr : &*found;
}

}  // namespace

std::string_view OpClassName(OpClass op_class) {
  constexpr std::array<std::string_view, 14> kNames = {"convolution, matrix multiply, and pooling",
                                                       "normalization",
                                                       "elementwise arithmetic",
                                                       "comparison and logical",
                                                       "activations",
                                                       "reduction",
                                                       "data movement and structural",
                                                       "image, resize, and texture",
                                                       "quantization and dtype",
                                                       "attention, control flow, and state",
                                                       "recurrent cells",
                                                       "trigonometric, special, and math",
                                                       "detection and sampling",
                                                       "native layers"};
  return kNames[static_cast<size_t>(op_class)];
}

std::string_view ReachName(Reach reach) {
  constexpr std::array<std::string_view, 4> kNames = {"native", "bridge", "family_gated",
                                                      "no_path"};
  return kNames[static_cast<size_t>(reach)];
}

std::span<const OpSheet> OpSheets() { return sheets::kWithSchema; }
std::span<const OpSheet> CataloguedOps() { return sheets::kNamesOnly; }

const OpSheet* FindSheet(std::string_view name) {
  const OpSheet* const found = FindIn(OpSheets(), name);
  return found != nullptr ? found : FindCataloguedOp(name);
}

const OpSheet* FindCataloguedOp(std::string_view name) { return FindIn(CataloguedOps(), name); }

std::optional<Reach> ReachOn(std::string_view name, int family) {
  const OpSheet* const sheet = FindSheet(name);
  if (sheet == nullptr || !sheet->reach || family < sheets::kA13) return std::nullopt;
  return (*sheet->reach)[static_cast<size_t>(std::min(family - sheets::kA13, 3))];
}

}  // namespace anecheck
