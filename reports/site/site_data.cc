#include "reports/site/site_data.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <tuple>

#include "harness/base/hash.h"
#include "harness/targets/catalog.h"
#include "harness/targets/chip_names.h"
#include "reports/query.h"

namespace anecheck::reports {
namespace {

constexpr MarkFact kMarkFacts[kMarks] = {
    {"right", "✓", "correct", "every value that was judged is right"},
    {"not judged", "d", "dispatched", "it ran or compiled, but none of its values was judged"},
    {"known defect", "K", "known-defect", "a documented defect was seen"},
    {"unconfirmed", "?", "unconfirmed",
     "its values rest on an unmeasured term or a single element"},
    {"refused", "R", "rejected", "the compiler refused it"},
    {"broken", "✗", "wrong", "wrong values, a crash or a hang that no documented defect explains"},
    {"not tried", "·", "attested", "the rules admit it, but no case contained it"},
    {"not on this chip", "−", "refused", "the rules do not admit it, and no case contained it"}};

// Returns the letters, digits and hyphens of a text, for file names.
std::string SlugOf(std::string_view text) {
  std::string slug;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (plain || upper) {
      slug += upper ? static_cast<char>(c + 32) : c;
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (slug.ends_with('-')) slug.pop_back();
  return slug;
}

// Makes distinct file names for distinct texts.
class Slugs {
 public:
  std::string Of(std::string_view text) {
    std::string slug = SlugOf(text).substr(0, 80);
    if (slug.empty() || !used_.insert(slug).second) {
      slug += fmt::format("-{:08x}", Fnv1a().Add(text).value() & 0xffffffff);
      used_.insert(slug);
    }
    return slug;
  }

 private:
  std::set<std::string> used_;
};

class SiteBuilder {
 public:
  explicit SiteBuilder(Site& site) : site_(site) {}

  void Build() {
    AddOps();
    AddSnapshots();
    OrderSnapshots();
    AddFindings();
    Settle();
    AddDefects();
  }

 private:
  using ChipKey = std::pair<std::string, Provenance>;

  void AddOps() {
    std::set<std::string> classes;
    const auto add = [&](const std::string& name, const std::string& op_class,
                         std::optional<size_t> row) {
      if (!op_of_.emplace(name, site_.ops.size()).second) return;
      site_.ops.push_back({name, op_class, op_slugs_.Of(name), row});
      if (classes.insert(op_class).second) site_.classes.push_back(op_class);
    };
    for (size_t row = 0; row < site_.rules.rows.size(); ++row) {
      add(site_.rules.rows[row].name, site_.rules.rows[row].row_class, row);
    }
    for (const auto& [key, counts] : site_.data.reach) add(key.op, "not in the table", {});
    for (const FindingInfo& finding : site_.data.findings) {
      if (!finding.op.empty()) add(finding.op, "not in the table", {});
    }
  }

  size_t ChipOf(const std::string& target, Provenance provenance) {
    const auto [entry, fresh] = chip_of_.emplace(ChipKey{target, provenance}, site_.chips.size());
    if (fresh) {
      SiteChip& chip = site_.chips.emplace_back();
      chip.target = target;
      chip.provenance = provenance;
      chip.slug = chip_slugs_.Of(target + "-" + std::string(ToText(provenance)));
    }
    return entry->second;
  }

  // Orders the chips with results by family, the newest first. Chips that are in no table follow.
  void OrderChips() {
    std::set<ChipKey> met;
    for (const auto& [key, counts] : site_.data.reach) met.emplace(key.target, key.provenance);
    const std::span<const Target> targets = AllTargets();
    for (size_t i = targets.size(); i-- > 0;) {
      for (const ChipKey& key : met) {
        if (key.first == targets[i].compiler_name) ChipOf(key.first, key.second);
      }
    }
    for (const ChipKey& key : met) ChipOf(key.first, key.second);
    for (SiteChip& chip : site_.chips) {
      for (const Target& target : targets) {
        if (target.compiler_name == chip.target) chip.chips = ChipsText(target);
      }
      chip.title =
          chip.chips.empty() ? chip.target : fmt::format("{} ({})", chip.chips, chip.target);
      NoteAdmitted(chip);
    }
  }

  void NoteAdmitted(SiteChip& chip) {
    chip.admitted.assign(site_.ops.size(), false);
    const Attestation& rules = site_.rules;
    for (size_t target = 0; target < rules.targets.size(); ++target) {
      if (rules.targets[target]->compiler_name != chip.target) continue;
      for (size_t op = 0; op < site_.ops.size(); ++op) {
        for (size_t route = 0; site_.ops[op].row && route < rules.routes.size(); ++route) {
          if (rules.at(*site_.ops[op].row, target, route).admitted) chip.admitted[op] = true;
        }
      }
    }
  }

  void AddSnapshots() {
    OrderChips();
    Slugs slugs;
    for (size_t run = 0; run < site_.data.runs.size(); ++run) {
      std::map<size_t, size_t> snapshots;  // the snapshot of the run for each chip
      for (const auto& [key, counts] : site_.data.reach_of_run[run]) {
        const size_t chip = ChipOf(key.target, key.provenance);
        const auto [place, fresh] = snapshots.try_emplace(chip);
        if (fresh) place->second = SnapshotOf(run, chip, slugs);
        Standing& cell = site_.snapshots[place->second].cells[{op_of_.at(key.op), key.route}];
        cell.counts += counts;
        cell.snapshot = place->second;
        snapshot_of_[{run, chip}] = place->second;
      }
    }
  }

  // Numbers the occasions of each chip by the start of their first run, and sorts its snapshots.
  void OrderSnapshots() {
    for (SiteChip& chip : site_.chips) {
      using Occasion = std::tuple<std::string, std::string, std::string>;
      std::map<Occasion, size_t> first_run;  // runs are in order of their start
      const auto occasion_of = [&](size_t i) {
        const Snapshot& at = site_.snapshots[i];
        return Occasion(at.date, at.label, at.compiler);
      };
      for (const size_t i : chip.snapshots) {
        const size_t run = site_.snapshots[i].runs.front();
        const auto [first, fresh] = first_run.emplace(occasion_of(i), run);
        if (!fresh) first->second = std::min(first->second, run);
      }
      for (const size_t i : chip.snapshots) {
        const size_t first = first_run.at(occasion_of(i));
        site_.snapshots[i].occasion = static_cast<size_t>(std::ranges::count_if(
            first_run, [&](const auto& other) { return other.second < first; }));
      }
      std::ranges::sort(chip.snapshots, {}, [&](size_t i) {
        const Snapshot& at = site_.snapshots[i];
        return std::tie(at.occasion, at.os, at.machine);
      });
    }
  }

  // Returns the snapshot to which the run adds its cells of the chip.
  size_t SnapshotOf(size_t run, size_t chip, Slugs& slugs) {
    const RunInfo& info = site_.data.runs[run];
    const std::string day = info.started.substr(0, 10);
    const std::string& label = info.label;
    const auto [place, fresh] =
        places_.emplace(std::tuple(day, chip, label, info.os, info.compiler_version, info.chip),
                        site_.snapshots.size());
    if (fresh) {
      Snapshot& made = site_.snapshots.emplace_back();
      made.chip = chip;
      made.date = day;
      made.label = label;
      made.os = info.os;
      made.compiler = info.compiler_version;
      made.machine = info.chip;
      made.slug =
          slugs.Of(site_.chips[chip].slug + "-" + day + "-" + info.os + "-" +
                   info.compiler_version + "-" + info.chip + (label.empty() ? "" : "-" + label));
      site_.chips[chip].snapshots.push_back(place->second);
    }
    site_.snapshots[place->second].runs.push_back(run);
    return place->second;
  }

  std::optional<size_t> ChipOfFinding(const FindingInfo& finding) const {
    const RunInfo& run = site_.data.runs[finding.run];
    const auto found = chip_of_.find(
        {finding.target, run.ProvenanceOf(finding.target, finding.route, finding.op)});
    if (found != chip_of_.end()) return found->second;
    return std::nullopt;
  }

  void AddFindings() {
    for (const FindingInfo& finding : site_.data.findings) {
      const auto chip = ChipOfFinding(finding);
      if (!chip || finding.op.empty()) continue;
      const auto snapshot = snapshot_of_.find({finding.run, *chip});
      if (snapshot == snapshot_of_.end()) continue;
      CountFinding(snapshot->second, {op_of_.at(finding.op), finding.route}, finding);
    }
  }

  void CountFinding(size_t snapshot, OpRoute cell, const FindingInfo& finding) {
    site_.snapshots[snapshot].cells[cell].snapshot = snapshot;
    Tally(finding, tallies_[{snapshot, cell}]);
  }

  // Sets the mark of every cell, collects the newest cells of each chip, and records changes.
  void Settle() {
    for (SiteChip& chip : site_.chips) {
      for (const size_t index : chip.snapshots) {
        for (auto& [cell, standing] : site_.snapshots[index].cells) {
          standing.stage = StageOf(standing.counts, tallies_[{index, cell}]);
          standing.mark = MarkOf(standing.stage);
        }
        // A finding without counts does not show that a case had the operation.
        site_.snapshots[index].cells.EraseIf([](const auto& entry) {
          return entry.second.counts.cases == 0 && entry.second.mark != Mark::kBroken;
        });
        for (const auto& [cell, standing] : site_.snapshots[index].cells) {
          NoteChange(chip, cell, standing);
          chip.now[cell] = standing;
        }
      }
    }
    std::ranges::sort(site_.changes, [&](const SiteChange& a, const SiteChange& b) {
      return std::tuple(site_.snapshots[b.after.snapshot].date, b.worse, a.chip, a.cell) <
             std::tuple(site_.snapshots[a.after.snapshot].date, a.worse, b.chip, b.cell);
    });
  }

  void NoteChange(const SiteChip& chip, const OpRoute& cell, const Standing& after) {
    const Standing* before = chip.now.Find(cell);
    if (before == nullptr || before->mark == after.mark) return;
    SiteChange& change = site_.changes.emplace_back();
    change.chip = chip_of_.at({chip.target, chip.provenance});
    change.cell = cell;
    change.before = *before;
    change.after = after;
    change.worse = IsWorse(change.before.mark, after.mark);
    change.better = IsWorse(after.mark, change.before.mark);
  }

  void AddDefects() {
    std::map<std::pair<Provenance, std::string>, SiteDefect> defects;
    for (size_t i = 0; i < site_.data.findings.size(); ++i) {
      const FindingInfo& finding = site_.data.findings[i];
      const RunInfo& run = site_.data.runs[finding.run];
      const std::string day = run.started.substr(0, 10);
      SiteDefect& defect = defects[{run.provenance, finding.signature}];
      if (defect.findings.empty()) {
        const uint64_t name =
            Fnv1a().Add(ToText(run.provenance)).Add(0).Add(finding.signature).value();
        defect.page = fmt::format("findings/{:016x}.html", name);
        defect.shown = i;
        defect.first = defect.last = day;
        defect.chip = ChipOfFinding(finding);
        defect.first_occasion = OccasionOf(defect, finding);
      }
      const size_t occasion = OccasionOf(defect, finding);
      defect.first_occasion = std::min(defect.first_occasion, occasion);
      defect.last_occasion = std::max(defect.last_occasion, occasion);
      defect.findings.push_back(i);
      defect.cases += finding.occurrences;
      defect.first = std::min(defect.first, day);
      defect.last = std::max(defect.last, day);
      if (finding.run > site_.data.findings[defect.shown].run) defect.shown = i;
    }
    for (auto& [key, defect] : defects) {
      for (const size_t i : defect.findings) site_.data.findings[i].page = defect.page;
      defect.gone = IsGone(defect);
      site_.defects.push_back(std::move(defect));
    }
    std::ranges::sort(site_.defects, [&](const SiteDefect& a, const SiteDefect& b) {
      return std::tuple(a.gone, !site_.Shown(a).is_new, -a.cases, a.page) <
             std::tuple(b.gone, !site_.Shown(b).is_new, -b.cases, b.page);
    });
  }

  size_t OccasionOf(const SiteDefect& defect, const FindingInfo& finding) const {
    if (!defect.chip) return 0;
    const auto found = snapshot_of_.find({finding.run, *defect.chip});
    return found == snapshot_of_.end() ? 0 : site_.snapshots[found->second].occasion;
  }

  bool IsGone(const SiteDefect& defect) const {
    const FindingInfo& finding = site_.Shown(defect);
    if (!defect.chip || finding.op.empty()) return false;
    const SiteChip& chip = site_.chips[*defect.chip];
    const Standing* now = chip.now.Find({op_of_.at(finding.op), finding.route});
    return now != nullptr && site_.snapshots[now->snapshot].occasion > defect.last_occasion;
  }

  Site& site_;
  std::map<std::string, size_t> op_of_;
  std::map<ChipKey, size_t> chip_of_;
  std::map<std::pair<size_t, size_t>, size_t> snapshot_of_;  // by run and chip
  // Indices of snapshots, by day, chip, label, system, compiler and machine.
  std::map<std::tuple<std::string, size_t, std::string, std::string, std::string, std::string>,
           size_t>
      places_;
  std::map<std::pair<size_t, OpRoute>, FindingTally> tallies_;
  Slugs op_slugs_, chip_slugs_;
};

int BadnessOf(Mark mark) { return static_cast<int>(mark); }

}  // namespace

const MarkFact& FactOf(Mark mark) { return kMarkFacts[static_cast<size_t>(mark)]; }

Mark MarkOf(Stage stage) {
  switch (stage) {
    case Stage::kWrong:
    case Stage::kFailed:
      return Mark::kBroken;
    case Stage::kRejected:
      return Mark::kRefused;
    case Stage::kKnownDefect:
      return Mark::kKnown;
    case Stage::kUnconfirmed:
      return Mark::kUnconfirmed;
    case Stage::kCorrect:
      return Mark::kRight;
    default:
      return Mark::kUnjudged;
  }
}

bool IsWorse(Mark before, Mark after) {
  // A cell in which nothing was judged cannot be compared.
  if (before == Mark::kUnjudged || after == Mark::kUnjudged) return false;
  return BadnessOf(after) > BadnessOf(before);
}

std::optional<int> MarkCounts::Percent() const {
  if (attested == 0) return std::nullopt;
  return static_cast<int>(100 * Of(Mark::kRight) / attested);
}

namespace {

// The mark of one operation by each route, or nothing if the route was not tried.
using RouteMarks = std::array<std::optional<Mark>, 2>;

Mark WorstOf(const RouteMarks& marks, bool admitted) {
  return std::max(marks[0], marks[1]).value_or(admitted ? Mark::kUntried : Mark::kAbsent);
}

RouteMarks MarksOf(const CellMap<Standing>& cells, size_t op) {
  RouteMarks marks;
  for (const Route route : {Route::kMil, Route::kNetlist}) {
    const Standing* standing = cells.Find({op, route});
    if (standing != nullptr) marks[static_cast<size_t>(route)] = standing->mark;
  }
  return marks;
}

void Count(Mark mark, bool admitted, MarkCounts& counts) {
  if (!admitted) {
    counts.beyond += mark == Mark::kAbsent ? 0 : 1;
    return;
  }
  ++counts.attested;
  ++counts.marks[static_cast<size_t>(mark)];
}

}  // namespace

Mark Site::MarkOn(size_t op, const SiteChip& chip) const {
  return WorstOf(MarksOf(chip.now, op), chip.admitted[op]);
}

MarkCounts Site::Count(const SiteChip& chip, std::string_view op_class) const {
  MarkCounts counts;
  for (size_t op = 0; op < ops.size(); ++op) {
    if (!op_class.empty() && ops[op].op_class != op_class) continue;
    reports::Count(MarkOn(op, chip), chip.admitted[op], counts);
  }
  return counts;
}

std::vector<std::pair<std::string, MarkCounts>> Site::CountByDay(const SiteChip& chip) const {
  std::vector<std::pair<std::string, MarkCounts>> days;
  std::vector<RouteMarks> newest(ops.size());
  for (size_t i = 0; i < chip.snapshots.size(); ++i) {
    const Snapshot& snapshot = snapshots[chip.snapshots[i]];
    for (const auto& [cell, standing] : snapshot.cells) {
      newest[cell.op][static_cast<size_t>(cell.route)] = standing.mark;
    }
    const bool last = i + 1 == chip.snapshots.size();
    if (!last && snapshots[chip.snapshots[i + 1]].date == snapshot.date) continue;
    MarkCounts& counts = days.emplace_back(snapshot.date, MarkCounts()).second;
    for (size_t op = 0; op < ops.size(); ++op) {
      reports::Count(WorstOf(newest[op], chip.admitted[op]), chip.admitted[op], counts);
    }
  }
  return days;
}

std::vector<const SiteChange*> Site::ChangesOf(size_t chip, bool newest_only) const {
  const size_t newest = Newest(chips[chip]).occasion;
  std::vector<const SiteChange*> list;
  for (const SiteChange& change : changes) {
    if (change.chip != chip) continue;
    if (newest_only && snapshots[change.after.snapshot].occasion != newest) continue;
    list.push_back(&change);
  }
  return list;
}

bool Site::Compares() const {
  return std::ranges::any_of(chips,
                             [&](const SiteChip& chip) { return Newest(chip).occasion > 0; });
}

std::string Site::NewestDate() const {
  std::string newest;
  for (const Snapshot& snapshot : snapshots) newest = std::max(newest, snapshot.date);
  return newest;
}

Result<Site> ReadSite(std::span<const std::string> db_paths, const ReportProgress& progress) {
  Site site;
  ANECHECK_ASSIGN(site.data, ReadReportData(db_paths, progress));
  std::vector<const Target*> targets;
  for (const Target& target : AllTargets()) targets.push_back(&target);
  std::vector<evidence::Statement> statements = evidence::Published();
  for (evidence::Statement& statement : StatementsOf(site.data)) {
    statements.push_back(std::move(statement));
  }
  ANECHECK_ASSIGN(site.rules, BuildAttestation(std::move(targets), std::move(statements)));
  std::vector<const RunRow*> rows;
  rows.reserve(site.data.runs.size());
  for (const RunInfo& run : site.data.runs) rows.push_back(&run);
  site.missing = FindMissingShards(rows);
  SiteBuilder(site).Build();
  return site;
}

}  // namespace anecheck::reports
