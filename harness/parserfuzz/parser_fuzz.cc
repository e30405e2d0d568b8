#include "harness/parserfuzz/parser_fuzz.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>

#include "harness/base/file.h"

namespace anecheck::parserfuzz {
namespace {

constexpr int kStackFrames = 3;  // of a sanitizer's report, that tell bugs apart

// Numbers and addresses differ from run to run.
std::string WithoutNumbers(std::string_view line) {
  std::string text;
  for (const char c : line.substr(0, 160)) {
    if (std::isdigit(static_cast<unsigned char>(c)) != 0) {
      if (text.empty() || text.back() != 'N') text += 'N';
    } else {
      text += c;
    }
  }
  return text;
}

// The functions of the first stack: lines like "    #0 0x55d2 in Parse(char const*) file.cc:7".
std::string StackOf(std::string_view report) {
  std::string stack;
  size_t at = report.find("#0 ");
  for (int frame = 0; frame < kStackFrames && at != std::string_view::npos; ++frame) {
    const size_t end = std::min(report.find('\n', at), report.size());
    const std::string_view line = report.substr(at, end - at);
    const size_t in = line.find(" in ");
    if (in == std::string_view::npos) break;
    const std::string_view name = line.substr(in + 4);
    stack += fmt::format(" {}", name.substr(0, name.find_first_of(" (")));
    at = report.find(fmt::format("#{} ", frame + 1), end);
  }
  return stack;
}

std::string LastLine(std::string_view text) {
  while (!text.empty() && text.back() == '\n') text.remove_suffix(1);
  const size_t start = text.rfind('\n');
  return WithoutNumbers(start == std::string_view::npos ? text : text.substr(start + 1));
}

std::optional<std::string> SanitizerReport(std::string_view err) {
  const size_t runtime = err.find("runtime error: ");
  const size_t sanitizer = err.find("Sanitizer: ");
  const size_t at = std::min(runtime, sanitizer);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = err.substr(at, err.find('\n', at) - at);
  const std::string stack = StackOf(err.substr(at));
  // Behind the kind of error stand addresses; the stack says more than they do.
  if (sanitizer == at && !stack.empty()) {
    const std::string_view kind = rest.substr(0, rest.find(' ', 11));
    return fmt::format("{}{}", kind, stack);
  }
  return WithoutNumbers(rest) + stack;
}

Failure MakeFailure(FailureKind kind, std::string_view detail) {
  return {kind, fmt::format("{} {}", FailureKindName(kind), detail)};
}

class Campaign {
 public:
  Campaign(const ParserFuzzOptions& options, std::string folder)
      : options_(options), folder_(std::move(folder)) {}

  Result<Failure> Try(const Bytes& file, bool* accepted = nullptr) {
    const std::string path = folder_ + "/input";
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(path, std::span<const uint8_t>(file)));
    ANECHECK_ASSIGN(const CommandOutcome first,
                    RunCommand(options_.command, path, folder_, options_.limits));
    if (accepted != nullptr) *accepted = first.signal == 0 && first.exit_code == 0;
    Failure failure = Classify(first, options_.limits);
    if (failure.kind != FailureKind::kNone || options_.second.empty()) return failure;
    ANECHECK_ASSIGN(const CommandOutcome second,
                    RunCommand(options_.second, path, folder_, options_.limits));
    failure = Classify(second, options_.limits);
    if (failure.kind != FailureKind::kNone) return failure;
    if ((first.exit_code == 0) == (second.exit_code == 0)) return Failure{};
    const bool by_first = first.exit_code == 0;
    return MakeFailure(FailureKind::kDisagreement,
                       fmt::format("accepted by the {} only: {}", by_first ? "first" : "second",
                                   LastLine(by_first ? second.err : first.err)));
  }

  Status Record(const Failure& failure, const Bytes& file, uint64_t index) {
    const auto known = std::ranges::find_if(summary.findings, [&](const Finding& finding) {
      return finding.failure.signature == failure.signature;
    });
    if (known != summary.findings.end()) {
      ++known->count;
      return {};
    }
    const Bytes small =
        Minimise(*options_.parts.format, file, options_.minimise_runs, [&](const Bytes& candidate) {
          const auto again = Try(candidate);
          return again.ok() && again->signature == failure.signature;
        });
    Finding finding{.failure = failure, .index = index, .count = 1};
    finding.file = fmt::format("{}-{:03}", FailureKindName(failure.kind), summary.findings.size());
    finding.first_size = file.size();
    finding.size = small.size();
    const std::string path = options_.out + "/" + finding.file;
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(path, std::span<const uint8_t>(small)));
    summary.findings.push_back(std::move(finding));
    return {};
  }

  ParserFuzzSummary summary;

 private:
  const ParserFuzzOptions& options_;
  std::string folder_;
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

Failure Classify(const CommandOutcome& outcome, const CommandLimits& limits) {
  if (outcome.timed_out) return MakeFailure(FailureKind::kHang, LastLine(outcome.err));
  if (auto report = SanitizerReport(outcome.err)) {
    return MakeFailure(FailureKind::kSanitizer, *report);
  }
  if (outcome.signal != 0) {
    return MakeFailure(FailureKind::kCrash,
                       fmt::format("signal {} {}", outcome.signal, LastLine(outcome.err)));
  }
  if (outcome.peak_memory > limits.max_memory) {
    return MakeFailure(FailureKind::kMemory, LastLine(outcome.err));
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
  ANECHECK_ASSIGN(const TempDirectory folder, TempDirectory::Create("anecheck-parser-"));
  Campaign campaign(options, folder.path());
  for (uint64_t index = 0; index < options.files; ++index) {
    if (stop != nullptr && stop->load()) break;
    const Bytes file = MakeFile(options, index);
    bool accepted = false;
    ANECHECK_ASSIGN(const Failure failure, campaign.Try(file, &accepted));
    ++campaign.summary.files;
    campaign.summary.accepted += accepted ? 1 : 0;
    if (failure.kind == FailureKind::kNone) continue;
    ANECHECK_RETURN_IF_ERROR(campaign.Record(failure, file, index));
  }
  return std::move(campaign.summary);
}

}  // namespace anecheck::parserfuzz
