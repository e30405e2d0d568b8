// Reads the embedded data files, and users' files of the same form, into a TargetCatalog. Only
// TargetCatalog uses it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json_fields.h"
#include "harness/base/result.h"
#include "harness/targets/catalog.h"

namespace anecheck {

// Applies documents to a catalog. With `replace`, the first statement that a document makes about a
// value removes all earlier statements about it.
class CatalogLoader {
 public:
  CatalogLoader(TargetCatalog& catalog, bool replace, std::string file)
      : catalog_(catalog), replace_(replace), file_(std::move(file)) {}

  // Applies the members "targets", "recognised_elsewhere", "fields", "limits", "sets" and "floors"
  // that are present.
  Status Apply(std::string_view json_text);

 private:
  Status ApplyTargets(const Json& document);
  Status ApplyTarget(const Json& row, const std::string& path);
  Status ApplyFields(const Json& document);
  Status ApplyLimits(const Json& document);
  Status ApplyInterchange(const Json& document);
  Status ApplyTagParts(const Json& document, const char* key, std::vector<ImageTagPart>& parts);
  Status ApplyFloors(const Json& document);
  // Copies a floor of a user's file to the targets, because the rules read it there.
  void State(const FamilyFloor& floor);

  // Returns the targets that the "targets" of a JSON row lists, by target names and tier names.
  Result<std::vector<Target*>> Selected(const Json& row, const std::string& path);
  std::string Source(const Json& row) const;
  Target* Named(std::string_view name);

  TargetCatalog& catalog_;
  bool replace_;
  std::string file_;
};

}  // namespace anecheck
