// The folder of findings. Each finding has a subfolder:
//
//   input       the file that showed it first
//   small       a smaller file that fails in the same way, if one was made
//   report.txt  the facts about it
#pragma once

#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/parserfuzz/parser_fuzz.h"

namespace anecheck::parserfuzz {

// The command, quoted for a shell.
std::string CommandText(const std::vector<std::string>& command);

class KeptFindings {
 public:
  // Reads the findings of earlier runs of the same commands. Makes the folder if it is missing.
  static Result<KeptFindings> Open(const ParserFuzzOptions& options);

  // CountOf returns the number of findings of earlier runs in `group`. Has returns whether a
  // finding of an earlier run is this bug.
  uint64_t CountOf(const std::string& group) const;
  bool Has(const Failure& failure) const { return Find(failure) != nullptr; }
  // The stacks of the hangs of earlier runs.
  std::vector<std::vector<std::string>> Hangs() const;

  // Sets the name and sizes of the finding to those of the kept one. Precondition: Has is true.
  Status Recall(Finding& finding) const;
  // Writes the finding's input and report to a folder with an unused name.
  Status Write(Finding& finding) const;
  // Writes the file if it is smaller than the input, and rewrites the report.
  Status WriteSmall(Finding& finding, const Bytes& small) const;

 private:
  struct Kept {
    Failure failure;
    std::string name;
  };

  explicit KeptFindings(const ParserFuzzOptions& options) : options_(&options) {}
  const Kept* Find(const Failure& failure) const;
  Status Read(const std::string& name);
  Status WriteReport(const Finding& finding, const Bytes* small) const;

  const ParserFuzzOptions* options_;
  std::vector<Kept> kept_;
};

}  // namespace anecheck::parserfuzz
