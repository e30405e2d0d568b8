#include "harness/probe/mac_probes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#if defined(__APPLE__)
#include <mach/mach.h>
#include <unistd.h>
#endif

#include "harness/probe/probe_program.h"
#include "harness/runners/shared_buffer.h"

namespace anecheck {
namespace {

constexpr std::string_view kDispatch = "specification 001, section 1: words of the system log";

#if defined(__APPLE__)

constexpr size_t kElementBytes = 2;
constexpr size_t kPortBytes = 4 * kElementBytes;

// Runs a program once in this process.
Status RunOnce(const E5rtLibrary& engine, std::string_view target) {
  ProbeProgram program(engine, target, PlainProbeText());
  if (!program.failed().empty()) return Broken(program);
  const bool bound = program.Bind("x", false, kPortBytes) != nullptr &&
                     program.Bind("y", true, kPortBytes) != nullptr;
  if (!bound || !program.Execute()) return Broken(program);
  return {};
}

// Returns the lines of the last minute of the system log that contain `words`.
Result<std::vector<std::string>> LogLines(std::string_view words) {
  const std::string command = fmt::format(
      "/usr/bin/log show --style compact --last 1m --info --debug --predicate "
      "'eventMessage CONTAINS \"{}\"' 2>/dev/null",
      words);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (pipe == nullptr) return MakeError(ErrorCode::kIo, "/usr/bin/log does not start");
  std::vector<std::string> lines;
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) != nullptr) {
    const std::string_view text = line.data();
    if (text.find(words) != std::string_view::npos) lines.emplace_back(text);
  }
  if (!lines.empty()) return lines;
  return MakeError(ErrorCode::kNotFound,
                   fmt::format("the system log of the last minute does not hold '{}'", words));
}

// Returns 1 if the log names the expected signing identity for the dispatch.
Result<double> SigningIdentity(const E5rtLibrary& engine, std::string_view target) {
  ANECHECK_RETURN_IF_ERROR(RunOnce(engine, target));
  ANECHECK_ASSIGN(const auto lines, LogLines("csIdentity"));
  return std::ranges::any_of(lines,
                             [](const std::string& line) {
                               return line.find("ThirdPartyAppUsingANE") != std::string::npos;
                             })
             ? 1
             : 0;
}

// Returns the number after "qos=" in the last line of the log that contains "qos=".
Result<double> LaneOfService(const E5rtLibrary& engine, std::string_view target) {
  constexpr std::string_view kWords = "qos=";
  ANECHECK_RETURN_IF_ERROR(RunOnce(engine, target));
  ANECHECK_ASSIGN(const auto lines, LogLines(kWords));
  const std::string& line = lines.back();
  const char* from = line.data() + line.find(kWords) + kWords.size();
  int lane = 0;
  if (std::from_chars(from, line.data() + line.size(), lane).ec != std::errc()) {
    return MakeError(ErrorCode::kMalformed, "no number behind 'qos=' in the system log");
  }
  return lane;
}

Result<double> WiredBytes() {
  vm_statistics64_data_t statistics{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  const kern_return_t code = host_statistics64(
      mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&statistics), &count);
  if (code != KERN_SUCCESS) return MakeError(ErrorCode::kIo, "host_statistics64 fails");
  return static_cast<double>(statistics.wire_count) * static_cast<double>(getpagesize());
}

// Returns the kilobytes of wired memory for each loaded program, to the nearest page.
Result<double> WiredKilobytes(const E5rtLibrary& engine, std::string_view target) {
  constexpr size_t kLoaded = 64;
  ANECHECK_ASSIGN(const double before, WiredBytes());
  std::vector<std::unique_ptr<ProbeProgram>> programs;
  while (programs.size() < kLoaded) {
    programs.push_back(std::make_unique<ProbeProgram>(engine, target, PlainProbeText()));
    if (!programs.back()->failed().empty()) return Broken(*programs.back());
  }
  ANECHECK_ASSIGN(const double after, WiredBytes());
  const double page = getpagesize();
  return std::round((after - before) / static_cast<double>(kLoaded) / page) * page / 1024;
}

// Returns 1 if data that is written to a surface can be read through the surface's Mach port.
Result<double> SurfaceByPort(const E5rtLibrary&, std::string_view) {
  const std::string name = fmt::format("anecheck.probe.{}", getpid());
  const std::array<uint8_t, kPortBytes> sent = {1, 2, 3, 4, 5, 6, 7, 8};
  std::array<uint8_t, kPortBytes> got{};
  ANECHECK_ASSIGN(SharedBuffer made, SharedBuffer::Create(name, sent.size()));
  ANECHECK_RETURN_IF_ERROR(made.Write(sent));
  ANECHECK_ASSIGN(const SharedBuffer opened, SharedBuffer::Open(name));
  ANECHECK_RETURN_IF_ERROR(opened.Read(got));
  return got == sent ? 1 : 0;
}

#else

Result<double> NeedsAMac(std::string_view what) {
  return MakeError(ErrorCode::kUnsupported, fmt::format("a Mac alone measures {}", what));
}
Result<double> SigningIdentity(const E5rtLibrary&, std::string_view) {
  return NeedsAMac("the identity of a signature");
}
Result<double> LaneOfService(const E5rtLibrary&, std::string_view) {
  return NeedsAMac("the lane of its service");
}
Result<double> WiredKilobytes(const E5rtLibrary&, std::string_view) {
  return NeedsAMac("the memory that its driver wires");
}
Result<double> SurfaceByPort(const E5rtLibrary&, std::string_view) {
  return NeedsAMac("a surface behind a Mach port");
}

#endif

constexpr int kManyPrograms = 15;  // the time limit of a case covers some ten compilations

constexpr std::array kMacProbes = {
    RuntimeProbe{"signing_identity", "1: the log names csIdentity = ThirdPartyAppUsingANE", 1,
                 kDispatch, "", 0, 0, SigningIdentity},
    RuntimeProbe{"lane_of_service", "qos of the lane that the log names", 21, kDispatch, "", 0, 0,
                 LaneOfService},
    RuntimeProbe{"wired_kilobytes", "wired memory of a loaded program, in KiB", 48,
                 "specification 001, section 1: about 48 KiB", "", 0, 0, WiredKilobytes,
                 kManyPrograms},
    RuntimeProbe{"surface_by_port", "1: a surface is read by its Mach port", 1,
                 "specification 001, section 4.4", "", 0, 0, SurfaceByPort},
};

}  // namespace

std::span<const RuntimeProbe> MacProbes() { return kMacProbes; }

}  // namespace anecheck
