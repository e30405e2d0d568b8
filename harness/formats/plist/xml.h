// XML property lists with their concrete syntax: white space, comments, DOCTYPE and spellings
// survive a rewrite byte for byte. Used by the network description format.
//
// Accepted: UTF-8; the elements dict, array, string, integer, real, true, false, data, date;
// comments and processing instructions between elements; the five predefined entities, character
// references and CDATA in text. Refused with an Error: an internal DTD subset (entity
// declarations), a repeated key, text that is not UTF-8, nesting deeper than tree::kMaxDepth.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/result.h"
#include "harness/formats/tree/layout.h"
#include "harness/formats/tree/value.h"

namespace anecheck::plist {

// The canonical form is that of Apple's writers: one tab per level, the root element not indented,
// empty containers as <dict/> and <array/>.
struct XmlLayout {
  std::string indent = "\t";
  std::string newline = "\n";
  bool indent_root = false;  // the children of <plist> are indented one level deeper
  std::vector<tree::PieceChange> changes;
};

struct XmlDocument {
  tree::Value root;
  XmlLayout layout;
};

// Offsets in errors and in the values count from text[0]. Texts of 4 GiB and more are refused.
Result<XmlDocument> ParseXml(std::string_view text);

// WriteXml(ParseXml(text)) == text.
std::string WriteXml(const tree::Value& root, const XmlLayout& layout);

// Receives the pieces of a canonical text in order. Line breaks are separate calls, because their
// form depends on the layout.
class XmlSink {
 public:
  virtual ~XmlSink() = default;
  virtual void Piece(std::string_view canonical) = 0;
  // A line break outside of <plist>, or before its end.
  virtual void OuterLine() = 0;
  // A line break and the indentation of an element `depth` levels below the root element.
  virtual void Line(uint32_t depth) = 0;
};

// The pieces of the canonical text, in the order in which ParseXml cuts a file.
void EmitXml(const tree::Value& root, XmlSink& sink);

}  // namespace anecheck::plist
