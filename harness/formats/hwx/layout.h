// The derived values of a container: sizes, counts and offsets. There is one function per value.
// With it the JSON form leaves out a value that equals the derived value. Used by the JSON form and
// the builder.
#pragma once

#include <cstdint>

#include "harness/formats/hwx/records.h"

namespace anecheck::hwx {

// Returns the size of a command's head and record, without the bytes after the record.
uint64_t RecordSize(const Container& container, const Command& command);

// Each function returns a value that follows from other values in the container.
uint32_t LaidCmdSize(const Container& container, const Command& command);
uint32_t LaidSizeofcmds(const Container& container);
uint64_t LaidSectionSize(const Section& section);
uint32_t LaidSectionOffset(const Segment& segment, const Section& section);
uint32_t LaidSymoff(const Container& container);
uint64_t LaidFileSize(const Container& container);
// Returns the value of a named thread word, if it follows from the names and the tasks.
std::optional<uint32_t> LaidThreadWord(const Container& container, const Thread& thread,
                                       uint32_t word_index);

// Each function returns a record with only the counts and other derived values set (kCounted and
// kFollows in records.h).
Header LaidHeader(const Container& container);
Symtab LaidSymtab(uint32_t symoff, const Symtab& table);
// Relocation tables follow the string table, aligned to 8 bytes. `before` is the last of the
// previous sections that has relocations, or nullptr.
Section LaidSection(const Container& container, const Segment& segment, const Section* before,
                    const Section& section);

// Sets all values of the functions above, in the order of their dependencies. `document` is the
// JSON form of the container. A value in `document` replaces the derived value. A wrong value in it
// sets `status` to an error.
void Layout(Container& container, const Json& document, Status& status);
void Layout(Container& container);

}  // namespace anecheck::hwx
