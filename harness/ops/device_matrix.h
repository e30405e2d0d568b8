// How far each operation of the public matrix gets on each generation, as published, and why some
// of them have no numeric reference. Campaigns prefer what is native; completeness tests compare
// the operation table with it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/ops/op.h"

namespace anecheck {

// The four marks of the public matrix (facts/op_device_matrix.csv).
enum class Reach : uint8_t {
  kNative,       // the conversion route reaches the engine
  kBridge,       // only through another route: direct authoring, the host, or inside the compiler
  kFamilyGated,  // from a later generation on
  kNoPath,       // not on the engine
};
std::string_view ReachName(Reach reach);

struct DeviceRow {
  std::string_view op;
  OpClass op_class = OpClass::kElementwise;
  std::array<Reach, 4> reach{};  // on A13, A14, A15, A16 and later
};

// All 187 rows, in the order of the matrix.
std::span<const DeviceRow> DeviceMatrix();
// Null where the matrix has no operation called `name`.
const DeviceRow* FindDeviceRow(std::string_view name);
// Nothing for operations and families (below A13, index 2) that the matrix does not have.
std::optional<Reach> ReachOn(std::string_view name, int family);

// An operation of the matrix that is listed, and cannot be judged by numbers.
struct CataloguedOp {
  std::string_view name;
  OpClass op_class = OpClass::kElementwise;
  std::string_view reason;
};

// The rows of ops_without_reference.def, in order.
std::span<const CataloguedOp> CataloguedOps();
// Null where no such operation is called `name`.
const CataloguedOp* FindCataloguedOp(std::string_view name);

}  // namespace anecheck
