// Measures how long it takes to parse and verify a generated container of 557,056 bytes, and how
// long LIEF takes to parse the same bytes with the magic of a 64-bit Mach-O file. The last
// benchmark gives the ratio of LIEF's time to ours in one run, which should be at least 50. Only
// this file needs LIEF. Without LIEF its benchmarks are left out.
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "generators/formats/hwx/hwx_generator.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/rules.h"

#ifdef ANECHECK_HAVE_LIEF
#include <LIEF/MachO.hpp>
#endif

namespace anecheck {
namespace {

constexpr size_t kFileSize = 557056;

const Bytes& File() {
  static const Bytes file = [] {
    auto bytes = hwx::BuildBytes(WeightContainerSpec(0x83c00));
    if (!bytes.ok() || bytes->size() != kFileSize) {
      std::fprintf(stderr, "the container has %zu bytes\n", bytes.ok() ? bytes->size() : 0);
      std::abort();
    }
    return *std::move(bytes);
  }();
  return file;
}

size_t ParseAndVerify() {
  const auto container = hwx::Parse(File());
  if (!container.ok()) std::abort();
  return hwx::Verify(*container).size();
}

void BM_ParseAndVerify(benchmark::State& state) {
  for (auto _ : state) {
    if (ParseAndVerify() != 0) state.SkipWithError("the container has violations");
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * kFileSize));
}
BENCHMARK(BM_ParseAndVerify);

void BM_Write(benchmark::State& state) {
  const auto container = hwx::Parse(File());
  for (auto _ : state) benchmark::DoNotOptimize(hwx::Write(*container));
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * kFileSize));
}
BENCHMARK(BM_Write);

#ifdef ANECHECK_HAVE_LIEF

std::vector<uint8_t> MachOFile() {
  std::vector<uint8_t> bytes = File();
  const uint8_t magic[] = {0xcf, 0xfa, 0xed, 0xfe};
  std::copy(std::begin(magic), std::end(magic), bytes.begin());
  return bytes;
}

size_t LiefParse(const std::vector<uint8_t>& bytes) {
  const auto binary = LIEF::MachO::Parser::parse(bytes);
  return binary == nullptr ? 0 : binary->begin()->segments().size();
}

void BM_LiefParse(benchmark::State& state) {
  const std::vector<uint8_t> bytes = MachOFile();
  for (auto _ : state) {
    if (LiefParse(bytes) != 4) state.SkipWithError("LIEF does not find the four segments");
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * kFileSize));
}
BENCHMARK(BM_LiefParse)->Unit(benchmark::kMicrosecond);

// Returns the processor time of this thread in nanoseconds.
int64_t ThreadTime() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Measures the processor time of both parsers in turn, so that a busy machine slows both equally. A
// round parses many times with our parser, because one parse is too short to measure.
void BM_RatioToLief(benchmark::State& state) {
  constexpr int kOursInARound = 32;
  const std::vector<uint8_t> bytes = MachOFile();
  int64_t ours = 0;
  int64_t theirs = 0;
  for (auto _ : state) {
    const int64_t start = ThreadTime();
    for (int i = 0; i < kOursInARound; ++i) benchmark::DoNotOptimize(ParseAndVerify());
    const int64_t middle = ThreadTime();
    benchmark::DoNotOptimize(LiefParse(bytes));
    theirs += ThreadTime() - middle;
    ours += middle - start;
  }
  state.counters["ratio"] = static_cast<double>(theirs) * kOursInARound / static_cast<double>(ours);
}
BENCHMARK(BM_RatioToLief)->Unit(benchmark::kMicrosecond);

#endif

}  // namespace
}  // namespace anecheck
