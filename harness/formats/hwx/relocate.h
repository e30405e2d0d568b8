// The loaded form of a container: its segments in engine memory. This file can also move a
// container to other addresses, as the loader does at every load (specification 000,
// "re-virtualized per load"). `anecheck encode` uses it to move containers, and the rules use a
// part of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

// Moves each segment to the address given for it, and with it every section, port, base slot, text
// address and place symbol that points into it. The words that relocations patch do not change,
// because they are offsets from a section. `segment_addresses` has one address per segment, in
// order, each a multiple of 0x4000. Errors: kInvalid if the count or an address is wrong, or if two
// segments would share memory.
Status Rebase(Container& container, std::span<const uint64_t> segment_addresses);

// Moves all segments by the same distance, so that the lowest is at `base`. The guard segment,
// which is at address 0, stays.
Status RebaseAll(Container& container, uint64_t base);

// Makes room for sections that have grown into their successors. Moves the sections and segments
// behind them by whole tiles and pages, in memory and in the file, and adjusts the pointers to
// them. Changes nothing if all sections have room, if the places do not fit in 64 bits, or if a
// section begins before its segment. If the file is longer than its contents, its end moves too.
void MakeRoom(Container& container);

// The differences between the places in two containers with the same commands, as members of the
// JSON form: "commands[1].sections[1].addr from 0x30000280 to 0x30000500".
std::vector<std::string> MovedPlaces(const Container& before, const Container& after);

// One segment in memory: `size` bytes at `address`, of which the first are `data`; the rest is
// zero.
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
  // The bytes at [address, address + size), or an empty span if they are not all file bytes of one
  // segment.
  ByteSpan At(uint64_t address, uint64_t size) const;
};

// Views into `file`, which must be the container's own bytes. Errors: kInvalid if a relocation's
// word is outside its section, or if a relocation names no section.
Result<MemoryImage> Load(const Container& container, ByteSpan file);

// Whether the byte at offset `address` of a version-7 chain belongs to a coefficient base of a
// task. Relocations patch coefficient bases (facts/hwx.md, relocations).
bool IsCoefficientBase(const td::Chain& chain, int64_t address);

}  // namespace anecheck::hwx
