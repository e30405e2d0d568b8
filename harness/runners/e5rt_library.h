// Resolves Espresso's e5rt_* entry points by name from a library that is opened at run time: the
// real framework on macOS, the project's simulated engine elsewhere. The same code calls both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/result.h"
#include "harness/runners/engine_file.h"

namespace anecheck {

// The signatures are those of facts/e5rt_abi.md. Every call returns 0 for success. A call that
// creates a handle has its out-pointer first, except compile. Every release takes the address of
// the handle.
struct E5rtApi {
  using Handle = void*;
  int64_t (*config_create)(Handle* out);
  int64_t (*config_set_cache_bundle_location)(Handle config, const char* path);
  int64_t (*config_release)(Handle* config);
  int64_t (*compiler_create_with_config)(Handle* out, Handle config);
  int64_t (*compiler_release)(Handle* compiler);
  int64_t (*compiler_compile)(Handle compiler, const char* mil_path, Handle options,
                              Handle* out_library);
  int64_t (*options_create)(Handle* out);
  int64_t (*options_set_compute_device_types_mask)(Handle options, uint64_t mask);
  int64_t (*options_set_force_recompilation)(Handle options, int force);
  int64_t (*options_set_segmenter)(Handle options, const char* name);
  // May be null in the system's library.
  int64_t (*options_set_custom_ane_compiler_options)(Handle options, const char* text);
  int64_t (*options_release)(Handle* options);
  int64_t (*library_retain_program_function)(Handle library, const char* name, Handle* out);
  int64_t (*library_release)(Handle* library);
  int64_t (*function_release)(Handle* function);
  int64_t (*op_options_create_with_program_function)(Handle* out, Handle function);
  int64_t (*op_options_set_operation_name)(Handle options, const char* name);
  int64_t (*op_options_set_allocate_intermediate_buffers)(Handle options, int allocate);
  int64_t (*op_options_release)(Handle* options);
  int64_t (*operation_create)(Handle* out, Handle op_options);
  int64_t (*operation_retain_input_port)(Handle operation, const char* name, Handle* out);
  int64_t (*operation_retain_output_port)(Handle operation, const char* name, Handle* out);
  int64_t (*operation_release)(Handle* operation);
  int64_t (*port_bind_buffer_object)(Handle port, Handle buffer);
  int64_t (*port_release)(Handle* port);
  int64_t (*buffer_alloc)(Handle* out, size_t bytes, uint32_t type);
  int64_t (*buffer_get_data_ptr)(Handle buffer, void** out);
  int64_t (*buffer_release)(Handle* buffer);
  int64_t (*stream_create)(Handle* out);
  int64_t (*stream_encode_operation)(Handle stream, Handle operation);
  int64_t (*stream_execute_sync)(Handle stream);
  int64_t (*stream_release)(Handle* stream);
  const char* (*get_last_error_message)();  // returns null if the library lacks it
};

// Further entry points, for streams of several operations, events and asynchronous execution.
struct E5rtStreamApi {
  using Handle = void*;
  int64_t (*operation_prepare_op_for_encode)(Handle operation);
  int64_t (*operation_bind_completion_event)(Handle operation, Handle event);
  int64_t (*operation_bind_dependent_events)(Handle operation, Handle* events, uint64_t count);
  int64_t (*stream_reset)(Handle stream);
  // The second argument is an Objective-C block; NULL crashes.
  int64_t (*stream_submit_async)(Handle stream, void* block);
  int64_t (*event_create)(Handle* out, const char* name, uint32_t initial);
  int64_t (*event_sync_wait)(Handle event);
  int64_t (*event_get_last_signaled_value)(Handle event, uint64_t* out);
  int64_t (*event_release)(Handle* event);
};

// The control entry points of the simulated engine (harness/device/simulator_control.h). All are
// null for a real engine.
struct SimulatorApi {
  const char* marker = nullptr;  // the version text; null if the library is not simulated
  int (*set_quirk)(const char* id, int state) = nullptr;
  int (*set_reading)(const char* id, int on) = nullptr;
  int (*enable_fault)(const char* id) = nullptr;
  int (*write_files)(int on) = nullptr;
  const char* (*faults_json)() = nullptr;
  const char* (*quirks_json)() = nullptr;
};

// An opened library. It is never closed, because engines of this kind cannot be unloaded safely.
struct E5rtLibrary {
  std::string path;
  EngineFile file;         // the loaded file; its path is empty if the loader searched for it
  void* handle = nullptr;  // from dlopen
  E5rtApi api{};
  SimulatorApi simulator{};

  bool simulated() const { return simulator.marker != nullptr; }
};

// The implementation behind the entry points: the simulated engine, the system's own framework, or
// any other library. Answers of another library count only as reported.
enum class EngineKind : uint8_t { kOther, kSimulated, kSystem };
// Decides by the location of the resolved entry points, never by the requested path.
EngineKind KindOf(const E5rtLibrary& library);
// Returns the argument with which e5rt_e5_compiler_options_set_custom_ane_compiler_options makes
// programs compile for `target`. Empty if `target` is empty, and for the system's engine, which
// compiles for the chip that it runs on. The published facts name the key TargetArchitecture. The
// form "key=value" is an assumption.
std::optional<std::string> TargetOption(EngineKind kind, std::string_view target);
// Returns the engine's version text. It is the marker of the simulated engine, or a text such as
// "Espresso 3410.4.1", or "Espresso" if the version is unknown.
std::string EngineText(const E5rtLibrary& library);

// Returns whether only Apple can have written the file `image`. The path must begin with
// /System/Library, which is read-only on macOS, and must not contain "/../".
bool IsSystemImage(std::string_view image);

// Opens `path` and resolves every entry point. The library is the simulated engine if it has the
// marker symbol. Its path does not matter. Errors: kNotFound with the loader's message or the name
// of the first missing symbol, kInternal if the file was replaced during the call.
Result<E5rtLibrary> OpenE5rtLibrary(const std::string& path);

// Resolves the entry points for streams. Errors: kNotFound with the first missing symbol.
Result<E5rtStreamApi> ResolveStreamApi(const E5rtLibrary& library);

// Returns the path of the default library. It is ANECHECK_ESPRESSO if set, else Espresso's
// framework on macOS, else libanecheck_espresso of this build or installation.
std::string DefaultEspressoPath();

}  // namespace anecheck
