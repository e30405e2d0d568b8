// The events of a campaign as JSON Lines, one object per event, for programs that watch a run. The
// first event is `started`. Each recorded batch adds its `case` and `finding` events and one
// `progress`. The last event is `finished` or `failed`. Schema: reports/schemas/events.schema.json.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/campaign/campaign.h"

namespace anecheck {

// Not thread-safe. After a write error the stream writes nothing more and status() returns the
// error, but the campaign continues.
class EventStream {
 public:
  // Opens the file `path`, or standard output if `path` is "-". If `goes_on`, removes a last line
  // that a killed writer left unfinished, and appends to the file. Otherwise empties the file.
  // Errors: kInvalid if the file cannot be opened.
  static Result<EventStream> Open(const std::string& path, bool goes_on);

  // `provenance` and `engine` are those of the runner; each `finding` event repeats the provenance.
  void Started(const CampaignOptions& options, Provenance provenance, std::string_view engine,
               bool resumed);
  // Writes the events of the batch in `progress`, then a `progress` event.
  void Batch(const CampaignProgress& progress);
  void Finished(const CampaignSummary& summary);
  void Failed(const Error& error);

  Status status() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const;
  };
  EventStream(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  void Write(std::string_view event, const Json& members);
  void Flush();

  std::string path_;
  Provenance provenance_ = Provenance::kReported;
  std::unique_ptr<std::FILE, Close> file_;
  bool broken_ = false;
};

}  // namespace anecheck
