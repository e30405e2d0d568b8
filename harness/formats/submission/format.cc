// The submission format: rules, JSON, print and recognition of captures.

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/formats/format_of.h"
#include "harness/formats/rules.h"
#include "harness/formats/submission/submission.h"

namespace anecheck {
namespace submission {
namespace {

constexpr std::string_view kOwnForm = "the capture form (harness/formats/submission/submission.h)";
constexpr std::string_view kSelectors = "facts/more/iokit_selectors.csv (public guide, chapter 27)";
constexpr FactEvidence kSpecification = FactEvidence::kSpecification;
constexpr FactEvidence kPublicNotes = FactEvidence::kPublicNotes;

using Methods = std::vector<const Method*>;

// Calls visit(index, call, the methods that it may be) for every call of a known client.
template <typename Visit>
void ForEachCall(const Capture& capture, Visit visit) {
  for (size_t i = 0; i < capture.calls.size(); ++i) {
    const Call& call = capture.calls[i];
    if (call.client >= kClientCount) continue;
    visit(i, call,
          FindMethods(static_cast<Client>(call.client), call.selector,
                      static_cast<uint32_t>(call.struct_in.size())));
  }
}

// A number that a method states and a call must have.
struct Stated {
  uint32_t Method::* member;
  bool output;  // a call that fails may return nothing
  size_t offset;
  size_t (*actual)(const Call& call);
};
constexpr Stated kStated[] = {
    {&Method::scalars_in, false, kCallRecord.OffsetOf("scalars_in"),
     [](const Call& c) { return c.scalars_in.size(); }},
    {&Method::scalars_out, true, kCallRecord.OffsetOf("scalars_out"),
     [](const Call& c) { return c.scalars_out.size(); }},
    {&Method::struct_out, true, kCallRecord.OffsetOf("struct_out"),
     [](const Call& c) { return c.struct_out.size(); }},
};

// One method must agree in all that it states. The number that is reported is the first one that no
// method states together with those before it: here the one at `index`.
template <size_t kIndex>
void CheckStated(const Capture& capture, RuleReport& broken) {
  ForEachCall(capture, [&](size_t i, const Call& call, const Result<Methods>& found) {
    if (!found.ok()) return;
    Methods rows = *found;
    uint32_t wanted = 0;
    for (size_t k = 0; k <= kIndex && !rows.empty(); ++k) {
      const Stated& stated = kStated[k];
      const size_t actual = stated.actual(call);
      wanted = rows.front()->*stated.member;
      std::erase_if(rows, [&](const Method* row) {
        const uint32_t count = row->*stated.member;
        const bool failed = stated.output && call.result != 0 && actual == 0;
        return count != kUnstated && count != actual && !failed;
      });
      if (!rows.empty() || k != kIndex) continue;
      broken(call.offset + stated.offset, "call[{}]: {} where the method has {}", i, actual,
             wanted);
    }
  });
}

constexpr auto kRules = RulesOf<Capture>({
    {"capture-magic", "A capture begins with its magic.", kOwnForm, kSpecification,
     CheckedWhileParsing},
    {"capture-complete", "Every call lies inside the capture.", kOwnForm, kSpecification,
     CheckedWhileParsing},
    {"capture-end", "Nothing follows the last call.", kOwnForm, kSpecification,
     CheckedWhileParsing},
    {"client-known", "The client is merged, control or direct.", kOwnForm, kSpecification,
     [](const Capture& capture, RuleReport& broken) {
       for (size_t i = 0; i < capture.calls.size(); ++i) {
         const Call& call = capture.calls[i];
         if (call.client >= kClientCount) {
           broken(call.offset + kCallRecord.OffsetOf("client"), "call[{}]: client {}", i,
                  call.client);
         }
       }
     }},
    {"known-method", "Selector and structure size name a method.",
     "specification 000, table 23.14; facts/more/iokit_selectors.csv", kSpecification,
     [](const Capture& capture, RuleReport& broken) {
       ForEachCall(capture, [&](size_t i, const Call& call, const Result<Methods>& rows) {
         if (rows.ok()) return;
         broken.Say(call.offset + kCallRecord.OffsetOf("selector"),
                    fmt::format("call[{}]: {}", i, rows.error().message));
       });
     }},
    {"scalar-inputs", "The method takes that many scalars.", kSelectors, kPublicNotes,
     CheckStated<0>},
    {"scalar-outputs", "The method returns that many scalars, or none where it fails.", kSelectors,
     kPublicNotes, CheckStated<1>},
    {"struct-output", "The method returns a structure of that size, or none where it fails.",
     "specification 000, table 23.14; facts/more/iokit_selectors.csv", kSpecification,
     CheckStated<2>},
    {"load-firmware-result", "ANE_LoadFirmware returns 0xe00002c7.", kSelectors, kPublicNotes,
     [](const Capture& capture, RuleReport& broken) {
       ForEachCall(capture, [&](size_t i, const Call& call, const Result<Methods>& rows) {
         if (!rows.ok() || MethodNames(*rows).front() != "ANE_LoadFirmware" ||
             call.result == kReturnUnsupported) {
           return;
         }
         broken(call.offset + kCallRecord.OffsetOf("result"), "call[{}]: the result is {}", i,
                ReturnCodeText(call.result));
       });
     }},
    {"result-named", "The result is a code that some source names.",
     "no source: facts/more/error_codes.csv need not be all", FactEvidence::kAssumed,
     [](const Capture& capture, RuleReport& broken) {
       ForEachCall(capture, [&](size_t i, const Call& call, const Result<Methods>& /*rows*/) {
         const std::string text = ReturnCodeText(call.result);
         if (!text.starts_with("0x")) return;
         broken(call.offset + kCallRecord.OffsetOf("result"), "call[{}]: {}", i, text);
       });
     }},
    {"open-first", "The first call opens the device.", "no source", FactEvidence::kAssumed,
     [](const Capture& capture, RuleReport& broken) {
       if (capture.calls.empty() || capture.calls[0].selector == 0) return;
       broken(capture.calls[0].offset + kCallRecord.OffsetOf("selector"),
              "call[0]: selector {} comes first", capture.calls[0].selector);
     }},
});

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

Result<Json> ToJson(const Capture& capture) {
  Json calls = Json::array();
  for (const Call& call : capture.calls) {
    Json object = Json::object();
    kCallRecord.ToJson(call, object);
    object["scalars_in"] = ScalarsJson(call.scalars_in);
    object["struct_in"] = HexText(call.struct_in);
    object["scalars_out"] = ScalarsJson(call.scalars_out);
    object["struct_out"] = HexText(call.struct_out);
    object["derived"] = {{"method", MethodText(call)}};
    calls.push_back(std::move(object));
  }
  return Json{{"format", "submission"}, {"calls", std::move(calls)}};
}

Result<Bytes> FromJson(const Json& json) {
  Status status;
  JsonFields fields(json, "", &status);
  fields.ReadElsewhere({"format"});
  Capture capture;
  if (!fields.Has("calls")) fields.Fail("calls", "is missing");
  fields.ForEach("calls", [&](JsonFields object) {
    Call& call = capture.calls.emplace_back();
    kCallRecord.FromJson(object, call);
    call.scalars_in = object.Uints("scalars_in", UINT64_MAX);
    call.struct_in = object.HexBytes("struct_in");
    call.scalars_out = object.Uints("scalars_out", UINT64_MAX);
    call.struct_out = object.HexBytes("struct_out");
    object.RefuseOthers();
  });
  fields.RefuseOthers();
  if (!status.ok()) return status.error();
  return Write(capture);
}

std::string Print(const Capture& capture) {
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

ByteCounts CountBytes(const Capture& capture, ByteSpan bytes) {
  uint64_t opaque = 0;
  for (const Call& call : capture.calls) {
    opaque += call.struct_in.size() + call.struct_out.size();
    opaque += sizeof(uint64_t) * (call.scalars_in.size() + call.scalars_out.size());
  }
  return {bytes.size(), 0, bytes.size() - opaque};
}

constexpr FormatOf<Capture> kDefinition = {
    .name = "submission",
    .title = "Capture of driver calls",
    .rules = kRules.rules(),
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FromJson,
    .parse = Parse,
    .to_json = ToJson,
    .write = [](const Capture& capture) -> Result<Bytes> { return Write(capture); },
    .verify = [](const Capture& capture) { return kRules.Verify(capture); },
    .print = Print,
    .count_bytes = CountBytes,
};

}  // namespace
}  // namespace submission

const Format kFormat_submission = MakeFormat<submission::kDefinition>();

}  // namespace anecheck
