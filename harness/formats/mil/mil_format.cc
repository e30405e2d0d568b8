#include "harness/formats/mil/mil_format.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/counted.h"
#include "harness/base/json.h"
#include "harness/formats/format.h"
#include "harness/formats/format_of.h"
#include "harness/formats/mil/json.h"
#include "harness/formats/mil/lexer.h"
#include "harness/formats/mil/parser.h"
#include "harness/formats/mil/printer.h"
#include "harness/formats/mil/reader.h"
#include "harness/formats/mil/rules.h"
#include "harness/formats/mil/verify.h"

namespace anecheck {
namespace {

using mil::Program;

Result<Program> ParseBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(std::string text, mil::TextOfFile(bytes));
  return mil::Parse(std::move(text));
}

Bytes BytesOf(const std::string& text) { return {text.begin(), text.end()}; }

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  constexpr FactEvidence kReal = FactEvidence::kRealFile;
  constexpr const char* kForms = "real files; facts/more/mil_text_forms.csv";
  static const std::vector<FieldFact> facts = {
      {"version", kReal, kForms},
      {"attributes[].name", kReal, kForms},
      {"attributes[].value", kReal, kForms},
      {"functions[].name", kReal, kForms},
      {"functions[].opset", kReal, kForms},
      {"functions[].parameters", kReal, kForms},
      {"functions[].attributes", kReal, kForms},
      {"functions[].outputs", kReal, kForms},
      {"functions[].statements[].results", kReal, kForms},
      {"functions[].statements[].op", kReal, kForms},
      {"functions[].statements[].opset", kReal, "real files; facts/silicon/analytics_grammar.md"},
      {"functions[].statements[].arguments", kReal, kForms},
      {"functions[].statements[].attributes", kReal, kForms},
      {"functions[].statements[].blocks", FactEvidence::kAssumed,
       "no source shows how nested blocks are spelled"},
      {"gaps", FactEvidence::kNotation, "spacing and comments between the tokens"}};
  return facts;
}

// The first tokens determine the certainty. A .mil file that begins with other tokens may be broken
// MIL text, so its certainty is low instead of 0.
int Recognise(ByteSpan bytes, std::string_view path) {
  constexpr size_t kEnough = 4096;
  const std::string head(bytes.begin(),
                         bytes.begin() + static_cast<ptrdiff_t>(std::min(bytes.size(), kEnough)));
  const char* at = mil::SkipTrivia(head.c_str());
  const char* stop = mil::SkipName(at);
  if (std::string_view(at, static_cast<size_t>(stop - at)) == "program" &&
      *mil::SkipTrivia(stop) == '(') {
    return 100;
  }
  return path.ends_with(".mil") ? 30 : 0;
}

Result<Bytes> FromJson(const Json& json) {
  ANECHECK_ASSIGN(const std::string text, mil::TextFromJson(json));
  return BytesOf(text);
}

// A listing is at most kShortListing bytes longer than its text. This bounds its memory.
constexpr size_t kShortListing = size_t{1} << 16;

bool HasRoom(const Program& program, const std::string& out) {
  return out.size() < program.text.size() + kShortListing;
}

// Prints the number of uses of each operation in the statements of a function, sorted by name.
void PrintOperations(const Program& program, const mil::Block& block, std::string& out) {
  std::vector<uint32_t> order(block.statement_end - block.statement_first);
  std::iota(order.begin(), order.end(), block.statement_first);
  const auto op = [&](uint32_t statement) {
    return program.View(program.statements[statement].op);
  };
  std::ranges::sort(order, {}, op);
  out += fmt::format("  {}: ", Counted(order.size(), "statement"));
  if (order.empty()) out += "none";
  for (size_t i = 0; i < order.size() && HasRoom(program, out);) {
    size_t end = i + 1;
    while (end < order.size() && op(order[end]) == op(order[i])) ++end;
    fmt::format_to(std::back_inserter(out), "{}{} {}", i == 0 ? "" : ", ", end - i, op(order[i]));
    i = end;
  }
  out += '\n';
}

// Uses no temporary string, because a copy of a long text would double the memory.
void PrintAttribute(mil::ArgumentView attribute, std::string_view indent, std::string& out) {
  out += indent;
  out += attribute.name();
  out += " = ";
  mil::AppendValue(attribute.value(), out);
  out += '\n';
}

void PrintFunction(const Program& program, mil::FunctionView function, std::string& out) {
  const mil::BlockView block = function.block();
  out += fmt::format("function {}, opset {}\n", function.name(),
                     function.opset().empty() ? "none" : function.opset());
  for (const mil::BindingView parameter : block.parameters()) {
    if (!HasRoom(program, out)) break;
    out += fmt::format("  input   {}: {}\n", parameter.name(), mil::PrintType(parameter.type()));
  }
  for (const mil::ValueView output : block.outputs()) {
    if (!HasRoom(program, out)) break;
    out += fmt::format("  output  {}: {}\n", output.text(),
                       output.IsResolved() ? mil::PrintType(output.binding().type()) : "undefined");
  }
  PrintOperations(program, program.blocks[program.functions[function.next() - 1].block], out);
  for (const mil::ArgumentView attribute : function.attributes()) {
    if (!HasRoom(program, out)) break;
    PrintAttribute(attribute, "  ", out);
  }
}

// Prints each path of a BLOBFILE value with the number of its uses and the largest offset.
void PrintBlobs(const Program& program, std::string& out) {
  std::map<std::string, std::pair<int, uint64_t>> files;
  for (uint32_t i = 0; i < program.values.size(); ++i) {
    const mil::ValueView value(&program, i);
    if (value.kind() != mil::ValueKind::kBlobFile) continue;
    const auto place = mil::ReadBlobReference(value);
    if (!place.ok() || !place->has_value()) continue;
    auto& [count, last] = files[(*place)->path];
    ++count;
    last = std::max(last, (*place)->offset);
  }
  for (const auto& [path, use] : files) {
    out += fmt::format("{} in {}, the last at {}\n", Counted(use.first, "blob"), path, use.second);
  }
}

// Returns the version of the MIL component in buildInfo, or "".
std::string ComponentVersion(const Program& program) {
  constexpr std::string_view kKey = "\"coremlc-component-MIL\"";
  for (const mil::ArgumentView attribute : mil::ProgramAttributes(program)) {
    const std::string text = mil::PrintValue(attribute.value());
    const size_t key = text.find(kKey);
    if (key == std::string::npos) continue;
    const size_t begin = text.find('"', key + kKey.size());
    const size_t end = begin == std::string::npos ? begin : text.find('"', begin + 1);
    if (end != std::string::npos) return text.substr(begin + 1, end - begin - 1);
  }
  return {};
}

// Prints the differences of a file from the specification, and of its spelling from facts/mil.md.
void PrintDifferences(const Program& program, std::string& out) {
  constexpr std::string_view kVersion = "3520.4.1";  // specification 000, table 23.1
  const std::string version = ComponentVersion(program);
  if (!version.empty() && version != kVersion) {
    out += fmt::format(
        "difference from the specification: component version {}; table 23.1 names {}\n", version,
        kVersion);
  }
  uint32_t rank0 = 0;
  for (const mil::Type& type : program.types) {
    rank0 += type.kind == mil::TypeKind::kTensor && type.count == 0 ? 1 : 0;
  }
  if (rank0 != 0) {
    out += fmt::format("{} spelled tensor<T, []>, where the notes spell T\n",
                       Counted(rank0, "scalar"));
  }
}

std::string Print(const Program& program) {
  std::string out;
  out.reserve(program.text.size() + kShortListing);
  fmt::format_to(std::back_inserter(out), "MIL program, version {}\n",
                 program.View(program.version));
  for (const mil::ArgumentView attribute : mil::ProgramAttributes(program)) {
    if (!HasRoom(program, out)) break;
    PrintAttribute(attribute, "", out);
  }
  for (const mil::FunctionView function : mil::Functions(program)) {
    if (!HasRoom(program, out)) break;
    PrintFunction(program, function, out);
  }
  if (!HasRoom(program, out)) out += "... cut: the listing would be longer than the text\n";
  PrintBlobs(program, out);
  PrintDifferences(program, out);
  return out;
}

// The text between tokens (white space and comments) is fill.
ByteCounts CountBytes(const Program& program, ByteSpan bytes) {
  const uint64_t typed = mil::TokenBytes(program);
  return ByteCounts{.total = bytes.size(), .typed = typed, .fill = bytes.size() - typed};
}

constexpr FormatOf<Program> kDefinition = {
    .name = "mil",
    .title = "MIL text",
    .rules = mil::kRules.rules(),
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FromJson,
    .parse = ParseBytes,
    .to_json = [](const Program& program) -> Result<Json> { return mil::ProgramToJson(program); },
    .write = [](const Program& program) -> Result<Bytes> {
      return BytesOf(mil::PrintAsRead(program));
    },
    .verify = mil::Verify,
    .print = Print,
    .count_bytes = CountBytes,
};

}  // namespace

const Format kFormat_mil = MakeFormat<kDefinition>();

}  // namespace anecheck
