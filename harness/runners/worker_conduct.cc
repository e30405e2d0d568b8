#include "harness/runners/worker_conduct.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "harness/runners/process_memory.h"

namespace anecheck {
namespace {

// Sanitizers keep freed memory, so the memory of a process with a sanitizer grows.
#ifdef ANECHECK_SANITIZED
constexpr bool kHoldsFreedMemory = true;
#else
constexpr bool kHoldsFreedMemory = false;
#endif

// Returns the first line of the written text, truncated to fit a table.
std::string Excerpt(int descriptor) {
  std::array<char, 120> start{};
  const ssize_t got = pread(descriptor, start.data(), start.size(), 0);
  std::string line;
  for (ssize_t i = 0; i < got && start[static_cast<size_t>(i)] != '\n'; ++i) {
    const char c = start[static_cast<size_t>(i)];
    line += c >= ' ' && c <= '~' ? c : '?';
  }
  return line;
}

}  // namespace

std::optional<Misconduct> OutputWatch::Take() {
  struct stat file{};
  if (fstat(descriptor_, &file) != 0 || !S_ISREG(file.st_mode) || file.st_size == 0) {
    return std::nullopt;
  }
  Misconduct written = {.verdict = Verdict::kStrayOutput,
                        .message = fmt::format("wrote {} bytes to {}: {}", file.st_size, name_,
                                               Excerpt(descriptor_))};
  if (ftruncate(descriptor_, 0) != 0) return std::nullopt;
  return written;
}

std::optional<Misconduct> GrowthWatch::Note(uint64_t resident) {
  block_ = std::max(block_, resident);
  if (++cases_ < row_.cases) return std::nullopt;
  cases_ = 0;
  const uint64_t held = std::exchange(block_, 0);
  const uint64_t before = std::exchange(most_, std::max(most_, held));
  if (before == 0 || most_ < before + row_.step) {
    grown_ = 0;
    return std::nullopt;
  }
  if (grown_ == 0) first_ = before;
  if (++grown_ < row_.blocks) return std::nullopt;
  grown_ = 0;
  const std::string rows =
      row_.cases == 1 ? fmt::format("each of {} cases in turn", row_.blocks)
                      : fmt::format("each of {} rows of {} cases", row_.blocks, row_.cases);
  return Misconduct{.verdict = Verdict::kMemoryGrowth,
                    .message = fmt::format("the process grew with {}, by {} MiB in all", rows,
                                           (most_ - first_) >> 20)};
}

void WorkerConduct::Note(WireReply& reply) {
  const auto add = [&](std::optional<Misconduct> misconduct) {
    if (misconduct) reply.misconduct.push_back(std::move(*misconduct));
  };
  // Output of the engine may still be in the buffer of stdout.
  std::fflush(stdout);
  add(output_.Take());
  // Text on standard error during a refused or failed case explains the refusal or failure, so it
  // is no misconduct.
  std::optional<Misconduct> said = errors_.Take();
  if (reply.status == RunStatus::kOk) add(std::move(said));
  if (kHoldsFreedMemory) return;
  const uint64_t resident = OwnResidentBytes();
  std::optional<Misconduct> grown = fast_.Note(resident);
  std::optional<Misconduct> grown_slowly = slow_.Note(resident);
  add(grown ? std::move(grown) : std::move(grown_slowly));
}

}  // namespace anecheck
