// The result of judging one case, as far as the judging has come.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "harness/verdict/defect_set.h"
#include "harness/verdict/verdict.h"

namespace anecheck {

// One result of a case.
struct ShownVerdict {
  Verdict verdict = Verdict::kPass;
  std::string message = {};  // one line; may be empty
  std::string op = {};       // the operation that the verdict is about; empty if it is about none
  std::string node =
      {};  // which operation of the graph, by its first result; empty if none was found
  DefectSet defects = {};  // of kKnownDefect
  // The way in which values are wrong, as a word of oracles/judge.h; "" if there is none.
  std::string_view deviation = {};
};

// The worst result that a case has shown so far. It can only get worse. A later check may add
// details to the same verdict.
class Outcome {
 public:
  Outcome() = default;
  explicit Outcome(ShownVerdict first) : shown_(std::move(first)) {}

  // Takes `shown` if its verdict is worse than the present one. Returns whether it did.
  bool Worsen(ShownVerdict shown);

  // Names the operation that the verdict is about.
  void Charge(std::string op, std::string node = {});
  // Records in which way values are wrong.
  void Deviate(std::string_view deviation) { shown_.deviation = deviation; }
  // Puts `words` before the message.
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
