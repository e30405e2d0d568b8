#include "harness/formats/hwx/relocate.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/formats/hwx/thread_words.h"

namespace anecheck::hwx {
namespace {

// Where each address goes: the segments before and after.
class Moves {
 public:
  Moves(const Container& container, std::span<const uint64_t> addresses) {
    for (size_t i = 0; i < addresses.size(); ++i) {
      const Segment& segment = container.segments[i];
      if (segment.vmsize != 0) {
        moves_.push_back({segment.vmaddr, segment.vmsize, addresses[i]});
      }
    }
  }

  // The new address; an address in no segment stays. The end of a segment belongs to it only where
  // no other segment begins there.
  uint64_t Apply(uint64_t address) const {
    for (const bool with_end : {false, true}) {
      for (const Move& move : moves_) {
        const bool inside = address >= move.from && address - move.from < move.size;
        const bool at_end = with_end && address == move.from + move.size;
        if (inside || at_end) return move.to + (address - move.from);
      }
    }
    return address;
  }

  bool Disjoint() const {
    std::vector<Move> sorted = moves_;
    std::sort(sorted.begin(), sorted.end(),
              [](const Move& a, const Move& b) { return a.to < b.to; });
    for (size_t i = 1; i < sorted.size(); ++i) {
      if (sorted[i].to - sorted[i - 1].to < sorted[i - 1].size) return false;
    }
    return true;
  }

 private:
  struct Move {
    uint64_t from;
    uint64_t size;
    uint64_t to;
  };
  std::vector<Move> moves_;
};

void MoveThread(Thread& thread, const Moves& moves) {
  if (!IsApertureTable(thread)) return;
  for (uint32_t slot = 0; slot < kBaseSlots; ++slot) {
    const uint64_t base = Pair(thread, 2 * slot);
    if (base != 0) SetPair(thread, 2 * slot, moves.Apply(base));
  }
  SetPair(thread, kTextAddressWord, moves.Apply(Pair(thread, kTextAddressWord)));
}

uint32_t WordAt(ByteSpan data, size_t at) {
  uint32_t word = 0;
  for (size_t i = 0; i < 4; ++i) word |= static_cast<uint32_t>(data[at + i]) << (8 * i);
  return word;
}

}  // namespace

Status Rebase(Container& container, std::span<const uint64_t> segment_addresses) {
  if (segment_addresses.size() != container.segments.size()) {
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("{} addresses for {} segments", segment_addresses.size(),
                                 container.segments.size()));
  }
  for (const uint64_t address : segment_addresses) {
    if (address % kPage != 0) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("address 0x{:x} is no multiple of 0x4000", address));
    }
  }
  for (size_t i = 0; i < segment_addresses.size(); ++i) {
    if (segment_addresses[i] > UINT64_MAX - container.segments[i].vmsize) {
      return MakeError(ErrorCode::kInvalid,
                       fmt::format("segment {} at 0x{:x} would leave the 64-bit addresses", i,
                                   segment_addresses[i]));
    }
  }
  const Moves moves(container, segment_addresses);
  for (const Command& command : container.commands) {
    if (command.opaque || command.cmd != kShortPortCommand) continue;
    const uint64_t to = moves.Apply(container.ports[command.index].vmaddr);
    if (to <= UINT32_MAX) continue;
    return MakeError(ErrorCode::kInvalid,
                     fmt::format("address 0x{:x} does not fit a port of command 0x06, which holds "
                                 "32 bits",
                                 to));
  }
  if (!moves.Disjoint()) {
    return MakeError(ErrorCode::kInvalid, "two segments would share memory");
  }
  for (Symtab& table : container.symtabs) {
    for (Symbol& symbol : table.symbols) {
      if (symbol.type != kPlaceSymbol || symbol.sect == 0 ||
          symbol.sect > container.sections.size()) {
        continue;
      }
      // By its section: the end of one section may be the start of another segment.
      const uint64_t from = container.sections[symbol.sect - 1].addr;
      symbol.value = moves.Apply(from) + (symbol.value - from);
    }
  }
  for (size_t i = 0; i < container.segments.size(); ++i) {
    Segment& segment = container.segments[i];
    for (uint32_t k = 0; k < segment.nsects; ++k) {
      Section& section = container.sections[segment.first_section + k];
      section.addr = segment_addresses[i] + (section.addr - segment.vmaddr);
    }
  }
  for (Port& port : container.ports) port.vmaddr = moves.Apply(port.vmaddr);
  for (Thread& thread : container.threads) MoveThread(thread, moves);
  for (size_t i = 0; i < container.segments.size(); ++i) {
    container.segments[i].vmaddr = segment_addresses[i];
  }
  return {};
}

Status RebaseAll(Container& container, uint64_t base) {
  uint64_t lowest = UINT64_MAX;
  for (const Segment& segment : container.segments) {
    if (segment.vmaddr != 0) lowest = std::min(lowest, segment.vmaddr);
  }
  std::vector<uint64_t> addresses;
  for (const Segment& segment : container.segments) {
    addresses.push_back(segment.vmaddr == 0 ? 0 : segment.vmaddr - lowest + base);
  }
  return Rebase(container, addresses);
}

ByteSpan MemoryImage::At(uint64_t address, uint64_t size) const {
  for (const MappedSegment& segment : segments) {
    if (address < segment.address || address - segment.address > segment.data.size()) continue;
    const uint64_t offset = address - segment.address;
    if (size <= segment.data.size() - offset) return segment.data.subspan(offset, size);
  }
  return {};
}

Result<MemoryImage> Load(const Container& container, ByteSpan file) {
  MemoryImage image;
  for (const Segment& segment : container.segments) {
    if (segment.fileoff > file.size() || segment.filesize > file.size() - segment.fileoff) {
      return MakeError(ErrorCode::kInvalid, "the bytes are not those of this container");
    }
    image.segments.push_back({.name = TextOf(segment.segname),
                              .address = segment.vmaddr,
                              .size = segment.vmsize,
                              .protection = segment.initprot,
                              .data = file.subspan(segment.fileoff, segment.filesize)});
  }
  for (const Section& section : container.sections) {
    for (const Relocation& relocation : section.relocations) {
      const bool inside = relocation.address >= 0 && section.data.size() >= 4 &&
                          static_cast<uint64_t>(relocation.address) <= section.data.size() - 4;
      if (!inside || relocation.symbolnum == 0 ||
          relocation.symbolnum > container.sections.size()) {
        return MakeError(ErrorCode::kInvalid,
                         fmt::format("a relocation at 0x{:x} against section {} cannot be resolved",
                                     relocation.address, relocation.symbolnum));
      }
      const auto at = static_cast<size_t>(relocation.address);
      image.words.push_back(
          {.address = section.addr + at,
           .target = container.sections[relocation.symbolnum - 1].addr + WordAt(section.data, at)});
    }
  }
  return image;
}

bool IsCoefficientBase(const td::Chain& chain, int64_t address) {
  constexpr int64_t kFirst = 0x74;  // CoeffBaseAddr[0] within a task
  constexpr int64_t kCount = 16;
  const auto after = std::upper_bound(
      chain.tasks.begin(), chain.tasks.end(), address,
      [](int64_t value, const td::Task& task) { return value < int64_t{task.offset}; });
  const int64_t within = address - std::prev(after)->offset;
  return within >= kFirst && within < kFirst + 4 * kCount;
}

}  // namespace anecheck::hwx
