// Functions that make the entries of the fault table, one for each mechanism. Used by fault_rows.cc
// only.
#pragma once

#include <string_view>

#include "harness/device/fault.h"

namespace anecheck::device::fault_makers {

constexpr Fault Row(std::string_view id, std::string_view op, std::string_view op_class,
                    FaultKind kind, FaultMechanism mechanism, std::string_view description) {
  return {.id = id,
          .description = description,
          .op = op,
          .op_class = op_class,
          .kind = kind,
          .mechanism = mechanism};
}

// `ulps` is the typical error, in ulps, on values near 1; it is 0 for defects whose errors are not
// small.
constexpr Fault Datapath(std::string_view id, std::string_view op, std::string_view op_class,
                         FaultKind kind, Planted planted, double ulps,
                         std::string_view description) {
  Fault fault = Row(id, op, op_class, kind, FaultMechanism::kDatapath, description);
  fault.ulps = ulps;
  fault.planted = planted;
  return fault;
}

constexpr Fault Ignores(std::string_view id, std::string_view op, std::string_view op_class,
                        std::string_view argument, std::string_view description) {
  Fault fault =
      Row(id, op, op_class, FaultKind::kAttributeIgnored, FaultMechanism::kAttribute, description);
  fault.text = argument;
  return fault;
}

// Marks a fault whose values the contract admits.
constexpr Fault Admitted(Fault fault, std::string_view why) {
  fault.admitted = why;
  return fault;
}

struct Parameters {
  int64_t a = 0;
  int64_t b = 0;
  double ulps = 0;
  double share = 1;
};

constexpr Fault Output(std::string_view id, std::string_view op, std::string_view op_class,
                       FaultKind kind, FaultEffect effect, Parameters parameters,
                       std::string_view description) {
  Fault fault = Row(id, op, op_class, kind, FaultMechanism::kOutput, description);
  fault.effect = effect;
  fault.ulps = parameters.ulps;
  fault.share = parameters.share;
  fault.a = parameters.a;
  fault.b = parameters.b;
  return fault;
}

constexpr Fault Compile(std::string_view id, std::string_view op, FaultKind kind,
                        FaultEffect effect, int64_t a, std::string_view description) {
  Fault fault = Row(id, op, "compiler", kind, FaultMechanism::kCompile, description);
  fault.effect = effect;
  fault.a = a;
  return fault;
}

constexpr Fault Refuses(std::string_view id, std::string_view op, std::string_view words,
                        std::string_view description) {
  Fault fault = Compile(id, op, FaultKind::kReject, FaultEffect::kRejectOp, 0, description);
  fault.text = words;
  return fault;
}

constexpr Fault Run(std::string_view id, FaultKind kind, FaultEffect effect, int64_t a,
                    std::string_view description) {
  Fault fault = Row(id, "", "runtime", kind, FaultMechanism::kRuntime, description);
  fault.effect = effect;
  fault.a = a;
  return fault;
}

// A fault of the runtime's calls, as opposed to a fault of programs.
constexpr Fault Call(std::string_view id, FaultKind kind, FaultEffect effect, int64_t a,
                     std::string_view description) {
  Fault fault = Run(id, kind, effect, a, description);
  fault.op_class = "calls";
  return fault;
}

constexpr Fault State(std::string_view id, FaultEffect effect, std::string_view description) {
  Fault fault = Run(id, FaultKind::kRuntime, effect, 0, description);
  fault.op_class = "state";
  return fault;
}

constexpr Fault File(std::string_view id, FaultEffect effect, std::string_view description) {
  Fault fault = Row(id, "", "files", FaultKind::kEncoding, FaultMechanism::kFile, description);
  fault.effect = effect;
  return fault;
}

}  // namespace anecheck::device::fault_makers
