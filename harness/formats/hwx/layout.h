// The parts that follow from the rest of a container: sizes, counts and places. One function a
// value, so that the JSON form can leave a value out where it follows, and keep it where a file
// differs. Used by the JSON form and the builder.
#pragma once

#include <cstdint>

#include "harness/formats/hwx/records.h"

namespace anecheck::hwx {

uint64_t AlignUp(uint64_t value, uint64_t unit);

// The bytes of a command's head and record, without those behind it.
uint64_t RecordSize(const Container& container, const Command& command);

// Each gives the value that follows from the others as they stand; none changes the container.
uint32_t LaidCmdSize(const Container& container, const Command& command);
uint32_t LaidSizeofcmds(const Container& container);
uint64_t LaidSectionSize(const Section& section);
uint32_t LaidSectionOffset(const Segment& segment, const Section& section);
uint32_t LaidSymoff(const Container& container);
uint64_t LaidFileSize(const Container& container);
// The value of a named thread word that follows from the names and the tasks, where one does.
std::optional<uint32_t> LaidThreadWord(const Container& container, const Thread& thread,
                                       uint32_t word_index);

// Each gives a record that holds the counts and other derived values (kCounted and kFollows of
// records.h), and nothing else.
Header LaidHeader(const Container& container);
Symtab LaidSymtab(uint32_t symoff, const Symtab& table);
// Relocation tables follow the string table, 8-byte aligned. `before` is the last section ahead of
// this one that has relocations, or nullptr.
Section LaidSection(const Container& container, const Segment& segment, const Section* before,
                    const Section& section);

// Lays out a container: sets all of the above, in the order in which they depend on each other.
// Those that `document`, the JSON form of the container, states stand in place of derived ones; a
// wrong one fails `status`.
void Layout(Container& container, const Json& document, Status& status);
void Layout(Container& container);

}  // namespace anecheck::hwx
