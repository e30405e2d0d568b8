// Library, function and operation-option calls of the e5rt ABI.
#include <fmt/format.h>

#include "harness/device/e5rt/api.h"
#include "harness/device/e5rt/bundle.h"
#include "harness/device/e5rt/objects.h"
#include "harness/device/e5rt/state.h"

using namespace anecheck;                // NOLINT: the ABI stands outside of namespaces
using namespace anecheck::device;        // NOLINT
using namespace anecheck::device::e5rt;  // NOLINT

int64_t e5rt_program_library_create(void** out, const char* bundle_path) {
  CrashIfForked();
  if (bundle_path == nullptr) {
    return Fail(kInvalidArgument, "Invalid E5 path specified. @ GetE5PathFromCompositeBundle");
  }
  auto library = LoadBundle(bundle_path);
  if (!library.ok()) return Fail(kLoadFailed, library.error().message);
  if (out == nullptr) return Fail(kInvalidArgument, "Invalid Function Argument: out is NULL");
  return GiveHandle(*library, out);
}

int64_t e5rt_program_library_release(void** library) {
  return ReleaseHandle(library, HandleKind::kLibrary, "library");
}

int64_t e5rt_program_library_get_num_functions(void* library, uint64_t* out) {
  const auto object = Acquire<Library>(library);
  if (object == nullptr || out == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: library @ GetNumFunctions");
  }
  *out = object->functions.size();
  return kOk;
}

int64_t e5rt_program_library_get_function_names(void* library, uint64_t count, const char** names) {
  const auto object = Acquire<Library>(library);
  if (object == nullptr || names == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: library @ GetFunctionNames");
  }
  if (count > object->functions.size()) {
    return Fail(kInvalidArgument,
                fmt::format("{} names were requested, but the library has {} functions", count,
                            object->functions.size()));
  }
  for (uint64_t i = 0; i < count; ++i) names[i] = object->functions[i]->name.c_str();
  return kOk;
}

int64_t e5rt_program_library_retain_program_function(void* library, const char* name, void** out) {
  const auto object = Acquire<Library>(library);
  if (object == nullptr || name == nullptr || out == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: library @ RetainProgramFunction");
  }
  for (const auto& executable : object->functions) {
    if (executable->name == name) return GiveHandle(std::make_shared<Function>(executable), out);
  }
  return Fail(kNotFound, fmt::format("Function {} not found in the library", name));
}

int64_t e5rt_program_function_release(void** function) {
  return ReleaseHandle(function, HandleKind::kFunction, "function");
}

int64_t e5rt_program_function_get_name(void* function, const char** out) {
  const auto object = Acquire<Function>(function);
  if (object == nullptr || out == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: function @ GetName");
  }
  *out = object->executable->name.c_str();
  return kOk;
}

int64_t e5rt_program_function_load_for_execution(void* function) {
  CrashIfForked();
  if (Acquire<Function>(function) != nullptr) return kOk;
  return Fail(kInvalidHandle, "Cannot provide program function as nullptr. @ LoadForExecution");
}

int64_t e5rt_precompiled_compute_op_create_options_create_with_program_function(void** out,
                                                                                void* function) {
  const auto object = Acquire<Function>(function);
  if (object == nullptr) {
    return Fail(kInvalidArgument, "Cannot provide program function as nullptr. @ Create");
  }
  if (out == nullptr) return Fail(kInvalidArgument, "Invalid Function Argument: out is NULL");
  return GiveHandle(std::make_shared<OperationOptions>(object->executable), out);
}

int64_t e5rt_precompiled_compute_op_create_options_set_operation_name(void* options,
                                                                      const char* name) {
  if (Acquire<OperationOptions>(options) != nullptr && name != nullptr) return kOk;
  return Fail(kInvalidArgument, "Invalid Function Argument: options @ SetOperationName");
}

int64_t e5rt_precompiled_compute_op_create_options_set_allocate_intermediate_buffers(void* options,
                                                                                     int) {
  if (Acquire<OperationOptions>(options) != nullptr) return kOk;
  return Fail(kInvalidHandle, "Invalid Function Argument: options @ SetAllocateBuffers");
}

int64_t e5rt_precompiled_compute_op_create_options_release(void** options) {
  return ReleaseHandle(options, HandleKind::kOperationOptions, "op options");
}
