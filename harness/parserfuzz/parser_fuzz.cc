#include "harness/parserfuzz/parser_fuzz.h"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "harness/base/file.h"
#include "harness/base/parallel_for.h"
#include "harness/parserfuzz/signature.h"

namespace anecheck::parserfuzz {
namespace {

Failure MakeFailure(FailureKind kind, std::string_view detail) {
  return {kind, fmt::format("{} {}", FailureKindName(kind), detail)};
}

// The command on one file at a time, in a folder of its own for the file.
class Bench {
 public:
  static Result<Bench> Create(const ParserFuzzOptions& options) {
    ANECHECK_ASSIGN(TempDirectory folder, TempDirectory::Create("anecheck-parser-"));
    return Bench(options, std::move(folder));
  }

  Result<Failure> Try(const Bytes& file, bool* accepted = nullptr) const {
    const ParserFuzzOptions& options = *options_;
    const std::string path = folder_.path() + "/input";
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(path, std::span<const uint8_t>(file)));
    ANECHECK_ASSIGN(const CommandOutcome first, RunCommand(options.command, path, options.limits));
    if (accepted != nullptr) *accepted = first.signal == 0 && first.exit_code == 0;
    Failure failure = Classify(first, options.limits);
    if (failure.kind != FailureKind::kNone || options.second.empty()) return failure;
    ANECHECK_ASSIGN(const CommandOutcome second, RunCommand(options.second, path, options.limits));
    failure = Classify(second, options.limits);
    if (failure.kind != FailureKind::kNone) {
      failure.signature += " (of the second command)";
      return failure;
    }
    if ((first.exit_code == 0) == (second.exit_code == 0)) return Failure{};
    const bool by_first = first.exit_code == 0;
    return MakeFailure(FailureKind::kDisagreement,
                       fmt::format("accepted by the {} only: {}", by_first ? "first" : "second",
                                   LastLine(by_first ? second.err : first.err)));
  }

  // A smaller file that fails in the same way.
  Bytes MakeSmall(const Failure& failure, const Bytes& file) const {
    return Minimise(*options_->parts.format, file, options_->minimise_runs,
                    [&](const Bytes& candidate) {
                      const auto again = Try(candidate);
                      return again.ok() && again->signature == failure.signature;
                    });
  }

 private:
  Bench(const ParserFuzzOptions& options, TempDirectory folder)
      : options_(&options), folder_(std::move(folder)) {}

  const ParserFuzzOptions* options_;
  TempDirectory folder_;
};

// What became of one file.
struct Trial {
  Failure failure;
  bool accepted = false;
};

// Files go through the benches in blocks. Within one they are independent of each other; what is
// told of them is told in their order.
class Campaign {
 public:
  Campaign(const ParserFuzzOptions& options, std::vector<Bench> benches)
      : options_(options), benches_(std::move(benches)) {}

  uint64_t BlockSize() const { return kFilesOfABench * benches_.size(); }

  // Files `first` to `first` + `count` - 1.
  Status Run(uint64_t first, uint64_t count) {
    std::vector<Trial> trials(count);
    ANECHECK_RETURN_IF_ERROR(OnBenches(count, [&](const Bench& bench, uint64_t i) -> Status {
      ANECHECK_ASSIGN(trials[i].failure,
                      bench.Try(MakeFile(options_, first + i), &trials[i].accepted));
      return {};
    }));
    const size_t known = summary.findings.size();
    for (uint64_t i = 0; i < count; ++i) Note(trials[i], first + i);
    return Keep(known);
  }

  ParserFuzzSummary summary;

 private:
  static constexpr uint64_t kFilesOfABench = 8;

  // Calls body(bench, i) for [0, count), no bench being used twice at once.
  template <typename Body>
  Status OnBenches(uint64_t count, const Body& body) {
    std::atomic<uint64_t> next = 0;
    return ParallelFor(benches_.size(), static_cast<int>(benches_.size()),
                       [&](uint64_t bench) -> Status {
                         for (uint64_t i = next++; i < count; i = next++) {
                           ANECHECK_RETURN_IF_ERROR(body(benches_[bench], i));
                         }
                         return {};
                       });
  }

  void Note(const Trial& trial, uint64_t index) {
    ++summary.files;
    summary.accepted += trial.accepted ? 1 : 0;
    if (trial.failure.kind == FailureKind::kNone) return;
    const auto known = std::ranges::find_if(summary.findings, [&](const Finding& finding) {
      return finding.failure.signature == trial.failure.signature;
    });
    if (known != summary.findings.end()) {
      ++known->count;
      return;
    }
    Finding finding{.failure = trial.failure, .index = index, .count = 1};
    finding.file =
        fmt::format("{}-{:03}", FailureKindName(trial.failure.kind), summary.findings.size());
    summary.findings.push_back(std::move(finding));
  }

  // Writes a small file for each finding from number `known` on.
  Status Keep(size_t known) {
    return OnBenches(summary.findings.size() - known,
                     [&](const Bench& bench, uint64_t i) -> Status {
                       Finding& finding = summary.findings[known + i];
                       const Bytes file = MakeFile(options_, finding.index);
                       const Bytes small = bench.MakeSmall(finding.failure, file);
                       finding.first_size = file.size();
                       finding.size = small.size();
                       return WriteFileAtomic(options_.out + "/" + finding.file,
                                              std::span<const uint8_t>(small));
                     });
  }

  const ParserFuzzOptions& options_;
  std::vector<Bench> benches_;
};

}  // namespace

std::string_view FailureKindName(FailureKind kind) {
  switch (kind) {
    case FailureKind::kNone:
      return "none";
    case FailureKind::kCrash:
      return "crash";
    case FailureKind::kSanitizer:
      return "sanitizer";
    case FailureKind::kHang:
      return "hang";
    case FailureKind::kMemory:
      return "memory";
    case FailureKind::kDisagreement:
      return "disagreement";
  }
  return "none";
}

// What a program said or took is no less so because the clock or the limit ended it.
Failure Classify(const CommandOutcome& outcome, const CommandLimits& limits) {
  if (auto report = ReportSignature(outcome.err)) {
    return MakeFailure(FailureKind::kSanitizer, *report);
  }
  if (outcome.peak_memory > limits.max_memory) {
    return MakeFailure(FailureKind::kMemory, LastLine(outcome.err));
  }
  if (outcome.timed_out) return MakeFailure(FailureKind::kHang, LastLine(outcome.err));
  if (outcome.signal != 0) {
    return MakeFailure(FailureKind::kCrash,
                       fmt::format("signal {} {}", outcome.signal, LastLine(outcome.err)));
  }
  return {};
}

Bytes MakeFile(const ParserFuzzOptions& options, uint64_t index) {
  ChoiceStream choices =
      ChoiceStream::FromSeed(options.seed * 0x9e3779b97f4a7c15 + index * 0xd1342543de82ef95);
  Bytes file = options.parts.generator->generate(choices);
  const uint64_t way = choices.Below(8);
  if (way == 0) return file;
  if (way == 1) {
    const Bytes other = options.parts.generator->generate(choices);
    return CrossFiles(options.parts, file, other, options.max_size, choices.Word());
  }
  for (uint64_t edits = 1 + choices.Below(3); edits > 0; --edits) {
    file = MutateFile(options.parts, file, options.max_size, choices.Word());
  }
  return file;
}

Result<ParserFuzzSummary> FuzzParser(const ParserFuzzOptions& options,
                                     const std::atomic<bool>* stop) {
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(options.out));
  const int jobs = options.jobs < 1 ? DefaultJobs() : options.jobs;
  std::vector<Bench> benches;
  benches.reserve(static_cast<size_t>(jobs));
  for (int i = 0; i < jobs; ++i) {
    ANECHECK_ASSIGN(Bench bench, Bench::Create(options));
    benches.push_back(std::move(bench));
  }
  Campaign campaign(options, std::move(benches));
  for (uint64_t first = 0; first < options.files; first += campaign.BlockSize()) {
    if (stop != nullptr && stop->load()) break;
    ANECHECK_RETURN_IF_ERROR(
        campaign.Run(first, std::min(campaign.BlockSize(), options.files - first)));
  }
  return std::move(campaign.summary);
}

}  // namespace anecheck::parserfuzz
