// Tests each planted defect of the e5rt layer through the call that the defect changes.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "harness/base/file.h"
#include "harness/device/fault.h"
#include "harness/device/testing/fault_kinds.h"
#include "harness/device/testing/test_engine.h"

namespace anecheck::device::testing {
namespace {

const std::string kAddOne =
    MilProgram("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = add(x = x, y = fp16(1));", "y");
const std::string kSub = MilProgram("tensor<fp16, [4]> a, tensor<fp16, [4]> b",
                                    "tensor<fp16, [4]> y = sub(x = a, y = b);", "y");
const std::string kSixAxes = MilProgram("tensor<fp16, [1, 1, 1, 1, 1, 3]> x",
                                        "tensor<fp16, [1, 1, 1, 1, 1, 3]> y = relu(x = x);", "y");

// Returns y of kAddOne after `runs` executions with y bound to x.
double Resident(int runs) {
  LoadedProgram program(kAddOne);
  const auto* x = static_cast<const uint16_t*>(program.Bind("x", false, 8));
  program.Share("y", true, program.buffer("x"));
  for (int i = 0; i < runs; ++i) program.Execute();
  return HalfToDouble(Half{x[0]});
}

// Returns y after `runs` executions of y = x + (the earlier y), with x = 1.
double Accumulated(int runs) {
  LoadedProgram program(MilProgram("tensor<fp16, [4]> x, state<tensor<fp16, [4]>> s",
                                   "tensor<fp16, [4]> before = read_state(input = s);"
                                   "tensor<fp16, [4]> y = add(x = x, y = before);"
                                   "write_state(input = s, data = y);",
                                   "y"));
  auto* x = static_cast<uint16_t*>(program.Bind("x", false, 8));
  std::fill(x, x + 4, DoubleToHalf(1).bits);
  const auto* y = static_cast<const uint16_t*>(program.Bind("y", true, 8));
  for (int i = 0; i < runs; ++i) program.Execute();
  return HalfToDouble(Half{y[0]});
}

double ChainOfTwo() {
  const std::string twice =
      MilProgram("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = add(x = x, y = x);", "y");
  LoadedProgram first(kAddOne);
  LoadedProgram second(twice);
  const auto* x = static_cast<const uint16_t*>(first.Bind("x", false, 8));
  first.Share("y", true, first.buffer("x"));
  second.Share("x", false, first.buffer("x"));
  second.Share("y", true, first.buffer("x"));
  first.Encode();
  ENGINE(e5rt_execution_stream_encode_operation)(first.stream(), second.operation());
  first.Execute();
  return HalfToDouble(Half{x[0]});
}

struct CountingBlock {
  void* isa = nullptr;
  int32_t flags = 0;
  int32_t reserved = 0;
  int64_t (*invoke)(void*) = [](void* block) -> int64_t {
    ++static_cast<CountingBlock*>(block)->calls;
    return 0;
  };
  std::atomic<int> calls = 0;
};

struct AsyncOutcome {
  uint64_t signaled = 0;
  int calls = 0;
};
AsyncOutcome RunAsync() {
  CountingBlock block;
  AsyncOutcome outcome;
  void* event = nullptr;
  {
    LoadedProgram program(kAddOne);
    program.Bind("x", false, 8);
    program.Bind("y", true, 8);
    ENGINE(e5rt_async_event_create)(&event, "done", 0);
    ENGINE(e5rt_execution_stream_operation_bind_completion_event)(program.operation(), event);
    block.isa = &block;
    program.Encode();
    ENGINE(e5rt_execution_stream_submit_async)(program.stream(), &block);
  }  // the release of the stream waits for its requests
  ENGINE(e5rt_async_event_get_last_signaled_value)(event, &outcome.signaled);
  ENGINE(e5rt_async_event_release)(&event);
  outcome.calls = block.calls;
  return outcome;
}

uint64_t SyncSignal() {
  uint64_t value = 0;
  void* event = nullptr;
  LoadedProgram program(kAddOne);
  program.Bind("x", false, 8);
  program.Bind("y", true, 8);
  ENGINE(e5rt_async_event_create)(&event, "done", 0);
  ENGINE(e5rt_execution_stream_operation_bind_completion_event)(program.operation(), event);
  program.Execute();
  ENGINE(e5rt_async_event_get_last_signaled_value)(event, &value);
  ENGINE(e5rt_async_event_release)(&event);
  return value;
}

std::string Analytics() {
  auto folder = TempDirectory::Create("anecheck-fault-");
  const LoadedProgram program(kAddOne, {.bundle = folder->path()});
  auto text = ReadTextFile(folder->File("analytics.mil"));
  if (!text.ok()) return "missing";
  return text->find("\"ane\"") != std::string::npos ? "ane" : "other";
}

size_t ProgramsThatLoad() {
  std::vector<std::unique_ptr<LoadedProgram>> programs;
  while (programs.size() < 130) {
    programs.push_back(std::make_unique<LoadedProgram>(kAddOne));
    if (!programs.back()->ok()) return programs.size() - 1;
  }
  return programs.size();
}

uint64_t LoadedAfterRelease() {
  anecheck_sim_counts counts{};
  ENGINE(anecheck_sim_get_counts)(&counts);
  const uint64_t before = counts.loaded_programs;
  {
    const LoadedProgram program(kAddOne);
  }
  ENGINE(anecheck_sim_get_counts)(&counts);
  return counts.loaded_programs - before;
}

double SwappedDifference() {
  LoadedProgram program(kSub);
  auto* a = static_cast<uint16_t*>(program.Bind("a", false, 8));
  program.Bind("b", false, 8);
  const auto* y = static_cast<const uint16_t*>(program.Bind("y", true, 8));
  a[0] = 0x3c00;
  program.Execute();
  return HalfToDouble(Half{y[0]});
}

bool EarlySignal() {
  // The program starts slowly, so that the test sees an event that precedes the result.
  LoadedProgram program(kAddOne);
  program.Bind("x", false, 8);
  const auto* y = static_cast<const volatile uint16_t*>(program.Bind("y", true, 8));
  void* event = nullptr;
  ENGINE(e5rt_async_event_create)(&event, "done", 0);
  ENGINE(e5rt_execution_stream_operation_bind_completion_event)(program.operation(), event);
  program.Encode();
  ENGINE(e5rt_execution_stream_async_submit)(program.stream());
  ENGINE(e5rt_async_event_sync_wait)(event);
  const bool early = y[0] == 0;
  ENGINE(e5rt_async_event_release)(&event);
  return early;
}

int64_t BadBufferType() {
  void* buffer = nullptr;
  const int64_t code = ENGINE(e5rt_buffer_object_alloc)(&buffer, 8, 3);
  if (buffer != nullptr) ENGINE(e5rt_buffer_object_release)(&buffer);
  return code;
}

size_t BufferSize() {
  void* buffer = nullptr;
  size_t size = 0;
  ENGINE(e5rt_buffer_object_alloc)(&buffer, 8, 0);
  ENGINE(e5rt_buffer_object_get_size)(buffer, &size);
  ENGINE(e5rt_buffer_object_release)(&buffer);
  return size;
}

int64_t PortOfAnyName() {
  LoadedProgram program(kAddOne);
  void* port = nullptr;
  const int64_t code = ENGINE(e5rt_execution_stream_operation_retain_input_port)(
      program.operation(), "nobody", &port);
  if (port != nullptr) ENGINE(e5rt_io_port_release)(&port);
  return code;
}

int64_t PrepareFresh() {
  auto folder = TempDirectory::Create("anecheck-fault-");
  const LoadedProgram program(kAddOne, {.bundle = folder->path()});
  void* library = nullptr;
  void* function = nullptr;
  void* options = nullptr;
  void* operation = nullptr;
  ENGINE(e5rt_program_library_create)(&library, folder->path().c_str());
  ENGINE(e5rt_program_library_retain_program_function)(library, "main", &function);
  ENGINE(e5rt_precompiled_compute_op_create_options_create_with_program_function)(&options,
                                                                                  function);
  ENGINE(e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options)
  (&operation, options);
  const int64_t code = ENGINE(e5rt_execution_stream_operation_prepare_op_for_encode)(operation);
  ENGINE(e5rt_execution_stream_operation_release)(&operation);
  ENGINE(e5rt_precompiled_compute_op_create_options_release)(&options);
  ENGINE(e5rt_program_function_release)(&function);
  ENGINE(e5rt_program_library_release)(&library);
  return code;
}

const std::string kRanged =
    "program(1.3)\n{\n func main<ios18>(tensor<fp16, [?]> x) [FlexibleShapeInformation = "
    "tuple<tuple<string, dict<string, list<tensor<int32, [3]>, ?>>>>(((\"RangeDims\", {{\"x\", "
    "[[2, 8, 2]]}})))] {\n tensor<fp16, [?]> y = add(x = x, y = fp16(1));\n } -> (y);\n}\n";

// Returns the last output element of kRanged with `count` elements, or the error of a failed run.
std::string LastOfRange(size_t count) {
  LoadedProgram program(kRanged);
  program.Bind("x", false, count * 2);
  const auto* y = static_cast<const uint16_t*>(program.Bind("y", true, count * 2));
  if (program.ok()) program.Execute();
  return program.ok() ? fmt::format("{}", y[count - 1]) : program.error();
}

// Returns both files of a program with two tasks. One task has a kernel of two channels.
std::string Files() {
  auto folder = TempDirectory::Create("anecheck-fault-");
  const LoadedProgram program(
      MilProgram("tensor<fp16, [1, 2]> x",
                 "tensor<fp16, [1, 2]> h = linear(x = x, weight = tensor<fp16, [2, 2]>([[1, 2], "
                 "[3, 4]]));\ntensor<fp16, [1, 2]> y = relu(x = h);",
                 "y"),
      {.bundle = folder->path()});
  std::string bytes;
  for (const char* name : {"program.e5", "model.hwx"}) {
    bytes += ReadTextFile(folder->File(name)).value();
  }
  return bytes;
}

// Returns the number of programs, of `programs`, whose execution fails.
int FailuresOf(int programs) {
  int failures = 0;
  for (int i = 0; i < programs; ++i) {
    LoadedProgram program(kAddOne);
    program.Bind("x", false, 8);
    program.Bind("y", true, 8);
    failures += program.Execute() == 0 ? 0 : 1;
  }
  return failures;
}

// Returns the result of a second execution, on another input.
double SecondResult() {
  LoadedProgram program(kAddOne);
  auto* x = static_cast<uint16_t*>(program.Bind("x", false, 8));
  const auto* y = static_cast<const uint16_t*>(program.Bind("y", true, 8));
  program.Execute();
  x[0] = 0x4000;
  program.Execute();
  return HalfToDouble(Half{y[0]});
}

int InputAfterwards() {
  LoadedProgram program(kAddOne);
  const auto* x = static_cast<const uint8_t*>(program.Bind("x", false, 8));
  program.Bind("y", true, 8);
  program.Execute();
  return std::accumulate(x, x + 8, 0);
}

struct RuntimeCheck {
  const char* id;
  std::function<std::string()> observe;  // returns another text with the fault enabled
};

const std::vector<RuntimeCheck>& RuntimeChecks() {
  const auto text = [](auto value) { return fmt::format("{}", value); };
  static const std::vector<RuntimeCheck> checks = {
      {"run-error",
       [=] {
         LoadedProgram program(kAddOne);
         program.Bind("x", false, 8);
         program.Bind("y", true, 8);
         program.Execute();
         return text(program.Execute());
       }},
      {"run-error-in-10", [=] { return text(FailuresOf(12)); }},
      {"run-error-in-500", [=] { return text(FailuresOf(502)); }},
      {"output-cached", [=] { return text(SecondResult()); }},
      {"input-port-changed", [=] { return text(InputAfterwards()); }},
      {"falls-back-silently", [] { return Analytics(); }},
      {"message-lost", [] { return CompileError(kSixAxes); }},
      {"slots-100", [=] { return text(ProgramsThatLoad()); }},
      {"slots-leak", [=] { return text(LoadedAfterRelease()); }},
      {"error-text-lost", [] { return BadBufferType() != 0 ? LastMessage() : "accepted"; }},
      {"errors-return-zero", [=] { return text(BadBufferType()); }},
      {"sync-signals-events", [=] { return text(SyncSignal()); }},
      {"async-signals-nothing", [=] { return text(RunAsync().signaled); }},
      {"block-not-called", [=] { return text(RunAsync().calls); }},
      {"block-called-twice", [=] { return text(RunAsync().calls); }},
      {"reset-of-fresh-stream",
       [=] {
         const LoadedProgram program(kAddOne);
         return text(ENGINE(e5rt_execution_stream_reset)(program.stream()));
       }},
      {"prepare-of-fresh-operation", [=] { return text(PrepareFresh()); }},
      {"buffer-types-unchecked", [=] { return text(BadBufferType()); }},
      {"port-names-unchecked", [=] { return text(PortOfAnyName()); }},
      {"input-ports-swapped", [=] { return text(SwappedDifference()); }},
      {"buffers-short", [=] { return text(BufferSize()); }},
      {"runs-twice", [=] { return text(Resident(1)); }},
      {"skips-last-operation", [=] { return text(ChainOfTwo()); }},
      {"reverse-order", [=] { return text(ChainOfTwo()); }},
      {"alias-not-written", [=] { return text(Resident(3)); }},
      {"analytics-missing", [] { return Analytics(); }},
      {"analytics-name-cpu", [] { return Analytics(); }},
      {"range-unchecked", [] { return LastOfRange(3); }},
      {"range-runs-at-start", [] { return LastOfRange(8); }},
      {"state-lost", [=] { return text(Accumulated(2)); }},
      {"state-not-zero", [=] { return text(Accumulated(1)); }},
      {"file-rows-unpadded", [] { return Files(); }},
      {"file-task-lost", [] { return Files(); }},
      {"file-channels-off-by-one", [] { return Files(); }},
      {"file-kernel-channels-swapped", [] { return Files(); }},
      {"file-dispatch-twice", [] { return Files(); }},
      {"file-port-halved", [] { return Files(); }},
  };
  return checks;
}

class RuntimeFaults : public ::testing::TestWithParam<RuntimeCheck> {};

TEST_P(RuntimeFaults, ShowInTheCallThatTheyAffect) {
  const CleanSettings settings;
  const RuntimeCheck& check = GetParam();
  const std::string clean = check.observe();
  EXPECT_EQ(check.observe(), clean);
  // The check of slots-leak leaks a slot on purpose. The process has enough other slots.
  ASSERT_EQ(ENGINE(anecheck_sim_enable_fault)(check.id), ANECHECK_SIM_OK);
  EXPECT_NE(check.observe(), clean);
  ASSERT_EQ(ENGINE(anecheck_sim_disable_fault)(check.id), ANECHECK_SIM_OK);
  if (std::strcmp(check.id, "slots-leak") != 0) {
    EXPECT_EQ(check.observe(), clean);
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, RuntimeFaults, ::testing::ValuesIn(RuntimeChecks()),
                         [](const auto& row) {
                           std::string name = row.param.id;
                           std::erase(name, '-');
                           return name;
                         });

TEST(Faults, EarlySignalComesBeforeTheResult) {
  const CleanSettings settings;
  EXPECT_FALSE(EarlySignal());
  ENGINE(anecheck_sim_enable_fault)("async-signals-early");
  ENGINE(anecheck_sim_enable_fault)("run-slow");
  EXPECT_TRUE(EarlySignal());
}

TEST(Faults, EveryRowIsTestedSomewhere) {
  for (const Fault& fault : Faults()) {
    if (!NeedsAbi(fault) || NeedsProcess(fault)) continue;
    const bool checked = fault.effect == FaultEffect::kAsyncEarlySignal ||
                         std::ranges::any_of(RuntimeChecks(), [&](const RuntimeCheck& check) {
                           return check.id == fault.id;
                         });
    EXPECT_TRUE(checked) << fault.id;
  }
}

}  // namespace
}  // namespace anecheck::device::testing
