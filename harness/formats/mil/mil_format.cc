#include "harness/formats/mil/mil_format.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/formats/format.h"
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
  return mil::Parse(std::string(bytes.begin(), bytes.end()));
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
      {"functions[].statements[].arguments", kReal, kForms},
      {"functions[].statements[].attributes", kReal, kForms},
      {"functions[].statements[].blocks", FactEvidence::kAssumed,
       "no source shows how nested blocks are spelled"},
      {"gaps", FactEvidence::kNotation, "spacing and comments between the tokens"}};
  return facts;
}

// The first tokens decide; a file named .mil that does not begin so is offered as broken MIL text.
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

Result<Json> ToJson(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Program program, ParseBytes(bytes));
  return mil::ProgramToJson(program);
}

Result<Bytes> FromJson(const Json& json) {
  ANECHECK_ASSIGN(const std::string text, mil::TextFromJson(json));
  return BytesOf(text);
}

Result<Bytes> Rewrite(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Program program, ParseBytes(bytes));
  return BytesOf(mil::Print(program, mil::LayoutOf(program)));
}

Result<std::vector<Violation>> VerifyBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Program program, ParseBytes(bytes));
  std::vector<Violation> violations = mil::Verify(program);
  return violations;
}

std::string Names(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

void PrintFunction(const Program& program, mil::FunctionView function, std::string& out) {
  const mil::BlockView block = function.block();
  out += fmt::format("function {}, opset {}\n", function.name(),
                     function.opset().empty() ? "none" : function.opset());
  for (const mil::BindingView parameter : block.parameters()) {
    out += fmt::format("  input   {}: {}\n", parameter.name(), mil::PrintType(parameter.type()));
  }
  for (const mil::ValueView output : block.outputs()) {
    out += fmt::format("  output  {}: {}\n", output.text(),
                       output.IsResolved() ? mil::PrintType(output.binding().type()) : "undefined");
  }
  std::map<std::string_view, int> ops;
  const mil::Block& raw = program.blocks[program.functions[function.next() - 1].block];
  for (uint32_t i = raw.statement_first; i < raw.statement_end; ++i) {
    ++ops[program.View(program.statements[i].op)];
  }
  std::vector<std::string> counts;
  for (const auto& [op, count] : ops) counts.push_back(fmt::format("{} {}", count, op));
  out +=
      fmt::format("  {} statements: {}\n", raw.statement_end - raw.statement_first, Names(counts));
  for (const mil::ArgumentView attribute : function.attributes()) {
    out += fmt::format("  {} = {}\n", attribute.name(), mil::PrintValue(attribute.value()));
  }
}

// Each path that BLOBFILE names, how often and how far in.
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
    out += fmt::format("{} blobs in {}, the last at {}\n", use.first, path, use.second);
  }
}

// The version that buildInfo gives the intermediate-language component, or nothing.
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

// Where a file differs from the specification, and its spelling from what facts/mil.md describes.
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
    out += fmt::format("{} scalars are spelled tensor<T, []>, where the notes spell T\n", rank0);
  }
}

Result<std::string> PrintBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Program program, ParseBytes(bytes));
  std::string out = fmt::format("MIL program, version {}\n", program.View(program.version));
  for (const mil::ArgumentView attribute : mil::ProgramAttributes(program)) {
    out += fmt::format("{} = {}\n", attribute.name(), mil::PrintValue(attribute.value()));
  }
  for (const mil::FunctionView function : mil::Functions(program)) {
    PrintFunction(program, function, out);
  }
  PrintBlobs(program, out);
  PrintDifferences(program, out);
  return out;
}

// What stands between the tokens, white space and comments, carries nothing.
Result<Coverage> Cover(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Program program, ParseBytes(bytes));
  const uint64_t typed = mil::TokenBytes(program);
  return Coverage{.total = bytes.size(), .typed = typed, .fill = bytes.size() - typed};
}

}  // namespace

constinit const Format kFormat_mil = {
    .name = "mil",
    .title = "MIL text",
    .rules = mil::kRules,
    .fields = FieldFacts,
    .recognise = Recognise,
    .to_json = ToJson,
    .from_json = FromJson,
    .rewrite = Rewrite,
    .verify = VerifyBytes,
    .print = PrintBytes,
    .coverage = Cover,
};

}  // namespace anecheck
