#include <algorithm>
#include <fmt/format.h>

#include "harness/base/counted.h"
#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/formats/format_of.h"
#include "harness/formats/message.h"
#include "harness/formats/rules.h"
#include "harness/formats/submission/structures.h"
#include "harness/formats/submission/submission.h"

namespace anecheck {
namespace submission {
namespace {

constexpr std::string_view kOwnForm = "the capture form (harness/formats/submission/submission.h)";
constexpr std::string_view kSelectors = "facts/more/iokit_selectors.csv (public guide, chapter 27)";
constexpr std::string_view kGuideFields = "public guide, chapter 27";
constexpr FactEvidence kSpecification = FactEvidence::kSpecification;
constexpr FactEvidence kPublicNotes = FactEvidence::kPublicNotes;

using Methods = std::vector<const Method*>;

// Calls visit(index, call, candidate methods) for every call of a known client.
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

// A field that the output structure must repeat from the input structure.
struct Echo {
  std::string_view in;  // names of the two structures
  std::string_view out;
  RecordField asked;
  RecordField answered;
};
constexpr Echo kEchoes[] = {
    {"device_open", "device_info", device_open::kCallback, device_open::kCallback},
    {"device_open", "device_info", device_open::kReceiver, device_open::kReceiver},
    {"device_open", "device_info", device_open::kTimeout, device_open::kTimeout},
    {"program_request", "program_reply", program_request::kToken, program_reply::kToken},
};

void CheckEchoes(const Capture& capture, std::string_view structure, RuleReport& broken) {
  for (size_t i = 0; i < capture.calls.size(); ++i) {
    const Call& call = capture.calls[i];
    const Structure* in = StructureOf(call, Direction::kIn);
    const Structure* out = StructureOf(call, Direction::kOut);
    if (in == nullptr || out == nullptr || in->name != structure || call.result != 0) continue;
    for (const Echo& echo : kEchoes) {
      if (echo.in != in->name || echo.out != out->name) continue;
      const uint64_t asked = Load(echo.asked, call.struct_in);
      const uint64_t answered = Load(echo.answered, call.struct_out);
      if (asked == answered) continue;
      const size_t begin = call.offset + kCallRecord.kSize + call.struct_in.size() +
                           sizeof(uint64_t) * (call.scalars_in.size() + call.scalars_out.size());
      broken(begin + echo.answered.offset, "call[{}]: {} 0x{:x} was passed, 0x{:x} came back", i,
             echo.asked.name, asked, answered);
    }
  }
}

// A count or size in a call that its method determines.
struct Stated {
  uint32_t Method::* member;
  bool output;  // the number belongs to an output, which a failed call may lack
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

// The numbers of a call must be those of one of its candidate methods. Reports the number at
// `kIndex` if candidates match all numbers before it, but none of these candidates matches this
// number.
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
      broken(call.offset + stated.offset, "call[{}]: the count or size is {}, the method states {}",
             i, actual, wanted);
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
           broken(call.offset + kCallRecord.OffsetOf("client"), "call[{}]: client {} is unknown", i,
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
    {"scalar-inputs", "A call passes as many scalars as its method takes.", kSelectors,
     kPublicNotes, CheckStated<0>},
    {"scalar-outputs", "A call returns as many scalars as its method states, or none if it fails.",
     kSelectors, kPublicNotes, CheckStated<1>},
    {"struct-output",
     "A call returns a structure of the size that its method states, or none if it fails.",
     "specification 000, table 23.14; facts/more/iokit_selectors.csv", kSpecification,
     CheckStated<2>},
    {"open-echo", "The reply to an open call repeats its callback, receiver and timeout.",
     kGuideFields, kPublicNotes,
     [](const Capture& capture, RuleReport& broken) {
       CheckEchoes(capture, "device_open", broken);
     }},
    {"reply-token", "The reply to a request repeats its program token.",
     "specification 000, below table 23.14; public guide, chapter 27", kSpecification,
     [](const Capture& capture, RuleReport& broken) {
       CheckEchoes(capture, "program_request", broken);
     }},
    {"load-firmware-result", "ANE_LoadFirmware returns 0xe00002c7.", kSelectors, kPublicNotes,
     [](const Capture& capture, RuleReport& broken) {
       ForEachCall(capture, [&](size_t i, const Call& call, const Result<Methods>& rows) {
         if (!rows.ok() || MethodNames(*rows).front() != "ANE_LoadFirmware" ||
             call.result == kReturnUnsupported) {
           return;
         }
         broken(call.offset + kCallRecord.OffsetOf("result"),
                "call[{}]: the result is {}, must be 0xe00002c7", i, ReturnCodeText(call.result));
       });
     }},
    {"result-named", "The result is a code that some source names.",
     "no source: facts/more/error_codes.csv may be incomplete", FactEvidence::kAssumed,
     [](const Capture& capture, RuleReport& broken) {
       ForEachCall(capture, [&](size_t i, const Call& call, const Result<Methods>& /*rows*/) {
         const std::string text = ReturnCodeText(call.result);
         if (!text.starts_with("0x")) return;
         broken(call.offset + kCallRecord.OffsetOf("result"),
                "call[{}]: no source names the result {}", i, text);
       });
     }},
    {"open-first", "The first call opens the device.", "no source", FactEvidence::kAssumed,
     [](const Capture& capture, RuleReport& broken) {
       if (capture.calls.empty() || capture.calls[0].selector == 0) return;
       broken(capture.calls[0].offset + kCallRecord.OffsetOf("selector"),
              "call[0]: the first selector is {}, which does not open the device",
              capture.calls[0].selector);
     }},
});

std::span<const FieldFact> FieldFacts(const Json& /*json*/) {
  static const std::vector<FieldFact> facts = [] {
    std::vector<FieldFact> rows = {
        {"calls[].client", FactEvidence::kPublicNotes,
         "facts/more/iokit_selectors.csv (public guide, chapter 27); specification 000 has one "
         "interface"},
        {"calls[].selector", FactEvidence::kSpecification, "specification 000, table 23.14"},
        {"calls[].derived.method", FactEvidence::kSpecification,
         "specification 000, table 23.14; facts/more/iokit_selectors.csv"},
        {"calls[].result", FactEvidence::kPublicNotes,
         "facts/more/error_codes.csv (public guide, appendix C.3)"},
        {"calls[].scalars_in", FactEvidence::kOpaque, "sources give only the number of scalars"},
        {"calls[].scalars_out", FactEvidence::kOpaque, "sources give only the number of scalars"}};
    for (const Structure& structure : Structures()) {
      const char* side = structure.direction == Direction::kIn ? "in" : "out";
      for (size_t i = 0; i < structure.fields.size(); ++i) {
        rows.push_back(
            {fmt::format("calls[].struct_{}.{}.{}", side, structure.name, structure.fields[i].name),
             structure.sources[i].evidence, std::string(structure.sources[i].source)});
      }
    }
    for (const char* side : {"in", "out"}) {
      rows.push_back({fmt::format("calls[].struct_{}", side), FactEvidence::kOpaque,
                      "sources give only the size of the rest"});
    }
    return rows;
  }();
  return facts;
}

int Recognise(ByteSpan bytes, std::string_view /*path*/) {
  return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin())
             ? 100
             : 0;
}

// Returns the names of the call's method in methods.h, or the reason why there is no method.
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

Json StructureJson(const Call& call, Direction direction) {
  const Bytes& bytes = direction == Direction::kIn ? call.struct_in : call.struct_out;
  const Structure* structure = StructureOf(call, direction);
  if (structure == nullptr) return HexText(bytes);
  return {{std::string(structure->name), RecordToJson(structure->fields, bytes)}};
}

// Reads hexadecimal digits, or {"program_request": {"program_token": ..., "opaque": [...]}}.
Bytes StructureFromJson(JsonFields& call, std::string_view key) {
  const auto found = call.object().find(std::string(key));
  if (found == call.object().end() || !found->is_object()) return call.HexBytes(key);
  const Json& named = call.Object(key);
  if (named.size() != 1) {
    call.Fail(key, "needs one member, the name of a structure");
    return {};
  }
  const auto& [name, fields] = *named.items().begin();
  const Structure* structure = StructureOfName(name);
  if (structure == nullptr) {
    call.Fail(key, fmt::format("has no structure \"{}\"; give its bytes as hexadecimal digits",
                               Shown(name)));
    return {};
  }
  Result<Bytes> bytes = RecordFromJson(structure->fields, fields, structure->size, call.Path(key));
  if (bytes.ok()) return *bytes;
  if (call.status()->ok()) *call.status() = bytes.error();
  return {};
}

Result<Json> ToJson(const Capture& capture) {
  Json calls = Json::array();
  for (const Call& call : capture.calls) {
    Json object = Json::object();
    kCallRecord.ToJson(call, object);
    object["scalars_in"] = ScalarsJson(call.scalars_in);
    object["struct_in"] = StructureJson(call, Direction::kIn);
    object["scalars_out"] = ScalarsJson(call.scalars_out);
    object["struct_out"] = StructureJson(call, Direction::kOut);
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
    call.struct_in = StructureFromJson(object, "struct_in");
    call.scalars_out = object.Uints("scalars_out", UINT64_MAX);
    call.struct_out = StructureFromJson(object, "struct_out");
    object.RefuseOthers();
  });
  fields.RefuseOthers();
  if (!status.ok()) return status.error();
  return Write(capture);
}

// Returns the fields that are not zero: "program_request: program_token 0x5, sequence 1".
std::string FieldsText(const Call& call, Direction direction) {
  const Structure* structure = StructureOf(call, direction);
  if (structure == nullptr) return "";
  const Bytes& bytes = direction == Direction::kIn ? call.struct_in : call.struct_out;
  const Json json = RecordToJson(structure->fields, bytes);
  std::vector<std::string> parts;
  for (const auto& [name, value] : json.items()) {
    const std::string text = value.is_string() ? value.text() : value.dump();
    if (text == "0" || text == "0x0" || text == "{}" || text == "[]") continue;
    parts.push_back(name == "opaque" ? "bytes without a name" : fmt::format("{} {}", name, text));
  }
  return fmt::format("      {}: {}\n", structure->name,
                     parts.empty() ? "all zero" : fmt::format("{}", fmt::join(parts, ", ")));
}

std::string Print(const Capture& capture) {
  std::string text = fmt::format("driver calls: {}\n", capture.calls.size());
  for (size_t i = 0; i < capture.calls.size(); ++i) {
    const Call& call = capture.calls[i];
    text += fmt::format(
        "  [{}] 0x{:x} {} client, selector {}, {} in: {}\n"
        "      scalars in {}, out {}; structure out {}; result {}\n",
        i, call.offset,
        call.client < kClientCount ? ClientName(static_cast<Client>(call.client)) : "unknown",
        call.selector, Counted(call.struct_in.size(), "byte"), MethodText(call),
        ScalarsJson(call.scalars_in).dump(), ScalarsJson(call.scalars_out).dump(),
        Counted(call.struct_out.size(), "byte"), ReturnCodeText(call.result));
    text += FieldsText(call, Direction::kIn) + FieldsText(call, Direction::kOut);
  }
  return text +
         "sources differ: the specification has one interface with selectors overloaded by size, "
         "the public guide two clients\n";
}

ByteCounts CountBytes(const Capture& capture, ByteSpan bytes) {
  uint64_t opaque = 0;
  for (const Call& call : capture.calls) {
    opaque += call.struct_in.size() + call.struct_out.size();
    for (const Direction direction : {Direction::kIn, Direction::kOut}) {
      const Structure* structure = StructureOf(call, direction);
      if (structure != nullptr) opaque -= RecordTypedBytes(structure->fields);
    }
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
