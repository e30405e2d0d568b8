// Writes MIL text directly into one string, in the standard spelling and layout, without making a
// Program. Used by the lowering of graphs to MIL, which writes many thousands of programs a second.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/half.h"
#include "harness/formats/mil/data_type.h"

namespace anecheck::mil {

// The spelling of scalars and of the header. Source: facts/more/mil_text_forms.csv.
enum class Dialect : uint8_t {
  kIos18,  // program(1.3), ios18, string("x"), rank 0 results as plain fp16
  kIos16,  // program(1.0), ios16, tensor<string, []>("x"), rank 0 results as tensor<fp16, []>
};

// The sizes of a tensor. The writer writes -1 as `?`.
using Dimensions = std::span<const int64_t>;

// Callers call the functions in the order of the text:
//
//   writer.BeginProgram();
//   writer.BeginFunction("main");
//   writer.Parameter(DataType::kFp16, dims, "x");
//   writer.BeginBody();
//   writer.ConstInteger("axis", 1);
//   writer.Result(DataType::kFp16, dims, "y");
//   writer.Op("softmax");
//   writer.Name("axis", "axis");
//   writer.Name("x", "x");
//   writer.EndStatement("y");
//   writer.EndFunction({"y"});
//   writer.EndProgram();
//
// The text parses if all names are MIL names (letters, digits and _, and the first is not a digit).
// Its layout is that of Print(). The writer does not check that names are defined (verify.h does).
// Not thread-safe. Clear() prepares a writer for another text and keeps the allocated memory.
class TextWriter {
 public:
  explicit TextWriter(Dialect dialect = Dialect::kIos18) : dialect_(dialect) {}

  // Writes a header whose buildInfo has "coremlc-component-MIL" "3520.4.1" (source: facts/mil.md)
  // and "coremlc-version" "3520.5.1", as in public texts with this component version.
  void BeginProgram();
  void BeginFunction(std::string_view name);
  void Parameter(DataType type, Dimensions dimensions, std::string_view name);
  void StateParameter(DataType type, Dimensions dimensions, std::string_view name);
  void BeginBody();

  // Writes a result of the next statement. Call it once per result, in order.
  void Result(DataType type, Dimensions dimensions, std::string_view name);
  // Writes the operation. Call it after Result() if the operation has results.
  void Op(std::string_view op);

  // Each call writes one argument of the operation. Name writes a value that is a name; the other
  // functions write literals.
  void Name(std::string_view argument, std::string_view value);
  void Names(std::string_view argument, std::span<const std::string_view> values);
  void Integer(std::string_view argument, int32_t value);
  void Unsigned(std::string_view argument, uint32_t value);
  void Integers(std::string_view argument, std::span<const int32_t> values);
  void IntegerTuple(std::string_view argument, std::span<const int32_t> values);
  void BoolTuple(std::string_view argument, std::span<const bool> values);
  void Bool(std::string_view argument, bool value);
  void Bools(std::string_view argument, std::span<const bool> values);
  void String(std::string_view argument, std::string_view value);
  void Float16(std::string_view argument, Half value);
  void Float32(std::string_view argument, float value);
  // Writes a tensor literal. ConstTensor describes the form of `elements`.
  void Tensor(std::string_view argument, DataType type, Dimensions dimensions,
              std::span<const uint8_t> elements);
  void Blob(std::string_view argument, DataType type, Dimensions dimensions, std::string_view path,
            uint64_t offset);

  // Begins the attributes, in `[...]` after the arguments. The values of the following calls become
  // attributes, up to EndStatement.
  void BeginAttributes();

  // Ends the statement with an attribute name = string(`name`), or without it if `name` is empty.
  void EndStatement(std::string_view name);

  // A statement with nested blocks ends with these calls instead of EndStatement:
  //
  //   writer.EndHead("y");
  //   writer.BeginBlock("_true_fn");   // then Parameter() calls if it has parameters
  //   writer.BeginBlockBody();
  //   ... statements ...
  //   writer.EndBlock(outputs);
  //   writer.EndBlocks();
  void EndHead(std::string_view name);
  void BeginBlock(std::string_view label);
  void BeginBlockBody();
  void EndBlock(std::span<const std::string_view> outputs);
  void EndBlocks() { text_ += ';'; }

  // Each of these functions writes a whole statement, which defines a constant called `name`.
  void ConstInteger(std::string_view name, int32_t value);
  void ConstIntegers(std::string_view name, std::span<const int32_t> values);
  void ConstBool(std::string_view name, bool value);
  void ConstBools(std::string_view name, std::span<const bool> values);
  void ConstString(std::string_view name, std::string_view value);
  void ConstFloat16(std::string_view name, Half value);
  void ConstFloat32(std::string_view name, float value);
  // `elements` contains the elements in row-major order and little endian. A bool and an element
  // narrower than a byte take one byte each. Precondition: all `dimensions` are known, and their
  // product is the number of elements.
  void ConstTensor(std::string_view name, DataType type, Dimensions dimensions,
                   std::span<const uint8_t> elements);
  // Writes a constant whose elements are in a weight side file, with its record at `offset`.
  void ConstBlob(std::string_view name, DataType type, Dimensions dimensions, std::string_view path,
                 uint64_t offset);

  void EndFunction(std::span<const std::string_view> outputs);
  void EndFunction(std::initializer_list<std::string_view> outputs) {
    EndFunction(std::span(outputs.begin(), outputs.size()));
  }
  void EndProgram();

  const std::string& text() const { return text_; }
  std::string Take() && { return std::move(text_); }
  void Clear() { text_.clear(); }

 private:
  void Type(DataType type, Dimensions dimensions);
  void StartStatement();
  void OpenScalar(DataType type);
  void Quoted(std::string_view raw);
  void BeginArgument(std::string_view name);
  void BeginConst(DataType type, Dimensions dimensions, std::string_view name);
  void Elements(DataType type, Dimensions dimensions, std::span<const uint8_t>& elements);
  void Element(DataType type, std::span<const uint8_t>& elements);
  void BlobFile(std::string_view path, uint64_t offset);

  Dialect dialect_;
  std::string text_;
  bool first_ = true;        // the next item of the list is the first
  bool statement_ = false;   // results of a statement were written
  bool attributes_ = false;  // the arguments have ended and the attributes have begun
  size_t depth_ = 0;         // number of blocks around the statement
};

}  // namespace anecheck::mil
