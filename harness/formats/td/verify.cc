// The rules of task descriptors, each with its source, and the checks behind them.
#include <array>
#include <fmt/format.h>

#include "harness/formats/td/rules.h"
#include "harness/formats/td/td.h"
#include "harness/formats/violation_list.h"

namespace anecheck::td {
namespace {

constexpr auto kRules = std::to_array<Rule>({
    {"td-task-position",
     "byte 3 of a version-7 task's first word tells its place: 2 alone, 0 first, 1 middle, 3 last",
     "facts/hwx.md, task header; specification 000, table 23.11", FactEvidence::kRealFile},
    {"td-next-size",
     "bits 16 to 24 of a version-7 task's second word hold the words of the next task less one, "
     "and 0 at the tail",
     "facts/hwx.md, task header", FactEvidence::kRealFile},
    {"td-next-step", "a version-7 task takes its size rounded up to 0x100",
     "facts/hwx.md, task chain; specification 000, task-descriptor linked list",
     FactEvidence::kRealFile},
    {"td-write-in-block", "a version-7 write begins at a register of a known block",
     "more/hwx_block_bases.csv, 25 real files", FactEvidence::kRealFile},
    {"td-run-in-block", "a version-7 write ends in the block in which it begins",
     "more/hwx_block_bases.csv, 25 real files", FactEvidence::kRealFile},
    {"td-word-address", "a register address is a multiple of four", "facts/hwx.md, register stream",
     FactEvidence::kRealFile},
    {"td-tail", "a version-7 text section ends with its last task",
     "facts/hwx.md, task chain; table 23.7", FactEvidence::kRealFile},
    {"td-reserved-bits",
     "bits 21 to 30 of a dense stream word are zero, or bit 29 and a base address number",
     "header_forms.md, records 2 and 3", FactEvidence::kAssumed},
    {"td-task-id", "task ids count up from 0", "nine real files; not stated by a source",
     FactEvidence::kAssumed},
    {"td-section-header", "a text section from H14 on begins with the words 1, 0, 0, 0",
     "public guide; its own example parser starts without it", FactEvidence::kAssumed},
    {"td-header-words", "the header has the length of the public guide's text",
     "public guide against the H16 register map", FactEvidence::kAssumed},
    {"td-header-open", "the writes fit the blocks better under one length of the headers",
     "public guide against the H16 register map: both lengths read these bytes",
     FactEvidence::kAssumed},
    {"td-write-in-published-block", "from H14 on a write begins at a register of a known block",
     "more/hwx_block_bases.csv, of public notes that differ among themselves",
     FactEvidence::kAssumed},
    {"td-run-in-published-block", "from H14 on a write ends in the block in which it begins",
     "more/hwx_block_bases.csv, of public notes that differ among themselves",
     FactEvidence::kAssumed},
    {"td-later-tail", "from H14 on a text section ends within 256 bytes of its last task",
     "version 7; no source states it of later generations", FactEvidence::kAssumed},
    {"td-version-open", "a bare text section decodes under one version only",
     "no field of it holds the version; --format td:<version> says it", FactEvidence::kAssumed},
});
static_assert(kRules.size() == kVersionOpen + 1);

class ChainVerifier {
 public:
  ChainVerifier(const Chain& chain, uint64_t base, ViolationList& violations)
      : chain_(chain), base_(base), violations_(violations) {}

  void Run() {
    const bool v7 = chain_.generation->coding == Coding::kByteAddress;
    if (!v7) CheckLaterSection();
    CheckVersion();
    for (size_t i = 0; i < chain_.tasks.size(); ++i) {
      if ((chain_.tasks[i].header[0] & 0xffff) != (i & 0xffff)) {
        Report(kTaskId, chain_.tasks[i].offset,
               fmt::format("task[{}] has id {}", i, chain_.tasks[i].header[0] & 0xffff));
      }
      if (v7) CheckV7(i);
      CheckWrites(i);
    }
    const Task& last = chain_.tasks.back();
    const uint32_t end = last.offset + last.size;
    const uint32_t slack = v7 ? 0 : kPaddingUnit * 16;
    if (chain_.size > end + slack) {
      Report(v7 ? kTail : kLaterTail, end,
             fmt::format("the last task ends at 0x{:x}, the section at 0x{:x}", end, chain_.size));
    }
  }

 private:
  void Report(RuleIndex rule, uint64_t offset, std::string_view message) {
    violations_.Add(kRules[rule], base_ + offset, "{} at 0x{:x}: {}", kRules[rule].id,
                    base_ + offset, message);
  }

  void CheckLaterSection() {
    if (!chain_.section_header) {
      Report(kSectionHeader, 0, "the first task stands at the section's start");
    }
    if (chain_.header_words != chain_.generation->header_words) {
      Report(kHeaderWords, chain_.tasks[0].offset,
             fmt::format("task headers have {} words, the guide says {}", chain_.header_words,
                         chain_.generation->header_words));
    }
    if (chain_.other_header_words != 0) {
      Report(kHeaderOpen, chain_.tasks[0].offset,
             fmt::format("headers of {} words read as well as those of {}",
                         chain_.other_header_words, chain_.header_words));
    }
  }

  void CheckVersion() {
    if (!chain_.other_generations.empty()) {
      std::string others;
      for (const Generation* other : chain_.other_generations) {
        others +=
            fmt::format("{}{} ({})", others.empty() ? "" : ", ", other->version, other->family);
      }
      Report(kVersionOpen, 0,
             fmt::format("read as version {} ({}); it decodes as version {} too",
                         chain_.generation->version, chain_.generation->family, others));
    }
  }

  void CheckV7(size_t index) {
    const Task& task = chain_.tasks[index];
    const size_t count = chain_.tasks.size();
    const bool last = index + 1 == count;
    const uint8_t expected = count == 1 ? kSingle : index == 0 ? kFirst : last ? kLast : kMiddle;
    if (V7PositionOf(task) != expected) {
      Report(kTaskPosition, task.offset + 3,
             fmt::format("task[{}] of {} has position {}, expected {} ({})", index, count,
                         V7PositionOf(task), expected, V7PositionName(expected)));
    }
    const uint32_t next_words = last ? 0 : chain_.tasks[index + 1].size / 4 - 1;
    if (V7NextSize(task) != (next_words & 0x1ff)) {
      Report(kNextSize, task.offset + 6,
             fmt::format("task[{}] says {} for the next task, expected {}", index, V7NextSize(task),
                         next_words));
    }
    if (!last && chain_.tasks[index + 1].offset != NextOffset(chain_, task)) {
      Report(kNextStep, task.offset + 4 * kV7NextPointerWord,
             fmt::format("task[{}] of {} bytes is followed at 0x{:x}, expected 0x{:x}", index,
                         task.size, chain_.tasks[index + 1].offset, NextOffset(chain_, task)));
    }
  }

  void CheckWrites(size_t index) {
    const Task& task = chain_.tasks[index];
    uint64_t offset = task.offset + 4ull * (chain_.header_words + (task.extra_word ? 1 : 0));
    for (const RegisterWrite& write : task.writes) {
      CheckWrite(index, write, offset);
      offset += 4 + 4ull * write.count;
    }
  }

  void CheckWrite(size_t index, const RegisterWrite& write, uint64_t offset) {
    if (write.reserved != 0 && (write.reserved & ~0xffu) != kAddressPacket) {
      Report(
          kReservedBits, offset,
          fmt::format("task[{}] has reserved bits 0x{:x} in a stream word", index, write.reserved));
    }
    if (write.byte_address % 4 != 0) {
      Report(kWordAddress, offset,
             fmt::format("task[{}] writes at 0x{:x}", index, write.byte_address));
      return;
    }
    const bool v7 = chain_.generation->coding == Coding::kByteAddress;
    const RegisterBlock* block = FindBlock(*chain_.generation, write.byte_address);
    if (block == nullptr) {
      Report(v7 ? kWriteInBlock : kPublishedBlock, offset,
             fmt::format("task[{}] writes {} registers at 0x{:x}, outside every block of {}", index,
                         write.count, write.byte_address, chain_.generation->family));
      return;
    }
    const uint32_t end = block->byte_address + 4u * block->registers;
    const uint32_t last = LastAddress(write);
    if (last >= end) {
      Report(v7 ? kRunInBlock : kPublishedRun, offset,
             fmt::format("task[{}] writes 0x{:x} to 0x{:x}, {} ends at 0x{:x}", index,
                         write.byte_address, last, block->name, end));
    }
  }

  const Chain& chain_;
  uint64_t base_;
  ViolationList& violations_;
};

}  // namespace

std::span<const Rule> Rules() { return kRules; }

void VerifyChain(const Chain& chain, uint64_t base, ViolationList& violations) {
  ChainVerifier(chain, base, violations).Run();
}

void VerifyChain(const Chain& chain, uint64_t base, std::vector<Violation>& violations) {
  ViolationList list;
  VerifyChain(chain, base, list);
  std::ranges::move(std::move(list).Take(), std::back_inserter(violations));
}

}  // namespace anecheck::td
