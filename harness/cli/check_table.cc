// Formats the answer of `anecheck check` as a table for people.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <vector>

#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/base/json_words.h"
#include "harness/check/operation_errors.h"
#include "harness/cli/check_answer.h"
#include "harness/verdict/provenance.h"
#include "harness/verdict/route.h"

namespace anecheck {
namespace {

// A table with more rows shows only the rows that need attention.
constexpr size_t kMostRows = 40;
constexpr size_t kMostLetters = 40;
constexpr size_t kMostReasons = 12;
// The first columns, which name the operation.
constexpr size_t kHeads = 2;

std::string Shortened(const std::string& text) {
  return text.size() <= kMostLetters ? text : "..." + text.substr(text.size() - kMostLetters + 3);
}

bool IsAdded(const Json& row) { return row["added"].get<bool>(); }

// An engine may run an operation that the tables keep off the engine. The text of the operation's
// error then names the engine that ran it.
std::string ErrorOf(const Json& row, std::string_view engine) {
  const Json& error = row["error"];
  if (error.is_null()) return "";
  const std::string text = ErrorText(error["ulp"].get<uint64_t>(), error["relative"].get<double>(),
                                     error["snr_db"].get<double>());
  return IsKeptOff(row) ? fmt::format(" ({}: {})", engine, text) : ", " + text;
}

std::string CellText(const Json& row, std::string_view engine) {
  std::string text = MemberText(row, "placement") + ErrorOf(row, engine);
  for (const Json& cliff : row["cliffs"]) text += ", " + cliff.get<std::string>();
  return text;
}

bool IsPlain(const Json& row) {
  const bool ran =
      row["placement"] == "engine" || row["placement"] == ToText(Provenance::kEmulated);
  return ran && row["cliffs"].empty();
}

std::string Line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::string line = " ";
  for (size_t i = 0; i < cells.size(); ++i) {
    line += " " + cells[i] +
            (i + 1 == cells.size()
                 ? ""
                 : std::string(widths[i] - std::min(widths[i], cells[i].size()) + 1, ' '));
  }
  return line + "\n";
}

// Formats the table in lines of at most `columns` letters; 0 sets no limit. Columns that do not fit
// follow in further tables, each of which repeats the first `heads` columns.
std::string Aligned(const std::vector<std::vector<std::string>>& lines, size_t heads,
                    size_t columns) {
  constexpr size_t kGap = 2;
  std::vector<size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  size_t head_width = 0;
  for (size_t i = 0; i < heads; ++i) head_width += widths[i] + kGap;
  std::string text;
  for (size_t from = heads; from < widths.size();) {
    size_t to = from, width = head_width;
    while (to < widths.size() &&
           (to == from || columns == 0 || width + kGap + widths[to] <= columns)) {
      width += kGap + widths[to++];
    }
    const auto part = [&](const auto& all) {
      std::remove_cvref_t<decltype(all)> some(all.begin(), all.begin() + static_cast<long>(heads));
      some.insert(some.end(), all.begin() + static_cast<long>(from),
                  all.begin() + static_cast<long>(to));
      return some;
    };
    for (const auto& line : lines) text += Line(part(line), part(widths));
    from = to;
  }
  return text;
}

// The first operation that is refused for a reason, the reason, and the number of further ones.
struct Reason {
  std::string first, rest;
  size_t more = 0;
};

// Prints each remark of the rules once, with the first operation that has it.
std::string RemarksText(const Json& target) {
  std::vector<std::pair<std::string, std::string>> remarks;  // the remark and its operation
  for (const Json& row : target["operations"]) {
    if (IsAdded(row)) continue;
    for (const Json& remark : row["remarks"]) {
      const std::string text = remark.get<std::string>();
      const bool known =
          std::ranges::any_of(remarks, [&](const auto& r) { return r.first == text; });
      if (!known && remarks.size() < kMostReasons) {
        remarks.emplace_back(
            text, fmt::format("{} \"{}\"", MemberText(row, "op"), MemberText(row, "name")));
      }
    }
  }
  std::string text;
  for (const auto& [remark, of] : remarks) text += fmt::format("  {}: {}\n", of, remark);
  return text;
}

std::string ReasonsText(const Json& target, bool why) {
  std::vector<Reason> reasons;
  std::map<std::string, size_t> places;
  for (const Json& row : target["operations"]) {
    if (row["placement"] == "engine" || MemberText(row, "layer").empty() || IsAdded(row)) continue;
    std::string rest = fmt::format("{} by the {}: {}", MemberText(row, "outcome"),
                                   MemberText(row, "layer"), MemberText(row, "reason"));
    if (why && !MemberText(row, "rule").empty()) {
      rest +=
          fmt::format("\n      rule {}, {}", MemberText(row, "rule"), MemberText(row, "source"));
    }
    const auto [place, fresh] = places.emplace(MemberText(row, "op") + "\n" + rest, reasons.size());
    if (!fresh) {
      ++reasons[place->second].more;
      continue;
    }
    reasons.push_back({fmt::format("{}: {} \"{}\"", MemberText(row, "placement"),
                                   MemberText(row, "op"), MemberText(row, "name")),
                       rest});
  }
  std::string text;
  for (size_t i = 0; i < reasons.size() && (why || i < kMostReasons); ++i) {
    const Reason& reason = reasons[i];
    text +=
        fmt::format("  {}{}: {}\n", reason.first,
                    reason.more == 0 ? "" : fmt::format(" and {} more", reason.more), reason.rest);
  }
  if (!why && reasons.size() > kMostReasons) {
    text += fmt::format("  and {}; --why lists all\n",
                        Counted(reasons.size() - kMostReasons, "more reason"));
  }
  return text;
}

std::string PlanText(const Json& plan) {
  const auto engine = plan["engine"].get<size_t>(), all = plan["operations"].get<size_t>();
  const auto ties = plan["ties"].get<size_t>();
  if (all == 0) return "";
  std::string text = fmt::format(
      "  Core ML would place {} of {} on the engine by its published costs (M4), in about {:.3f} "
      "ms{}\n",
      engine, Counted(all, "operation"), plan["milliseconds"].get<double>(),
      ties == 0 ? "" : fmt::format("; {} with a tie between processors", ties));
  if (engine == 0) {
    text +=
        "    a model this small stays on the CPU: each entry into the engine costs 0.125 ms, and "
        "so does each change of processor\n";
  }
  if (plan["no_estimate"].empty()) return text;
  return text + "    no estimate, counted as 0: " + JoinedTexts(plan["no_estimate"]) + "\n";
}

// Formats the answer of `anecheck lower`. The number of dispatches has a meaning only if the
// program compiles.
std::string LoweringText(const Json& lowering) {
  const auto count = [&] {
    return ", " + Counted(lowering["dispatches"].get<int64_t>(), "dispatch", "dispatches");
  };
  std::string text = lowering["without_edges"].get<bool>()
                         ? "  lowered without the edges named above, as the last line of "
                           "`anecheck lower` shows: "
                         : "  lowered, as `anecheck lower` shows: ";
  if (lowering["compiles"].get<bool>()) {
    text += "compiles" + count();
  } else if (lowering["compiles_with_bridges"].get<bool>()) {
    text += "does not compile; with bridges it does" + count();
  } else {
    text += "does not compile";
  }
  const std::string names = JoinedTexts(lowering["rewritten_first"]);
  if (names.empty()) return text + "\n";
  return text +
         "\n    after rewrites before the compiler, else the engine does not take: " + names + "\n";
}

// Returns the summary of a run by the emulator. Leaves out Core ML's choice and the compiler's
// lowering, because they do not affect the emulator.
std::string EmulatedSummary(std::map<std::string, size_t>& counts, size_t operations) {
  return fmt::format("  {}: {} emulated, {} not run, {} on the host, {} refused by the target\n",
                     Counted(operations, "operation"),
                     counts[std::string(ToText(Provenance::kEmulated))], counts["not run"],
                     counts["host"], counts["refused"]);
}

}  // namespace

std::string AnswerTable(const Json& json, size_t columns) {
  const Json& targets = json["targets"];
  if (targets.empty()) return "";
  const Json& all = targets[0]["operations"];
  const auto rows = static_cast<size_t>(
      std::ranges::count_if(all, [](const Json& row) { return !IsAdded(row); }));
  const std::string_view engine =
      json["provenance"] == ToText(Provenance::kEmulated) ? "the emulator" : "this engine";
  std::vector<std::vector<std::string>> lines = {{"operation", "name"}};
  for (const Json& target : targets) {
    const std::string route = MemberText(target, "route") == ToText(Route::kMil)
                                  ? ""
                                  : " by " + MemberText(target, "route");
    lines[0].push_back(MemberText(target, "title") + route);
  }
  size_t left_out = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const Json& first = all[i];
    if (IsAdded(first)) continue;
    bool plain = true;
    std::vector<std::string> line = {MemberText(first, "op"), Shortened(MemberText(first, "name"))};
    for (const Json& target : targets) {
      const Json& row = target["operations"][i];
      plain &= IsPlain(row);
      line.push_back(CellText(row, engine));
    }
    if (plain && rows > kMostRows) {
      ++left_out;
    } else if (lines.size() <= kMostRows) {
      lines.push_back(std::move(line));
    }
  }
  std::string text = Aligned(lines, kHeads, columns);
  const size_t shown = lines.size() - 1;
  if (left_out > 0) {
    const bool emulated = targets[0]["operations"][0]["placement"] == ToText(Provenance::kEmulated);
    text += fmt::format("  {} {}\n", Counted(left_out, "more operation"),
                        emulated ? ToText(Provenance::kEmulated) : "on the engine of every target");
  }
  if (rows > shown + left_out) {
    text += fmt::format("  {} like these\n", Counted(rows - shown - left_out, "more operation"));
  }
  if (rows > shown) text += "  --json and --html list all\n";
  return text;
}

std::string AnswerSummary(const Json& target, bool why) {
  std::map<std::string, size_t> counts;
  size_t operations = 0;
  for (const Json& row : target["operations"]) {
    if (IsAdded(row)) continue;
    ++operations;
    ++counts[MemberText(row, "placement")];
  }
  if (counts[std::string(ToText(Provenance::kEmulated))] + counts["not run"] > 0) {
    return EmulatedSummary(counts, operations) + ReasonsText(target, why);
  }
  std::string text = fmt::format(
      "  {}: {} may run on the engine, {} on the host, {} refused; {} handed over between engine "
      "and host\n",
      Counted(operations, "operation"), counts["engine"], counts["host"], counts["refused"],
      Counted(target["hand_overs"].get<size_t>(), "value"));
  text += LoweringText(target["lowering"]);
  text += PlanText(target["plan"]) + ReasonsText(target, why) + RemarksText(target);
  for (const Json& advice : target["advice"]) {
    text += fmt::format("  to change: {} \"{}\": {} ({})\n", MemberText(advice, "op"),
                        MemberText(advice, "name"), MemberText(advice, "change"),
                        MemberText(advice, "source"));
  }
  return text;
}

}  // namespace anecheck
