#include "harness/parserfuzz/hang_stack.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <thread>

#include "harness/base/file.h"
#include "harness/parserfuzz/command.h"
#include "harness/parserfuzz/process_group.h"

namespace anecheck::parserfuzz {

#if defined(__linux__)

namespace {

constexpr std::chrono::milliseconds kLook{20};
// a runtime that prints a stack begins within this time
constexpr std::chrono::milliseconds kToBegin{400};
constexpr std::chrono::seconds kToEnd{5};

// Reads the mask of caught signals from /proc/PID/status. Bit N - 1 stands for signal N.
uint64_t CaughtSignals(pid_t pid) {
  const auto status = ReadTextFile(fmt::format("/proc/{}/status", pid));
  const size_t at = status.ok() ? status->find("SigCgt:") : std::string::npos;
  return at == std::string::npos ? 0 : std::strtoull(status->c_str() + at + 7, nullptr, 16);
}

bool IsAlive(pid_t pid) {
  const auto stat = ReadTextFile(fmt::format("/proc/{}/stat", pid));
  const size_t name_end = stat.ok() ? stat->rfind(')') : std::string::npos;
  return name_end != std::string::npos && stat->substr(name_end, 4) != ") Z ";
}

// Waits until the process is gone or stops writing.
void WaitForWords(pid_t pid, const std::function<bool()>& drain) {
  const auto start = std::chrono::steady_clock::now();
  auto last_word = start;
  while (IsAlive(pid)) {
    std::this_thread::sleep_for(kLook);
    const auto now = std::chrono::steady_clock::now();
    if (drain()) last_word = now;
    if (now - last_word > kToBegin || now - start > kToEnd) break;
  }
  drain();
}

std::string StackByGdb(pid_t pid) {
  constexpr int kTimeout = 20000;
  const auto outcome =
      RunCommand({"gdb", "-nx", "-batch", "-p", std::to_string(pid), "-ex", "bt 40"}, "",
                 {.timeout_ms = kTimeout});
  if (!outcome.ok()) return "";
  const size_t stack = outcome->out.find("\n#0 ");
  return stack == std::string::npos ? "" : "stack by gdb:" + outcome->out.substr(stack);
}

}  // namespace

std::string AskForStack(pid_t pid, const std::function<bool()>& drain) {
  const uint64_t caught = CaughtSignals(pid);
  for (const int signal : {SIGQUIT, SIGSEGV}) {
    if ((caught >> (signal - 1) & 1) == 0) continue;
    kill(pid, signal);
    WaitForWords(pid, drain);
    if (!IsAlive(pid)) return "";
  }
  return StackByGdb(pid);
}

#else

std::string AskForStack(pid_t, const std::function<bool()>&) { return ""; }

#endif

}  // namespace anecheck::parserfuzz
