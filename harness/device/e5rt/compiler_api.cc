// Compiler calls of the e5rt ABI, and the bundle that a compilation writes.
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "harness/base/file.h"
#include "harness/device/compile.h"
#include "harness/device/compile_fault.h"
#include "harness/device/e5rt/api.h"
#include "harness/device/e5rt/bundle.h"
#include "harness/device/e5rt/objects.h"
#include "harness/device/e5rt/state.h"
#include "harness/device/executable_builder.h"
#include "harness/device/network/compile_network.h"

namespace anecheck::device::e5rt {
namespace {

constexpr uint64_t kMaskCpu = 1;
constexpr uint64_t kMaskGpu = 2;
constexpr uint64_t kMaskAne = 4;
constexpr uint64_t kMaskAll = kMaskCpu | kMaskGpu | kMaskAne;

// Returns the value of TargetArchitecture in "key=value" pairs. Separators are commas, semicolons
// and blanks.
std::string ReadArchitecture(std::string_view text) {
  constexpr std::string_view kKey = "TargetArchitecture";
  const size_t key = text.find(kKey);
  if (key == std::string_view::npos) return {};
  std::string_view rest = text.substr(key + kKey.size());
  const size_t start = rest.find_first_not_of(" =:\"'");
  if (start == std::string_view::npos) return {};
  rest.remove_prefix(start);
  return std::string(rest.substr(0, rest.find_first_of(" ,;\"'}\n")));
}

using Programs = std::vector<std::shared_ptr<const Executable>>;

// Compiles a text in either input language.
Result<Programs> CompileInput(const std::string& text, const CompileSettings& settings,
                              Backend backend) {
  if (!settings.direct) return CompileProgram(text, settings, backend);
  ANECHECK_ASSIGN(auto executable, CompileNetwork(text, settings, backend));
  return Programs{std::move(executable)};
}

Result<Programs> CompileForCpu(const std::string& text, CompileSettings settings, Backend backend) {
  settings.on_cpu = true;
  settings.model = NumericModel{};
  settings.faults.Clear();
  return CompileInput(text, settings, backend);
}

// Compiles for the backend that the mask selects (facts/e5rt_abi.md). Mask 3 selects BNNS, and any
// mask that includes 4 selects the engine. Mask 7 falls back to BNNS if the engine's compiler
// refuses the program (D35).
Result<Programs> CompileByMask(const std::string& text, const CompileSettings& settings,
                               uint64_t mask, bool force_bnns) {
  if (force_bnns && (mask & kMaskCpu) != 0) return CompileForCpu(text, settings, Backend::kBnns);
  if ((mask & kMaskAne) != 0) {
    auto programs = CompileInput(text, settings, Backend::kAne);
    if (settings.faults.Find(FaultEffect::kFallBack) != nullptr) {
      return CompileForCpu(text, settings, Backend::kBnns);
    }
    if (programs.ok() || mask != kMaskAll || !RuntimeQuirkOn("D35")) return programs;
    return CompileForCpu(text, settings, Backend::kBnns);
  }
  return CompileForCpu(text, settings,
                       (mask & kMaskCpu) != 0 ? Backend::kBnns : Backend::kMpsGraph);
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

template <typename T>
int64_t WithOptions(void* handle, const char* what, T&& change) {
  const auto options = Acquire<CompilerOptions>(handle);
  if (options == nullptr) {
    return Fail(kInvalidHandle, fmt::format("Invalid Function Argument: options @ {}", what));
  }
  change(*options);
  return kOk;
}

}  // namespace
}  // namespace anecheck::device::e5rt

using namespace anecheck;                // NOLINT: the ABI stands outside of namespaces
using namespace anecheck::device;        // NOLINT
using namespace anecheck::device::e5rt;  // NOLINT

const char* e5rt_get_last_error_message() { return LastErrorMessage(); }

int64_t e5rt_e5_compiler_config_options_create(void** out) {
  if (out == nullptr) return Fail(kInvalidArgument, "Invalid Function Argument: out is NULL");
  return GiveHandle(std::make_shared<CompilerConfig>(), out);
}

int64_t e5rt_e5_compiler_config_options_release(void** config) {
  return ReleaseHandle(config, HandleKind::kCompilerConfig, "config");
}

int64_t e5rt_e5_compiler_config_options_set_cache_bundle_location(void* config, const char* path) {
  const auto object = Acquire<CompilerConfig>(config);
  if (object == nullptr) {
    return Fail(kInvalidHandle, "Invalid Function Argument: config @ SetCacheBundleLocation");
  }
  if (path == nullptr) return Fail(kInvalidArgument, "Invalid Function Argument: path is NULL");
  object->bundle_location = path;
  return kOk;
}

int64_t e5rt_e5_compiler_config_options_set_bundle_cache_apfs_purgeable(void* config, int) {
  if (Acquire<CompilerConfig>(config) != nullptr) return kOk;
  return Fail(kInvalidHandle, "Invalid Function Argument: config @ SetBundleCachePurgeable");
}

int64_t e5rt_e5_compiler_create(void** out) {
  if (out == nullptr) return Fail(kInvalidArgument, "Invalid Function Argument: out is NULL");
  return GiveHandle(std::make_shared<Compiler>(), out);
}

int64_t e5rt_e5_compiler_create_with_config(void** out, void* config) {
  const auto object = Acquire<CompilerConfig>(config);
  if (out == nullptr || object == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: config @ CreateWithConfig");
  }
  auto compiler = std::make_shared<Compiler>();
  compiler->bundle_location = object->bundle_location;
  return GiveHandle(std::move(compiler), out);
}

int64_t e5rt_e5_compiler_release(void** compiler) {
  return ReleaseHandle(compiler, HandleKind::kCompiler, "compiler");
}

int64_t e5rt_e5_compiler_compile(void* compiler, const char* mil_path, void* options,
                                 void** out_library) {
  CrashIfForked();
  const auto object = Acquire<Compiler>(compiler);
  const auto choices = Acquire<CompilerOptions>(options);
  if (object == nullptr || choices == nullptr) {
    return Fail(kInvalidHandle, "Invalid Function Argument: compiler or options @ Compile");
  }
  if (mil_path == nullptr || out_library == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument: path or out is NULL @ Compile");
  }
  auto text = ReadTextFile(mil_path);
  if (!text.ok()) {
    return Fail(kNotFound, fmt::format("Invalid program path specified: {}", text.error().message));
  }
  CompileSettings settings = SnapshotSettings(choices->architecture);
  if (settings.target == nullptr) {
    return Fail(kInvalidArgument,
                fmt::format("TargetArchitecture {} is not known", choices->architecture));
  }
  settings.device_mask = choices->device_mask;
  settings.model_folder = FolderOf(mil_path);
  MisbehaveWhileCompiling(settings.faults);
  if (RefusesContainer(*text)) {
    // Containers that the daemon has not signed do not load (facts/e5rt_abi.md).
    return Fail(kNotPermitted, "the program is not signed: 0xe00002e2 (kIOReturnNotPermitted)");
  }
  settings.direct = IsPropertyList(*text);
  auto programs = CompileByMask(*text, settings, choices->device_mask, choices->force_bnns);
  if (!programs.ok()) {
    if (settings.faults.Find(FaultEffect::kWrongMessage) != nullptr) {
      return Fail(kCompileFailed, "internal error");
    }
    return Fail(IsNoKernel(programs.error()) ? kNoKernel : kCompileFailed,
                programs.error().message);
  }
  CountCompile();
  auto library = std::make_shared<Library>();
  library->functions = std::move(programs).value();
  if (!object->bundle_location.empty()) {
    const auto written =
        WriteBundle(object->bundle_location, library, settings.faults, WritesFiles());
    if (!written.ok()) return Fail(kNotWritten, written.error().message);
  }
  return GiveHandle(std::move(library), out_library);
}

int64_t e5rt_e5_compiler_is_new_compile_required(void* compiler, const char* mil_path,
                                                 void* options, int* out) {
  if (Acquire<Compiler>(compiler) == nullptr || Acquire<CompilerOptions>(options) == nullptr ||
      mil_path == nullptr || out == nullptr) {
    return Fail(kInvalidArgument, "Invalid Function Argument @ IsNewCompileRequired");
  }
  *out = 1;  // no compiled program is taken from a cache
  return kOk;
}

int64_t e5rt_e5_compiler_options_create(void** out) {
  if (out == nullptr) return Fail(kInvalidArgument, "Invalid Function Argument: out is NULL");
  return GiveHandle(std::make_shared<CompilerOptions>(), out);
}

int64_t e5rt_e5_compiler_options_release(void** options) {
  return ReleaseHandle(options, HandleKind::kCompilerOptions, "options");
}

int64_t e5rt_e5_compiler_options_set_compute_device_types_mask(void* options, uint64_t mask) {
  if (mask == 0 || mask > kMaskAll) {
    return Fail(kInvalidArgument, fmt::format("Invalid compute device types mask {:#x}", mask));
  }
  return WithOptions(options, "SetComputeDeviceTypesMask",
                     [mask](CompilerOptions& object) { object.device_mask = mask; });
}

int64_t e5rt_e5_compiler_options_get_compute_device_types_mask(void* options, uint64_t* out) {
  if (out == nullptr) return Fail(kInvalidArgument, "Invalid Function Argument: out is NULL");
  return WithOptions(options, "GetComputeDeviceTypesMask",
                     [out](CompilerOptions& object) { *out = object.device_mask; });
}

int64_t e5rt_e5_compiler_options_set_force_recompilation(void* options, int) {
  return WithOptions(options, "SetForceRecompilation", [](CompilerOptions&) {});
}

int64_t e5rt_e5_compiler_options_set_segmenter(void* options, const char* name) {
  if (name == nullptr) return Fail(kInvalidArgument, "Invalid Function Argument: name is NULL");
  return WithOptions(options, "SetSegmenter", [](CompilerOptions&) {});
}

int64_t e5rt_e5_compiler_options_set_custom_ane_compiler_options(void* options, const char* text) {
  if (text == nullptr) return Fail(kInvalidArgument, "Invalid Function Argument: text is NULL");
  return WithOptions(options, "SetCustomANECompilerOptions", [text](CompilerOptions& object) {
    object.architecture = ReadArchitecture(text);
  });
}

int64_t e5rt_e5_compiler_options_set_force_bnns_graph(void* options, int force) {
  return WithOptions(options, "SetForceBNNSGraph",
                     [force](CompilerOptions& object) { object.force_bnns = force != 0; });
}
