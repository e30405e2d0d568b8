// The td format: a file that is only the text section of a container.
#include <charconv>
#include <fmt/format.h>

#include "harness/base/json.h"
#include "harness/formats/format_of.h"
#include "harness/formats/message.h"
#include "harness/formats/td/layout.h"
#include "harness/formats/td/rules.h"
#include "harness/formats/td/td.h"

namespace anecheck {
namespace td {
namespace {

using Decoder = Result<Chain> (*)(ByteSpan);

template <size_t kGeneration>
Result<Chain> DecodeAs(ByteSpan bytes) {
  return Decode(bytes, Generations()[kGeneration]);
}

std::span<const FieldFact> FieldFacts(const Json& json) {
  const auto facts_of = [](FactEvidence coding) {
    return ChainFacts(
        "", coding,
        {"", FactEvidence::kAssumed,
         "no field of a bare chain holds it; it comes from --format or is the best guess"});
  };
  static const std::vector<FieldFact> real = facts_of(FactEvidence::kRealFile);
  static const std::vector<FieldFact> noted = facts_of(FactEvidence::kPublicNotes);
  const auto generation = GenerationOfVersion(json.value("version", 0U));
  return generation.ok() && (*generation)->evidence == FactEvidence::kRealFile ? real : noted;
}

// A section has no magic number, so the file name must match. If the bytes decode, it is likely.
int Recognise(ByteSpan bytes, std::string_view path) {
  if (!path.ends_with(".td")) return 0;
  return DecodeAnyVersion(bytes).ok() ? 60 : 20;
}

Result<Json> ToJson(const Chain& chain) {
  Json json = {{"format", "td"}};
  json.update(ChainToJson(chain));
  return json;
}

Result<Bytes> FromJson(const Json& json) {
  ANECHECK_ASSIGN(const Chain chain, ChainFromJson(json));
  return Encode(chain);
}

ByteCounts CountBytes(const Chain& chain, ByteSpan bytes) {
  ByteKindMap map(bytes);
  ClaimChain(chain, 0, &map);
  return std::move(map).Count();
}

template <Decoder kDecode>
constexpr FormatOf<Chain> kDecodedBy = {
    .name = {},  // FormatWith sets them
    .title = {},
    .rules = {},
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FromJson,
    .parse = kDecode,
    .to_json = ToJson,
    .write = Encode,
    .verify = VerifyChain,
    .print = [](const Chain& chain) { return PrintChain(chain, 0); },
    .count_bytes = CountBytes};

template <Decoder kDecode>
Format FormatWith(std::string_view name, std::string_view title) {
  Format format = MakeFormat<kDecodedBy<kDecode>>();
  format.name = name;
  format.title = title;
  format.rules = Rules();
  return format;
}

// In the order of Generations().
const auto kVersionFormats = std::to_array<Format>({
    FormatWith<DecodeAs<0>>("td:7", "task descriptor chain read as version 7"),
    FormatWith<DecodeAs<1>>("td:11", "task descriptor chain read as version 11"),
    FormatWith<DecodeAs<2>>("td:8", "task descriptor chain read as version 8"),
    FormatWith<DecodeAs<3>>("td:17", "task descriptor chain read as version 17"),
    FormatWith<DecodeAs<4>>("td:19", "task descriptor chain read as version 19"),
    FormatWith<DecodeAs<5>>("td:20", "task descriptor chain read as version 20"),
    FormatWith<DecodeAs<6>>("td:24", "task descriptor chain read as version 24"),
});

// Calls visit(offset, kind) for each word of the chain's tasks, in order. A word without named
// fields is opaque, or fill if it is 0.
template <typename Visit>
void ForEachWord(const Chain& chain, Visit visit) {
  for (const Task& task : chain.tasks) {
    uint64_t at = task.offset;
    const auto word = [&](const WordLayout& layout, uint32_t value) {
      const ByteKind bare = value == 0 ? ByteKind::kFill : ByteKind::kOpaque;
      visit(at, layout.fields.empty() ? bare : ByteKind::kTyped);
      at += 4;
    };
    for (uint32_t i = 0; i < chain.header_words; ++i) {
      word(HeaderWord(*chain.generation, i), task.header[i]);
    }
    if (task.extra_word) {
      visit(at, ByteKind::kTyped);
      at += 4;
    }
    for (const RegisterWrite& write : task.writes) {
      visit(at, ByteKind::kTyped);
      at += 4;
      ForEachRegister(task, write, [&](uint32_t address, uint32_t value) {
        word(Register(*chain.generation, address), value);
      });
    }
  }
}

}  // namespace

void ClaimChain(const Chain& chain, uint64_t base, ByteKindMap* map) {
  if (chain.section_header) map->Claim(ByteKind::kTyped, base, 4 * kSectionHeaderWords);
  ForEachWord(chain, [&](uint64_t at, ByteKind kind) { map->Claim(kind, base + at, 4); });
}

std::span<const Format> VersionFormats() { return kVersionFormats; }

Result<const Format*> FormatOfVersion(std::string_view version) {
  uint32_t number = 0;
  const auto [end, error] =
      std::from_chars(version.data(), version.data() + version.size(), number);
  if (error != std::errc() || end != version.data() + version.size()) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("format \"td:{}\": a version is a whole number", Shown(version)));
  }
  ANECHECK_ASSIGN(const Generation* generation, GenerationOfVersion(number));
  return &kVersionFormats[static_cast<size_t>(generation - Generations().data())];
}

}  // namespace td

const Format kFormat_td = td::FormatWith<td::DecodeAnyVersion>(
    "td", "task descriptor chain (the text section of a hardware container)");

}  // namespace anecheck
