#include "harness/formats/mil/verify.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <unordered_set>
#include <utility>

#include "harness/formats/message.h"
#include "harness/formats/mil/number.h"
#include "harness/formats/mil/printer.h"
#include "harness/formats/mil/reader.h"
#include "harness/formats/mil/rules.h"
#include "harness/formats/violation_list.h"

namespace anecheck::mil {
namespace {

bool HasState(TypeView type) {
  if (type.kind() == TypeKind::kState) return true;
  for (uint32_t i = type.index() + 1; i < type.next(); ++i) {
    if (TypeView(type.program(), i).kind() == TypeKind::kState) return true;
  }
  return false;
}

// Returns whether a type is a string, spelled string or tensor<string, []>.
bool IsString(TypeView type) {
  return type.data_type() == DataType::kString && type.dimensions().empty();
}

// Returns T for tensor<T, []>, because both are scalars, and any other type unchanged.
TypeView Plain(TypeView type) {
  const bool scalar = type.kind() == TypeKind::kTensor && type.dimensions().empty();
  return scalar ? type.element() : type;
}

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program) {}

  std::vector<Violation> Run() {
    CheckHeader();
    for (const uint32_t index : program_.duplicates) {
      const Text name = program_.bindings[index].name;
      report_.Add(kRules["unique-definitions"], name.offset, "{} is defined again",
                  program_.View(name));
    }
    CheckTypes();
    for (const FunctionView function : Functions(program_)) CheckFunction(function);
    for (uint32_t i = 0; i < program_.statements.size(); ++i) CheckStatement(i);
    for (const Block& block : program_.blocks) CheckOutputs(block);
    CheckValues();
    return std::move(report_).Take();
  }

 private:
  // Makes the message only for a kept violation, because a type may be as long as the whole text.
  void AddOfType(const Rule& rule, uint64_t offset, TypeView type, std::string_view what) {
    report_.list().Add(rule, offset, [&] {
      return fmt::format("{}: {}: {}", rule.id, Shown(PrintType(type)), Shown(what));
    });
  }

  // ---- program and functions --------------------------------------------------------------------

  void CheckHeader() {
    const std::string_view version = program_.View(program_.version);
    if (version != "1.0" && version != "1.1" && version != "1.2" && version != "1.3") {
      report_.Add(kRules["version-known"], program_.version.offset, "the version {} is unknown",
                  version);
    }
    if (const auto info = FindValue(ProgramAttributes(program_), "buildInfo")) {
      const bool dict = info->kind() == ValueKind::kTyped && info->type().kind() == TypeKind::kDict;
      if (!dict || !IsString(info->type().children()[0]) || !IsString(info->type().children()[1])) {
        report_.Add(kRules["build-info-strings"], info->offset(),
                    "buildInfo is no dict of strings");
      }
    }
    CheckArgumentNames(program_.attributes);
    std::unordered_set<std::string_view> names;
    for (const Function& function : program_.functions) {
      if (!names.insert(program_.View(function.name)).second) {
        report_.Add(kRules["unique-functions"], function.name.offset, "a second function {}",
                    program_.View(function.name));
      }
    }
  }

  void CheckFunction(FunctionView function) {
    static constexpr std::array<std::string_view, 4> kOpsets = {"ios15", "ios16", "ios17", "ios18"};
    if (std::find(kOpsets.begin(), kOpsets.end(), function.opset()) == kOpsets.end()) {
      report_.Add(kRules["opset-known"], function.offset(), "{}{}",
                  function.opset().empty() ? "no opset" : "opset ", function.opset());
    }
    for (const BindingView parameter : function.block().parameters()) CheckState(parameter);
    if (const auto shapes = FindValue(function.attributes(), "FlexibleShapeInformation")) {
      CheckFlexibleShapes(function, *shapes);
    }
  }

  // The value has the form ((kind, {{name, shape}, ...}), ...). For sets of shapes an entry is
  // (kind, {{set, {{name, shape}, ...}}, ...}).
  void CheckFlexibleShapes(FunctionView function, ValueView shapes) {
    std::vector<std::string_view> names;
    names.reserve(function.block().parameters().size());
    for (const BindingView parameter : function.block().parameters()) {
      names.push_back(parameter.name());
    }
    std::ranges::sort(names);
    for (uint32_t i = shapes.index(); i < shapes.next(); ++i) {
      const ValueView pair(&program_, i);
      if (pair.kind() != ValueKind::kPair || pair.children().empty()) continue;
      const ValueView key = pair.children()[0];
      if (pair.children()[1].Inner().kind() == ValueKind::kDict) continue;
      if (key.kind() == ValueKind::kString && !std::ranges::binary_search(names, key.text())) {
        report_.Add(kRules["flexible-shape-names"], key.offset(), "{} has no parameter {}",
                    function.name(), key.text());
      }
    }
  }

  void CheckState(BindingView binding) {
    const TypeView type = binding.type();
    if (!HasState(type)) return;
    const bool good = binding.IsParameter() && type.kind() == TypeKind::kState &&
                      type.element().kind() == TypeKind::kTensor;
    if (!good) {
      AddOfType(kRules["state-parameters"], program_.bindings[binding.index()].name.offset, type,
                binding.name());
    }
  }

  // ---- statements -------------------------------------------------------------------------------

  void CheckStatement(uint32_t index) {
    const StatementView statement(&program_, index);
    const Statement& raw = program_.statements[index];
    for (const BindingView result : statement.results()) CheckState(result);
    for (const ArgumentView argument : statement.arguments()) {
      if (argument.name().empty() && statement.op() != "const") {
        report_.Add(kRules["keyword-arguments"], argument.offset(), "an argument of {} has no name",
                    statement.op());
      }
    }
    CheckArgumentNames(raw.arguments);
    CheckArgumentNames(raw.attributes());
    if (const auto name = FindValue(statement.attributes(), "name")) {
      if (name->kind() != ValueKind::kTyped || !IsString(name->type())) {
        report_.Add(kRules["name-is-string"], name->offset(),
                    "the attribute name of {} is no string", statement.op());
      }
    }
    CheckConst(statement);
    CheckStateOperand(statement);
    const uint32_t blocks = statement.blocks().size();
    const bool structured = statement.op() == "cond" || statement.op() == "while_loop";
    if (blocks != (structured ? 2u : statement.op() == "call" ? 1u : 0u)) {
      report_.Add(kRules["nested-blocks"], statement.offset(), "the number of blocks of {} is {}",
                  statement.op(), blocks);
    }
  }

  void CheckArgumentNames(Slice slice) {
    const auto name = [this](uint32_t i) { return program_.View(program_.arguments[i].name); };
    named_.clear();
    named_.reserve(slice.count);
    for (uint32_t i = slice.first; i < slice.first + slice.count; ++i) {
      if (!name(i).empty()) named_.push_back(i);
    }
    std::ranges::sort(named_, {}, [&](uint32_t i) { return std::pair(name(i), i); });
    for (size_t i = 1; i < named_.size(); ++i) {
      if (name(named_[i]) == name(named_[i - 1])) {
        report_.Add(kRules["unique-arguments"], program_.arguments[named_[i]].name.offset,
                    "{} is given again", name(named_[i]));
      }
    }
  }

  void CheckConst(StatementView statement) {
    if (statement.op() != "const") return;
    const auto value = ConstantValue(statement);
    if (!value) {
      report_.Add(kRules["const-has-value"], statement.offset(), "a const has no val");
      return;
    }
    if (value->kind() != ValueKind::kTyped || statement.results().empty()) return;
    const BindingView result = *statement.results().begin();
    if (!(Plain(value->type()) == Plain(result.type()))) {
      report_.list().Add(kRules["const-type"], value->offset(), [&] {
        return fmt::format("{}: {} is {}, its value {}", kRules["const-type"].id,
                           Shown(result.name()), Shown(PrintType(result.type())),
                           Shown(PrintType(value->type())));
      });
    }
  }

  void CheckStateOperand(StatementView statement) {
    if (statement.op() != "read_state" && statement.op() != "write_state") return;
    const auto input = FindValue(statement.arguments(), "input");
    const bool unresolved = input && input->kind() == ValueKind::kName && !input->IsResolved();
    if (unresolved) return;  // another rule reports it
    if (!input || input->kind() != ValueKind::kName ||
        input->binding().type().kind() != TypeKind::kState) {
      report_.Add(kRules["state-operand"], input ? input->offset() : statement.offset(),
                  "{} needs input = a state", statement.op());
    }
  }

  // ---- names ------------------------------------------------------------------------------------

  void CheckOutputs(const Block& block) {
    if (block.outputs.count != 0) outputs_.push_back(block.outputs);
    for (uint32_t i = 0; i < block.outputs.count; ++i) {
      const ValueView output(&program_, block.outputs.first + i);
      if (!output.IsResolved()) {
        report_.Add(kRules["outputs-defined"], output.offset(), "{} is not defined", output.text());
      }
    }
  }

  // ---- types ------------------------------------------------------------------------------------

  void CheckTypes() {
    for (uint32_t i = 0; i < program_.types.size(); ++i) {
      const TypeView type(&program_, i);
      if (type.kind() == TypeKind::kScalar && type.data_type() == DataType::kOther) {
        report_.Add(kRules["type-known"], program_.types[i].first, "the element type {} is unknown",
                    type.spelling());
      }
    }
    for (const Dimension& dimension : program_.dimensions) {
      if (dimension.value < Dimension::kUnknown || dimension.value == INT64_MAX) {
        report_.Add(kRules["dimension-range"], dimension.text.offset,
                    "dimension {} is out of range", program_.View(dimension.text));
      }
    }
  }

  // ---- values -----------------------------------------------------------------------------------

  void CheckValues() {
    // Sorted because the outputs were collected in the order in which blocks begin, but their
    // values are in the order in which blocks end.
    std::ranges::sort(outputs_, {}, &Slice::first);
    size_t next = 0;
    const auto is_output = [&](uint32_t value) {
      while (next < outputs_.size() && value >= outputs_[next].first + outputs_[next].count) ++next;
      return next < outputs_.size() && value >= outputs_[next].first;
    };
    for (uint32_t i = 0; i < program_.values.size(); ++i) {
      const ValueView value(&program_, i);
      switch (value.kind()) {
        case ValueKind::kName:
          if (!value.IsResolved() && !is_output(i)) {
            report_.Add(kRules["defined-before-use"], value.offset(), "{} is not defined",
                        value.text());
          }
          break;
        case ValueKind::kTyped:
          CheckLiteral(value.type(), value.Inner());
          break;
        case ValueKind::kBlobFile:
          CheckBlob(value);
          break;
        default:
          break;
      }
    }
  }

  void CheckBlob(ValueView blob) {
    const ValueView path = blob.path();
    const ValueView offset = blob.blob_offset();
    const bool good = path.kind() == ValueKind::kTyped && IsString(path.type()) &&
                      offset.kind() == ValueKind::kTyped &&
                      offset.type().data_type() == DataType::kUint64;
    if (!good) {
      report_.Add(kRules["blob-place"], blob.offset(), "path is no string, or offset is no uint64");
      return;
    }
    const auto place = ToUnsigned(offset.Inner().text());
    if (place && (*place % 64 != 0 || *place == 0)) {
      report_.Add(kRules["blob-aligned"], offset.offset(), "offset {} is 0 or no multiple of 64",
                  *place);
    }
  }

  void Shape(ValueView value, TypeView type, std::string_view what) {
    AddOfType(kRules["literal-shape"], value.offset(), type, what);
  }

  // Checks a literal or a part of it. Does not check names, `?` and typed literals inside it
  // against its type.
  void CheckLiteral(TypeView type, ValueView value) {
    if (value.kind() == ValueKind::kName || value.kind() == ValueKind::kUnknown ||
        value.kind() == ValueKind::kTyped) {
      return;
    }
    switch (type.kind()) {
      case TypeKind::kScalar:
        return CheckElement(type, type, value);
      case TypeKind::kTensor:
        if (value.kind() == ValueKind::kBlobFile) return;
        if (IsFlatList(type.dimensions(), value)) return CheckFlat(type, value);
        return CheckTensor(type, type.dimensions(), value);
      case TypeKind::kList:
        return CheckChildren(type, ValueKind::kList, value, type.dimensions()[0].value);
      case TypeKind::kTuple:
        return CheckTuple(type, value);
      case TypeKind::kDict:
        return CheckDict(type, value);
      case TypeKind::kState:
      case TypeKind::kBuffer:
      case TypeKind::kUnknown:
        return;
    }
  }

  void CheckElement(TypeView whole, TypeView element, ValueView value) {
    if (value.IsContainer()) return Shape(value, whole, "nested too deep");
    if (element.kind() == TypeKind::kScalar && !IsElementOf(value, element.data_type())) {
      report_.Add(kRules["literal-element"], value.offset(), "{} is no {}", value.text(),
                  element.spelling());
    }
  }

  void CheckTensor(TypeView type, TableSlice<Dimension> dimensions, ValueView value) {
    if (dimensions.empty()) return CheckElement(type, type.element(), value);
    if (value.kind() != ValueKind::kList) return Shape(value, type, "not nested deep enough");
    int64_t count = 0;
    for (const ValueView child : value.children()) {
      CheckTensor(type, dimensions.Rest(), child);
      ++count;
    }
    if (dimensions[0].value >= 0 && count != dimensions[0].value) {
      Shape(value, type, fmt::format("{} values in place of {}", count, dimensions[0].value));
    }
  }

  void CheckFlat(TypeView type, ValueView value) {
    uint64_t count = 0;
    for (const ValueView child : value.children()) {
      CheckElement(type, type.element(), child);
      ++count;
    }
    const auto expected = ElementCount(type);
    if (expected && count != *expected) {
      Shape(value, type, fmt::format("{} values in place of {}", count, *expected));
    }
  }

  void CheckChildren(TypeView type, ValueKind kind, ValueView value, int64_t length) {
    if (value.kind() != kind) return Shape(value, type, "a value of another kind");
    int64_t count = 0;
    for (const ValueView child : value.children()) {
      CheckLiteral(type.element(), child);
      ++count;
    }
    if (length >= 0 && count != length) {
      Shape(value, type, fmt::format("{} values in place of {}", count, length));
    }
  }

  void CheckTuple(TypeView type, ValueView value) {
    if (value.kind() != ValueKind::kTuple) return Shape(value, type, "a value of another kind");
    const auto types = type.children();
    const auto values = value.children();
    auto t = types.begin();
    auto v = values.begin();
    for (; t != types.end() && v != values.end(); ++t, ++v) CheckLiteral(*t, *v);
    if (t != types.end() || v != values.end()) Shape(value, type, "another number of values");
  }

  void CheckDict(TypeView type, ValueView value) {
    if (value.kind() != ValueKind::kDict) return Shape(value, type, "a value of another kind");
    const TypeView key = *type.children().begin();
    const TypeView element(&program_, key.next());
    for (const ValueView pair : value.children()) {
      if (pair.children().empty()) continue;
      const ValueView first = *pair.children().begin();
      CheckLiteral(key, first);
      CheckLiteral(element, ValueView(&program_, first.next()));
    }
  }

  const Program& program_;
  WalkReport report_;
  std::vector<uint32_t> named_;  // arguments of the current statement
  std::vector<Slice> outputs_;
};

}  // namespace

std::vector<Violation> Verify(const Program& program) { return Verifier(program).Run(); }

}  // namespace anecheck::mil
