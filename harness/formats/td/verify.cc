#include <fmt/format.h>

#include "harness/base/counted.h"
#include "harness/formats/rules.h"
#include "harness/formats/td/rules.h"
#include "harness/formats/td/td.h"

namespace anecheck::td {
namespace {

constexpr FactEvidence kReal = FactEvidence::kRealFile;
constexpr FactEvidence kAssumed = FactEvidence::kAssumed;
constexpr std::string_view kBlocks = "more/hwx_block_bases.csv, 25 real files";
constexpr std::string_view kPublishedBlocks =
    "more/hwx_block_bases.csv, of public notes that differ among themselves";

bool IsV7(const Chain& chain) { return chain.generation->coding == Coding::kByteAddress; }

// Calls visit(index of the task, write, offset of its stream word) for every write.
template <typename Visit>
void ForEachWrite(const Chain& chain, Visit visit) {
  for (size_t i = 0; i < chain.tasks.size(); ++i) {
    const Task& task = chain.tasks[i];
    uint64_t offset = task.offset + 4ull * (chain.header_words + (task.extra_word ? 1 : 0));
    for (const RegisterWrite& write : task.writes) {
      visit(i, write, offset);
      offset += 4 + 4ull * write.count;
    }
  }
}

// Checks that a write begins at a register of a block, for version 7 or for later versions.
template <bool kV7>
void CheckBegin(const Chain& chain, RuleReport& broken) {
  if (IsV7(chain) != kV7) return;
  ForEachWrite(chain, [&](size_t i, const RegisterWrite& write, uint64_t offset) {
    if (write.byte_address % 4 != 0) return;  // td-word-address
    if (FindBlock(*chain.generation, write.byte_address) != nullptr) return;
    broken(offset, "task[{}] writes {} at 0x{:x}, outside every block of {}", i,
           Counted(write.count, "register"), write.byte_address, chain.generation->family);
  });
}

// Checks that a write ends in the block in which it begins.
template <bool kV7>
void CheckEnd(const Chain& chain, RuleReport& broken) {
  if (IsV7(chain) != kV7) return;
  ForEachWrite(chain, [&](size_t i, const RegisterWrite& write, uint64_t offset) {
    if (write.byte_address % 4 != 0) return;  // td-word-address
    const RegisterBlock* block = FindBlock(*chain.generation, write.byte_address);
    if (block == nullptr) return;
    const uint32_t end = block->byte_address + 4u * block->registers;
    const uint32_t last = LastAddress(write);
    if (last < end) return;
    broken(offset, "task[{}] writes registers 0x{:x} to 0x{:x}, but block {} ends at 0x{:x}", i,
           write.byte_address, last, block->name, end);
  });
}

// Checks that a section ends with its last task, or at most `kSlack` bytes after it.
template <bool kV7, uint32_t kSlack>
void CheckTail(const Chain& chain, RuleReport& broken) {
  const uint32_t end = chain.tasks.back().offset + chain.tasks.back().size;
  if (IsV7(chain) == kV7 && chain.size > end + kSlack) {
    broken(end, "the last task ends at 0x{:x}, the section at 0x{:x}", end, chain.size);
  }
}

constexpr auto kRules = RulesOf<Chain>({
    {"td-task-position",
     "byte 3 of a version-7 task's first word is its place in the chain: 2 for the only task, else "
     "0 for the first, 1 for a middle and 3 for the last task",
     "facts/hwx.md, task header; specification 000, table 23.11", kReal,
     [](const Chain& chain, RuleReport& broken) {
       const size_t count = chain.tasks.size();
       for (size_t i = 0; IsV7(chain) && i < count; ++i) {
         const Task& task = chain.tasks[i];
         const uint8_t expected = count == 1       ? kSingle
                                  : i == 0         ? kFirst
                                  : i + 1 == count ? kLast
                                                   : kMiddle;
         if (V7PositionOf(task) == expected) continue;
         broken(task.offset + 3, "task[{}] of {} has position {}, expected {} ({})", i, count,
                V7PositionOf(task), expected, V7PositionName(expected));
       }
     }},
    {"td-next-size",
     "bits 16 to 24 of a version-7 task's second word hold the number of words of the next task "
     "minus one, or 0 in the last task",
     "facts/hwx.md, task header", kReal,
     [](const Chain& chain, RuleReport& broken) {
       for (size_t i = 0; IsV7(chain) && i < chain.tasks.size(); ++i) {
         const Task& task = chain.tasks[i];
         const bool last = i + 1 == chain.tasks.size();
         const uint32_t words = last ? 0 : chain.tasks[i + 1].size / 4 - 1;
         if (V7NextSize(task) == (words & 0x1ff)) continue;
         broken(task.offset + 6, "task[{}] says {} for the next task, expected {}", i,
                V7NextSize(task), words);
       }
     }},
    {"td-next-step", "a version-7 task takes its size, rounded up to a multiple of 0x100",
     "facts/hwx.md, task chain; specification 000, task-descriptor linked list", kReal,
     [](const Chain& chain, RuleReport& broken) {
       for (size_t i = 0; IsV7(chain) && i + 1 < chain.tasks.size(); ++i) {
         const Task& task = chain.tasks[i];
         const uint32_t next = chain.tasks[i + 1].offset;
         if (next == NextOffset(chain, task)) continue;
         broken(task.offset + 4 * kV7NextPointerWord,
                "the task after task[{}] of {} bytes is at 0x{:x}, expected 0x{:x}", i, task.size,
                next, NextOffset(chain, task));
       }
     }},
    {"td-write-in-block", "a version-7 write begins at a register of a known block", kBlocks, kReal,
     CheckBegin<true>},
    {"td-run-in-block", "a version-7 write ends in the block in which it begins", kBlocks, kReal,
     CheckEnd<true>},
    {"td-word-address", "a register address is a multiple of four", "facts/hwx.md, register stream",
     kReal,
     [](const Chain& chain, RuleReport& broken) {
       ForEachWrite(chain, [&](size_t i, const RegisterWrite& write, uint64_t offset) {
         if (write.byte_address % 4 == 0) return;
         broken(offset, "task[{}] writes at 0x{:x}, which is no multiple of 4", i,
                write.byte_address);
       });
     }},
    {"td-tail", "a version-7 text section ends with its last task",
     "facts/hwx.md, task chain; table 23.7", kReal, CheckTail<true, 0>},
    {"td-reserved-bits",
     "bits 21 to 30 of a dense stream word are zero, or are bit 29 and the number of a base "
     "address",
     "header_forms.md, records 2 and 3", kAssumed,
     [](const Chain& chain, RuleReport& broken) {
       ForEachWrite(chain, [&](size_t i, const RegisterWrite& write, uint64_t offset) {
         if (write.reserved == 0 || (write.reserved & ~0xffu) == kAddressPacket) return;
         broken(offset, "task[{}] has reserved bits 0x{:x} in a stream word", i, write.reserved);
       });
     }},
    {"td-task-id", "task ids count up from 0", "nine real files; not stated by a source", kAssumed,
     [](const Chain& chain, RuleReport& broken) {
       for (size_t i = 0; i < chain.tasks.size(); ++i) {
         const uint32_t id = chain.tasks[i].header[0] & 0xffff;
         if (id != (i & 0xffff))
           broken(chain.tasks[i].offset, "task[{}] has id {}, which is not the task's position", i,
                  id);
       }
     }},
    {"td-section-header", "a text section from H14 on begins with the words 1, 0, 0, 0 or zeros",
     "public guide; zeros in records of a compiler (header_forms.md, 1)", kAssumed,
     [](const Chain& chain, RuleReport& broken) {
       if (!IsV7(chain) && chain.tasks[0].offset == 0) {
         broken(0, "the first task stands at the section's start");
       }
     }},
    {"td-header-words", "the header has the length of the public guide's text",
     "public guide against the H16 register map", kAssumed,
     [](const Chain& chain, RuleReport& broken) {
       if (IsV7(chain) || chain.header_words == chain.generation->header_words) return;
       broken(chain.tasks[0].offset, "task headers have {} words, the guide says {}",
              chain.header_words, chain.generation->header_words);
     }},
    {"td-header-open", "one header length fits the blocks of the writes better than the other",
     "public guide against the H16 register map: both lengths read these bytes", kAssumed,
     [](const Chain& chain, RuleReport& broken) {
       if (IsV7(chain) || chain.other_header_words == 0) return;
       broken(chain.tasks[0].offset, "headers of {} words read as well as those of {}",
              chain.other_header_words, chain.header_words);
     }},
    {"td-write-in-published-block", "from H14 on a write begins at a register of a known block",
     kPublishedBlocks, kAssumed, CheckBegin<false>},
    {"td-run-in-published-block", "from H14 on a write ends in the block in which it begins",
     kPublishedBlocks, kAssumed, CheckEnd<false>},
    {"td-later-tail", "from H14 on a text section ends within 256 bytes of its last task",
     "version 7; no source states it of later generations", kAssumed,
     CheckTail<false, kPaddingUnit * 16>},
    {"td-version-open", "a bare text section decodes under one version only",
     "no field of it holds the version; --format td:<version> says it", kAssumed,
     [](const Chain& chain, RuleReport& broken) {
       if (chain.other_generations.empty()) return;
       std::string others;
       for (const Generation* other : chain.other_generations) {
         others +=
             fmt::format("{}{} ({})", others.empty() ? "" : ", ", other->version, other->family);
       }
       broken.Say(0, fmt::format("read as version {} ({}); it decodes as version {} too",
                                 chain.generation->version, chain.generation->family, others));
     }},
});

}  // namespace

std::span<const Rule> Rules() { return kRules.rules(); }

void VerifyChain(const Chain& chain, uint64_t base, ViolationList& violations) {
  kRules.Verify(chain, base, violations);
}

std::vector<Violation> VerifyChain(const Chain& chain) { return kRules.Verify(chain); }

}  // namespace anecheck::td
