#include "generators/formats/td/td_generator.h"

#include <array>
#include <bit>

#include "generators/formats/common/model_edit.h"

namespace anecheck {
namespace {

using td::Chain;
using td::Coding;
using td::RegisterWrite;
using td::Task;

// The runs of register writes of a whole version-7 task. kWholeRuns has those of compilers 4 to 7.
// kSplitRuns has those of compiler 9.509 for a task that reads no kernel (facts/hwx.md, register
// stream).
struct Run {
  uint32_t byte_address;
  uint32_t count;
};
constexpr std::array<Run, 7> kWholeRuns = {{{0x1f800, 62},
                                            {0x0, 16},
                                            {0x13800, 28},
                                            {0x4800, 18},
                                            {0x8800, 4},
                                            {0xc800, 5},
                                            {0x17800, 7}}};
constexpr std::array<Run, 8> kSplitRuns = {{{0x1f800, 18},
                                            {0x1f8c8, 12},
                                            {0x0, 16},
                                            {0x13800, 28},
                                            {0x4800, 18},
                                            {0x8800, 4},
                                            {0xc800, 5},
                                            {0x17800, 7}}};
constexpr std::array<uint32_t, 4> kLogEvents = {0x400, 0x408, 0x422, 0x42a};

// Draws zero in two of three calls, because most registers are zero. Else draws 1 to 4 bytes.
uint32_t DrawValue(ChoiceStream& choices) {
  if (!choices.Chance(1, 3)) return 0;
  return static_cast<uint32_t>(choices.Below(uint64_t{1} << (8 * (1 + choices.Below(4)))));
}

std::vector<uint32_t> DrawRun(ChoiceStream& choices, size_t count) {
  std::vector<uint32_t> run(count);
  for (uint32_t& value : run) value = DrawValue(choices);
  return run;
}

void WriteRuns(Task& task, std::span<const Run> runs, ChoiceStream& choices) {
  for (const Run& run : runs) task.Write(run.byte_address, DrawRun(choices, run.count));
}

// Writes a random run of registers inside one block.
void WriteSomewhere(Task& task, const td::Generation& generation, ChoiceStream& choices) {
  const bool alternate = !generation.alternate_blocks.empty() && choices.Chance(1, 4);
  const td::RegisterBlock& block =
      choices.Pick(alternate ? generation.alternate_blocks : generation.blocks);
  const auto first = static_cast<uint32_t>(choices.Below(block.registers));
  const uint32_t left = block.registers - first;
  // A version-7 stream ends with its last nonzero word, so it cannot express a single zero written
  // at address 0.
  const uint32_t address = block.byte_address + 4 * first;
  if (generation.coding == Coding::kWordAddress && choices.Coin()) {
    const uint32_t span = std::min(left - 1, 16u);
    const auto mask = static_cast<uint16_t>(choices.Below(uint64_t{1} << span));
    task.WriteSparse(address, mask, DrawRun(choices, 1 + static_cast<size_t>(std::popcount(mask))));
    return;
  }
  const auto count = static_cast<size_t>(choices.Range(1, std::min(left, 64u)));
  std::vector<uint32_t> run = DrawRun(choices, count);
  if (address == 0) run.front() |= 1;
  task.Write(address, run);
}

Task GenerateV7Task(const td::Generation& generation, ChoiceStream& choices) {
  switch (choices.Below(3)) {
    case 0:
      return GenerateWholeV7Task(choices);
    case 1: {
      Task task;
      task.header[2] = choices.Pick(kLogEvents);
      WriteRuns(task, kSplitRuns, choices);
      return task;
    }
    default: {
      Task task;
      task.header[2] = choices.Pick(kLogEvents);
      for (uint64_t i = 1 + choices.Below(6); i > 0; --i) {
        WriteSomewhere(task, generation, choices);
      }
      return task;
    }
  }
}

Task GenerateLaterTask(const td::Generation& generation, ChoiceStream& choices, bool first) {
  Task task;
  for (uint32_t i = 1; i < generation.header_words; ++i) task.header[i] = DrawValue(choices);
  if (td::AnnouncesExtraWord(task, generation.header_words)) task.extra_word = DrawValue(choices);
  if (!first) task.padding = static_cast<uint32_t>(choices.Below(3));
  for (uint64_t i = choices.Below(8); i > 0; --i) WriteSomewhere(task, generation, choices);
  return task;
}

Bytes Generate(ChoiceStream& choices) {
  const td::Generation& generation = choices.Pick(td::Generations());
  const Result<Bytes> bytes = td::Encode(GenerateChain(generation, choices));
  return bytes.ok() ? *bytes : Bytes();
}

// ---- mutations ----------------------------------------------------------------------------------

using Edit = ModelEdit<Chain>;

bool IsV7(const Chain& chain) { return chain.generation->coding == Coding::kByteAddress; }

Task& PickTask(Chain& chain, uint64_t choice) { return chain.tasks[choice % chain.tasks.size()]; }

RegisterWrite* PickWrite(Chain& chain, uint64_t a, uint64_t b) {
  Task& task = PickTask(chain, a);
  return task.writes.empty() ? nullptr : &task.writes[b % task.writes.size()];
}

// Encodes `chain`, and decodes the bytes as a chain of a generation from H14 on. Returns whether
// `holds` is true for the decoded chain.
template <typename Holds>
bool StillReads(const Chain& chain, Holds holds) {
  const auto bytes = td::Encode(chain);
  if (!bytes.ok()) return false;
  const auto again = td::DecodeAnyVersion(*bytes);
  return again.ok() && again->tasks.size() == chain.tasks.size() && holds(*again);
}

void PatchWord(Bytes& bytes, size_t at, uint32_t word) {
  for (size_t i = 0; i < 4 && at + i < bytes.size(); ++i) {
    bytes[at + i] = static_cast<uint8_t>(word >> (8 * i));
  }
}

bool LoopNext(Bytes& bytes, const Chain& chain, uint64_t a, uint64_t b) {
  if (!IsV7(chain)) return false;
  const Task& from = chain.tasks[a % chain.tasks.size()];
  const uint32_t to = chain.tasks[b % chain.tasks.size()].offset;
  if (to > from.offset || to == 0) return false;
  PatchWord(bytes, from.offset + 4 * td::kV7NextPointerWord, to);
  return true;
}

bool NextPastEnd(Bytes& bytes, const Chain& chain, uint64_t a, uint64_t) {
  if (!IsV7(chain)) return false;
  PatchWord(bytes, chain.tasks[a % chain.tasks.size()].offset + 4 * td::kV7NextPointerWord,
            chain.size);
  return true;
}

bool WrongPosition(Chain& chain, uint64_t a, uint64_t b) {
  if (!IsV7(chain)) return false;
  Task& task = PickTask(chain, a);
  task.header[0] ^= (1 + static_cast<uint32_t>(b % 255)) << td::kV7PositionShift;
  return true;
}

bool WrongNextSize(Chain& chain, uint64_t a, uint64_t b) {
  if (!IsV7(chain)) return false;
  Task& task = PickTask(chain, a);
  td::SetV7NextSize(task, td::V7NextSize(task) ^ (1 + static_cast<uint32_t>(b % 0x1ff)));
  return true;
}

// Inserts space between two tasks.
bool WideStep(Chain& chain, uint64_t a, uint64_t b) {
  if (!IsV7(chain) || chain.tasks.size() < 2) return false;
  const size_t index = a % (chain.tasks.size() - 1);
  const uint32_t distance = td::kV7TaskStep * (1 + static_cast<uint32_t>(b % 4));
  for (size_t i = index; i + 1 < chain.tasks.size(); ++i) {
    chain.tasks[i].header[td::kV7NextPointerWord] += distance;
    chain.tasks[i + 1].offset += distance;
  }
  chain.size += distance;
  return true;
}

bool WriteOutsideBlocks(Chain& chain, uint64_t a, uint64_t b) {
  RegisterWrite* write = PickWrite(chain, a, b);
  if (write == nullptr || !IsV7(chain)) return false;
  write->byte_address = 0x3000000;
  return true;
}

bool WriteOutsidePublished(Chain& chain, uint64_t a, uint64_t b) {
  RegisterWrite* write = PickWrite(chain, a, b);
  if (write == nullptr || IsV7(chain)) return false;
  write->byte_address = 0x1f000;
  return StillReads(chain, [&](const Chain& again) {
    return again.header_words == chain.header_words && td::WritesOutsideBlocks(again) == 1;
  });
}

bool RunPast(Chain& chain, uint64_t a, uint64_t b) {
  RegisterWrite* write = PickWrite(chain, a, b);
  if (write == nullptr || write->count < 2 || (write->sparse && write->mask == 0)) return false;
  const td::RegisterBlock* block = td::FindBlock(*chain.generation, write->byte_address);
  if (block == nullptr) return false;
  write->byte_address = block->byte_address + 4u * (block->registers - 1u);
  return td::FindBlock(*chain.generation, write->byte_address) == block &&
         td::FindBlock(*chain.generation, td::LastAddress(*write)) != block;
}

bool RunPastBlock(Chain& chain, uint64_t a, uint64_t b) {
  return IsV7(chain) && RunPast(chain, a, b);
}

// Applies only if no other generation has a longer block that contains the run.
bool RunPastPublished(Chain& chain, uint64_t a, uint64_t b) {
  return !IsV7(chain) && RunPast(chain, a, b) && StillReads(chain, [&](const Chain& again) {
    return again.generation == chain.generation && td::WritesOutsideBlocks(again) == 1;
  });
}

bool OddAddress(Chain& chain, uint64_t a, uint64_t b) {
  RegisterWrite* write = PickWrite(chain, a, b);
  if (write == nullptr || !IsV7(chain)) return false;
  write->byte_address += 1 + static_cast<uint32_t>(b % 3);
  return true;
}

bool LongTail(Chain& chain, uint64_t a, uint64_t) {
  chain.size += 0x400 + 4 * static_cast<uint32_t>(a % 256);
  return IsV7(chain);
}

bool LaterTail(Chain& chain, uint64_t a, uint64_t) {
  chain.size += 0x400 + 4 * static_cast<uint32_t>(a % 256);
  return !IsV7(chain);
}

// Removes all writes, so that generations with equal headers cannot be distinguished.
bool DropAllWrites(Chain& chain, uint64_t, uint64_t) {
  if (IsV7(chain)) return false;
  bool any = false;
  for (Task& task : chain.tasks) {
    any = any || !task.writes.empty();
    task.writes.clear();
    task.values.clear();
  }
  td::Layout(chain);
  return any;
}

// Leaves one write in each task. The first value of this write is also a valid stream word, so the
// word before it may be the tenth word of a longer header.
bool OpenHeader(Chain& chain, uint64_t, uint64_t b) {
  if (chain.generation->alternate_header_words == 0) return false;
  const uint32_t l2 = chain.generation->blocks[1].byte_address;
  const std::array<uint32_t, 2> values = {l2 / 4, static_cast<uint32_t>(b)};
  for (Task& task : chain.tasks) {
    task.writes.clear();
    task.values.clear();
    task.Write(l2, values);
  }
  td::Layout(chain);
  return StillReads(chain, [](const Chain& again) { return again.other_header_words != 0; });
}

bool ReservedBits(Chain& chain, uint64_t a, uint64_t b) {
  RegisterWrite* write = PickWrite(chain, a, b);
  if (write == nullptr || IsV7(chain) || write->sparse) return false;
  // not an address packet, because bit 29 is clear
  write->reserved = static_cast<uint16_t>(1 + a % 0xff);
  return true;
}

bool WrongTaskId(Chain& chain, uint64_t a, uint64_t b) {
  PickTask(chain, a).header[0] ^= 1 + static_cast<uint32_t>(b % 0xffff);
  return true;
}

bool DropSectionHeader(Chain& chain, uint64_t, uint64_t) {
  if (!chain.section_header) return false;
  chain.section_header.reset();
  td::Layout(chain);
  return StillReads(chain, [](const Chain& again) {
    return !IsV7(again) && again.header_words == again.generation->header_words;
  });
}

// Uses the header of the H16 register map, which is one 32-bit word longer than the header in the
// guide.
bool LongHeader(Chain& chain, uint64_t, uint64_t) {
  if (chain.generation->alternate_header_words == 0) return false;
  chain.header_words = chain.generation->alternate_header_words;
  td::Layout(chain);
  return StillReads(chain, [](const Chain& again) {
    return again.header_words != again.generation->header_words;
  });
}

bool OverflowCount(Bytes& bytes, const Chain& chain, uint64_t a, uint64_t) {
  const Task& task = chain.tasks[a % chain.tasks.size()];
  if (task.writes.empty() || !IsV7(chain)) return false;
  const size_t at = task.offset + 4 * td::kV7HeaderWords + 3;
  bytes[at] = static_cast<uint8_t>(bytes[at] | 0xfc);
  return true;
}

bool RepeatTask(Chain& chain, uint64_t a, uint64_t) {
  chain.tasks.push_back(PickTask(chain, a));
  chain.tasks.back().header[0] = static_cast<uint32_t>(chain.tasks.size() - 1);
  td::Layout(chain);
  return true;
}

bool DropWrite(Chain& chain, uint64_t a, uint64_t b) {
  Task& task = PickTask(chain, a);
  if (task.writes.empty()) return false;
  task.writes.erase(task.writes.begin() + static_cast<ptrdiff_t>(b % task.writes.size()));
  std::vector<uint32_t> kept;
  for (RegisterWrite& write : task.writes) {
    const auto values = task.ValuesOf(write);
    write.first = static_cast<uint32_t>(kept.size());
    kept.insert(kept.end(), values.begin(), values.end());
  }
  task.values = std::move(kept);
  td::Layout(chain);
  return true;
}

bool SwapWrites(Chain& chain, uint64_t a, uint64_t b) {
  Task& task = PickTask(chain, a);
  if (task.writes.size() < 2) return false;
  RegisterWrite& first = task.writes.front();
  RegisterWrite& second = task.writes[1 + b % (task.writes.size() - 1)];
  std::swap(first, second);
  return first.byte_address != second.byte_address;
}

bool CutShort(Bytes& bytes, const Chain& chain, uint64_t a, uint64_t) {
  bytes.resize(a % chain.size);
  return true;
}

bool FlipValue(Chain& chain, uint64_t a, uint64_t b) {
  Task& task = PickTask(chain, a);
  if (task.values.empty()) return false;
  task.values[b % task.values.size()] ^= 1u << (a % 32);
  return true;
}

constexpr auto kEdits = std::to_array<Edit>({
    {.id = "loop-next", .patch = LoopNext},
    {.id = "next-past-end", .patch = NextPastEnd},
    {.id = "wrong-position", .breaks_rule = "td-task-position", .edit = WrongPosition},
    {.id = "wrong-next-size", .breaks_rule = "td-next-size", .edit = WrongNextSize},
    {.id = "wide-step", .breaks_rule = "td-next-step", .edit = WideStep},
    {.id = "write-outside-blocks", .breaks_rule = "td-write-in-block", .edit = WriteOutsideBlocks},
    {.id = "run-past-block", .breaks_rule = "td-run-in-block", .edit = RunPastBlock},
    {.id = "write-outside-published",
     .breaks_rule = "td-write-in-published-block",
     .edit = WriteOutsidePublished},
    {.id = "run-past-published",
     .breaks_rule = "td-run-in-published-block",
     .edit = RunPastPublished},
    {.id = "odd-address", .breaks_rule = "td-word-address", .edit = OddAddress},
    {.id = "long-tail", .breaks_rule = "td-tail", .edit = LongTail},
    {.id = "later-tail", .breaks_rule = "td-later-tail", .edit = LaterTail},
    {.id = "drop-all-writes", .breaks_rule = "td-version-open", .edit = DropAllWrites},
    {.id = "open-header", .breaks_rule = "td-header-open", .edit = OpenHeader},
    {.id = "reserved-bits", .breaks_rule = "td-reserved-bits", .edit = ReservedBits},
    {.id = "wrong-task-id", .breaks_rule = "td-task-id", .edit = WrongTaskId},
    {.id = "drop-section-header", .breaks_rule = "td-section-header", .edit = DropSectionHeader},
    {.id = "long-header", .breaks_rule = "td-header-words", .edit = LongHeader},
    {.id = "overflow-count", .patch = OverflowCount},
    {.id = "repeat-task", .edit = RepeatTask},
    {.id = "drop-write", .edit = DropWrite},
    {.id = "swap-writes", .edit = SwapWrites},
    {.id = "cut-short", .patch = CutShort},
    {.id = "flip-value", .edit = FlipValue},
});

Result<Bytes> WriteChain(const Chain& chain) { return td::Encode(chain); }

constexpr auto kMutations = ModelMutations<td::DecodeAnyVersion, WriteChain, kEdits>::Make();

}  // namespace

Task GenerateWholeV7Task(ChoiceStream& choices) {
  Task task;
  task.header[2] = choices.Pick(kLogEvents);
  task.header[4] = 0x00fff86a;
  task.header[6] = 0x30009800;
  task.header[8] = DrawValue(choices);
  WriteRuns(task, kWholeRuns, choices);
  return task;
}

Chain GenerateChain(const td::Generation& generation, ChoiceStream& choices) {
  Chain chain;
  chain.generation = &generation;
  chain.header_words = generation.header_words;
  const bool v7 = generation.coding == Coding::kByteAddress;
  if (!v7) chain.section_header = {{1, 0, 0, 0}};
  const uint64_t count = 1 + choices.Below(4);
  for (uint64_t i = 0; i < count; ++i) {
    chain.tasks.push_back(v7 ? GenerateV7Task(generation, choices)
                             : GenerateLaterTask(generation, choices, i == 0));
    chain.tasks.back().header[0] = static_cast<uint32_t>(i);
  }
  td::Layout(chain);
  return chain;
}

const DescriptorGenerator kGenerator_td = {"td", Generate, kMutations};

}  // namespace anecheck
