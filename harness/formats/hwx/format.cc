#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

#include "harness/base/json.h"
#include "harness/formats/bytekinds/byte_kinds.h"
#include "harness/formats/format_of.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/field_facts.h"
#include "harness/formats/hwx/json.h"
#include "harness/formats/hwx/layout.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/print.h"
#include "harness/formats/hwx/relocate.h"
#include "harness/formats/hwx/rules.h"
#include "harness/formats/hwx/thread_words.h"

namespace anecheck {
namespace hwx {
namespace {

int Recognise(ByteSpan bytes, std::string_view) {
  constexpr std::array<uint8_t, 4> kMagicBytes = {0xce, 0xfa, 0xef, 0xbe};
  const bool match = bytes.size() >= kMagicBytes.size() &&
                     std::equal(kMagicBytes.begin(), kMagicBytes.end(), bytes.begin());
  return match ? 100 : 0;
}

// Returns `error`, the reason that a container cannot be written. If a section has grown into its
// successor, adds the members to change.
Error WithMovedPlaces(const Error& error, const Container& container, const Json& json) {
  constexpr size_t kMost = 64;
  Result<Container> roomy = FromJson(json);
  if (!roomy.ok()) return error;
  MakeRoom(*roomy);
  std::vector<std::string> places = MovedPlaces(container, *roomy);
  if (places.empty()) return error;
  if (places.size() > kMost) {
    const size_t more = places.size() - kMost;
    places.resize(kMost);
    places.push_back(fmt::format("{} more", more));
  }
  return MakeError(error.code,
                   fmt::format("{}; to make room (`encode --make-room` does) change {}",
                               error.message, fmt::join(places, ", ")),
                   error.offset);
}

Result<Bytes> FromJsonOf(const Json& json) {
  ANECHECK_ASSIGN(const Container container, FromJson(json));
  Result<Bytes> bytes = Write(container);
  if (!bytes.ok()) return WithMovedPlaces(bytes.error(), container, json);
  return bytes;
}

// Claims the unnamed words of a thread command. A word is fill if it is 0, and opaque otherwise.
void ClaimUnnamedWords(const Thread& thread, uint64_t command, ByteKindMap* map) {
  std::vector<bool> named(thread.words.size(), false);
  if (IsApertureTable(thread)) {
    std::fill_n(named.begin(), static_cast<ptrdiff_t>(2 * kBaseSlots), true);
  }
  for (const ThreadWord& word : ThreadWords(thread.flavor)) {
    for (uint32_t i = 0; Applies(word, thread) && i < word.words; ++i) named[word.index + i] = true;
  }
  for (size_t i = 0; i < named.size(); ++i) {
    if (named[i]) continue;
    const ByteKind kind = thread.words[i] == 0 ? ByteKind::kFill : ByteKind::kOpaque;
    map->Claim(kind, command + kCommandHead + kThreadRecord.kSize + 4 * i, 4);
  }
}

void ClaimCommand(const Container& container, const Command& command, ByteKindMap* map) {
  const uint64_t record = RecordSize(container, command);
  map->Claim(ByteKind::kTyped, command.offset, record);
  map->Claim(ByteKind::kOpaque, command.offset + record, command.trailing.size());
  if (command.opaque) {
    map->Claim(ByteKind::kOpaque, command.offset + kCommandHead, record - kCommandHead);
  } else if (command.cmd == kThreadCommand) {
    ClaimUnnamedWords(container.threads[command.index], command.offset, map);
  }
}

// Claims bytes between two tiles as payload, except the zeros at their start and end.
void ClaimBetweenTiles(ByteSpan bytes, uint64_t offset, ByteKindMap* map) {
  const auto is_set = [](uint8_t byte) { return byte != 0; };
  const auto first = std::ranges::find_if(bytes, is_set);
  if (first == bytes.end()) return;
  const auto last = std::find_if(bytes.rbegin(), bytes.rend(), is_set).base();
  map->Claim(ByteKind::kPayload, offset + static_cast<uint64_t>(first - bytes.begin()),
             static_cast<uint64_t>(last - first));
}

void ClaimWeights(const Section& section, std::span<const Tile> tiles, ByteKindMap* map) {
  uint64_t at = 0;  // in the section
  for (const Tile& tile : tiles) {
    if (tile.data.empty() || tile.offset < at) continue;
    ClaimBetweenTiles(section.data.subspan(at, tile.offset - at), section.offset + at, map);
    map->Claim(ByteKind::kPayload, section.offset + tile.offset, tile.data.size());
    at = tile.offset + tile.data.size();
  }
  ClaimBetweenTiles(section.data.subspan(at), section.offset + at, map);
}

void ClaimSection(const Section& section, std::span<const Tile> tiles, ByteKindMap* map) {
  map->Claim(ByteKind::kTyped, section.reloff, kRelocationRecord * section.relocations.size());
  if (section.tasks != nullptr) {
    td::ClaimChain(*section.tasks, section.offset, map);
  } else if (section.in_file) {
    if (IsKernelSection(section)) return ClaimWeights(section, tiles, map);
    map->Claim(ByteKind::kOpaque, section.offset, section.size);
  }
}

void ClaimSymbols(const Symtab& table, ByteKindMap* map) {
  map->Claim(ByteKind::kTyped, table.symoff, kSymbolRecord.kSize * table.symbols.size());
  map->Claim(ByteKind::kTyped, table.stroff, std::min(table.strsize, 1U));
  for (const Symbol& symbol : table.symbols) {
    map->Claim(ByteKind::kTyped, uint64_t{table.stroff} + symbol.strx, symbol.name.size() + 1);
  }
}

ByteCounts CountBytes(const Container& container, ByteSpan bytes) {
  ByteKindMap map(bytes);
  map.Claim(ByteKind::kTyped, 0, kHeaderSize);
  for (const Command& command : container.commands) ClaimCommand(container, command, &map);
  const std::vector<std::vector<Tile>> tiles = AllTiles(container);
  for (size_t i = 0; i < container.sections.size(); ++i) {
    ClaimSection(container.sections[i], tiles[i], &map);
  }
  for (const Symtab& table : container.symtabs) ClaimSymbols(table, &map);
  for (const Note& note : container.notes) map.Claim(ByteKind::kOpaque, note.offset, note.size);
  for (const Region& region : container.regions) {
    map.Claim(ByteKind::kOpaque, region.offset, region.data.size());
  }
  return std::move(map).Count();
}

const FormatOf<Container> kDefinition = {
    .name = "hwx",
    .title = "hardware container",
    .rules = Rules(),
    .fields = FieldFacts,
    .recognise = Recognise,
    .from_json = FromJsonOf,
    .parse = Parse,
    .to_json = [](const Container& container) -> Result<Json> { return ToJson(container); },
    .write = Write,
    .verify = Verify,
    .print = PrintContainer,
    .count_bytes = CountBytes,
};

}  // namespace
}  // namespace hwx

const Format kFormat_hwx = MakeFormat<hwx::kDefinition>();

}  // namespace anecheck
