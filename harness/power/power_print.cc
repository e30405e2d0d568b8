// Prints a measurement of power as JSON and as text.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/power/power.h"

namespace anecheck {
namespace {

template <typename T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

// Rounds to a thousandth of a second, because smaller differences are noise.
double Rounded(double seconds) { return static_cast<double>(std::llround(seconds * 1000)) / 1000; }

Json HuntToJson(const HuntResult& hunt) {
  const Subject& subject = hunt.subject;
  return {{"id", subject.id},
          {"way", ToText(hunt.way)},
          {"acts", hunt.acts},
          {"unconfirmed", hunt.unconfirmed},
          {"group", SubjectGroupName(subject.group)},
          {"kind", subject.kind},
          {"op", subject.op},
          {"class", subject.op_class},
          {"ulps", subject.ulps},
          {"share", subject.share},
          {"description", subject.description},
          {"found", hunt.found},
          {"by", hunt.by},
          {"cases", hunt.cases},
          {"seconds", Rounded(hunt.seconds)},
          {"verdict", hunt.verdict ? ToText(*hunt.verdict) : ""},
          {"found_op", hunt.op},
          {"target", hunt.target},
          {"label", hunt.label},
          {"reproducer_nodes", OrNull(hunt.nodes)},
          {"reproducer_elements", OrNull(hunt.elements)},
          {"not_shrunk", hunt.not_shrunk},
          {"unlabelled", hunt.unlabelled},
          {"reason", hunt.reason}};
}

// Returns the middle value, or the smaller of two middle values.
Json Median(std::vector<uint64_t> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  return values[(values.size() - 1) / 2];
}

Json SummaryJson(const PowerReport& report) {
  uint64_t planted = 0, planted_found = 0, known = 0, known_found = 0;
  uint64_t by_campaign = 0, by_probe = 0, not_shrunk = 0;
  std::vector<uint64_t> nodes, elements;
  for (const HuntResult& hunt : report.hunts) {
    if (!hunt.acts) continue;
    const bool is_planted = hunt.subject.group == SubjectGroup::kPlanted;
    ++(is_planted ? planted : known);
    (is_planted ? planted_found : known_found) += hunt.found ? 1 : 0;
    if (hunt.found) ++(hunt.by == "campaign" ? by_campaign : by_probe);
    not_shrunk += hunt.not_shrunk.empty() ? 0 : 1;
    if (hunt.nodes) nodes.push_back(*hunt.nodes);
    if (hunt.elements) elements.push_back(*hunt.elements);
  }
  return {{"planted", planted},
          {"planted_found", planted_found},
          {"known", known},
          {"known_found", known_found},
          {"found_by_campaign", by_campaign},
          {"found_by_probe", by_probe},
          {"median_nodes", Median(std::move(nodes))},
          {"median_elements", Median(std::move(elements))},
          {"not_shrunk", not_shrunk}};
}

// Returns the summaries of the ways that have hunts.
Json WaysJson(const PowerReport& report) {
  Json list = Json::array();
  for (const Way way : AllWords<Way>()) {
    if (std::ranges::find(report.hunts, way, &HuntResult::way) == report.hunts.end()) continue;
    const WaySummary sum = report.InWay(way);
    list.push_back({{"way", ToText(way)},
                    {"planted", sum.planted},
                    {"planted_found", sum.planted_found},
                    {"known", sum.known},
                    {"known_found", sum.known_found},
                    {"of_one_op", sum.of_one_op},
                    {"named", sum.named},
                    {"misnamed", sum.misnamed},
                    {"unconfirmed", sum.unconfirmed},
                    {"missed", sum.missed}});
  }
  return list;
}

std::string Listed(const Json& row, const char* member) {
  const auto ids = row[member].get<std::vector<std::string>>();
  return ids.empty() ? "" : fmt::format("  {}: {}\n", member, fmt::join(ids, ", "));
}

std::string WaysText(const Json& ways) {
  std::string text;
  for (const Json& row : ways) {
    text += fmt::format("{}: exit code 1 of {} of {}, the operation named of {} of {}; {} of {}\n",
                        row["way"].get<std::string>(), row["planted_found"].dump(),
                        Counted(row["planted"].get<size_t>(), "planted fault"), row["named"].dump(),
                        row["of_one_op"].dump(), row["known_found"].dump(),
                        Counted(row["known"].get<size_t>(), "known defect"));
    for (const char* list : {"missed", "unconfirmed", "misnamed"}) text += Listed(row, list);
  }
  return text;
}

Json CleanJson(const PowerReport& report) {
  Json list = Json::array();
  for (const CleanResult& clean : report.clean) {
    list.push_back({{"target", clean.target.name},
                    {"quirks", clean.quirks ? "family" : "off"},
                    {"cases", clean.cases},
                    {"judged", clean.judged},
                    {"inconclusive", clean.inconclusive},
                    {"false_findings", clean.false_findings},
                    {"seconds", Rounded(clean.seconds)},
                    {"first", clean.first}});
  }
  return list;
}

Json MagnitudesJson(const PowerReport& report) {
  Json list = Json::array();
  for (const MagnitudeResult& magnitude : report.magnitudes) {
    list.push_back({{"op", magnitude.op},
                    {"class", magnitude.op_class},
                    {"share", magnitude.permille / 1000.0},
                    {"ulps", OrNull(magnitude.ulps)},
                    {"implied", magnitude.implied},
                    {"freedoms", magnitude.freedoms},
                    {"cases", magnitude.cases},
                    {"seconds", Rounded(magnitude.seconds)}});
  }
  return list;
}

struct ClassSum {
  uint64_t ops = 0, one_ulp = 0, none = 0;
  int worst = 0;
  std::set<std::string> freedoms;  // of the operations in which one unit was not found
};

Json ClassesJson(const PowerReport& report) {
  std::map<std::pair<std::string, int>, ClassSum> sums;
  for (const MagnitudeResult& magnitude : report.magnitudes) {
    ClassSum& sum = sums[{magnitude.op_class, magnitude.permille}];
    ++sum.ops;
    sum.one_ulp += magnitude.ulps == 1 ? 1 : 0;
    sum.none += magnitude.ulps ? 0 : 1;
    sum.worst = std::max(sum.worst, magnitude.ulps.value_or(0));
    if (magnitude.ulps != 1)
      sum.freedoms.insert(magnitude.freedoms.begin(), magnitude.freedoms.end());
  }
  Json list = Json::array();
  for (const auto& [key, sum] : sums) {
    list.push_back({{"class", key.first},
                    {"share", key.second / 1000.0},
                    {"ops", sum.ops},
                    {"ulps", sum.none > 0 ? Json() : Json(sum.worst)},
                    {"one_ulp_ops", sum.one_ulp},
                    {"not_found_ops", sum.none},
                    {"freedoms", sum.freedoms}});
  }
  return list;
}

std::string Size(const Json& row, const char* member) {
  return row[member].is_null() ? "-" : row[member].dump();
}

std::string HuntLine(const Json& row) {
  const std::string note =
      row["found"].get<bool>()
          ? fmt::format("{} {} {}", row["by"].get<std::string>(), row["verdict"].get<std::string>(),
                        row["label"].get<std::string>())
          : row["reason"].get<std::string>();
  const std::string_view found = row["acts"] == false             ? "-"
                                 : row["found"].get<bool>()       ? "yes"
                                 : row["unconfirmed"].get<bool>() ? "open"
                                                                  : "NO";
  return fmt::format("{:<34}{:<10}{:<18}{:>6}{:>8}{:>9.2f}{:>7}{:>10}  {}\n",
                     row["id"].get<std::string>(), row["way"].get<std::string>(),
                     row["kind"].get<std::string>(), found, row["cases"].get<uint64_t>(),
                     row["seconds"].get<double>(), Size(row, "reproducer_nodes"),
                     Size(row, "reproducer_elements"), note);
}

}  // namespace

Json PowerToJson(const PowerReport& report) {
  Json targets = Json::array(), faults = Json::array();
  for (const CampaignTarget& target : report.targets) targets.push_back(target.name);
  for (const HuntResult& hunt : report.hunts) faults.push_back(HuntToJson(hunt));
  return {{"version", 1},
          {"seed", report.seed},
          {"cases", report.cases},
          {"engine", report.engine},
          {"targets", std::move(targets)},
          {"seconds", Rounded(report.seconds)},
          {"interrupted", report.interrupted},
          {"summary", SummaryJson(report)},
          {"ways", WaysJson(report)},
          {"faults", std::move(faults)},
          {"false_findings", report.FalseFindings()},
          {"lost", OrNull(report.lost)},
          {"undecided", report.undecided},
          {"clean", CleanJson(report)},
          {"magnitudes", MagnitudesJson(report)},
          {"classes", ClassesJson(report)}};
}

std::string PowerToText(const PowerReport& report) {
  const Json json = PowerToJson(report);
  std::string text = fmt::format("{:<34}{:<10}{:<18}{:>6}{:>8}{:>9}{:>7}{:>10}  {}\n", "id", "way",
                                 "kind", "found", "cases", "seconds", "nodes", "elements", "how");
  for (const Json& row : json["faults"]) text += HuntLine(row);
  const Json& summary = json["summary"];
  text += fmt::format(
      "found: {} of {}, {} of {}; {} by campaigns, {} by probes; "
      "median reproducer: nodes {}, elements {}, without {} that could not be made small\n",
      summary["planted_found"].dump(), Counted(summary["planted"].get<size_t>(), "planted fault"),
      summary["known_found"].dump(), Counted(summary["known"].get<size_t>(), "known defect"),
      summary["found_by_campaign"].dump(), summary["found_by_probe"].dump(),
      Size(summary, "median_nodes"), Size(summary, "median_elements"),
      summary["not_shrunk"].dump());
  text += WaysText(json["ways"]);
  for (const Json& row : json["clean"]) {
    text += fmt::format("clean {} with defects {}: {}, {} inconclusive, {} {}\n",
                        row["target"].get<std::string>(),
                        row["quirks"] == "off" ? "off" : "of the family",
                        Counted(row["cases"].get<uint64_t>(), "case"), row["inconclusive"].dump(),
                        Counted(row["false_findings"].get<uint64_t>(), "false finding"),
                        row["first"].get<std::string>());
  }
  if (!json["classes"].empty()) {
    text += fmt::format("{:<46}{:>7}{:>6}{:>8}{:>10}{:>11}\n", "class", "share", "ops", "ulps",
                        "at 1 ulp", "not found");
  }
  for (const Json& row : json["classes"]) {
    text += fmt::format("{:<46}{:>7}{:>6}{:>8}{:>10}{:>11}\n", row["class"].get<std::string>(),
                        row["share"].dump(), row["ops"].dump(),
                        row["ulps"].is_null() ? ">64" : row["ulps"].dump(),
                        row["one_ulp_ops"].dump(), row["not_found_ops"].dump());
    if (row["freedoms"].empty()) continue;
    text += fmt::format("  less is admitted by: {}\n",
                        fmt::join(row["freedoms"].get<std::vector<std::string>>(), ", "));
  }
  text += fmt::format("false findings: {}\n", report.FalseFindings());
  if (report.lost) {
    text += fmt::format(
        "lost: {}{}; {} ended by the clock\n", report.lost->size(),
        report.lost->empty() ? "" : " " + fmt::format("{}", fmt::join(*report.lost, " ")),
        report.undecided);
  }
  return text;
}

}  // namespace anecheck
