#include "harness/lowering/mil_to_graph.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/formats/mil/lexer.h"
#include "harness/formats/mil/number.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/reader.h"
#include "harness/graph/find_operand.h"
#include "harness/graph/validate.h"
#include "harness/lowering/host_statements.h"
#include "harness/lowering/known_integers.h"
#include "harness/lowering/literal_attribute.h"
#include "harness/lowering/mil_types.h"
#include "harness/lowering/old_indices.h"
#include "harness/lowering/outer_bindings.h"
#include "harness/lowering/pack.h"
#include "harness/lowering/stored_attribute.h"
#include "harness/lowering/unread_operations.h"

namespace anecheck {
namespace {

// Puts line and column before the message, as in errors of syntax.
Error WithPlace(std::string_view text, Error error) {
  if (error.offset == Error::kNoOffset || error.offset > text.size()) return error;
  const mil::LineColumn place = mil::Locate(text, error.offset);
  error.message.insert(0, fmt::format("{}:{}: ", place.line, place.column));
  return error;
}

std::string NamesOf(std::span<const Parameter> parameters) {
  std::string names;
  for (const Parameter& parameter : parameters) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", parameter.name);
  }
  return names.empty() ? "none" : names;
}

class Reader {
 public:
  Reader(const mil::Program& program, const Vocabulary& vocabulary, const MilReadOptions& options)
      : program_(program), vocabulary_(vocabulary), options_(options) {}

  Result<Graph> Run() {
    ANECHECK_ASSIGN(const mil::FunctionView function, FindFunction());
    graph_.name = std::string(function.name());
    const mil::BlockView block = function.block();
    for (const mil::BindingView parameter : block.parameters()) {
      ANECHECK_ASSIGN(const TensorType type, ReadParameter(function, parameter));
      const bool state = parameter.type().kind() == mil::TypeKind::kState;
      values_[parameter.index()] =
          state ? graph_.AddState(type, parameter.name()) : graph_.AddInput(type, parameter.name());
    }
    ANECHECK_RETURN_IF_ERROR(ReadBody(block));
    NameLiterals();
    ANECHECK_RETURN_IF_ERROR(ValidateGraph(graph_));
    if (CountsFromTheEnd(function.opset())) CountFromTheFront(graph_);
    return std::move(graph_);
  }

  Result<std::vector<ModelShape>> FindOpenInputs() {
    ANECHECK_ASSIGN(const mil::FunctionView function, FindFunction());
    std::vector<ModelShape> open;
    for (const mil::BindingView parameter : function.block().parameters()) {
      if (parameter.type().kind() == mil::TypeKind::kState) continue;
      ANECHECK_ASSIGN(const TensorType type,
                      ReadMilType(parameter.type(), function.offset(), true));
      if (!IsOpenShape(type.shape)) continue;
      if (options_.with_defaults && ReadParameter(function, parameter).ok()) continue;
      open.push_back({std::string(parameter.name()), type.shape});
    }
    return open;
  }

 private:
  // Returns the type of a parameter. Its open axes get extents from the options or the program.
  Result<TensorType> ReadParameter(mil::FunctionView function, mil::BindingView parameter) const {
    if (parameter.type().kind() == mil::TypeKind::kState) {
      return ReadMilType(parameter.type(), function.offset());
    }
    ANECHECK_ASSIGN(TensorType declared, ReadMilType(parameter.type(), function.offset(), true));
    if (!IsOpenShape(declared.shape)) return declared;
    std::optional<Shape> shape = DefaultShapeOf(function, parameter.name());
    for (const ModelShape& given : options_.shapes) {
      if (given.input == parameter.name()) shape = given.shape;
    }
    if (!shape) return ReadMilType(parameter.type(), function.offset());
    if (!FitsDeclared({declared.dtype, *shape}, declared) || !MayHaveExtents(*shape)) {
      return PlacedError(ErrorCode::kInvalid, function.offset(),
                         fmt::format("{} cannot be {}", parameter.name(), shape->ToString()));
    }
    declared.shape = *shape;
    return declared;
  }

  Status ReadBody(mil::BlockView block) {
    for (const mil::StatementView statement : block.statements()) {
      if (statement.op() == "const" && !RenamesValue(statement)) continue;
      ANECHECK_RETURN_IF_ERROR(ReadStatement(statement));
    }
    std::vector<ValueId> labelled;
    for (const mil::ValueView output : block.outputs()) {
      if (const auto id = LabelledBy(output)) {
        labelled.push_back(*id);
        continue;
      }
      ANECHECK_ASSIGN(const ValueId id, Operand(output));
      graph_.AddOutput(id);
    }
    for (const ValueId id : labelled) {
      if (std::ranges::find(graph_.outputs(), id) == graph_.outputs().end()) graph_.AddOutput(id);
    }
    return {};
  }

  // Returns the tensor that the host pairs with labels, if `output` is a result of classify.
  std::optional<ValueId> LabelledBy(mil::ValueView output) const {
    if (output.kind() != mil::ValueKind::kName || !output.IsResolved()) return std::nullopt;
    const auto found = labelled_.find(output.binding().index());
    if (found == labelled_.end()) return std::nullopt;
    return found->second;
  }

  Status ReadLabels(mil::StatementView statement) {
    const auto probabilities = mil::FindValue(statement.arguments(), "probabilities");
    if (!probabilities) return UnreadOperation(program_, statement, vocabulary_);
    ANECHECK_ASSIGN(const ValueId id, Operand(*probabilities));
    for (const mil::BindingView result : statement.results()) labelled_[result.index()] = id;
    return {};
  }

  Result<mil::FunctionView> FindFunction() const {
    const auto functions = mil::Functions(program_);
    if (options_.function.empty() && functions.size() == 1) return functions[0];
    const std::string_view wanted =
        options_.function.empty() ? std::string_view("main") : options_.function;
    std::optional<mil::FunctionView> found;
    std::string names;
    for (const mil::FunctionView function : functions) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", function.name());
      if (function.name() != wanted) continue;
      if (found) {
        return PlacedError(ErrorCode::kInvalid, function.offset(),
                           fmt::format("the program has two functions \"{}\"", wanted));
      }
      found = function;
    }
    if (found) return *found;
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("the program has no function \"{}\" but {}; name one with "
                                 "--function",
                                 wanted, names.empty() ? "none at all" : names));
  }

  // Whether the statement is const(val = name), which becomes an operation of the graph. A const
  // with a literal becomes a constant value, which is added at its first use.
  static bool RenamesValue(mil::StatementView statement) {
    const auto value = mil::ConstantValue(statement);
    return value && value->kind() == mil::ValueKind::kName;
  }

  // Whether an argument equals its default. Source: a real plan of Core ML, whose compiler adds
  // arguments with their default values.
  static bool RestatesMeaning(mil::StatementView statement, mil::ArgumentView argument) {
    constexpr std::pair<std::string_view, std::string_view> kOfResample[] = {
        {"coordinates_format", "xy"}, {"coordinates_type", "absolute"}};
    if (statement.op() != "resample") return false;
    const auto literal = mil::FollowConstant(argument.value());
    const auto text = literal ? mil::ReadString(*literal) : Result<std::string>("");
    return std::ranges::any_of(kOfResample, [&](const auto& known) {
      return argument.name() == known.first && text.ok() && *text == known.second;
    });
  }

  // Returns the arguments and those attributes that are parameters, because real files write the
  // operands of compressed constants as attributes.
  static std::vector<mil::ArgumentView> ArgumentsOf(mil::StatementView statement,
                                                    const OpSchema& schema) {
    std::vector<mil::ArgumentView> arguments;
    for (const mil::ArgumentView argument : statement.arguments()) {
      if (!RestatesMeaning(statement, argument)) arguments.push_back(argument);
    }
    for (const mil::ArgumentView attribute : statement.attributes()) {
      if (schema.FindParameter(attribute.name()) >= 0) arguments.push_back(attribute);
    }
    return arguments;
  }

  // Returns the parameter of an argument, or -1 for none. If an attribute and a tensor have the
  // same name, the result is the attribute if the argument is a constant or follows from shapes.
  int ParameterOf(mil::ArgumentView argument, const OpSchema& schema) const {
    const int parameter = schema.FindParameter(argument.name());
    if (parameter < 0 || IsTensorKind(schema.parameters[static_cast<size_t>(parameter)].kind)) {
      return parameter;
    }
    const int operand = FindOperand(schema, argument.name());
    const bool constant = mil::FollowConstant(argument.value()) || KnownOf(argument.value());
    return operand >= 0 && !constant ? operand : parameter;
  }

  // Returns the integers of a value that is computed only from shapes.
  std::optional<std::vector<int64_t>> KnownOf(mil::ValueView value) const {
    if (value.kind() != mil::ValueKind::kName || !value.IsResolved()) return std::nullopt;
    const auto found = values_.find(value.binding().index());
    if (found == values_.end()) return std::nullopt;
    return KnownIntegers(graph_, found->second);
  }

  Status ReadMove(mil::StatementView statement) {
    const auto input = mil::FindValue(statement.arguments(), "input");
    if (!input) {
      return PlacedError(ErrorCode::kInvalid, statement.offset(),
                         fmt::format("{} has no input", statement.op()));
    }
    ANECHECK_ASSIGN(const ValueId id, Operand(*input));
    ANECHECK_ASSIGN(const TensorType type,
                    ReadMilType(statement.results()[0].type(), statement.offset()));
    if (type != graph_.type(id)) {
      return PlacedError(ErrorCode::kInvalid, statement.offset(),
                         fmt::format("{} makes {} of {}", statement.op(), type.ToString(),
                                     graph_.type(id).ToString()));
    }
    values_[statement.results()[0].index()] = id;
    return {};
  }

  Status ReadStatement(mil::StatementView statement) {
    if (MovesBuffer(statement)) return ReadMove(statement);
    if (GivesLabels(statement)) return ReadLabels(statement);
    const OpSchema* schema = vocabulary_.Find(statement.op());
    if (schema == nullptr) return UnreadOperation(program_, statement, vocabulary_);
    if (statement.blocks().size() != schema->blocks.size()) {
      return PlacedError(ErrorCode::kUnsupported, statement.offset(),
                         fmt::format("{} has {} nested blocks, must have {}", statement.op(),
                                     statement.blocks().size(), schema->blocks.size()));
    }
    // Operands are read first, because a literal operand becomes a constant, which must not be
    // added inside the open node.
    operands_.clear();
    const std::vector<mil::ArgumentView> arguments = ArgumentsOf(statement, *schema);
    for (const mil::ArgumentView argument : arguments) {
      const int parameter = ParameterOf(argument, *schema);
      if (parameter < 0) {
        return PlacedError(ErrorCode::kUnsupported, argument.offset(),
                           fmt::format("{} has no argument \"{}\" but {}", statement.op(),
                                       argument.name(), NamesOf(schema->parameters)));
      }
      if (!IsTensorKind(schema->parameters[static_cast<size_t>(parameter)].kind)) continue;
      const bool constant = schema->parameters[static_cast<size_t>(parameter)].constant;
      for (const mil::ValueView value : mil::TupleOrOne(argument.value())) {
        ANECHECK_ASSIGN(ValueId id, Operand(value));
        if (constant) id = Folded(id);
        operands_.push_back({static_cast<uint16_t>(parameter), id});
      }
    }
    std::vector<Graph> blocks;
    if (!schema->blocks.empty()) ANECHECK_RETURN_IF_ERROR(ReadBlocks(statement, *schema, blocks));
    graph_.BeginNode(schema);
    for (Graph& block : blocks) graph_.AddBlock(std::move(block));
    for (const Argument& operand : operands_) graph_.AddArgument(operand.parameter, operand.value);
    for (const mil::ArgumentView argument : arguments) {
      const int parameter = ParameterOf(argument, *schema);
      if (IsTensorKind(schema->parameters[static_cast<size_t>(parameter)].kind)) continue;
      ANECHECK_RETURN_IF_ERROR(ReadAttribute(argument, *schema, parameter));
    }
    return ReadResults(statement, *schema);
  }

  // ---- nested blocks ----

  // Reads the blocks as graphs, and adds the outer values that they use as further operands.
  Status ReadBlocks(mil::StatementView statement, const OpSchema& schema,
                    std::vector<Graph>& blocks) {
    const std::vector<mil::BindingView> outer =
        OuterBindings(program_, statement, [this](mil::ValueView name) { return IsCopied(name); });
    const auto captures = static_cast<uint16_t>(schema.FindParameter("captures"));
    for (const mil::BindingView binding : outer) {
      const auto found = values_.find(binding.index());
      if (found == values_.end()) {
        return PlacedError(
            ErrorCode::kUnsupported, statement.offset(),
            fmt::format("\"{}\" is used in a block and is no tensor", binding.name()));
      }
      operands_.push_back({captures, found->second});
    }
    for (const mil::BlockView block : statement.blocks()) {
      ANECHECK_ASSIGN(Graph graph, Reader(program_, vocabulary_, options_).ReadBlock(block, outer));
      blocks.push_back(std::move(graph));
    }
    return {};
  }

  Result<Graph> ReadBlock(mil::BlockView block, std::span<const mil::BindingView> outer) {
    graph_.name = std::string(block.label());
    const auto add = [&](mil::BindingView binding) -> Status {
      ANECHECK_ASSIGN(const TensorType type, ReadMilType(binding.type(), block.offset()));
      values_[binding.index()] = graph_.AddInput(type, binding.name());
      return {};
    };
    for (const mil::BindingView parameter : block.parameters()) {
      ANECHECK_RETURN_IF_ERROR(add(parameter));
    }
    for (const mil::BindingView binding : outer) ANECHECK_RETURN_IF_ERROR(add(binding));
    ANECHECK_RETURN_IF_ERROR(ReadBody(block));
    NameLiterals();
    return std::move(graph_);
  }

  // Renames literal operands whose name the text also uses. Literals have no name in the text, so
  // the graph chose one.
  void NameLiterals() {
    if (literals_.empty()) return;
    std::unordered_map<std::string, int> uses;
    for (const Value& value : graph_.values()) ++uses[value.name];
    for (const ValueId id : literals_) {
      std::string name = graph_.value(id).name;
      if (uses[name] == 1) continue;
      --uses[name];
      while (uses.contains(name)) name += "_literal";
      uses[name] = 1;
      graph_.Rename(id, name);
    }
  }

  // Returns whether a name is a constant. Blocks get copies of constants.
  bool IsCopied(mil::ValueView name) const {
    const auto found = values_.find(name.binding().index());
    if (found != values_.end()) return graph_.value(found->second).kind == ValueKind::kConst;
    const auto literal = mil::FollowConstant(name);
    return literal && literal->kind() == mil::ValueKind::kTyped;
  }

  Status ReadResults(mil::StatementView statement, const OpSchema& schema) {
    std::vector<TensorType> types;
    std::vector<std::string> names;
    bool open = false;
    for (const mil::BindingView result : statement.results()) {
      ANECHECK_ASSIGN(const TensorType type, ReadMilType(result.type(), statement.offset(), true));
      open |= IsOpenShape(type.shape);
      types.push_back(type);
      names.emplace_back(result.name());
    }
    if ((types.empty() && schema.has_results) || types.size() > ResultTypes::kMaxResults) {
      return PlacedError(ErrorCode::kUnsupported, statement.offset(), "needs 1 to 64 results");
    }
    ValueId first = kNoValue;
    if (open) {
      ANECHECK_ASSIGN(first, FinishOpen(statement, types, names));
    } else {
      first = graph_.FinishNodeAs(types, names);
    }
    uint32_t i = 0;
    for (const mil::BindingView result : statement.results()) values_[result.index()] = first + i++;
    return {};
  }

  // Finishes a node with result types that are only known from its operands.
  Result<ValueId> FinishOpen(mil::StatementView statement, std::span<const TensorType> declared,
                             std::span<const std::string> names) {
    const auto first = graph_.FinishNode(names);
    if (!first.ok())
      return PlacedError(first.error().code, statement.offset(), first.error().message);
    bool fits = graph_.nodes().back().result_count == declared.size();
    for (size_t i = 0; fits && i < declared.size(); ++i) {
      fits = FitsDeclared(graph_.type(*first + static_cast<ValueId>(i)), declared[i]);
    }
    if (fits) return *first;
    return PlacedError(
        ErrorCode::kInvalid, statement.offset(),
        fmt::format("{}: its operands give {}", statement.op(), graph_.type(*first).ToString()));
  }

  // Replaces a value that is computed only from shapes by a constant, if a parameter needs one.
  ValueId Folded(ValueId id) {
    if (graph_.value(id).kind == ValueKind::kConst) return id;
    const TensorType type = graph_.type(id);
    const auto known = KnownIntegers(graph_, id);
    if (!known || static_cast<int64_t>(known->size()) != type.shape.Elements()) return id;
    std::vector<uint8_t> bytes;
    for (const int64_t number : *known) {
      for (int i = 0; i < DTypeBits(type.dtype) / 8; ++i) {
        bytes.push_back(static_cast<uint8_t>(static_cast<uint64_t>(number) >> (8 * i)));
      }
    }
    return graph_.AddConst(type, bytes);
  }

  // Returns the value of an operand. Adds a constant or a literal at its first use.
  Result<ValueId> Operand(mil::ValueView value) {
    if (value.kind() == mil::ValueKind::kName) {
      if (!value.IsResolved()) {
        return PlacedError(ErrorCode::kInvalid, value.offset(),
                           fmt::format("\"{}\" is not defined", value.text()));
      }
      const auto found = values_.find(value.binding().index());
      if (found != values_.end()) return found->second;
    }
    const auto literal = mil::FollowConstant(value);
    if (!literal || literal->kind() != mil::ValueKind::kTyped) {
      const bool bare = literal && (literal->kind() == mil::ValueKind::kNumber ||
                                    literal->kind() == mil::ValueKind::kList);
      return PlacedError(ErrorCode::kUnsupported, value.offset(),
                         bare ? "the operand has no type: write it with one, as fp16(0.5)"
                              : "the operand is no tensor and no constant");
    }
    std::string_view name;
    if (value.kind() == mil::ValueKind::kName) name = value.text();
    ANECHECK_ASSIGN(const ValueId id, AddConstant(*literal, name));
    if (value.kind() == mil::ValueKind::kName) {
      values_[value.binding().index()] = id;
    } else {
      literals_.push_back(id);
    }
    return id;
  }

  Result<ValueId> AddConstant(mil::ValueView literal, std::string_view name) {
    ANECHECK_ASSIGN(const TensorType type, ReadMilType(literal.type(), literal.offset()));
    ANECHECK_ASSIGN(const auto blob, mil::ReadBlobReference(literal));
    if (blob) return AddBlob(*blob, type, literal.offset(), name);
    ANECHECK_ASSIGN(std::vector<uint8_t> bytes, mil::ReadElements(literal));
    if (DTypeBits(type.dtype) < 8) bytes = PackElements(type, bytes);
    ANECHECK_RETURN_IF_ERROR(CheckSize(type, bytes.size(), literal.offset()));
    return graph_.AddConst(type, bytes, name);
  }

  static Status CheckSize(const TensorType& type, size_t size, uint64_t offset) {
    if (size == static_cast<size_t>(type.ByteSize())) return {};
    return PlacedError(ErrorCode::kInvalid, offset,
                       fmt::format("{} needs {} bytes, the constant has {}", type.ToString(),
                                   type.ByteSize(), size));
  }

  Result<SharedBytes> ReadBlob(const mil::BlobReference& blob, const TensorType& type,
                               uint64_t offset) {
    if (!options_.read_blob) {
      return PlacedError(ErrorCode::kNotFound, offset,
                         fmt::format("constant in {}: no weight file was given", blob.path));
    }
    ANECHECK_ASSIGN(SharedBytes bytes, options_.read_blob(blob.path, blob.offset, type));
    ANECHECK_RETURN_IF_ERROR(CheckSize(type, bytes.bytes.size(), offset));
    return bytes;
  }

  Result<ValueId> AddBlob(const mil::BlobReference& blob, const TensorType& type, uint64_t offset,
                          std::string_view name) {
    ANECHECK_ASSIGN(SharedBytes bytes, ReadBlob(blob, type, offset));
    return graph_.AddSharedConst(type, std::move(bytes), name);
  }

  Status AddBlobAttribute(const mil::BlobReference& blob, mil::ValueView literal,
                          const OpSchema& schema, int parameter) {
    ANECHECK_ASSIGN(const TensorType type, ReadMilType(literal.type(), literal.offset()));
    ANECHECK_ASSIGN(const SharedBytes bytes, ReadBlob(blob, type, literal.offset()));
    const Status added = AddStoredAttribute(type, bytes.bytes, schema, parameter, graph_);
    if (added.ok()) return {};
    return PlacedError(added.error().code, literal.offset(), added.error().message);
  }

  // Adds an integer or a list of integers that is computed only from shapes as an attribute.
  // Returns false if it is computed from other values.
  bool FoldAttribute(mil::ArgumentView argument, const OpSchema& schema, int parameter) {
    const ParameterKind kind = schema.parameters[static_cast<size_t>(parameter)].kind;
    const auto known = KnownOf(argument.value());
    if (!known) return false;
    if (kind == ParameterKind::kInts) {
      graph_.AddInts(parameter, *known);
    } else if (kind == ParameterKind::kInt && known->size() == 1) {
      graph_.AddInt(parameter, known->front());
    } else {
      return false;
    }
    return true;
  }

  Status ReadAttribute(mil::ArgumentView argument, const OpSchema& schema, int parameter) {
    const auto literal = mil::FollowConstant(argument.value());
    if (!literal && FoldAttribute(argument, schema, parameter)) return {};
    if (!literal) {
      return PlacedError(ErrorCode::kUnsupported, argument.offset(),
                         ComputedAttribute(schema.name, argument.name()));
    }
    if (literal->kind() == mil::ValueKind::kTuple) {
      return AddTupleAttribute(*literal, schema, parameter, graph_);
    }
    ANECHECK_ASSIGN(const auto blob, mil::ReadBlobReference(*literal));
    if (blob && literal->kind() != mil::ValueKind::kTyped) {
      return PlacedError(ErrorCode::kInvalid, literal->offset(),
                         fmt::format("{}.{} is BLOBFILE without a type: write type(BLOBFILE(...))",
                                     schema.name, argument.name()));
    }
    if (blob) return AddBlobAttribute(*blob, *literal, schema, parameter);
    return AddLiteralAttribute(*literal, schema, parameter, graph_);
  }

  const mil::Program& program_;
  const Vocabulary& vocabulary_;
  const MilReadOptions& options_;
  Graph graph_;
  std::unordered_map<uint32_t, ValueId> values_;    // by binding
  std::unordered_map<uint32_t, ValueId> labelled_;  // for LabelledBy, by binding
  std::vector<ValueId> literals_;                   // operands that have no name in the text
  std::vector<Argument> operands_;
};

}  // namespace

Result<Graph> MilToGraph(const mil::Program& program, const Vocabulary& vocabulary,
                         const MilReadOptions& options) {
  auto graph = Reader(program, vocabulary, options).Run();
  if (!graph.ok()) return WithPlace(program.text, graph.error());
  return graph;
}

Result<std::vector<ModelShape>> OpenInputs(const mil::Program& program,
                                           const Vocabulary& vocabulary,
                                           const MilReadOptions& options) {
  return Reader(program, vocabulary, options).FindOpenInputs();
}

Result<Graph> MilTextToGraph(std::string text, const Vocabulary& vocabulary,
                             const MilReadOptions& options) {
  ANECHECK_ASSIGN(const mil::Program program, mil::Parse(std::move(text)));
  return MilToGraph(program, vocabulary, options);
}

}  // namespace anecheck
