// The set of targets: those that are built in, and ways to replace their values at run time. Used
// by everything that takes --targets.
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
  std::vector<std::string> operations;  // that it means; empty: the one of its name
  Known<Family> family;
};

// One limit by name, and the table field that it restates where there is one.
struct LimitField {
  std::string name;
  std::string unit;
  std::string note;
  std::string hal_field;  // empty where the limit is no field of the table
};

// One part of a four-character image tag: the packing prefix or the three-character base.
struct ImageTagPart {
  std::string tag;
  uint64_t code = 0;
  std::string meaning;
};

// "&BGA": the packing mode "&" and the pixel class "BGA" (public guide, chapter 34).
struct ImageTag {
  ImageTagPart packing;
  ImageTagPart base;
};

// A set of targets. Copies are independent. Const functions may run on several threads at once.
class TargetCatalog {
 public:
  // The embedded targets, parsed on first use.
  static const TargetCatalog& Builtin();

  // The target of that name, upper or lower case. An unknown name is an error that lists the
  // nearest names; there is no fallback.
  Result<const Target*> Find(std::string_view name) const;
  // A comma-separated list of names, or "all".
  Result<std::vector<const Target*>> FindList(std::string_view list) const;

  std::span<const Target> targets() const { return {targets_.data(), targets_.size()}; }
  std::span<const FamilyFloor> floors() const;
  std::span<const LimitField> limit_fields() const;

  // The two parts of an image tag, or kNotFound where a part is none of the listed ones.
  Result<ImageTag> FindImageTag(std::string_view tag) const;

  // The floor of an operation of table 24.2, or unknown.
  Known<Family> Floor(std::string_view op) const;

  // Overwrites the table of one target, and the limits that restate its fields, with a blob of
  // 0x938 bytes, or of the 0xa10 of the newest compiler. `source` names the blob in the text that
  // is printed.
  Status ReplaceHal(std::string_view target, std::span<const uint8_t> blob,
                    const std::string& source);

  // A field of the newest compiler's table for one of the targets: from the blob that ReplaceHal
  // read, else as the sources state it.
  Known<uint64_t> Newest(const NewestField& field, const Target& target) const;

  // Applies a user's file: JSON of the form of the embedded files, any of "targets", "fields",
  // "limits", "sets" and "floors" present. Its statements replace earlier ones. Nothing changes on
  // error.
  Status ApplyUserFile(std::string_view json_text, std::string_view file_name);

 private:
  friend class CatalogLoader;

  // Carries a field's values over to the limits and properties that restate it.
  void Restate(Target& target, const HalField& field) const;

  std::vector<Target> targets_;
  std::vector<FamilyFloor> floors_;
  std::vector<LimitField> limit_fields_;
  std::vector<ImageTagPart> tag_prefixes_;
  std::vector<ImageTagPart> tag_bases_;
  // Names that the compiler knows and that have no table here, with their source.
  std::map<std::string, std::string, std::less<>> known_elsewhere_;
  // Fields that blobs of the newest compiler's table state, by target and offset.
  std::map<std::pair<std::string, uint32_t>, SourcedValue<uint64_t>> newest_;
};

// Of the built-in catalog.
Result<const Target*> FindTarget(std::string_view name);
std::span<const Target> AllTargets();

}  // namespace anecheck
