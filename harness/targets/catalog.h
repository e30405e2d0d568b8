// The set of built-in targets, and functions that replace their values at run time. Every command
// with the option --targets uses it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/result.h"
#include "harness/targets/target.h"

namespace anecheck {

struct NewestField;  // newest_table.h

// The lowest family on which an operation is native (specification 003, table 24.2).
struct FamilyFloor {
  std::string op;                       // as the table calls it: "reductions"
  std::vector<std::string> operations;  // those that `op` covers; if empty, only `op` itself
  Known<Family> family;
};

// A limit, and the table field with the same value, if there is one.
struct LimitField {
  std::string name;
  std::string unit;
  std::string note;
  std::string hal_field;  // empty if the limit is no field of the table
};

// A part of a four-character image tag, which is the packing prefix or the three-character base.
struct ImageTagPart {
  std::string tag;
  uint64_t code = 0;
  std::string meaning;
};

// "&BGA" has the packing mode "&" and the pixel class "BGA" (public guide, chapter 34).
struct ImageTag {
  ImageTagPart packing;
  ImageTagPart base;
};

// A set of targets. Copies are independent. Const functions may run on several threads at once.
class TargetCatalog {
 public:
  // The embedded targets, parsed on first use.
  static const TargetCatalog& Builtin();

  // Returns the target `name`, which may be in upper or lower case. Errors: kNotFound, with the
  // nearest names; those of FindTargetByChip.
  Result<const Target*> Find(std::string_view name) const;
  // Returns the targets of a comma-separated list of names, or of "all".
  Result<std::vector<const Target*>> FindList(std::string_view list) const;

  std::span<const Target> targets() const { return {targets_.data(), targets_.size()}; }
  std::span<const FamilyFloor> floors() const;
  std::span<const LimitField> limit_fields() const;

  // Returns the two parts of an image tag. Errors: kNotFound if a part is not listed.
  Result<ImageTag> FindImageTag(std::string_view tag) const;

  // Returns the floor of an operation of table 24.2, or unknown.
  Known<Family> Floor(std::string_view op) const;

  // Overwrites the table of one target with a blob, which has 0x938 bytes, or 0xa10 bytes for the
  // newest compiler. Also overwrites the limits with the same meaning as fields of the table.
  // Printed text calls the blob `source`.
  Status ReplaceHal(std::string_view target, std::span<const uint8_t> blob,
                    const std::string& source);

  // Returns a field of the newest compiler's table for a target. The value comes from the blob that
  // ReplaceHal read, or else from the sources.
  Known<uint64_t> Newest(const NewestField& field, const Target& target) const;

  // Applies a user's file, which is JSON in the form of the embedded files with any of the members
  // "targets", "fields", "limits", "sets" and "floors". The file's statements replace earlier
  // statements. On an error nothing changes.
  Status ApplyUserFile(std::string_view json_text, std::string_view file_name);

 private:
  friend class CatalogLoader;

  // Copies the values of a field to the limits and properties with the same meaning.
  void Restate(Target& target, const HalField& field) const;

  std::vector<Target> targets_;
  std::vector<FamilyFloor> floors_;
  std::vector<LimitField> limit_fields_;
  std::vector<ImageTagPart> tag_prefixes_;
  std::vector<ImageTagPart> tag_bases_;
  // Names of targets that the compiler knows but that have no table here, with their source.
  std::map<std::string, std::string, std::less<>> known_elsewhere_;
  // Values of fields from blobs of the newest compiler's table, by target and offset.
  std::map<std::pair<std::string, uint32_t>, SourcedValue<uint64_t>> newest_;
};

// Return the target `name` of the built-in catalog, and all its targets.
Result<const Target*> FindTarget(std::string_view name);
std::span<const Target> AllTargets();

}  // namespace anecheck
