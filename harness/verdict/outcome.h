// The findings of judging one case so far.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "harness/verdict/defect_set.h"
#include "harness/verdict/verdict.h"

namespace anecheck {

// One thing that a case shows.
struct ShownVerdict {
  Verdict verdict = Verdict::kPass;
  std::string message = {};  // one line; may be empty
  std::string op = {};     // the operation that the verdict is about; empty where it is about none
  std::string node = {};   // which of the graph's: its first result; empty where none was found
  DefectSet defects = {};  // of kKnownDefect
  // The way in which values are wrong, in a word (oracles/judge.h); "" if there is none.
  std::string_view deviation = {};
};

// The worst result of a case: it can only get worse. Closer looks may say more about the same
// verdict, or are a judgement of their own.
class Outcome {
 public:
  Outcome() = default;
  explicit Outcome(ShownVerdict first) : shown_(std::move(first)) {}

  // Takes `shown` where its verdict is worse than the one that stands. Returns whether it is.
  bool Worsen(ShownVerdict shown);

  // Names the operation that the verdict is about.
  void Charge(std::string op, std::string node = {});
  // Says in which way values are wrong.
  void Deviate(std::string_view deviation) { shown_.deviation = deviation; }
  // Puts words before the message.
  void Introduce(const std::string& words) { shown_.message.insert(0, words); }

  Verdict verdict() const { return shown_.verdict; }
  const std::string& message() const { return shown_.message; }
  const std::string& op() const { return shown_.op; }
  const std::string& node() const { return shown_.node; }
  std::string_view deviation() const { return shown_.deviation; }
  const DefectSet& defects() const { return shown_.defects; }

 private:
  ShownVerdict shown_;
};

}  // namespace anecheck
