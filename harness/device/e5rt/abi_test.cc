// Tests the rules of the e5rt ABI: the sequence of specification 001 in its single, chained and
// resident forms, the limits, and each misuse with its error text (facts/e5rt_abi.md).
#include <csignal>
#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/device/testing/clean_engine.h"
#include "harness/device/testing/test_engine.h"

namespace anecheck::device::testing {
namespace {

const std::string kAddOne =
    MilProgram("tensor<fp16, [4]> x", "tensor<fp16, [4]> y = add(x = x, y = fp16(1));", "y");

class Abi : public CleanEngine {};

TEST_F(Abi, IsRecognisedByItsMarker) {
  const auto* marker = static_cast<const char*>(EngineSymbol("anecheck_simulated_engine"));
  EXPECT_STREQ(marker, "anecheck simulated engine 1");
  EXPECT_EQ(ENGINE(anecheck_sim_abi_version)(), uint32_t{ANECHECK_SIM_ABI_VERSION});
}

TEST_F(Abi, RunsOneProgramManyTimes) {
  LoadedProgram program(kAddOne);
  ASSERT_EQ(program.error(), "");
  auto* x = static_cast<uint16_t*>(program.Bind("x", false, 8));
  const auto* y = static_cast<const uint16_t*>(program.Bind("y", true, 8));
  for (int i = 0; i < 10; ++i) {
    x[0] = DoubleToHalf(i).bits;
    ASSERT_EQ(program.Execute(), 0);
    EXPECT_EQ(y[0], DoubleToHalf(i + 1).bits);
  }
}

TEST_F(Abi, OutputBoundToItsInputStaysResident) {
  LoadedProgram program(kAddOne);
  ASSERT_EQ(program.error(), "");
  const auto* x = static_cast<const uint16_t*>(program.Bind("x", false, 8));
  ASSERT_TRUE(program.Share("y", true, program.buffer("x")));
  for (int step = 0; step < 100; ++step) ASSERT_EQ(program.Execute(), 0);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(x[i], DoubleToHalf(100).bits);
}

TEST_F(Abi, ChainOfOperationsInOneStreamAdvancesExactly) {
  for (const int steps : {1, 2, 100}) {
    std::vector<std::unique_ptr<LoadedProgram>> programs;
    void* stream = nullptr;
    ASSERT_EQ(ENGINE(e5rt_execution_stream_create)(&stream), 0);
    const uint16_t* state = nullptr;
    for (int i = 0; i < steps; ++i) {
      programs.push_back(std::make_unique<LoadedProgram>(kAddOne));
      LoadedProgram& program = *programs.back();
      ASSERT_EQ(program.error(), "");
      if (i == 0) {
        state = static_cast<const uint16_t*>(program.Bind("x", false, 8));
      } else {
        ASSERT_TRUE(program.Share("x", false, programs[0]->buffer("x")));
      }
      ASSERT_TRUE(program.Share("y", true, programs[0]->buffer("x")));
      ASSERT_EQ(ENGINE(e5rt_execution_stream_encode_operation)(stream, program.operation()), 0);
      EXPECT_NE(ENGINE(e5rt_execution_stream_encode_operation)(stream, program.operation()), 0)
          << "encoded once";
    }
    ASSERT_EQ(ENGINE(e5rt_execution_stream_execute_sync)(stream), 0);
    EXPECT_EQ(state[0], DoubleToHalf(steps).bits);
    ENGINE(e5rt_execution_stream_release)(&stream);
  }
}

TEST_F(Abi, LoadsAtMost128Programs) {
  std::vector<std::unique_ptr<LoadedProgram>> programs;
  for (int i = 0; i < 128; ++i) {
    programs.push_back(std::make_unique<LoadedProgram>(kAddOne));
    ASSERT_EQ(programs.back()->error(), "") << i;
  }
  EXPECT_NE(LoadedProgram(kAddOne).error().find("ANE model load has failed"), std::string::npos);
  programs.pop_back();
  EXPECT_EQ(LoadedProgram(kAddOne).error(), "");
}

TEST_F(Abi, MasksChooseTheBackend) {
  auto folder = TempDirectory::Create("anecheck-bundle-");
  ASSERT_TRUE(folder.ok());
  const auto backend = [&](const std::string& mil, uint64_t mask) {
    const LoadedProgram program(mil, {.mask = mask, .bundle = folder->path()});
    if (!program.ok()) return std::string("error");
    auto text = ReadTextFile(folder->File("analytics.mil"));
    EXPECT_TRUE(text.ok());
    for (const char* name : {"ane", "bnns", "mps_graph"}) {
      const std::string word = fmt::format("SelectedBackend = string(\"{}\")", name);
      if (text->find(word) != std::string::npos) return std::string(name);
    }
    return std::string("none");
  };
  for (const uint64_t mask : {4, 5, 6, 7}) EXPECT_EQ(backend(kAddOne, mask), "ane") << mask;
  for (const uint64_t mask : {1, 3}) EXPECT_EQ(backend(kAddOne, mask), "bnns") << mask;
  EXPECT_EQ(backend(kAddOne, 2), "mps_graph");
  // A program that the engine refuses falls back silently only under mask 7 (D35).
  const std::string wide = MilProgram("tensor<fp16, [1, 1, 1, 1, 1, 2]> x",
                                      "tensor<fp16, [1, 1, 1, 1, 1, 2]> y = relu(x = x);", "y");
  EXPECT_EQ(backend(wide, 7), "bnns");
  for (const uint64_t mask : {4, 5, 6}) EXPECT_EQ(backend(wide, mask), "error") << mask;
  ENGINE(anecheck_sim_set_quirk)("D35", 0);
  EXPECT_EQ(backend(wide, 7), "error");
}

// The table has a kernel depth for the operation, but no backend lowers it (specification 003).
TEST_F(Abi, NoMaskCompilesAConvolutionOverThreeAxes) {
  const auto convolution = [](const char* kernel) {
    return MilProgram(fmt::format("tensor<fp16, [1, 1, 2, 2, 2]> x, tensor<fp16, {}> w", kernel),
                      "tensor<fp16, [1, 1, 1, 2, 2]> y = conv(x = x, weight = w);", "y");
  };
  for (const uint64_t mask : {1, 2, 3, 4, 5, 6, 7}) {
    const LoadedProgram program(convolution("[1, 1, 2, 1, 1]"), {.mask = mask});
    EXPECT_NE(program.error().find("not supported on any of the specified backends"),
              std::string::npos)
        << mask << ": " << program.error();
  }
}

TEST_F(Abi, MaskOutsideOneToSevenIsRefused) {
  void* options = nullptr;
  ENGINE(e5rt_e5_compiler_options_create)(&options);
  for (const uint64_t mask : {0, 8, 255}) {
    EXPECT_NE(ENGINE(e5rt_e5_compiler_options_set_compute_device_types_mask)(options, mask), 0);
  }
  uint64_t mask = 0;
  EXPECT_EQ(ENGINE(e5rt_e5_compiler_options_set_compute_device_types_mask)(options, 5), 0);
  EXPECT_EQ(ENGINE(e5rt_e5_compiler_options_get_compute_device_types_mask)(options, &mask), 0);
  EXPECT_EQ(mask, 5u);
  ENGINE(e5rt_e5_compiler_options_release)(&options);
}

TEST_F(Abi, ReversedArgumentsGiveTheirMessages) {
  LoadedProgram program(kAddOne);
  void* out = nullptr;
  EXPECT_NE(ENGINE(e5rt_program_library_create)(
                reinterpret_cast<void**>(const_cast<char*>("/tmp/bundle")),
                reinterpret_cast<const char*>(&out)),
            0);
  EXPECT_EQ(LastMessage(), "Invalid E5 path specified. @ GetE5PathFromCompositeBundle");
  EXPECT_NE(ENGINE(e5rt_precompiled_compute_op_create_options_create_with_program_function)(
                static_cast<void**>(program.operation()), &out),
            0);
  EXPECT_EQ(LastMessage(), "Cannot provide program function as nullptr. @ Create");
  EXPECT_EQ(out, nullptr);
}

TEST_F(Abi, EventNeedsAName) {
  void* event = nullptr;
  EXPECT_NE(ENGINE(e5rt_async_event_create)(&event, nullptr, 0), 0);
  EXPECT_EQ(LastMessage(), "Invalid Function Argument: eventName is NULL");
  EXPECT_EQ(event, nullptr);
}

TEST_F(Abi, BufferTypesAreZeroToTwo) {
  for (uint32_t type = 0; type < 3; ++type) {
    void* buffer = nullptr;
    size_t size = 0;
    EXPECT_EQ(ENGINE(e5rt_buffer_object_alloc)(&buffer, 100, type), 0);
    EXPECT_EQ(ENGINE(e5rt_buffer_object_get_size)(buffer, &size), 0);
    EXPECT_EQ(size, 100u);
    EXPECT_EQ(ENGINE(e5rt_buffer_object_release)(&buffer), 0);
    EXPECT_EQ(buffer, nullptr);
  }
  void* buffer = nullptr;
  EXPECT_NE(ENGINE(e5rt_buffer_object_alloc)(&buffer, 100, 3), 0);
  EXPECT_EQ(LastMessage(), "Invalid BufferType @ AllocMemory");
}

TEST_F(Abi, FreshStreamRejectsReset) {
  LoadedProgram program(kAddOne);
  program.Bind("x", false, 8);
  program.Bind("y", true, 8);
  EXPECT_NE(ENGINE(e5rt_execution_stream_reset)(program.stream()), 0);
  EXPECT_NE(LastMessage().find("never used"), std::string::npos);
  ASSERT_EQ(program.Execute(), 0);
  EXPECT_EQ(ENGINE(e5rt_execution_stream_reset)(program.stream()), 0);
  EXPECT_NE(ENGINE(e5rt_execution_stream_execute_sync)(program.stream()), 0)
      << "nothing is encoded";
  ASSERT_EQ(ENGINE(e5rt_execution_stream_operation_prepare_op_for_encode)(program.operation()), 0);
  ASSERT_EQ(ENGINE(e5rt_execution_stream_encode_operation)(program.stream(), program.operation()),
            0);
  EXPECT_EQ(ENGINE(e5rt_execution_stream_execute_sync)(program.stream()), 0);
}

// Makes binding and prepare calls on an operation whose ports are bound.
struct Bindings {
  explicit Bindings(LoadedProgram& bound) : program(bound) {
    ENGINE(e5rt_async_event_create)(&event, "done", 0);
    ENGINE(e5rt_execution_stream_operation_retain_input_port)(program.operation(), "x", &port);
  }
  Bindings(const Bindings&) = delete;
  Bindings& operator=(const Bindings&) = delete;
  ~Bindings() {
    ENGINE(e5rt_io_port_release)(&port);
    ENGINE(e5rt_async_event_release)(&event);
  }

  int64_t BindBuffer() const {
    return ENGINE(e5rt_io_port_bind_buffer_object)(port, program.buffer("x"));
  }
  int64_t BindCompletion() const {
    return ENGINE(e5rt_execution_stream_operation_bind_completion_event)(program.operation(),
                                                                         event);
  }
  int64_t BindDependence() {
    return ENGINE(e5rt_execution_stream_operation_bind_dependent_events)(program.operation(),
                                                                         &event, 1);
  }
  int64_t Prepare() const {
    return ENGINE(e5rt_execution_stream_operation_prepare_op_for_encode)(program.operation());
  }
  // Expects that each binding call fails with its message.
  void ExpectRefused() {
    constexpr const char* kWords = "the operation is encoded: its bindings cannot change @ ";
    EXPECT_NE(BindBuffer(), 0);
    EXPECT_EQ(LastMessage(), std::string(kWords) + "BindBufferObject");
    EXPECT_NE(BindCompletion(), 0);
    EXPECT_EQ(LastMessage(), std::string(kWords) + "BindCompletionEvent");
    EXPECT_NE(BindDependence(), 0);
    EXPECT_EQ(LastMessage(), std::string(kWords) + "BindDependentEvents");
  }

  LoadedProgram& program;
  void* event = nullptr;
  void* port = nullptr;
};

TEST_F(Abi, AnEncodedOperationKeepsItsBindings) {
  LoadedProgram program(kAddOne);
  const auto* x = static_cast<const uint16_t*>(program.Bind("x", false, 8));
  ASSERT_NE(x, nullptr) << program.error();
  const auto* y = static_cast<const uint16_t*>(program.Bind("y", true, 8));
  Bindings bindings(program);
  EXPECT_EQ(bindings.BindBuffer(), 0) << "an operation that is not encoded can be bound again";
  ASSERT_EQ(program.Encode(), 0) << program.error();
  bindings.ExpectRefused();
  ASSERT_EQ(program.Execute(), 0) << program.error();
  EXPECT_EQ(y[0], DoubleToHalf(1).bits) << "the operation runs on its first buffers";
  bindings.ExpectRefused();
  EXPECT_NE(bindings.Prepare(), 0) << "the stream was not reset";
  EXPECT_NE(LastMessage().find("must be reset first"), std::string::npos) << LastMessage();
  ASSERT_EQ(ENGINE(e5rt_execution_stream_reset)(program.stream()), 0);
  bindings.ExpectRefused();
  ASSERT_EQ(bindings.Prepare(), 0) << LastMessage();
  EXPECT_EQ(bindings.BindBuffer(), 0) << LastMessage();
  EXPECT_EQ(bindings.BindCompletion(), 0) << LastMessage();
  EXPECT_EQ(bindings.BindDependence(), 0) << LastMessage();
}

TEST_F(Abi, ReleasingAStreamFreesItsOperations) {
  LoadedProgram program(kAddOne);
  program.Bind("x", false, 8);
  program.Bind("y", true, 8);
  const Bindings bindings(program);
  void* stream = nullptr;
  ASSERT_EQ(ENGINE(e5rt_execution_stream_create)(&stream), 0);
  ASSERT_EQ(ENGINE(e5rt_execution_stream_encode_operation)(stream, program.operation()), 0);
  EXPECT_NE(bindings.Prepare(), 0);
  ASSERT_EQ(ENGINE(e5rt_execution_stream_release)(&stream), 0);
  EXPECT_EQ(bindings.Prepare(), 0) << LastMessage();
  EXPECT_EQ(program.Execute(), 0) << program.error();
}

// The operation is a second operation of a loaded program, and no stream has encoded it.
TEST_F(Abi, PrepareIsRefusedForOperationsThatWereNeverEncoded) {
  auto folder = TempDirectory::Create("anecheck-bundle-");
  const LoadedProgram program(kAddOne, {.bundle = folder->path()});
  void* library = nullptr;
  void* function = nullptr;
  void* options = nullptr;
  void* operation = nullptr;
  ASSERT_EQ(ENGINE(e5rt_program_library_create)(&library, folder->path().c_str()), 0);
  ASSERT_EQ(ENGINE(e5rt_program_library_retain_program_function)(library, "main", &function), 0);
  ASSERT_EQ(ENGINE(e5rt_precompiled_compute_op_create_options_create_with_program_function)(
                &options, function),
            0);
  ASSERT_EQ(
      ENGINE(e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options)(
          &operation, options),
      0);
  EXPECT_NE(ENGINE(e5rt_execution_stream_operation_prepare_op_for_encode)(operation), 0);
  EXPECT_NE(LastMessage().find("never encoded"), std::string::npos);
  ENGINE(e5rt_execution_stream_operation_release)(&operation);
  ENGINE(e5rt_precompiled_compute_op_create_options_release)(&options);
  ENGINE(e5rt_program_function_release)(&function);
  ENGINE(e5rt_program_library_release)(&library);
}

// Compiles the file, and releases the compiler, its options and its configuration. Returns the
// library.
void* CompileAndReleaseTheCompiler(const std::string& path) {
  void *config = nullptr, *compiler = nullptr, *options = nullptr, *library = nullptr;
  EXPECT_EQ(ENGINE(e5rt_e5_compiler_config_options_create)(&config), 0);
  EXPECT_EQ(ENGINE(e5rt_e5_compiler_create_with_config)(&compiler, config), 0);
  EXPECT_EQ(ENGINE(e5rt_e5_compiler_options_create)(&options), 0);
  EXPECT_EQ(ENGINE(e5rt_e5_compiler_compile)(compiler, path.c_str(), options, &library), 0);
  EXPECT_EQ(ENGINE(e5rt_e5_compiler_options_release)(&options), 0);
  EXPECT_EQ(ENGINE(e5rt_e5_compiler_release)(&compiler), 0);
  EXPECT_EQ(ENGINE(e5rt_e5_compiler_config_options_release)(&config), 0);
  return library;
}

TEST_F(Abi, CompilerObjectsMayBeReleasedAfterTheCompilation) {
  const auto folder = TempDirectory::Create("anecheck-abi-");
  ASSERT_TRUE(WriteFileAtomic(folder->File("model.mil"), kAddOne).ok());
  const uint64_t live = Counts().live_handles;
  void* library = CompileAndReleaseTheCompiler(folder->File("model.mil"));
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(Counts().live_handles, live + 1) << "only the library is left";
  void *function = nullptr, *op_options = nullptr, *operation = nullptr, *stream = nullptr;
  ASSERT_EQ(ENGINE(e5rt_program_library_retain_program_function)(library, "main", &function), 0);
  ASSERT_EQ(ENGINE(e5rt_precompiled_compute_op_create_options_create_with_program_function)(
                &op_options, function),
            0);
  ASSERT_EQ(
      ENGINE(e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options)(
          &operation, op_options),
      0);
  // The options from which the operation was made may also be released before the operation.
  EXPECT_EQ(ENGINE(e5rt_precompiled_compute_op_create_options_release)(&op_options), 0);
  EXPECT_EQ(ENGINE(e5rt_program_function_release)(&function), 0);
  EXPECT_EQ(ENGINE(e5rt_program_library_release)(&library), 0);
  void *ports[2] = {}, *buffers[2] = {}, *data[2] = {};
  for (int i = 0; i < 2; ++i) {
    const int64_t retained =
        i == 0
            ? ENGINE(e5rt_execution_stream_operation_retain_input_port)(operation, "x", &ports[i])
            : ENGINE(e5rt_execution_stream_operation_retain_output_port)(operation, "y", &ports[i]);
    ASSERT_EQ(retained, 0) << LastMessage();
    ASSERT_EQ(ENGINE(e5rt_buffer_object_alloc)(&buffers[i], 8, 0), 0);
    ASSERT_EQ(ENGINE(e5rt_buffer_object_get_data_ptr)(buffers[i], &data[i]), 0);
    ASSERT_EQ(ENGINE(e5rt_io_port_bind_buffer_object)(ports[i], buffers[i]), 0);
  }
  std::fill_n(static_cast<Half*>(data[0]), 4, DoubleToHalf(2));
  ASSERT_EQ(ENGINE(e5rt_execution_stream_create)(&stream), 0);
  ASSERT_EQ(ENGINE(e5rt_execution_stream_encode_operation)(stream, operation), 0);
  ASSERT_EQ(ENGINE(e5rt_execution_stream_execute_sync)(stream), 0) << LastMessage();
  EXPECT_EQ(HalfToDouble(static_cast<const Half*>(data[1])[3]), 3);
  EXPECT_EQ(ENGINE(e5rt_execution_stream_operation_release)(&operation), 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ENGINE(e5rt_buffer_object_release)(&buffers[i]), 0);
    EXPECT_EQ(ENGINE(e5rt_io_port_release)(&ports[i]), 0);
  }
  EXPECT_EQ(ENGINE(e5rt_execution_stream_release)(&stream), 0);
}

TEST_F(Abi, DeadAndForeignHandlesAreRefused) {
  LoadedProgram program(kAddOne);
  void* buffer = nullptr;
  void* data = nullptr;
  ASSERT_EQ(ENGINE(e5rt_buffer_object_alloc)(&buffer, 8, 0), 0);
  void* const stale = buffer;
  // A handle of another kind.
  EXPECT_NE(ENGINE(e5rt_execution_stream_execute_sync)(buffer), 0);
  EXPECT_NE(ENGINE(e5rt_io_port_bind_buffer_object)(buffer, buffer), 0);
  void* wrong = buffer;
  EXPECT_NE(ENGINE(e5rt_execution_stream_release)(&wrong), 0);
  EXPECT_EQ(wrong, buffer);
  ASSERT_EQ(ENGINE(e5rt_buffer_object_release)(&buffer), 0);
  // A released handle whose slot another object has taken.
  void* other = nullptr;
  ASSERT_EQ(ENGINE(e5rt_buffer_object_alloc)(&other, 8, 0), 0);
  EXPECT_NE(ENGINE(e5rt_buffer_object_get_data_ptr)(stale, &data), 0);
  // A null handle, and an address that is no handle.
  EXPECT_NE(ENGINE(e5rt_buffer_object_get_data_ptr)(nullptr, &data), 0);
  EXPECT_NE(ENGINE(e5rt_buffer_object_get_data_ptr)(&data, &data), 0);
  EXPECT_EQ(ENGINE(e5rt_buffer_object_release)(&other), 0);
  EXPECT_NE(ENGINE(e5rt_buffer_object_release)(nullptr), 0);
}

TEST_F(Abi, PortsAndFunctionsAreFoundByName) {
  LoadedProgram program(kAddOne);
  void* port = nullptr;
  EXPECT_NE(
      ENGINE(e5rt_execution_stream_operation_retain_input_port)(program.operation(), "z", &port),
      0);
  EXPECT_EQ(LastMessage(), "Input port z not found");
  EXPECT_NE(
      ENGINE(e5rt_execution_stream_operation_retain_output_port)(program.operation(), "x", &port),
      0);
  EXPECT_EQ(port, nullptr);
}

TEST_F(Abi, UnboundAndSmallBuffersAreRefused) {
  LoadedProgram program(kAddOne);
  program.Bind("x", false, 8);
  EXPECT_NE(program.Encode(), 0);
  EXPECT_EQ(LastMessage(), "port y has no buffer bound @ EncodeOperation");
  EXPECT_NE(ENGINE(e5rt_execution_stream_execute_sync)(program.stream()), 0);
  EXPECT_EQ(LastMessage(), "no operation is encoded @ Execute");
  EXPECT_EQ(program.Bind("y", true, 6), nullptr);
  EXPECT_NE(LastMessage().find("too small"), std::string::npos);
}

TEST_F(Abi, ErrorsBelongToTheirThread) {
  void* event = nullptr;
  EXPECT_NE(ENGINE(e5rt_async_event_create)(&event, nullptr, 0), 0);
  const std::string here = LastMessage();
  std::string there = "unset";
  std::thread([&] { there = LastMessage(); }).join();
  EXPECT_EQ(there, "");
  EXPECT_EQ(LastMessage(), here);
}

TEST_F(Abi, UnsignedContainersAreNotPermitted) {
  auto folder = TempDirectory::Create("anecheck-container-");
  const std::string path = folder->File("model.hwx");
  ASSERT_TRUE(WriteFileAtomic(path, std::string_view("\xce\xfa\xef\xbe\0\0\0\0", 8)).ok());
  void* compiler = nullptr;
  void* options = nullptr;
  void* library = nullptr;
  ENGINE(e5rt_e5_compiler_create)(&compiler);
  ENGINE(e5rt_e5_compiler_options_create)(&options);
  EXPECT_EQ(ENGINE(e5rt_e5_compiler_compile)(compiler, path.c_str(), options, &library),
            0xe00002e2);
  EXPECT_NE(ENGINE(e5rt_e5_compiler_compile)(compiler, "/no/such/file.mil", options, &library), 0);
  EXPECT_EQ(library, nullptr);
  ENGINE(e5rt_e5_compiler_options_release)(&options);
  ENGINE(e5rt_e5_compiler_release)(&compiler);
}

TEST_F(Abi, LibraryListsItsFunctions) {
  auto folder = TempDirectory::Create("anecheck-bundle-");
  const LoadedProgram program(kAddOne, {.bundle = folder->path()});
  void* library = nullptr;
  ASSERT_EQ(ENGINE(e5rt_program_library_create)(&library, folder->path().c_str()), 0);
  uint64_t count = 0;
  const char* name = nullptr;
  EXPECT_EQ(ENGINE(e5rt_program_library_get_num_functions)(library, &count), 0);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(ENGINE(e5rt_program_library_get_function_names)(library, 1, &name), 0);
  EXPECT_STREQ(name, "main");
  EXPECT_NE(ENGINE(e5rt_program_library_get_function_names)(library, 2, &name), 0);
  void* function = nullptr;
  EXPECT_NE(ENGINE(e5rt_program_library_retain_program_function)(library, "other", &function), 0);
  ENGINE(e5rt_program_library_release)(&library);
}

TEST_F(Abi, BundleOfAnotherProcessMustBeCompiledAgain) {
  auto folder = TempDirectory::Create("anecheck-bundle-");
  ASSERT_TRUE(
      WriteFileAtomic(folder->File("analytics.mil"), std::string_view("program(1.3) {}")).ok());
  void* library = nullptr;
  EXPECT_NE(ENGINE(e5rt_program_library_create)(&library, folder->path().c_str()), 0);
  EXPECT_NE(LastMessage().find("Must re-compile the E5 bundle"), std::string::npos);
  EXPECT_NE(LastMessage().find("ANE model load has failed"), std::string::npos);
  EXPECT_NE(ENGINE(e5rt_program_library_create)(&library, "/no/such/bundle"), 0);
  EXPECT_EQ(LastMessage(), "Invalid E5 path specified. @ GetE5PathFromCompositeBundle");
}

#ifndef ANECHECK_SANITIZED
// Returns the signal that ends a forked child which calls `body`, or 0 if no signal ends it.
template <typename Body>
int EndOfForkedChild(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_F(Abi, ForkedChildrenCrash) {
  LoadedProgram program(kAddOne);
  program.Bind("x", false, 8);
  program.Bind("y", true, 8);
  EXPECT_EQ(EndOfForkedChild([&] { program.Execute(); }), SIGSEGV);
  EXPECT_EQ(EndOfForkedChild([] { LoadedProgram{kAddOne}; }), SIGSEGV);
  EXPECT_EQ(program.Execute(), 0);  // the parent continues
}
#endif

}  // namespace
}  // namespace anecheck::device::testing
