#include "harness/runners/e5rt_library.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <array>
#include <climits>
#include <mach-o/dyld.h>
#endif

#include "harness/device/simulator_control.h"
#include "harness/runners/executable_path.h"

namespace anecheck {
namespace {

struct Symbol {
  const char* name;
  void** slot;
};

// The only call that selects a target. The system's engine may lack it, because that engine has a
// fixed target.
constexpr const char* kTargetOption = "e5rt_e5_compiler_options_set_custom_ane_compiler_options";

Error Missing(const std::string& path, const char* symbol) {
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("{}: symbol {} is missing; this library does not have the ABI of "
                               "specification 001",
                               path, symbol));
}

Status Resolve(void* library, const std::string& path, const Symbol& symbol) {
  *symbol.slot = dlsym(library, symbol.name);
  if (*symbol.slot != nullptr) return {};
  return Missing(path, symbol.name);
}

template <typename Function>
void** Slot(Function*& function) {
  return reinterpret_cast<void**>(&function);
}

Status ResolveApi(void* library, const std::string& path, E5rtApi& api) {
  const Symbol symbols[] = {
      {"e5rt_e5_compiler_config_options_create", Slot(api.config_create)},
      {"e5rt_e5_compiler_config_options_set_cache_bundle_location",
       Slot(api.config_set_cache_bundle_location)},
      {"e5rt_e5_compiler_config_options_release", Slot(api.config_release)},
      {"e5rt_e5_compiler_create_with_config", Slot(api.compiler_create_with_config)},
      {"e5rt_e5_compiler_release", Slot(api.compiler_release)},
      {"e5rt_e5_compiler_compile", Slot(api.compiler_compile)},
      {"e5rt_e5_compiler_options_create", Slot(api.options_create)},
      {"e5rt_e5_compiler_options_set_compute_device_types_mask",
       Slot(api.options_set_compute_device_types_mask)},
      {"e5rt_e5_compiler_options_set_force_recompilation",
       Slot(api.options_set_force_recompilation)},
      {"e5rt_e5_compiler_options_set_segmenter", Slot(api.options_set_segmenter)},
      {"e5rt_e5_compiler_options_release", Slot(api.options_release)},
      {"e5rt_program_library_retain_program_function", Slot(api.library_retain_program_function)},
      {"e5rt_program_library_release", Slot(api.library_release)},
      {"e5rt_program_function_release", Slot(api.function_release)},
      {"e5rt_precompiled_compute_op_create_options_create_with_program_function",
       Slot(api.op_options_create_with_program_function)},
      {"e5rt_precompiled_compute_op_create_options_set_operation_name",
       Slot(api.op_options_set_operation_name)},
      {"e5rt_precompiled_compute_op_create_options_set_allocate_intermediate_buffers",
       Slot(api.op_options_set_allocate_intermediate_buffers)},
      {"e5rt_precompiled_compute_op_create_options_release", Slot(api.op_options_release)},
      {"e5rt_execution_stream_operation_create_precompiled_compute_operation_with_options",
       Slot(api.operation_create)},
      {"e5rt_execution_stream_operation_retain_input_port", Slot(api.operation_retain_input_port)},
      {"e5rt_execution_stream_operation_retain_output_port",
       Slot(api.operation_retain_output_port)},
      {"e5rt_execution_stream_operation_release", Slot(api.operation_release)},
      {"e5rt_io_port_bind_buffer_object", Slot(api.port_bind_buffer_object)},
      {"e5rt_io_port_release", Slot(api.port_release)},
      {"e5rt_buffer_object_alloc", Slot(api.buffer_alloc)},
      {"e5rt_buffer_object_get_data_ptr", Slot(api.buffer_get_data_ptr)},
      {"e5rt_buffer_object_release", Slot(api.buffer_release)},
      {"e5rt_execution_stream_create", Slot(api.stream_create)},
      {"e5rt_execution_stream_encode_operation", Slot(api.stream_encode_operation)},
      {"e5rt_execution_stream_execute_sync", Slot(api.stream_execute_sync)},
      {"e5rt_execution_stream_release", Slot(api.stream_release)},
  };
  for (const Symbol& symbol : symbols) {
    ANECHECK_RETURN_IF_ERROR(Resolve(library, path, symbol));
  }
  // Only public code names these two calls, so a library without them may still run programs.
  *Slot(api.options_set_custom_ane_compiler_options) = dlsym(library, kTargetOption);
  *Slot(api.get_last_error_message) = dlsym(library, "e5rt_get_last_error_message");
  if (api.get_last_error_message == nullptr) {
    api.get_last_error_message = [] { return static_cast<const char*>(nullptr); };
  }
  return {};
}

Status ResolveSimulator(void* library, const std::string& path, SimulatorApi& simulator) {
  void* marker = dlsym(library, "anecheck_simulated_engine");
  if (marker == nullptr) return {};
  uint32_t (*version)() = nullptr;
  ANECHECK_RETURN_IF_ERROR(Resolve(library, path, {"anecheck_sim_abi_version", Slot(version)}));
  if (version() != ANECHECK_SIM_ABI_VERSION) {
    return MakeError(
        ErrorCode::kUnsupported,
        fmt::format("{}: control interface version {}, this tool speaks {}; build both "
                    "from one source",
                    path, version(), ANECHECK_SIM_ABI_VERSION));
  }
  const Symbol symbols[] = {
      {"anecheck_sim_set_quirk", Slot(simulator.set_quirk)},
      {"anecheck_sim_set_reading", Slot(simulator.set_reading)},
      {"anecheck_sim_enable_fault", Slot(simulator.enable_fault)},
      {"anecheck_sim_write_files", Slot(simulator.write_files)},
      {"anecheck_sim_faults_json", Slot(simulator.faults_json)},
      {"anecheck_sim_quirks_json", Slot(simulator.quirks_json)},
  };
  for (const Symbol& symbol : symbols) {
    ANECHECK_RETURN_IF_ERROR(Resolve(library, path, symbol));
  }
  simulator.marker = static_cast<const char*>(marker);
  return {};
}

// `why` is the loader's reason, which may begin with the path.
Error NotLoaded(const std::string& path, const char* why) {
  std::string_view reason = why == nullptr ? "the loader gives no reason" : why;
  if (reason.starts_with(path + ": ")) reason.remove_prefix(path.size() + 2);
  return MakeError(
      ErrorCode::kNotFound,
      fmt::format("{}: cannot be loaded: {}; name an engine that this machine can load: "
                  "--espresso-lib FILE, or ANECHECK_ESPRESSO=FILE",
                  path, reason));
}

#if defined(__APPLE__)
// Returns whether `code` is in an image of the system. Images of the shared cache may not exist as
// files, so the function follows links only if the file exists.
bool IsOfSystem(void* code) {
  Dl_info info{};
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return false;
  std::array<char, PATH_MAX> resolved{};
  const char* real = realpath(info.dli_fname, resolved.data());
  return IsSystemImage(info.dli_fname) && (real == nullptr || IsSystemImage(real));
}
#endif

}  // namespace

Result<E5rtLibrary> OpenE5rtLibrary(const std::string& path) {
  // The loader searches for a name without a folder, so its file is unknown.
  const EngineFile file = path.contains('/') ? FileAt(path) : EngineFile();
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return NotLoaded(path, dlerror());
  }
  if (!file.path.empty() && FileAt(path) != file) {
    return EngineReplaced(path, "another file", "the file written while a worker loaded it");
  }
  E5rtLibrary opened;
  opened.path = path;
  opened.file = file;
  opened.handle = library;
  ANECHECK_RETURN_IF_ERROR(ResolveApi(library, path, opened.api));
  ANECHECK_RETURN_IF_ERROR(ResolveSimulator(library, path, opened.simulator));
  if (opened.api.options_set_custom_ane_compiler_options == nullptr &&
      KindOf(opened) != EngineKind::kSystem) {
    return Missing(path, kTargetOption);
  }
  return opened;
}

bool IsSystemImage(std::string_view image) {
  return image.starts_with("/System/Library/") && image.find("/../") == std::string_view::npos;
}

EngineKind KindOf(const E5rtLibrary& library) {
  if (library.simulated()) return EngineKind::kSimulated;
#if defined(__APPLE__)
  // A library may forward only some calls to the framework. A result depends on these three.
  const E5rtApi& api = library.api;
  if (IsOfSystem(reinterpret_cast<void*>(api.compiler_compile)) &&
      IsOfSystem(reinterpret_cast<void*>(api.stream_execute_sync)) &&
      IsOfSystem(reinterpret_cast<void*>(api.buffer_get_data_ptr))) {
    return EngineKind::kSystem;
  }
#endif
  return EngineKind::kOther;
}

std::optional<std::string> TargetOption(EngineKind kind, std::string_view target) {
  if (kind == EngineKind::kSystem || target.empty()) return std::nullopt;
  return fmt::format("TargetArchitecture={}", target);
}

std::string EngineText(const E5rtLibrary& library) {
  if (library.simulated()) return library.simulator.marker;
#if defined(__APPLE__)
  // The version of a loaded image, three numbers of 16, 8 and 8 bits; -1 if it is not loaded.
  const int32_t version = NSVersionOfRunTimeLibrary("Espresso");
  if (KindOf(library) == EngineKind::kSystem && version != -1) {
    const auto bits = static_cast<uint32_t>(version);
    return fmt::format("Espresso {}.{}.{}", bits >> 16, bits >> 8 & 0xff, bits & 0xff);
  }
#endif
  return "Espresso";
}

Result<E5rtStreamApi> ResolveStreamApi(const E5rtLibrary& library) {
  E5rtStreamApi api{};
  const Symbol symbols[] = {
      {"e5rt_execution_stream_operation_prepare_op_for_encode",
       Slot(api.operation_prepare_op_for_encode)},
      {"e5rt_execution_stream_operation_bind_completion_event",
       Slot(api.operation_bind_completion_event)},
      {"e5rt_execution_stream_operation_bind_dependent_events",
       Slot(api.operation_bind_dependent_events)},
      {"e5rt_execution_stream_reset", Slot(api.stream_reset)},
      {"e5rt_execution_stream_submit_async", Slot(api.stream_submit_async)},
      {"e5rt_async_event_create", Slot(api.event_create)},
      {"e5rt_async_event_sync_wait", Slot(api.event_sync_wait)},
      {"e5rt_async_event_get_last_signaled_value", Slot(api.event_get_last_signaled_value)},
      {"e5rt_async_event_release", Slot(api.event_release)},
  };
  for (const Symbol& symbol : symbols) {
    ANECHECK_RETURN_IF_ERROR(Resolve(library.handle, library.path, symbol));
  }
  return api;
}

std::string DefaultEspressoPath() {
  if (const char* named = std::getenv("ANECHECK_ESPRESSO"); named != nullptr && *named != 0) {
    return named;
  }
#if defined(__APPLE__)
  return "/System/Library/PrivateFrameworks/Espresso.framework/Espresso";
#else
  // The build puts the engine beside the tool. The installation puts it in lib/anecheck.
  const std::string beside = ExecutableFolder() + "/libanecheck_espresso.so";
  const std::string installed = ExecutableFolder() + "/../lib/anecheck/libanecheck_espresso.so";
  return access(beside.c_str(), R_OK) != 0 && access(installed.c_str(), R_OK) == 0 ? installed
                                                                                   : beside;
#endif
}

}  // namespace anecheck
