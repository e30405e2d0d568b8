// The named words of thread commands: the aperture table of flavor 1 and the tensor record of
// flavor 3. Source: facts/hwx.md, thread command rows. Words that only the nine examined real files
// confirm have the evidence kAssumed. Used by the hwx codec, rules, print and builder.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "harness/formats/hwx/container.h"

namespace anecheck::hwx {

inline constexpr uint32_t kBaseSlots = 256;  // flavor 1: words 0 to 511, two per slot
inline constexpr uint32_t kTextSlot = 0;
inline constexpr uint32_t kConstSlot = 1;
inline constexpr uint32_t kBssSlot = 3;
inline constexpr uint32_t kFirstIoSlot = 4;

inline constexpr uint32_t kTextAddressWord = 512;
inline constexpr uint32_t kFirstTaskWordsWord = 514;
inline constexpr uint32_t kTaskCountWord = 515;
inline constexpr uint32_t kProcedureNameWord = 523;
inline constexpr uint32_t kHeaderCountOld = 0x214;  // compilers 4 and 5
inline constexpr uint32_t kHeaderCountNew = 0x21a;  // compilers 7.6 and later

inline constexpr uint32_t kDirectionWord = 1;
inline constexpr uint32_t kTensorProcedureWord = 2;
inline constexpr uint32_t kTensorNameWord = 4;
inline constexpr uint32_t kElementTypeWord = 5;
inline constexpr uint32_t kShapeWord = 6;    // N, C, H, W
inline constexpr uint32_t kStrideWord = 16;  // N, C, H, W, two words each
inline constexpr uint32_t kByteSizeWord = 24;
inline constexpr uint32_t kSymbolNameWord = 27;
inline constexpr uint32_t kByteExtentWord = 28;
inline constexpr uint32_t kTensorCountOld = 0x1e;   // compiler 4
inline constexpr uint32_t kTensorCountNew = 0x34a;  // compilers 5 and later

inline constexpr uint32_t kInput = 1;
inline constexpr uint32_t kOutput = 2;

// A named word or pair of words of a thread command.
struct ThreadWord {
  uint32_t index;
  std::string_view name;
  uint8_t words;            // 1 or 2
  bool is_name_offset;      // the value is the byte offset of a name from the command's start
  uint32_t only_for_count;  // 0: any count
  FactEvidence evidence;
};

// ThreadWords returns the named words of a flavor, in order, or none if the flavor is unknown.
// Applies returns whether `thread` has the named word, which depends on its number of words.
std::span<const ThreadWord> ThreadWords(uint32_t flavor);
bool Applies(const ThreadWord& word, const Thread& thread);

uint64_t ThreadValue(const Thread& thread, const ThreadWord& word);
void SetThreadValue(Thread& thread, const ThreadWord& word, uint64_t value);
uint64_t Pair(const Thread& thread, uint32_t index);
void SetPair(Thread& thread, uint32_t index, uint64_t value);

// IsApertureTable is true for a flavor 1 thread with the whole aperture table. IsTensor is true for
// a flavor 3 thread with at least kTensorCountOld words.
bool IsApertureTable(const Thread& thread);
bool IsTensor(const Thread& thread);

// The contents of a flavor 3 thread. Strides are in bytes.
struct TensorRecord {
  uint32_t direction = 0;
  std::string_view name;
  uint32_t element_type = 0;
  std::array<uint32_t, 4> shape = {};    // N, C, H, W
  std::array<uint64_t, 4> strides = {};  // N, C, H, W
};
TensorRecord TensorOf(const Thread& thread);

// Returns the offset of the k-th name of a thread, in bytes from the command's start. The names
// follow the thread's words, one after another.
uint32_t NameOffset(const Thread& thread, size_t k);
// Returns the name at an offset, or "" if there is none.
std::string_view NameAt(const Thread& thread, uint64_t offset);

}  // namespace anecheck::hwx
