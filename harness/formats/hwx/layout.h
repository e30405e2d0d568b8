// The derived parts of a container: sizes, counts and places. There is one function per value, so
// that the JSON form can leave out a value that follows from others and keep one that differs. Used
// by the JSON form and the builder.
#pragma once

#include <cstdint>

#include "harness/formats/hwx/records.h"

namespace anecheck::hwx {

// The size of a command's head and record, without the bytes behind the record.
uint64_t RecordSize(const Container& container, const Command& command);

// Each function returns the value that follows from the others in the container; none changes the
// container.
uint32_t LaidCmdSize(const Container& container, const Command& command);
uint32_t LaidSizeofcmds(const Container& container);
uint64_t LaidSectionSize(const Section& section);
uint32_t LaidSectionOffset(const Segment& segment, const Section& section);
uint32_t LaidSymoff(const Container& container);
uint64_t LaidFileSize(const Container& container);
// The value of a named thread word, if it follows from the names and the tasks.
std::optional<uint32_t> LaidThreadWord(const Container& container, const Thread& thread,
                                       uint32_t word_index);

// Each function returns a record with only the counts and other derived values set (kCounted and
// kFollows in records.h).
Header LaidHeader(const Container& container);
Symtab LaidSymtab(uint32_t symoff, const Symtab& table);
// Relocation tables follow the string table, 8-byte aligned. `before` is the last section ahead of
// this one that has relocations, or nullptr.
Section LaidSection(const Container& container, const Segment& segment, const Section* before,
                    const Section& section);

// Lays out a container: sets all values of the functions above, in the order of their dependencies.
// If `document`, the JSON form of the container, states a value, that value replaces the derived
// one. A wrong value sets `status` to an error.
void Layout(Container& container, const Json& document, Status& status);
void Layout(Container& container);

}  // namespace anecheck::hwx
