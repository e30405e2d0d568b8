#include "harness/probe/event_probes.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "harness/base/half.h"
#include "harness/probe/probe_program.h"

namespace anecheck {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

// The longest wait for an event, for the call of a block or for a result, and the wait for a second
// call of a block.
constexpr Milliseconds kComes(2000);
constexpr Milliseconds kComesAgain(100);

// A completion block in the published block ABI. It is marked global, so retaining and releasing it
// only read its class and flags. The block returns 0, because specification 001 describes blocks of
// type `e5rt_error_code_t (^)(void)`.
struct CompletionBlock {
  struct Descriptor {
    unsigned long reserved = 0;
    unsigned long size = sizeof(CompletionBlock);
  };
  void* isa = nullptr;
  int flags = 1 << 28;
  int reserved = 0;
  int64_t (*invoke)(CompletionBlock*) = [](CompletionBlock* block) -> int64_t {
    ++block->calls;
    return 0;
  };
  const Descriptor* descriptor = nullptr;
  std::atomic<int> calls{0};
};

CompletionBlock* MakeBlock() {
  static const CompletionBlock::Descriptor descriptor;
  static int own_class = 0;
  auto* block = new CompletionBlock;
  void* found = dlsym(RTLD_DEFAULT, "_NSConcreteGlobalBlock");
  block->isa = found != nullptr ? found : &own_class;
  block->descriptor = &descriptor;
  return block;
}

// The runtime releases a block some time after the call, and no source states when. So the process
// has one block, which is never freed.
CompletionBlock& TheBlock() {
  static CompletionBlock* const block = MakeBlock();
  return *block;
}

struct Wait {
  std::mutex mutex;
  std::condition_variable over;
  std::optional<int64_t> code;
  std::string message;
};

// Waits for the completion event of a request. Returns false if it is not signalled in time. A
// thread then continues to wait for it, so no object of the request may be released.
Result<bool> Comes(const E5rtLibrary& engine, const E5rtStreamApi& streams, void* event) {
  const auto wait = std::make_shared<Wait>();
  // The engine keeps a message for each thread, so the thread that waits reads the message.
  std::thread([wait, event, waits = streams.event_sync_wait,
               message = engine.api.get_last_error_message] {
    const int64_t code = waits(event);
    const char* text = code == 0 ? nullptr : message();
    const std::lock_guard lock(wait->mutex);
    wait->code = code;
    wait->message = text == nullptr ? "" : text;
    wait->over.notify_one();
  }).detach();
  std::unique_lock lock(wait->mutex);
  if (!wait->over.wait_for(lock, kComes, [&] { return wait->code.has_value(); })) return false;
  if (*wait->code == 0) return true;
  return MakeError(ErrorCode::kUnsupported, "event_sync_wait: " + wait->message);
}

// Waits up to kComes for `holds` to become true.
template <typename Condition>
bool Becomes(Condition&& holds) {
  const auto deadline = Clock::now() + kComes;
  while (!holds() && Clock::now() < deadline) std::this_thread::sleep_for(Milliseconds(1));
  return holds();
}

struct Answer {
  uint64_t signaled = 0;
  int calls = 0;  // of the block
};

// Runs the program once. If its event is not signalled, the submission may still be in flight, so
// the program is leaked (Abandon).
Result<Answer> Run(const E5rtLibrary& engine, const E5rtStreamApi& streams,
                   std::unique_ptr<ProbeProgram> program, void* event, bool async) {
  Answer answer;
  CompletionBlock& block = TheBlock();
  const int before = block.calls;
  bool done = true;
  if (!async) {
    if (!program->Execute()) return Broken(*program);
  } else {
    if (!program->Submit(streams, &block)) return Broken(*program);
    ANECHECK_ASSIGN(done, Comes(engine, streams, event));
    if (Becomes([&] { return block.calls > before; })) std::this_thread::sleep_for(kComesAgain);
  }
  const int64_t code = streams.event_get_last_signaled_value(event, &answer.signaled);
  if (!done) Abandon(std::move(program));
  if (code != 0) return CallFailed(engine, "event_get_last_signaled_value");
  answer.calls = block.calls - before;
  return answer;
}

// Runs y = x + 1 with a completion event.
Result<Answer> RunWithEvent(const E5rtLibrary& engine, std::string_view target, bool async) {
  constexpr size_t kBytes = 8;
  ANECHECK_ASSIGN(const E5rtStreamApi streams, ResolveStreamApi(engine));
  auto program = std::make_unique<ProbeProgram>(engine, target, PlainProbeText());
  const bool bound = program->failed().empty() && program->Bind("x", false, kBytes) != nullptr &&
                     program->Bind("y", true, kBytes) != nullptr;
  void* event = bound ? program->BindEvent(streams) : nullptr;
  if (event == nullptr) return Broken(*program);
  return Run(engine, streams, std::move(program), event, async);
}

// The side of a matrix product. The product takes far longer than the wake-up of a thread.
constexpr size_t kSide = 256;
constexpr size_t kProductBytes = kSide * kSide * 2;
constexpr std::string_view kParameters = "tensor<fp16, [256, 256]> x";
constexpr std::string_view kProduct = "tensor<fp16, [256, 256]> y = matmul(x = x, y = x);";

void FillWithOnes(void* data) {
  constexpr uint16_t kOne = 0x3c00;
  for (size_t i = 0; i < kProductBytes; i += 2) {
    std::memcpy(static_cast<char*>(data) + i, &kOne, 2);
  }
}

bool LastIsWritten(const void* y) {
  uint16_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(y) + kProductBytes - 2, 2);
  return bits != 0;
}

// The number of elements of y = x + 1. It makes an execution take far longer than its submission.
constexpr size_t kCounted = size_t{512} * 512;
// Above the 127 requests that may be in flight (facts e5rt_abi.md, "Limits").
constexpr int kRequests = 200;

// Returns the number of executions of y = x + 1 in place, which every element of the buffer counts.
// The engine may write to the buffer during the call.
int CountedIn(const void* buffer) {
  uint16_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(buffer) + kCounted * 2 - 2, 2);
  return static_cast<int>(HalfToFloat(Half{bits}));
}

}  // namespace

Result<double> SyncEventValue(const E5rtLibrary& engine, std::string_view target) {
  ANECHECK_ASSIGN(const Answer answer, RunWithEvent(engine, target, false));
  return static_cast<double>(answer.signaled);
}

Result<double> AsyncEventValue(const E5rtLibrary& engine, std::string_view target) {
  ANECHECK_ASSIGN(const Answer answer, RunWithEvent(engine, target, true));
  return static_cast<double>(answer.signaled);
}

Result<double> CompletionCalls(const E5rtLibrary& engine, std::string_view target) {
  ANECHECK_ASSIGN(const Answer answer, RunWithEvent(engine, target, true));
  return answer.calls;
}

Result<double> EarlyEvents(const E5rtLibrary& engine, std::string_view target) {
  ANECHECK_ASSIGN(const E5rtStreamApi streams, ResolveStreamApi(engine));
  auto program = std::make_unique<ProbeProgram>(engine, target, ProbeText(kParameters, kProduct));
  void* x = program->failed().empty() ? program->Bind("x", false, kProductBytes) : nullptr;
  void* y = x == nullptr ? nullptr : program->Bind("y", true, kProductBytes);
  void* event = y == nullptr ? nullptr : program->BindEvent(streams);
  if (event == nullptr) return Broken(*program);
  FillWithOnes(x);
  int early = 0;
  for (int i = 0; i < 20; ++i) {
    std::memset(y, 0, kProductBytes);
    if (!program->Submit(streams, &TheBlock())) return Broken(*program);
    ANECHECK_ASSIGN(const bool comes, Comes(engine, streams, event));
    if (!comes) {
      Abandon(std::move(program));
      return MakeError(ErrorCode::kUnsupported,
                       fmt::format("event_sync_wait does not return within {} ms: the event of a "
                                   "submission is lost",
                                   kComes.count()));
    }
    if (LastIsWritten(y)) continue;
    ++early;
    // The event was signalled, but the engine has not finished.
    if (!Becomes([&] { return LastIsWritten(y); })) {
      Abandon(std::move(program));
      return MakeError(ErrorCode::kUnsupported, "an event came, and its result did not");
    }
    std::this_thread::sleep_for(kComesAgain);
  }
  return early;
}

Result<double> RequestsInFlight(const E5rtLibrary& engine, std::string_view target) {
  ANECHECK_ASSIGN(const E5rtStreamApi streams, ResolveStreamApi(engine));
  auto program = std::make_unique<ProbeProgram>(
      engine, target,
      ProbeText("tensor<fp16, [1, 512, 512]> x",
                "tensor<fp16, [1, 512, 512]> y = add(x = x, y = fp16(1));"));
  void* x = program->failed().empty() ? program->Bind("x", false, kCounted * 2) : nullptr;
  if (x == nullptr || program->Share("y", true, "x") == nullptr) return Broken(*program);
  std::memset(x, 0, kCounted * 2);
  int submitted = 0;
  int most = 0;
  // A full queue may refuse the next request, or block the call until a request ends.
  while (submitted < kRequests && program->Submit(streams, &TheBlock())) {
    ++submitted;
    most = std::max(most, submitted - CountedIn(x));
  }
  if (submitted == 0) return Broken(*program);
  if (!Becomes([&] { return CountedIn(x) == submitted; })) {
    Abandon(std::move(program));
    return MakeError(ErrorCode::kUnsupported,
                     fmt::format("{} of {} requests were executed", CountedIn(x), submitted));
  }
  std::this_thread::sleep_for(kComesAgain);
  return most;
}

}  // namespace anecheck
