#include "harness/ops/device_matrix.h"

#include <algorithm>

namespace anecheck {
namespace {

using enum OpClass;

#define ANECHECK_DEVICE_ROW(name, op_class, a13, a14, a15, a16) \
  DeviceRow{#name, op_class, {Reach::a13, Reach::a14, Reach::a15, Reach::a16}},
constexpr DeviceRow kRows[] = {
#include "harness/ops/device_matrix.def"
};
#undef ANECHECK_DEVICE_ROW

#define ANECHECK_OP_WITHOUT_REFERENCE(name, op_class, reason) CataloguedOp{#name, op_class, reason},
constexpr CataloguedOp kCatalogued[] = {
#include "harness/ops/ops_without_reference.def"
};
#undef ANECHECK_OP_WITHOUT_REFERENCE

// A13 is the family of index 2, the first that the matrix has.
constexpr int kFirstFamily = 2;

}  // namespace

std::string_view ReachName(Reach reach) {
  constexpr std::array<std::string_view, 4> kNames = {"native", "bridge", "family_gated",
                                                      "no_path"};
  return kNames[static_cast<size_t>(reach)];
}

std::span<const DeviceRow> DeviceMatrix() { return kRows; }

const DeviceRow* FindDeviceRow(std::string_view name) {
  const auto* found = std::ranges::find(kRows, name, &DeviceRow::op);
  return found == std::end(kRows) ? nullptr : found;
}

std::optional<Reach> ReachOn(std::string_view name, int family) {
  const DeviceRow* row = FindDeviceRow(name);
  if (row == nullptr || family < kFirstFamily) return std::nullopt;
  return row->reach[static_cast<size_t>(std::min(family - kFirstFamily, 3))];
}

std::span<const CataloguedOp> CataloguedOps() { return kCatalogued; }

const CataloguedOp* FindCataloguedOp(std::string_view name) {
  const auto* found = std::ranges::find(kCatalogued, name, &CataloguedOp::name);
  return found == std::end(kCatalogued) ? nullptr : found;
}

}  // namespace anecheck
