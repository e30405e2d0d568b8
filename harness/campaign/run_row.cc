#include "harness/campaign/run_row.h"

#include <cstdio>
#include <ctime>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>
#include <zlib.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include "harness/base/json_text.h"
#include "harness/base/version.h"
#include "harness/cases/options_json.h"

namespace anecheck {
namespace {

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "";
}

std::string RunUuid() {
  std::FILE* random = std::fopen("/dev/urandom", "rb");
  uint64_t words[2] = {static_cast<uint64_t>(std::time(nullptr)), static_cast<uint64_t>(getpid())};
  if (random != nullptr) {
    if (std::fread(words, sizeof words, 1, random) != 1) words[1] ^= 1;
    std::fclose(random);
  }
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

}  // namespace

std::map<std::string, std::string> LibraryVersions() {
  std::map<std::string, std::string> libraries = {
      {"sqlite", sqlite3_libversion()},
      {"fmt",
       fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"nlohmann_json", JsonLibraryVersion()},
      {"zlib", zlibVersion()}};
#if defined(__GLIBC__)
  libraries["glibc"] = gnu_get_libc_version();
#endif
  return libraries;
}

std::string UtcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

RunRow DescribeRun(const CampaignOptions& options, const RunnerIdentity& identity) {
  RunRow row;
  row.uuid = RunUuid();
  row.command = options.command;
  row.options = OptionsToJson(options).dump();
  row.seed = options.seed;
  row.started = UtcNow();
  row.tool_version = kToolVersion;
  row.host = HostName();
  row.os = identity.os;
  row.runner = identity.runner;
  row.provenance = identity.provenance;
  row.engine = identity.engine;
  row.chip = identity.chip;
  row.compiler_version = identity.compiler_version;
  row.libraries = LibraryVersions();
  row.libraries["compiler"] = __VERSION__;
  if (!identity.content.empty()) row.libraries[kEngineLibrary] = identity.content;
  return row;
}

}  // namespace anecheck
