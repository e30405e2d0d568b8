#include "harness/formats/td/td.h"

#include <algorithm>
#include <string_view>

#include "fuzz/words/words.h"

namespace anecheck::fuzz {
namespace {

constexpr uint32_t kMostRegisters = 64;  // registers of one run

std::string_view NameOf(td::Coding coding) {
  switch (coding) {
    case td::Coding::kByteAddress:
      return "byte_address_runs";
    case td::Coding::kWordAddress:
      return "word_address_runs";
  }
  return "runs";
}

// Returns the 32-bit word that begins a run of `count` registers (td.h, Coding).
uint32_t RunWord(td::Coding coding, uint32_t byte_address, uint32_t count) {
  if (coding == td::Coding::kByteAddress) return (count - 1) << 26 | byte_address;
  return (count - 1) << 15 | byte_address / 4;
}

}  // namespace

WordTable words::RegisterRuns(td::Coding coding) {
  WordTable runs = {std::string(NameOf(coding))};
  for (const td::Generation& generation : td::Generations()) {
    if (generation.coding != coding) continue;
    for (const td::RegisterBlock& block : generation.blocks) {
      const uint32_t whole = std::min<uint32_t>(block.registers, kMostRegisters);
      runs.Number(RunWord(coding, block.byte_address, whole), 4);
      runs.Number(RunWord(coding, block.byte_address, 1), 4);
    }
  }
  return runs;
}

WordTables words::td() {
  return {RegisterRuns(td::Coding::kByteAddress), RegisterRuns(td::Coding::kWordAddress)};
}

}  // namespace anecheck::fuzz
