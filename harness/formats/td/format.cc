// The td format: a text section on its own, as taken out of a container. Used by the command line
// and the fuzz targets.
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

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

// A section has no magic number: only the file name tells, and the bytes must decode.
int Recognise(ByteSpan bytes, std::string_view path) {
  if (!path.ends_with(".td")) return 0;
  return DecodeAnyVersion(bytes).ok() ? 60 : 20;
}

template <Decoder kDecode>
Result<Json> ToJson(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Chain chain, kDecode(bytes));
  Json json = {{"format", "td"}};
  json.update(ChainToJson(chain));
  return json;
}

Result<Bytes> FromJson(const Json& json) {
  ANECHECK_ASSIGN(const Chain chain, ChainFromJson(json));
  return Encode(chain);
}

template <Decoder kDecode>
Result<Bytes> Rewrite(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Chain chain, kDecode(bytes));
  return Encode(chain);
}

template <Decoder kDecode>
Result<std::vector<Violation>> Verify(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Chain chain, kDecode(bytes));
  std::vector<Violation> violations;
  VerifyChain(chain, 0, violations);
  return violations;
}

template <Decoder kDecode>
Result<std::string> Print(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Chain chain, kDecode(bytes));
  return PrintChain(chain, 0);
}

template <Decoder kDecode>
Result<Coverage> CoverageOfBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Chain chain, kDecode(bytes));
  const ChainCoverage coverage = CoverageOf(chain);
  return Coverage{.total = bytes.size(), .payload = 0, .typed = coverage.named + coverage.fill};
}

template <Decoder kDecode>
Format FormatWith(std::string_view name, std::string_view title) {
  return {.name = name,
          .title = title,
          .rules = Rules(),
          .recognise = Recognise,
          .to_json = ToJson<kDecode>,
          .from_json = FromJson,
          .rewrite = Rewrite<kDecode>,
          .verify = Verify<kDecode>,
          .print = Print<kDecode>,
          .coverage = CoverageOfBytes<kDecode>};
}

// In the order of Generations().
const auto kVersionFormats = std::to_array<Format>({
    FormatWith<DecodeAs<0>>("td:7", "task descriptor chain read as version 7"),
    FormatWith<DecodeAs<1>>("td:11", "task descriptor chain read as version 11"),
    FormatWith<DecodeAs<2>>("td:8", "task descriptor chain read as version 8"),
    FormatWith<DecodeAs<3>>("td:17", "task descriptor chain read as version 17"),
    FormatWith<DecodeAs<4>>("td:19", "task descriptor chain read as version 19"),
    FormatWith<DecodeAs<5>>("td:20", "task descriptor chain read as version 20"),
});

}  // namespace

ChainCoverage CoverageOf(const Chain& chain) {
  ChainCoverage coverage;
  uint64_t used = chain.section_header ? 4 * kSectionHeaderWords : 0;
  coverage.named = used;
  for (const Task& task : chain.tasks) {
    used += task.size;
    for (uint32_t i = 0; i < chain.header_words; ++i) {
      if (!HeaderWord(*chain.generation, i).fields.empty()) coverage.named += 4;
    }
    for (const RegisterWrite& write : task.writes) {
      coverage.named += 4;
      ForEachRegister(task, write, [&](uint32_t address, uint32_t) {
        // A register of a known block has a name: its block and index.
        if (FindBlock(*chain.generation, address) != nullptr) coverage.named += 4;
      });
    }
  }
  coverage.fill = chain.size - used;
  return coverage;
}

Result<const Format*> FormatOfVersion(std::string_view version) {
  uint32_t number = 0;
  const auto [end, error] =
      std::from_chars(version.data(), version.data() + version.size(), number);
  if (error != std::errc() || end != version.data() + version.size()) {
    return MakeError(ErrorCode::kNotFound,
                     fmt::format("format \"td:{}\": a version is a whole number", version));
  }
  ANECHECK_ASSIGN(const Generation* generation, GenerationOfVersion(number));
  return &kVersionFormats[static_cast<size_t>(generation - Generations().data())];
}

}  // namespace td

const Format kFormat_td = {
    .name = "td",
    .title = "task descriptor chain (the text section of a hardware container)",
    .rules = td::Rules(),
    .recognise = td::Recognise,
    .to_json = td::ToJson<td::DecodeAnyVersion>,
    .from_json = td::FromJson,
    .rewrite = td::Rewrite<td::DecodeAnyVersion>,
    .verify = td::Verify<td::DecodeAnyVersion>,
    .print = td::Print<td::DecodeAnyVersion>,
    .coverage = td::CoverageOfBytes<td::DecodeAnyVersion>,
};

}  // namespace anecheck
