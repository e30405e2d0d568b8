// The folder in which findings are kept, each in a folder of its own:
//
//   input       the file that showed it first
//   small       a smaller one that fails in the same way, where one was made
//   report.txt  the facts about it
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/parserfuzz/parser_fuzz.h"

namespace anecheck::parserfuzz {

// The words as a shell takes them.
std::string CommandText(const std::vector<std::string>& command);

class KeptFindings {
 public:
  // Reads the findings of earlier runs of the same commands; makes the folder if it is missing.
  static Result<KeptFindings> Open(const ParserFuzzOptions& options);

  // Findings of earlier runs: the number in `group`, and whether one is this bug.
  uint64_t CountOf(const std::string& group) const;
  bool Has(const Failure& failure) const { return Find(failure) != nullptr; }
  // The stacks of their hangs.
  std::vector<std::vector<std::string>> Hangs() const;

  // Gives the finding, of which Has is true, the file that was kept and its size.
  Status Recall(Finding& finding) const;
  // Writes the finding's input and the report, under a name that is free.
  Status Write(Finding& finding) const;
  // Writes the small file, and the report again.
  Status WriteSmall(Finding& finding, const Bytes& small) const;

 private:
  struct Kept {
    Failure failure;
    std::string name;
  };

  explicit KeptFindings(const ParserFuzzOptions& options) : options_(&options) {}
  const Kept* Find(const Failure& failure) const;
  Status Read(const std::string& name);
  Status WriteReport(const Finding& finding) const;

  const ParserFuzzOptions* options_;
  std::vector<Kept> kept_;
};

}  // namespace anecheck::parserfuzz
