// Prints a task chain for users, with one line per task and one line per register that has a value.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <iterator>

#include "harness/base/counted.h"
#include "harness/formats/td/layout.h"
#include "harness/formats/td/td.h"

namespace anecheck::td {
namespace {

using Out = std::back_insert_iterator<std::string>;

void PrintFields(Out out, const WordLayout& layout, uint32_t word) {
  for (const WordField& field : layout.fields) {
    const uint32_t value = ExtractField(word, field);
    if (value != 0) fmt::format_to(out, " {}={}", field.name, value);
    if (field.other_width == 0) continue;
    const uint32_t second = ExtractField(word, {field.name, field.other_bit, field.other_width});
    if (second != value) fmt::format_to(out, " ({}={} by the register map)", field.name, second);
  }
  const uint32_t left = word & ~NamedBits(layout);
  if (left != 0) fmt::format_to(out, " rest=0x{:x}", left);
}

void PrintRegister(Out out, const Chain& chain, uint32_t address, uint32_t value, int indent) {
  if (value == 0) return;
  const WordLayout layout = Register(*chain.generation, address);
  const RegisterBlock* block = FindBlock(*chain.generation, address);
  fmt::format_to(out, "{:{}}0x{:05x} 0x{:08x}", "", indent, address, value);
  if (!layout.name.empty()) {
    fmt::format_to(out, " {}", layout.name);
    PrintFields(out, layout, value);
  } else if (block != nullptr) {
    fmt::format_to(out, " {}[{}]", block->name, (address - block->byte_address) / 4);
  } else {
    fmt::format_to(out, " outside the known blocks");
  }
  const std::string_view opcode = layout.name == "Common.ConvCfg" ? OpcodeName(value) : "";
  if (!opcode.empty()) {
    fmt::format_to(out,
                   " [table 23.8 names this word {}; real files carry it as the convolution "
                   "configuration of other operations too]",
                   opcode);
  }
  const bool later = chain.generation->coding != Coding::kByteAddress;
  if (later && chain.generation->convolution_word == value) {
    fmt::format_to(out, " [public notes give {} this convolution word]", chain.generation->family);
  }
  fmt::format_to(out, "\n");
}

// A word of a version-7 header whose meaning in specification 000, table 23.11, differs from its
// content in real files (facts/hwx.md, task header).
struct SpecifiedWord {
  uint32_t index;
  std::string_view specified;
  std::string_view real;
};
constexpr auto kSpecifiedWords = std::to_array<SpecifiedWord>({
    {1, "size or latency", "real files: words of the next task less one"},
    {2, "operation and engine configuration", "real files: the same word for several operations"},
    {4, "configuration mask 0x00fff8xx", ""},
    {6, "DMA or compute word", "real files: flags"},
});
constexpr uint32_t kMaskPrefix = 0x00fff800;

void PrintSpecifiedReading(Out out, uint32_t index, uint32_t value) {
  const auto word = std::ranges::find(kSpecifiedWords, index, &SpecifiedWord::index);
  if (word == kSpecifiedWords.end()) return;
  const bool has_prefix = (value & ~uint32_t{0xff}) == kMaskPrefix;
  fmt::format_to(out, " [table 23.11: {}; {}]", word->specified,
                 !word->real.empty() ? word->real
                 : has_prefix        ? "so here"
                                     : "not so here, and in 11 of 35 tasks of real files");
}

void PrintTaskHead(Out out, const Chain& chain, size_t index, int indent) {
  const Task& task = chain.tasks[index];
  fmt::format_to(out, "{:{}}task {} at 0x{:x}, {}", "", indent, index, task.offset,
                 Counted(task.size, "byte"));
  if (chain.generation->coding == Coding::kByteAddress) {
    fmt::format_to(out, ", {}", V7PositionName(V7PositionOf(task)));
  }
  fmt::format_to(out, "\n");
  for (uint32_t i = 0; i < chain.header_words; ++i) {
    if (task.header[i] == 0) continue;
    fmt::format_to(out, "{:{}}header[{}] 0x{:08x}", "", indent + 2, i, task.header[i]);
    PrintFields(out, HeaderWord(*chain.generation, i), task.header[i]);
    if (chain.generation->version == 7) PrintSpecifiedReading(out, i, task.header[i]);
    fmt::format_to(out, "\n");
  }
  if (task.extra_word) {
    fmt::format_to(out, "{:{}}extra word 0x{:x}\n", "", indent + 2, *task.extra_word);
  }
}

void PrintState(Out out, const Generation& generation, const RegisterState& state, int indent) {
  const TaskSummary summary = Summarise(generation, state);
  fmt::format_to(out, "{:{}}after this task: {} set, input {}, output {}", "", indent,
                 Counted(state.size(), "register"), ElementFormatName(summary.in_format),
                 ElementFormatName(summary.out_format));
  if (summary.task_type) fmt::format_to(out, ", task type {}", *summary.task_type);
  fmt::format_to(out, "\n");
}

}  // namespace

void PrintChain(const Chain& chain, int indent, std::string& text) {
  const Out out = std::back_inserter(text);
  const Generation& generation = *chain.generation;
  fmt::format_to(out, "{:{}}task descriptors: version {} ({}), {}, {}\n", "", indent,
                 generation.version, generation.family, Counted(chain.tasks.size(), "task"),
                 Counted(chain.size, "byte"));
  if (generation.evidence != FactEvidence::kRealFile) {
    fmt::format_to(out, "{:{}}evidence: {} ({})\n", "", indent,
                   FactEvidenceName(generation.evidence), generation.source);
  }
  if (chain.header_words != generation.header_words) {
    fmt::format_to(out, "{:{}}difference: headers of {} words, the public guide says {}\n", "",
                   indent, chain.header_words, generation.header_words);
  }
  if (chain.other_header_words != 0) {
    fmt::format_to(out, "{:{}}open: headers of {} words fit these bytes as well\n", "", indent,
                   chain.other_header_words);
  }
  if (!chain.other_generations.empty()) {
    fmt::format_to(out, "{:{}}open: the version is guessed, the bytes also decode as", "", indent);
    for (const Generation* other : chain.other_generations) {
      fmt::format_to(out, " td:{} ({})", other->version, other->family);
    }
    fmt::format_to(out, "; --format says it\n");
  }
  RegisterState state;
  for (size_t i = 0; i < chain.tasks.size(); ++i) {
    const Task& task = chain.tasks[i];
    PrintTaskHead(out, chain, i, indent + 2);
    for (const RegisterWrite& write : task.writes) {
      fmt::format_to(out, "{:{}}write 0x{:x}, {}{}\n", "", indent + 4, write.byte_address,
                     Counted(write.count, "value"),
                     write.sparse ? fmt::format(", mask 0x{:x}", write.mask) : "");
      ForEachRegister(task, write, [&](uint32_t address, uint32_t value) {
        PrintRegister(out, chain, address, value, indent + 6);
      });
    }
    state.Apply(task);
    if (generation.coding != Coding::kByteAddress) PrintState(out, generation, state, indent + 4);
  }
}

std::string PrintChain(const Chain& chain, int indent) {
  std::string text;
  PrintChain(chain, indent, text);
  return text;
}

}  // namespace anecheck::td
