// What follows from the rest of a container: sizes, counts and places. One function a value, so
// that the JSON form can leave a value out where it follows, and keep it where a file differs.
// Used by the JSON form and the builder.
#pragma once

#include <cstdint>

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

uint64_t AlignUp(uint64_t value, uint64_t unit);

// The bytes of a command's record, without what stands behind it.
uint64_t RecordSize(const Container& container, const Command& command);

// Each gives the value that follows from the others as they stand; none changes the container.
uint32_t LaidCmdSize(const Container& container, const Command& command);
uint32_t LaidSizeofcmds(const Container& container);
uint64_t LaidSectionSize(const Section& section);
uint32_t LaidSectionOffset(const Segment& segment, const Section& section);
uint32_t LaidSymoff(const Container& container);
uint32_t LaidStroff(const Symtab& table);
uint32_t LaidStrsize(const Symtab& table);
// The strx of each symbol where names stand in order.
std::vector<uint32_t> LaidStrx(const Symtab& table);
// The relocation table offset of a section: tables follow the string table, 8-byte aligned.
// `before` is the last section ahead of it that has relocations, or nullptr.
uint32_t LaidReloff(const Container& container, const Section* before, const Section& section);
uint64_t LaidFileSize(const Container& container);
// The value of a named thread word that follows from the names and the tasks, where one does.
std::optional<uint32_t> LaidThreadWord(const Container& container, const Thread& thread,
                                       uint32_t word_index);

// Sets all of the above, in the order in which they depend on each other, as well as the counts.
void Layout(Container& container);

}  // namespace anecheck::hwx
