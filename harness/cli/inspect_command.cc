// `anecheck inspect`: what a file is and what it holds.
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include "harness/base/file.h"
#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

struct InspectFlags {
  std::string path;
  std::string format;
  bool json = false;
  bool verify = false;
};

std::string Place(uint64_t offset) {
  return offset == Error::kNoOffset ? "" : fmt::format(" (offset 0x{:x})", offset);
}

// An error of a codec with the file's name before it and the offset behind.
Error InFile(const std::string& path, const Error& error) {
  const bool said = error.message.find("offset 0x") != std::string::npos;
  return MakeError(error.code == ErrorCode::kInternal ? ErrorCode::kMalformed : error.code,
                   fmt::format("{}: {}{}", path, error.message, said ? "" : Place(error.offset)));
}

Result<const Format*> Choose(const InspectFlags& flags, ByteSpan bytes) {
  if (!flags.format.empty()) return FindFormat(flags.format);
  return RecogniseFormat(bytes, flags.path);
}

Json ViolationsToJson(const std::vector<Violation>& violations) {
  Json list = Json::array();
  for (const Violation& violation : violations) {
    Json entry = {{"rule", violation.rule->id},
                  {"severity", violation.IsWarning() ? "warning" : "error"},
                  {"message", violation.message},
                  {"source", violation.rule->source},
                  {"evidence", FactEvidenceName(violation.rule->evidence)}};
    if (violation.offset != Error::kNoOffset) entry["offset"] = violation.offset;
    list.push_back(std::move(entry));
  }
  return list;
}

// Text of the file itself, its coverage, and its violations where they were asked for.
Result<std::string> Describe(const InspectFlags& flags, const Format& format, ByteSpan bytes,
                             const std::vector<Violation>& violations) {
  ANECHECK_ASSIGN(const Coverage coverage, format.coverage(bytes));
  const uint64_t open = coverage.total - coverage.payload;
  if (flags.json) {
    ANECHECK_ASSIGN(Json content, format.to_json(bytes));
    Json json = {
        {"format", format.name},
        {"coverage",
         {{"total", coverage.total}, {"payload", coverage.payload}, {"typed", coverage.typed}}}};
    if (flags.verify) json["violations"] = ViolationsToJson(violations);
    json["content"] = std::move(content);
    return DumpJson(json, 2);
  }
  ANECHECK_ASSIGN(std::string text, format.print(bytes));
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += fmt::format(
      "format {} ({}), {} bytes, {:.1f} % of {} bytes that are not payload are typed\n",
      format.name, format.title, coverage.total,
      open == 0 ? 100.0 : 100.0 * static_cast<double>(coverage.typed) / static_cast<double>(open),
      open);
  for (const Violation& violation : violations) {
    text += fmt::format("{}: {}: {}{} [{}]\n", violation.IsWarning() ? "warning" : "error",
                        violation.rule->id, violation.message, Place(violation.offset),
                        violation.rule->source);
  }
  if (flags.verify && violations.empty()) text += "verified: no rule is broken\n";
  return text;
}

int Run(const InspectFlags& flags) {
  const auto bytes = ReadFile(flags.path);
  if (!bytes.ok()) return Fail(bytes.error());
  const auto format = Choose(flags, *bytes);
  if (!format.ok()) return Fail(InFile(flags.path, format.error()));
  std::vector<Violation> violations;
  if (flags.verify) {
    auto verified = (*format)->verify(*bytes);
    if (!verified.ok()) return Fail(InFile(flags.path, verified.error()));
    violations = std::move(verified).value();
  }
  const auto text = Describe(flags, **format, *bytes, violations);
  if (!text.ok()) return Fail(InFile(flags.path, text.error()));
  Print(*text);
  for (const Violation& violation : violations) {
    if (!violation.IsWarning()) return kExitFindings;
  }
  return kExitClean;
}

}  // namespace

void AddInspectCommand(CLI::App& app, Selected& selected) {
  CLI::App* command = app.add_subcommand("inspect", "Print what a file holds, and check it");
  auto flags = std::make_shared<InspectFlags>();
  command->add_option("file", flags->path, "Any file of a known format")->required();
  command->add_option("--format", flags->format, "Read it as this format instead of guessing");
  command->add_flag("--json", flags->json, "Print JSON; `encode` makes the file from it again");
  command->add_flag("--verify", flags->verify, "Check every rule; exit 1 where one is broken");
  command->footer("Example: anecheck inspect model.hwx --verify");
  command->callback([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
