// The hwx format entry: the container as the command line and the fuzz targets see it.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/json.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/print.h"
#include "harness/formats/hwx/rules.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/hwx/verify.h"

namespace anecheck {
namespace hwx {
namespace {

int Recognise(ByteSpan bytes, std::string_view) {
  constexpr std::array<uint8_t, 4> kMagicBytes = {0xce, 0xfa, 0xef, 0xbe};
  const bool match = bytes.size() >= kMagicBytes.size() &&
                     std::equal(kMagicBytes.begin(), kMagicBytes.end(), bytes.begin());
  return match ? 100 : 0;
}

Result<Json> ToJsonOf(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Container container, Parse(bytes));
  return ToJson(container);
}

Result<Bytes> FromJsonOf(const Json& json) {
  ANECHECK_ASSIGN(const Container container, FromJson(json));
  return Write(container);
}

Result<Bytes> Rewrite(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Container container, Parse(bytes));
  return Write(container);
}

Result<std::vector<Violation>> VerifyOf(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Container container, Parse(bytes));
  return Verify(container);
}

Result<std::string> Print(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Container container, Parse(bytes));
  return PrintContainer(container);
}

// Bytes of thread commands whose words have no name.
uint64_t UnnamedThreadBytes(const Thread& thread) {
  uint64_t named = IsApertureTable(thread) ? 2 * kBaseSlots : 0;
  for (const ThreadWord& word : ThreadWords(thread.flavor)) {
    if (Applies(word, thread)) named += word.words;
  }
  return 4 * (thread.words.size() - named);
}

Result<Coverage> CoverageOf(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Container container, Parse(bytes));
  uint64_t untyped = 0;
  for (const Command& command : container.commands) {
    untyped += command.opaque ? command.cmdsize - 8 : command.trailing.size();
  }
  for (const Thread& thread : container.threads) untyped += UnnamedThreadBytes(thread);
  for (const Note& note : container.notes) untyped += note.size;
  for (const Region& region : container.regions) untyped += region.data.size();
  Coverage coverage{.total = bytes.size()};
  for (const Section& section : container.sections) {
    if (section.tasks != nullptr) {
      const td::ChainCoverage tasks = td::CoverageOf(*section.tasks);
      untyped += section.size - tasks.named - tasks.fill;
    } else if (section.in_file && IsKernelSection(section)) {
      coverage.payload += section.size;
    } else if (section.in_file) {
      untyped += section.size;
    }
  }
  // Records may share bytes, and sections too; then what is left over is counted at least as 0.
  coverage.payload = std::min(coverage.payload, coverage.total);
  coverage.typed = coverage.total - coverage.payload;
  coverage.typed -= std::min(coverage.typed, untyped);
  return coverage;
}

}  // namespace
}  // namespace hwx

const Format kFormat_hwx = {
    .name = "hwx",
    .title = "hardware container",
    .rules = hwx::Rules(),
    .recognise = hwx::Recognise,
    .to_json = hwx::ToJsonOf,
    .from_json = hwx::FromJsonOf,
    .rewrite = hwx::Rewrite,
    .verify = hwx::VerifyOf,
    .print = hwx::Print,
    .coverage = hwx::CoverageOf,
};

}  // namespace anecheck
