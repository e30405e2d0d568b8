#include "harness/cli/check_containers.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "harness/base/file.h"
#include "harness/base/log.h"
#include "harness/base/lower_case.h"
#include "harness/cli/with_file.h"
#include "harness/emulator/program.h"
#include "harness/encoder/ane_file.h"
#include "harness/formats/td/td.h"

namespace anecheck {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kModelEndings = {".mil",     ".json",      ".plist",
                                                           ".mlmodel", ".mlpackage", ".mlmodelc"};

bool IsModelName(const fs::path& path) {
  return std::ranges::find(kModelEndings, path.extension().string()) != kModelEndings.end();
}

std::string StemOf(const std::string& path) { return fs::path(path).stem().string(); }

// Returns the paths in a folder that `takes` accepts, sorted.
template <typename Takes>
std::vector<std::string> Inside(const std::string& folder, Takes takes) {
  std::vector<std::string> inside;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (takes(entry.path())) inside.push_back(entry.path().string());
  }
  std::ranges::sort(inside);
  return inside;
}

// The files among `paths`, and the .hwx files in the folders among `paths`, sorted by name.
Result<std::vector<std::string>> ContainersOf(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const std::vector<std::string> inside =
        Inside(path, [](const fs::path& file) { return file.extension() == ".hwx"; });
    if (inside.empty()) {
      return MakeError(ErrorCode::kNotFound, fmt::format("{}: holds no .hwx file", path));
    }
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

// Returns whether the path is a folder of models. Packages and compiled models are folders too and
// may have any name, so the content decides.
bool IsFolderOfModels(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return false;
  return !fs::exists(fs::path(path) / "Manifest.json", error) &&
         !fs::exists(fs::path(path) / "model.mil", error);
}

struct Row {
  std::string container, model, target, verdict, message;
};

std::vector<Row> RowsOf(const Json& report) {
  if (IsUnpaired(report)) {
    return {{report["container"].get<std::string>(), report["model"].get<std::string>(), "-",
             "not run", report["error"].get<std::string>()}};
  }
  std::vector<Row> rows;
  for (const Json& target : report["targets"]) {
    std::string message = target["message"].get<std::string>();
    for (const Json& location : report["locations"]) {
      const std::string wrong = location.value("first_wrong", std::string());
      if (wrong.empty()) continue;
      message = fmt::format("the first wrong operation is {} \"{}\"", wrong,
                            location.value("name", std::string()));
    }
    rows.push_back({report.value("container", std::string()), report["model"].get<std::string>(),
                    target["target"].get<std::string>(), target["verdict"].get<std::string>(),
                    std::move(message)});
  }
  return rows;
}

}  // namespace

Result<std::vector<ContainerPair>> PairsOf(const std::string& model,
                                           const std::vector<std::string>& containers) {
  ANECHECK_ASSIGN(const std::vector<std::string> files, ContainersOf(containers));
  std::vector<ContainerPair> pairs;
  if (!IsFolderOfModels(model)) {
    for (const std::string& file : files) pairs.push_back({model, file});
    return pairs;
  }
  std::map<std::string, std::string> models;
  for (const std::string& path : Inside(model, IsModelName)) models.emplace(StemOf(path), path);
  size_t found = 0;
  for (const std::string& file : files) {
    auto own = models.extract(StemOf(file));
    found += own.empty() ? 0 : 1;
    pairs.push_back({own.empty() ? "" : own.mapped(), file});
  }
  if (found == 0) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("{}: contains no model with the name of a container", model));
  }
  for (const auto& [stem, path] : models) pairs.push_back({path, ""});
  return pairs;
}

Json UnpairedReport(const ContainerPair& pair, const std::string& error) {
  return {{"model", pair.model}, {"container", pair.container}, {"error", error}};
}

bool IsUnpaired(const Json& report) { return report.contains("error"); }

std::string PairTable(std::span<const Json* const> reports) {
  std::vector<Row> rows = {{"container", "model", "target", "verdict", ""}};
  for (const Json* const report : reports) {
    for (Row& row : RowsOf(*report)) rows.push_back(std::move(row));
  }
  for (Row& row : rows) {
    if (row.container.empty()) row.container = "-";
    if (row.model.empty()) row.model = "-";
  }
  std::array<size_t, 4> widths = {};
  std::map<std::string, size_t> counts;
  for (const Row& row : rows) {
    const std::array cells = {&row.container, &row.model, &row.target, &row.verdict};
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], cells[i]->size());
    if (&row != rows.data()) ++counts[row.verdict];
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line =
        fmt::format("{:{}}  {:{}}  {:{}}  {:{}}  {}", row.container, widths[0], row.model,
                    widths[1], row.target, widths[2], row.verdict, widths[3], row.message);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  text += fmt::format("{} checked:", rows.size() - 1);
  for (const auto& [verdict, count] : counts) text += fmt::format(" {} {}", count, verdict);
  return text + "\n";
}

Result<std::string> TargetOfContainer(const std::string& path) {
  ANECHECK_ASSIGN(Bytes read, ReadFile(path));
  std::vector<std::string> warnings;
  const auto bytes = encoder::AsContainer(std::move(read), &warnings);
  if (!bytes.ok()) return WithFile(path, bytes.error());
  for (const std::string& warning : warnings) LogWarning(fmt::format("{}: {}", path, warning));
  const auto program = emulator::LoadProgram(*bytes);
  if (!program.ok()) return WithFile(path, program.error());
  ANECHECK_ASSIGN(const td::Generation* generation, td::GenerationOfVersion(program->version));
  return LowerCase(generation->family);
}

}  // namespace anecheck
