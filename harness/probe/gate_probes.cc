#include "harness/probe/gate_probes.h"

#include <cstdint>
#include <fmt/format.h>
#include <string>

#include "harness/probe/probe_program.h"
#include "harness/runners/analytics.h"

namespace anecheck {
namespace {

Result<double> Refused(const E5rtLibrary& engine, std::string_view target, const std::string& mil) {
  const ProbeProgram control(engine, target, PlainProbeText());
  const ProbeProgram program(engine, target, mil);
  ANECHECK_ASSIGN(const bool refused, CompilerRefused(program, control));
  return refused ? 1 : 0;
}

std::string RankSix() {
  return ProbeText("tensor<fp16, [1, 1, 1, 1, 1, 3]> x",
                   "tensor<fp16, [1, 1, 1, 1, 1, 3]> y = relu(x = x);");
}

}  // namespace

Result<double> RankSixRefused(const E5rtLibrary& engine, std::string_view target) {
  return Refused(engine, target, RankSix());
}

Result<double> FallbackRefused(const E5rtLibrary& engine, std::string_view target) {
  constexpr uint64_t kAny = 7;
  const ProbeProgram alone(engine, target, RankSix());
  if (alone.compiled()) {
    return MakeError(ErrorCode::kUnsupported, "the engine takes rank 6: there is no refusal");
  }
  if (alone.failed() != ToText(Step::kCompile)) return Broken(alone);
  const ProbeProgram control(engine, target, PlainProbeText(), kAny);
  ProbeProgram program(engine, target, RankSix(), kAny);
  ANECHECK_ASSIGN(const bool refused, CompilerRefused(program, control));
  if (refused) return 1;
  const std::string backend = program.SelectedBackend();
  if (!backend.empty() && backend != kEngineBackend) return 0;
  return MakeError(ErrorCode::kUnsupported,
                   fmt::format("rank 6 compiles under mask 7, and the analytics name {}",
                               backend.empty() ? "no backend" : backend));
}

Result<double> RefusalNamesReason(const E5rtLibrary& engine, std::string_view target) {
  const ProbeProgram control(engine, target, PlainProbeText());
  const ProbeProgram program(engine, target, RankSix());
  ANECHECK_ASSIGN(const bool refused, CompilerRefused(program, control));
  return refused && program.message().find("ank") != std::string::npos ? 1 : 0;
}

Result<double> WideAxisRefused(const E5rtLibrary& engine, std::string_view target) {
  return Refused(engine, target,
                 ProbeText("tensor<fp16, [1, 1, 1, 65537]> x",
                           "tensor<fp16, [1, 1, 1, 65537]> y = relu(x = x);"));
}

Result<double> WideKernelRefused(const E5rtLibrary& engine, std::string_view target) {
  return Refused(engine, target,
                 ProbeText("tensor<fp16, [1, 1, 1, 40]> x, tensor<fp16, [1, 1, 1, 33]> w",
                           "tensor<fp16, [1, 1, 1, 8]> y = conv(x = x, weight = w);"));
}

Result<double> IntegerInputRefused(const E5rtLibrary& engine, std::string_view target) {
  return Refused(engine, target,
                 ProbeText("tensor<int32, [4]> x",
                           "tensor<fp16, [4]> y = cast(x = x, dtype = string(\"fp16\"));"));
}

Result<double> UnknownTargetRefused(const E5rtLibrary& engine, std::string_view target) {
  const ProbeProgram control(engine, target, PlainProbeText());
  const ProbeProgram program(engine, "h99", PlainProbeText(), 4, {}, NamesTarget::kAlways);
  ANECHECK_ASSIGN(const bool refused, CompilerRefused(program, control));
  return refused ? 1 : 0;
}

}  // namespace anecheck
