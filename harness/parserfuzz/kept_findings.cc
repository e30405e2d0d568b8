#include "harness/parserfuzz/kept_findings.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/base/checksum.h"
#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/shell_word.h"
#include "harness/parserfuzz/bench.h"
#include "harness/parserfuzz/command.h"

namespace anecheck::parserfuzz {
namespace {

constexpr const char* kReport = "report.txt";
constexpr std::string_view kStackStep = " > ";
constexpr size_t kMostBroken = 8;  // maximum number of rules that a report lists

// Returns the report's lines about the commands. They follow the signature.
std::string Commands(const ParserFuzzOptions& options) {
  return fmt::format(
      "\ncommand: {}\n{}", CommandText(options.command),
      options.second.empty() ? "" : fmt::format("against: {}\n", CommandText(options.second)));
}

// Returns a line of the report. Later runs read such lines.
std::string Line(std::string_view key, std::string_view value) {
  return fmt::format("{}: {}\n", key, value);
}

std::string ValueOf(std::string_view text, std::string_view key) {
  const std::string line = fmt::format("\n{}: ", key);
  const size_t at = text.find(line);
  if (at == std::string_view::npos) return "";
  const size_t begin = at + line.size();
  return std::string(text.substr(begin, text.find('\n', begin) - begin));
}

std::vector<std::string> SplitStack(std::string_view text) {
  std::vector<std::string> stack;
  while (!text.empty()) {
    const size_t end = std::min(text.find(kStackStep), text.size());
    stack.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + kStackStep.size(), text.size()));
  }
  return stack;
}

// Returns the rules that the file breaks, with places, or the reason why it does not parse.
std::string BrokenRules(const Format& format, const Bytes& file) {
  if (format.verify == nullptr) return "";
  const auto violations = format.verify(file);
  if (!violations.ok()) {
    const Error& error = violations.error();
    return error.offset == Error::kNoOffset
               ? fmt::format("  it does not parse: {}\n", error.message)
               : fmt::format("  it does not parse, at {:#x}: {}\n", error.offset, error.message);
  }
  if (violations->empty()) return "  nothing: the file breaks no rule\n";
  std::string text;
  for (const Violation& violation :
       std::span(*violations).first(std::min(violations->size(), kMostBroken))) {
    text += violation.offset == Error::kNoOffset
                ? fmt::format("  {}: {}\n", violation.rule->id, violation.message)
                : fmt::format("  {} at {:#x}: {}\n", violation.rule->id, violation.offset,
                              violation.message);
  }
  if (violations->size() > kMostBroken) {
    text += fmt::format("  and {} more\n", violations->size() - kMostBroken);
  }
  return text;
}

std::string DescribeBroken(const Format& format, const char* name, const Bytes& file) {
  return fmt::format("broken in {}, by the rules of the format:\n{}", name,
                     BrokenRules(format, file));
}

// Returns the title of the output. A hang's stack is printed as a crash report.
std::string TitleOfOutput(const Finding& finding) {
  constexpr const char* kTitle = "on standard error, of the input";
  if (finding.failure.kind == FailureKind::kDisagreement) return "output, of the input:\n";
  if (finding.failure.kind != FailureKind::kHang) return fmt::format("{}:\n", kTitle);
  return fmt::format(
      "{}. At the time limit, anecheck sent a signal (SIGQUIT or SIGSEGV) to get the\n"
      "stack of the hang. A report of this signal below is no crash of the parser:\n",
      kTitle);
}

std::string Describe(const ParserFuzzOptions& options, const Finding& finding, const Bytes* small,
                     const std::string& folder) {
  const std::string shown = folder + (finding.small_size ? "/small" : "/input");
  std::vector<std::string> again = options.command;
  for (std::string& word : again) word = WithPath(std::move(word), shown);
  if (IsDriver(options.command)) again.push_back(shown);
  std::string text = finding.failure.signature + Commands(options);
  text += Line("bug", finding.failure.bug);
  if (!finding.failure.stack.empty()) {
    text += Line("stack", fmt::format("{}", fmt::join(finding.failure.stack, kStackStep)));
  }
  text += Line("again", CommandText(again));
  text += fmt::format("input: file {} of seed {}, {}: {}\n", finding.index, options.seed,
                      Counted(finding.first_size, "byte"), finding.origin);
  if (finding.small_size || !finding.not_minimised.empty()) {
    text += fmt::format("small: {}{}{}\n",
                        finding.small_size ? Counted(*finding.small_size, "byte") : "none",
                        finding.not_minimised.empty() ? "" : ", ", finding.not_minimised);
  }
  if (!finding.again) text += "not reproduced: a second run did not fail in this way\n";
  text += DescribeBroken(*options.parts.format, "input", finding.input);
  if (small != nullptr) text += DescribeBroken(*options.parts.format, "small", *small);
  return text + TitleOfOutput(finding) + finding.said + "\n";
}

}  // namespace

std::string CommandText(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + ShellWord(word);
  return text;
}

Result<KeptFindings> KeptFindings::Open(const ParserFuzzOptions& options) {
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(options.out));
  KeptFindings kept(options);
  std::vector<std::string> names;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(options.out, failed)) {
    if (entry.is_directory(failed)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  for (const std::string& name : names) ANECHECK_RETURN_IF_ERROR(kept.Read(name));
  return kept;
}

Status KeptFindings::Read(const std::string& name) {
  const auto text = ReadTextFile(options_->out + "/" + name + "/" + kReport);
  if (!text.ok()) {
    return text.error().code == ErrorCode::kNotFound ? Status() : Status(text.error());
  }
  const std::string commands = Commands(*options_);
  const size_t line = text->find('\n');
  if (line == std::string::npos || text->compare(line, commands.size(), commands) != 0) return {};
  Kept kept = {.failure = {}, .name = name};
  kept.failure.signature = text->substr(0, line);
  kept.failure.bug = ValueOf(*text, "bug");
  kept.failure.stack = SplitStack(ValueOf(*text, "stack"));
  if (!kept.failure.stack.empty()) kept.failure.kind = FailureKind::kHang;
  kept_.push_back(std::move(kept));
  return {};
}

const KeptFindings::Kept* KeptFindings::Find(const Failure& failure) const {
  const auto found = std::ranges::find_if(kept_, [&](const Kept& kept) {
    return kept.failure.bug == failure.bug || IsSameNarrowedBug(failure, kept.failure);
  });
  return found == kept_.end() ? nullptr : &*found;
}

uint64_t KeptFindings::CountOf(const std::string& group) const {
  return static_cast<uint64_t>(std::ranges::count_if(
      kept_, [&](const Kept& kept) { return kept.failure.signature.starts_with(group); }));
}

std::vector<std::vector<std::string>> KeptFindings::Hangs() const {
  std::vector<std::vector<std::string>> stacks;
  for (const Kept& kept : kept_) {
    if (!kept.failure.stack.empty()) stacks.push_back(kept.failure.stack);
  }
  return stacks;
}

Status KeptFindings::Recall(Finding& finding) const {
  finding.known = true;
  finding.name = Find(finding.failure)->name;
  const std::string folder = options_->out + "/" + finding.name;
  if (const auto small = ReadFile(folder + "/small"); small.ok())
    finding.small_size = small->size();
  ANECHECK_ASSIGN(const Bytes input, ReadFile(folder + "/input"));
  finding.first_size = input.size();
  return {};
}

Status KeptFindings::Write(Finding& finding) const {
  const std::string& bug = finding.failure.bug;
  const auto bytes = std::span(reinterpret_cast<const uint8_t*>(bug.data()), bug.size());
  const std::string name =
      fmt::format("{}-{:08x}", FailureKindName(finding.failure.kind), Crc32(bytes));
  for (int number = 1;; ++number) {
    finding.name = number == 1 ? name : fmt::format("{}-{}", name, number);
    std::error_code none;
    if (!std::filesystem::exists(options_->out + "/" + finding.name, none)) break;
  }
  const std::string folder = options_->out + "/" + finding.name;
  ANECHECK_RETURN_IF_ERROR(MakeDirectories(folder));
  ANECHECK_RETURN_IF_ERROR(
      WriteFileAtomic(folder + "/input", std::span<const uint8_t>(finding.input)));
  return WriteReport(finding, nullptr);
}

Status KeptFindings::WriteSmall(Finding& finding, const Bytes& small) const {
  if (small.size() < finding.first_size) {
    finding.small_size = small.size();
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(options_->out + "/" + finding.name + "/small",
                                             std::span<const uint8_t>(small)));
  }
  return WriteReport(finding, finding.small_size ? &small : nullptr);
}

Status KeptFindings::WriteReport(const Finding& finding, const Bytes* small) const {
  const std::string folder = options_->out + "/" + finding.name;
  return WriteFileAtomic(folder + "/" + kReport, Describe(*options_, finding, small, folder));
}

}  // namespace anecheck::parserfuzz
