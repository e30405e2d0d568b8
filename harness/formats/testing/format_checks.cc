#include "harness/formats/testing/format_checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mutex>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/parallel_for.h"
#include "harness/formats/message.h"
#include "harness/formats/testing/allocation_meter.h"

namespace anecheck::testing {

void CheckValidFile(const Format& format, ByteSpan bytes, const std::string& name) {
  SCOPED_TRACE(name);
  const Bytes expected(bytes.begin(), bytes.end());
  EXPECT_GT(format.recognise(bytes, name), 0);

  const Result<Bytes> rewritten = format.rewrite(bytes);
  ASSERT_TRUE(rewritten.ok()) << rewritten.error().message;
  EXPECT_EQ(rewritten.value(), expected);

  const Result<Json> json = format.to_json(bytes);
  ASSERT_TRUE(json.ok()) << json.error().message;
  EXPECT_EQ(json->value("format", ""), format.name);
  const Result<Json> reread = ParseJson(DumpJson(json.value(), 1));
  ASSERT_TRUE(reread.ok()) << reread.error().message;
  const Result<Bytes> encoded = format.from_json(reread.value());
  ASSERT_TRUE(encoded.ok()) << encoded.error().message;
  EXPECT_EQ(encoded.value(), expected);

  const Result<std::vector<Violation>> violations = format.verify(bytes);
  ASSERT_TRUE(violations.ok()) << violations.error().message;
  for (const Violation& violation : violations.value()) {
    EXPECT_TRUE(violation.IsWarning()) << violation.rule->id << ": " << violation.message;
  }
  const Result<std::string> print = format.print(bytes);
  ASSERT_TRUE(print.ok()) << print.error().message;
  EXPECT_FALSE(print->empty());
  const Result<ByteCounts> coverage = format.count_bytes(bytes);
  ASSERT_TRUE(coverage.ok()) << coverage.error().message;
  EXPECT_EQ(coverage->total, bytes.size());
  EXPECT_LE(coverage->typed + coverage->payload + coverage->fill, coverage->total);
}

std::string FindJsonFault(const Format& format, ByteSpan bytes) {
  constexpr size_t kJsonBytes = 512;  // maximum allocation per byte of input
  const AllocationMeter meter;
  const Result<Json> json = format.to_json(bytes);
  if (!json.ok()) return "to_json refuses a file that rewrites: " + json.error().message;
  const Result<Bytes> encoded = format.from_json(json.value());
  if (!encoded.ok()) return "from_json refuses the output of to_json: " + encoded.error().message;
  if (meter.Peak() > kJsonBytes * bytes.size() + (size_t{1} << 20)) {
    return fmt::format("the JSON form allocates {} bytes for {} of input", meter.Peak(),
                       bytes.size());
  }
  return std::ranges::equal(encoded.value(), bytes) ? "" : "the JSON form changes bytes";
}

std::string FindMessageFault(std::string_view message) {
  if (message.empty()) return "a message is empty";
  if (message.size() > kMostMessage) {
    return fmt::format("a message of {} bytes: {}", message.size(), Clipped(message));
  }
  const std::string escaped = Escaped(message);
  return escaped == message ? "" : "a message is not one line of text: " + escaped;
}

std::string FindHostileFault(const Format& format, ByteSpan bytes) {
  const size_t limit = 16 * bytes.size() + (size_t{1} << 20);
  // Makes the table of rules before the measurement, because it is not memory for the input.
  static_cast<void>(format.rules.all());
  std::string fault;
  const auto measure = [&](std::string_view what, auto&& call) {
    const AllocationMeter meter;
    call();
    if (meter.Peak() > limit && fault.empty()) {
      fault =
          fmt::format("{} allocates {} bytes for {} of input", what, meter.Peak(), bytes.size());
    }
  };
  const auto check = [&](std::string_view message) {
    if (fault.empty()) fault = FindMessageFault(message);
  };
  bool parses = false;
  measure("rewrite", [&] {
    const Result<Bytes> rewritten = format.rewrite(bytes);
    parses = rewritten.ok();
    if (!parses) check(rewritten.error().message);
    if (parses && !std::ranges::equal(rewritten.value(), bytes)) fault = "rewrite changes bytes";
  });
  // If a file does not parse, every function fails in the same way, so one check is enough.
  if (!parses) return fault;
  measure("verify", [&] {
    const Result<std::vector<Violation>> violations = format.verify(bytes);
    if (!violations.ok()) {
      if (fault.empty()) fault = "verify refuses a file that rewrites";
      return;
    }
    for (const Violation& violation : *violations) check(violation.message);
  });
  measure("print", [&] { (void)format.print(bytes); });
  measure("coverage", [&] {
    const Result<ByteCounts> coverage = format.count_bytes(bytes);
    const bool sound = coverage.ok() && coverage->total == bytes.size() &&
                       coverage->typed + coverage->payload + coverage->fill <= coverage->total;
    if (!sound && fault.empty()) fault = "coverage fails or counts more bytes than the file has";
  });
  return fault;
}

void CheckHostileEdits(const Format& format, ByteSpan bytes, const std::string& name) {
  std::mutex mutex;
  std::string first_fault;
  const auto check = [&](ByteSpan input, size_t at, std::string_view how) {
    constexpr size_t kJsonStride = 61;  // the JSON form takes the most time
    std::string fault = FindHostileFault(format, input);
    if (fault.empty() && at % kJsonStride == 0 && format.rewrite(input).ok()) {
      fault = FindJsonFault(format, input);
    }
    if (fault.empty()) return;
    const std::lock_guard lock(mutex);
    if (first_fault.empty()) first_fault = fmt::format("{} at {:#x}: {}", how, at, fault);
  };
  const Status status = ParallelFor(bytes.size(), DefaultJobs(), [&](uint64_t at) -> Status {
    check(bytes.first(at), at, "truncated");
    Bytes edited(bytes.begin(), bytes.end());
    for (const int value : {0x00, 0xff, bytes[at] ^ 0x01}) {
      if (value == bytes[at]) continue;
      edited[at] = static_cast<uint8_t>(value);
      check(edited, at, fmt::format("byte {:#04x}", value));
    }
    return {};
  });
  EXPECT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(first_fault, "") << name;
}

}  // namespace anecheck::testing
