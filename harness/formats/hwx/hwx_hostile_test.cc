// Tries every truncation of the real containers, and replaces every byte by 0x00, 0xff and itself
// with bit 0 flipped. Checks that nothing crashes, that allocations are at most 16 times the input
// plus 1 MiB, and that Write returns a file that still parses unchanged. In records, print and
// count_bytes run at every byte, and the JSON form at every kJsonStride-th byte. In weights and
// padding, all of them run at every kStride-th byte.
#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mutex>

#include "harness/base/file.h"
#include "harness/base/parallel_for.h"
#include "harness/base/testing/test_data.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/rules.h"
#include "harness/formats/testing/allocation_meter.h"
#include "harness/formats/testing/format_checks.h"

namespace anecheck::hwx {
namespace {

constexpr size_t kStride = 31;
constexpr size_t kJsonStride = 3;

// The functions that run on an input. Each depth includes the functions of the depths before it.
enum class Depth : uint8_t {
  kRead,  // parse, write, verify
  kText,  // print, count_bytes
  kJson,  // to_json, from_json
};

// Returns the fault of these functions, or "".
std::string FindReadFault(ByteSpan bytes) {
  const size_t limit = 16 * bytes.size() + (size_t{1} << 20);
  const testing::AllocationMeter meter;
  {
    const auto container = Parse(bytes);
    if (!container.ok()) {
      if (container.error().offset > bytes.size()) return "an error outside the file";
    } else {
      const auto written = Write(*container);
      if (!written.ok()) return "a parsed file is not written: " + written.error().message;
      if (!std::ranges::equal(*written, bytes)) return "writing changes bytes";
      for (const Violation& violation : Verify(*container)) {
        if (violation.offset > bytes.size()) return "a violation outside the file";
      }
    }
  }
  if (meter.Peak() <= limit) return {};
  return fmt::format("{} bytes are allocated for {} of input", meter.Peak(), bytes.size());
}

std::string FindFault(ByteSpan bytes, Depth depth) {
  std::string fault = FindReadFault(bytes);
  if (!fault.empty() || depth == Depth::kRead || !Parse(bytes).ok()) return fault;
  fault = testing::FindHostileFault(kFormat_hwx, bytes);
  if (!fault.empty() || depth == Depth::kText) return fault;
  return testing::FindJsonFault(kFormat_hwx, bytes);
}

// Returns for each byte whether it belongs to a record, and not to padding or weights.
std::vector<bool> Meaningful(ByteSpan bytes) {
  const Container container = Parse(bytes).value();
  std::vector<bool> meaningful(bytes.size(), false);
  const auto mark = [&](uint64_t offset, uint64_t size) {
    std::fill_n(meaningful.begin() + static_cast<ptrdiff_t>(offset), size, true);
  };
  mark(0, kHeaderSize + container.header.sizeofcmds);
  for (const Symtab& table : container.symtabs) {
    mark(table.symoff, 16ull * table.nsyms);
    mark(table.stroff, table.strsize);
  }
  for (const Section& section : container.sections) {
    if (section.tasks != nullptr) mark(section.offset, section.size);
    if (section.nreloc != 0) mark(section.reloff, 8ull * section.nreloc);
  }
  return meaningful;
}

std::string FirstFault(ByteSpan bytes) {
  const std::vector<bool> meaningful = Meaningful(bytes);
  std::mutex mutex;
  std::string first;
  const auto depth_at = [&](size_t at) {
    const size_t json = meaningful[at] ? kJsonStride : kStride;
    if (at % json == 0) return Depth::kJson;
    return meaningful[at] ? Depth::kText : Depth::kRead;
  };
  const auto check = [&](ByteSpan input, size_t at, std::string_view how) {
    const std::string fault = FindFault(input, depth_at(at));
    if (fault.empty()) return;
    const std::lock_guard lock(mutex);
    if (first.empty()) first = fmt::format("{} at 0x{:x}: {}", how, at, fault);
  };
  constexpr size_t kChunk = 512;  // offsets whose edits use the same copy of the file
  const uint64_t chunks = (bytes.size() + kChunk - 1) / kChunk;
  const Status status = ParallelFor(chunks, DefaultJobs(), [&](uint64_t chunk) -> Status {
    Bytes edited(bytes.begin(), bytes.end());
    const size_t end = std::min<size_t>(bytes.size(), (chunk + 1) * kChunk);
    for (size_t at = chunk * kChunk; at < end; ++at) {
      check(bytes.first(at), at, "truncated");
      for (const int value : {0x00, 0xff, bytes[at] ^ 0x01}) {
        if (value == bytes[at]) continue;
        edited[at] = static_cast<uint8_t>(value);
        check(edited, at, fmt::format("byte 0x{:02x}", value));
      }
      edited[at] = bytes[at];
    }
    return {};
  });
  return status.ok() ? first : status.error().message;
}

class HostileContainers : public ::testing::TestWithParam<const char*> {};

TEST_P(HostileContainers, EditsNeverCrashNorAllocateTooMuch) {
  const std::string path = testing::RealDataPath(GetParam());
  ANECHECK_SKIP_WITHOUT(path);
  EXPECT_EQ(FirstFault(ReadFile(path).value()), "");
}

INSTANTIATE_TEST_SUITE_P(Real, HostileContainers,
                         ::testing::Values("hwx/concat-0f988933.hwx", "hwx/conv-8a6bd427.hwx",
                                           "hwx/gemm-ef7e5c24.hwx", "hwx/model_golden-32a7ae2d.hwx",
                                           "hwx/model_golden-c20271e3.hwx",
                                           "hwx/model_signed-4e6bd6e6.hwx", "hwx/relu-d66a665b.hwx",
                                           "hwx/sigmoid-7cc79341.hwx", "hwx/sum-1b1855b8.hwx"));

}  // namespace
}  // namespace anecheck::hwx
