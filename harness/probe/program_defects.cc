#include "harness/probe/program_defects.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "harness/base/file.h"
#include "harness/formats/hwx/container.h"
#include "harness/probe/probe_program.h"

namespace anecheck {
namespace {

using Clock = std::chrono::steady_clock;

// ---- the place of a setting ----

// Offsets of the patch settings in the image of a task, for two versions
// (facts/more/td_generations.csv).
constexpr uint32_t kPatchSettings = 0x200;     // of version 7
constexpr uint32_t kPatchSettingsOf8 = 0x224;  // of version 8

bool Writes(const td::Task& task, uint32_t image_offset) {
  bool written = false;
  for (const td::RegisterWrite& write : task.writes) {
    td::ForEachRegister(task, write, [&](uint32_t address, uint32_t value) {
      written |= value != 0 && td::V7ImageOffset(address) == image_offset;
    });
  }
  return written;
}

// Counts the misplaced settings in a container of version 7. The project's own codec reads it.
Result<double> MisplacedIn(ByteSpan bytes) {
  ANECHECK_ASSIGN(const hwx::Container container, hwx::Parse(bytes));
  const hwx::Section* text = container.Text();
  if (text == nullptr || text->tasks == nullptr) {
    return MakeError(ErrorCode::kMalformed, "model.hwx: its text has no tasks");
  }
  constexpr uint32_t kVersion7 = 7;
  if (text->tasks->generation->version != kVersion7) return 0;
  return static_cast<double>(std::ranges::count_if(text->tasks->tasks, [](const td::Task& task) {
    return Writes(task, kPatchSettingsOf8) && !Writes(task, kPatchSettings);
  }));
}

// ---- the end of a large product ----

struct Ending {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<bool> ran;  // set at its end: whether it succeeded
};

double ComputedSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Waits as program_defects.h describes. Returns nothing if the execution is still running.
std::optional<bool> WaitFor(Ending& ending, bool simulated) {
  constexpr auto kLongest = std::chrono::seconds(30);
  constexpr auto kLook = std::chrono::milliseconds(2);
  constexpr double kComputed = 0.02;
  const auto deadline = Clock::now() + kLongest;
  const double stop = ComputedSeconds() + kComputed;
  std::unique_lock lock(ending.mutex);
  while (!ending.ran && Clock::now() < deadline && !(simulated && ComputedSeconds() >= stop)) {
    ending.changed.wait_for(lock, kLook);
  }
  return ending.ran;
}

}  // namespace

Result<double> ReflectionsMisplaced(const E5rtLibrary& engine, std::string_view target) {
  const ProbeProgram program(
      engine, target,
      ProbeText("tensor<fp16, [1, 3]> x",
                "tensor<fp16, [1, 5]> y = pad(x = x, pad = tensor<int32, [2]>([1, 1]), mode = "
                "string(\"reflect\"), constant_val = fp16(0));"));
  if (!program.failed().empty()) return Broken(program);
  const std::string path = program.bundle() + "/model.hwx";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return 0;
  ANECHECK_ASSIGN(const auto bytes, ReadFile(path));
  return MisplacedIn(bytes);
}

Result<double> LargeProductTimesOut(const E5rtLibrary& engine, std::string_view target) {
  constexpr size_t kSide = size_t{1} << 14;
  constexpr size_t kBytes = 2 * kSide * kSide;
  const std::string type = fmt::format("tensor<fp16, [{0}, {0}]>", kSide);
  const auto program = std::make_shared<ProbeProgram>(
      engine, target, ProbeText(type + " x", type + " y = matmul(x = x, y = x);"));
  // The buffers are fresh and zero, so the system has not yet allocated memory for them.
  const bool ready = program->failed().empty() && program->Bind("x", false, kBytes) != nullptr &&
                     program->Bind("y", true, kBytes) != nullptr;
  if (!ready) return Broken(*program);
  const std::string folder = program->folder();
  const auto ending = std::make_shared<Ending>();
  std::thread([program, ending] {
    const bool ran = program->Execute();
    const std::lock_guard lock(ending->mutex);
    ending->ran = ran;
    ending->changed.notify_one();
  }).detach();
  const std::optional<bool> ran = WaitFor(*ending, engine.simulated());
  if (!ran) {
    // The program object lives until this process ends, so its folder is removed here.
    const TempDirectory removed = TempDirectory::Adopt(folder);
    return 0;
  }
  if (*ran) return 0;
  const bool timed_out = program->message().find("timed out") != std::string::npos;
  if (!timed_out) return Broken(*program);
  return 1;
}

}  // namespace anecheck
