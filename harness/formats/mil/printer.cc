#include "harness/formats/mil/printer.h"

#include <cstring>
#include <span>
#include <string_view>

#include "harness/formats/mil/lexer.h"

namespace anecheck::mil {
namespace {

// Appends tokens to a text. A token with an entry in `gaps` follows that gap. Any other token
// follows the standard gap.
class TextSink {
 public:
  TextSink(const Program& program, std::span<const Gap> gaps, std::string& out)
      : program_(program), gaps_(gaps), out_(out) {}

  void Token(std::string_view gap, std::string_view token) {
    WriteGap(gap);
    out_ += token;
  }
  void StringToken(std::string_view gap, std::string_view raw) {
    WriteGap(gap);
    out_ += '"';
    out_ += raw;
    out_ += '"';
  }
  void End() { WriteGap(""); }

 private:
  void WriteGap(std::string_view gap) {
    if (next_ < gaps_.size() && gaps_[next_].token == token_) {
      gap = program_.View(gaps_[next_++].text);
    }
    out_ += gap;
    ++token_;
  }

  const Program& program_;
  std::span<const Gap> gaps_;
  std::string& out_;
  size_t next_ = 0;
  uint32_t token_ = 0;
};

// Appends tokens to a text, each after its gap in the source.
class SourceSink {
 public:
  SourceSink(const Program& program, std::string& out) : at_(program.text.c_str()), out_(out) {}

  void Token(std::string_view, std::string_view token) {
    CopyGap();
    out_ += token;
    at_ += token.size();
  }
  void StringToken(std::string_view, std::string_view raw) {
    CopyGap();
    out_ += '"';
    out_ += raw;
    out_ += '"';
    at_ += raw.size() + 2;
  }
  void End() { CopyGap(); }

 private:
  void CopyGap() {
    const char* next = SkipTrivia(at_);
    out_.append(at_, next);
    at_ = next;
  }

  const char* at_;
  std::string& out_;
};

// Counts the bytes of the tokens.
class TokenCounter {
 public:
  void Token(std::string_view, std::string_view token) { bytes_ += token.size(); }
  void StringToken(std::string_view, std::string_view raw) { bytes_ += raw.size() + 2; }
  void End() {}
  uint64_t bytes() const { return bytes_; }

 private:
  uint64_t bytes_ = 0;
};

// Compares the gaps of the source with the standard gaps and records those that differ.
class LayoutSink {
 public:
  LayoutSink(const Program& program, Layout& layout)
      : begin_(program.text.c_str()), at_(begin_), layout_(layout) {}

  void Token(std::string_view gap, std::string_view token) {
    Compare(gap);
    at_ += token.size();
  }
  void StringToken(std::string_view gap, std::string_view raw) {
    Compare(gap);
    at_ += raw.size() + 2;
  }
  void End() {
    Compare("");
    --layout_.tokens;
  }

 private:
  void Compare(std::string_view gap) {
    const char* next = SkipTrivia(at_);
    const std::string_view actual(at_, static_cast<size_t>(next - at_));
    if (actual != gap) {
      layout_.gaps.push_back(
          {layout_.tokens,
           {static_cast<uint32_t>(at_ - begin_), static_cast<uint32_t>(actual.size())}});
    }
    ++layout_.tokens;
    at_ = next;
  }

  const char* begin_;
  const char* at_;
  Layout& layout_;
};

// Passes the tokens of a program to a sink in reading order, each with its standard gap.
template <typename Sink>
class Walker {
 public:
  Walker(const Program& program, Sink& sink) : program_(program), sink_(sink) {}

  void ProgramText() {
    sink_.Token("", "program");
    sink_.Token("", "(");
    sink_.Token("", program_.View(program_.version));
    sink_.Token("", ")");
    if (program_.has_attributes) Attributes("\n", program_.attributes);
    sink_.Token("\n", "{");
    for (const Function& function : program_.functions) FunctionText(function);
    sink_.Token("\n", "}");
    sink_.End();
  }

  void TypeText(std::string_view gap, TypeView type) {
    switch (type.kind()) {
      case TypeKind::kScalar:
      case TypeKind::kUnknown:
        sink_.Token(gap, type.spelling());
        return;
      case TypeKind::kTensor:
        sink_.Token(gap, "tensor");
        sink_.Token("", "<");
        TypeText("", type.element());
        sink_.Token("", ",");
        sink_.Token(" ", "[");
        DimensionsText(type.dimensions());
        sink_.Token("", "]");
        break;
      case TypeKind::kBuffer:
        sink_.Token(gap, "tensor_buffer");
        sink_.Token("", "<");
        TypeText("", type.element());
        BufferFieldText("shape", type.dimensions());
        BufferFieldText("strides", type.strides());
        BufferFieldText("interleave_factors", type.interleave_factors());
        break;
      case TypeKind::kList:
        sink_.Token(gap, "list");
        sink_.Token("", "<");
        TypeText("", type.element());
        sink_.Token("", ",");
        sink_.Token(" ", program_.View(type.dimensions()[0].text));
        break;
      case TypeKind::kTuple:
      case TypeKind::kDict:
      case TypeKind::kState:
        sink_.Token(gap, type.kind() == TypeKind::kTuple  ? "tuple"
                         : type.kind() == TypeKind::kDict ? "dict"
                                                          : "state");
        sink_.Token("", "<");
        List(type.children(), [this](std::string_view g, TypeView t) { TypeText(g, t); });
        break;
    }
    sink_.Token("", ">");
  }

  void ValueText(std::string_view gap, ValueView value) {
    switch (value.kind()) {
      case ValueKind::kString:
        sink_.StringToken(gap, value.text());
        return;
      case ValueKind::kTyped:
        TypeText(gap, value.type());
        sink_.Token("", "(");
        ValueText("", value.Inner());
        sink_.Token("", ")");
        return;
      case ValueKind::kList:
        return Enclosed(gap, "[", value, "]");
      case ValueKind::kTuple:
        return Enclosed(gap, "(", value, ")");
      case ValueKind::kDict:
      case ValueKind::kPair:
        return Enclosed(gap, "{", value, "}");
      case ValueKind::kBlobFile:
        sink_.Token(gap, "BLOBFILE");
        sink_.Token("", "(");
        Named("", "path", value.path());
        sink_.Token("", ",");
        Named(" ", "offset", value.blob_offset());
        sink_.Token("", ")");
        return;
      default:
        sink_.Token(gap, value.text());
        return;
    }
  }

 private:
  template <typename View, typename Print>
  void List(Sequence<View> items, Print print) {
    bool first = true;
    for (const View item : items) {
      if (!first) sink_.Token("", ",");
      print(first ? std::string_view("") : std::string_view(" "), item);
      first = false;
    }
  }

  void Enclosed(std::string_view gap, std::string_view open, ValueView value,
                std::string_view close) {
    sink_.Token(gap, open);
    List(value.children(), [this](std::string_view g, ValueView v) { ValueText(g, v); });
    sink_.Token("", close);
  }

  void DimensionsText(TableSlice<Dimension> dimensions) {
    for (uint32_t i = 0; i < dimensions.size(); ++i) {
      if (i != 0) sink_.Token("", ",");
      sink_.Token(i == 0 ? "" : " ", program_.View(dimensions[i].text));
    }
  }

  void BufferFieldText(std::string_view name, TableSlice<Dimension> dimensions) {
    sink_.Token("", ",");
    sink_.Token(" ", name);
    sink_.Token("", "=");
    sink_.Token("", "[");
    DimensionsText(dimensions);
    sink_.Token("", "]");
  }

  void Named(std::string_view gap, std::string_view name, ValueView value) {
    sink_.Token(gap, name);
    sink_.Token(" ", "=");
    ValueText(" ", value);
  }

  void Arguments(std::string_view gap, std::string_view open, Slice slice, std::string_view close) {
    sink_.Token(gap, open);
    List(Sequence<ArgumentView>(&program_, slice.first, slice.first + slice.count),
         [this](std::string_view g, ArgumentView argument) {
           if (argument.name().empty()) return ValueText(g, argument.value());
           Named(g, argument.name(), argument.value());
         });
    sink_.Token("", close);
  }

  void Attributes(std::string_view gap, Slice slice) { Arguments(gap, "[", slice, "]"); }

  void BindingText(std::string_view gap, BindingView binding) {
    TypeText(gap, binding.type());
    sink_.Token(" ", binding.name());
  }

  void Bindings(Sequence<BindingView> bindings) {
    List(bindings, [this](std::string_view g, BindingView b) { BindingText(g, b); });
  }

  void Parameters(std::string_view gap, BlockView block) {
    sink_.Token(gap, "(");
    Bindings(block.parameters());
    sink_.Token("", ")");
  }

  std::string LineEnd(size_t indent) const { return "\n" + std::string(indent, ' '); }

  // Prints from '{' to the outputs. Statements have `indent` spaces, the closing brace four fewer.
  void Body(std::string_view gap, BlockView block, size_t indent) {
    sink_.Token(gap, "{");
    for (const StatementView statement : block.statements()) StatementText(statement, indent);
    sink_.Token(LineEnd(indent - 4), "}");
    sink_.Token(" ", "->");
    sink_.Token(" ", "(");
    List(block.outputs(), [this](std::string_view g, ValueView v) { ValueText(g, v); });
    sink_.Token("", ")");
  }

  void StatementText(StatementView statement, size_t indent) {
    const Statement& raw = program_.statements[statement.index()];
    std::string gap = LineEnd(indent);
    if (!statement.results().empty()) {
      List(statement.results(), [this, &gap](std::string_view g, BindingView b) {
        BindingText(g.empty() ? std::string_view(gap) : g, b);
      });
      sink_.Token(" ", "=");
      gap = " ";
    }
    sink_.Token(gap, statement.op());
    if (raw.opset.length != 0) {
      sink_.Token("", "<");
      sink_.Token("", statement.opset());
      sink_.Token("", ">");
    }
    Arguments("", "(", raw.arguments, ")");
    if (raw.has_attributes != 0) Attributes("", raw.attributes());
    for (uint32_t i = raw.block_first; i < raw.block_end; i = program_.blocks[i].end) {
      NestedBlock(i, indent + 8);
    }
    sink_.Token("", ";");
  }

  void NestedBlock(uint32_t index, size_t indent) {
    const BlockView block(&program_, index);
    std::string_view gap = " ";
    if (!block.label().empty()) {
      sink_.Token(gap, block.label());
      gap = "";
    }
    if (program_.blocks[index].has_parameters) Parameters(gap, block);
    Body(" ", block, indent);
  }

  void FunctionText(const Function& function) {
    const BlockView block(&program_, function.block);
    sink_.Token(LineEnd(4), "func");
    sink_.Token(" ", program_.View(function.name));
    if (function.opset.length != 0) {
      sink_.Token("", "<");
      sink_.Token("", program_.View(function.opset));
      sink_.Token("", ">");
    }
    Parameters("", block);
    if (function.has_attributes) Attributes(" ", function.attributes);
    Body(" ", block, 12);
    sink_.Token("", ";");
  }

  const Program& program_;
  Sink& sink_;
};

std::string PrintWith(const Program& program, std::span<const Gap> gaps) {
  std::string out;
  out.reserve(program.text.size() + program.text.size() / 8 + 64);
  TextSink sink(program, gaps, out);
  Walker(program, sink).ProgramText();
  return out;
}

}  // namespace

Layout LayoutOf(const Program& program) {
  Layout layout;
  LayoutSink sink(program, layout);
  Walker(program, sink).ProgramText();
  return layout;
}

uint64_t TokenBytes(const Program& program) {
  TokenCounter counter;
  Walker(program, counter).ProgramText();
  return counter.bytes();
}

std::string Print(const Program& program) { return PrintWith(program, {}); }

std::string Print(const Program& program, const Layout& layout) {
  return PrintWith(program, layout.gaps);
}

std::string PrintAsRead(const Program& program) {
  std::string out;
  out.reserve(program.text.size());
  SourceSink sink(program, out);
  Walker(program, sink).ProgramText();
  return out;
}

std::string PrintType(TypeView type) {
  std::string out;
  TextSink sink(*type.program(), {}, out);
  Walker(*type.program(), sink).TypeText("", type);
  return out;
}

void AppendValue(ValueView value, std::string& out) {
  TextSink sink(*value.program(), {}, out);
  Walker(*value.program(), sink).ValueText("", value);
}

std::string PrintValue(ValueView value) {
  std::string out;
  AppendValue(value, out);
  return out;
}

}  // namespace anecheck::mil
