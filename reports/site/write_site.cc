#include "reports/site/write_site.h"

#include <array>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <mutex>

#include "harness/base/file.h"
#include "harness/base/json_text.h"
#include "harness/base/parallel_for.h"
#include "reports/finding_page.h"
#include "reports/operation_reference.h"
#include "reports/site/site_pages.h"

namespace anecheck::reports {
namespace {

class SiteWriter {
 public:
  SiteWriter(const Site& site, const std::string& folder, const ReportProgress& progress)
      : site_(site), folder_(folder), progress_(progress) {}

  Status Write() {
    for (const char* name : {"", "/chips", "/ops", "/findings", "/badges"}) {
      ANECHECK_RETURN_IF_ERROR(MakeDirectories(folder_ + name));
    }
    ANECHECK_RETURN_IF_ERROR(WriteFrontPages());
    ANECHECK_RETURN_IF_ERROR(WriteChips());
    ANECHECK_RETURN_IF_ERROR(WriteOps());
    return WriteDefects();
  }

 private:
  Status PutText(const std::string& name, const std::string& content) {
    return WriteFileAtomic(fmt::format("{}/{}", folder_, name), content);
  }
  Status Put(const std::string& name, const std::string& html, const Json& json) {
    ANECHECK_RETURN_IF_ERROR(PutText(name + ".html", html));
    return PutText(name + ".json", DumpJson(json, 1) + "\n");
  }

  Status WriteFrontPages() {
    const std::array<std::function<Status()>, 3> pages = {
        [&] { return Put("index", FrontHtml(site_), FrontJson(site_)); },
        [&] { return PutText("operations.html", OperationsHtml(site_)); },
        [&] { return Put("compare", CompareHtml(site_), CompareJson(site_)); }};
    return ParallelFor(pages.size(), 0, [&](uint64_t page) { return pages[page](); });
  }

  Status WriteChips() {
    return ParallelFor(site_.chips.size(), 0, [&](uint64_t chip) -> Status {
      const std::string& slug = site_.chips[chip].slug;
      ANECHECK_RETURN_IF_ERROR(Put("chips/" + slug, ChipHtml(site_, chip), ChipJson(site_, chip)));
      return PutText("badges/" + slug + ".svg", BadgeSvg(site_, chip));
    });
  }

  Status WriteOps() {
    const Json reference = OperationReferenceJson();
    std::map<std::string, const Json*> entries;
    for (const Json& op : reference["ops"]) entries.emplace(op["name"].get<std::string>(), &op);
    const Json none;
    size_t done = 0;
    std::mutex mutex;  // guards `done` and the progress
    return ParallelFor(site_.ops.size(), 0, [&](uint64_t op) -> Status {
      const auto entry = entries.find(site_.ops[op].name);
      const Json& known = entry == entries.end() ? none : *entry->second;
      ANECHECK_RETURN_IF_ERROR(
          Put("ops/" + site_.ops[op].slug, OpHtml(site_, op, known), OpJson(site_, op, known)));
      const std::lock_guard lock(mutex);
      if (progress_) progress_("pages of operations", ++done, site_.ops.size());
      return {};
    });
  }

  Status WriteDefects() {
    ANECHECK_RETURN_IF_ERROR(ParallelFor(site_.defects.size(), 0, [&](uint64_t index) {
      const SiteDefect& defect = site_.defects[index];
      const std::string name = defect.page.substr(0, defect.page.rfind('.'));
      return PutText(name + ".json", DumpJson(DefectJson(site_, defect), 1) + "\n");
    }));
    return WriteFindingPages(site_.data, folder_, progress_,
                             {"../index.html", "All chips and findings"});
  }

  const Site& site_;
  const std::string& folder_;
  const ReportProgress& progress_;
};

}  // namespace

Result<Site> WriteSite(std::span<const std::string> db_paths, const std::string& out_folder,
                       const ReportProgress& progress) {
  ANECHECK_ASSIGN(Site site, ReadSite(db_paths, progress));
  ANECHECK_RETURN_IF_ERROR(SiteWriter(site, out_folder, progress).Write());
  return site;
}

}  // namespace anecheck::reports
