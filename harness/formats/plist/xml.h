// XML property lists with their concrete syntax. A rewrite keeps white space, comments, DOCTYPE and
// spellings byte for byte. Used by the network description format.
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

// The style of a file. The canonical form is that of Apple's writers. It has one tab per level and
// no indentation of the root element, and empty containers are <dict/> and <array/>.
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

// Offsets in errors and in the values count from text[0]. Refuses texts of 4 GiB and more.
Result<XmlDocument> ParseXml(std::string_view text);

// WriteXml(ParseXml(text)) == text.
std::string WriteXml(const tree::Value& root, const XmlLayout& layout);

// Receives the pieces of a canonical text in order. A line break has a call of its own, because its
// form depends on the layout.
class XmlSink {
 public:
  virtual ~XmlSink() = default;
  virtual void Piece(std::string_view canonical) = 0;
  // A line break outside <plist>, or before </plist>.
  virtual void OuterLine() = 0;
  // A line break and the indentation of an element `depth` levels below the root element.
  virtual void Line(uint32_t depth) = 0;
};

// Passes the canonical text to `sink`, in the pieces into which ParseXml divides it.
void EmitXml(const tree::Value& root, XmlSink& sink);

}  // namespace anecheck::plist
