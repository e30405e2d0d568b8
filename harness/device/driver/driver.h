// A model of the kernel driver. It answers the calls of external methods in a capture, in order. It
// keeps the programs that a client made, the completions that wait on the wake port, and the
// chaining cache. Each answer names the rule (Law) that it follows. A rule that no source states is
// marked as assumed. The answers are simulated, so they are no evidence of a real driver.
//
// The driver makes a token when it creates a program, and writes the token through a pointer. A
// capture therefore shows the token first in the call that prepares the program.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/format.h"
#include "harness/formats/submission/submission.h"

namespace anecheck::driver {

struct Law {
  std::string_view id;
  std::string_view words;
  FactEvidence evidence = FactEvidence::kAssumed;
  std::string_view source;
};
std::span<const Law> Laws();

struct Answer {
  uint32_t result = 0;       // a return code, 0 for success
  const Law* law = nullptr;  // never null
  Bytes struct_out;          // has the fields that a source names; other bytes are 0
};

// A message on the wake port, which reports that a request has ended.
struct Completion {
  uint64_t program_token = 0;
  uint64_t sequence = 0;
};

// The entitlements of the calling process.
struct Rights {
  bool data_chaining = true;  // com.apple.ane.allow-dataChaining-access
};

// Not thread-safe.
class Driver {
 public:
  explicit Driver(Rights rights = {}) : rights_(rights) {}

  // Answers one call. Output scalars are not modelled, except the device address of a mapped
  // buffer, because no source gives the meaning of the other scalars.
  Answer Take(const submission::Call& call);
  // Ends the oldest request and takes its message from the wake port. Nothing if no request waits.
  std::optional<Completion> NextCompletion();

  size_t in_flight() const { return wake_port_.size(); }
  // The number of entries in the chaining cache. Each accepted chaining prepare adds one entry.
  size_t chaining_entries() const { return chaining_entries_; }

 private:
  struct Program {
    bool prepared = false;
  };

  Answer Open(const submission::Call& call);
  Answer Close(const submission::Call& call);
  Answer Create(const submission::Call& call);
  Answer Prepare(const submission::Call& call);
  Answer Unprepare(const submission::Call& call);
  Answer Destroy(const submission::Call& call);
  Answer Send(const submission::Call& call);
  Answer EnqueueOutputs(const submission::Call& call);
  Answer InputsReady(const submission::Call& call);
  Answer ChainingPrepare(const submission::Call& call);
  Answer ChainingSetActive(const submission::Call& call);
  Answer AnswerMethod(std::string_view method, const submission::Call& call);

  Rights rights_;
  std::array<bool, submission::kClientCount> open_{};
  size_t unnamed_programs_ = 0;  // number of programs that are created but not yet prepared
  std::map<uint64_t, Program> programs_;
  std::deque<Completion> wake_port_;
  size_t chaining_entries_ = 0;
  size_t output_sets_ = 0;  // number of sets of output buffers that wait for their inputs
};

}  // namespace anecheck::driver
