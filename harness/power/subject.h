// The subjects of the power measurement: each planted fault of the simulated engine and each
// documented defect that it can switch on, with the place to look for it. Read from the engine's
// own lists, so that a fault added there is measured without a word here.
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
  std::string kind;      // as the engine's list words it: "numeric", "layout", "route", ...
  std::string op;        // MIL's name, "*" for all, empty where it concerns none
  std::string op_class;  // the list's own word
  double ulps = 0;       // size of the error, 0 where it is not numeric
  double share = 1;      // part of the elements touched
  std::string admitted;  // why its result is no wrong value, if so
  // Operations of the hunt; all where the list names none.
  std::bitset<kOpCount> ops = std::bitset<kOpCount>().set();
  // Kinds of case of the hunt; empty for the default mix.
  std::vector<CaseMode> modes;
  std::vector<CampaignTarget> targets;
  std::string runner = "e5rt";
  std::vector<std::string> faults;
  std::vector<QuirkSetting> quirks;
  // The labels that a finding of a known defect must have, any of them; empty for planted faults.
  std::vector<std::string> labels;
};

// Whether the subject acts where the engine stands so. Faults of the encoder and of the compiler's
// files are judged of the simulated engine alone; behind the exec protocol it is the program that
// makes the calls of the runtime.
bool ActsBy(const Subject& subject, Way way);
// Whether it acts in calls of the runtime rather than in programs: their arguments, order, slots,
// buffers, events.
bool IsOfCalls(const Subject& subject);

// The rows of the engine's lists, and the faults of the encoder, which the emulator must show.
// Planted faults are hunted on `targets` with the defects that the family has by default; known
// defects, one on and all others off, on the first of `targets` whose family has it or, where none
// has, on the lowest such family of the catalogue. Known defects that the engine does not act on
// are left out. Errors: kInvalid for a library that is not the simulated engine, kMalformed for
// lists that are not of simulator_control.h's form.
Result<std::vector<Subject>> ReadSubjects(const E5rtLibrary& engine,
                                          const std::vector<CampaignTarget>& targets);

// A fault of the parametric family on one operation: `permille` of its elements `ulps` too large.
Subject UlpSubject(const OpDefinition& op, int ulps, int permille,
                   const std::vector<CampaignTarget>& targets);

// Whether an operation gives fp16, in which alone an error has units in the last place: seen in the
// first cases that hold it. Comparisons, counts and indices do not.
bool GivesHalves(const OpDefinition& op, const CampaignTarget& target);

// Operations that graphs are drawn from: a numeric reference, a generator and a kernel of the
// simulated engine all exist.
bool IsDrawn(const OpDefinition& op);

}  // namespace anecheck
