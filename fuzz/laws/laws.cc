#include "fuzz/laws/laws.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include "fuzz/laws/memory_meter.h"
#include "harness/base/json_text.h"

namespace anecheck::fuzz {

void FailLaw(std::string_view law, std::string_view detail) {
  fmt::print(stderr, "law broken: {}: {}\n", law, detail);
  std::fflush(stderr);
  std::abort();
}

void RequireGoodError(const Error& error, size_t input_size) {
  Require(!error.message.empty(), "errors have words", ErrorCodeName(error.code));
  Require(error.message.find('\n') == std::string::npos, "errors are one line", error.message);
  Require(error.offset == Error::kNoOffset || error.offset <= input_size,
          "errors point into the input", error.message);
  Require(error.code != ErrorCode::kInternal, "input is never an internal error", error.message);
}

namespace {

// Bytes held for each byte of input, and beside them. The typed models of the formats stay within
// the first; the JSON form keeps an object a field.
constexpr size_t kFixedMemory = size_t{1} << 20;
constexpr size_t kModelMemory = 64;
constexpr size_t kJsonMemory = 512;

template <typename Call>
auto Metered(const Format& format, ByteSpan input, std::string_view what, size_t a_byte,
             Call call) {
  const MemoryMeter meter;
  auto result = call(input);
  const size_t limit = a_byte * input.size() + kFixedMemory;
  if (meter.Peak() > limit) {
    FailLaw("memory is bounded by the input",
            fmt::format("{} of {} holds {} bytes for {} of input", what, format.name, meter.Peak(),
                        input.size()));
  }
  return result;
}

constexpr uint32_t kSampleEvery = 8;
bool sample_costly_laws = false;

bool IsSampled(ByteSpan input) {
  if (!sample_costly_laws) return true;
  uint32_t hash = 0x811c9dc5;
  for (const uint8_t byte : input) hash = (hash ^ byte) * 0x01000193;
  return (hash ^ hash >> 16) % kSampleEvery == 0;
}

template <typename T>
void RequireSameOutcome(const Result<T>& result, bool parses, std::string_view what) {
  if (result.ok() == parses) return;
  FailLaw("all functions agree on what parses",
          fmt::format("rewrite {}, {} {}", parses ? "succeeds" : "fails", what,
                      result.ok() ? "succeeds" : result.error().message));
}

void CheckViolations(const Format& format, const std::vector<Violation>& violations, size_t size) {
  for (const Violation& violation : violations) {
    const bool known = std::ranges::any_of(
        format.rules, [&](const Rule& rule) { return rule.id == violation.rule->id; });
    Require(known, "violations name a rule of the format", violation.message);
    Require(violation.offset == Error::kNoOffset || violation.offset <= size,
            "violations point into the input", violation.message);
    Require(!violation.message.empty(), "violations have words", violation.rule->id);
  }
}

void CheckJson(const Format& format, ByteSpan input) {
  const auto json = Metered(format, input, "to_json", kJsonMemory, format.to_json);
  RequireSameOutcome(json, true, "to_json");
  const Result<Json> reread = ParseJson(DumpJson(*json), format.name);
  Require(reread.ok(), "the JSON form is JSON", reread.ok() ? "" : reread.error().message);
  const Result<Bytes> encoded = format.from_json(*reread);
  Require(encoded.ok(), "the JSON form encodes", encoded.ok() ? "" : encoded.error().message);
  Require(std::ranges::equal(*encoded, input), "encode(inspect(x)) is x", format.name);
}

void CheckCoverage(const Coverage& coverage, size_t size) {
  Require(coverage.total == size, "coverage counts the whole file",
          fmt::format("{} of {}", coverage.total, size));
  Require(coverage.typed <= coverage.total && coverage.payload <= coverage.total - coverage.typed,
          "coverage adds up",
          fmt::format("{} typed, {} payload, {} in all", coverage.typed, coverage.payload,
                      coverage.total));
}

}  // namespace

void SampleCostlyLaws() { sample_costly_laws = true; }

bool CheckFormatLaws(const Format& format, ByteSpan input) {
  const int sure = format.recognise(input, {});
  Require(sure >= 0 && sure <= 100, "recognise gives 0 to 100", format.name);
  const auto rewritten = Metered(format, input, "rewrite", kModelMemory, format.rewrite);
  const auto violations = Metered(format, input, "verify", kModelMemory, format.verify);
  const auto print = Metered(format, input, "print", kModelMemory, format.print);
  const auto coverage = Metered(format, input, "coverage", kModelMemory, format.coverage);
  RequireSameOutcome(violations, rewritten.ok(), "verify");
  RequireSameOutcome(print, rewritten.ok(), "print");
  RequireSameOutcome(coverage, rewritten.ok(), "coverage");
  if (!rewritten.ok()) {
    RequireSameOutcome(format.to_json(input), false, "to_json");
    RequireGoodError(rewritten.error(), input.size());
    RequireGoodError(violations.error(), input.size());
    return false;
  }
  Require(std::ranges::equal(*rewritten, input), "write(parse(x)) is x", format.name);
  CheckViolations(format, *violations, input.size());
  CheckCoverage(*coverage, input.size());
  if (IsSampled(input)) CheckJson(format, input);
  return true;
}

}  // namespace anecheck::fuzz
