#include "harness/cli/interruption.h"

#include <csignal>

namespace anecheck {
namespace {

std::atomic<bool> interrupted{false};

void Interrupt(int) { interrupted.store(true); }

}  // namespace

Interruption::Interruption() {
  struct sigaction before = {};
  const bool ignored = sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, Interrupt);
  if (!ignored) std::signal(SIGHUP, Interrupt);
}

const std::atomic<bool>* Interruption::flag() const { return &interrupted; }

}  // namespace anecheck
