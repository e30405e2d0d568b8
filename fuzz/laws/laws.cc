#include "fuzz/laws/laws.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <map>

#include "fuzz/laws/memory_meter.h"
#include "harness/base/hash.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"

namespace anecheck::fuzz {
namespace {

using Laws = LawBook<kFormatLaws>;

void Require(bool holds, Laws::Law law, std::string_view detail = {}) {
  Laws::Require(holds, law, detail);
}

std::map<std::string_view, uint64_t>& Counts() {
  static std::map<std::string_view, uint64_t> counts;
  return counts;
}

std::string_view& Target() {
  static std::string_view target;
  return target;
}

}  // namespace

void TellTarget(std::string_view target) { Target() = target; }

void CountLaws() {
  Counts().clear();
  law_internal::counting = true;
}

const std::map<std::string_view, uint64_t>& LawCounts() { return Counts(); }

void law_internal::Count(std::string_view law) { ++Counts()[law]; }

void FailLaw(std::string_view law, std::string_view detail) {
  const std::string_view target = Target();
  fmt::print(stderr, "law broken: {}{}{}{}: {}\n", law, target.empty() ? "" : " [", target,
             target.empty() ? "" : "]", detail);
  std::fflush(stderr);
  std::abort();
}

void RequireGoodError(const Error& error, size_t input_size) {
  Require(!error.message.empty(), "errors have a message", ErrorCodeName(error.code));
  Require(error.message.find('\n') == std::string::npos, "errors are one line", error.message);
  Require(error.offset == Error::kNoOffset || error.offset <= input_size,
          "errors point into the input", error.message);
  Require(error.code != ErrorCode::kInternal, "input is never an internal error", error.message);
}

namespace {

// Bytes of memory allowed for any input, in addition to those for each byte of input.
constexpr size_t kFixedMemory = size_t{1} << 20;
// Bytes of memory allowed for each byte of input. kModelMemory is for rewrite, verify, print and
// coverage. kJsonMemory is for to_json, which keeps an object for each field.
constexpr size_t kModelMemory = 16;
constexpr size_t kJsonMemory = 512;

// A format whose model needs more memory than kModelMemory, and the reason.
struct LargeModel {
  std::string_view format;
  size_t a_byte = 0;
  std::string_view why;
};
constexpr LargeModel kLargeModels[] = {
    {"e5", 64, "tables of a few bytes become records; not measured on large dense files"},
    {"espresso", 128, "a JSON value for each two characters: 118 were measured"},
    {"netlist", 64, "a value for each byte of a binary list; not measured on large dense files"},
    {"vmfb", 64, "tables of a few bytes become records; not measured on large dense files"},
};

size_t ModelMemory(const Format& format) {
  const auto row = std::ranges::find(kLargeModels, format.name, &LargeModel::format);
  return row == std::end(kLargeModels) ? kModelMemory : row->a_byte;
}

// The printed text of task descriptors has up to 258 characters for each register of 8 bytes, and a
// text that grows needs up to three times its length. The measured factor is 86.
constexpr size_t kTaskPrintMemory = 128;

size_t PrintMemory(const Format& format) {
  const bool has_tasks =
      format.name == "hwx" || format.name == "td" || format.name.starts_with("td:");
  return has_tasks ? kTaskPrintMemory : ModelMemory(format);
}

template <typename Call>
auto Metered(const Format& format, ByteSpan input, std::string_view what, size_t a_byte,
             Call call) {
  // Builds the static table of rules first, so that it does not count as memory for the input.
  static_cast<void>(format.rules.all());
  const MemoryMeter meter;
  auto result = call(input);
  const size_t held = meter.Peak();
  const size_t limit = a_byte * input.size() + kFixedMemory;
  if (MemoryMeter::kCounts) {
    Laws::Require(held <= limit, "memory is bounded by the input", [&] {
      return fmt::format("{} of {} holds {} bytes for {} of input", what, format.name, held,
                         input.size());
    });
  }
  return result;
}

bool sample_costly_laws = false;

template <typename T>
void RequireSameOutcome(const Result<T>& result, bool parses, std::string_view what) {
  Laws::Require(result.ok() == parses, "all functions accept the same files", [&] {
    return fmt::format("rewrite {}, {} {}", parses ? "succeeds" : "fails", what,
                       result.ok() ? "succeeds" : result.error().message);
  });
}

void CheckViolations(const Format& format, const std::vector<Violation>& violations, size_t size) {
  for (const Violation& violation : violations) {
    const bool known = std::ranges::any_of(
        format.rules, [&](const Rule& rule) { return rule.id == violation.rule->id; });
    Require(known, "violations name a rule of the format", violation.message);
    Require(violation.offset == Error::kNoOffset || violation.offset <= size,
            "violations point into the input", violation.message);
    Require(!violation.message.empty(), "violations have a message", violation.rule->id);
  }
}

void CheckJson(const Format& format, ByteSpan input) {
  const auto json = Metered(format, input, "to_json", kJsonMemory, format.to_json);
  RequireSameOutcome(json, true, "to_json");
  // `encode` too uses ParseLargeJson, because objects may have more members than in other JSON.
  const Result<Json> reread = ParseLargeJson(DumpJson(*json), format.name);
  Require(reread.ok(), "the JSON form is JSON", reread.ok() ? "" : reread.error().message);
  for (const FieldFact& fact : format.fields(*reread)) {
    Require(!fact.path.empty() && !fact.source.empty(), "facts have a field and a source",
            fact.path);
  }
  const Result<Bytes> encoded = format.from_json(*reread);
  Require(encoded.ok(), "the JSON form encodes", encoded.ok() ? "" : encoded.error().message);
  Require(std::ranges::equal(*encoded, input), "encode(inspect(x)) is x", format.name);
}

void CheckCoverage(const ByteCounts& coverage, size_t size) {
  Require(coverage.total == size, "coverage counts the whole file",
          fmt::format("{} of {}", coverage.total, size));
  const uint64_t counts[] = {coverage.typed, coverage.payload, coverage.fill};
  uint64_t left = coverage.total;
  for (const uint64_t count : counts) {
    Require(count <= left, "coverage adds up",
            fmt::format("{} typed, {} payload, {} fill, {} in all", coverage.typed,
                        coverage.payload, coverage.fill, coverage.total));
    left -= count;
  }
}

// Checks that all functions that read the input agree on whether it parses.
void CheckReaders(const Format& format, ByteSpan input, bool parses) {
  const int sure = format.recognise(input, {});
  Require(sure >= 0 && sure <= 100, "recognise gives 0 to 100", format.name);
  const auto violations = Metered(format, input, "verify", ModelMemory(format), format.verify);
  const auto coverage = Metered(format, input, "coverage", ModelMemory(format), format.count_bytes);
  RequireSameOutcome(violations, parses, "verify");
  RequireSameOutcome(coverage, parses, "coverage");
  if (!parses) return RequireGoodError(violations.error(), input.size());
  CheckViolations(format, *violations, input.size());
  CheckCoverage(*coverage, input.size());
}

void CheckTexts(const Format& format, ByteSpan input, bool parses) {
  RequireSameOutcome(Metered(format, input, "print", PrintMemory(format), format.print), parses,
                     "print");
  if (parses) {
    CheckJson(format, input);
  } else {
    RequireSameOutcome(format.to_json(input), false, "to_json");
  }
}

}  // namespace

void SampleCostlyLaws() { sample_costly_laws = true; }

namespace {

// IsSampled reads all bytes of every input, so sanitizers are disabled in it for speed.
#ifdef __clang__
#define ANECHECK_FUZZ_UNCHECKED __attribute__((disable_sanitizer_instrumentation))
#else
#define ANECHECK_FUZZ_UNCHECKED
#endif

// True for one of `every` inputs. `every` is a power of two. An input for which the function
// returns true for some `every` is also sampled for each smaller `every`.
ANECHECK_FUZZ_UNCHECKED bool IsSampled(ByteSpan input, uint64_t every) {
  if (!sample_costly_laws) return true;
  uint64_t hash = input.size();
  size_t i = 0;
  for (; i + 8 <= input.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, input.data() + i, 8);
    hash = (hash ^ word) * kGoldenRatio64;
    hash ^= hash >> 32;
  }
  for (; i < input.size(); ++i) hash = (hash ^ input[i]) * kGoldenRatio64;
  return (hash >> 32) % every == 0;
}

// Returns the factor by which costly laws are checked less often than on a small input.
uint64_t FewerOf(ByteSpan input) { return std::bit_ceil(input.size() / kSmallInput + 1); }

}  // namespace

bool MeetsReaderLaws(ByteSpan input) {
  const bool meets = IsSampled(input, kReaderLawsEvery * std::min(FewerOf(input), kFewestReaders));
  laws_met.read_again |= meets;
  return meets;
}

bool MeetsTextLaws(ByteSpan input) {
  const bool meets = IsSampled(input, kTextLawsEvery * std::min(FewerOf(input), kFewestTexts));
  laws_met.as_text |= meets;
  return meets;
}

bool CheckFormatLaws(const Format& format, ByteSpan input) {
  const bool reads = MeetsReaderLaws(input);
  const auto rewritten =
      reads ? Metered(format, input, "rewrite", ModelMemory(format), format.rewrite)
            : format.rewrite(input);
  if (rewritten.ok()) {
    Require(std::ranges::equal(*rewritten, input), "write(parse(x)) is x", format.name);
  } else {
    RequireGoodError(rewritten.error(), input.size());
  }
  if (reads) {
    CheckReaders(format, input, rewritten.ok());
    if (MeetsTextLaws(input)) CheckTexts(format, input, rewritten.ok());
  }
  return rewritten.ok();
}

}  // namespace anecheck::fuzz
