// A parsed MIL program: the source text, flat tables that refer to it, and views to traverse the
// tables. Parse() (parser.h) makes it. The printer, the rules, the lowering and the simulated
// engine read it.
//
// A table contains trees in pre-order, and each node has the index after its subtree (`end`). So
// nodes need no pointers and no allocations, and a move of a Program does not move the nodes.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include "harness/formats/mil/data_type.h"
#include "harness/formats/mil/table.h"

namespace anecheck::mil {

inline constexpr uint32_t kNone = ~uint32_t{0};

// A piece of Program::text.
struct Text {
  uint32_t offset = 0;
  uint32_t length = 0;
};

struct Slice {
  uint32_t first = 0;
  uint32_t count = 0;
};

enum class TypeKind : uint8_t {
  kScalar,  // fp16, string, any other name
  kTensor,  // tensor<element, [dimensions]>; one child
  kList,    // list<element, length>; one child
  kTuple,   // tuple<types>
  kDict,    // dict<key, value>; two children
  kState,   // state<type>; one child
  kBuffer,  // tensor_buffer<element, shape=[..], strides=[..], interleave_factors=[..]>; one child
  kUnknown  // ?
};

struct Type {
  TypeKind kind = TypeKind::kUnknown;
  DataType scalar = DataType::kOther;
  // For kScalar and kUnknown, the spelling. For kTensor and kList, the dimensions (a list has one,
  // its length). For kBuffer, three lists of the same length, one after another.
  uint32_t first = 0;
  uint32_t count = 0;
  uint32_t end = 0;  // the index after this type's subtree
};

struct Dimension {
  static constexpr int64_t kUnknown = -1;

  // The size, or kUnknown for `?`. A size above INT64_MAX is stored as INT64_MAX.
  int64_t value = kUnknown;
  Text text;
};

enum class ValueKind : uint8_t {
  kName,      // a result or a parameter
  kNumber,    // any spelling of a number, including inf and nan
  kString,    // the text between the quotes, with escapes not decoded
  kBool,      // true, false
  kUnknown,   // ?
  kType,      // the first child of kTyped
  kTyped,     // type(value): children kType and the value
  kList,      // [values]
  kTuple,     // (values)
  kDict,      // {pairs}
  kPair,      // {key, value}, or {} in a dictionary written {{}}
  kBlobFile,  // BLOBFILE(path = value, offset = value): children path and offset
};

// One node of a value. It has only twelve bytes, because a list may have a million numbers.
struct Value {
  static constexpr uint32_t kMaxLength = (1u << 24) - 1;

  uint32_t offset = 0;       // offset of its first byte
  uint32_t kind_length = 0;  // kind in the top 8 bits, length of a leaf's text below
  // kName: the named binding or kNone. kType: the type. Containers: the index after the subtree.
  uint32_t link = kNone;

  static constexpr uint32_t Pack(ValueKind kind, uint64_t length) {
    return static_cast<uint32_t>(kind) << 24 | static_cast<uint32_t>(length);
  }
  ValueKind kind() const { return static_cast<ValueKind>(kind_length >> 24); }
  uint32_t length() const { return kind_length & kMaxLength; }
  bool IsContainer() const { return kind() >= ValueKind::kTyped; }
};

struct Argument {
  Text name;  // empty for a positional argument
  uint32_t value = 0;
};

// The definition of a name: a parameter of a function or block, or a result of a statement.
struct Binding {
  Text name;
  uint32_t type = 0;
  uint32_t statement = kNone;  // kNone for a parameter
};

// Kept to 48 bytes, because a program's memory must not exceed a multiple of the text size
// (parser.h), and the shortest statement, `a();`, has only four characters.
struct Statement {
  Text op;
  Text opset;  // ios17 in op<ios17>(...); empty if none is written
  uint32_t offset = 0;
  Slice results;    // bindings
  Slice arguments;  // the attributes follow them in the table of arguments
  uint32_t attribute_count : 31 = 0;
  uint32_t has_attributes : 1 = 0;  // `[...]` was written, even if empty
  uint32_t block_first = 0;
  uint32_t block_end = 0;

  Slice attributes() const { return {arguments.first + arguments.count, attribute_count}; }
};

struct Block {
  Text label;                   // empty if none is written; a function's own block has none
  bool has_parameters = false;  // `(...)` was written
  uint32_t offset = 0;
  Slice parameters;  // bindings
  uint32_t statement_first = 0;
  uint32_t statement_end = 0;
  Slice outputs;     // values, all names
  uint32_t end = 0;  // the index after the blocks nested in it
};

struct Function {
  Text name;
  Text opset;  // ios18
  uint32_t offset = 0;
  Slice attributes;
  bool has_attributes = false;
  uint32_t block = 0;  // its parameters, body and outputs
};

class FunctionView;

// Only the parser and json.cc write the tables. Other code reads them through the views below.
struct Program {
  std::string text;
  Text version;
  bool has_attributes = false;
  Slice attributes;
  Table<Function> functions;
  Table<Block> blocks;
  Table<Statement> statements;
  Table<Argument> arguments;
  Table<Binding> bindings;
  Table<Value> values;
  Table<Type> types;
  Table<Dimension> dimensions;
  // Bindings whose name was already bound in the same block.
  Table<uint32_t> duplicates;

  std::string_view View(Text piece) const {
    return std::string_view(text.data() + piece.offset, piece.length);
  }
};

// A range of consecutive table entries or of sibling trees, as views.
template <typename View>
class Sequence {
 public:
  class Iterator {
   public:
    using value_type = View;
    using difference_type = std::ptrdiff_t;
    Iterator() = default;
    Iterator(const Program* program, uint32_t index) : program_(program), index_(index) {}
    View operator*() const { return View(program_, index_); }
    Iterator& operator++() {
      index_ = View(program_, index_).next();
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++*this;
      return old;
    }
    bool operator==(const Iterator& other) const { return index_ == other.index_; }

   private:
    const Program* program_ = nullptr;
    uint32_t index_ = 0;
  };

  Sequence(const Program* program, uint32_t first, uint32_t end)
      : program_(program), first_(first), end_(end) {}
  Iterator begin() const { return Iterator(program_, first_); }
  Iterator end() const { return Iterator(program_, end_); }
  bool empty() const { return first_ == end_; }
  // Takes constant time for arguments, bindings and functions, and linear time for trees.
  uint32_t size() const {
    uint32_t count = 0;
    for (uint32_t i = first_; i != end_; i = View(program_, i).next()) ++count;
    return count;
  }
  // Precondition: index < size(). Linear for trees.
  View operator[](uint32_t index) const {
    uint32_t at = first_;
    for (; index > 0; --index) at = View(program_, at).next();
    return View(program_, at);
  }

 private:
  const Program* program_;
  uint32_t first_;
  uint32_t end_;
};

class TypeView {
 public:
  TypeView(const Program* program, uint32_t index) : program_(program), index_(index) {}
  TypeKind kind() const { return raw().kind; }
  // Returns a scalar's own type or a tensor's element type, otherwise kOther.
  DataType data_type() const;
  // Returns the spelling in the source, for example "fp16". Empty for composite types.
  std::string_view spelling() const;
  // Returns the dimensions of a tensor or buffer, or the length of a list. Otherwise empty.
  TableSlice<Dimension> dimensions() const;
  // Return a buffer's strides in elements, and its interleave factors. Both have one number per
  // dimension, and are empty for other types.
  TableSlice<Dimension> strides() const { return BufferList(1); }
  TableSlice<Dimension> interleave_factors() const { return BufferList(2); }
  Sequence<TypeView> children() const { return {program_, index_ + 1, raw().end}; }
  // Returns the element type. Precondition: this is a tensor, buffer, list or state.
  TypeView element() const { return TypeView(program_, index_ + 1); }
  const Program* program() const { return program_; }
  uint32_t index() const { return index_; }
  uint32_t next() const { return raw().end; }
  // Compares structure, element types and dimensions. Spacing in the source does not matter.
  friend bool operator==(TypeView a, TypeView b);

 private:
  const Type& raw() const { return program_->types[index_]; }
  TableSlice<Dimension> BufferList(uint32_t which) const;
  const Program* program_;
  uint32_t index_;
};

class BindingView {
 public:
  BindingView(const Program* program, uint32_t index) : program_(program), index_(index) {}
  std::string_view name() const { return program_->View(raw().name); }
  TypeView type() const { return TypeView(program_, raw().type); }
  bool IsParameter() const { return raw().statement == kNone; }
  uint32_t statement() const { return raw().statement; }
  uint32_t index() const { return index_; }
  uint32_t next() const { return index_ + 1; }

 private:
  const Binding& raw() const { return program_->bindings[index_]; }
  const Program* program_;
  uint32_t index_;
};

class ValueView {
 public:
  ValueView(const Program* program, uint32_t index) : program_(program), index_(index) {}
  ValueKind kind() const { return raw().kind(); }
  // Returns the text of a leaf: a name, a number's spelling, or a string without its quotes.
  std::string_view text() const { return {program_->text.data() + raw().offset, raw().length()}; }
  uint64_t offset() const { return raw().offset; }
  Sequence<ValueView> children() const {
    return {program_, index_ + 1, raw().IsContainer() ? raw().link : index_ + 1};
  }
  // Precondition: kind() is kTyped.
  TypeView type() const { return TypeView(program_, program_->values[index_ + 1].link); }
  // Returns the value inside type(...), or this value if it has no type.
  ValueView Inner() const {
    return kind() == ValueKind::kTyped ? ValueView(program_, index_ + 2) : *this;
  }
  bool IsContainer() const { return raw().IsContainer(); }
  bool IsResolved() const { return raw().link != kNone; }
  // Precondition: kind() is kName and IsResolved().
  BindingView binding() const { return BindingView(program_, raw().link); }
  // Precondition: kind() is kBlobFile.
  ValueView path() const { return ValueView(program_, index_ + 1); }
  ValueView blob_offset() const { return ValueView(program_, path().next()); }
  const Program* program() const { return program_; }
  uint32_t index() const { return index_; }
  uint32_t next() const { return raw().IsContainer() ? raw().link : index_ + 1; }

 private:
  const Value& raw() const { return program_->values[index_]; }
  const Program* program_;
  uint32_t index_;
};

class ArgumentView {
 public:
  ArgumentView(const Program* program, uint32_t index) : program_(program), index_(index) {}
  std::string_view name() const { return program_->View(program_->arguments[index_].name); }
  ValueView value() const { return ValueView(program_, program_->arguments[index_].value); }
  uint64_t offset() const {
    const Argument& raw = program_->arguments[index_];
    return raw.name.length != 0 ? raw.name.offset : program_->values[raw.value].offset;
  }
  uint32_t next() const { return index_ + 1; }

 private:
  const Program* program_;
  uint32_t index_;
};

class BlockView;

class StatementView {
 public:
  StatementView(const Program* program, uint32_t index) : program_(program), index_(index) {}
  std::string_view op() const { return program_->View(raw().op); }
  std::string_view opset() const { return program_->View(raw().opset); }
  Sequence<BindingView> results() const { return Of<BindingView>(raw().results); }
  Sequence<ArgumentView> arguments() const { return Of<ArgumentView>(raw().arguments); }
  Sequence<ArgumentView> attributes() const { return Of<ArgumentView>(raw().attributes()); }
  Sequence<BlockView> blocks() const;
  uint64_t offset() const { return raw().offset; }
  uint32_t index() const { return index_; }
  // Returns the index of the first statement that comes after this one and is not in its blocks.
  uint32_t next() const {
    return raw().block_first == raw().block_end ? index_ + 1 : NextBehindBlocks();
  }

 private:
  const Statement& raw() const { return program_->statements[index_]; }
  template <typename View>
  Sequence<View> Of(Slice slice) const {
    return {program_, slice.first, slice.first + slice.count};
  }
  uint32_t NextBehindBlocks() const;
  const Program* program_;
  uint32_t index_;
};

class BlockView {
 public:
  BlockView(const Program* program, uint32_t index) : program_(program), index_(index) {}
  std::string_view label() const { return program_->View(raw().label); }
  Sequence<BindingView> parameters() const {
    return {program_, raw().parameters.first, raw().parameters.first + raw().parameters.count};
  }
  // Returns the block's own statements in order. Nested statements are in a statement's blocks().
  Sequence<StatementView> statements() const {
    return {program_, raw().statement_first, raw().statement_end};
  }
  Sequence<ValueView> outputs() const {
    return {program_, raw().outputs.first, raw().outputs.first + raw().outputs.count};
  }
  uint64_t offset() const { return raw().offset; }
  uint32_t next() const { return raw().end; }

 private:
  const Block& raw() const { return program_->blocks[index_]; }
  const Program* program_;
  uint32_t index_;
};

class FunctionView {
 public:
  FunctionView(const Program* program, uint32_t index) : program_(program), index_(index) {}
  std::string_view name() const { return program_->View(raw().name); }
  std::string_view opset() const { return program_->View(raw().opset); }
  Sequence<ArgumentView> attributes() const {
    return {program_, raw().attributes.first, raw().attributes.first + raw().attributes.count};
  }
  BlockView block() const { return BlockView(program_, raw().block); }
  uint64_t offset() const { return raw().offset; }
  uint32_t next() const { return index_ + 1; }

 private:
  const Function& raw() const { return program_->functions[index_]; }
  const Program* program_;
  uint32_t index_;
};

Sequence<FunctionView> Functions(const Program& program);
Sequence<ArgumentView> ProgramAttributes(const Program& program);

}  // namespace anecheck::mil
