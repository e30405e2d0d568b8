// The subjects of the power measurement are the planted faults of the simulated engine and the
// documented defects that it can switch on. A subject has the operations, modes and targets of its
// hunt. The subjects come from the engine's own lists, so a new fault needs no change here.
#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/campaign/campaign.h"
#include "harness/power/way.h"
#include "harness/runners/e5rt_library.h"

namespace anecheck {

enum class SubjectGroup : uint8_t { kPlanted, kKnownDefect };
std::string_view SubjectGroupName(SubjectGroup group);  // "planted", "known-defect"

struct Subject {
  std::string id;  // "conv-bias-dropped", "D01"
  SubjectGroup group = SubjectGroup::kPlanted;
  std::string description;
  std::string kind;      // a word of the engine's list: "numeric", "layout", "route", ...
  std::string op;        // MIL's name, "*" for all, empty for none
  std::string op_class;  // as in the engine's list
  double ulps = 0;       // size of the error; 0 if it is not numeric
  double share = 1;      // share of the elements with the error
  std::string admitted;  // why the contract admits its results; empty if it does not
  // Operations of the hunt; all if the engine's list names none.
  std::bitset<kOpCount> ops = std::bitset<kOpCount>().set();
  // Modes of the hunt's cases; empty for the default mix.
  std::vector<CaseMode> modes;
  std::vector<CampaignTarget> targets;
  std::string runner = "e5rt";
  std::vector<std::string> faults;
  std::vector<QuirkSetting> quirks;
  // For a known defect: a finding must have one of these labels. Empty for planted faults.
  std::vector<std::string> labels;
};

// Returns whether the subject has an effect in that way. Faults of the encoder and of the
// compiler's files are judged only for the simulated engine. With the exec protocol the external
// program makes the calls of the runtime, so faults of calls have no effect.
bool ActsBy(const Subject& subject, Way way);
// Returns whether the subject is a fault of calls of the runtime (their arguments, order, slots,
// buffers, events) and not of programs.
bool IsOfCalls(const Subject& subject);

// Reads the rows of the engine's lists, and adds the faults of the encoder, which the emulator must
// show. Planted faults are hunted on `targets`, with the family's default defects. A known defect
// is hunted with all other defects off, on the first of `targets` whose family has it, or else on
// the lowest such family of the catalogue. Known defects that the engine does not have are skipped.
// Errors: kInvalid for a library that is not the simulated engine, kMalformed for lists that do not
// have the form of simulator_control.h.
Result<std::vector<Subject>> ReadSubjects(const E5rtLibrary& engine,
                                          const std::vector<CampaignTarget>& targets);

// Makes a fault of one operation. In every 1000 result elements, `permille` are too large by `ulps`
// units in the last place.
Subject UlpSubject(const OpDefinition& op, int ulps, int permille,
                   const std::vector<CampaignTarget>& targets);

// Returns whether an operation has fp16 results in its first cases. Errors are measured in units in
// the last place only for fp16, and not for comparisons, counts and indices.
bool GivesHalves(const OpDefinition& op, const CampaignTarget& target);

// Returns whether campaigns draw the operation. It must have a numeric reference, a generator and a
// kernel of the simulated engine.
bool IsDrawn(const OpDefinition& op);

}  // namespace anecheck
