#include "harness/device/fault.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <mutex>
#include <set>

#include "harness/device/fault_rows.h"

namespace anecheck::device {
namespace {

constexpr std::string_view kUlpFamily = "ulp-error:";

// Storage for the ids and operation names of parametric faults, which have no entries in the table.
// The storage never shrinks. It stays small, because a person enables each of these ids.
std::string_view Intern(std::string_view text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> texts;
  const std::lock_guard lock(mutex);
  return *texts.emplace(text).first;
}

bool ReadInteger(std::string_view text, int64_t low, int64_t high, int64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= low && value <= high;
}

// ulp-error:OP:ULPS:PERMILLE
Result<Fault> MakeUlpFault(std::string_view id) {
  const std::string_view parameters = id.substr(kUlpFamily.size());
  const size_t first = parameters.find(':');
  const size_t second = first == std::string_view::npos ? first : parameters.find(':', first + 1);
  int64_t ulps = 0;
  int64_t permille = 0;
  if (second == std::string_view::npos || first == 0 ||
      !ReadInteger(parameters.substr(first + 1, second - first - 1), 1, 4096, ulps) ||
      !ReadInteger(parameters.substr(second + 1), 1, 1000, permille)) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("fault '{}' must read ulp-error:OP:ULPS:PERMILLE with 1 to 4096 "
                                 "units and 1 to 1000 permille",
                                 id));
  }
  Fault fault;
  fault.id = Intern(id);
  fault.description = "results are moved away from zero";
  fault.op = Intern(parameters.substr(0, first));
  fault.op_class = "any";
  fault.kind = FaultKind::kNumeric;
  fault.mechanism = FaultMechanism::kOutput;
  fault.ulps = static_cast<double>(ulps);
  fault.share = static_cast<double>(permille) / 1000;
  fault.effect = FaultEffect::kUlps;
  fault.a = ulps;
  return fault;
}

}  // namespace

std::string_view FaultKindName(FaultKind kind) {
  switch (kind) {
    case FaultKind::kNumeric:
      return "numeric";
    case FaultKind::kShape:
      return "shape";
    case FaultKind::kLayout:
      return "layout";
    case FaultKind::kBoundary:
      return "boundary";
    case FaultKind::kAccumulation:
      return "accumulation";
    case FaultKind::kQuantisation:
      return "quantisation";
    case FaultKind::kAttributeIgnored:
      return "attribute-ignored";
    case FaultKind::kGating:
      return "gating";
    case FaultKind::kReject:
      return "reject";
    case FaultKind::kRuntime:
      return "runtime";
    case FaultKind::kCrash:
      return "crash";
    case FaultKind::kHang:
      return "hang";
    case FaultKind::kMemory:
      return "memory";
    case FaultKind::kEncoding:
      return "encoding";
  }
  return "numeric";
}

std::span<const Fault> Faults() { return FaultRows(); }

Status ActiveFaults::Enable(std::string_view id) {
  if (std::ranges::any_of(faults_, [&](const Fault& fault) { return fault.id == id; })) return {};
  if (id.starts_with(kUlpFamily)) {
    ANECHECK_ASSIGN(const Fault fault, MakeUlpFault(id));
    faults_.push_back(fault);
    return {};
  }
  const auto rows = Faults();
  const auto found = std::ranges::find_if(rows, [&](const Fault& row) { return row.id == id; });
  if (found == rows.end()) {
    return MakeError(ErrorCode::kNotFound, fmt::format("no fault is called '{}'", id));
  }
  faults_.push_back(*found);
  return {};
}

bool ActiveFaults::Disable(std::string_view id) {
  return std::erase_if(faults_, [&](const Fault& fault) { return fault.id == id; }) > 0;
}

const Fault* ActiveFaults::Find(FaultEffect effect, std::string_view op) const {
  for (const Fault& fault : faults_) {
    if (fault.effect == effect && (op.empty() || Concerns(fault, op))) return &fault;
  }
  return nullptr;
}

bool ActiveFaults::IgnoresArgument(std::string_view op, std::string_view argument) const {
  for (const Fault& fault : faults_) {
    if (fault.mechanism == FaultMechanism::kAttribute && Concerns(fault, op) &&
        fault.text == argument) {
      return true;
    }
  }
  return false;
}

void ActiveFaults::Plant(std::string_view op, NumericModel& model) const {
  for (const Fault& fault : faults_) {
    if (fault.mechanism != FaultMechanism::kDatapath || !Concerns(fault, op)) continue;
    if (fault.planted == Planted::kStoreTruncates) {
      model.store_rounding = Rounding::kTowardZero;
    } else {
      model.Plant(fault.planted);
    }
  }
}

}  // namespace anecheck::device
