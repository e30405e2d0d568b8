// The events of a campaign as JSON Lines, one object per event, for programs that watch a run:
// `started`, then for each recorded batch its `case` and `finding` events and one `progress`, in
// the end `finished` or `failed`. Schema: reports/schemas/events.schema.json.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "harness/base/json.h"
#include "harness/base/result.h"
#include "harness/campaign/campaign.h"

namespace anecheck {

// Written by one thread. A stream that cannot be written any more stays silent from then on and
// says so by status(); the campaign goes on.
class EventStream {
 public:
  // "-" is standard output. A file is emptied first unless the stream `goes_on` after its content;
  // then a last line that a killed writer left unfinished is cut off. kInvalid where it cannot be
  // opened.
  static Result<EventStream> Open(const std::string& path, bool goes_on);

  // `provenance` and `engine` are those of the runner; findings repeat the former.
  void Started(const CampaignOptions& options, Provenance provenance, std::string_view engine,
               bool resumed);
  // The batch that `progress` tells of, and how far the campaign is.
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
