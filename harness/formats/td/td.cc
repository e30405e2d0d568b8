// Decodes and encodes task chains, and computes the values that follow from the order of tasks.
// Used by the td and hwx formats. Sources: facts/hwx.md (25 real files), more/hwx_stream_rules.csv.
#include "harness/formats/td/td.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "harness/base/byte_reader.h"
#include "harness/base/byte_writer.h"
#include "harness/base/planted_bug.h"
#include "harness/base/round_up.h"

namespace anecheck::td {
namespace {

constexpr uint32_t kByteAddressMask = 0x03ffffff;
constexpr uint32_t kWordAddressMask = 0x7fff;
constexpr uint32_t kSparseBit = 0x80000000;
constexpr uint32_t kMostReserved = 1u << 20;  // limits the cost of a wrong size in JSON

bool AllZero(ByteSpan bytes) {
  uint64_t any = 0;
  size_t i = 0;
  for (; i + sizeof any <= bytes.size(); i += sizeof any) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    any |= word;
  }
  for (; i < bytes.size(); ++i) any |= bytes[i];
  return any == 0;
}

// Returns the size of `bytes` without trailing zero words. Precondition: a multiple of 4 bytes.
uint64_t UsedBytes(ByteSpan bytes) {
  uint64_t end = bytes.size();
  for (uint32_t word = 0; end > 0; end -= 4) {
    std::memcpy(&word, bytes.data() + end - 4, 4);
    if (word != 0) break;
  }
  return end;
}

RegisterWrite DecodeHeaderWord(uint32_t word, Coding coding) {
  RegisterWrite write;
  if (coding == Coding::kByteAddress) {
    write.count = static_cast<uint16_t>((word >> 26) + 1);
    write.byte_address = word & kByteAddressMask;
    return write;
  }
  write.byte_address = (word & kWordAddressMask) * 4;
  if ((word & kSparseBit) != 0) {
    write.sparse = true;
    write.mask = static_cast<uint16_t>(word >> 15);
    if (IsPlanted(PlantedBug::kTdSparseMask)) write.mask &= 0xfffe;
    write.count = static_cast<uint16_t>(1 + std::popcount(write.mask));
    return write;
  }
  write.count = static_cast<uint16_t>(((word >> 15) & 0x3f) + 1);
  write.reserved = static_cast<uint16_t>((word >> 21) & 0x3ff);
  return write;
}

uint32_t EncodeHeaderWord(const RegisterWrite& write, Coding coding) {
  if (coding == Coding::kByteAddress) {
    return (static_cast<uint32_t>(write.count - 1) << 26) | write.byte_address;
  }
  const uint32_t address = write.byte_address / 4;
  if (write.sparse) return kSparseBit | (static_cast<uint32_t>(write.mask) << 15) | address;
  return (static_cast<uint32_t>(write.reserved) << 21) |
         (static_cast<uint32_t>(write.count - 1) << 15) | address;
}

// Decodes register writes until the position of `reader` is at or after `end`.
Status DecodeStream(ByteReader& reader, uint64_t end, Coding coding, Task& task) {
  if (end > reader.position()) {
    constexpr uint64_t kFewWrites = 8;
    const uint64_t words = (end - reader.position()) / 4;
    task.values.reserve(words);
    task.writes.reserve(std::min(words, kFewWrites));
  }
  while (reader.position() < end) {
    const uint32_t word = reader.U32("write");
    RegisterWrite write = DecodeHeaderWord(word, coding);
    write.first = static_cast<uint32_t>(task.values.size());
    if (!reader.CheckCount(write.count, 4, "values")) return reader.status();
    const uint16_t surplus = IsPlanted(PlantedBug::kTdRunLength) ? 1 : 0;
    const ByteSpan run = reader.Bytes(4u * (write.count + surplus), "values");
    task.values.resize(write.first + run.size() / 4);
    if (!run.empty()) std::memcpy(task.values.data() + write.first, run.data(), run.size());
    task.writes.push_back(write);
  }
  return reader.status();
}

// Decodes one version-7 task.
Status DecodeV7Task(ByteReader& reader, Task& task, const Generation& generation) {
  for (uint32_t i = 0; i < generation.header_words; ++i) task.header[i] = reader.U32("header");
  if (AnnouncesExtraWord(task, generation.header_words)) task.extra_word = reader.U32("extra");
  if (!reader.ok()) return reader.status();
  const uint64_t used = UsedBytes(reader.all());
  ANECHECK_RETURN_IF_ERROR(DecodeStream(reader, used, generation.coding, task));
  task.size = static_cast<uint32_t>(reader.position());
  return {};
}

Result<Chain> DecodeV7(ByteSpan text, const Generation& generation, uint64_t base) {
  Chain chain;
  chain.generation = &generation;
  chain.header_words = generation.header_words;
  chain.size = static_cast<uint32_t>(text.size());
  ByteReader reader(text, base, "text");
  uint32_t offset = 0;
  do {
    Task task;
    task.offset = offset;
    reader.Seek(offset + 4u * kV7NextPointerWord, "task.next");
    const uint32_t next = reader.U32("task.next");
    if (!reader.ok()) return reader.status().error();
    const bool backward = next <= offset && !IsPlanted(PlantedBug::kTdBackwardTask);
    if (next != 0 && (backward || next >= text.size() || next % 4 != 0)) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("task[{}].next: 0x{:x} is not a later task in {} bytes",
                                   chain.tasks.size(), next, text.size()),
                       base + offset + 4 * kV7NextPointerWord);
    }
    const uint32_t end = next != 0 ? next : chain.size;
    ByteReader extent(text.subspan(offset, end - offset), base + offset, "task",
                      static_cast<int64_t>(chain.tasks.size()));
    ANECHECK_RETURN_IF_ERROR(DecodeV7Task(extent, task, generation));
    chain.tasks.push_back(std::move(task));
    offset = next;
  } while (offset != 0);
  return chain;
}

// Decodes a chain of a generation from H14 on, in which tasks follow each other. A 16-byte unit of
// zeros between tasks is padding.
Result<Chain> DecodeSequential(ByteSpan text, const Generation& generation, uint8_t header_words,
                               uint64_t base) {
  Chain chain;
  chain.generation = &generation;
  chain.header_words = header_words;
  chain.size = static_cast<uint32_t>(text.size());
  ByteReader reader(text, base, "text");
  if (text.size() >= kPaddingUnit && text[0] == 1 && AllZero(text.subspan(1, kPaddingUnit - 1))) {
    chain.section_header.emplace();
    for (uint32_t& word : *chain.section_header) word = reader.U32("section_header");
  }
  uint32_t padding = 0;
  while (!reader.AtEnd()) {
    const uint64_t unit = std::min<uint64_t>(kPaddingUnit, reader.remaining());
    if (AllZero(text.subspan(reader.position(), unit))) {
      reader.Skip(unit, "padding");
      ++padding;
      continue;
    }
    Task task;
    task.offset = static_cast<uint32_t>(reader.position());
    task.padding = std::exchange(padding, 0);
    const uint32_t words = (reader.U32("task.word0") >> 16) & 0x7ff;
    reader.Seek(task.offset, "task");
    if (words < header_words) {
      return MakeError(ErrorCode::kMalformed,
                       fmt::format("task[{}].task_size: {} words, the header alone has {}",
                                   chain.tasks.size(), words, header_words),
                       base + task.offset);
    }
    ByteReader extent =
        reader.Sub(task.offset, 4ull * words, "task", static_cast<int64_t>(chain.tasks.size()));
    if (!reader.ok()) return reader.status().error();
    for (uint32_t i = 0; i < header_words; ++i) task.header[i] = extent.U32("header");
    if (AnnouncesExtraWord(task, header_words)) task.extra_word = extent.U32("extra");
    ANECHECK_RETURN_IF_ERROR(DecodeStream(extent, 4ull * words, generation.coding, task));
    task.size = 4 * words;
    const uint64_t end =
        std::min<uint64_t>(text.size(), RoundUp(reader.position() + task.size, kPaddingUnit));
    if (!AllZero(text.subspan(task.offset + task.size, end - task.offset - task.size))) {
      return MakeError(
          ErrorCode::kMalformed,
          fmt::format("task[{}]: bytes after its {} words are not zero", chain.tasks.size(), words),
          base + task.offset + task.size);
    }
    reader.Seek(end, "task.end");
    chain.tasks.push_back(std::move(task));
  }
  if (!reader.ok()) return reader.status().error();
  if (chain.tasks.empty()) {
    return MakeError(ErrorCode::kMalformed, "text: no task descriptor, only padding", base);
  }
  return chain;
}

size_t OutsideBlocks(const Chain& chain, const Generation& generation) {
  size_t outside = 0;
  for (const Task& task : chain.tasks) {
    for (const RegisterWrite& write : task.writes) {
      const RegisterBlock* block = FindBlock(generation, write.byte_address);
      const bool inside = block != nullptr && block == FindBlock(generation, LastAddress(write));
      outside += inside ? 0 : 1;
    }
  }
  return outside;
}

// Decodes one text at most once for each coding and header length, because generations with the
// same coding and header length differ only in their blocks.
class Decodings {
 public:
  // The result for one generation.
  struct Choice {
    Result<Chain>* chain = nullptr;  // shared by all generations with the same coding
    size_t outside = 0;              // writes that lie in no block, if the chain decodes
    uint8_t other_header_words = 0;  // as in Chain
  };

  Decodings(ByteSpan text, uint64_t base) : text_(text), base_(base) {}

  // From H16 on, sources give two header lengths. Chooses the length with fewer writes outside the
  // blocks. If both have the same number, chooses the guide's length and sets `other_header_words`.
  Choice Choose(const Generation& generation) {
    Choice guide = Of(generation, generation.header_words);
    if (generation.alternate_header_words == 0) return guide;
    const Choice second = Of(generation, generation.alternate_header_words);
    if (!second.chain->ok()) return guide;
    if (!guide.chain->ok() || second.outside < guide.outside) return second;
    if (second.outside == guide.outside) {
      guide.other_header_words = generation.alternate_header_words;
    }
    return guide;
  }

  // Returns the chain of a choice that was made for `generation`. Moves the chain out of this
  // object, so this must be the last call.
  static Result<Chain> Take(const Choice& choice, const Generation& generation) {
    if (!choice.chain->ok()) return std::move(*choice.chain).error();
    Chain chain = std::move(*choice.chain).value();
    chain.generation = &generation;
    chain.other_header_words = choice.other_header_words;
    return chain;
  }

 private:
  struct Decoding {
    Coding coding;
    uint8_t header_words;
    Result<Chain> chain;
  };
  static constexpr size_t kMost = 8;  // three codings, each with at most two lengths

  Choice Of(const Generation& generation, uint8_t header_words) {
    const auto alike = [&](const std::optional<Decoding>& decoding) {
      return !decoding ||
             (decoding->coding == generation.coding && decoding->header_words == header_words);
    };
    std::optional<Decoding>& found = *std::ranges::find_if(decodings_, alike);
    if (!found) {
      found.emplace(generation.coding, header_words,
                    generation.coding == Coding::kByteAddress
                        ? DecodeV7(text_, generation, base_)
                        : DecodeSequential(text_, generation, header_words, base_));
    }
    Result<Chain>& chain = found->chain;
    return {.chain = &chain, .outside = chain.ok() ? OutsideBlocks(*chain, generation) : 0};
  }

  ByteSpan text_;
  uint64_t base_;
  std::array<std::optional<Decoding>, kMost> decodings_;
};

Status CheckWords(ByteSpan text, uint64_t base) {
  if (text.size() <= UINT32_MAX / 2 && text.size() % 4 == 0 && !text.empty()) return {};
  return MakeError(ErrorCode::kMalformed,
                   fmt::format("text: {} bytes are not a whole number of words", text.size()),
                   base);
}

Status CheckEncodable(const Chain& chain, size_t index) {
  const Task& task = chain.tasks[index];
  const bool v7 = chain.generation->coding == Coding::kByteAddress;
  if (task.extra_word.has_value() != AnnouncesExtraWord(task, chain.header_words)) {
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("task[{}]: the last header word is 0x{:x}, which announces {} word "
                    "behind the header",
                    index, task.header[chain.header_words - 1u],
                    task.extra_word ? "no" : "one more"));
  }
  for (const RegisterWrite& write : task.writes) {
    const bool count_fits = write.count >= 1 && write.count <= 64;
    const bool sparse_fits = !write.sparse || (chain.generation->coding == Coding::kWordAddress &&
                                               write.count == 1 + std::popcount(write.mask));
    const bool address_fits =
        v7 ? write.byte_address <= kByteAddressMask
           : write.byte_address % 4 == 0 && write.byte_address / 4 <= kWordAddressMask;
    if (count_fits && sparse_fits && address_fits && write.reserved <= 0x3ff &&
        write.first + write.count <= task.values.size()) {
      continue;
    }
    return MakeError(
        ErrorCode::kInvalid,
        fmt::format("task[{}]: a write of {} values at 0x{:x} cannot be coded for "
                    "version {}",
                    index, write.count, write.byte_address, chain.generation->version));
  }
  return {};
}

}  // namespace

void Task::Write(uint32_t byte_address, std::span<const uint32_t> run) {
  RegisterWrite write;
  write.byte_address = byte_address;
  write.first = static_cast<uint32_t>(values.size());
  write.count = static_cast<uint16_t>(run.size());
  values.insert(values.end(), run.begin(), run.end());
  writes.push_back(write);
}

void Task::WriteSparse(uint32_t byte_address, uint16_t mask, std::span<const uint32_t> run) {
  Write(byte_address, run);
  writes.back().sparse = true;
  writes.back().mask = mask;
}

std::optional<uint32_t> Task::Find(uint32_t byte_address) const {
  std::optional<uint32_t> found;
  for (const RegisterWrite& write : writes) {
    ForEachRegister(*this, write, [&](uint32_t address, uint32_t value) {
      if (address == byte_address) found = value;
    });
  }
  return found;
}

bool AnnouncesExtraWord(const Task& task, uint8_t header_words) {
  return (task.header[header_words - 1u] & 3) == 3;
}

uint32_t LastAddress(const RegisterWrite& write) {
  if (!write.sparse) return write.byte_address + 4u * (write.count - 1u);
  return write.byte_address + 4u * static_cast<uint32_t>(std::bit_width(write.mask));
}

uint8_t V7PositionOf(const Task& task) {
  return static_cast<uint8_t>(task.header[0] >> kV7PositionShift);
}

uint32_t V7NextSize(const Task& task) { return (task.header[1] >> 16) & 0x1ff; }

void SetV7NextSize(Task& task, uint32_t words_minus_one) {
  task.header[1] = (task.header[1] & ~0x01ff0000u) | ((words_minus_one & 0x1ff) << 16);
}

std::string_view V7PositionName(uint8_t position) {
  constexpr std::array<std::string_view, 4> kNames = {"first", "middle", "single", "last"};
  return position < kNames.size() ? kNames[position] : "unknown";
}

size_t WritesOutsideBlocks(const Chain& chain) { return OutsideBlocks(chain, *chain.generation); }

Result<Chain> Decode(ByteSpan text, const Generation& generation, uint64_t base) {
  ANECHECK_RETURN_IF_ERROR(CheckWords(text, base));
  Decodings decodings(text, base);
  return Decodings::Take(decodings.Choose(generation), generation);
}

// Does not try version 7 if there is a section header. Of the versions that decode, chooses the one
// with the fewest writes outside its blocks. Lists the other versions that decode, because the
// choice is not certain.
Result<Chain> DecodeAnyVersion(ByteSpan text) {
  const bool section_header =
      text.size() >= kPaddingUnit && text[0] == 1 && AllZero(text.subspan(1, kPaddingUnit - 1));
  ANECHECK_RETURN_IF_ERROR(CheckWords(text, 0));
  Decodings decodings(text, 0);
  Decodings::Choice best;
  const Generation* best_generation = nullptr;
  std::optional<Error> first_error;
  size_t best_score = SIZE_MAX;
  std::vector<const Generation*> fitting;
  fitting.reserve(Generations().size());
  for (const Generation& generation : Generations()) {
    if (section_header && generation.coding == Coding::kByteAddress) continue;
    const Decodings::Choice choice = decodings.Choose(generation);
    if (!choice.chain->ok()) {
      if (!first_error) first_error = choice.chain->error();
      continue;
    }
    fitting.push_back(&generation);
    // For equal numbers of writes outside blocks, prefers the guide's header length.
    const bool long_header = (*choice.chain)->header_words != generation.header_words;
    const size_t score = 2 * choice.outside + (long_header ? 1 : 0);
    if (score >= best_score) continue;
    best_score = score;
    best = choice;
    best_generation = &generation;
  }
  if (best_generation == nullptr) return *first_error;
  ANECHECK_ASSIGN(Chain chain, Decodings::Take(best, *best_generation));
  std::erase(fitting, best_generation);
  chain.version_guessed = true;
  chain.other_generations = std::move(fitting);
  return chain;
}

Result<Bytes> Encode(const Chain& chain) {
  ByteWriter writer;
  writer.Reserve(std::min<uint64_t>(chain.size, kMostReserved));
  if (chain.section_header) {
    for (const uint32_t word : *chain.section_header) writer.U32(word);
  }
  for (size_t i = 0; i < chain.tasks.size(); ++i) {
    const Task& task = chain.tasks[i];
    ANECHECK_RETURN_IF_ERROR(CheckEncodable(chain, i));
    if (task.offset < writer.size()) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("task[{}] at 0x{:x} starts before the task ahead of it ends at "
                                   "0x{:x}",
                                   i, task.offset, writer.size()));
    }
    writer.PadTo(task.offset);
    writer.Bytes({reinterpret_cast<const uint8_t*>(task.header.data()), 4u * chain.header_words});
    if (task.extra_word) writer.U32(*task.extra_word);
    for (const RegisterWrite& write : task.writes) {
      writer.U32(EncodeHeaderWord(write, chain.generation->coding));
      const auto values = task.ValuesOf(write);
      writer.Bytes({reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()});
    }
  }
  if (writer.size() > chain.size) {
    return MakeError(ErrorCode::kInvalid, fmt::format("size: tasks take {} bytes, size says {}",
                                                      writer.size(), chain.size));
  }
  writer.PadTo(chain.size);
  return std::move(writer).Take();
}

uint32_t TaskBytes(const Chain& chain, const Task& task) {
  return static_cast<uint32_t>(4 * (chain.header_words + (task.extra_word ? 1 : 0) +
                                    task.writes.size() + task.values.size()));
}

uint32_t NextOffset(const Chain& chain, const Task& previous) {
  const uint32_t unit =
      chain.generation->coding == Coding::kByteAddress ? kV7TaskStep : kPaddingUnit;
  return RoundUp(previous.offset + TaskBytes(chain, previous), unit);
}

void Layout(Chain& chain) {
  const bool v7 = chain.generation->coding == Coding::kByteAddress;
  uint32_t offset = chain.section_header ? 4 * kSectionHeaderWords : 0;
  const size_t count = chain.tasks.size();
  for (size_t i = 0; i < count; ++i) {
    Task& task = chain.tasks[i];
    task.offset = offset + task.padding * kPaddingUnit;
    task.size = TaskBytes(chain, task);
    chain.size = task.offset + task.size;
    offset = NextOffset(chain, task);
    if (!v7) {
      task.header[0] = (task.header[0] & ~0x07ff0000u) | ((task.size / 4 & 0x7ff) << 16);
      continue;
    }
    const bool last = i + 1 == count;
    const uint8_t position = count == 1 ? kSingle : i == 0 ? kFirst : last ? kLast : kMiddle;
    task.header[0] = (task.header[0] & 0x00ffffff) | (uint32_t{position} << kV7PositionShift);
    task.header[kV7NextPointerWord] = last ? 0 : offset;
    SetV7NextSize(task, last ? 0 : TaskBytes(chain, chain.tasks[i + 1]) / 4 - 1);
  }
}

bool PlacesAsH14(const Generation& generation) {
  return generation.version == 11 || generation.version == 8;
}

void RegisterState::Apply(const Task& task) {
  for (const RegisterWrite& write : task.writes) {
    ForEachRegister(task, write,
                    [&](uint32_t address, uint32_t value) { values_[address] = value; });
  }
}

std::optional<uint32_t> RegisterState::Get(uint32_t byte_address) const {
  const auto found = values_.find(byte_address);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

TaskSummary Summarise(const Generation& generation, const RegisterState& state) {
  TaskSummary summary;
  const bool early = PlacesAsH14(generation);
  if (const auto word = state.Get(early ? 4 * 14 : 4 * 15)) summary.task_type = *word >> 4 & 0xf;
  const auto formats = state.Get(early ? 4 * 2 : 0);
  constexpr uint32_t kAbsent = 2;  // float16
  summary.in_format = formats ? *formats & 3 : kAbsent;
  summary.out_format = formats ? *formats >> 4 & 3 : kAbsent;
  return summary;
}

uint32_t V7ImageOffset(uint32_t byte_address) {
  struct Place {
    uint32_t byte_address;
    uint32_t registers;
    uint32_t image_offset;
  };
  // The blocks in the order of a 0x274-byte task. Each block follows its stream word.
  constexpr std::array<Place, 7> kPlaces = {{{0x1f800, 62, 0x2c},
                                             {0x0, 16, 0x128},
                                             {0x13800, 28, 0x16c},
                                             {0x4800, 18, 0x1e0},
                                             {0x8800, 4, 0x22c},
                                             {0xc800, 5, 0x240},
                                             {0x17800, 7, 0x258}}};
  for (const Place& place : kPlaces) {
    if (byte_address >= place.byte_address &&
        byte_address < place.byte_address + 4 * place.registers) {
      return place.image_offset + (byte_address - place.byte_address);
    }
  }
  return 0;
}

}  // namespace anecheck::td
