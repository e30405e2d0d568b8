// Generated and damaged containers have the properties that every container must have.
#include "generators/formats/hwx/hwx_generator.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <set>

#include "generators/formats/common/generator_laws_test_support.h"
#include "generators/formats/hwx/hwx_edits.h"
#include "harness/base/json.h"
#include "harness/formats/bytekinds/byte_kinds.h"
#include "harness/formats/hwx/container.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/thread_words.h"

namespace anecheck {
namespace {

Bytes Generated(uint64_t seed) {
  ChoiceStream choices = ChoiceStream::FromSeed(seed);
  return kGenerator_hwx.generate(choices);
}

TEST(HwxGenerator, MakesValidContainers) {
  testing::ExpectValidFiles(kFormat_hwx, kGenerator_hwx, 60);
}

TEST(HwxGenerator, MutationsKeepTheirPromises) {
  testing::ExpectMutationsKeepTheirPromises(kFormat_hwx, kGenerator_hwx, 40);
}

// Each application of the mutation removes the '=' of one stab. It applies until no stab of a type
// has one.
TEST(HwxGenerator, MutatesStabsThatAreBrokenAlready) {
  const auto kind = std::ranges::find(kGenerator_hwx.mutations, "broken-stab", &MutationKind::id);
  ASSERT_NE(kind, kGenerator_hwx.mutations.end());
  Bytes bytes = Generated(1);
  size_t applied = 0;
  for (uint64_t symbol = 0; symbol < 64; ++symbol) {
    while (true) {
      const auto broken = kind->apply(bytes, {"broken-stab", {symbol, 0}});
      if (!broken.ok() || *broken == bytes) break;
      ASSERT_LT(++applied, 200u);
      bytes = *broken;
    }
  }
  EXPECT_GT(applied, 3u);
}

// Earlier mutations may leave a task with fewer words than its form requires.
TEST(HwxGenerator, DoesNotEditTilesOfATaskThatWasCutOff) {
  size_t tried = 0;
  for (uint64_t seed = 1; seed < 60; ++seed) {
    hwx::Container container = hwx::Parse(Generated(seed)).value();
    if (!hwx_edits::RelocationToNoTile(container, 0, 0)) continue;
    for (hwx::Section& section : container.sections) {
      if (!section.tasks) continue;
      for (td::Task& task : section.tasks->tasks) task.values.clear();
    }
    EXPECT_FALSE(hwx_edits::RelocationToNoTile(container, 0, 0)) << seed;
    ++tried;
  }
  EXPECT_GT(tried, 0u);
}

// The numbers of bytes of a container that no source describes.
struct Undescribed {
  uint64_t contents = 0;   // of sections for debugging and of notes
  uint64_t words = 0;      // of thread commands that no source describes
  uint64_t registers = 0;  // known only by their address
};

Undescribed UndescribedIn(const hwx::Container& c) {
  Undescribed sum;
  for (const hwx::Section& section : c.sections) {
    if (section.tasks != nullptr) {
      ByteKindMap map(section.data);
      td::ClaimChain(*section.tasks, 0, &map);
      sum.registers += std::move(map).Count().Opaque();
    } else if (section.in_file && !hwx::IsKernelSection(section)) {
      sum.contents += section.size;
    }
  }
  for (const hwx::Note& note : c.notes) sum.contents += note.size;
  for (const hwx::Thread& thread : c.threads) {
    std::vector<bool> named(thread.words.size(), false);
    if (hwx::IsApertureTable(thread)) std::fill_n(named.begin(), 2 * hwx::kBaseSlots, true);
    for (const hwx::ThreadWord& word : hwx::ThreadWords(thread.flavor)) {
      for (uint32_t i = 0; i < word.words && hwx::Applies(word, thread); ++i) {
        named[word.index + i] = true;
      }
    }
    for (size_t i = 0; i < named.size(); ++i) {
      if (!named[i] && thread.words[i] != 0) sum.words += 4;
    }
  }
  return sum;
}

// Real containers also reach 95 %. The test accounts for every untyped byte. The share leaves out
// the contents of debugging sections and notes, and registers of which only the address is known.
// No source describes these parts, and the generator fills them at random.
TEST(HwxGenerator, ContainersAreTypedToNinetyFivePercent) {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    const Bytes bytes = Generated(seed);
    const ByteCounts coverage = kFormat_hwx.count_bytes(bytes).value();
    const Undescribed undescribed = UndescribedIn(hwx::Parse(bytes).value());
    EXPECT_EQ(coverage.Opaque(), undescribed.contents + undescribed.words + undescribed.registers)
        << "seed " << seed;
    const auto share = [&](uint64_t opaque) {
      const auto typed = static_cast<double>(coverage.typed);
      return typed / (typed + static_cast<double>(opaque));
    };
    EXPECT_GE(share(undescribed.words), 0.95) << "seed " << seed;
    EXPECT_GE(share(undescribed.words + undescribed.registers), 0.92) << "seed " << seed;
  }
}

// The generated containers include every variant that the facts list.
TEST(HwxGenerator, CoversEveryVariant) {
  std::set<uint32_t> port_commands;
  std::set<size_t> catalogs;
  std::set<uint32_t> subtypes;
  bool kern = false;
  bool debug_before_text = false;
  bool sentinel = false;
  bool table = false;
  bool note = false;
  bool bss = false;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const Bytes bytes = Generated(seed);
    const hwx::Container c = hwx::Parse(bytes).value();
    subtypes.insert(c.header.cpusubtype);
    for (const hwx::Command& command : c.commands) {
      if (command.cmd == 0x06 || command.cmd == 0x40) port_commands.insert(command.cmd);
    }
    const auto& symbols = c.symtabs.front().symbols;
    catalogs.insert(static_cast<size_t>(std::ranges::count(
        symbols, hwx::kTypeStabSymbol, [](const hwx::Symbol& symbol) { return symbol.type; })));
    const auto segment = [&](std::string_view name) {
      return std::ranges::find(c.segments, name,
                               [](const hwx::Segment& s) { return hwx::TextOf(s.segname); });
    };
    kern |= segment("__KERN_0") != c.segments.end();
    debug_before_text |= segment("__DEBUG") < segment("__TEXT");
    for (const hwx::Tile& tile : hwx::TilesOf(c, hwx::KernelSectionNumber(c))) {
      sentinel |= tile.sentinel;
      table |= tile.lane < 0;
    }
    note |= !c.notes.empty();
    bss |= c.FindSection("__bss") != nullptr;
  }
  EXPECT_EQ(port_commands, (std::set<uint32_t>{0x06, 0x40}));
  EXPECT_EQ(catalogs, (std::set<size_t>{10, 15, 23, 24}));
  EXPECT_EQ(subtypes, (std::set<uint32_t>{4, 5, 6, 7, 9, 10}));
  EXPECT_TRUE(kern);
  EXPECT_TRUE(debug_before_text);
  EXPECT_TRUE(sentinel);
  EXPECT_TRUE(table);
  EXPECT_TRUE(note);
  EXPECT_TRUE(bss);
}

TEST(HwxFormat, DamagedFilesDoNotCrash) {
  testing::ExpectHarmlessDamage(kFormat_hwx, Generated(3), 211);
}

RC_GTEST_PROP(HwxGenerator, AnyBytesDriveIt, (const std::vector<uint8_t>& bytes)) {
  ChoiceStream choices = ChoiceStream::FromBytes(bytes);
  const auto violations = kFormat_hwx.verify(kGenerator_hwx.generate(choices));
  RC_ASSERT(violations.ok());
  RC_ASSERT(std::ranges::all_of(*violations, &Violation::IsWarning));
}

}  // namespace
}  // namespace anecheck
