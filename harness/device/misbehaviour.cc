#include "harness/device/misbehaviour.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <vector>

namespace anecheck::device {

void CrashOnPurpose() {
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
  std::abort();
}

void HangOnPurpose() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void SleepOnPurpose(int64_t milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

void LeakOnPurpose(size_t bytes) {
  // The memory stays reachable, so that leak checkers do not report it and only the size of the
  // process shows the leak.
  static auto* kept = new std::vector<std::vector<char>>;
  kept->emplace_back(bytes, 'Z');
}

void PrintGarbageOnPurpose() {
  constexpr char kGarbage[] = "{\"v\": 1, \"id\": -1, \x01\xff garbage from the engine\n";
  [[maybe_unused]] const auto written = write(STDOUT_FILENO, kGarbage, sizeof(kGarbage) - 1);
}

}  // namespace anecheck::device
