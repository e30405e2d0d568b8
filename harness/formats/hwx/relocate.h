// Loads a container: places its segments in engine memory. Also moves a container to other
// addresses, as the loader does at every load (specification 000, "re-virtualized per load"). Used
// by `anecheck encode` and `anecheck load`. The rules use IsCoefficientBase.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

// Moves each segment to a new address and adjusts every section, port, base slot, text address and
// place symbol that points into it. The words that relocations patch do not change, because they
// are offsets from a section. `segment_addresses` has one address per segment, in order. Each
// address must be a multiple of 0x4000. Errors: kInvalid if the count or an address is wrong, or if
// two segments would share memory.
Status Rebase(Container& container, std::span<const uint64_t> segment_addresses);

// Moves all segments by the same distance, so that the lowest is at `base`. The guard segment,
// which is at address 0, does not move.
Status RebaseAll(Container& container, uint64_t base);

// Makes room for sections that have grown into their successors. Moves the sections and segments
// after them by whole tiles and pages, in memory and in the file, and adjusts the pointers to them.
// Changes nothing if all sections have room, if an address or offset does not fit in 64 bits, or if
// a section begins before its segment. If the file is longer than its contents, its end moves too.
void MakeRoom(Container& container);

// Compares the addresses and offsets in two containers with the same commands. Returns one text per
// difference, with the path of the JSON member: "commands[1].sections[1].addr from 0x30000280 to
// 0x30000500".
std::vector<std::string> MovedPlaces(const Container& before, const Container& after);

// One segment in memory: `size` bytes at `address`, which are `data` and then zeros.
struct MappedSegment {
  std::string_view name;
  uint64_t address = 0;
  uint64_t size = 0;
  uint32_t protection = 0;
  ByteSpan data;
};

// A relocated word and the device address that the engine reads through it: the address of the
// relocation's section plus the offset in the word.
struct ResolvedWord {
  uint64_t address = 0;
  uint64_t target = 0;
};

struct MemoryImage {
  std::vector<MappedSegment> segments;
  std::vector<ResolvedWord> words;
  // Returns the bytes at [address, address + size). Empty if they are not file bytes of one
  // segment.
  ByteSpan At(uint64_t address, uint64_t size) const;
};

// The result refers to `file`, which must be the bytes that the container was parsed from. Errors:
// kInvalid if a relocation's word is outside its section, or if a relocation names no section.
Result<MemoryImage> Load(const Container& container, ByteSpan file);

// Returns whether the byte at offset `address` of a version-7 chain belongs to a coefficient base
// of a task. Relocations patch coefficient bases (facts/hwx.md, relocations).
bool IsCoefficientBase(const td::Chain& chain, int64_t address);

}  // namespace anecheck::hwx
