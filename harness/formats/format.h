// The interface of every file format of the project: recognise, parse to JSON, write back, verify
// by named rules, print. Each format has one `Format` entry, in harness/formats/<format>/;
// formats.def lists all of them. Used by `anecheck inspect`, `encode`, `diff`, the fuzz targets and
// the round trips.
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

// The kind of source for a field or rule, strongest first. The last two mark only fields that state
// nothing about the format.
enum class FactEvidence : uint8_t {
  kRealFile,       // confirmed by a file that a real tool made
  kSpecification,  // stated by the specification
  kPublicNotes,    // stated by public notes
  kAssumed,        // no source; rules that rest on it warn and never reject
  kOpaque,         // bytes that no source describes, kept and printed as they stand
  kNotation,       // this project's own notation: spelling, places, counts
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

// The evidence for the fields at one path of a format's JSON form; the text for people shows the
// same fields.
struct FieldFact {
  // The names of members with dots between them; "[]" stands for the elements of an array, and "*"
  // for a name that the file chooses. Example: "commands[].segname". The row covers the field at
  // the path and everything below it.
  std::string path;
  FactEvidence evidence = FactEvidence::kSpecification;
  std::string source;  // "specification 000, table 23.9"
};

// A rule that a file breaks, and the place where it does. Rules of evidence kAssumed are warnings,
// others errors.
struct Violation {
  const Rule* rule = nullptr;
  uint64_t offset = Error::kNoOffset;
  std::string message;

  bool IsWarning() const { return rule->evidence == FactEvidence::kAssumed; }
};

// How much of a file is understood. Each byte counts once. Bytes that are neither payload nor typed
// nor fill are opaque, because no source describes them.
struct ByteCounts {
  uint64_t total = 0;    // bytes of the file
  uint64_t payload = 0;  // bytes that are data, such as weights
  uint64_t typed = 0;    // bytes outside the payload that belong to a named field
  uint64_t fill = 0;     // zeros, white space and comments: they only separate other bytes

  uint64_t Opaque() const { return total - payload - typed - fill; }
  // The typed share of bytes that are neither payload nor fill, from 0 to 1. It is 1 if there is no
  // such byte.
  double TypedShare() const { return Share(typed, total - payload - fill); }
  // The typed share of bytes that are not payload, fill included. It is at most the share without
  // fill.
  double TypedShareWithFill() const { return Share(typed, total - payload); }

 private:
  static double Share(uint64_t part, uint64_t whole) {
    return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

// A file that was read once. It views the bytes that were read, which must outlive it. Its
// functions return the same as those of Format, and none changes the file.
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

// The rules of a format: a table, or a function that makes the table at its first use. The function
// saves time in a program that reads no file of the format.
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

// Formats are defined by the functions of their model (format_of.h), from which this entry is made.
// All functions are pure and may run on several threads at once. None throws.
struct Format {
  std::string_view name;   // as given to --format, for example "hwx"
  std::string_view title;  // for people
  FormatRules rules;

  // The evidence for the fields of `json`, a JSON form of this format: every field has a row, and
  // the first row that fits it counts. The rows may depend on the JSON form.
  std::span<const FieldFact> (*fields)(const Json& json);

  // The certainty that `bytes` is of this format, from 0 (not) to 100 (a magic number matched).
  // `path` may be empty; its extension counts only if the format has no magic number.
  int (*recognise)(ByteSpan bytes, std::string_view path);

  // The whole file as JSON, with the field names of the specification. from_json makes the same
  // bytes from it. Regions with known fields are stated field by field, not as raw bytes.
  Result<Json> (*to_json)(ByteSpan bytes);
  Result<Bytes> (*from_json)(const Json& json);

  // write(parse(bytes)): equal to `bytes` for every file that parses.
  Result<Bytes> (*rewrite)(ByteSpan bytes);

  // Every broken rule, in file order. An Error if the file does not parse.
  Result<std::vector<Violation>> (*verify)(ByteSpan bytes);

  // For people: names, sizes, structure, and differences between the specification and the file.
  Result<std::string> (*print)(ByteSpan bytes);

  Result<ByteCounts> (*count_bytes)(ByteSpan bytes);

  // The form that `diff` compares: that of to_json without the members that only describe the
  // file's encoding. Null if `diff` can use to_json without some members (LayoutMembers, diff.h).
  Result<Json> (*structure)(ByteSpan bytes) = nullptr;

  // Parses a file once, for several of the functions above. `bytes` must outlive the result.
  Result<std::unique_ptr<ParsedFile>> (*read)(ByteSpan bytes) = nullptr;
};

}  // namespace anecheck
