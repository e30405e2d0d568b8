// JSON text with its concrete syntax. A rewrite keeps white space and spellings byte for byte. The
// canonical form is that of the JSON writer that made the real files. Used by the espresso format.
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

// The style of a file. The canonical form has two spaces per level, " : " after a name, an escaped
// "/", and no line break at the end of the file. An empty container is an opening bracket, an empty
// line and the closing bracket.
struct JsonLayout {
  bool spaced_empty = true;  // false means {} and []
  std::vector<tree::PieceChange> changes;
};

struct JsonDocument {
  tree::Value root;
  JsonLayout layout;
};

// Offsets count from text[0]. Refuses texts of 4 GiB and more.
Result<JsonDocument> ParseJsonDocument(std::string_view text);

// WriteJsonDocument of a parsed document == its text.
std::string WriteJsonDocument(const tree::Value& root, const JsonLayout& layout);

// Receives the pieces of a canonical text in order. The inside of an empty container has a call of
// its own, because its form depends on the layout.
class JsonSink {
 public:
  virtual ~JsonSink() = default;
  virtual void Piece(std::string_view canonical) = 0;
  // Receives the inside of an empty container at nesting depth `depth`.
  virtual void InsideEmpty(uint32_t depth) = 0;
};

// Passes the canonical text to `sink`, in the pieces into which ParseJsonDocument divides it.
void EmitJson(const tree::Value& root, JsonSink& sink);

}  // namespace anecheck::espresso
