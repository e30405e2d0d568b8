#include <algorithm>
#include <bitset>
#include <flatbuffers/flatbuffers.h>
#include <fmt/format.h>
#include <unordered_map>
#include <unordered_set>

#include "generated/flatbuffer_schemas/e5_schema/e5_bfbs_generated.h"
#include "generated/flatbuffer_schemas/e5_schema/e5_generated.h"
#include "harness/base/little_endian.h"
#include "harness/base/round_up.h"
#include "harness/formats/e5/e5.h"
#include "harness/formats/enums/enums.h"
#include "harness/formats/flatbuffer/shape.h"

namespace anecheck::e5 {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

constexpr std::array<std::string_view, kOpTypeCount> kOpTypeNames = {"Cast",
                                                                     "AneInference",
                                                                     "EirInference",
                                                                     "CpuInference",
                                                                     "BnnsCpuInference",
                                                                     "MlcCpuInference",
                                                                     "MpsGraphInference",
                                                                     "E5MinimalCpu",
                                                                     "Quant",
                                                                     "Dequant",
                                                                     "Barrier",
                                                                     "JitCall"};

std::string ArgFrameName(const Operation& operation) { return operation.name + "__arg_frame"; }
std::string AttrsName(const Operation& operation) { return operation.name + "__op_attrs"; }

template <typename Visitor>
void ForEachOperation(const Program& program, Visitor visit) {
  for (const Function& function : program.functions) {
    for (const Block& block : function.blocks) {
      for (const Operation& operation : block.operations) visit(operation);
    }
  }
}

class Writer {
 public:
  explicit Writer(const Program& program) : program_(program) {}

  Result<Bytes> Run() {
    // Writes defaults too, because the size must not depend on the values (specification 000).
    builder_.ForceDefaults(true);
    // Real descriptors are aligned to 8, which puts four zero bytes after the root offset.
    builder_.ForceVectorAlignment(0, 1, 8);
    const auto symbols = builder_.CreateVectorOfStrings(program_.symbol_names);
    const auto build_info = BuildInfo();
    const auto sections = Sections();
    if (!status_.ok()) return std::move(status_).error();
    // The root must have its own vtable directly before it, so tables must not share vtables.
    builder_.DedupVtables(false);
    builder_.Finish(
        wire::CreateE5Program(builder_, symbols, build_info, sections, program_.format_version));
    return Bytes(builder_.GetBufferPointer(), builder_.GetBufferPointer() + builder_.GetSize());
  }

 private:
  Offset<wire::BuildInfo> BuildInfo() {
    std::vector<Offset<wire::BuildInfoEntry>> entries;
    for (const BuildInfoEntry& entry : program_.build_info) {
      const auto key = builder_.CreateString(entry.key);
      const auto value = builder_.CreateString(entry.value);
      entries.push_back(wire::CreateBuildInfoEntry(builder_, key, value));
    }
    return wire::CreateBuildInfo(builder_, builder_.CreateVector(entries));
  }

  Offset<flatbuffers::Vector<Offset<wire::Section>>> Sections() {
    std::vector<Offset<wire::Section>> sections;
    std::unordered_set<std::string_view> names;
    ForEachOperation(program_, [&](const Operation& operation) {
      if (!names.insert(operation.name).second) {
        status_ =
            MakeError(ErrorCode::kInvalid,
                      fmt::format("two operations are called \"{}\", but their sections are found "
                                  "by that name: rename one",
                                  operation.name));
      }
      const Offset<wire::ProgramPart> part =
          sections.empty() ? Part() : Offset<wire::ProgramPart>();
      sections.push_back(ArgFrame(operation, part));
      sections.push_back(Attrs(operation));
    });
    if (sections.empty()) {
      if (!program_.functions.empty() || !program_.input_ports.empty() ||
          !program_.output_ports.empty() || !program_.alias_symbols.empty()) {
        status_ = MakeError(ErrorCode::kInvalid,
                            "a descriptor's functions and ports belong to the sections of its "
                            "operations: give the program an operation");
      }
      for (const Section& section : program_.sections) {
        const auto name = builder_.CreateString(section.name);
        sections.push_back(
            wire::CreateSection(builder_, name, static_cast<wire::SectionKind>(section.kind)));
      }
    }
    return builder_.CreateVector(sections);
  }

  Offset<wire::Section> ArgFrame(const Operation& operation, Offset<wire::ProgramPart> part) {
    std::vector<Offset<wire::Operand>> operands;
    operands.reserve(operation.operands.size());
    for (const TensorDescriptor& tensor : operation.operands) {
      operands.push_back(wire::CreateOperand(builder_, Descriptor(tensor)));
    }
    const auto vector = builder_.CreateVector(operands);
    const auto name = builder_.CreateString(ArgFrameName(operation));
    return wire::CreateSection(builder_, name, wire::SectionKind::ArgFrame, part, vector);
  }

  // Checks that attributes are present and of the operation's kind. A reader would misread
  // attributes of another kind, and would read missing attributes as zeros.
  void CheckAttrs(const Operation& operation) {
    const bool cast = std::holds_alternative<CastAttrs>(operation.attrs);
    const bool inference = std::holds_alternative<AneInferenceAttrs>(operation.attrs);
    if (cast != (operation.type == OpType::kCast) ||
        inference != (operation.type == OpType::kAneInference)) {
      status_ = MakeError(ErrorCode::kInvalid,
                          "an operation does not have the attributes of its kind: a Cast or "
                          "AneInference needs its own, others have none");
    }
  }

  Offset<wire::Section> Attrs(const Operation& operation) {
    CheckAttrs(operation);
    const Bytes blob = AttrsBlob(operation);
    builder_.ForceVectorAlignment(blob.size(), 1, 8);
    const auto attrs = builder_.CreateVector(blob);
    const auto name = builder_.CreateString(AttrsName(operation));
    return wire::CreateSection(builder_, name, wire::SectionKind::OpAttrs, {}, {}, attrs);
  }

  static Bytes AttrsBlob(const Operation& operation) {
    FlatBufferBuilder inner;
    inner.ForceDefaults(true);
    Offset<void> attrs;
    if (const auto* cast = std::get_if<CastAttrs>(&operation.attrs)) {
      attrs = wire::CreateCastAttrs(inner, static_cast<wire::TensorDataType>(cast->src_dtype),
                                    static_cast<wire::TensorDataType>(cast->dst_dtype),
                                    cast->component_pack)
                  .Union();
    } else if (const auto* ane = std::get_if<AneInferenceAttrs>(&operation.attrs)) {
      const auto procedure = inner.CreateString(ane->procedure_name);
      const auto anehash = inner.CreateString(ane->anehash);
      const auto symbol = inner.CreateString(ane->program_symbol);
      const auto options = inner.CreateString(ane->compiler_options);
      attrs = wire::CreateAneInferenceAttrs(inner, procedure, anehash, symbol,
                                            ane->intermediate_buffer_handle, options)
                  .Union();
    } else {
      attrs = wire::CreateBarrierAttrs(inner).Union();  // a table without fields
    }
    const auto member = static_cast<wire::OpAttrs>(static_cast<int>(operation.type) + 1);
    inner.Finish(wire::CreateOpAttrsBlob(inner, member, attrs));
    return Bytes(inner.GetBufferPointer(), inner.GetBufferPointer() + inner.GetSize());
  }

  Offset<wire::TensorDescriptor> Descriptor(const TensorDescriptor& tensor) {
    const auto dim = builder_.CreateVector(tensor.dim.data(), tensor.dim.size());
    const auto stride = builder_.CreateVector(tensor.stride.data(), tensor.stride.size());
    return wire::CreateTensorDescriptor(
        builder_, dim, stride, tensor.width, tensor.height, tensor.channels, tensor.batch_number,
        tensor.sequence_length, tensor.stride_width, tensor.stride_height, tensor.stride_channels,
        tensor.stride_batch_number, tensor.stride_sequence_length,
        static_cast<wire::TensorDataType>(tensor.storage_type), tensor.component_pack);
  }

  Offset<wire::ProgramPart> Part() {
    std::vector<Offset<wire::Function>> functions;
    functions.reserve(program_.functions.size());
    for (const Function& function : program_.functions) functions.push_back(MakeFunction(function));
    const auto functions_vector = builder_.CreateVector(functions);
    const auto inputs = Ports(program_.input_ports);
    const auto outputs = Ports(program_.output_ports);
    std::vector<Offset<wire::AliasSymbol>> aliases;
    for (const AliasSymbol& alias : program_.alias_symbols) {
      const auto name = builder_.CreateString(alias.name);
      aliases.push_back(
          wire::CreateAliasSymbol(builder_, name, alias.symbol_index, alias.addr_offset));
    }
    const auto aliases_vector = builder_.CreateVector(aliases);
    return wire::CreateProgramPart(builder_, functions_vector, inputs, outputs, aliases_vector);
  }

  Offset<flatbuffers::Vector<Offset<wire::IOPort>>> Ports(const std::vector<Port>& ports) {
    std::vector<Offset<wire::IOPort>> made;
    for (const Port& port : ports) {
      const auto name = builder_.CreateString(port.name);
      made.push_back(wire::CreateIOPort(builder_, name, port.byte_size, port.aperture_va));
    }
    return builder_.CreateVector(made);
  }

  Offset<wire::Function> MakeFunction(const Function& function) {
    std::vector<Offset<wire::Block>> blocks;
    for (const Block& block : function.blocks) {
      std::vector<Offset<wire::Operation>> operations;
      operations.reserve(block.operations.size());
      for (const Operation& operation : block.operations) {
        operations.push_back(MakeOperation(operation));
      }
      const auto vector = builder_.CreateVector(operations);
      const auto name = builder_.CreateString(block.name);
      blocks.push_back(wire::CreateBlock(builder_, name, vector));
    }
    const auto vector = builder_.CreateVector(blocks);
    const auto name = builder_.CreateString(function.name);
    const auto path = builder_.CreateString(function.anehash_path);
    return wire::CreateFunction(builder_, name, path, vector);
  }

  Offset<wire::Operation> MakeOperation(const Operation& operation) {
    const auto name = builder_.CreateString(operation.name);
    const auto inputs = builder_.CreateVector(operation.inputs);
    const auto outputs = builder_.CreateVector(operation.outputs);
    const auto arg_frame = builder_.CreateString(ArgFrameName(operation));
    const auto attrs = builder_.CreateString(AttrsName(operation));
    return wire::CreateOperation(builder_, name, static_cast<wire::OpType>(operation.type), inputs,
                                 outputs, arg_frame, attrs);
  }

  const Program& program_;
  FlatBufferBuilder builder_;
  Status status_;
};

// Visits each element of a vector that may be absent.
template <typename Vector, typename Visitor>
void ForEach(const Vector* vector, Visitor visit) {
  if (vector == nullptr) return;
  for (uint32_t i = 0; i < vector->size(); ++i) visit(vector->Get(i));
}

std::array<uint64_t, 4> Four(const flatbuffers::Vector<uint64_t>* vector) {
  std::array<uint64_t, 4> values{};
  for (uint32_t i = 0; vector != nullptr && i < vector->size() && i < 4; ++i) {
    // Reads the values byte by byte, because only the length word of a vector is certainly aligned.
    values[i] = LoadLittle(vector->Data() + 8 * i, 8);
  }
  return values;
}

// Copies a checked descriptor into a Program. It copies a shared object once per reference, so it
// limits the size of all copies for hostile files.
class ProgramReader {
 public:
  explicit ProgramReader(ByteSpan bytes)
      : root_(*wire::GetE5Program(bytes.data())), budget_(8 * bytes.size() + 65536) {}

  Result<Program> Run() {
    program_.format_version = root_.format_version();
    ForEach(root_.symbol_names(), [&](const flatbuffers::String* name) {
      if (Spend(32)) program_.symbol_names.push_back(Text(name));
    });
    if (root_.build_info() != nullptr) {
      ForEach(root_.build_info()->entries(), [&](const wire::BuildInfoEntry* entry) {
        if (Spend(64)) program_.build_info.push_back({Text(entry->key()), Text(entry->value())});
      });
    }
    ForEach(root_.sections(), [&](const wire::Section* section) {
      if (!Spend(40)) return;
      program_.sections.push_back({Text(section->name()), static_cast<int32_t>(section->kind())});
      if (section->name() != nullptr) by_name_.try_emplace(section->name()->string_view(), section);
    });
    ForEach(root_.sections(), [&](const wire::Section* section) {
      if (section->program() != nullptr) ReadPart(*section->program());
    });
    if (exhausted_) {
      return MakeError(ErrorCode::kLimit,
                       "objects are shared so often that the program would have many times the "
                       "size of the file");
    }
    return std::move(program_);
  }

 private:
  bool Spend(uint64_t amount) {
    if (amount > budget_) exhausted_ = true;
    if (!exhausted_) budget_ -= amount;
    return !exhausted_;
  }

  std::string Text(const flatbuffers::String* text) {
    if (text == nullptr || !Spend(text->size())) return {};
    return text->str();
  }

  TensorDescriptor ReadDescriptor(const wire::TensorDescriptor& from) {
    return {.dim = Four(from.dim()),
            .stride = Four(from.stride()),
            .width = from.width(),
            .height = from.height(),
            .channels = from.channels(),
            .batch_number = from.batch_number(),
            .sequence_length = from.sequence_length(),
            .stride_width = from.stride_width(),
            .stride_height = from.stride_height(),
            .stride_channels = from.stride_channels(),
            .stride_batch_number = from.stride_batch_number(),
            .stride_sequence_length = from.stride_sequence_length(),
            .storage_type = static_cast<TensorDataType>(from.storage_type()),
            .component_pack = from.component_pack()};
  }

  void ReadAttrs(const wire::Section& section, Operation* operation) {
    if (section.attrs() == nullptr) return;
    const auto* blob = flatbuffers::GetRoot<wire::OpAttrsBlob>(section.attrs()->data());
    if (const auto* cast = blob->attrs_as_CastAttrs()) {
      operation->attrs =
          CastAttrs{static_cast<TensorDataType>(cast->src_dtype()),
                    static_cast<TensorDataType>(cast->dst_dtype()), cast->component_pack()};
    } else if (const auto* ane = blob->attrs_as_AneInferenceAttrs()) {
      operation->attrs = AneInferenceAttrs{
          Text(ane->procedure_name()), Text(ane->anehash()), Text(ane->program_symbol()),
          ane->intermediate_buffer_handle(), Text(ane->compiler_options())};
    }
  }

  const wire::Section* FindSection(const flatbuffers::String* name) const {
    if (name == nullptr) return nullptr;
    const auto found = by_name_.find(name->string_view());
    return found == by_name_.end() ? nullptr : found->second;
  }

  Operation ReadOperation(const wire::Operation& from) {
    Operation operation{.name = Text(from.name()), .type = static_cast<OpType>(from.op_type())};
    ForEach(from.inputs(), [&](uint32_t index) {
      if (Spend(4)) operation.inputs.push_back(index);
    });
    ForEach(from.outputs(), [&](uint32_t index) {
      if (Spend(4)) operation.outputs.push_back(index);
    });
    if (const wire::Section* frame = FindSection(from.arg_frame())) {
      ForEach(frame->operands(), [&](const wire::Operand* operand) {
        if (!Spend(sizeof(TensorDescriptor))) return;
        operation.operands.push_back(operand->descriptor() == nullptr
                                         ? TensorDescriptor()
                                         : ReadDescriptor(*operand->descriptor()));
      });
    }
    if (const wire::Section* attrs = FindSection(from.attrs_section())) {
      ReadAttrs(*attrs, &operation);
    }
    return operation;
  }

  std::vector<Port> ReadPorts(const flatbuffers::Vector<Offset<wire::IOPort>>* from) {
    std::vector<Port> ports;
    ForEach(from, [&](const wire::IOPort* port) {
      if (!Spend(sizeof(Port))) return;
      ports.push_back({Text(port->name()), port->byte_size(), port->aperture_va()});
    });
    return ports;
  }

  void ReadFunction(const wire::Function& from) {
    Function function{.name = Text(from.name()), .anehash_path = Text(from.anehash_path())};
    ForEach(from.blocks(), [&](const wire::Block* block) {
      if (!Spend(sizeof(Block))) return;
      function.blocks.push_back({.name = Text(block->name())});
      ForEach(block->operations(), [&](const wire::Operation* operation) {
        if (!Spend(sizeof(Operation))) return;
        function.blocks.back().operations.push_back(ReadOperation(*operation));
      });
    });
    program_.functions.push_back(std::move(function));
  }

  void ReadPart(const wire::ProgramPart& part) {
    ForEach(part.functions(), [&](const wire::Function* function) {
      if (Spend(sizeof(Function))) ReadFunction(*function);
    });
    program_.input_ports = ReadPorts(part.input_ports());
    program_.output_ports = ReadPorts(part.output_ports());
    ForEach(part.alias_symbols(), [&](const wire::AliasSymbol* alias) {
      if (!Spend(sizeof(AliasSymbol))) return;
      program_.alias_symbols.push_back(
          {Text(alias->name()), alias->symbol_index(), alias->addr_offset()});
    });
  }

  const wire::E5Program& root_;
  Program program_;
  std::unordered_map<std::string_view, const wire::Section*> by_name_;
  uint64_t budget_;
  bool exhausted_ = false;
};

// ---- MakeProgram ----

TensorDescriptor DescriptorOf(const Outline::Tensor& tensor) {
  const auto& [batch, channels, height, width] = tensor.shape;
  const uint64_t element =
      tensor.dtype == TensorDataType::kFloat32 || tensor.dtype == TensorDataType::kInt32   ? 4
      : tensor.dtype == TensorDataType::kFloat16 || tensor.dtype == TensorDataType::kInt16 ? 2
                                                                                           : 1;
  // Rows are padded to a multiple of 64 bytes (specification 000, listing 23.6).
  const uint64_t row = RoundUp(width * element, 64);
  TensorDescriptor made;
  made.dim = {batch, channels, height, width};
  made.stride = {row * height * channels, row * height, row, element};
  made.width = width;
  made.height = height;
  made.channels = channels;
  made.batch_number = batch;
  made.sequence_length = 1;
  made.stride_width = element;
  made.stride_height = row;
  made.stride_channels = row * height;
  made.stride_batch_number = row * height * channels;
  made.stride_sequence_length = made.stride_batch_number * batch;
  made.storage_type = tensor.dtype;
  return made;
}

class ProgramMaker {
 public:
  explicit ProgramMaker(const Outline& outline) : outline_(outline) {}

  Program Run() {
    program_.build_info = outline_.build_info;
    Gather(outline_.inputs, "", &inputs_);
    Gather(outline_.states, "_in", &inputs_);
    Gather(outline_.outputs, "", &outputs_);
    Gather(outline_.states, "_out", &outputs_);
    for (const Outline::Tensor& tensor : inputs_) AddCast(tensor, true);
    for (uint32_t i = 0; i < std::max<uint32_t>(outline_.segments, 1); ++i) AddInference(i);
    for (const Outline::Tensor& tensor : outputs_) AddCast(tensor, false);
    AddStates();
    for (const Operation& operation : operations_) {
      Symbol(ArgFrameName(operation));
      Symbol(AttrsName(operation));
    }
    program_.functions.push_back({.name = "main",
                                  .anehash_path = outline_.anehash,
                                  .blocks = {{.name = "block0", .operations = operations_}}});
    program_.sections = SectionsOf(program_);
    return std::move(program_);
  }

 private:
  static void Gather(const std::vector<Outline::Tensor>& from, std::string_view suffix,
                     std::vector<Outline::Tensor>* to) {
    for (Outline::Tensor tensor : from) {
      tensor.name += suffix;
      to->push_back(std::move(tensor));
    }
  }

  uint32_t Symbol(const std::string& name) {
    program_.symbol_names.push_back(name);
    return static_cast<uint32_t>(program_.symbol_names.size() - 1);
  }

  Operation& NewOperation(OpType type) {
    const std::string name = fmt::format("Op{}_{}", operations_.size(), OpTypeName(type));
    Symbol(name);
    operations_.push_back({.name = name, .type = type});
    return operations_.back();
  }

  void AddCast(const Outline::Tensor& tensor, bool is_input) {
    const uint32_t host = Symbol(tensor.name);
    const uint32_t engine = Symbol(tensor.name + "_ane");
    (is_input ? engine_inputs_ : engine_outputs_).push_back(engine);
    Operation& cast = NewOperation(OpType::kCast);
    cast.inputs = {is_input ? host : engine};
    cast.outputs = {is_input ? engine : host};
    cast.operands = {DescriptorOf(tensor), DescriptorOf(tensor)};
    cast.attrs = CastAttrs{tensor.dtype, tensor.dtype, 1};
    (is_input ? program_.input_ports : program_.output_ports)
        .push_back({tensor.name, tensor.byte_size, tensor.aperture_va});
  }

  void AddInference(uint32_t segment) {
    Operation& inference = NewOperation(OpType::kAneInference);
    inference.inputs = engine_inputs_;
    for (const Outline::Tensor& tensor : inputs_)
      inference.operands.push_back(DescriptorOf(tensor));
    for (const Outline::Tensor& tensor : outputs_) {
      inference.operands.push_back(DescriptorOf(tensor));
    }
    inference.attrs = AneInferenceAttrs{.procedure_name = fmt::format("procedure_{}", segment),
                                        .anehash = outline_.anehash,
                                        .program_symbol = fmt::format("segment_{}", segment),
                                        .intermediate_buffer_handle = segment};
    inference_index_.push_back(operations_.size() - 1);
  }

  void AddStates() {
    // The output symbols exist after the output casts are made.
    for (const size_t index : inference_index_) operations_[index].outputs = engine_outputs_;
    for (uint32_t i = 0; i < outline_.states.size(); ++i) {
      const uint32_t symbol = engine_inputs_[outline_.inputs.size() + i];
      program_.alias_symbols.push_back(
          {outline_.states[i].name, symbol, static_cast<uint32_t>(i * kStateStride)});
    }
  }

  const Outline& outline_;
  Program program_;
  std::vector<Outline::Tensor> inputs_;
  std::vector<Outline::Tensor> outputs_;
  std::vector<Operation> operations_;
  std::vector<uint32_t> engine_inputs_;
  std::vector<uint32_t> engine_outputs_;
  std::vector<size_t> inference_index_;
};

}  // namespace

std::string_view OpTypeName(OpType type) {
  const auto index = static_cast<size_t>(type);
  return index < kOpTypeNames.size() ? kOpTypeNames[index] : std::string_view();
}

std::vector<Section> SectionsOf(const Program& program) {
  std::vector<Section> sections;
  ForEachOperation(program, [&](const Operation& operation) {
    sections.push_back(
        {ArgFrameName(operation), static_cast<int32_t>(wire::SectionKind::ArgFrame)});
    sections.push_back({AttrsName(operation), static_cast<int32_t>(wire::SectionKind::OpAttrs)});
  });
  return sections;
}

Result<Bytes> Write(const Program& program) { return Writer(program).Run(); }

Result<Program> Parse(ByteSpan bytes) {
  if (auto error = flatbuffer::CheckShape(WireSchema(), bytes)) return std::move(error->error);
  return ProgramReader(bytes).Run();
}

std::vector<AttributeBytes> CountAttributes(ByteSpan bytes) {
  std::vector<AttributeBytes> counts;
  size_t budget = 8 * bytes.size();
  ForEach(wire::GetE5Program(bytes.data())->sections(), [&](const wire::Section* section) {
    const auto* attrs = section->attrs();
    if (attrs == nullptr || attrs->size() > budget) return;
    budget -= attrs->size();
    std::bitset<256> values;
    for (const uint8_t byte : *attrs) values.set(byte);
    counts.push_back({section->name() == nullptr ? "" : section->name()->string_view(),
                      attrs->size(), values.count()});
  });
  return counts;
}

Program MakeProgram(const Outline& outline) { return ProgramMaker(outline).Run(); }

namespace {

// Adds other names of TensorDataType for JSON. For example, "table_23_12.fp16" is the code that
// specification 000, table 23.12 calls fp16. Output has the first name of a code.
void AddSerializationNames(flatbuffer::Schema& schema) {
  for (flatbuffer::EnumType& type : schema.enums) {
    if (!type.name.ends_with("TensorDataType")) continue;
    for (const EnumEntry& entry : GetEnumTable(EnumKind::kElementType).entries) {
      type.values.push_back(
          {.name = fmt::format("table_23_12.{}", entry.name), .value = entry.code});
    }
  }
}

}  // namespace

const flatbuffer::Schema& WireSchema() {
  static const flatbuffer::Schema schema = [] {
    using Embedded = wire::E5ProgramBinarySchema;
    // The schema is compiled into the program, so a failure is a build error that the tests find.
    auto made = flatbuffer::SchemaFromReflection({Embedded::data(), Embedded::size()}).value();
    AddSerializationNames(made);
    return made;
  }();
  return schema;
}

}  // namespace anecheck::e5
