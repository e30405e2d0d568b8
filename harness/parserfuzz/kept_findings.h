// The folder in which findings are kept: a file that fails, and beside it a text of what is known.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/parserfuzz/parser_fuzz.h"

namespace anecheck::parserfuzz {

// The words as a shell takes them.
std::string CommandText(const std::vector<std::string>& command);

class KeptFindings {
 public:
  // Reads what earlier runs kept of the same commands; makes the folder where it is missing.
  static Result<KeptFindings> Open(const ParserFuzzOptions& options);

  // Of earlier runs: how many belong to `group`, and whether one has `signature`.
  uint64_t CountOf(const std::string& group) const;
  bool Has(const std::string& signature) const { return names_.contains(signature); }

  // Gives the finding, of which Has is true, the file that was kept and its size.
  Status Recall(Finding& finding) const;
  // Writes `file` and the text, under a name that is free or that holds the same file already.
  Status Write(Finding& finding, const Bytes& file) const;

 private:
  explicit KeptFindings(const ParserFuzzOptions& options) : options_(&options) {}

  const ParserFuzzOptions* options_;
  std::map<std::string, std::string> names_;  // of the files, by signature
};

}  // namespace anecheck::parserfuzz
