#include "harness/device/compile_fault.h"

#include <cstring>
#include <fmt/format.h>

#include "harness/device/misbehaviour.h"

namespace anecheck::device {
namespace {

Error Refuse(std::string_view message) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{} @ Validator", message));
}

}  // namespace

Status CheckPlantedTypes(const ActiveFaults& faults, const TensorType& type) {
  for (const Fault& fault : faults.all()) {
    if (fault.effect == FaultEffect::kRejectRank && type.shape.rank() == fault.a) {
      return Refuse(fmt::format("rank {} is not available", fault.a));
    }
    for (const int64_t extent : type.shape.dims()) {
      if ((fault.effect == FaultEffect::kRejectExtent && extent == fault.a) ||
          (fault.effect == FaultEffect::kRejectWide && extent > fault.a)) {
        return Refuse(fmt::format("an axis of {} is not within the supported range", extent));
      }
    }
  }
  return {};
}

Status CheckPlantedOp(const ActiveFaults& faults, std::string_view op) {
  if (const Fault* slow = faults.Find(FaultEffect::kCompileSlow, op)) SleepOnPurpose(slow->a);
  const Fault* refuses = faults.Find(FaultEffect::kRejectOp, op);
  if (refuses == nullptr) return {};
  if (!refuses->text.empty()) return MakeError(ErrorCode::kInvalid, std::string(refuses->text));
  return Refuse(fmt::format("{} is not available on this ANE architecture", op));
}

void MisbehaveWhileCompiling(const ActiveFaults& faults) {
  if (faults.empty()) return;
  if (faults.Find(FaultEffect::kCompileCrash) != nullptr) CrashOnPurpose();
  if (faults.Find(FaultEffect::kCompileHang) != nullptr) HangOnPurpose();
  if (const Fault* leak = faults.Find(FaultEffect::kCompileLeak)) {
    LeakOnPurpose(static_cast<size_t>(leak->a) << 10);
  }
}

}  // namespace anecheck::device
