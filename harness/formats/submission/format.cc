// The submission format's entry: JSON, print and recognition of captures.

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/base/json_fields.h"
#include "harness/formats/record/record.h"
#include "harness/formats/submission/submission.h"

namespace anecheck {
namespace submission {
namespace {

using json_fields::Bad;

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts = {
      {"calls[].client", FactEvidence::kPublicNotes,
       "facts/more/iokit_selectors.csv (public guide, chapter 27); specification 000 has one "
       "interface"},
      {"calls[].selector", FactEvidence::kSpecification, "specification 000, table 23.14"},
      {"calls[].derived.method", FactEvidence::kSpecification,
       "specification 000, table 23.14; facts/more/iokit_selectors.csv"},
      {"calls[].result", FactEvidence::kPublicNotes,
       "facts/more/error_codes.csv (public guide, appendix C.3)"},
      {"calls[].scalars_in", FactEvidence::kOpaque, "sources give the number of scalars alone"},
      {"calls[].scalars_out", FactEvidence::kOpaque, "sources give the number of scalars alone"},
      {"calls[].struct_in", FactEvidence::kOpaque, "sources give the sizes of structures alone"},
      {"calls[].struct_out", FactEvidence::kOpaque, "sources give the sizes of structures alone"}};
  return facts;
}

int Recognise(ByteSpan bytes, std::string_view /*path*/) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin())
             ? 100
             : 0;
}

// What the call is by methods.h: names, or why there is none.
std::string MethodText(const Call& call) {
  if (call.client >= kClientCount) return fmt::format("client {} is unknown", call.client);
  const auto rows = FindMethods(static_cast<Client>(call.client), call.selector,
                                static_cast<uint32_t>(call.struct_in.size()));
  if (!rows.ok()) return rows.error().message;
  return fmt::format("{}", fmt::join(MethodNames(*rows), " or "));
}

Json ScalarsJson(std::span<const uint64_t> scalars) {
  Json list = Json::array();
  for (const uint64_t scalar : scalars) list.push_back(HexNumber(scalar));
  return list;
}

Json CallJson(const Call& call) {
  return Json{{"client", call.client},
              {"selector", call.selector},
              {"result", HexNumber(call.result)},
              {"scalars_in", ScalarsJson(call.scalars_in)},
              {"struct_in", HexText(call.struct_in)},
              {"scalars_out", ScalarsJson(call.scalars_out)},
              {"struct_out", HexText(call.struct_out)},
              {"derived", {{"method", MethodText(call)}}}};
}

Result<uint32_t> Number32(const Json& json, std::string_view key, const std::string& path) {
  ANECHECK_ASSIGN(const uint64_t number, json_fields::Number(json, key, path));
  if (number > UINT32_MAX) return Bad(path, fmt::format("\"{}\" does not fit in 32 bits", key));
  return static_cast<uint32_t>(number);
}

Result<std::vector<uint64_t>> ScalarsFromJson(const Json& json, std::string_view key,
                                              const std::string& path) {
  ANECHECK_ASSIGN(const std::vector<const Json*> items, json_fields::Array(json, key, path));
  std::vector<uint64_t> scalars;
  for (const Json* item : items) {
    ANECHECK_ASSIGN(const uint64_t scalar, json_fields::Number(*item, path));
    scalars.push_back(scalar);
  }
  return scalars;
}

Result<Bytes> StructFromJson(const Json& json, std::string_view key, const std::string& path) {
  ANECHECK_ASSIGN(const std::string text, json_fields::String(json, key, path));
  return ParseHexBytes(text, path);
}

// "derived" is for readers of the JSON and follows from the rest.
Result<Call> CallFromJson(const Json& json, const std::string& path) {
  if (!json.is_object()) return Bad(path, "needs an object");
  Call call;
  ANECHECK_ASSIGN(call.client, Number32(json, "client", path));
  ANECHECK_ASSIGN(call.selector, Number32(json, "selector", path));
  ANECHECK_ASSIGN(call.result, Number32(json, "result", path));
  ANECHECK_ASSIGN(call.scalars_in, ScalarsFromJson(json, "scalars_in", path));
  ANECHECK_ASSIGN(call.struct_in, StructFromJson(json, "struct_in", path));
  ANECHECK_ASSIGN(call.scalars_out, ScalarsFromJson(json, "scalars_out", path));
  ANECHECK_ASSIGN(call.struct_out, StructFromJson(json, "struct_out", path));
  return call;
}

Result<Json> ToJson(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Capture capture, Parse(bytes));
  Json calls = Json::array();
  for (const Call& call : capture.calls) calls.push_back(CallJson(call));
  return Json{{"format", "submission"}, {"calls", std::move(calls)}};
}

Result<Bytes> FromJson(const Json& json) {
  if (!json.is_object() || !json.contains("calls")) return Bad("submission", "needs \"calls\"");
  ANECHECK_ASSIGN(const std::vector<const Json*> rows,
                  json_fields::Array(json, "calls", "submission"));
  Capture capture;
  for (size_t i = 0; i < rows.size(); ++i) {
    ANECHECK_ASSIGN(Call call, CallFromJson(*rows[i], fmt::format("calls[{}]", i)));
    capture.calls.push_back(std::move(call));
  }
  return Write(capture);
}

Result<Bytes> Rewrite(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Capture capture, Parse(bytes));
  return Write(capture);
}

Result<std::vector<Violation>> VerifyBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Capture capture, Parse(bytes));
  return Verify(capture);
}

Result<std::string> Print(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Capture capture, Parse(bytes));
  std::string text = fmt::format("driver calls: {}\n", capture.calls.size());
  for (size_t i = 0; i < capture.calls.size(); ++i) {
    const Call& call = capture.calls[i];
    text += fmt::format(
        "  [{}] 0x{:x} {} client, selector {}, {} bytes in: {}\n"
        "      scalars in {}, out {}; structure out {} bytes; result {}\n",
        i, call.offset,
        call.client < kClientCount ? ClientName(static_cast<Client>(call.client)) : "unknown",
        call.selector, call.struct_in.size(), MethodText(call), ScalarsJson(call.scalars_in).dump(),
        ScalarsJson(call.scalars_out).dump(), call.struct_out.size(), ReturnCodeText(call.result));
  }
  return text +
         "structures are opaque: no source gives their fields' offsets\n"
         "sources differ: the specification has one interface with selectors overloaded by size, "
         "the public guide two clients\n";
}

Result<ByteCounts> CountBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Capture capture, Parse(bytes));
  uint64_t opaque = 0;
  for (const Call& call : capture.calls) {
    opaque += call.struct_in.size() + call.struct_out.size();
    opaque += sizeof(uint64_t) * (call.scalars_in.size() + call.scalars_out.size());
  }
  return ByteCounts{bytes.size(), 0, bytes.size() - opaque};
}

}  // namespace
}  // namespace submission

const Format kFormat_submission = {
    .name = "submission",
    .title = "Capture of driver calls",
    .rules = submission::Rules(),
    .fields = submission::FieldFacts,
    .recognise = submission::Recognise,
    .to_json = submission::ToJson,
    .from_json = submission::FromJson,
    .rewrite = submission::Rewrite,
    .verify = submission::VerifyBytes,
    .print = submission::Print,
    .count_bytes = submission::CountBytes,
};

}  // namespace anecheck
