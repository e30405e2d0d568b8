// The canonical writer of XML property lists.
#include <fmt/format.h>

#include "harness/base/base64.h"
#include "harness/formats/plist/xml.h"

namespace anecheck::plist {

namespace {

using tree::Array;
using tree::Data;
using tree::Dict;
using tree::Entry;
using tree::Value;

std::string Escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

class Emitter {
 public:
  Emitter(const XmlLayout& layout, tree::PieceSink& sink) : layout_(layout), sink_(sink) {}

  void Document(const Value& root) {
    sink_.Piece("");
    sink_.Piece(R"(<?xml version="1.0" encoding="UTF-8"?>)");
    sink_.Piece(layout_.newline);
    sink_.Piece(
        "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
        "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">");
    sink_.Piece(layout_.newline);
    sink_.Piece("<plist version=\"1.0\">");
    const int depth = layout_.indent_root ? 1 : 0;
    NewLine(depth);
    Emit(root, depth);
    sink_.Piece(layout_.newline);
    sink_.Piece("</plist>");
    sink_.Piece(layout_.newline);
  }

 private:
  void NewLine(int depth) {
    line_ = layout_.newline;
    for (int i = 0; i < depth; ++i) line_ += layout_.indent;
    sink_.Piece(line_);
  }

  void Container(std::string_view name, bool empty, int depth, auto&& items) {
    if (empty) {
      sink_.Piece(fmt::format("<{}/>", name));
      sink_.Piece("");
      sink_.Piece("");
      return;
    }
    sink_.Piece(fmt::format("<{}>", name));
    items();
    NewLine(depth);
    sink_.Piece(fmt::format("</{}>", name));
  }

  void Emit(const Value& value, int depth) {
    if (const Dict* dict = value.AsDict()) {
      Container("dict", dict->entries.empty(), depth, [&] {
        for (const Entry& entry : dict->entries) {
          NewLine(depth + 1);
          sink_.Piece(fmt::format("<key>{}</key>", Escaped(entry.key)));
          NewLine(depth + 1);
          Emit(entry.value, depth + 1);
        }
      });
    } else if (const Array* array = value.AsArray()) {
      Container("array", array->empty(), depth, [&] {
        for (const Value& item : *array) {
          NewLine(depth + 1);
          Emit(item, depth + 1);
        }
      });
    } else {
      Scalar(value);
    }
  }

  void Scalar(const Value& value) {
    if (const std::string* text = value.AsString()) {
      sink_.Piece(fmt::format("<string>{}</string>", Escaped(*text)));
    } else if (const bool* flag = value.AsBool()) {
      sink_.Piece(*flag ? "<true/>" : "<false/>");
    } else if (const int64_t* integer = value.AsInteger()) {
      sink_.Piece(fmt::format("<integer>{}</integer>", *integer));
    } else if (const auto* large = std::get_if<uint64_t>(&value.data)) {
      sink_.Piece(fmt::format("<integer>{}</integer>", *large));
    } else if (const double* real = value.AsReal()) {
      sink_.Piece(fmt::format("<real>{}</real>", *real));
    } else if (const auto* data = std::get_if<Data>(&value.data)) {
      sink_.Piece(fmt::format("<data>{}</data>", Base64Encode(data->bytes)));
    } else {
      // Property lists have no null; Apple's writers have no spelling for it either.
      sink_.Piece("<string></string>");
    }
  }

  const XmlLayout& layout_;
  tree::PieceSink& sink_;
  std::string line_;
};

}  // namespace

void EmitXml(const Value& root, const XmlLayout& layout, tree::PieceSink& sink) {
  Emitter(layout, sink).Document(root);
}

std::string WriteXml(const Value& root, const XmlLayout& layout) {
  tree::PieceWriter writer(layout.changes);
  EmitXml(root, layout, writer);
  return std::move(writer).Take();
}

}  // namespace anecheck::plist
