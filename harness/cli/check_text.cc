#include "harness/cli/check_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <utility>

#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/base/json_words.h"
#include "harness/check/operation_errors.h"
#include "harness/cli/check_answer.h"
#include "harness/cli/typed_command.h"
#include "harness/verdict/defect_set.h"
#include "harness/verdict/route.h"
#include "oracles/defect_words.h"

namespace anecheck {
namespace {

// Returns an operation as `relu "y"`.
std::string NameText(const Json& operation) {
  return fmt::format("{} \"{}\"", MemberText(operation, "op"), MemberText(operation, "name"));
}

// Returns a line with the verdicts on a run's operations, or an empty string if the operations were
// not judged one by one.
std::string OneByOneText(const Json& json) {
  if (json.is_null()) return "";
  std::string text =
      fmt::format("    judged one by one, on the values that the engine fed them: {} right",
                  json["right"].get<int64_t>());
  const auto defects = json["known_defect"].get<int64_t>();
  if (defects > 0)
    text += fmt::format(", {} as documented ({})", defects, MemberText(json, "defects"));
  for (const auto& [key, what] :
       {std::pair{"unconfirmed", "unconfirmed"}, std::pair{"not_judged", "not judged"}}) {
    const auto count = json[key].get<int64_t>();
    if (count > 0) text += fmt::format(", {} {}", count, what);
  }
  return text + "\n";
}

std::string PartsText(const Json& parts) {
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    const Json& part = parts[i];
    const auto operations = part["operations"].get<size_t>();
    const std::string which = operations == 1
                                  ? NameText(part["first"])
                                  : fmt::format("{} operations from {} to {}", operations,
                                                NameText(part["first"]), NameText(part["last"]));
    text +=
        fmt::format("  part {} of {} around these, {}: {}{}{}\n", i + 1, parts.size(), which,
                    MemberText(part, "verdict"), MemberText(part, "message").empty() ? "" : ": ",
                    MemberText(part, "message"));
    text += OneByOneText(part["one_by_one"]);
  }
  return text;
}

std::string StepsText(const Json& target) {
  const auto steps = target.find("steps");
  if (steps == target.end()) return "";
  if (steps->is_null()) return "  --steps: the model has no states\n";
  std::string text;
  for (const Json& step : *steps) {
    text += fmt::format("  step {}: ", step["step"].get<int>());
    text += step.contains("message")
                ? "not taken: " + MemberText(step, "message") + "\n"
                : ErrorText(step["ulp"].get<uint64_t>(), step["relative"].get<double>(),
                            step["snr_db"].get<double>()) +
                      "\n";
  }
  return text;
}

std::string TargetText(const Json& target, bool why) {
  std::string text = fmt::format(
      "{}{}: {}{}{}\n", MemberText(target, "title"),
      MemberText(target, "route") == ToText(Route::kMil) ? ""
                                                         : " by " + MemberText(target, "route"),
      MemberText(target, "verdict"), MemberText(target, "message").empty() ? "" : ": ",
      MemberText(target, "message"));
  if (!MemberText(target, "caveat").empty())
    text.insert(text.size() - 1, "; " + MemberText(target, "caveat"));
  text += OneByOneText(target["one_by_one"]);
  text += AnswerSummary(target, why);
  if (!target["admitted_not_reached"].empty()) {
    text += fmt::format("  the tables admit these, but no engine ran them: {}\n",
                        JoinedTexts(target["admitted_not_reached"]));
  }
  for (const auto& refused : target["refused_alone"]) {
    text += fmt::format("  the engine refuses, though the tables admit it: {}: {}{}{}\n",
                        NameText(refused), MemberText(refused, "verdict"),
                        MemberText(refused, "message").empty() ? "" : ": ",
                        MemberText(refused, "message"));
  }
  if (target["searched"].get<bool>() && target["refused_alone"].empty()) {
    text += "  the engine accepts each operation alone, but not all of them together\n";
  }
  return text + StepsText(target) + PartsText(target["parts"]);
}

// Returns the title of a target, its name and its chips, from the report's list of targets.
std::string TitleOf(const Json& json, const std::string& target) {
  for (const Json& shown : json["targets"]) {
    if (MemberText(shown, "target") == target) return MemberText(shown, "title");
  }
  return target;
}

std::string LocationText(const Json& json, const Json& location) {
  std::string what;
  if (!location["located"].get<bool>()) {
    what = "the wrong operation could not be located";
  } else if (MemberText(location, "first_wrong").empty() &&
             MemberText(location, "known_defect").empty()) {
    what = "no single operation is certainly wrong on the values that it got";
  } else if (MemberText(location, "first_wrong").empty()) {
    what = "explained by documented defects: " +
           DefectWords(DefectSet::FromText(MemberText(location, "known_defect")));
  } else {
    what = fmt::format("the first wrong operation is {} \"{}\": {}",
                       MemberText(location, "first_wrong"), MemberText(location, "name"),
                       MemberText(location, "message"));
  }
  return fmt::format("{}: {}\n", TitleOf(json, MemberText(location, "target")), what);
}

// Returns whether the cliff is one of the model's own arithmetic, not of an engine's defect. The
// text reports such a cliff only if values are past it.
bool IsOwn(const Json& warning) {
  constexpr std::string_view kOwn[] = {"0/0", "inf-inf", "inf*0", "invalid", "underflow"};
  return std::ranges::find(kOwn, MemberText(warning, "cliff")) != std::end(kOwn);
}

std::string CliffText(const Json& json, const Json& warning) {
  const std::string where =
      fmt::format("{}: {} \"{}\"", TitleOf(json, MemberText(warning, "target")),
                  MemberText(warning, "op"), MemberText(warning, "name"));
  const bool past = warning["past"].get<bool>();
  if (IsOwn(warning)) {
    return fmt::format("{} is past a cliff: {} ({}), {}\n", where, MemberText(warning, "cliff"),
                       MemberText(warning, "what"),
                       Counted(warning["elements"].get<uint64_t>(), "element"));
  }
  const std::string reach =
      fmt::format("its first operand reaches {:.6g}, its result {:.6g}",
                  warning["operand"].get<double>(), warning["result"].get<double>());
  const std::string what =
      fmt::format("{} ({})", MemberText(warning, "cliff"), MemberText(warning, "what"));
  if (MemberText(warning, "cliff") == "fp16") {
    return fmt::format("{} is {} a cliff: {}; {}\n", where, past ? "past" : "near", reach,
                       MemberText(warning, "what"));
  }
  const std::string elements = Counted(warning["elements"].get<uint64_t>(), "element");
  return past ? fmt::format("{} is past a cliff: {} changes {}; {}\n", where, what, elements, reach)
              : fmt::format(
                    "{} is near a cliff: with a first operand a third larger {} would change "
                    "{}; {}\n",
                    where, what, elements, reach);
}

// Names the numbers of the model that are made up: its inputs, its constants, or both.
std::string MadeUp(const Json& json) {
  const auto constants = json["made_up_constants"].get<uint64_t>();
  const bool inputs = json["made_up_inputs"].get<bool>();
  if (constants == 0) return inputs ? "made-up inputs" : "";
  return fmt::format("{}{}", Counted(constants, "made-up constant"),
                     inputs ? " and made-up inputs" : "");
}

// Lists the parts of the model that the host computes, one kind on each line.
std::string HostText(const Json& host) {
  constexpr std::pair<const char*, std::string_view> kLines[] = {
      {"computed", "the host computes operations whose operands an engine does not take"},
      {"widened_outputs", "an engine gives fp16: int32 outputs that the host widens"},
      {"outputs_left_out", "outputs that the host computes alone, not judged"}};
  std::string text;
  for (const auto& [key, what] : kLines) {
    if (!host[key].empty()) text += fmt::format("{}: {}\n", what, JoinedTexts(host[key]));
  }
  return text;
}

}  // namespace

std::string CheckText(const Json& json, bool why, size_t columns) {
  std::string text = fmt::format(
      "{}{} on {} ({})\n", EvidenceMark(FindWord<Provenance>(MemberText(json, "provenance"))),
      MemberText(json, "model"), MemberText(json, "runner"), MemberText(json, "provenance"));
  const Json& casts = json["boundary_casts_left_out"];
  for (const char* side : {"inputs", "outputs"}) {
    if (casts[side].empty()) continue;
    text += fmt::format("an engine takes and gives fp16: the casts of fp32 {} are left out: {}\n",
                        side, JoinedTexts(casts[side]));
  }
  if (!json["states_given"].empty()) {
    text += fmt::format("states that begin with an array, and whose final content is judged: {}\n",
                        JoinedTexts(json["states_given"]));
  }
  text += HostText(json["on_the_host"]);
  text += AnswerTable(json, columns);
  for (const auto& target : json["targets"]) text += TargetText(target, why);
  for (const auto& location : json["locations"]) text += LocationText(json, location);
  for (const auto& warning : json["warnings"]) text += CliffText(json, warning);
  for (const auto& skipped : json["cliffs_not_looked_for"]) {
    text +=
        fmt::format("{}: no search for cliffs: {}\n", TitleOf(json, MemberText(skipped, "target")),
                    MemberText(skipped, "reason"));
  }
  if (json["warnings"].empty() && json["cliffs_not_looked_for"].empty()) {
    const bool met = std::ranges::any_of(json["locations"], [](const Json& location) {
      return !MemberText(location, "known_defect").empty();
    });
    text += met ? "apart from these defects, no value comes near a known cliff\n"
                : "no value comes near a known cliff\n";
  }
  const std::string made_up = MadeUp(json);
  if (!made_up.empty() && json["cliffs_not_looked_for"].empty()) {
    text += fmt::format("the search for cliffs used {}\n", made_up);
  }
  for (const auto& failure : json.value("fail_on", Json::array())) {
    text += "fail-on: " + failure.get<std::string>() + "\n";
  }
  return text;
}

}  // namespace anecheck
