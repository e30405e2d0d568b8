// Edits of relocations and task descriptors. See hwx_mutations.cc.
#include <array>

#include "generators/formats/hwx/hwx_edit_support.h"
#include "generators/formats/hwx/hwx_edits.h"

namespace anecheck::hwx_edits {

// ---- relocations and tasks ----------------------------------------------------------------------

static Relocation* PickRelocation(Container& c, uint64_t choice) {
  Section* text = TextSection(c);
  return text == nullptr ? nullptr : Pick(text->relocations, choice);
}
bool RelocationOutside(Container& c, uint64_t a, uint64_t b) {
  Relocation* relocation = PickRelocation(c, a);
  if (relocation == nullptr) return false;
  relocation->address += static_cast<int32_t>(1 + b % 3);
  return true;
}
bool RelocationKind(Container& c, uint64_t a, uint64_t) {
  Relocation* relocation = PickRelocation(c, a);
  if (relocation == nullptr) return false;
  relocation->pc_relative = false;
  return true;
}
bool RelocationElsewhere(Container& c, uint64_t a, uint64_t) {
  Relocation* relocation = PickRelocation(c, a);
  if (relocation == nullptr || TextSection(c)->tasks->generation->version != 7) return false;
  relocation->address = 0x20;
  return true;
}
bool RelocationToNoTile(Container& c, uint64_t a, uint64_t b) {
  Relocation* relocation = PickRelocation(c, a);
  Section* text = TextSection(c);
  if (relocation == nullptr) return false;
  td::Chain& chain = *text->tasks;
  for (td::Task& task : chain.tasks) {
    const int64_t within = relocation->address - int64_t{task.offset};
    if (within < 0x74 || within >= 0xb4) continue;
    const auto word = static_cast<size_t>((within - 0x2c) / 4);
    if (word >= task.values.size()) continue;  // a task that was cut off
    task.values[word] |= static_cast<uint32_t>(1 + b % 63);
    return true;
  }
  return false;
}
bool RenameText(Container& c, uint64_t, uint64_t) {
  Section* text = TextSection(c);
  if (text == nullptr || !text->relocations.empty()) return false;
  text->sectname = hwx::MakeName16("__tasks");
  return true;
}
bool LoopTasks(Bytes& bytes, const Container& c, uint64_t a, uint64_t b) {
  const Section* text = c.Text();
  if (text == nullptr || text->tasks->generation->version != 7) return false;
  if (!text->relocations.empty()) return false;
  const auto& tasks = text->tasks->tasks;
  const td::Task& task = tasks[a % tasks.size()];
  const bool loop = b % 2 == 0 && task.offset != 0;
  SetWord(bytes, text->offset + task.offset + 4 * td::kV7NextPointerWord,
          loop ? task.offset : text->tasks->size);
  return true;
}

// ---- tasks, by the rules of task descriptors ----------------------------------------------------

static td::Chain* ChainOf(Container& c) {
  Section* text = TextSection(c);
  return text == nullptr ? nullptr : text->tasks.get();
}
static bool IsV7(const td::Chain& chain) { return chain.generation->version == 7; }

bool TaskPosition(Container& c, uint64_t a, uint64_t b) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr || !IsV7(*chain)) return false;
  chain->tasks[a % chain->tasks.size()].header[0] ^= static_cast<uint32_t>(1 + b % 255) << 24;
  return true;
}
bool NextSize(Container& c, uint64_t a, uint64_t b) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr || !IsV7(*chain)) return false;
  td::Task& task = chain->tasks[a % chain->tasks.size()];
  td::SetV7NextSize(task, td::V7NextSize(task) ^ static_cast<uint32_t>(1 + b % 511));
  return true;
}
bool TaskId(Container& c, uint64_t a, uint64_t b) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr) return false;
  chain->tasks[a % chain->tasks.size()].header[0] ^= static_cast<uint32_t>(1 + b % 255);
  return true;
}
// Makes the text section `by` bytes longer, if the next section or its segment's end permits it.
static bool GrowText(Container& c, uint32_t by) {
  Section* text = TextSection(c);
  const Segment* segment = SegmentOf(c, text);
  uint64_t end = segment->vmaddr + segment->vmsize;
  for (const Section& section : c.SectionsOf(*segment)) {
    if (section.addr > text->addr) end = std::min(end, section.addr);
  }
  if (text->addr + text->size + by > end) return false;
  text->tasks->size += by;
  text->size += by;
  return true;
}
// Moves the last task right behind the one before it.
bool NextStep(Container& c, uint64_t, uint64_t) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr || !IsV7(*chain) || chain->tasks.size() < 2) return false;
  td::Task& last = chain->tasks.back();
  td::Task& before = chain->tasks[chain->tasks.size() - 2];
  const uint32_t to = before.offset + before.size;
  const uint32_t by = last.offset - to;
  if (by == 0) return false;
  Section* text = TextSection(c);
  for (Relocation& relocation : text->relocations) {
    if (relocation.address >= static_cast<int32_t>(last.offset)) {
      relocation.address -= static_cast<int32_t>(by);
    }
  }
  before.header[td::kV7NextPointerWord] = to;
  last.offset = to;
  chain->size -= by;
  text->size = chain->size;
  return true;
}
bool TextTail(Container& c, uint64_t, uint64_t) {
  return ChainOf(c) != nullptr && IsV7(*ChainOf(c)) && GrowText(c, 4);
}
bool LaterTail(Container& c, uint64_t, uint64_t) {
  return ChainOf(c) != nullptr && !IsV7(*ChainOf(c)) && GrowText(c, 0x400);
}
static td::RegisterWrite* PickWrite(Container& c, uint64_t a, uint64_t b) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr) return nullptr;
  td::Task& task = chain->tasks[a % chain->tasks.size()];
  return Pick(task.writes, b);
}
static bool MoveOutside(Container& c, uint64_t a, uint64_t b) {
  td::RegisterWrite* write = PickWrite(c, a, b);
  if (write == nullptr) return false;
  write->byte_address = 0x1e000;
  return true;
}
bool WriteOutside(Container& c, uint64_t a, uint64_t b) {
  return MoveOutside(c, a, b) && IsV7(*ChainOf(c));
}
bool WriteOutsidePublished(Container& c, uint64_t a, uint64_t b) {
  return MoveOutside(c, a, b) && !IsV7(*ChainOf(c));
}
static bool RunPast(Container& c, uint64_t a, uint64_t b) {
  td::RegisterWrite* write = PickWrite(c, a, b);
  if (write == nullptr || write->count < 2) return false;
  const td::RegisterBlock* block = td::FindBlock(*ChainOf(c)->generation, write->byte_address);
  if (block == nullptr) return false;
  write->byte_address = block->byte_address + 4u * (block->registers - 1u);
  return td::FindBlock(*ChainOf(c)->generation, write->byte_address) == block;
}
bool RunOver(Container& c, uint64_t a, uint64_t b) { return RunPast(c, a, b) && IsV7(*ChainOf(c)); }
bool RunOverPublished(Container& c, uint64_t a, uint64_t b) {
  return RunPast(c, a, b) && !IsV7(*ChainOf(c));
}
bool OddAddress(Container& c, uint64_t a, uint64_t b) {
  td::RegisterWrite* write = PickWrite(c, a, b);
  if (write == nullptr || !IsV7(*ChainOf(c))) return false;
  write->byte_address += 1;
  return true;
}
bool ReservedBits(Container& c, uint64_t a, uint64_t b) {
  td::RegisterWrite* write = PickWrite(c, a, b);
  if (write == nullptr || IsV7(*ChainOf(c)) || write->sparse) return false;
  write->reserved = 1;
  return true;
}
// Lays out a chain of a version after 7 whose beginning changed, and adjusts the section.
static bool RelayLater(Container& c) {
  td::Chain& chain = *ChainOf(c);
  const uint32_t before = chain.size;
  td::Layout(chain);
  const uint32_t after = chain.size;
  chain.size = std::min(before, after);
  TextSection(c)->size = chain.size;
  if (after > before && !GrowText(c, after - before)) return false;
  Thread* table = ApertureTable(c);
  table->words[hwx::kFirstTaskWordsWord] = chain.tasks.front().size / 4 - 1;
  return true;
}
bool NoSectionHeader(Container& c, uint64_t, uint64_t) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr || !chain->section_header) return false;
  chain->section_header.reset();
  return RelayLater(c);
}
// Leaves one write in each task. The first value of this write is also a valid stream word, as in
// OpenHeader of td_generator.cc.
bool OpenHeader(Container& c, uint64_t, uint64_t b) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr || chain->generation->alternate_header_words == 0) return false;
  const uint32_t l2 = chain->generation->blocks[1].byte_address;
  const std::array<uint32_t, 2> values = {l2 / 4, static_cast<uint32_t>(b)};
  for (td::Task& task : chain->tasks) {
    task.writes.clear();
    task.values.clear();
    task.Write(l2, values);
  }
  return RelayLater(c);
}
bool LongHeader(Container& c, uint64_t, uint64_t) {
  td::Chain* chain = ChainOf(c);
  if (chain == nullptr || chain->generation->alternate_header_words == 0) return false;
  chain->header_words = chain->generation->alternate_header_words;
  // As the first word of a stream, this value would require more values than a short task has.
  for (td::Task& task : chain->tasks) task.header[9] = 0x1f8000;
  // Removing the writes of the last task makes room for the additional words.
  chain->tasks.back().writes.clear();
  chain->tasks.back().values.clear();
  if (!RelayLater(c)) return false;
  const auto bytes = td::Encode(*chain);
  if (!bytes.ok()) return false;
  const auto again = td::Decode(*bytes, *chain->generation);
  return again.ok() && again->header_words == chain->header_words;
}

}  // namespace anecheck::hwx_edits
