// Functions that make rows of the fault table, one for each mechanism. Used by fault_rows.cc only.
#pragma once

#include <string_view>

#include "harness/device/fault.h"

namespace anecheck::device::fault_makers {

// `ulps` is the typical size of the error on values of order one, 0 for defects that are not small.
constexpr Fault Datapath(std::string_view id, std::string_view op, std::string_view op_class,
                         FaultKind kind, Planted planted, double ulps,
                         std::string_view description) {
  return {.id = id,
          .description = description,
          .op = op,
          .op_class = op_class,
          .kind = kind,
          .mechanism = FaultMechanism::kDatapath,
          .ulps = ulps,
          .planted = planted};
}

constexpr Fault Ignores(std::string_view id, std::string_view op, std::string_view op_class,
                        std::string_view argument, std::string_view description) {
  return {.id = id,
          .description = description,
          .op = op,
          .op_class = op_class,
          .kind = FaultKind::kAttributeIgnored,
          .mechanism = FaultMechanism::kAttribute,
          .text = argument};
}

// One that stays inside of what an engine may do.
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
  return {.id = id,
          .description = description,
          .op = op,
          .op_class = op_class,
          .kind = kind,
          .mechanism = FaultMechanism::kOutput,
          .ulps = parameters.ulps,
          .share = parameters.share,
          .effect = effect,
          .a = parameters.a,
          .b = parameters.b};
}

constexpr Fault Compile(std::string_view id, std::string_view op, FaultKind kind,
                        FaultEffect effect, int64_t a, std::string_view description) {
  return {.id = id,
          .description = description,
          .op = op,
          .op_class = "compiler",
          .kind = kind,
          .mechanism = FaultMechanism::kCompile,
          .effect = effect,
          .a = a};
}

constexpr Fault Refuses(std::string_view id, std::string_view op, std::string_view words,
                        std::string_view description) {
  Fault fault = Compile(id, op, FaultKind::kReject, FaultEffect::kRejectOp, 0, description);
  fault.text = words;
  return fault;
}

constexpr Fault Run(std::string_view id, FaultKind kind, FaultEffect effect, int64_t a,
                    std::string_view description) {
  return {.id = id,
          .description = description,
          .op = "",
          .op_class = "runtime",
          .kind = kind,
          .mechanism = FaultMechanism::kRuntime,
          .effect = effect,
          .a = a};
}

// Of the calls of the runtime rather than of programs.
constexpr Fault Call(std::string_view id, FaultKind kind, FaultEffect effect, int64_t a,
                     std::string_view description) {
  Fault fault = Run(id, kind, effect, a, description);
  fault.op_class = "calls";
  return fault;
}

constexpr Fault State(std::string_view id, FaultEffect effect, std::string_view description) {
  return {.id = id,
          .description = description,
          .op = "",
          .op_class = "state",
          .kind = FaultKind::kRuntime,
          .mechanism = FaultMechanism::kRuntime,
          .effect = effect};
}

constexpr Fault File(std::string_view id, FaultEffect effect, std::string_view description) {
  return {.id = id,
          .description = description,
          .op = "",
          .op_class = "files",
          .kind = FaultKind::kEncoding,
          .mechanism = FaultMechanism::kFile,
          .effect = effect};
}

}  // namespace anecheck::device::fault_makers
