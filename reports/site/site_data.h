// The data of the pages of a lab: the results of any number of runs by chip and by date, the state
// of each operation on each chip, and its changes. Every page of this folder takes a Site.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/results/shards.h"
#include "reports/attestation.h"
#include "reports/campaign_evidence.h"
#include "reports/report_data.h"
#include "reports/site/cell_map.h"

namespace anecheck::reports {

// The states of an operation on pages, best first.
enum class Mark : uint8_t {
  kRight,
  kUnjudged,     // it ran or compiled, but its values were not judged
  kKnown,        // a documented defect
  kUnconfirmed,  // an unmeasured term or a single element decides
  kRefused,      // by the compiler
  kBroken,       // wrong values, a crash, a hang: a new finding
  kUntried,      // the rules admit it, but no case contained it
  kAbsent,       // the rules do not admit it, and no case contained it
};
inline constexpr size_t kMarks = 8;
struct MarkFact {
  std::string_view name;   // "right"
  std::string_view sign;   // "✓"
  std::string_view style;  // class of the page's style, and the name in JSON
  std::string_view words;
};
const MarkFact& FactOf(Mark mark);
Mark MarkOf(Stage stage);
// Whether `after` is worse than `before`. Precondition: both are marks of something that was tried.
bool IsWorse(Mark before, Mark after);

// An operation of the tables, or a name that occurs only in results.
struct SiteOp {
  std::string name, op_class, slug;
  std::optional<size_t> row;  // in Site::rules
};

struct Standing {
  Mark mark = Mark::kUntried;
  Stage stage = Stage::kCatalogued;
  ReachCounts counts;
  size_t snapshot = 0;
};

// The runs of one chip on one day and one system. Evidence of different systems or compilers is
// never added up, nor are runs with different labels.
struct Snapshot {
  size_t chip = 0;
  std::string date, label, os, compiler, machine, slug;
  // A number from 0 in order of time among the chip's occasions. Snapshots of one occasion share
  // date, label and compiler.
  size_t occasion = 0;
  std::vector<size_t> runs;
  CellMap<Standing> cells;
};

// A target with one kind of evidence.
struct SiteChip {
  std::string target, chips, title, slug;  // "h13", "M1", "M1 (h13)", "h13-simulated"
  Provenance provenance = Provenance::kReported;
  std::vector<size_t> snapshots;  // by occasion
  CellMap<Standing> now;          // for each cell, its state in the newest snapshot that has it
  std::vector<bool> admitted;     // by operation: the rules admit it on a route
};

struct SiteChange {
  size_t chip = 0;
  OpRoute cell;
  Standing before, after;
  bool worse = false, better = false;
};

// Findings with one signature and one kind of evidence: one defect, however many runs met it.
struct SiteDefect {
  std::string page;              // "findings/0123456789ab.html", of the signature alone
  size_t shown = 0;              // the newest of `findings`
  std::vector<size_t> findings;  // indices in ReportData::findings
  std::optional<size_t> chip;    // none if no run counted a case of its target
  std::string first, last;       // days
  size_t first_occasion = 0, last_occasion = 0;  // of the chip
  int64_t cases = 0;
  bool gone = false;  // a later run of the chip had the operation and did not show it
};

// The number of a chip's operations with each mark. The rules admit the `attested` ones.
struct MarkCounts {
  int64_t attested = 0;
  std::array<int64_t, kMarks> marks{};  // among the attested
  int64_t beyond = 0;                   // ran although the rules do not admit it
  int64_t Of(Mark mark) const { return marks[static_cast<size_t>(mark)]; }
  // The percentage of attested operations that are right, rounded down; nothing if none is
  // attested.
  std::optional<int> Percent() const;
};

struct Site {
  ReportData data;
  Attestation rules;
  std::vector<SiteOp> ops;
  std::vector<std::string> classes;
  std::vector<SiteChip> chips;  // the newest family first
  std::vector<Snapshot> snapshots;
  std::vector<SiteChange> changes;  // the newest first, worse ones before others
  std::vector<SiteDefect> defects;  // by weight: new ones, then by cases
  std::vector<MissingShards> missing;

  // The worse mark of both routes; kUntried or kAbsent if nothing was tried.
  Mark MarkOn(size_t op, const SiteChip& chip) const;
  // Counts one class, or all if it is empty.
  MarkCounts Count(const SiteChip& chip, std::string_view op_class = {}) const;
  // Returns whether some chip has two occasions, so that changes could have been seen.
  bool Compares() const;
  // Counts all classes at the end of each day ("2026-01-02") on which the chip ran, oldest first.
  std::vector<std::pair<std::string, MarkCounts>> CountByDay(const SiteChip& chip) const;
  std::vector<const SiteChange*> ChangesOf(size_t chip, bool newest_only) const;
  const RunInfo& RunOf(const SiteDefect& defect) const {
    return data.runs[data.findings[defect.shown].run];
  }
  const FindingInfo& Shown(const SiteDefect& defect) const { return data.findings[defect.shown]; }
  const Snapshot& Newest(const SiteChip& chip) const { return snapshots[chip.snapshots.back()]; }
  std::string NewestDate() const;
};

// Errors: those of ReadReportData.
Result<Site> ReadSite(std::span<const std::string> db_paths, const ReportProgress& progress = {});

}  // namespace anecheck::reports
