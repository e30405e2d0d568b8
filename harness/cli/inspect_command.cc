// `anecheck inspect`: prints the format and content of a file, and checks whether a descriptor and
// a container belong together.
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "harness/base/counted.h"
#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/log.h"
#include "harness/base/mapped_file.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/with_file.h"
#include "harness/emulator/explain.h"
#include "harness/emulator/program_rules.h"
#include "harness/formats/e5/e5.h"
#include "harness/formats/fieldsources/field_sources.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/rules.h"
#include "harness/formats/lzfse/lzfse.h"
#include "harness/formats/mil/mil_format.h"
#include "harness/formats/pair/pair.h"
#include "harness/formats/registry/registry.h"
#include "harness/models/inspected_model.h"

namespace anecheck {
namespace {

struct InspectFlags {
  std::vector<std::string> paths;  // a file, or a descriptor and a container
  std::string format;
  bool json = false;
  bool verify = false;
  bool strict = false;
  bool explain = false;
  bool rules = false;
};

Result<const Format*> Choose(const InspectFlags& flags, const std::string& path, ByteSpan bytes) {
  if (!flags.format.empty()) return FindFormat(flags.format);
  return RecogniseFormat(bytes, path);
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

// The meaning of each kind of evidence that fields and rules have, strongest first.
constexpr std::pair<FactEvidence, std::string_view> kEvidenceMeaning[] = {
    {FactEvidence::kRealFile, "confirmed by a file that a real tool made"},
    {FactEvidence::kSpecification, "stated by the specification"},
    {FactEvidence::kPublicNotes, "stated by public notes"},
    {FactEvidence::kAssumed, "no source states it; rules that rest on it warn"},
    {FactEvidence::kOpaque, "bytes that no source describes, kept unchanged"},
    {FactEvidence::kNotation, "added by `inspect`: positions, spellings, derived values"}};

std::string RulesText(std::span<const Rule> rules) {
  std::string text =
      fmt::format("{}, each with its evidence and source:\n", Counted(rules.size(), "rule"));
  for (const Rule& rule : rules) {
    text += fmt::format("  {}: {} [{}; {}]\n", rule.id, rule.statement,
                        FactEvidenceName(rule.evidence), rule.source);
  }
  return text;
}

std::string EvidenceText() {
  std::string text = "evidence of rules and fields:\n";
  for (const auto& [evidence, meaning] : kEvidenceMeaning) {
    text += fmt::format("  {}: {}\n", FactEvidenceName(evidence), meaning);
  }
  return text;
}

Json RulesToJson(std::span<const Rule> rules) {
  Json list = Json::array();
  for (const Rule& rule : rules) {
    list.push_back({{"rule", rule.id},
                    {"statement", rule.statement},
                    {"source", rule.source},
                    {"evidence", FactEvidenceName(rule.evidence)}});
  }
  return list;
}

// Returns a violation's message without the rule's id in front, because the caller prints the id.
std::string_view WithoutRule(const Violation& violation) {
  std::string_view message = violation.message;
  const std::string_view rule = violation.rule->id;
  if (message.starts_with(rule) && message.substr(rule.size()).starts_with(": ")) {
    message.remove_prefix(rule.size() + 2);
  }
  return message;
}

std::string ViolationsText(const std::vector<Violation>& violations) {
  std::string text;
  for (const Violation& violation : violations) {
    text += fmt::format("{}: {}: {} [{}]\n", violation.IsWarning() ? "warning" : "error",
                        violation.rule->id, WithPlace(WithoutRule(violation), violation.offset),
                        violation.rule->source);
  }
  return text;
}

// The size of the largest file that is printed as JSON. The JSON form contains the whole file as
// text. All larger files are weights.
constexpr uint64_t kMostInJson = uint64_t{1} << 28;

Result<Json> ToJson(const ParsedFile& file, ByteSpan bytes) {
  if (bytes.size() <= kMostInJson) return file.to_json();
  return MakeError(ErrorCode::kLimit,
                   fmt::format("the JSON form of more than {} MiB is not made", kMostInJson >> 20));
}

// Lists the evidence of every field that is printed. Lists none for files that are too large for a
// JSON form.
std::string SourcesTextOf(const Format& format, const ParsedFile& file, ByteSpan bytes) {
  const auto content = ToJson(file, bytes);
  if (!content.ok()) {
    return fmt::format("evidence of the fields: not listed: {}\n", content.error().message);
  }
  return FieldSourcesText(SourcesOf(format.fields(*content), *content));
}

// Prints the share of bytes that fields describe: first of the bytes outside payload and fill, then
// of all bytes outside payload.
std::string CoverageText(const Format& format, const ByteCounts& coverage) {
  std::string text =
      fmt::format("format {} ({}), {}: {} payload, {} typed, {} fill, {} opaque", format.name,
                  format.title, Counted(coverage.total, "byte"), coverage.payload, coverage.typed,
                  coverage.fill, coverage.Opaque());
  if (coverage.total != 0 && coverage.payload == coverage.total) return text + "; all is payload\n";
  if (coverage.total != 0 && coverage.payload + coverage.fill == coverage.total) {
    return text + "; all is payload or fill\n";
  }
  return text +
         fmt::format("; typed: {:.1f} % without payload and fill, {:.1f} % without payload\n",
                     100 * coverage.TypedShare(), 100 * coverage.TypedShareWithFill());
}

// Explains the work of a hardware container's tasks, as text for people.
std::string TasksText(ByteSpan bytes) {
  const auto program = emulator::LoadProgram(bytes);
  if (!program.ok()) return fmt::format("tasks: not explained: {}\n", program.error().message);
  return emulator::ExplainProgram(*program);
}

Json TasksToJson(ByteSpan bytes) {
  const auto program = emulator::LoadProgram(bytes);
  if (!program.ok()) return {{"not_explained", program.error().message}};
  Json tasks = Json::array();
  for (const emulator::TaskWords& words : program->tasks) {
    const emulator::TaskExplanation task = emulator::ExplainTask(*program, words);
    tasks.push_back({{"does", task.text},
                     {"refused", task.refusal},
                     {"no_known_meaning", task.unknown},
                     {"weak_evidence", task.weak}});
  }
  return tasks;
}

// Returns the rules of a format. For hardware containers adds the rules of their tasks, which need
// the emulator.
std::vector<Rule> RulesOfFormat(const Format& format) {
  std::vector<Rule> rules(format.rules.begin(), format.rules.end());
  if (&format == &kFormat_hwx) {
    const auto of_tasks = emulator::ProgramRules();
    rules.insert(rules.end(), of_tasks.begin(), of_tasks.end());
  }
  return rules;
}

std::vector<Violation> VerifyFile(const Format& format, const ParsedFile& file, ByteSpan bytes) {
  std::vector<Violation> violations = file.verify();
  if (&format != &kFormat_hwx) return violations;
  const auto container = hwx::Parse(bytes);
  const auto program = emulator::LoadProgram(bytes);
  if (!container.ok() || !program.ok() || container->Text() == nullptr) return violations;
  for (Violation& violation : emulator::VerifyProgram(*program, container->Text()->offset)) {
    violations.push_back(std::move(violation));
  }
  return violations;
}

// Prints the file, its coverage and the sources of its fields. With --verify adds its violations,
// and with --explain the rules of the format and the tasks of a container.
Result<std::string> Describe(const InspectFlags& flags, const Format& format,
                             const ParsedFile& file, ByteSpan bytes,
                             const std::vector<Violation>& violations) {
  const ByteCounts coverage = file.count_bytes();
  if (flags.json) {
    ANECHECK_ASSIGN(Json content, ToJson(file, bytes));
    Json json = {{"format", format.name},
                 {"coverage",
                  {{"total", coverage.total},
                   {"payload", coverage.payload},
                   {"typed", coverage.typed},
                   {"fill", coverage.fill},
                   {"opaque", coverage.Opaque()}}}};
    if (flags.verify) json["violations"] = ViolationsToJson(violations);
    if (flags.explain) json["rules"] = RulesToJson(RulesOfFormat(format));
    if (flags.explain && &format == &kFormat_hwx) json["tasks"] = TasksToJson(bytes);
    json["evidence"] = FieldSourcesToJson(SourcesOf(format.fields(content), content));
    json["content"] = std::move(content);
    return DumpJson(json, 2);
  }
  std::string text = file.print();
  if (!text.empty() && text.back() != '\n') text += '\n';
  text += CoverageText(format, coverage);
  text += SourcesTextOf(format, file, bytes);
  if (flags.explain) text += RulesText(RulesOfFormat(format)) + EvidenceText();
  if (flags.explain && &format == &kFormat_hwx) text += TasksText(bytes);
  text += ViolationsText(violations);
  if (flags.verify && violations.empty()) text += "verified: no rule is broken\n";
  return text;
}

int ExitCode(const InspectFlags& flags, const std::vector<Violation>& violations) {
  const bool broken = std::ranges::any_of(violations, [&](const Violation& violation) {
    return flags.strict || !violation.IsWarning();
  });
  return broken ? kExitFindings : kExitClean;
}

// Lists the parts of a model. The text stands in front of its program.
std::string ModelText(const InspectedModel& model) {
  std::string text = fmt::format("Core ML {}: the program is in {}", model.form, model.file);
  if (model.specification_version != 0) {
    text += fmt::format(", specification version {}", model.specification_version);
  }
  if (!model.left_out.empty()) {
    text += fmt::format("; it is part of a pipeline, whose other models are left out: {}",
                        model.left_out);
  }
  text += '\n';
  for (const InspectedModel::Weights& weights : model.weights) {
    text += fmt::format(
        "weights {}: {}, {}\n", weights.name, Counted(weights.constants, "constant"),
        weights.error.empty() ? Counted(weights.bytes, "byte") : "not readable: " + weights.error);
  }
  return text;
}

Json ModelJson(const InspectedModel& model) {
  Json json = {{"form", model.form},
               {"file", model.file},
               {"specification_version", model.specification_version},
               {"left_out", model.left_out},
               {"weights", Json::array()}};
  for (const InspectedModel::Weights& weights : model.weights) {
    json["weights"].push_back({{"name", weights.name},
                               {"constants", weights.constants},
                               {"bytes", weights.bytes},
                               {"error", weights.error}});
  }
  return json;
}

// Returns the result of --verify for weights. If a model file lies outside its package, missing
// weights are only a warning.
std::string WeightsText(const InspectedModel& model, bool& broken) {
  std::string text;
  for (const InspectedModel::Weights& weights : model.weights) {
    if (weights.error.empty()) continue;
    const bool alone = weights.missing && model.form == "model file";
    broken |= !alone;
    text += alone ? fmt::format("warning: {} is not verified: no such file beside {}\n",
                                weights.name, model.file)
                  : fmt::format("error: {} is not readable: {}\n", weights.name, weights.error);
  }
  return text;
}

// Prints the parts and the program, as MIL text, of a package, a compiled model or a model file.
int RunModel(const InspectFlags& flags, const InspectedModel& model) {
  const Bytes bytes(model.text.begin(), model.text.end());
  const auto file = kFormat_mil.read(bytes);
  if (!file.ok()) return Fail(WithFile(model.file, file.error()));
  std::vector<Violation> violations;
  if (flags.verify) violations = (*file)->verify();
  const auto text = Describe(flags, kFormat_mil, **file, bytes, violations);
  if (!text.ok()) return Fail(WithFile(model.file, text.error()));
  bool broken = false;
  const std::string of_weights = WeightsText(model, broken);
  if (flags.json) {
    Json json = {{"model", ModelJson(model)}, {"program", ParseJson(*text).value()}};
    Print(DumpJson(json, 2));
  } else {
    Print(ModelText(model) + *text + (flags.verify ? of_weights : ""));
  }
  return broken && flags.verify ? kExitFindings : ExitCode(flags, violations);
}

// The largest unpacked size of a compressed file.
constexpr uint64_t kMostUnpacked = uint64_t{32} << 20;

// A mapped file, or the unpacked content of an LZFSE stream.
struct Content {
  std::optional<MappedFile> mapped;
  Bytes unpacked;

  ByteSpan bytes() const { return mapped ? mapped->bytes() : ByteSpan(unpacked); }
};

Result<Content> ReadContent(const std::string& path) {
  Content content;
  ANECHECK_ASSIGN(content.mapped, MappedFile::Open(path));
  const std::string_view form = lzfse::FormOf(content.bytes());
  if (form.empty()) return content;
  auto unpacked = lzfse::Unpack(content.bytes(), kMostUnpacked);
  if (!unpacked.ok()) return WithFile(path, unpacked.error());
  LogWarning(
      fmt::format("{}: compressed by LZFSE ({}); offsets below count in the {} unpacked bytes",
                  path, form, unpacked->size()));
  content.mapped.reset();
  content.unpacked = std::move(*unpacked);
  return content;
}

int RunFile(const InspectFlags& flags) {
  const std::string& path = flags.paths[0];
  if (flags.format.empty()) {
    const auto model = InspectModel(path);
    if (!model.ok()) return Fail(model.error());
    if (*model) return RunModel(flags, **model);
  }
  const auto content = ReadContent(path);
  if (!content.ok()) return Fail(content.error());
  const ByteSpan bytes = content->bytes();
  const auto companion = flags.format.empty() ? DescribeCompanion(bytes, path) : std::nullopt;
  if (companion) {
    flags.json ? Print(DumpJson(Json{{"file", path}, {"what", *companion}}, 2))
               : PrintText(fmt::format("{}: {}", path, *companion));
    return kExitClean;
  }
  const auto format = Choose(flags, path, bytes);
  if (!format.ok()) return Fail(WithFile(path, format.error()));
  const auto file = (*format)->read(bytes);
  if (!file.ok()) return Fail(WithFile(path, file.error()));
  std::vector<Violation> violations;
  if (flags.verify) violations = VerifyFile(**format, **file, bytes);
  const auto text = Describe(flags, **format, **file, bytes, violations);
  if (!text.ok()) return Fail(WithFile(path, text.error()));
  // A printed program is valid MIL text, so its lines are not folded.
  flags.json || *format == &kFormat_mil ? Print(*text) : PrintText(*text);
  return ExitCode(flags, violations);
}

struct PairedFile {
  std::string path;
  Bytes bytes;
  std::vector<Violation> violations;
};

// The descriptor may be named first or second.
Result<std::pair<PairedFile, PairedFile>> DescriptorThenContainer(const InspectFlags& flags) {
  PairedFile files[2];
  for (const std::string& path : flags.paths) {
    ANECHECK_ASSIGN(Bytes bytes, ReadFile(path));
    const auto format = RecogniseFormat(bytes, path);
    if (!format.ok()) return WithFile(path, format.error());
    if (*format != &kFormat_e5 && *format != &kFormat_hwx) continue;
    files[*format == &kFormat_hwx ? 1 : 0] = {path, std::move(bytes), {}};
  }
  if (files[0].path.empty() || files[1].path.empty()) {
    return MakeError(ErrorCode::kInvalid,
                     "two files are checked as a pair: give a dispatch descriptor (.e5) and a "
                     "hardware container (.hwx)");
  }
  return std::pair(std::move(files[0]), std::move(files[1]));
}

// Returns the verdict on a pair: its word in JSON, and a line for people.
std::pair<std::string_view, std::string> PairVerdict(const std::vector<Violation>& violations,
                                                     const std::string& descriptor) {
  if (violations.empty())
    return {"together", "the two files belong together: they break no rule of pairs\n"};
  if (!pair::IsComparable(violations)) {
    return {"not-comparable", fmt::format("the two files cannot be compared: {} has no ports and "
                                          "no operations at the expected places\n",
                                          descriptor)};
  }
  return {"apart",
          "the two files do not belong together by assumed rules (--strict makes that an error)\n"};
}

Result<int> RunPair(const InspectFlags& flags) {
  ANECHECK_ASSIGN(auto files, DescriptorThenContainer(flags));
  auto& [descriptor, container] = files;
  auto violations = kFormat_e5.verify(descriptor.bytes);
  if (!violations.ok()) return WithFile(descriptor.path, violations.error());
  descriptor.violations = std::move(*violations);
  const auto parsed = hwx::Parse(container.bytes);
  if (!parsed.ok()) return WithFile(container.path, parsed.error());
  container.violations = hwx::Verify(*parsed);
  ANECHECK_ASSIGN(const pair::Pair both, pair::Join(descriptor.bytes, *parsed));
  const std::vector<Violation> together = pair::Verify(both);
  if (flags.json) {
    Json json = {{"files", Json::array()},
                 {"verdict", PairVerdict(together, descriptor.path).first},
                 {"pair", ViolationsToJson(together)}};
    for (const PairedFile* file : {&descriptor, &container}) {
      json["files"].push_back(
          {{"file", file->path}, {"violations", ViolationsToJson(file->violations)}});
    }
    if (flags.explain) json["rules"] = RulesToJson(pair::Rules());
    Print(DumpJson(json, 2));
  } else {
    std::string text = pair::Print(both);
    for (const PairedFile* file : {&descriptor, &container}) {
      text += fmt::format("{}: {} broken\n", file->path, Counted(file->violations.size(), "rule"));
      text += ViolationsText(file->violations);
    }
    if (flags.explain) text += RulesText(pair::Rules()) + EvidenceText();
    text += ViolationsText(together);
    text += PairVerdict(together, descriptor.path).second;
    PrintText(text);
  }
  std::vector<Violation> all = together;
  for (const PairedFile* file : {&descriptor, &container}) {
    all.insert(all.end(), file->violations.begin(), file->violations.end());
  }
  return ExitCode(flags, all);
}

// Lists the rules of one format or, without --format, of every format and of pairs. Reads no file.
Result<std::string> AllRules(const InspectFlags& flags) {
  std::vector<std::pair<std::string_view, std::vector<Rule>>> tables;
  if (flags.format.empty()) {
    for (const Format* format : AllFormats())
      tables.emplace_back(format->name, RulesOfFormat(*format));
    tables.emplace_back("pair", std::vector<Rule>(pair::Rules().begin(), pair::Rules().end()));
  } else {
    ANECHECK_ASSIGN(const Format* format, FindFormat(flags.format));
    tables.emplace_back(format->name, RulesOfFormat(*format));
  }
  std::string text;
  Json json = {{"formats", Json::array()}};
  for (const auto& [name, rules] : tables) {
    text += fmt::format("{}: {}", name, RulesText(rules));
    json["formats"].push_back({{"format", name}, {"rules", RulesToJson(rules)}});
  }
  return flags.json ? DumpJson(json, 2) : text + EvidenceText();
}

int RunRules(const InspectFlags& flags) {
  if (!flags.paths.empty()) {
    return Fail(MakeError(ErrorCode::kInvalid,
                          fmt::format("--rules: reads no file; leave {} out, or give --explain for "
                                      "the rules of its format",
                                      flags.paths.front())));
  }
  const auto text = AllRules(flags);
  if (!text.ok()) return Fail(text.error());
  flags.json ? Print(*text) : PrintText(*text);
  return kExitClean;
}

int Run(const InspectFlags& flags) {
  if (flags.rules) return RunRules(flags);
  if (flags.paths.empty()) {
    return Fail(MakeError(ErrorCode::kInvalid,
                          "no file: name the file to inspect, or give --rules for all rules"));
  }
  if (flags.paths.size() == 1) return RunFile(flags);
  if (!flags.verify) {
    return Fail(
        MakeError(ErrorCode::kInvalid, "two files are only checked as a pair: add --verify"));
  }
  const Result<int> code = RunPair(flags);
  return code.ok() ? *code : Fail(code.error());
}

}  // namespace

void AddInspectCommand(CommandLine& app, Selected& selected) {
  CommandLine command = app.AddCommand("inspect", "Print the content of a file, and verify it");
  auto flags = std::make_shared<InspectFlags>();
  command
      .AddOption("files", flags->paths,
                 "Any file of a known format, a package or a compiled model; with --verify also a "
                 "descriptor and a container")
      .Expect(0, 2);
  command.AddOption("--format", flags->format,
                    "Format of the file (default: recognised by content)");
  command.AddFlag("--json", flags->json, "Print JSON; `encode` makes the file from it again");
  command.AddFlag("--verify", flags->verify, "Check every rule; exit code 1 if one is broken");
  command.AddFlag("--strict", flags->strict, "Count broken assumed rules as errors");
  command.AddFlag("--explain", flags->explain,
                  "Also print every rule of the format with its evidence and source, and the work "
                  "of each task of a hardware container");
  command.AddFlag("--rules", flags->rules,
                  "Print the rules of every format, or of --format, and read no file");
  command.Footer(
      "Example: anecheck inspect model.hwx --verify; anecheck inspect --verify A.e5 B.hwx");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
