#include "harness/formats/e5/e5.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/counted.h"
#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/formats/e5/e5_rules.h"
#include "harness/formats/enums/enums.h"
#include "harness/formats/flatbuffer/document.h"
#include "harness/formats/flatbuffer/document_json.h"
#include "harness/formats/flatbuffer/shape.h"
#include "harness/formats/format_of.h"

namespace anecheck::e5 {
namespace {

using flatbuffer::Decode;
using flatbuffer::Document;
using flatbuffer::Encode;

Result<Document> DecodeFile(ByteSpan bytes) {
  return Decode(WireSchema(), bytes,
                static_cast<uint32_t>(std::min<size_t>(bytes.size(), INT32_MAX)), {},
                WireSchema().root);
}

// The specification states the root and the tensor descriptor. Public notes name the fields of the
// other tables (facts/e5_schema.md). A field that is in no source has the evidence "assumed" in
// e5.fbs.
std::pair<FactEvidence, std::string> SourceOf(const flatbuffer::TableType& table,
                                              const flatbuffer::Field& field) {
  static constexpr std::string_view kInferred[] = {"op_type", "storage_type", "src_dtype",
                                                   "dst_dtype", "kind"};
  if (field.evidence == "assumed" || table.name == "OpAttrsBlob") {
    return {FactEvidence::kAssumed, "no source states its place"};
  }
  if (std::ranges::find(kInferred, field.name) != std::end(kInferred)) {
    return {FactEvidence::kAssumed, "facts/e5_schema.md for the names; their numbers are inferred"};
  }
  if (table.name == "E5Program") {
    return {FactEvidence::kSpecification, "specification 000, table 23.2 and listing 23.1"};
  }
  if (table.name == "TensorDescriptor" && field.name != "component_pack") {
    return {FactEvidence::kSpecification, "specification 000, listing 23.2"};
  }
  return {FactEvidence::kPublicNotes,
          "facts/e5_schema.md; specification 000, table 23.3, proves the table"};
}

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts =
      flatbuffer::DocumentFacts(WireSchema(), WireSchema().root, "", SourceOf);
  return facts;
}

int Recognise(ByteSpan bytes, std::string_view path) {
  // There is no magic number, so the root's vtable is used as one (specification 000, table 23.1).
  static constexpr std::array<uint8_t, 8> kHead = {0x0c, 0, 0x14, 0, 4, 0, 8, 0};
  const bool named = path.ends_with(".e5");
  if (flatbuffer::CheckShape(WireSchema(), bytes)) return named ? 20 : 0;
  const Result<Document> document = DecodeFile(bytes);
  if (!document.ok()) return named ? 20 : 0;
  const auto& root = document->objects[document->root];
  const uint32_t vtable = document->objects[root.vtable].at;
  const ByteSpan head = bytes.subspan(vtable);  // shorter than 8 bytes if the vtable ends the file
  if (std::ranges::equal(head.first(std::min(head.size(), kHead.size())), kHead)) return 90;
  return named ? 60 : 0;
}

// The objects of a file, and the bytes that contain them.
struct File {
  ByteSpan bytes;
  Document document;
};

Result<File> ParseFile(ByteSpan bytes) {
  ANECHECK_ASSIGN(Document document, DecodeFile(bytes));
  return File{bytes, std::move(document)};
}

Result<Json> ToJson(const File& file) {
  ANECHECK_ASSIGN(const Json body, flatbuffer::DocumentToJson(WireSchema(), file.document));
  Json json;
  json["format"] = "e5";
  json.update(body);
  return json;
}

Result<Bytes> FromJson(const Json& json) {
  ANECHECK_ASSIGN(const Document document,
                  flatbuffer::DocumentFromJson(WireSchema(), json, WireSchema().root));
  return Encode(document);
}

// Verifies a file without decoding the objects, because the rules do not need them.
Result<std::vector<Violation>> VerifyBytes(ByteSpan bytes) {
  bool may_overlap = false;
  if (auto error = flatbuffer::CheckShape(WireSchema(), bytes, {}, &may_overlap)) {
    return std::move(error->error);
  }
  // Refuses files whose objects overlap too much, because a rewrite refuses them.
  if (may_overlap) ANECHECK_RETURN_IF_ERROR(DecodeFile(bytes));
  return CheckRules(bytes);
}

std::string Shape(const TensorDescriptor& tensor) {
  return fmt::format("[{}] strides [{}]", fmt::join(tensor.dim, ", "),
                     fmt::join(tensor.stride, ", "));
}

std::string_view InferredName(TensorDataType dtype) {
  static constexpr std::array<std::string_view, 11> kNames = {
      "invalid", "float16", "float32", "int8", "uint8", "int16",
      "int32",   "int4",    "bool",    "e4m3", "e5m2"};
  const auto index = static_cast<uint32_t>(dtype);
  return index < kNames.size() ? kNames[index] : "unknown";
}

// Returns both names of an operand type, because two sources number the types differently. In the
// first the number is the index in the runtime's enumeration (facts/e5_schema.md, inferred). In the
// second it is a serialization code (specification 000, table 23.12).
std::string DtypeText(TensorDataType dtype) {
  const auto code = static_cast<uint32_t>(dtype);
  return fmt::format("type {} ({} by the runtime's enumeration, inferred; {} by table 23.12)", code,
                     InferredName(dtype),
                     EnumName(EnumKind::kElementType, code).value_or("unknown"));
}

void PrintOperation(const Operation& operation, std::string* out) {
  *out += fmt::format("    {} ({}): inputs [{}], outputs [{}]\n", operation.name,
                      OpTypeName(operation.type), fmt::join(operation.inputs, ", "),
                      fmt::join(operation.outputs, ", "));
  for (const TensorDescriptor& tensor : operation.operands) {
    *out += fmt::format("      operand {} {}\n", DtypeText(tensor.storage_type), Shape(tensor));
  }
  if (const auto* cast = std::get_if<CastAttrs>(&operation.attrs)) {
    *out += fmt::format("      cast {} to {}, component_pack {}\n", DtypeText(cast->src_dtype),
                        DtypeText(cast->dst_dtype), cast->component_pack);
  } else if (const auto* ane = std::get_if<AneInferenceAttrs>(&operation.attrs)) {
    *out += fmt::format("      procedure {}, symbol {}, anehash {}, buffer {}, options \"{}\"\n",
                        ane->procedure_name, ane->program_symbol, ane->anehash,
                        ane->intermediate_buffer_handle, ane->compiler_options);
  }
}

void PrintPorts(const std::vector<Port>& ports, std::string_view direction, std::string* out) {
  for (const Port& port : ports) {
    *out += fmt::format("  {} {}: {} at 0x{:x}\n", direction, port.name,
                        Counted(port.byte_size, "byte"), port.aperture_va);
  }
}

// Specification 000 gives a byte diversity of 0.19 for an attribute blob but does not define byte
// diversity. It is assumed to be the number of distinct values divided by the number of bytes. A
// cast between two types has 10 values in 52 bytes, which is 0.19.
void PrintAttributes(ByteSpan bytes, std::string* out) {
  for (const AttributeBytes& counted : CountAttributes(bytes)) {
    if (counted.bytes == 0) continue;
    *out +=
        fmt::format("  {}: {} of {}, byte diversity {:.2f} (counting assumed)\n", counted.section,
                    Counted(counted.bytes, "byte"), Counted(counted.values, "value"),
                    static_cast<double>(counted.values) / static_cast<double>(counted.bytes));
  }
}

bool AnyOperandHasField(const Document& document, uint16_t id) {
  const int16_t type = WireSchema().FindTable("TensorDescriptor");
  return std::ranges::any_of(document.objects, [&](const flatbuffer::Object& object) {
    return object.kind == flatbuffer::ObjectKind::kTable && object.type == type &&
           document.FindSlot(object, id) != nullptr;
  });
}

std::string Print(const File& file) {
  const auto& [bytes, document] = file;
  const Result<Program> parsed = Parse(bytes);
  if (!parsed.ok()) return fmt::format("dispatch descriptor (.e5): {}\n", parsed.error().message);
  const Program& program = *parsed;
  const flatbuffer::Object& root = document.objects[document.root];
  const flatbuffer::Object& vtable = document.objects[root.vtable];
  std::string out = fmt::format("dispatch descriptor (.e5), {}, format version {}\n",
                                Counted(bytes.size(), "byte"), program.format_version);
  out += fmt::format("root table at 0x{:x}, vtable {} at 0x{:x}\n", root.at,
                     HexText(bytes.subspan(vtable.at, document.SizeOf(vtable))), vtable.at);
  const int16_t tensor = WireSchema().FindTable("TensorDescriptor");
  if (AnyOperandHasField(document, WireSchema().tables[tensor].FindField("component_pack")->id)) {
    out += "note: operands carry component_pack, which specification 000, listing 23.2 has not\n";
  }
  out += fmt::format("build info ({})\n", program.build_info.size());
  for (const BuildInfoEntry& entry : program.build_info) {
    out += fmt::format("  {} = {}\n", entry.key, entry.value);
  }
  out += fmt::format("symbols ({})\n", program.symbol_names.size());
  for (size_t i = 0; i < program.symbol_names.size(); ++i) {
    out += fmt::format("  {} {}\n", i, program.symbol_names[i]);
  }
  out += fmt::format("sections ({})\n", program.sections.size());
  for (const Section& section : program.sections) {
    out += fmt::format("  {} kind {}\n", section.name, section.kind);
  }
  PrintAttributes(bytes, &out);
  out += "functions (assumed to belong to the first section)\n";
  for (const Function& function : program.functions) {
    out += fmt::format("  {} anehash {}\n", function.name, function.anehash_path);
    for (const Block& block : function.blocks) {
      out += fmt::format("   block {}\n", block.name);
      for (const Operation& operation : block.operations) PrintOperation(operation, &out);
    }
  }
  PrintPorts(program.input_ports, "input", &out);
  PrintPorts(program.output_ports, "output", &out);
  for (const AliasSymbol& alias : program.alias_symbols) {
    out += fmt::format("  state {}: symbol {} at 0x{:x}\n", alias.name, alias.symbol_index,
                       alias.addr_offset);
  }
  return out;
}

ByteCounts CountBytes(const File& file, ByteSpan bytes) {
  ByteKindMap map(bytes);
  flatbuffer::ClaimDocument(file.document, 0, &map);
  return std::move(map).Count();
}

const FormatOf<File> kDefinition = {
    .name = "e5",
    .title = "dispatch descriptor (.e5 FlatBuffer)",
    .rules = Rules(),
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FromJson,
    .parse = ParseFile,
    .to_json = ToJson,
    .write = [](const File& file) { return Encode(file.document); },
    .verify = [](const File& file) { return CheckRules(file.bytes); },
    .print = Print,
    .count_bytes = CountBytes,
};

}  // namespace
}  // namespace anecheck::e5

namespace anecheck {

const Format kFormat_e5 = [] {
  Format format = MakeFormat<e5::kDefinition>();
  format.verify = e5::VerifyBytes;
  return format;
}();

}  // namespace anecheck
