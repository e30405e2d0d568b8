// `anecheck diff`: compares the structure of two files of one format, and any number of HAL tables
// byte by byte.
#include <fmt/format.h>
#include <memory>

#include "harness/base/file.h"
#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/cli/command.h"
#include "harness/cli/command_line.h"
#include "harness/cli/whole_number.h"
#include "harness/cli/with_file.h"
#include "harness/formats/diff/diff.h"
#include "harness/formats/hal/hal.h"
#include "harness/formats/registry/registry.h"

namespace anecheck {
namespace {

struct DiffFlags {
  std::vector<std::string> paths;
  std::string format;
  bool layout = false;
  bool json = false;
  size_t limit = 1000;
};

struct Loaded {
  std::string path;
  Bytes bytes;
};

struct Outcome {
  std::string text;
  bool differ = false;
};

Result<const Format*> CommonFormat(const DiffFlags& flags, const std::vector<Loaded>& files) {
  if (!flags.format.empty()) return FindFormat(flags.format);
  const Format* common = nullptr;
  for (const Loaded& file : files) {
    const auto format = RecogniseFormat(file.bytes, file.path);
    if (!format.ok()) return WithFile(file.path, format.error());
    if (common != nullptr && common != *format) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("{} is of format {} and {} of format {}: give files of one "
                                   "format, or name one with --format",
                                   files.front().path, common->name, file.path, (*format)->name));
    }
    common = *format;
  }
  return common;
}

Json HalToJson(const std::vector<HalDifference>& differences) {
  Json list = Json::array();
  for (const HalDifference& difference : differences) {
    Json values = Json::array();
    for (const auto& value : difference.values) values.push_back(value ? Json(*value) : Json());
    list.push_back({{"offset", difference.offset},
                    {"field", difference.field == nullptr ? Json() : Json(difference.field->name)},
                    {"values", std::move(values)}});
  }
  return list;
}

Result<Outcome> DiffTables(const DiffFlags& flags, const std::vector<Loaded>& files) {
  std::vector<HalImage> images;
  Json names = Json::array();
  for (const Loaded& file : files) {
    const auto blob = HalBlob::Parse(file.bytes);
    if (!blob.ok()) return WithFile(file.path, blob.error());
    images.push_back(HalImageOf(*blob, file.path));
    names.push_back(file.path);
  }
  const std::vector<HalDifference> differences = DiffHal(images);
  if (!flags.json) {
    return Outcome{differences.empty() ? "the tables are the same\n" : DiffHalText(images),
                   !differences.empty()};
  }
  const Json json = {
      {"format", "hal"}, {"files", std::move(names)}, {"differences", HalToJson(differences)}};
  return Outcome{DumpJson(json, 2), !differences.empty()};
}

Result<Outcome> DiffPair(const DiffFlags& flags, const Format& format,
                         const std::vector<Loaded>& files) {
  if (files.size() != 2) {
    return MakeError(ErrorCode::kInvalid,
                     "more than two files can be compared only if they are HAL tables");
  }
  for (const Loaded& file : files) {
    const auto json = format.to_json(file.bytes);
    if (!json.ok()) return WithFile(file.path, json.error());
  }
  ANECHECK_ASSIGN(const FileDifferences differences,
                  DiffFiles(format, files[0].bytes, files[1].bytes, flags.layout, flags.limit));
  // Without --layout only the structure is compared, and with --layout every byte.
  const bool differ = !differences.structure.empty() || (flags.layout && !differences.same_bytes);
  if (!flags.json) return Outcome{DifferencesText(differences), differ};
  Json json = {{"format", format.name}, {"files", {files[0].path, files[1].path}}};
  json.update(DifferencesToJson(differences));
  return Outcome{DumpJson(json, 2), differ};
}

Result<Outcome> Diff(const DiffFlags& flags) {
  std::vector<Loaded> files;
  for (const std::string& path : flags.paths) {
    ANECHECK_ASSIGN(Bytes bytes, ReadFile(path));
    files.push_back({path, std::move(bytes)});
  }
  ANECHECK_ASSIGN(const Format* format, CommonFormat(flags, files));
  return format == &kFormat_hal ? DiffTables(flags, files) : DiffPair(flags, *format, files);
}

int Run(const DiffFlags& flags) {
  const auto outcome = Diff(flags);
  if (!outcome.ok()) return Fail(outcome.error());
  flags.json ? Print(outcome->text) : PrintText(outcome->text);
  return outcome->differ ? kExitFindings : kExitClean;
}

}  // namespace

void AddDiffCommand(CommandLine& app, Selected& selected) {
  CommandLine command =
      app.AddCommand("diff", "Compare files of one format; exit code 1 if they differ");
  auto flags = std::make_shared<DiffFlags>();
  command.AddOption("files", flags->paths, "Two files of one format, or any number of HAL tables")
      .Required()
      .Expect(2, 1000);
  command.AddOption("--format", flags->format,
                    "Format of the files (default: recognised by content)");
  command.AddFlag("--layout", flags->layout, "Also compare the positions of the parts in the file");
  command.AddOption("--limit", flags->limit, "Largest number of differences to list")
      .Check(WholeNumber(1));
  command.AddFlag("--json", flags->json, "Print JSON");
  command.Footer("Example: anecheck diff before.hwx after.hwx");
  command.WhenChosen([flags, &selected] { selected = [flags] { return Run(*flags); }; });
}

}  // namespace anecheck
