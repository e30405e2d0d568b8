#include "harness/results/merge.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>
#include <unistd.h>
#include <utility>
#include <vector>

#include "harness/results/store.h"

namespace anecheck {
namespace {

// A run in one input.
struct Place {
  size_t input = 0;
  int64_t id = 0;
  int64_t cases = 0;
  RunState state = RunState::kRunning;  // the state that the input records
  std::optional<uint64_t> digest;       // of all rows; only computed if two places tie
};

// Chooses the input from which each run is taken, by uuid.
class Chooser {
 public:
  explicit Chooser(std::span<const std::string> inputs) : inputs_(inputs) {}

  Status ReadAll() {
    for (size_t input = 0; input < inputs_.size(); ++input) {
      ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(inputs_[input]));
      ANECHECK_ASSIGN(const std::vector<RunRow> runs, store.Runs());
      for (const RunRow& run : runs) {
        Place place = {.input = input, .id = run.id, .state = run.state};
        ANECHECK_ASSIGN(const std::vector<VerdictCount> counts, store.CountVerdicts(run.id));
        for (const VerdictCount& count : counts) place.cases += count.cases;
        if (!places_.contains(run.uuid)) runs_.push_back(run);
        ANECHECK_RETURN_IF_ERROR(Offer(run.uuid, place));
      }
    }
    return {};
  }

  const std::map<std::string, Place>& places() const { return places_; }
  // The runs of all inputs, each run once.
  const std::vector<RunRow>& runs() const { return runs_; }
  int64_t duplicates() const { return duplicates_; }

 private:
  Status Offer(const std::string& uuid, Place offered) {
    const auto [entry, fresh] = places_.emplace(uuid, offered);
    if (fresh) return {};
    ++duplicates_;
    Place& held = entry->second;
    if (std::tie(held.cases, held.state) == std::tie(offered.cases, offered.state)) {
      ANECHECK_RETURN_IF_ERROR(DigestRun(held));
      ANECHECK_RETURN_IF_ERROR(DigestRun(offered));
    }
    if (std::tie(held.cases, held.state, held.digest) <
        std::tie(offered.cases, offered.state, offered.digest)) {
      held = offered;
    }
    return {};
  }

  Status DigestRun(Place& place) {
    if (place.digest) return {};
    ANECHECK_ASSIGN(Store store, Store::OpenReadOnly(inputs_[place.input]));
    ANECHECK_ASSIGN(place.digest, store.Digest(place.id));
    return {};
  }

  std::span<const std::string> inputs_;
  std::map<std::string, Place> places_;
  std::vector<RunRow> runs_;
  int64_t duplicates_ = 0;
};

// Writes the joined file to `path`. Its later name is `out`.
Status WriteJoined(std::span<const std::string> inputs, const Chooser& chooser,
                   const std::string& path, const std::string& out, const std::atomic<bool>* stop) {
  // For each input, the ids of the runs to take and their new ids.
  std::vector<std::vector<std::pair<int64_t, int64_t>>> taken(inputs.size());
  int64_t id = 0;
  for (const auto& [uuid, place] : chooser.places())
    taken[place.input].emplace_back(place.id, ++id);
  ANECHECK_ASSIGN(Store joined, Store::MakeUnlogged(path));
  for (size_t input = 0; input < inputs.size(); ++input) {
    if (stop != nullptr && stop->load()) {
      return MakeError(ErrorCode::kInterrupted,
                       fmt::format("{}: interrupted; nothing is written, merge again", out));
    }
    if (taken[input].empty()) continue;
    ANECHECK_ASSIGN(Store source, Store::OpenReadOnly(inputs[input]));
    ANECHECK_RETURN_IF_ERROR(joined.CopyRuns(source, taken[input]));
  }
  return joined.NameFile(out);
}

Error Unwritable(const std::string& out, int code) {
  return MakeError(ErrorCode::kIo,
                   fmt::format("{}: cannot be written: {}", out, std::strerror(code)));
}

Error Exists(const std::string& out) {
  return MakeError(ErrorCode::kInvalid, fmt::format("{}: exists; name a file that does not", out));
}

// Creates an empty file in the folder of `out`, under a name that no other process uses.
Result<std::string> NewPartial(const std::string& out) {
  for (int i = 0;; ++i) {
    std::string path = fmt::format("{}.partial-{}-{}", out, getpid(), i);
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
      return path;
    }
    // Nothing is written yet, so the user must choose another name.
    if (errno != EEXIST) return MakeError(ErrorCode::kInvalid, Unwritable(out, errno).message);
  }
}

// Waits until a file or folder is on the disk.
Status Flush(const std::string& path, const std::string& out) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool flushed = file >= 0 && fsync(file) == 0;
  const int code = errno;
  if (file >= 0) close(file);
  if (!flushed) return Unwritable(out, code);
  return {};
}

// Renames the complete file to `out`. Returns an error if `out` exists, even if another process
// makes it at the same time.
Status Publish(const std::string& partial, const std::string& out) {
  ANECHECK_RETURN_IF_ERROR(Flush(partial, out));
  if (link(partial.c_str(), out.c_str()) != 0) {
    const int code = errno;
    std::error_code ignored;
    // Some file systems have no links. On such a file system, this may replace a file that another
    // process makes at this moment.
    const bool taken = std::filesystem::exists(std::filesystem::symlink_status(out, ignored));
    if (code == EEXIST || taken) return Exists(out);
    if (std::rename(partial.c_str(), out.c_str()) != 0) return Unwritable(out, code);
  }
  const std::string folder = std::filesystem::path(out).parent_path().string();
  return Flush(folder.empty() ? "." : folder, out);
}

}  // namespace

Result<MergeSummary> MergeResults(std::span<const std::string> inputs, const std::string& out,
                                  const std::atomic<bool>* stop) {
  std::error_code ignored;
  if (std::filesystem::exists(out, ignored)) return Exists(out);
  Chooser chooser(inputs);
  ANECHECK_RETURN_IF_ERROR(chooser.ReadAll());
  ANECHECK_ASSIGN(const std::string partial, NewPartial(out));
  Status written = WriteJoined(inputs, chooser, partial, out, stop);
  if (written.ok()) written = Publish(partial, out);
  for (const char* suffix : {"", "-wal", "-shm"}) {
    std::filesystem::remove(partial + suffix, ignored);
  }
  ANECHECK_RETURN_IF_ERROR(std::move(written));
  std::vector<const RunRow*> runs;
  runs.reserve(chooser.runs().size());
  for (const RunRow& run : chooser.runs()) runs.push_back(&run);
  MergeSummary summary{static_cast<int64_t>(chooser.places().size()), chooser.duplicates(), 0,
                       FindMissingShards(runs)};
  for (const auto& [uuid, place] : chooser.places()) summary.cases += place.cases;
  return summary;
}

}  // namespace anecheck
