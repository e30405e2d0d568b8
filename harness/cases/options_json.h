// The options of a campaign as JSON, as stored in a results file, so that the campaign can be
// continued or run again. Options of the machine (number of jobs, path of the file, time limits)
// are left out, because results do not depend on them.
#pragma once

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/cases/case.h"

namespace anecheck {

// {"seed", "cases", "shard": [index, count], "route", "runner", "library", "targets": [{"name",
// "family"}], "modes": [name], "ops": "all" or [name], "faults": [id], "quirks": ["ID=on"],
// "defects": [text of a catalogue], "case_timeout_ms"}; "defects" only if there are any.
Json OptionsToJson(const CampaignOptions& options);

// Errors: kMalformed with the name of the missing or wrong member.
Result<CampaignOptions> OptionsFromJson(const Json& json);

// Reads a text such as "D01=on" or "all=off". Errors: kInvalid.
Result<QuirkSetting> ParseQuirk(std::string_view text);
std::string QuirkText(const QuirkSetting& quirk);

}  // namespace anecheck
