// The td format: a text section on its own, as taken out of a container. Used by the command line
// and the fuzz targets.
#include <nlohmann/json.hpp>

#include "harness/formats/td/layout.h"
#include "harness/formats/td/rules.h"
#include "harness/formats/td/td.h"

namespace anecheck {
namespace td {
namespace {

// A section has no magic number: only the file name tells, and the bytes must decode.
int Recognise(ByteSpan bytes, std::string_view path) {
  if (!path.ends_with(".td")) return 0;
  return DecodeAnyVersion(bytes).ok() ? 60 : 20;
}

Result<Json> ToJson(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Chain chain, DecodeAnyVersion(bytes));
  Json json = {{"format", "td"}};
  json.update(ChainToJson(chain));
  return json;
}

Result<Bytes> FromJson(const Json& json) {
  ANECHECK_ASSIGN(const Chain chain, ChainFromJson(json));
  return Encode(chain);
}

Result<Bytes> Rewrite(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Chain chain, DecodeAnyVersion(bytes));
  return Encode(chain);
}

Result<std::vector<Violation>> Verify(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Chain chain, DecodeAnyVersion(bytes));
  std::vector<Violation> violations;
  VerifyChain(chain, 0, violations);
  return violations;
}

Result<std::string> Print(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Chain chain, DecodeAnyVersion(bytes));
  return PrintChain(chain, 0);
}

Result<Coverage> CoverageOfBytes(ByteSpan bytes) {
  ANECHECK_ASSIGN(const Chain chain, DecodeAnyVersion(bytes));
  const ChainCoverage coverage = CoverageOf(chain);
  return Coverage{.total = bytes.size(), .payload = 0, .typed = coverage.named + coverage.fill};
}

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

}  // namespace td

const Format kFormat_td = {
    .name = "td",
    .title = "task descriptor chain (the text section of a hardware container)",
    .rules = td::Rules(),
    .recognise = td::Recognise,
    .to_json = td::ToJson,
    .from_json = td::FromJson,
    .rewrite = td::Rewrite,
    .verify = td::Verify,
    .print = td::Print,
    .coverage = td::CoverageOfBytes,
};

}  // namespace anecheck
