#include "harness/formats/hwx/relocate.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "harness/base/round_up.h"
#include "harness/formats/hwx/layout.h"
#include "harness/formats/hwx/thread_words.h"

namespace anecheck::hwx {
namespace {

// Maps addresses or file offsets from old ranges to new ranges.
class Moves {
 public:
  void Add(uint64_t from, uint64_t size, uint64_t to) {
    if (size != 0) moves_.push_back({from, size, to});
  }

  // Returns the new address. An address in no range does not change. The end of a range moves with
  // the range unless another range begins there.
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

// Adjusts the pointers into segments. Precondition: the sections still have their old addresses.
void MoveReferences(Container& container, const Moves& moves) {
  for (Symtab& table : container.symtabs) {
    for (Symbol& symbol : table.symbols) {
      if (symbol.type != kPlaceSymbol || symbol.sect == 0 ||
          symbol.sect > container.sections.size()) {
        continue;
      }
      // Moves the symbol with its section, because the end of a section may be the start of another
      // segment.
      const uint64_t from = container.sections[symbol.sect - 1].addr;
      symbol.value = moves.Apply(from) + (symbol.value - from);
    }
  }
  for (Port& port : container.ports) port.vmaddr = moves.Apply(port.vmaddr);
  for (Thread& thread : container.threads) MoveThread(thread, moves);
}

// Returns the indices of the non-empty `places`, sorted by begin.
template <typename Place>
std::vector<size_t> InOrder(std::span<const Place> places, uint64_t Place::* begin,
                            uint64_t Place::* size) {
  std::vector<size_t> order(places.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t i) { return places[i].*size == 0; });
  std::ranges::sort(order, {}, [&](size_t i) { return std::pair(places[i].*begin, i); });
  return order;
}

// Moves each object that begins inside the previous object to the first multiple of `unit` after
// that object. Other objects do not move. Returns false if an end does not fit in 64 bits.
template <typename Place>
bool PushApart(std::span<Place> places, uint64_t Place::* begin, uint64_t Place::* size,
               uint64_t unit) {
  uint64_t end = 0;
  for (const size_t i : InOrder(std::span<const Place>(places), begin, size)) {
    Place& place = places[i];
    if (place.*begin < end) {
      const auto behind = CheckedRoundUp(end, unit);
      if (!behind) return false;
      place.*begin = *behind;
    }
    const auto next = CheckedAdd(place.*begin, place.*size);
    if (!next) return false;
    end = *next;
  }
  return true;
}

// The address range of a section.
struct Extent {
  uint64_t addr = 0;
  uint64_t size = 0;
};

// Returns the ranges of a segment's sections, moved so that none overlap. Returns nothing if an
// address does not fit in 64 bits.
std::optional<std::vector<Extent>> RoomyExtents(std::span<const Section> sections) {
  std::vector<Extent> extents;
  for (const Section& section : sections) extents.push_back({section.addr, section.size});
  if (!PushApart(std::span(extents), &Extent::addr, &Extent::size, kTile)) return std::nullopt;
  return extents;
}

// Enlarges a segment so that it contains its sections. Returns false if a section begins before the
// segment, or if the size does not fit in 64 bits.
bool Grow(Segment& segment, std::span<const Section> sections, std::span<const Extent> extents) {
  for (size_t i = 0; i < extents.size(); ++i) {
    if (extents[i].addr < segment.vmaddr) return false;
    const uint64_t end = extents[i].addr - segment.vmaddr + extents[i].size;
    const auto size = CheckedRoundUp(end, kPage);
    if (!size) return false;
    if (end > segment.vmsize) segment.vmsize = *size;
    if (sections[i].in_file && end > segment.filesize) segment.filesize = *size;
  }
  return true;
}

// Adds the moves of the ranges between the starts of sections. The last range ends with the
// segment.
void AddMoves(const Segment& from, const Segment& to, std::span<const Section> sections,
              std::span<const Extent> extents, Moves& moves) {
  uint64_t begin = from.vmaddr;
  uint64_t target = to.vmaddr;
  std::vector<Extent> starts;
  for (const Section& section : sections) starts.push_back({section.addr, 1});
  for (const size_t i : InOrder(std::span<const Extent>(starts), &Extent::addr, &Extent::size)) {
    if (starts[i].addr < begin) continue;
    moves.Add(begin, starts[i].addr - begin, target);
    begin = starts[i].addr;
    target = to.vmaddr + (extents[i].addr - from.vmaddr);
  }
  const uint64_t end = from.vmaddr + from.vmsize;
  moves.Add(begin, end > begin ? end - begin : 0, target);
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
                       fmt::format("segment {} at 0x{:x} would exceed 64-bit addresses", i,
                                   segment_addresses[i]));
    }
  }
  Moves moves;
  for (size_t i = 0; i < segment_addresses.size(); ++i) {
    const Segment& segment = container.segments[i];
    moves.Add(segment.vmaddr, segment.vmsize, segment_addresses[i]);
  }
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
  MoveReferences(container, moves);
  for (size_t i = 0; i < container.segments.size(); ++i) {
    Segment& segment = container.segments[i];
    for (uint32_t k = 0; k < segment.nsects; ++k) {
      Section& section = container.sections[segment.first_section + k];
      section.addr = segment_addresses[i] + (section.addr - segment.vmaddr);
    }
  }
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
  addresses.reserve(container.segments.size());
  for (const Segment& segment : container.segments) {
    addresses.push_back(segment.vmaddr == 0 ? 0 : segment.vmaddr - lowest + base);
  }
  return Rebase(container, addresses);
}

void MakeRoom(Container& container) {
  std::vector<Segment> roomy = container.segments;
  std::vector<std::vector<Extent>> extents;
  for (Segment& segment : roomy) {
    const std::span<const Section> sections = container.SectionsOf(segment);
    auto apart = RoomyExtents(sections);
    if (!apart || !Grow(segment, sections, *apart)) return;
    extents.push_back(*std::move(apart));
  }
  if (!PushApart(std::span(roomy), &Segment::vmaddr, &Segment::vmsize, kPage) ||
      !PushApart(std::span(roomy), &Segment::fileoff, &Segment::filesize, kPage)) {
    return;
  }
  Moves memory;
  Moves file;
  for (size_t i = 0; i < roomy.size(); ++i) {
    const Segment& from = container.segments[i];
    AddMoves(from, roomy[i], container.SectionsOf(from), extents[i], memory);
    file.Add(from.fileoff, from.filesize, roomy[i].fileoff);
  }
  MoveReferences(container, memory);
  for (size_t i = 0; i < roomy.size(); ++i) {
    const Segment& from = container.segments[i];
    for (uint32_t k = 0; k < from.nsects; ++k) {
      Section& section = container.sections[from.first_section + k];
      const bool laid = section.offset == LaidSectionOffset(from, section);
      section.addr = roomy[i].vmaddr + (extents[i][k].addr - from.vmaddr);
      if (laid) section.offset = LaidSectionOffset(roomy[i], section);
    }
  }
  container.segments = std::move(roomy);
  for (Note& note : container.notes) note.offset = file.Apply(note.offset);
  for (Region& region : container.regions) region.offset = file.Apply(region.offset);
  container.file_size = std::max(container.file_size, LaidFileSize(container));
}

std::vector<std::string> MovedPlaces(const Container& before, const Container& after) {
  std::vector<std::string> places;
  const auto compare = [&](const std::string& path, uint64_t from, uint64_t to) {
    if (from != to) places.push_back(fmt::format("{} from 0x{:x} to 0x{:x}", path, from, to));
  };
  const auto compare_segment = [&](const std::string& path, uint32_t index) {
    const Segment& from = before.segments[index];
    const Segment& to = after.segments[index];
    compare(path + ".vmaddr", from.vmaddr, to.vmaddr);
    compare(path + ".vmsize", from.vmsize, to.vmsize);
    compare(path + ".fileoff", from.fileoff, to.fileoff);
    compare(path + ".filesize", from.filesize, to.filesize);
    for (uint32_t k = 0; k < from.nsects; ++k) {
      compare(fmt::format("{}.sections[{}].addr", path, k),
              before.sections[from.first_section + k].addr,
              after.sections[to.first_section + k].addr);
    }
  };
  const auto compare_thread = [&](const std::string& path, const Thread& from, const Thread& to) {
    if (!IsApertureTable(from)) return;
    for (uint32_t slot = 0; slot < kBaseSlots; ++slot) {
      compare(fmt::format("{}.base_slots.{}", path, slot), Pair(from, 2 * slot),
              Pair(to, 2 * slot));
    }
    compare(path + ".text_address", Pair(from, kTextAddressWord), Pair(to, kTextAddressWord));
  };
  for (size_t i = 0; i < before.commands.size(); ++i) {
    const Command& command = before.commands[i];
    if (command.opaque) continue;
    const std::string path = fmt::format("commands[{}]", i);
    const uint32_t index = command.index;
    if (command.cmd == kSegmentCommand) compare_segment(path, index);
    if (command.cmd == kThreadCommand) {
      compare_thread(path, before.threads[index], after.threads[index]);
    }
    if (command.cmd == kShortPortCommand || command.cmd == kPortCommand) {
      compare(path + ".vmaddr", before.ports[index].vmaddr, after.ports[index].vmaddr);
    }
    if (command.cmd == kNoteCommand) {
      compare(path + ".offset", before.notes[index].offset, after.notes[index].offset);
    }
    if (command.cmd != kSymtabCommand) continue;
    for (size_t k = 0; k < before.symtabs[index].symbols.size(); ++k) {
      compare(fmt::format("{}.symbols[{}].value", path, k), before.symtabs[index].symbols[k].value,
              after.symtabs[index].symbols[k].value);
    }
  }
  for (size_t i = 0; i < before.regions.size(); ++i) {
    compare(fmt::format("unclaimed[{}].offset", i), before.regions[i].offset,
            after.regions[i].offset);
  }
  return places;
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
