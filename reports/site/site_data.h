// The data of the pages of a lab. It has the results of any number of runs by chip and date, the
// state of each operation on each chip, and the changes of states. Every page of this folder takes
// a Site.
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
  kUnjudged,     // the operation ran or compiled, but its values were not judged
  kKnown,        // it has a documented defect
  kUnconfirmed,  // an unmeasured term or a single element decides the judgement
  kRefused,      // the compiler refused it
  kBroken,       // it has a new finding such as wrong values, a crash or a hang
  kUntried,      // the rules admit it, but no case contained it
  kAbsent,       // the rules do not admit it, and no case contained it
};
inline constexpr size_t kMarks = 8;
struct MarkFact {
  std::string_view name;   // "right"
  std::string_view sign;   // "✓"
  std::string_view style;  // CSS class, and the name in JSON
  std::string_view words;
};
const MarkFact& FactOf(Mark mark);
Mark MarkOf(Stage stage);
// Whether `after` is worse than `before`. Precondition: both were tried.
bool IsWorse(Mark before, Mark after);

// An operation of the tables, or an operation whose name occurs only in results.
struct SiteOp {
  std::string name, op_class, slug;
  std::optional<size_t> row;  // index of its row in Site::rules
};

struct Standing {
  Mark mark = Mark::kUntried;
  Stage stage = Stage::kCatalogued;
  ReachCounts counts;
  size_t snapshot = 0;
};

// The runs of one chip on one day and one system. Evidence of different systems, compilers or
// labels is never added up.
struct Snapshot {
  size_t chip = 0;
  std::string date, label, os, compiler, machine, slug;
  // The number of the occasion among the chip's occasions, from 0 in order of time. Snapshots of
  // one occasion have the same date, label and compiler.
  size_t occasion = 0;
  std::vector<size_t> runs;
  CellMap<Standing> cells;
};

// A target with one kind of evidence.
struct SiteChip {
  std::string target, chips, title, slug;  // "h13", "M1", "M1 (h13)", "h13-simulated"
  Provenance provenance = Provenance::kReported;
  std::vector<size_t> snapshots;  // in order of occasion
  CellMap<Standing> now;          // the state of each cell in the newest snapshot that has the cell
  std::vector<bool> admitted;     // for each operation, whether the rules admit it on a route
};

struct SiteChange {
  size_t chip = 0;
  OpRoute cell;
  Standing before, after;
  bool worse = false, better = false;
};

// All findings of one signature and one kind of evidence. They are one defect.
struct SiteDefect {
  // path such as "findings/0123456789ab.html", which depends only on the signature
  std::string page;
  size_t shown = 0;                              // the newest of `findings`
  std::vector<size_t> findings;                  // indices in ReportData::findings
  std::optional<size_t> chip;                    // nothing if no run counted a case of its target
  std::string first, last;                       // days
  size_t first_occasion = 0, last_occasion = 0;  // occasions of the chip
  int64_t cases = 0;
  bool gone = false;  // a later run of the chip had the operation but not the defect
};

// The number of a chip's operations with each mark.
struct MarkCounts {
  int64_t attested = 0;
  std::array<int64_t, kMarks> marks{};  // among the attested operations
  int64_t beyond = 0;                   // operations that ran although the rules do not admit them
  int64_t Of(Mark mark) const { return marks[static_cast<size_t>(mark)]; }
  // Returns the percentage of attested operations that are right, rounded down. Nothing if there
  // are none.
  std::optional<int> Percent() const;
};

struct Site {
  ReportData data;
  Attestation rules;
  std::vector<SiteOp> ops;
  std::vector<std::string> classes;
  std::vector<SiteChip> chips;  // the newest family first
  std::vector<Snapshot> snapshots;
  std::vector<SiteChange> changes;  // the newest first, and changes for the worse before others
  std::vector<SiteDefect> defects;  // new defects first, then in order of the number of cases
  std::vector<MissingShards> missing;

  // Returns the worse mark of the two routes. Returns kUntried or kAbsent if neither route was
  // tried.
  Mark MarkOn(size_t op, const SiteChip& chip) const;
  // Counts the operations of one class, or all operations if `op_class` is empty.
  MarkCounts Count(const SiteChip& chip, std::string_view op_class = {}) const;
  // Returns whether a chip has at least two occasions. Otherwise no change can be seen.
  bool Compares() const;
  // Returns the counts of all classes at the end of each day ("2026-01-02") on which the chip ran,
  // the oldest first.
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
