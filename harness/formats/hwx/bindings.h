// An index of a container for its rules: windows by address, ports by name, tiles by section, the
// catalog of types, and the stride frames by tensor.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/formats/hwx/banner.h"
#include "harness/formats/hwx/names.h"
#include "harness/formats/hwx/records.h"
#include "harness/formats/hwx/thread_words.h"
#include "harness/formats/stabs/stabs.h"

namespace anecheck::hwx {

inline constexpr uint32_t kH13Subtype = 4;  // the subtype of all real files

// Refers to the container, which must outlive it.
struct Bindings {
  explicit Bindings(const Container& container);

  const Container& c;
  bool is_h13 = false;
  std::map<uint64_t, const Section*> windows;        // by address
  std::map<std::string_view, const Section*> ports;  // windows by the port's name
  std::map<uint32_t, std::set<uint64_t>> tiles;      // offsets by section, which counts from 1
  std::set<uint32_t> catalog;                        // type numbers
  struct Stab {
    const Symbol* symbol = nullptr;
    uint64_t at = 0;               // offset of the symbol's record
    uint32_t place = 0;            // number among the type stabs of its table, from 1
    std::optional<uint32_t> type;  // the type's number, if the text parses as a type stab
    std::optional<stabs::TensorStab> tensor;
  };
  std::vector<Stab> all_stabs;
  std::vector<std::pair<TensorRecord, uint64_t>> tensors;  // and the offset of its words
  std::vector<std::pair<Banner, uint64_t>> banners;        // and the banner's offset

  // Return the window of a tensor's port and the tensor's stride frame, or null if there is none.
  const Section* WindowOf(std::string_view tensor) const;
  const stabs::TensorStab* FrameOf(std::string_view tensor) const;

 private:
  std::map<std::string_view, const stabs::TensorStab*> frames_;
  bool cut_names_ = false;  // whether a port's record has the specification's form
};

// Each function calls `visit` for all records of a kind. `at` is the offset of a record's command.

// visit(segment, at)
template <typename Visit>
void ForEachSegment(const Container& c, Visit visit) {
  for (const Command& command : c.commands) {
    if (command.opaque || command.cmd != kSegmentCommand) continue;
    visit(c.segments[command.index], command.offset);
  }
}

// visit(segment, section, at)
template <typename Visit>
void ForEachSection(const Container& c, Visit visit) {
  ForEachSegment(c, [&](const Segment& segment, uint64_t at) {
    for (const Section& section : c.SectionsOf(segment)) visit(segment, section, at);
  });
}

// visit(port, command)
template <typename Visit>
void ForEachPort(const Container& c, Visit visit) {
  for (const Command& command : c.commands) {
    const bool port = command.cmd == kPortCommand || command.cmd == kShortPortCommand;
    if (!command.opaque && port) visit(c.ports[command.index], command);
  }
}

// visit(thread, words), where `words` is the offset of the thread's first word
template <typename Visit>
void ForEachThread(const Container& c, Visit visit) {
  for (const Command& command : c.commands) {
    if (command.opaque || command.cmd != kThreadCommand) continue;
    visit(c.threads[command.index], command.offset + kCommandHead + kThreadRecord.kSize);
  }
}

// visit(symbol, at), where `at` is the offset of the symbol's record
template <typename Visit>
void ForEachSymbol(const Container& c, Visit visit) {
  for (const Symtab& table : c.symtabs) {
    for (size_t i = 0; i < table.symbols.size(); ++i) {
      visit(table.symbols[i], table.symoff + kSymbolRecord.kSize * i);
    }
  }
}

// visit(symbol, section, at) for the symbols of tiles in a kernel section
template <typename Visit>
void ForEachTile(const Container& c, Visit visit) {
  ForEachSymbol(c, [&](const Symbol& symbol, uint64_t at) {
    if (symbol.type != kPlaceSymbol || symbol.sect == 0 || symbol.sect > c.sections.size()) return;
    const Section& section = c.sections[symbol.sect - 1];
    const bool inside = symbol.value >= section.addr && symbol.value - section.addr <= section.size;
    if (inside && IsKernelSection(section)) visit(symbol, section, at);
  });
}

}  // namespace anecheck::hwx
