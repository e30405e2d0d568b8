// JSON text with its concrete syntax: white space and spellings survive a rewrite byte for byte.
// Used by the espresso format; the canonical form is that of the JSON writer that made the real
// files.
//
// Accepted: RFC 8259 in UTF-8. Refused with an Error: a repeated member, an unpaired surrogate
// escape, a NUL in a string, nesting deeper than tree::kMaxDepth.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/tree/layout.h"
#include "harness/formats/tree/value.h"

namespace anecheck::espresso {

// The layout of the canonical form: two spaces a level, " : " after a name, "/" escaped, an empty
// container as an opening bracket, an empty line and the closing bracket; no line break at the end
// of the file.
struct JsonLayout {
  bool spaced_empty = true;  // false: {} and []
  std::vector<tree::PieceChange> changes;
};

struct JsonDocument {
  tree::Value root;
  JsonLayout layout;
};

// Offsets count from text[0]. Texts of 4 GiB and more are refused.
Result<JsonDocument> ParseJsonDocument(std::string_view text);

// WriteJsonDocument of a parsed document == its text.
std::string WriteJsonDocument(const tree::Value& root, const JsonLayout& layout);

// Receives the pieces of a canonical text in order. The inside of an empty container is a separate
// call, because its form depends on the layout.
class JsonSink {
 public:
  virtual ~JsonSink() = default;
  virtual void Piece(std::string_view canonical) = 0;
  // Receives the inside of an empty container that stands `depth` levels deep.
  virtual void InsideEmpty(uint32_t depth) = 0;
};

// The pieces of the canonical text, in the order in which ParseJsonDocument cuts a file.
void EmitJson(const tree::Value& root, JsonSink& sink);

}  // namespace anecheck::espresso
