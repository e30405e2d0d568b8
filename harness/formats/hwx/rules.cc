// The rules for references between the parts of a container: ports and windows, the aperture table,
// tensors, symbols, weight tiles, relocations.
#include "harness/formats/hwx/rules.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/little_endian.h"
#include "harness/formats/hwx/relocate.h"
#include "harness/formats/hwx/rule_groups.h"
#include "harness/formats/rules.h"
#include "harness/formats/td/rules.h"

namespace anecheck::hwx {
namespace {

constexpr FactEvidence kReal = FactEvidence::kRealFile;
constexpr FactEvidence kAssumed = FactEvidence::kAssumed;
constexpr std::string_view kApertureSource = "facts/hwx.md, thread command, flavor 1";
constexpr std::string_view kTiling = "specification 000, weight tiling and the per-lane naming";

constexpr uint64_t kTypeAt = kSymbolRecord.OffsetOf("type");
constexpr uint64_t kSectAt = kSymbolRecord.OffsetOf("sect");
constexpr uint64_t kDescAt = kSymbolRecord.OffsetOf("desc");
constexpr uint64_t kValueAt = kSymbolRecord.OffsetOf("value");

// ---- the aperture table: known for H13; assumed for later generations ----

using Check = void (*)(const Bindings& b, RuleReport& broken);

// Calls visit(thread, words) for every aperture table.
template <typename Visit>
void ForEachTable(const Bindings& b, Visit visit) {
  ForEachThread(b.c, [&](const Thread& thread, uint64_t words) {
    if (IsApertureTable(thread)) visit(thread, words);
  });
}

// A slot has 8 bytes in files of H13; according to public notes it has 16 bytes from H14 on.
bool SlotHolds(const Bindings& b, const Thread& thread, uint32_t slot, uint64_t address) {
  if (Pair(thread, 2 * slot) == address) return true;
  return !b.is_h13 && 4 * slot + 1 < thread.words.size() && Pair(thread, 4 * slot) == address;
}

void CheckTable(const Bindings& b, RuleReport& broken) {
  if (!std::ranges::any_of(b.c.threads, IsApertureTable)) {
    broken(kHeaderSize, "no thread command has the aperture table");
  }
}

// Returns the text section if there is exactly one aperture table, and null otherwise. Several
// tables belong to several procedures. No source says how procedures share a text section, so no
// rule compares their tables with the section.
const Section* OnlyText(const Bindings& b) {
  if (std::ranges::count_if(b.c.threads, IsApertureTable) != 1) return nullptr;
  return b.c.FindSection("__text");
}

void CheckText(const Bindings& b, RuleReport& broken) {
  const Section* text = b.c.FindSection("__text");
  if (text == nullptr) return;
  ForEachTable(b, [&](const Thread& thread, uint64_t words) {
    if (!SlotHolds(b, thread, kTextSlot, text->addr)) {
      broken(words + 8 * kTextSlot, "base slot 0 is 0x{:x}, __text is at 0x{:x}",
             Pair(thread, 2 * kTextSlot), text->addr);
    }
    const uint64_t address = Pair(thread, kTextAddressWord);
    if (OnlyText(b) != nullptr && address != text->addr) {
      broken(words + 4 * kTextAddressWord, "word 512 is 0x{:x}, __text is at 0x{:x}", address,
             text->addr);
    }
  });
}

void CheckConst(const Bindings& b, RuleReport& broken) {
  const auto found = std::ranges::find_if(b.c.sections, [](const Section& section) {
    return TextOf(section.segname) == "__TEXT" && TextOf(section.sectname) == "__const";
  });
  if (found == b.c.sections.end()) return;
  ForEachTable(b, [&](const Thread& thread, uint64_t words) {
    if (SlotHolds(b, thread, kConstSlot, found->addr)) return;
    broken(words + 8 * kConstSlot, "base slot 1 is 0x{:x}, __const is at 0x{:x}",
           Pair(thread, 2 * kConstSlot), found->addr);
  });
}

void CheckIo(const Bindings& b, RuleReport& broken) {
  ForEachTable(b, [&](const Thread& thread, uint64_t words) {
    const auto holds = [&](uint64_t address) {
      for (uint32_t i = kFirstIoSlot; i < kBaseSlots; ++i) {
        if (SlotHolds(b, thread, i, address)) return true;
      }
      return false;
    };
    // Reports once per table, because a table may lack hundreds of windows.
    uint64_t missing = 0;
    uint64_t first = 0;
    for (const auto& [window, section] : b.windows) {
      if (!holds(window) && missing++ == 0) first = window;
    }
    if (missing == 0) return;
    broken(words + 8 * kFirstIoSlot, "no base slot holds the window at 0x{:x}{}", first,
           missing == 1 ? "" : fmt::format(" and {} others", missing - 1));
  });
}

// Checks that a word of the aperture table equals a number that follows from the chain of tasks.
// Checks nothing if there are several tables.
template <uint32_t kWord, uint32_t (*kExpected)(const td::Chain&)>
void CheckCount(const Bindings& b, RuleReport& broken) {
  const Section* text = OnlyText(b);
  if (text == nullptr || text->tasks == nullptr) return;
  const uint32_t expected = kExpected(*text->tasks);
  ForEachTable(b, [&](const Thread& thread, uint64_t words) {
    if (thread.words[kWord] == expected) return;
    broken(words + 4 * kWord, "word {} is {}, expected {}", kWord, thread.words[kWord], expected);
  });
}
uint32_t Tasks(const td::Chain& chain) { return static_cast<uint32_t>(chain.tasks.size()); }
uint32_t FirstWords(const td::Chain& chain) { return chain.tasks.front().size / 4 - 1; }
constexpr Check kCheckTaskCount = CheckCount<kTaskCountWord, Tasks>;
constexpr Check kCheckFirstWords = CheckCount<kFirstTaskWordsWord, FirstWords>;

template <Check kCheck>
void OfH13(const Bindings& b, RuleReport& broken) {
  if (b.is_h13) kCheck(b, broken);
}

void OfLater(const Bindings& b, RuleReport& broken) {
  if (b.is_h13) return;
  for (const Check check :
       {CheckTable, CheckText, CheckConst, CheckIo, kCheckTaskCount, kCheckFirstWords}) {
    check(b, broken);
  }
}

// ---- symbols and relocations ----

template <typename Visit>
void ForEachRelocation(const Container& c, Visit visit) {
  for (const Section& section : c.sections) {
    for (size_t i = 0; i < section.relocations.size(); ++i) {
      visit(section, section.relocations[i], section.reloff + kRelocationRecord * i);
    }
  }
}

bool IsInside(const Section& section, const Relocation& relocation) {
  const int64_t address = relocation.address;
  return address >= 0 && address % 4 == 0 && section.size >= 4 &&
         static_cast<uint64_t>(address) <= section.size - 4;
}

bool IsOfKind(const Container& c, const Relocation& relocation) {
  return relocation.pc_relative && relocation.length == 2 && !relocation.external &&
         relocation.type == 0 && relocation.symbolnum != 0 &&
         relocation.symbolnum <= c.sections.size() &&
         IsKernelSection(c.sections[relocation.symbolnum - 1]);
}

// Returns whether a relocation patches a coefficient base of a task. Precondition: the relocation
// is inside its section and is of the usual kind.
bool PatchesBase(const Section& section, const Relocation& relocation) {
  return section.tasks->generation->version != 7 ||
         IsCoefficientBase(*section.tasks, relocation.address);
}

constexpr auto kRules = RulesOf<Bindings>({
    {"window-port", "every input and output window has a port", "specification 000; real files",
     kReal,
     [](const Bindings& b, RuleReport& broken) {
       std::set<uint64_t> bound;
       ForEachPort(b.c, [&](const Port& port, const Command&) { bound.insert(port.vmaddr); });
       for (const auto& [address, section] : b.windows) {
         if (bound.contains(address)) continue;
         broken(section->record_offset + kSectionRecord.OffsetOf("addr"),
                "the window at 0x{:x} has no port", address);
       }
     }},
    {"port-window", "a port's address is that of an input or output window",
     "specification 000, window-binding load commands", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachPort(b.c, [&](const Port& port, const Command& command) {
         if (b.windows.contains(port.vmaddr)) return;
         broken(command.offset + kCommandHead + kPortRecord.OffsetOf("vmaddr"),
                "port '{}' is at 0x{:x}, where no window begins", port.name, port.vmaddr);
       });
     }},
    {"port-name-unique", "ports have different, non-empty names", "real files", kReal,
     [](const Bindings& b, RuleReport& broken) {
       std::set<std::string_view> names;
       ForEachPort(b.c, [&](const Port& port, const Command& command) {
         if (!port.name.empty() && names.insert(port.name).second) return;
         broken(command.offset + port.name_offset, "port '{}' {}", port.name,
                port.name.empty() ? "has no name" : "stands twice");
       });
     }},
    {"port-kinds", "all ports have the same command id", "facts/hwx.md, load commands", kReal,
     [](const Bindings& b, RuleReport& broken) {
       uint32_t first = 0;
       ForEachPort(b.c, [&](const Port& port, const Command& command) {
         if (first == 0) first = command.cmd;
         if (command.cmd == first) return;
         broken(command.offset, "port '{}' is a command 0x{:02x}, others are not", port.name,
                command.cmd);
       });
     }},
    {"port-form", "a port is a name offset, a zero, an address and a name",
     "real files; specification 000 has {byteSize, apertureVA, nameRef}", kAssumed,
     [](const Bindings& b, RuleReport& broken) {
       ForEachPort(b.c, [&](const Port& port, const Command& command) {
         if (!port.byte_size) return;
         broken(command.offset + kCommandHead,
                "port '{}' begins with 0x{:x}, which is no name offset", port.name,
                *port.byte_size);
       });
     }},
    {"aperture-table", "there is a thread command of flavor 1 with the whole aperture table",
     "facts/hwx.md, thread command", kReal, OfH13<CheckTable>},
    {"aperture-text", "base slot 0 and word 512 hold the address of __text", kApertureSource, kReal,
     OfH13<CheckText>},
    {"aperture-const", "base slot 1 holds the address of __TEXT,__const", kApertureSource, kReal,
     OfH13<CheckConst>},
    {"aperture-io", "a base slot from 4 on holds the address of each window", kApertureSource,
     kReal, OfH13<CheckIo>},
    {"task-count", "word 515 holds the number of tasks", kApertureSource, kReal,
     OfH13<kCheckTaskCount>},
    {"first-task-words", "word 514 is the number of words of the first task minus one",
     kApertureSource, kReal, OfH13<kCheckFirstWords>},
    {"aperture-later",
     "from H14 on, base slots (8 or 16 bytes) and words 512 to 515 hold the same as on H13",
     "more/crossgen_container.csv gives records of 16 bytes; no real file at hand", kAssumed,
     OfLater},
    {"tensor-port", "a tensor's name is that of a port", "real files", kReal,
     [](const Bindings& b, RuleReport& broken) {
       for (const auto& [tensor, words] : b.tensors) {
         if (b.WindowOf(tensor.name) != nullptr) continue;
         broken(words + 4 * kTensorNameWord, "tensor '{}' has no port", tensor.name);
       }
     }},
    {"tensor-direction", "a tensor is an input (1) or output (2), as its window is",
     "facts/hwx.md, thread command, flavor 3", kReal,
     [](const Bindings& b, RuleReport& broken) {
       for (const auto& [tensor, words] : b.tensors) {
         const Section* window = b.WindowOf(tensor.name);
         if (window == nullptr) continue;
         const uint32_t expected = KindOf(*window) == kInputSection ? kInput : kOutput;
         if (tensor.direction == expected) continue;
         broken(words + 4 * kDirectionWord, "tensor '{}' has direction {}, its window has {}",
                tensor.name, tensor.direction, expected);
       }
     }},
    {"tensor-stab", "a tensor's shape, strides and type are those of its stab",
     "specification 000, listing 23.6; facts/hwx.md, symbols", kReal,
     [](const Bindings& b, RuleReport& broken) {
       for (const auto& [tensor, words] : b.tensors) {
         const stabs::TensorStab* frame = b.FrameOf(tensor.name);
         if (frame == nullptr) {
           broken(words, "tensor '{}' has no stab", tensor.name);
           continue;
         }
         if (frame->element_type != tensor.element_type) {
           broken(words + 4 * kElementTypeWord, "tensor '{}' is of type {}, its stab of {}",
                  tensor.name, tensor.element_type, frame->element_type);
         }
         constexpr std::string_view kAxes = "nchw";
         for (uint32_t i = 0; i < kAxes.size(); ++i) {
           const stabs::Axis* axis = frame->Find(kAxes[i]);
           if (axis != nullptr && axis->stride == tensor.strides[i] &&
               axis->extent == int64_t{tensor.shape[i]}) {
             continue;
           }
           broken(words + 4 * (kShapeWord + i),
                  "tensor '{}' has {} {} elements {} bytes apart, its stab says otherwise",
                  tensor.name, kAxes[i], tensor.shape[i], tensor.strides[i]);
         }
       }
     }},
    {"tensor-element", "a tensor's element type is in the catalog",
     "specification 000, listing 23.5", kReal,
     [](const Bindings& b, RuleReport& broken) {
       for (const auto& [tensor, words] : b.tensors) {
         if (b.catalog.contains(tensor.element_type)) continue;
         broken(words + 4 * kElementTypeWord, "tensor '{}' is of type {}, which the catalog lacks",
                tensor.name, tensor.element_type);
       }
     }},
    {"tensor-fits-window", "N times the batch stride fits the tensor's window", "nine real files",
     kReal,
     [](const Bindings& b, RuleReport& broken) {
       for (const auto& [tensor, words] : b.tensors) {
         const Section* window = b.WindowOf(tensor.name);
         const uint64_t batch = tensor.shape[0];
         if (window == nullptr || batch == 0 || tensor.strides[0] <= window->size / batch) continue;
         broken(words + 4 * kStrideWord,
                "tensor '{}' takes {} times 0x{:x} bytes, its window has 0x{:x}", tensor.name,
                batch, tensor.strides[0], window->size);
       }
     }},
    {"symbol-type", "a symbol's type is 0x0e, 0x0f, 0x80 or 0x20", "facts/hwx.md, symbols", kReal,
     [](const Bindings& b, RuleReport& broken) {
       // Compilers after 4.2.1 write local symbols of a section (N_SECT without N_EXT in Mach-O).
       constexpr uint8_t kLocalSymbol = 0x0e;
       ForEachSymbol(b.c, [&](const Symbol& symbol, uint64_t at) {
         for (const uint8_t known :
              {kLocalSymbol, kPlaceSymbol, kTypeStabSymbol, kTensorStabSymbol}) {
           if (symbol.type == known) return;
         }
         broken(at + kTypeAt, "symbol '{}' has the unknown type 0x{:x}", symbol.name, symbol.type);
       });
     }},
    {"symbol-section", "a place symbol names a section, a stab names none", "real files", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachSymbol(b.c, [&](const Symbol& symbol, uint64_t at) {
         const size_t sections = b.c.sections.size();
         const bool stab = symbol.type == kTypeStabSymbol || symbol.type == kTensorStabSymbol;
         if (stab && symbol.sect != 0) {
           broken(at + kSectAt, "stab '{}' names section {}", symbol.name, symbol.sect);
         }
         if (symbol.type == kPlaceSymbol && (symbol.sect == 0 || symbol.sect > sections)) {
           broken(at + kSectAt, "symbol '{}' names section {} of {}", symbol.name, symbol.sect,
                  sections);
         }
       });
     }},
    {"symbol-in-section", "a place symbol's value is in its section or at its end",
     "facts/hwx.md, symbols; specification 000, sentinel tiles", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachSymbol(b.c, [&](const Symbol& symbol, uint64_t at) {
         if (symbol.type != kPlaceSymbol || symbol.sect == 0 || symbol.sect > b.c.sections.size()) {
           return;
         }
         const Section& section = b.c.sections[symbol.sect - 1];
         if (symbol.value >= section.addr && symbol.value - section.addr <= section.size) return;
         broken(at + kValueAt,
                "symbol '{}' at 0x{:x} is outside its section at 0x{:x} of 0x{:x} bytes",
                symbol.name, symbol.value, section.addr, section.size);
       });
     }},
    {"stab-shape", "a stab parses as a catalog entry or a stride frame",
     "specification 000, listings 23.5 and 23.6", kReal,
     [](const Bindings& b, RuleReport& broken) {
       for (const Bindings::Stab& stab : b.all_stabs) {
         if (stab.type || stab.tensor) continue;
         const bool type = stab.symbol->type == kTypeStabSymbol;
         broken(stab.at, "{} stab '{}' does not parse", type ? "type" : "tensor",
                stab.symbol->name);
       }
     }},
    {"stab-desc",
     "n_desc is 0 in the stab of a type; in that of a tensor it is the stab's number mod 32",
     "facts/hwx.md, symbols", kReal,
     [](const Bindings& b, RuleReport& broken) {
       for (const Bindings::Stab& stab : b.all_stabs) {
         const uint32_t expected = stab.tensor ? stab.tensor->id % 32 : 0;
         if ((!stab.type && !stab.tensor) || stab.symbol->desc == expected) continue;
         broken(stab.at + kDescAt, "stab '{}' has n_desc {}, expected {}", stab.symbol->name,
                stab.symbol->desc, expected);
       }
     }},
    {"catalog-order", "the catalog's type numbers count up from 1",
     "specification 000, listing 23.5", kReal,
     [](const Bindings& b, RuleReport& broken) {
       for (const Bindings::Stab& stab : b.all_stabs) {
         if (!stab.type || *stab.type == stab.place) continue;
         broken(stab.at, "type stab '{}' is number {}", stab.symbol->name, stab.place);
       }
     }},
    {"tile-aligned", "a tile starts at a multiple of 64 bytes", "facts/hwx.md, weight tiles", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachTile(b.c, [&](const Symbol& symbol, const Section& section, uint64_t at) {
         const uint64_t offset = symbol.value - section.addr;
         if (offset % kTile == 0) return;
         broken(at + kValueAt, "tile '{}' is 0x{:x} bytes into its section", symbol.name, offset);
       });
     }},
    {"tile-lanes", "the lanes of a kernel count up from 0", kTiling, kReal,
     [](const Bindings& b, RuleReport& broken) {
       std::map<std::string_view, uint32_t> lanes;
       ForEachTile(b.c, [&](const Symbol& symbol, const Section&, uint64_t at) {
         const size_t mark = symbol.name.rfind("_ne_");
         if (mark == std::string_view::npos) return;
         const uint32_t next = lanes[symbol.name.substr(0, mark)]++;
         if (symbol.name.substr(mark + 4) == fmt::format("{}", next)) return;
         broken(at, "tile '{}' is not lane {}", symbol.name, next);
       });
     }},
    {"tile-desc", "n_desc is 2 for a live tile and 0 for a sentinel", kTiling, kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachTile(b.c, [&](const Symbol& symbol, const Section& section, uint64_t at) {
         const bool sentinel = symbol.value - section.addr == section.size;
         if (symbol.desc == (sentinel ? 0 : 2)) return;
         broken(at + kDescAt, "tile '{}' has n_desc {} and is {}", symbol.name, symbol.desc,
                sentinel ? "a sentinel" : "live");
       });
     }},
    {"relocation-inside", "a relocated word lies in its section", "facts/hwx.md, relocations",
     kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachRelocation(b.c, [&](const Section& section, const Relocation& r, uint64_t at) {
         if (IsInside(section, r)) return;
         broken(at, "a relocation at 0x{:x} leaves its section of 0x{:x} bytes", r.address,
                section.size);
       });
     }},
    {"relocation-kind", "a relocation is pc-relative, of length 2, against a kernel section",
     "facts/hwx.md, relocations", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachRelocation(b.c, [&](const Section& section, const Relocation& r, uint64_t at) {
         if (!IsInside(section, r) || IsOfKind(b.c, r)) return;
         broken(at + 4, "a relocation at 0x{:x} has info 0x{:x}, which is of another kind",
                r.address, RelocationInfo(r));
       });
     }},
    {"relocation-register", "a relocation patches a coefficient base of a task, at +0x74 + 4i",
     "facts/hwx.md, relocations", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachRelocation(b.c, [&](const Section& section, const Relocation& r, uint64_t at) {
         if (section.tasks == nullptr || !IsInside(section, r) || !IsOfKind(b.c, r)) return;
         if (PatchesBase(section, r)) return;
         broken(at, "a relocation at 0x{:x} is at no coefficient base", r.address);
       });
     }},
    {"relocation-tile", "the relocated word holds the offset of a tile",
     "facts/hwx.md, relocations; specification 000, tile base offsets", kReal,
     [](const Bindings& b, RuleReport& broken) {
       ForEachRelocation(b.c, [&](const Section& section, const Relocation& r, uint64_t) {
         if (section.tasks == nullptr || !IsInside(section, r) || !IsOfKind(b.c, r)) return;
         if (!PatchesBase(section, r)) return;
         const uint32_t offset = LoadU32(section.data.data() + r.address);
         const auto tiles = b.tiles.find(r.symbolnum);
         if (tiles != b.tiles.end() && tiles->second.contains(offset)) return;
         broken(section.offset + static_cast<uint64_t>(r.address),
                "the word at 0x{:x} is 0x{:x}, where no tile begins", r.address, offset);
       });
     }},
});

}  // namespace

std::span<const Rule> Rules() {
  static const std::vector<Rule> all = [] {
    std::vector<Rule> rules;
    for (const std::span<const Rule> group :
         {LayoutRules(), kRules.rules(), td::ContainerRules()}) {
      rules.insert(rules.end(), group.begin(), group.end());
    }
    return rules;
  }();
  return all;
}

std::vector<Violation> Verify(const Container& container) {
  const Bindings bindings(container);
  ViolationList violations;
  VerifyLayout(bindings, violations);
  kRules.Verify(bindings, 0, violations);
  for (const Section& section : container.sections) {
    if (section.tasks != nullptr) td::VerifyChain(*section.tasks, section.offset, violations);
  }
  return std::move(violations).Take();
}

}  // namespace anecheck::hwx
