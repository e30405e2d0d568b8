// Reads the embedded data files, and users' files of the same form, into a TargetCatalog. Used by
// TargetCatalog alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json_fields.h"
#include "harness/base/result.h"
#include "harness/targets/catalog.h"

namespace anecheck {

// Applies documents to a catalog. With `replace`, the first statement that a document makes about a
// value removes its earlier statements.
class CatalogLoader {
 public:
  CatalogLoader(TargetCatalog& catalog, bool replace, std::string file)
      : catalog_(catalog), replace_(replace), file_(std::move(file)) {}

  // "targets", "recognised_elsewhere", "fields", "limits", "sets", "floors": whichever are present.
  Status Apply(std::string_view json_text);

 private:
  Status ApplyTargets(const Json& document);
  Status ApplyTarget(const Json& row, const std::string& path);
  Status ApplyFields(const Json& document);
  Status ApplyLimits(const Json& document);
  Status ApplyInterchange(const Json& document);
  Status ApplyTagParts(const Json& document, const char* key, std::vector<ImageTagPart>& parts);
  Status ApplyFloors(const Json& document);
  // Carries a floor of a user's file over to the targets, where the rules read it.
  void State(const FamilyFloor& floor);

  // The targets that a row's "targets" names: target names and tier names.
  Result<std::vector<Target*>> Selected(const Json& row, const std::string& path);
  std::string Source(const Json& row) const;
  Target* Named(std::string_view name);

  TargetCatalog& catalog_;
  bool replace_;
  std::string file_;
};

}  // namespace anecheck
