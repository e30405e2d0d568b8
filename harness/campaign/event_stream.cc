#include "harness/campaign/event_stream.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

#include "harness/base/json.h"
#include "harness/base/json_text.h"
#include "harness/base/version.h"
#include "harness/campaign/coverage.h"
#include "harness/campaign/run_row.h"

namespace anecheck {
namespace {

// Removes an unfinished last line from a regular file. Does nothing to other files. Returns false
// if the system reports an error.
bool CutUnfinishedLine(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed)) return true;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  std::streamoff end = size;
  while (file && end > 0 && file.seekg(end - 1) && file.peek() != '\n') --end;
  if (!file) return false;
  if (end < size) std::filesystem::resize_file(path, static_cast<uintmax_t>(end), failed);
  return !failed;
}

}  // namespace

void EventStream::Close::operator()(std::FILE* file) const {
  if (file != stdout) std::fclose(file);
}

Result<EventStream> EventStream::Open(const std::string& path, bool goes_on) {
  if (path == "-") return EventStream(path, stdout);
  std::FILE* file = std::fopen(path.c_str(), goes_on ? "a" : "w");
  const bool cut = file == nullptr || !goes_on || CutUnfinishedLine(path);
  if (file == nullptr || !cut) {
    if (file != nullptr) std::fclose(file);
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("--events {}: cannot be opened: {}", path, std::strerror(errno)));
  }
  return EventStream(path, file);
}

void EventStream::Write(std::string_view event, const Json& members) {
  if (broken_) return;
  Json line;
  line["v"] = 1;
  line["event"] = event;
  line.update(members);
  const std::string text = DumpJson(line) + "\n";
  broken_ = std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size();
}

void EventStream::Flush() { broken_ = std::fflush(file_.get()) != 0 || broken_; }

Status EventStream::status() const {
  if (!broken_) return {};
  return MakeError(ErrorCode::kIo, fmt::format("--events {}: cannot be written", path_));
}

void EventStream::Started(const CampaignOptions& options, Provenance provenance,
                          std::string_view engine, bool resumed) {
  provenance_ = provenance;
  Json targets = Json::array();
  for (const CampaignTarget& target : options.targets) targets.push_back(target.name);
  Write("started", {{"time", UtcNow()},
                    {"tool_version", kToolVersion},
                    {"provenance", ToText(provenance_)},
                    {"engine", engine},
                    {"resumed", resumed},
                    {"seed", options.seed},
                    {"wanted", CasesOfShard(options)},
                    {"targets", targets},
                    {"route", ToText(options.routes)},
                    {"runner", options.runner},
                    {"db", options.db}});
  Flush();
}

void EventStream::Batch(const CampaignProgress& progress) {
  if (progress.batch != nullptr) {
    for (const CaseRow& item : progress.batch->cases) {
      Write("case", {{"case", item.index},
                     {"target", item.target},
                     {"route", ToText(item.route)},
                     {"mode", ToText(item.mode)},
                     {"nodes", item.nodes},
                     {"status", ToText(item.status)},
                     {"stage", ToText(item.step)},
                     {"verdict", ToText(item.verdict)}});
    }
    for (const FindingRow& finding : progress.batch->findings) {
      // A row without an id is a further case of a finding that was already reported.
      if (finding.id.empty()) continue;
      Json members = {{"provenance", ToText(provenance_)}};
      members.update(FindingToJson(finding));
      Write("finding", members);
    }
  }
  const double left = SecondsLeft(progress);
  Json members = {{"done", progress.done},
                  {"wanted", progress.wanted},
                  {"findings", progress.findings},
                  {"known_defects", progress.known_defects},
                  {"unconfirmed", progress.unconfirmed},
                  {"seconds", progress.seconds},
                  {"seconds_left", left < 0 ? Json() : Json(left)}};
  if (progress.counts != nullptr) {
    members["cells"] = CoverageSpace().size();
    members["cells_covered"] = progress.counts->cells_covered();
    members["targets"] = Json::object();
    for (const auto& [name, target] : progress.counts->targets()) {
      members["targets"][name] = {{"cases", target.cases},
                                  {"passed", target.passed},
                                  {"findings", target.findings},
                                  {"known_defects", target.known_defects},
                                  {"unconfirmed", target.unconfirmed}};
    }
  }
  Write("progress", members);
  Flush();
}

void EventStream::Finished(const CampaignSummary& summary) {
  Json members = SummaryToJson(summary);
  members["time"] = UtcNow();
  members["state"] = summary.interrupted ? "interrupted" : "finished";
  Write("finished", members);
  Flush();
}

void EventStream::Failed(const Error& error) {
  Write("failed", {{"time", UtcNow()}, {"message", error.message}});
  Flush();
}

}  // namespace anecheck
