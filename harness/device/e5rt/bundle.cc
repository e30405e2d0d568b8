#include "harness/device/e5rt/bundle.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <span>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/file.h"
#include "harness/device/program_files.h"
#include "harness/device/simulator_control.h"

namespace anecheck::device::e5rt {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<Library>> libraries;
};
Registry& TheRegistry() {
  static auto* registry = new Registry;
  return *registry;
}

void AppendFunction(const Executable& executable, std::string_view backend, std::string& text) {
  fmt::format_to(std::back_inserter(text), "    func {}<ios18>() {{\n", executable.name);
  for (const Executable::Node& node : executable.nodes) {
    fmt::format_to(std::back_inserter(text), "        {}()[SelectedBackend = string(\"{}\")];\n",
                   node.op, backend);
  }
  text += "    } -> ();\n";
}

std::string AnalyticsText(const Library& library, const ActiveFaults& faults) {
  std::string text = fmt::format(
      "program(1.3)\n[buildInfo = dict<string, string>({{{{\"engine\", \"{}\"}}, {{\"process\", "
      "\"{}\"}}}})]\n{{\n",
      ANECHECK_SIM_ANALYTICS_NAME, getpid());
  for (const auto& executable : library.functions) {
    const bool lies = faults.Find(FaultEffect::kAnalyticsCpu) != nullptr;
    AppendFunction(*executable, lies ? "bnns" : BackendName(executable->backend), text);
  }
  text += "}\n";
  return text;
}

// A plain write is enough, because the file is small and only the caller uses the folder. An
// existing file is overwritten and then truncated, which costs less than truncating it first.
bool WriteWhole(const std::string& path, std::span<const char> text) {
  int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const auto size = static_cast<ssize_t>(text.size());
  struct stat state = {};
  const bool written = write(file, text.data(), text.size()) == size && fstat(file, &state) == 0 &&
                       (state.st_size <= size || ftruncate(file, size) == 0);
  return close(file) == 0 && written;
}

std::string AnalyticsPath(const std::string& location) { return location + "/analytics.mil"; }

// Writes `bytes`. If `bytes` is empty, writes no file and removes the file of an earlier program.
Status WriteOrRemove(const std::string& path, const std::vector<uint8_t>& bytes) {
  const auto* data = reinterpret_cast<const char*>(bytes.data());
  const bool done = bytes.empty() ? unlink(path.c_str()) == 0 || errno == ENOENT
                                  : WriteWhole(path, {data, bytes.size()});
  if (done) return {};
  return MakeError(ErrorCode::kIo, fmt::format("{}: {} @ WriteBundle", path, std::strerror(errno)));
}

Status WriteFiles(const std::string& location, const Library& library) {
  ProgramFiles files;
  const Executable& program = *library.functions.front();
  if (program.backend == Backend::kAne) {
    auto written = WriteProgramFiles(program);
    if (!written.ok() && written.error().code != ErrorCode::kUnsupported) return written.error();
    if (written.ok()) files = std::move(*written);
  }
  ANECHECK_RETURN_IF_ERROR(WriteOrRemove(location + "/program.e5", files.descriptor));
  return WriteOrRemove(location + "/model.hwx", files.container);
}

}  // namespace

Status WriteBundle(const std::string& location, const std::shared_ptr<Library>& library,
                   const ActiveFaults& faults, bool files) {
  if (faults.Find(FaultEffect::kAnalyticsMissing) == nullptr) {
    const std::string text = AnalyticsText(*library, faults);
    const std::string path = AnalyticsPath(location);
    if (!WriteWhole(path, text)) {
      ANECHECK_RETURN_IF_ERROR(MakeDirectories(location));
      if (!WriteWhole(path, text)) {
        return MakeError(ErrorCode::kIo,
                         fmt::format("{}: {} @ WriteBundle", path, std::strerror(errno)));
      }
    }
  }
  if (files) ANECHECK_RETURN_IF_ERROR(WriteFiles(location, *library));
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  registry.libraries[location] = library;
  return {};
}

Result<std::shared_ptr<Library>> LoadBundle(const std::string& location) {
  if (location.empty() || access(AnalyticsPath(location).c_str(), R_OK) != 0) {
    return MakeError(ErrorCode::kNotFound,
                     "Invalid E5 path specified. @ GetE5PathFromCompositeBundle");
  }
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.libraries.find(location);
  auto library = found == registry.libraries.end() ? nullptr : found->second.lock();
  if (library == nullptr) {
    return MakeError(ErrorCode::kInvalid,
                     "ANE model load has failed for on-device compiled program. Must re-compile "
                     "the E5 bundle. @ GetANEFModel");
  }
  return library;
}

bool RefusesContainer(std::string_view content) {
  constexpr std::string_view kHardwareContainer = "\xce\xfa\xef\xbe";  // 0xbeefface
  constexpr std::string_view kFirmwareContainer = "HENA";
  return content.starts_with(kHardwareContainer) || content.starts_with(kFirmwareContainer);
}

}  // namespace anecheck::device::e5rt
