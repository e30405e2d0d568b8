#include <algorithm>
#include <fmt/format.h>

#include "harness/base/hex_text.h"
#include "harness/base/json.h"
#include "harness/formats/enums/enums.h"
#include "harness/formats/hwx/banner.h"
#include "harness/formats/hwx/json.h"
#include "harness/formats/hwx/layout.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/record/json_fields.h"
#include "harness/formats/stabs/stabs.h"

namespace anecheck::hwx {
namespace {

std::string NameText(const Name16& name) { return EscapeText(TextOf(name)); }

bool AllZero(ByteSpan bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
}

// Puts `value` under "derived" if it equals the derived value `laid`, otherwise into `object`.
void PutLaid(Json& object, std::string_view key, uint64_t value, uint64_t laid) {
  Json& place = value == laid ? object["derived"] : object;
  place[std::string(key)] = HexNumber(value);
}

// Values that depend on the whole container, computed once.
struct Laid {
  explicit Laid(const Container& container)
      : symoff(LaidSymoff(container)), tiles(AllTiles(container)) {
    const Section* before = nullptr;
    for (const Segment& segment : container.segments) {
      for (const Section& section : container.SectionsOf(segment)) {
        sections.push_back(LaidSection(container, segment, before, section));
        if (!section.relocations.empty()) before = &section;
      }
    }
  }

  uint32_t symoff;
  std::vector<std::vector<Tile>> tiles;  // the tiles of each section
  std::vector<Section> sections;
};

Json Chunk(ByteSpan data, std::string_view tile) {
  Json object = Json::object();
  if (!tile.empty()) object["derived"]["tile"] = EscapeText(tile);
  if (AllZero(data)) {
    object["zeros"] = data.size();
  } else {
    object["bytes"] = HexText(data);
  }
  return object;
}

// Converts the bytes of a section to JSON, split at the beginnings of tiles.
Json DataToJson(const Section& section, const std::vector<Tile>& tiles) {
  Json chunks = Json::array();
  uint64_t done = 0;
  if (IsKernelSection(section)) {
    for (const Tile& tile : tiles) {
      if (tile.data.empty() || tile.offset < done) continue;
      if (tile.offset > done) {
        chunks.push_back(Chunk(section.data.subspan(done, tile.offset - done), {}));
      }
      chunks.push_back(Chunk(tile.data, tile.symbol->name));
      done = tile.offset + tile.data.size();
    }
  }
  if (done < section.data.size()) chunks.push_back(Chunk(section.data.subspan(done), {}));
  return chunks;
}

Json RelocationToJson(const Relocation& relocation) {
  Json object = {{"address", HexNumber(static_cast<uint32_t>(relocation.address))},
                 {"section", relocation.symbolnum},
                 {"pc_relative", relocation.pc_relative},
                 {"length", relocation.length}};
  if (relocation.external) object["external"] = true;
  if (relocation.type != 0) object["type"] = relocation.type;
  return object;
}

Json SectionToJson(const Container& container, const Laid& laid, const Segment& segment,
                   size_t index) {
  const Section& section = container.sections[index];
  Json object = Json::object();
  kSectionRecord.ToJson(section, laid.sections[index], object);
  if (section.segname != segment.segname) object["segname"] = NameText(section.segname);
  (section.in_file ? object["derived"] : object)["size"] = HexNumber(section.size);
  const std::string_view kind = SectionKindName(section.flags);
  if (!kind.empty()) object["derived"]["kind"] = kind;
  Json relocations = Json::array();
  for (const Relocation& relocation : section.relocations) {
    relocations.push_back(RelocationToJson(relocation));
  }
  if (!relocations.empty()) object["relocations"] = std::move(relocations);
  if (section.tasks != nullptr) object["tasks"] = td::ChainToJson(*section.tasks);
  if (section.in_file && section.tasks == nullptr) {
    object["data"] = DataToJson(section, laid.tiles[index]);
  }
  if (section.tasks_error) object["derived"]["tasks_error"] = section.tasks_error->message;
  return object;
}

void PutSegment(Json& object, const Container& container, const Laid& laid,
                const Segment& segment) {
  kSegmentRecord.ToJson(segment, object);
  Json sections = Json::array();
  for (uint32_t i = 0; i < segment.nsects; ++i) {
    sections.push_back(SectionToJson(container, laid, segment, segment.first_section + i));
  }
  object["sections"] = std::move(sections);
}

void PutPort(Json& object, const Port& port) {
  object["name"] = EscapeText(port.name);
  kPortRecord.ToJson(port, object);
  if (port.byte_size) object["byte_size"] = HexNumber(*port.byte_size);
}

// Returns the non-zero words without a name, as pairs of index and value.
Json RestWords(const Thread& thread, const std::vector<bool>& named) {
  Json words = Json::array();
  for (size_t i = 0; i < thread.words.size(); ++i) {
    if (!named[i] && thread.words[i] != 0) words.push_back({i, HexNumber(thread.words[i])});
  }
  return words;
}

void PutSlots(Json& object, const Thread& thread, std::vector<bool>& named) {
  Json slots = Json::object();
  for (uint32_t slot = 0; slot < kBaseSlots; ++slot) {
    named[2 * slot] = named[2 * slot + 1] = true;
    const uint64_t base = Pair(thread, 2 * slot);
    if (base != 0) slots[fmt::format("{}", slot)] = HexNumber(base);
  }
  object["base_slots"] = std::move(slots);
}

void PutThread(Json& object, const Container& container, const Thread& thread) {
  kThreadRecord.ToJson(thread.Head(), object);
  Json names = Json::array();
  for (const std::string_view name : thread.names) names.push_back(EscapeText(name));
  object["names"] = std::move(names);
  std::vector<bool> named(thread.words.size(), false);
  if (IsApertureTable(thread)) PutSlots(object, thread, named);
  for (const ThreadWord& word : ThreadWords(thread.flavor)) {
    if (!Applies(word, thread)) continue;
    for (uint8_t i = 0; i < word.words; ++i) named[word.index + i] = true;
    const uint64_t value = ThreadValue(thread, word);
    const auto laid = LaidThreadWord(container, thread, word.index);
    Json& place = laid && *laid == value ? object["derived"] : object;
    place[std::string(word.name)] =
        word.words == 2 || word.is_name_offset ? Json(HexNumber(value)) : Json(value);
    if (thread.flavor == kTensorFlavor && word.index == kElementTypeWord) {
      const auto name = EnumName(EnumKind::kCatalogType, value);
      if (name) object["derived"]["element_type_name"] = *name;
    }
    if (word.evidence == FactEvidence::kAssumed) {
      object["derived"]["evidence"][std::string(word.name)] = FactEvidenceName(word.evidence);
    }
  }
  Json rest = RestWords(thread, named);
  if (!rest.empty()) object["words"] = std::move(rest);
}

void PutBuildInfo(Json& object, std::string_view text) {
  const Banner banner = ParseBanner(text);
  object["derived"]["target"] = EscapeText(banner.target);
  for (const BannerModule& module : banner.modules) {
    object["derived"]["modules"].push_back({{"name", EscapeText(module.name)},
                                            {"bundle", EscapeText(module.bundle)},
                                            {"version", EscapeText(module.version)}});
  }
  Json options = Json::array();
  std::vector<std::string> lines;
  std::string_view rest = text;
  for (int line = 0; !rest.empty(); ++line) {
    const size_t end = rest.find('\n');
    std::string_view option = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (line < 2) continue;
    if (option.starts_with('\t')) option.remove_prefix(1);
    lines.emplace_back(option);
    options.push_back(EscapeText(option));
  }
  if (MakeBanner(kAppleCompiler, banner.version, lines) == text) {
    object["version"] = EscapeText(banner.version);
    object["options"] = std::move(options);
  } else {
    object["text"] = EscapeText(text);
  }
}

Json TensorStabToJson(const stabs::TensorStab& stab) {
  Json axes = Json::array();
  for (const stabs::Axis& axis : stab.Axes()) {
    Json object = {{"axis", std::string(1, axis.axis)},
                   {"extent", axis.extent},
                   {"stride", axis.stride},
                   {"id", axis.id}};
    if (axis.index != 1) object["index"] = axis.index;
    if (axis.low != 0) object["low"] = axis.low;
    axes.push_back(std::move(object));
  }
  return {{"name", EscapeText(stab.name)},
          {"id", stab.id},
          {"axes", std::move(axes)},
          {"element_type", stab.element_type}};
}

Json TypeStabToJson(const stabs::TypeStab& stab) {
  Json object = {{"name", EscapeText(stab.name)}, {"id", stab.id}};
  if (stab.kind == stabs::TypeStab::Kind::kAlias) object["alias"] = stab.base;
  if (stab.kind == stabs::TypeStab::Kind::kRange) {
    object["range"] = {{"base", stab.base}, {"low", stab.low}, {"high", stab.high}};
  }
  return object;
}

Json SymbolToJson(const Symbol& symbol) {
  Json object = {{"type", HexNumber(symbol.type)}};
  uint16_t laid_desc = 0;
  const auto tensor = stabs::ParseTensor(symbol.name);
  const auto type = stabs::ParseType(symbol.name);
  const bool may_be_tensor = symbol.type == kTensorStabSymbol || symbol.type == kTypeStabSymbol;
  const bool is_tensor = tensor && may_be_tensor;
  const bool stab = is_tensor || (symbol.type == kTypeStabSymbol && type);
  if (is_tensor) {
    object["tensor_stab"] = TensorStabToJson(*tensor);
    laid_desc = static_cast<uint16_t>(tensor->id % 32);
  } else if (stab) {
    object["type_stab"] = TypeStabToJson(*type);
  } else {
    object["name"] = EscapeText(symbol.name);
  }
  if (stab && symbol.desc == laid_desc) {
    object["derived"]["desc"] = symbol.desc;
  } else {
    object["desc"] = symbol.desc;
  }
  if (!stab || symbol.sect != 0) object["sect"] = symbol.sect;
  if (!stab || symbol.value != 0) object["value"] = HexNumber(symbol.value);
  return object;
}

void PutSymtab(Json& object, const Laid& laid, const Symtab& table) {
  kSymtabRecord.ToJson(table, LaidSymtab(laid.symoff, table), object);
  Json symbols = Json::array();
  for (const Symbol& symbol : table.symbols) {
    Json entry = SymbolToJson(symbol);
    if (!table.strings_in_order) entry["strx"] = symbol.strx;
    symbols.push_back(std::move(entry));
  }
  object["symbols"] = std::move(symbols);
  if (table.strings_in_order) return;
  Json strings = Json::array();
  std::string_view rest(reinterpret_cast<const char*>(table.strings.data()), table.strings.size());
  while (true) {
    const size_t end = rest.find('\0');
    strings.push_back(EscapeText(rest.substr(0, end)));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  object["strings"] = std::move(strings);
}

Json CommandToJson(const Container& container, const Laid& laid, const Command& command) {
  Json object = {{"cmd", command.opaque ? "opaque" : CommandName(command.cmd)},
                 {"id", HexNumber(command.cmd)},
                 {"derived", {{"file_offset", HexNumber(command.offset)}}}};
  kCommandRecord.ToJson(command, {.cmdsize = LaidCmdSize(container, command)}, object);
  if (command.opaque) {
    const OpaqueCommand& body = container.opaque_commands[command.index];
    if (!body.reason.empty()) object["derived"]["reason"] = body.reason;
    object["body"] = HexText(body.body);
    return object;
  }
  switch (command.cmd) {
    case kSegmentCommand:
      PutSegment(object, container, laid, container.segments[command.index]);
      break;
    case kShortPortCommand:
    case kPortCommand:
      PutPort(object, container.ports[command.index]);
      break;
    case kThreadCommand:
      PutThread(object, container, container.threads[command.index]);
      break;
    case kBuildInfoCommand:
      PutBuildInfo(object, container.build_infos[command.index].text);
      break;
    case kNoteCommand: {
      const Note& note = container.notes[command.index];
      kNoteRecord.ToJson(note, object);
      object["bytes"] = HexText(note.data);
      break;
    }
    default:
      PutSymtab(object, laid, container.symtabs[command.index]);
      break;
  }
  if (!command.trailing.empty()) object["trailing"] = HexText(command.trailing);
  return object;
}

}  // namespace

Json ToJson(const Container& container) {
  Json json = {{"format", "hwx"}, {"header", Json::object()}};
  kHeaderRecord.ToJson(container.header, LaidHeader(container), json["header"]);
  const Laid laid(container);
  Json commands = Json::array();
  for (const Command& command : container.commands) {
    commands.push_back(CommandToJson(container, laid, command));
  }
  json["commands"] = std::move(commands);
  Json regions = Json::array();
  for (const Region& region : container.regions) {
    regions.push_back({{"offset", HexNumber(region.offset)}, {"bytes", HexText(region.data)}});
  }
  if (!regions.empty()) json["unclaimed"] = std::move(regions);
  PutLaid(json, "file_size", container.file_size, LaidFileSize(container));
  Json differences = Json::array();
  for (const std::string_view text : DifferencesFromSpecification(container)) {
    differences.push_back(text);
  }
  json["derived"]["differences"] = std::move(differences);
  return json;
}

}  // namespace anecheck::hwx
