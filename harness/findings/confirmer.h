// Runs suspects again before they are recorded. A result that does not repeat is flaky.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/result.h"
#include "harness/cases/case.h"
#include "harness/judging/judge_case.h"
#include "harness/judging/lean_watch.h"
#include "harness/judging/unconfirmed_watch.h"
#include "harness/runners/runner.h"

namespace anecheck {

// A judged case that may become a row in `findings`, with the data for confirmation.
struct Suspect {
  Case item;
  CaseOutcome outcome;
  RunReply reply;
  std::string signature;
};

// A finding that many cases on one target show together, but no case alone.
struct OfMany {
  std::string target;
  Outcome shown;
  int64_t occurrences = 0;
  uint64_t example = 0;  // index of a case
};
OfMany AsFinding(const Leaning& leaning);
OfMany AsFinding(const OftenUnconfirmed& often);

// Confirms the suspects of one campaign. Not thread-safe.
class Confirmer {
 public:
  // `signatures` are the signatures of the findings that the campaign has recorded. `options` must
  // outlive this object.
  Confirmer(const CampaignOptions& options, std::unique_ptr<Runner> runner, RunnerIdentity identity,
            std::set<std::string> signatures);

  // Returns the suspect's row, or one row for each documented defect if several explain it. The
  // first row of a signature has an id, an artifact and the replay command. Later rows only
  // increase its count. Runs each case of a signature three times in new processes, until a case
  // has shown its result every time. Does not run known defects again. Errors: those of the runner.
  Result<std::vector<FindingRow>> Confirm(Suspect& suspect);
  // Returns the row of a finding that many cases show together, with `item` as an example; empty if
  // its signature is already recorded. Errors: those of the runner.
  Result<std::optional<FindingRow>> Report(const OfMany& many,
                                           const std::function<Result<Case>()>& item);

 private:
  Result<FindingRow> ConfirmOne(Suspect& suspect);
  Result<bool> Repeats(const Suspect& suspect);
  void Identify(const Suspect& suspect, FindingRow& finding) const;

  const CampaignOptions& options_;
  std::unique_ptr<Runner> runner_;
  RunnerIdentity identity_;
  std::set<std::string> signatures_;
};

}  // namespace anecheck
