// The interface of every file format of the project. It recognises a file, converts it to JSON and
// back, checks it against named rules, and prints it. Each format has one `Format` entry, in
// harness/formats/<format>/; formats.def lists all of them. Used by `anecheck inspect`, `encode`,
// `diff`, the fuzz targets and the round trips.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/json.h"
#include "harness/base/result.h"

namespace anecheck {

using Bytes = std::vector<uint8_t>;
using ByteSpan = std::span<const uint8_t>;

// The kind of source for a field or rule, strongest first. kOpaque and kNotation apply only to
// fields, because such fields state nothing about the format.
enum class FactEvidence : uint8_t {
  kRealFile,       // confirmed by a file that a real tool made
  kSpecification,  // stated by the specification
  kPublicNotes,    // stated by public notes
  kAssumed,        // no source; rules that rest on it warn and never reject
  kOpaque,         // bytes that no source describes; kept and printed unchanged
  kNotation,       // members that exist only in this project's JSON, such as offsets and counts
};
std::string_view FactEvidenceName(FactEvidence evidence);

// One fact that a valid file obeys. `id` is stable and unique within its format, for example
// "segment-inside-file".
struct Rule {
  std::string_view id;
  std::string_view statement;  // one sentence
  std::string_view source;     // "specification 000, table 23.9"
  FactEvidence evidence = FactEvidence::kSpecification;
};

// The evidence for the fields at one path of a format's JSON form.
struct FieldFact {
  // The names of members with dots between them; "[]" stands for the elements of an array, and "*"
  // for a name that the file chooses. Example: "commands[].segname". The evidence applies to the
  // field at the path and to all fields below it.
  std::string path;
  FactEvidence evidence = FactEvidence::kSpecification;
  std::string source;  // "specification 000, table 23.9"
};

// A rule that a file breaks, and the offset of the fault. It is a warning if the evidence of the
// rule is kAssumed, and an error otherwise.
struct Violation {
  const Rule* rule = nullptr;
  uint64_t offset = Error::kNoOffset;
  std::string message;

  bool IsWarning() const { return rule->evidence == FactEvidence::kAssumed; }
};

// How much of a file is understood. Each byte counts once. The rest of the bytes (Opaque()) belongs
// to fields that no source describes.
struct ByteCounts {
  uint64_t total = 0;    // bytes of the file
  uint64_t payload = 0;  // bytes that are data, such as weights
  uint64_t typed = 0;    // bytes outside the payload that belong to a named field
  uint64_t fill = 0;     // zeros, white space and comments, which only separate other bytes

  uint64_t Opaque() const { return total - payload - typed - fill; }
  // Returns typed / (total - payload - fill), or 1 if the divisor is 0.
  double TypedShare() const { return Share(typed, total - payload - fill); }
  // Returns typed / (total - payload), or 1 if the divisor is 0. It is at most TypedShare().
  double TypedShareWithFill() const { return Share(typed, total - payload); }

 private:
  static double Share(uint64_t part, uint64_t whole) {
    return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

// A parsed file, for several calls without parsing it again. It refers to the bytes that were read,
// which must outlive it. Its functions return the same as the functions of Format with these names.
class ParsedFile {
 public:
  virtual ~ParsedFile() = default;
  virtual Result<Json> to_json() const = 0;
  virtual std::vector<Violation> verify() const = 0;
  virtual std::string print() const = 0;
  virtual ByteCounts count_bytes() const = 0;

 protected:
  ParsedFile() = default;
};

// The rules of a format: a table, or a function that makes the table at its first use. With a
// function, a program that reads no file of the format does not build the table.
class FormatRules {
 public:
  constexpr FormatRules() = default;
  template <typename Table>
    requires std::convertible_to<Table, std::span<const Rule>>
  // NOLINTNEXTLINE(google-explicit-constructor): tables convert in the rows of formats.
  constexpr FormatRules(const Table& table) : table_(table) {}
  // NOLINTNEXTLINE(google-explicit-constructor): as above.
  constexpr FormatRules(std::span<const Rule> (*make)()) : make_(make) {}

  std::span<const Rule> all() const { return make_ == nullptr ? table_ : make_(); }
  auto begin() const { return all().begin(); }
  auto end() const { return all().end(); }
  size_t size() const { return all().size(); }

 private:
  std::span<const Rule> table_;
  std::span<const Rule> (*make_)() = nullptr;
};

// The functions of one format. MakeFormat (format_of.h) makes this entry from the functions of the
// format's model. All functions are pure and may run on several threads at once. None throws.
struct Format {
  std::string_view name;   // as given to --format, for example "hwx"
  std::string_view title;  // a descriptive name for users
  FormatRules rules;

  // Returns the evidence for the fields of `json`, a JSON form of this format. Every field has a
  // row. If several rows match a field, the first one applies. The rows may depend on `json`.
  std::span<const FieldFact> (*fields)(const Json& json);

  // Returns the certainty that `bytes` is a file of this format, from 0 (certainly not) to 100 (a
  // magic number matched). `path` may be empty. Its extension counts only if the format has no
  // magic number.
  int (*recognise)(ByteSpan bytes, std::string_view path);

  // Converts the whole file to JSON, with the field names of the specification. from_json converts
  // this JSON back to the same bytes. A region with known fields becomes one member per field,
  // never raw bytes.
  Result<Json> (*to_json)(ByteSpan bytes);
  Result<Bytes> (*from_json)(const Json& json);

  // Parses `bytes` and writes the model. The result equals `bytes` for every file that parses.
  Result<Bytes> (*rewrite)(ByteSpan bytes);

  // Returns the broken rules in file order, or an Error if the file does not parse.
  Result<std::vector<Violation>> (*verify)(ByteSpan bytes);

  // Returns a text for users: names, sizes, structure, and differences from the specification.
  Result<std::string> (*print)(ByteSpan bytes);

  Result<ByteCounts> (*count_bytes)(ByteSpan bytes);

  // Returns the JSON that `diff` compares: to_json without the members that only describe the
  // file's encoding. Null if removing members by name (LayoutMembers, diff.h) is enough.
  Result<Json> (*structure)(ByteSpan bytes) = nullptr;

  // Parses a file once for several calls. `bytes` must outlive the result.
  Result<std::unique_ptr<ParsedFile>> (*read)(ByteSpan bytes) = nullptr;
};

}  // namespace anecheck
