#include "harness/parserfuzz/kept_findings.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/checksum.h"
#include "harness/base/file.h"
#include "harness/base/shell_word.h"

namespace anecheck::parserfuzz {
namespace {

constexpr std::string_view kText = ".txt";

// What a text says of the commands, behind the signature in its first line.
std::string Commands(const ParserFuzzOptions& options) {
  return fmt::format(
      "\ncommand: {}\n{}first shown by file ", CommandText(options.command),
      options.second.empty() ? "" : fmt::format("against: {}\n", CommandText(options.second)));
}

std::string Describe(const ParserFuzzOptions& options, const Finding& finding) {
  return fmt::format(
      "{}{}{} of seed {}, {} bytes; kept: {} bytes\n{}on standard error, of that first file:\n{}\n",
      finding.failure.signature, Commands(options), finding.index, options.seed, finding.first_size,
      finding.size, finding.again ? "" : "it did not fail so when it was run again\n",
      finding.said);
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
  const std::string commands = Commands(options);
  ANECHECK_ASSIGN(const std::vector<std::string> names, ListFiles(options.out));
  for (const std::string& name : names) {
    if (!name.ends_with(kText)) continue;
    std::string file = name.substr(0, name.size() - kText.size());
    if (std::ranges::find(names, file) == names.end()) continue;
    ANECHECK_ASSIGN(const std::string text, ReadTextFile(options.out + "/" + name));
    const size_t line = text.find('\n');
    if (line == std::string::npos || text.compare(line, commands.size(), commands) != 0) continue;
    kept.names_.emplace(text.substr(0, line), std::move(file));
  }
  return kept;
}

uint64_t KeptFindings::CountOf(const std::string& group) const {
  return static_cast<uint64_t>(std::ranges::count_if(
      names_, [&](const auto& kept) { return kept.first.starts_with(group); }));
}

Status KeptFindings::Recall(Finding& finding) const {
  finding.known = true;
  finding.file = names_.at(finding.failure.signature);
  ANECHECK_ASSIGN(const Bytes file, ReadFile(options_->out + "/" + finding.file));
  finding.size = file.size();
  return {};
}

Status KeptFindings::Write(Finding& finding, const Bytes& file) const {
  const std::string& signature = finding.failure.signature;
  const auto bytes =
      std::span(reinterpret_cast<const uint8_t*>(signature.data()), signature.size());
  const std::string name =
      fmt::format("{}-{:08x}", FailureKindName(finding.failure.kind), Crc32(bytes));
  for (int number = 1;; ++number) {
    finding.file = number == 1 ? name : fmt::format("{}-{}", name, number);
    const std::string path = options_->out + "/" + finding.file;
    const auto there = ReadFile(path);
    if (there.ok() && *there != file) continue;
    if (!there.ok() && there.error().code != ErrorCode::kNotFound) return there.error();
    ANECHECK_RETURN_IF_ERROR(WriteFileAtomic(path, std::span<const uint8_t>(file)));
    return WriteFileAtomic(path + std::string(kText), Describe(*options_, finding));
  }
}

}  // namespace anecheck::parserfuzz
