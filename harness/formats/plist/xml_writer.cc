#include <fmt/format.h>
#include <iterator>

#include "harness/base/base64.h"
#include "harness/formats/plist/xml.h"
#include "harness/formats/tree/text.h"

namespace anecheck::plist {

namespace {

using tree::Array;
using tree::Data;
using tree::Dict;
using tree::Entry;
using tree::Value;

// Returns the escape of &, < or >.
std::string_view EscapeOf(char c) { return c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;"; }

void AppendEscaped(std::string_view text, std::string& out) {
  for (size_t run = 0; run < text.size();) {
    const size_t end = tree::FindMark(text, run, "&<>");
    out.append(text.data() + run, end - run);
    if (end < text.size()) out.append(EscapeOf(text[end]));
    run = end + 1;
  }
}

class Emitter {
 public:
  explicit Emitter(XmlSink& sink) : sink_(sink) {}

  void Document(const Value& root) {
    sink_.Piece("");
    sink_.Piece(R"(<?xml version="1.0" encoding="UTF-8"?>)");
    sink_.OuterLine();
    sink_.Piece(
        "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
        "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">");
    sink_.OuterLine();
    sink_.Piece("<plist version=\"1.0\">");
    sink_.Line(0);
    Emit(root, 0);
    sink_.OuterLine();
    sink_.Piece("</plist>");
    sink_.OuterLine();
  }

 private:
  void Emit(const Value& value, uint32_t depth) {
    if (const Dict* dict = value.AsDict()) {
      if (dict->entries.empty()) return Empty("<dict/>");
      sink_.Piece("<dict>");
      for (const Entry& entry : dict->entries) {
        sink_.Line(depth + 1);
        Text("<key>", entry.key, "</key>");
        sink_.Line(depth + 1);
        Emit(entry.value, depth + 1);
      }
      sink_.Line(depth);
      sink_.Piece("</dict>");
    } else if (const Array* array = value.AsArray()) {
      if (array->empty()) return Empty("<array/>");
      sink_.Piece("<array>");
      for (const Value& item : *array) {
        sink_.Line(depth + 1);
        Emit(item, depth + 1);
      }
      sink_.Line(depth);
      sink_.Piece("</array>");
    } else if (const auto* uid = std::get_if<tree::Uid>(&value.data)) {
      // XML has no element for a reference, so it gets the form of plistlib and libplist.
      Dict spelled;
      spelled.Set("CF$UID", Value::Unsigned(uid->number));
      Emit(Value(std::move(spelled)), depth);
    } else {
      Scalar(value);
    }
  }

  // An empty container counts as an opening piece and an empty closing piece.
  void Empty(std::string_view tag) {
    sink_.Piece(tag);
    sink_.Piece("");
    sink_.Piece("");
  }

  void Text(std::string_view open, std::string_view text, std::string_view close) {
    buffer_.assign(open);
    AppendEscaped(text, buffer_);
    buffer_.append(close);
    sink_.Piece(buffer_);
  }

  void Integer(auto number) {
    buffer_.assign("<integer>");
    fmt::format_to(std::back_inserter(buffer_), "{}", number);
    buffer_.append("</integer>");
    sink_.Piece(buffer_);
  }

  void Scalar(const Value& value) {
    if (const std::string* text = value.AsString()) {
      Text("<string>", *text, "</string>");
    } else if (const bool* flag = value.AsBool()) {
      sink_.Piece(*flag ? "<true/>" : "<false/>");
    } else if (const int64_t* integer = value.AsInteger()) {
      Integer(*integer);
    } else if (const auto* large = std::get_if<uint64_t>(&value.data)) {
      Integer(*large);
    } else if (const double* real = value.AsReal()) {
      sink_.Piece(fmt::format("<real>{}</real>", *real));
    } else if (const auto* data = std::get_if<Data>(&value.data)) {
      sink_.Piece(fmt::format("<data>{}</data>", Base64Encode(data->bytes)));
    } else if (const auto* date = std::get_if<tree::Date>(&value.data)) {
      sink_.Piece(fmt::format("<date>{}</date>", tree::TextOf(*date)));
    } else {
      // XML property lists cannot express null, and Apple's writers have no form for it.
      sink_.Piece("<string></string>");
    }
  }

  XmlSink& sink_;
  std::string buffer_;
};

// Writes lines in the style of a layout.
class StyledSink final : public XmlSink {
 public:
  explicit StyledSink(const XmlLayout& layout) : layout_(layout), writer_(layout.changes) {}

  void Piece(std::string_view canonical) override { writer_.Piece(canonical); }
  void OuterLine() override { writer_.Piece(layout_.newline); }
  void Line(uint32_t depth) override {
    line_.assign(layout_.newline);
    for (uint32_t i = layout_.indent_root ? 0 : 1; i <= depth; ++i) line_.append(layout_.indent);
    writer_.Piece(line_);
  }
  std::string Take() && { return std::move(writer_).Take(); }

 private:
  const XmlLayout& layout_;
  tree::PieceWriter writer_;
  std::string line_;
};

}  // namespace

void EmitXml(const Value& root, XmlSink& sink) { Emitter(sink).Document(root); }

std::string WriteXml(const Value& root, const XmlLayout& layout) {
  StyledSink sink(layout);
  EmitXml(root, sink);
  return std::move(sink).Take();
}

}  // namespace anecheck::plist
