// The probes of the runtime and of the compiler's gates, and the table of them.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "harness/base/half.h"
#include "harness/probe/defect_probe_rows.h"
#include "harness/probe/event_probes.h"
#include "harness/probe/gate_probes.h"
#include "harness/probe/load_elsewhere.h"
#include "harness/probe/probe_program.h"
#include "harness/probe/runtime_probe.h"
#include "harness/runners/analytics.h"
#include "harness/runners/process_memory.h"

namespace anecheck {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kBytes = 8;  // four elements
// Above the 128 programs that a process may load (specification 001, operational limits).
constexpr size_t kPrograms = 140;

std::string AddOne() { return PlainProbeText(); }
std::string Twice() {
  return ProbeText("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = add(x = x, y = x);");
}

// Returns y = x + 1 for 2, 4, 6 or 8 elements (the form is assumed, see
// harness/device/shape_range.h).
std::string Ranged() {
  std::string text =
      ProbeText("tensor<fp16, [?]> x", "tensor<fp16, [?]> y = add(x = x, y = fp16(1));");
  text.insert(text.find(") {", text.find("func main")) + 1,
              " [FlexibleShapeInformation = tuple<tuple<string, dict<string, list<tensor<int32, "
              "[3]>, ?>>>>(((\"RangeDims\", {{\"x\", [[2, 8, 2]]}})))]");
  return text;
}

// Returns whether the program runs with buffers of `count` elements and writes the sum to the last
// element. Returns false if the engine refuses to bind, encode or execute.
Result<bool> RunsAt(const E5rtLibrary& engine, std::string_view target, size_t count) {
  ProbeProgram program(engine, target, Ranged());
  if (!program.failed().empty()) return Broken(program);
  const void* x = program.Bind("x", false, count * 2);
  const void* y = x == nullptr ? nullptr : program.Bind("y", true, count * 2);
  if (y == nullptr || !program.Execute()) {
    constexpr std::array<std::string_view, 3> kRefusals = {"bind", "encode", "execute"};
    if (std::ranges::find(kRefusals, program.failed()) != kRefusals.end()) return false;
    return Broken(program);
  }
  constexpr uint16_t kOne = 0x3c00;
  return std::memcmp(static_cast<const char*>(y) + count * 2 - 2, &kOne, 2) == 0;
}

Result<double> ExtentsThatRun(const E5rtLibrary& engine, std::string_view target,
                              std::initializer_list<size_t> counts) {
  double runs = 0;
  for (const size_t count : counts) {
    ANECHECK_ASSIGN(const bool ran, RunsAt(engine, target, count));
    runs += ran ? 1 : 0;
  }
  return runs;
}
Result<double> ExtentsOfARange(const E5rtLibrary& engine, std::string_view target) {
  return ExtentsThatRun(engine, target, {2, 4, 6, 8});
}
Result<double> ExtentsOutsideOfARange(const E5rtLibrary& engine, std::string_view target) {
  return ExtentsThatRun(engine, target, {1, 3, 7, 9, 10});
}

void Fill(void* data, double value) {
  const uint16_t bits = DoubleToHalf(value).bits;
  for (size_t i = 0; i < kBytes / 2; ++i) std::memcpy(static_cast<char*>(data) + 2 * i, &bits, 2);
}
double First(const void* data) {
  Half half;
  std::memcpy(&half.bits, data, 2);
  return HalfToDouble(half);
}

// AddOne with x and y bound to separate buffers.
struct Adder {
  Adder(const E5rtLibrary& engine, std::string_view target, size_t output_bytes = kBytes)
      : program(engine, target, AddOne()) {
    if (!program.failed().empty()) return;
    x = program.Bind("x", false, kBytes);
    y = program.Bind("y", true, output_bytes);
  }
  bool ready() const { return x != nullptr && y != nullptr && program.failed().empty(); }

  ProbeProgram program;
  void* x = nullptr;
  void* y = nullptr;
};

// If the program did not load, returns the number of programs that were loaded before it, which is
// the limit. Any other failure shows no limit.
Result<double> LimitBefore(const ProbeProgram& program, size_t loaded) {
  if (loaded == 0 || program.failed() != ToText(Step::kLoad)) return Broken(program);
  return static_cast<double>(loaded);
}

Result<double> LoadedPrograms(const E5rtLibrary& engine, std::string_view target) {
  std::vector<std::unique_ptr<ProbeProgram>> programs;
  while (programs.size() < kPrograms) {
    auto program = std::make_unique<ProbeProgram>(engine, target, AddOne());
    if (!program->failed().empty()) return LimitBefore(*program, programs.size());
    programs.push_back(std::move(program));
  }
  return kPrograms;
}

Result<double> ProgramsInTurn(const E5rtLibrary& engine, std::string_view target) {
  for (size_t i = 0; i < kPrograms; ++i) {
    const ProbeProgram program(engine, target, AddOne());
    if (!program.failed().empty()) return LimitBefore(program, i);
  }
  return kPrograms;
}

constexpr uint32_t kNoBufferType = 3;

Result<double> BadBufferTypeRefused(const E5rtLibrary& engine, std::string_view) {
  void* buffer = nullptr;
  const int64_t code = engine.api.buffer_alloc(&buffer, kBytes, kNoBufferType);
  if (buffer != nullptr) engine.api.buffer_release(&buffer);
  return code != 0 ? 1 : 0;
}

Result<double> ErrorText(const E5rtLibrary& engine, std::string_view target) {
  ANECHECK_ASSIGN(const double refused, BadBufferTypeRefused(engine, target));
  const char* text = engine.api.get_last_error_message();
  return refused == 1 && text != nullptr && *text != 0 ? 1 : 0;
}

Result<double> BufferSize(const E5rtLibrary& engine, std::string_view) {
  using Sizer = int64_t (*)(void*, size_t*);
  const auto size_of = reinterpret_cast<Sizer>(dlsym(engine.handle, "e5rt_buffer_object_get_size"));
  if (size_of == nullptr) return MakeError(ErrorCode::kUnsupported, "buffer_object_get_size");
  void* buffer = nullptr;
  size_t size = 0;
  if (engine.api.buffer_alloc(&buffer, kBytes, 0) != 0) return CallFailed(engine, "buffer_alloc");
  const int64_t code = size_of(buffer, &size);
  if (code != 0) return CallFailed(engine, "buffer_get_size");
  engine.api.buffer_release(&buffer);
  return static_cast<double>(size);
}

Result<double> UnknownPortRefused(const E5rtLibrary& engine, std::string_view target) {
  const ProbeProgram program(engine, target, AddOne());
  if (!program.failed().empty()) return Broken(program);
  void* port = nullptr;
  const int64_t code = engine.api.operation_retain_input_port(program.operation(), "nobody", &port);
  if (port != nullptr) engine.api.port_release(&port);
  return code != 0 ? 1 : 0;
}

Result<double> FreshStreamResetRefused(const E5rtLibrary& engine, std::string_view target) {
  ANECHECK_ASSIGN(const E5rtStreamApi stream, ResolveStreamApi(engine));
  const ProbeProgram program(engine, target, AddOne());
  if (!program.failed().empty()) return Broken(program);
  return stream.stream_reset(program.stream()) != 0 ? 1 : 0;
}

Result<double> FreshPrepareRefused(const E5rtLibrary& engine, std::string_view target) {
  ANECHECK_ASSIGN(const E5rtStreamApi stream, ResolveStreamApi(engine));
  const ProbeProgram program(engine, target, AddOne());
  if (!program.failed().empty()) return Broken(program);
  const E5rtApi& api = engine.api;
  void* options = nullptr;
  void* operation = nullptr;
  const bool made =
      api.op_options_create_with_program_function(&options, program.function()) == 0 &&
      api.op_options_set_operation_name(options, "other") == 0 &&
      api.operation_create(&operation, options) == 0;
  const int64_t code = made ? stream.operation_prepare_op_for_encode(operation) : 0;
  if (operation != nullptr) api.operation_release(&operation);
  if (options != nullptr) api.op_options_release(&options);
  if (!made) return MakeError(ErrorCode::kUnsupported, "a second operation cannot be made");
  return code != 0 ? 1 : 0;
}

Result<double> OperandOrder(const E5rtLibrary& engine, std::string_view target) {
  ProbeProgram program(engine, target,
                       ProbeText("tensor<fp16, [4]> a, tensor<fp16, [4]> b",
                                 "tensor<fp16, [4]> y = sub(x = a, y = b);"));
  void* a = program.failed().empty() ? program.Bind("a", false, kBytes) : nullptr;
  void* b = a == nullptr ? nullptr : program.Bind("b", false, kBytes);
  void* y = b == nullptr ? nullptr : program.Bind("y", true, kBytes);
  if (y == nullptr) return Broken(program);
  Fill(a, 5);
  Fill(b, 2);
  if (!program.Execute()) return Broken(program);
  return First(y);
}

// Returns y of AddOne after `runs` executions with x and y in one buffer.
Result<double> Resident(const E5rtLibrary& engine, std::string_view target, int runs) {
  ProbeProgram program(engine, target, AddOne());
  void* x = program.failed().empty() ? program.Bind("x", false, kBytes) : nullptr;
  if (x == nullptr || program.Share("y", true, "x") == nullptr) return Broken(program);
  Fill(x, 0);
  for (int i = 0; i < runs; ++i) {
    if (!program.Execute()) return Broken(program);
  }
  return First(x);
}
Result<double> ResidentOnce(const E5rtLibrary& engine, std::string_view target) {
  return Resident(engine, target, 1);
}
Result<double> ResidentThrice(const E5rtLibrary& engine, std::string_view target) {
  return Resident(engine, target, 3);
}

// Computes (0 + 1) * 2 by two operations in one stream, with a shared buffer between them.
Result<double> ChainOfTwo(const E5rtLibrary& engine, std::string_view target) {
  Adder first(engine, target);
  if (!first.ready()) return Broken(first.program);
  ProbeProgram second(engine, target, Twice());
  if (!second.failed().empty()) return Broken(second);
  // The second operation reads the output of the first, because its input shares the output's
  // buffer.
  const void* between = second.Share("x", false, "y", first.program);
  const void* y = between == nullptr ? nullptr : second.Bind("y", true, kBytes);
  if (y == nullptr) return Broken(second);
  Fill(first.x, 0);
  Fill(first.y, 7);
  if (!first.program.Encode(second) || !first.program.Execute()) return Broken(first.program);
  return First(y);
}

// Programs that share a stream or a buffer with the first program, which is destroyed last.
template <typename Program>
struct Sharing {
  ~Sharing() {
    while (!all.empty()) all.pop_back();
  }
  std::vector<std::unique_ptr<Program>> all;
};

// Returns the number of programs whose operations one stream accepts and runs in one call.
Result<double> OperationsInAStream(const E5rtLibrary& engine, std::string_view target) {
  Sharing<Adder> sharing;
  std::vector<std::unique_ptr<Adder>>& adders = sharing.all;
  while (adders.size() < kPrograms) {
    auto adder = std::make_unique<Adder>(engine, target);
    if (!adder->ready()) {
      const Result<double> limit = LimitBefore(adder->program, adders.size());
      if (!limit.ok()) return limit.error();
      break;
    }
    Fill(adder->x, 1);
    if (!adders.empty() && !adders.front()->program.Encode(adder->program)) break;
    adders.push_back(std::move(adder));
  }
  if (!adders.front()->program.Execute()) return Broken(adders.front()->program);
  return static_cast<double>(
      std::ranges::count_if(adders, [](const auto& adder) { return First(adder->y) == 2; }));
}

constexpr size_t kSteps = 64;

// Programs in the stream of the first program. Each adds 1 in place to the value of the first.
struct Steps {
  std::vector<std::unique_ptr<ProbeProgram>>& all() { return sharing.all; }
  ProbeProgram& first() { return *sharing.all.front(); }

  Sharing<ProbeProgram> sharing;
  void* value = nullptr;
};

// Adds `count` such programs to `steps`.
Status MakeSteps(const E5rtLibrary& engine, std::string_view target, size_t count, Steps& steps) {
  for (size_t i = 0; i < count; ++i) {
    auto step = std::make_unique<ProbeProgram>(engine, target, AddOne());
    if (!step->failed().empty()) return Broken(*step);
    const bool first = steps.all().empty();
    void* x = first ? step->Bind("x", false, kBytes) : step->Share("x", false, "x", steps.first());
    if (x == nullptr || step->Share("y", true, "x") == nullptr) return Broken(*step);
    if (first) steps.value = x;
    if (!first && !steps.first().Encode(*step)) return Broken(steps.first());
    steps.all().push_back(std::move(step));
  }
  return {};
}

// Adds 1 to 0 in place 64 times, with 64 operations in one stream and one call.
Result<double> ResidentByOneCall(const E5rtLibrary& engine, std::string_view target) {
  Steps steps;
  ANECHECK_RETURN_IF_ERROR(MakeSteps(engine, target, kSteps, steps));
  Fill(steps.value, 0);
  if (!steps.first().Execute()) return Broken(steps.first());
  return First(steps.value);
}

// Returns the shortest time of several in which the program runs `calls` times.
Result<Clock::duration> ShortestRun(ProbeProgram& program, size_t calls) {
  auto best = Clock::duration::max();
  for (int i = 0; i < 8; ++i) {
    const auto start = Clock::now();
    for (size_t call = 0; call < calls; ++call) {
      if (!program.Execute()) return Broken(program);
    }
    best = std::min(best, Clock::now() - start);
  }
  return best;
}

// Returns whether one call with 64 operations takes less than twice the time of 64 calls with one
// operation.
Result<double> OneCallNoSlower(const E5rtLibrary& engine, std::string_view target) {
  Steps together, alone;
  ANECHECK_RETURN_IF_ERROR(MakeSteps(engine, target, kSteps, together));
  ANECHECK_RETURN_IF_ERROR(MakeSteps(engine, target, 1, alone));
  ANECHECK_ASSIGN(const auto one_call, ShortestRun(together.first(), 1));
  ANECHECK_ASSIGN(const auto calls, ShortestRun(alone.first(), kSteps));
  return one_call < 2 * calls ? 1 : 0;
}

// Loads this process's bundle in a forked child. Returns 0 if it loads, 1 if the engine refuses it,
// 2 if a signal ends the child.
Result<double> ReusedAfterFork(const E5rtLibrary& engine, std::string_view target) {
  using Loader = int64_t (*)(void**, const char*);
  const auto load = reinterpret_cast<Loader>(dlsym(engine.handle, "e5rt_program_library_create"));
  if (load == nullptr) return MakeError(ErrorCode::kUnsupported, "program_library_create");
  const ProbeProgram program(engine, target, AddOne());
  if (!program.failed().empty()) return Broken(program);
  const pid_t child = fork();
  if (child < 0) return MakeError(ErrorCode::kIo, "fork fails");
  if (child == 0) {
    void* library = nullptr;
    _exit(load(&library, program.bundle().c_str()) == 0 ? 0 : 1);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) return MakeError(ErrorCode::kIo, "waitpid fails");
  return WIFSIGNALED(status) ? 2 : WEXITSTATUS(status);
}

// Loads this process's bundle in another process of this executable. Both processes have the same
// code signature.
Result<double> ReusedAfterSpawn(const E5rtLibrary& engine, std::string_view target) {
  const ProbeProgram program(engine, target, AddOne());
  if (!program.failed().empty()) return Broken(program);
  return LoadElsewhere(engine, target, program.bundle());
}

Result<double> Placement(const E5rtLibrary& engine, std::string_view target) {
  ProbeProgram program(engine, target, AddOne());
  if (!program.failed().empty()) return Broken(program);
  const std::string backend = program.SelectedBackend();
  if (backend.empty()) return 0;
  return backend == kEngineBackend ? 1 : 2;
}

// Returns how many of 12 executions with new inputs fail or return a result other than x + 1.
Result<double> WrongRuns(const E5rtLibrary& engine, std::string_view target) {
  Adder adder(engine, target);
  if (!adder.ready()) return Broken(adder.program);
  int wrong = 0;
  for (int i = 1; i <= 12; ++i) {
    Fill(adder.x, i);
    const bool ran = adder.program.Execute();
    wrong += ran && First(adder.y) == i + 1 ? 0 : 1;
  }
  return wrong;
}

Result<double> InputsKept(const E5rtLibrary& engine, std::string_view target) {
  Adder adder(engine, target);
  if (!adder.ready()) return Broken(adder.program);
  Fill(adder.x, 3);
  if (!adder.program.Execute()) return Broken(adder.program);
  return First(static_cast<const char*>(adder.x) + kBytes - 2) == 3 ? 1 : 0;
}

// Returns how many bytes after the output change, in a buffer that is larger than the output.
Result<double> BytesOverrun(const E5rtLibrary& engine, std::string_view target) {
  constexpr size_t kMargin = 64;
  Adder adder(engine, target, kBytes + kMargin);
  if (!adder.ready()) return Broken(adder.program);
  constexpr unsigned char kMark = 0xa7;
  std::memset(adder.y, kMark, kBytes + kMargin);
  Fill(adder.x, 3);
  if (!adder.program.Execute()) return Broken(adder.program);
  double changed = 0;
  for (size_t i = kBytes; i < kBytes + kMargin; ++i) {
    changed += static_cast<const unsigned char*>(adder.y)[i] == kMark ? 0 : 1;
  }
  return changed;
}

// Returns whether even the fastest of eight executions of four additions takes 20 ms.
Result<double> Slow(const E5rtLibrary& engine, std::string_view target) {
  Adder adder(engine, target);
  if (!adder.ready()) return Broken(adder.program);
  auto best = Clock::duration::max();
  for (int i = 0; i < 8; ++i) {
    const auto start = Clock::now();
    if (!adder.program.Execute()) return Broken(adder.program);
    best = std::min(best, Clock::now() - start);
  }
  return best >= std::chrono::milliseconds(20) ? 1 : 0;
}

constexpr uint64_t kMostGrowth = uint64_t{24} << 20;

Result<double> MemoryOfRuns(const E5rtLibrary& engine, std::string_view target) {
  Adder adder(engine, target);
  if (!adder.ready() || !adder.program.Execute()) return Broken(adder.program);
  const uint64_t before = ResidentBytes(getpid());
  for (int i = 0; i < 48; ++i) {
    if (!adder.program.Execute()) return Broken(adder.program);
  }
  return ResidentBytes(getpid()) > before + kMostGrowth ? 1 : 0;
}
Result<double> MemoryOfCompiles(const E5rtLibrary& engine, std::string_view target) {
  const ProbeProgram warm(engine, target, AddOne());
  if (!warm.failed().empty()) return Broken(warm);
  const uint64_t before = ResidentBytes(getpid());
  for (int i = 0; i < 12; ++i) {
    const ProbeProgram program(engine, target, AddOne());
    if (!program.failed().empty()) return Broken(program);
  }
  return ResidentBytes(getpid()) > before + kMostGrowth ? 1 : 0;
}

// Runs a program. The parent process counts the bytes that this process prints.
Result<double> BytesPrinted(const E5rtLibrary& engine, std::string_view target) {
  Adder adder(engine, target);
  if (!adder.ready() || !adder.program.Execute()) return Broken(adder.program);
  return 0;
}

constexpr uint32_t kAll = 0xff;
constexpr std::string_view kLimits = "specification 001, operational limits";
constexpr std::string_view kCalls = "specification 001, call sequence; facts e5rt_abi.md";
constexpr std::string_view kDefects = "facts known_defects.csv";
constexpr std::string_view kLiveIns =
    "specification 000, live-in parameters; that the size of a buffer binds one is assumed";
constexpr std::string_view kGates = "facts limits.csv; facts mil.md";

// The time factor of a probe that compiles kPrograms programs. The time limit of a case is enough
// for about ten compilations.
constexpr int kLong = 15;
constexpr int kTwice = 2;

constexpr std::array kProbes = {
    RuntimeProbe{"loaded_programs", "programs that load in one process, of 140", kPrograms, kLimits,
                 "D36", 128, kAll, LoadedPrograms, kLong},
    RuntimeProbe{"programs_in_turn", "programs that load and are released in turn, of 140",
                 kPrograms, kLimits, "", 0, 0, ProgramsInTurn, kLong},
    RuntimeProbe{"sync_event_value", "value of a completion event after execute_sync", 1, kCalls,
                 "D37", 0, kAll, SyncEventValue},
    RuntimeProbe{"async_event_value", "value of a completion event after submit_async", 1, kCalls,
                 "", 0, 0, AsyncEventValue},
    RuntimeProbe{"completion_calls", "calls of the completion block of one submission", 1, kCalls,
                 "", 0, 0, CompletionCalls},
    RuntimeProbe{"early_events", "events that came before their result, of 20", 0, kCalls, "", 0, 0,
                 EarlyEvents},
    RuntimeProbe{"requests_in_flight", "requests in flight at most, of 200 submitted", 127,
                 "facts e5rt_abi.md, limits", "", 0, 0, RequestsInFlight, kTwice},
    RuntimeProbe{"fallback_refused", "1: mask 0x7 does not run the refused operations on the CPU",
                 1, kDefects, "D35", 0, kAll, FallbackRefused},
    RuntimeProbe{"unknown_target_refused", "1: an unknown TargetArchitecture is refused", 1,
                 kDefects, "P13", 0, kAll, UnknownTargetRefused},
    RuntimeProbe{"placement", "1: analytics name the engine; 2: another backend; 0: none", 1,
                 kCalls, "", 0, 0, Placement},
    RuntimeProbe{"rank_6_refused", "1: a tensor of rank 6 is refused", 1, kGates, "", 0, 0,
                 RankSixRefused},
    RuntimeProbe{"wide_axis_refused", "1: an axis of 65537 is refused", 1, kGates, "", 0, 0,
                 WideAxisRefused},
    RuntimeProbe{"wide_kernel_refused", "1: a kernel of width 33 is refused", 1, kGates, "", 0, 0,
                 WideKernelRefused},
    RuntimeProbe{"integer_input_refused", "1: a program input of int32 is refused", 1, kGates, "",
                 0, 0, IntegerInputRefused},
    RuntimeProbe{"refusal_names_reason", "1: the refusal of rank 6 names the rank", 1, kGates, "",
                 0, 0, RefusalNamesReason},
    RuntimeProbe{"bad_buffer_type_refused", "1: buffer type 3 is refused", 1, kCalls, "", 0, 0,
                 BadBufferTypeRefused},
    RuntimeProbe{"error_text", "1: a failed call leaves a message", 1, kCalls, "", 0, 0, ErrorText},
    RuntimeProbe{"buffer_size", "size of a buffer of 8 bytes", kBytes, kCalls, "", 0, 0,
                 BufferSize},
    RuntimeProbe{"unknown_port_refused", "1: a port of an unknown name is refused", 1, kCalls, "",
                 0, 0, UnknownPortRefused},
    RuntimeProbe{"fresh_stream_reset_refused", "1: a stream that was never used cannot be reset", 1,
                 kCalls, "", 0, 0, FreshStreamResetRefused},
    RuntimeProbe{"fresh_prepare_refused",
                 "1: an operation that was never encoded cannot be prepared", 1, kCalls, "", 0, 0,
                 FreshPrepareRefused},
    RuntimeProbe{"operand_order", "5 - 2 by two input ports", 3, kCalls, "", 0, 0, OperandOrder},
    RuntimeProbe{"resident_once", "0 + 1 in place", 1, kCalls, "", 0, 0, ResidentOnce},
    RuntimeProbe{"resident_thrice", "0 + 1 + 1 + 1 in place", 3, kCalls, "", 0, 0, ResidentThrice},
    RuntimeProbe{"chain_of_two", "(0 + 1) * 2 by two operations of a stream", 2, kCalls, "", 0, 0,
                 ChainOfTwo},
    RuntimeProbe{"resident_by_one_call", "0 + 1, 64 times in place by one call", 64,
                 "specification 001, section 2.5", "", 0, 0, ResidentByOneCall, kLong},
    RuntimeProbe{"one_call_no_slower",
                 "1: one call of 64 operations takes less than twice as long as 64 calls", 1,
                 "specification 001, section 2.5: 66 ms against 60 ms", "", 0, 0, OneCallNoSlower,
                 kLong},
    RuntimeProbe{"reused_after_fork",
                 "0: a forked child loads a bundle; 1: it is refused; 2: it ends", 2,
                 "specification 001, section 5.1", "", 0, 0, ReusedAfterFork},
    RuntimeProbe{
        "reused_after_spawn",
        "0: another process of this executable loads a bundle; 1: it is refused; 2: it ends", 1,
        "specification 001, section 5.1: a fresh process must compile again; by its next "
        "words a child of posix_spawn with the same signature loads it (0)",
        "", 0, 0, ReusedAfterSpawn},
    RuntimeProbe{"operations_in_a_stream", "programs that one stream runs by one call, of 140",
                 kPrograms,
                 "specification 001, operational limits: 128 programs; otherwise 110 to 120 "
                 "operations (section 2.5)",
                 "D36", 128, kAll, OperationsInAStream, kLong},
    RuntimeProbe{"wrong_runs", "executions of 12 that fail or give another sum", 0, kCalls, "", 0,
                 0, WrongRuns},
    RuntimeProbe{"inputs_kept", "1: an execution leaves its input unchanged", 1, kCalls, "", 0, 0,
                 InputsKept},
    RuntimeProbe{"bytes_overrun", "bytes changed after the end of an output", 0, kCalls, "", 0, 0,
                 BytesOverrun},
    RuntimeProbe{"bytes_printed", "bytes on standard output while a program runs", 0, kCalls, "", 0,
                 0, BytesPrinted},
    RuntimeProbe{"slow_runs", "1: four additions take 20 ms or more", 0, kCalls, "", 0, 0, Slow},
    RuntimeProbe{"memory_of_runs", "1: 48 executions keep more than 24 MiB", 0, kCalls, "", 0, 0,
                 MemoryOfRuns},
    RuntimeProbe{"memory_of_compiles", "1: 12 compilations keep more than 24 MiB", 0, kCalls, "", 0,
                 0, MemoryOfCompiles, kTwice},
    RuntimeProbe{"extents_of_a_range",
                 "extents of 2, 4, 6 and 8 at which a program for 2 to 8 by 2 runs", 4, kLiveIns,
                 "", 0, 0, ExtentsOfARange},
    RuntimeProbe{"extents_outside_of_a_range",
                 "extents of 1, 3, 7, 9 and 10 at which that program runs", 0, kLiveIns, "", 0, 0,
                 ExtentsOutsideOfARange},
};

}  // namespace

std::span<const RuntimeProbe> RuntimeProbes() {
  static const auto* all = [] {
    auto* probes = new std::vector<RuntimeProbe>(kProbes.begin(), kProbes.end());
    std::ranges::copy(DefectProbes(), std::back_inserter(*probes));
    return probes;
  }();
  return *all;
}

}  // namespace anecheck
