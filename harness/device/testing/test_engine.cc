#include "harness/device/testing/test_engine.h"

#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <utility>

#include "harness/base/file.h"

namespace anecheck::device::testing {

void* EngineSymbol(const char* name) {
  static void* library =
      dlopen(ANECHECK_BINARY_DIR "/libanecheck_espresso.so", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    ADD_FAILURE() << dlerror();
    std::abort();
  }
  void* symbol = dlsym(library, name);
  if (symbol == nullptr) {
    ADD_FAILURE() << dlerror();
    std::abort();
  }
  return symbol;
}

std::string LastMessage() { return ENGINE(e5rt_get_last_error_message)(); }

std::string MilProgram(std::string_view parameters, std::string_view statements,
                       std::string_view outputs) {
  return fmt::format(
      "program(1.3)\n[buildInfo = dict<string, string>({{{{\"coremlc-component-MIL\", "
      "\"3520.4.1\"}}}})]\n{{\n    func main<ios18>({}) {{\n{}\n    }} -> ({});\n}}\n",
      parameters, statements, outputs);
}

Halves ToHalves(const std::vector<double>& values) {
  Halves halves;
  for (const double value : values) halves.push_back(DoubleToHalf(value));
  return halves;
}

std::vector<double> ToDoubles(const Halves& values) {
  std::vector<double> doubles;
  for (const Half value : values) doubles.push_back(HalfToDouble(value));
  return doubles;
}

LoadedProgram::LoadedProgram(const std::string& mil, const Options& options) { Load(mil, options); }

bool LoadedProgram::Check(int64_t code) {
  if (code == 0) return true;
  if (error_.empty()) error_ = LastMessage().empty() ? "failed without a message" : LastMessage();
  return false;
}

void LoadedProgram::Load(const std::string& mil, const Options& options) {
  auto folder = TempDirectory::Create("anecheck-device-");
  ASSERT_TRUE(folder.ok());
  const std::string path =
      (options.model_folder.empty() ? folder->path() : options.model_folder) + "/model.mil";
  ASSERT_TRUE(WriteFileAtomic(path, mil).ok());
  const std::string custom = "TargetArchitecture=" + options.target;
  ENGINE(e5rt_e5_compiler_config_options_create)(&config_);
  if (!options.bundle.empty()) {
    ENGINE(e5rt_e5_compiler_config_options_set_cache_bundle_location)
    (config_, options.bundle.c_str());
  }
  const bool ready =
      Check(ENGINE(e5rt_e5_compiler_create_with_config)(&compiler_, config_)) &&
      Check(ENGINE(e5rt_e5_compiler_options_create)(&options_)) &&
      Check(
          ENGINE(e5rt_e5_compiler_options_set_compute_device_types_mask)(options_, options.mask)) &&
      Check(ENGINE(e5rt_e5_compiler_options_set_force_recompilation)(options_, 1)) &&
      Check(ENGINE(e5rt_e5_compiler_options_set_segmenter)(options_, "graph")) &&
      Check(ENGINE(e5rt_e5_compiler_options_set_custom_ane_compiler_options)(options_,
                                                                             custom.c_str())) &&
      Check(ENGINE(e5rt_e5_compiler_compile)(compiler_, path.c_str(), options_, &library_)) &&
      Check(ENGINE(e5rt_program_library_retain_program_function)(library_, "main", &function_)) &&
      Check(ENGINE(e5rt_precompiled_compute_op_create_options_create_with_program_function)(
          &op_options_, function_)) &&
      Check(ENGINE(e5rt_precompiled_compute_op_create_options_set_operation_name)(op_options_,
                                                                                  "main")) &&
      Check(ENGINE(e5rt_precompiled_compute_op_create_options_set_allocate_intermediate_buffers)(
          op_options_, 1)) &&
      Check(
          ENGINE(e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options)(
              &operation_, op_options_)) &&
      Check(ENGINE(e5rt_execution_stream_create)(&stream_));
  static_cast<void>(ready);
}

LoadedProgram::~LoadedProgram() {
  if (operation_ != nullptr) ENGINE(e5rt_execution_stream_operation_release)(&operation_);
  if (op_options_ != nullptr) {
    ENGINE(e5rt_precompiled_compute_op_create_options_release)(&op_options_);
  }
  if (function_ != nullptr) ENGINE(e5rt_program_function_release)(&function_);
  if (library_ != nullptr) ENGINE(e5rt_program_library_release)(&library_);
  for (void*& buffer : owned_) ENGINE(e5rt_buffer_object_release)(&buffer);
  for (void*& port : ports_) ENGINE(e5rt_io_port_release)(&port);
  if (stream_ != nullptr) ENGINE(e5rt_execution_stream_release)(&stream_);
  if (options_ != nullptr) ENGINE(e5rt_e5_compiler_options_release)(&options_);
  if (compiler_ != nullptr) ENGINE(e5rt_e5_compiler_release)(&compiler_);
  if (config_ != nullptr) ENGINE(e5rt_e5_compiler_config_options_release)(&config_);
}

void* LoadedProgram::Bind(const std::string& port, bool output, size_t bytes) {
  void* buffer = nullptr;
  void* data = nullptr;
  if (!Check(ENGINE(e5rt_buffer_object_alloc)(&buffer, bytes, 0))) return nullptr;
  owned_.push_back(buffer);
  if (!Check(ENGINE(e5rt_buffer_object_get_data_ptr)(buffer, &data))) return nullptr;
  return Share(port, output, buffer) ? data : nullptr;
}

// Makes the published calls after which an encoded operation can be bound again (specification 001,
// section 2.3).
bool LoadedProgram::MayBind() {
  if (!std::exchange(encoded_, false)) return true;
  return Check(ENGINE(e5rt_execution_stream_reset)(stream_)) &&
         Check(ENGINE(e5rt_execution_stream_operation_prepare_op_for_encode)(operation_));
}

bool LoadedProgram::Share(const std::string& port, bool output, void* buffer) {
  void* handle = nullptr;
  if (!MayBind()) return false;
  const int64_t code = output ? ENGINE(e5rt_execution_stream_operation_retain_output_port)(
                                    operation_, port.c_str(), &handle)
                              : ENGINE(e5rt_execution_stream_operation_retain_input_port)(
                                    operation_, port.c_str(), &handle);
  if (!Check(code)) return false;
  ports_.push_back(handle);
  buffers_[port] = buffer;
  return Check(ENGINE(e5rt_io_port_bind_buffer_object)(handle, buffer));
}

int64_t LoadedProgram::Encode() {
  if (encoded_) return 0;
  const int64_t code = ENGINE(e5rt_execution_stream_encode_operation)(stream_, operation_);
  encoded_ = Check(code);
  return code;
}

int64_t LoadedProgram::Execute() {
  int64_t code = Encode();
  if (code != 0) return code;
  code = ENGINE(e5rt_execution_stream_execute_sync)(stream_);
  Check(code);
  return code;
}

PortBytes RunBytes(const std::string& mil, const PortBytes& inputs,
                   const std::map<std::string, size_t>& outputs, const std::string& target) {
  LoadedProgram program(mil, {.target = target});
  EXPECT_EQ(program.error(), "") << mil;
  if (!program.ok()) return {};
  for (const auto& [port, bytes] : inputs) {
    void* data = program.Bind(port, false, bytes.size());
    EXPECT_NE(data, nullptr) << program.error();
    if (data != nullptr) std::memcpy(data, bytes.data(), bytes.size());
  }
  std::map<std::string, const void*> results;
  for (const auto& [port, size] : outputs) results[port] = program.Bind(port, true, size);
  EXPECT_EQ(program.Execute(), 0) << program.error();
  if (!program.ok()) return {};
  PortBytes read;
  for (const auto& [port, size] : outputs) {
    const auto* data = static_cast<const uint8_t*>(results[port]);
    read[port].assign(data, data + size);
  }
  return read;
}

Halves RunHalves(const std::string& mil, const std::map<std::string, Halves>& inputs, size_t count,
                 const std::string& target) {
  PortBytes bytes;
  for (const auto& [port, halves] : inputs) {
    bytes[port].resize(halves.size() * 2);
    std::memcpy(bytes[port].data(), halves.data(), halves.size() * 2);
  }
  const PortBytes read = RunBytes(mil, bytes, {{"y", count * 2}}, target);
  Halves result(count);
  if (const auto found = read.find("y"); found != read.end()) {
    std::memcpy(result.data(), found->second.data(), count * 2);
  }
  return result;
}

std::string CompileError(const std::string& mil, const std::string& target, uint64_t mask) {
  const LoadedProgram program(mil, {.target = target, .mask = mask});
  return program.error();
}

}  // namespace anecheck::device::testing
