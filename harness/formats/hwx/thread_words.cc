#include "harness/formats/hwx/thread_words.h"

#include <array>

#include "harness/formats/hwx/records.h"

namespace anecheck::hwx {
namespace {

constexpr auto kHeaderWords = std::to_array<ThreadWord>({
    {kTextAddressWord, "text_address", 2, false, 0, FactEvidence::kRealFile},
    {kFirstTaskWordsWord, "first_task_words", 1, false, 0, FactEvidence::kRealFile},
    {kTaskCountWord, "task_count", 1, false, 0, FactEvidence::kRealFile},
    {kProcedureNameWord, "name_offset", 1, true, 0, FactEvidence::kRealFile},
});

// byte_size, symbol_offset and byte_extent are names of this project. They describe the values in
// all nine real files that were examined, whose records have 30 words.
constexpr auto kTensorWords = std::to_array<ThreadWord>({
    {kDirectionWord, "direction", 1, false, 0, FactEvidence::kRealFile},
    {kTensorProcedureWord, "procedure_offset", 1, true, 0, FactEvidence::kRealFile},
    {kTensorNameWord, "name_offset", 1, true, 0, FactEvidence::kRealFile},
    {kElementTypeWord, "element_type", 1, false, 0, FactEvidence::kRealFile},
    {kShapeWord, "n", 1, false, 0, FactEvidence::kRealFile},
    {kShapeWord + 1, "c", 1, false, 0, FactEvidence::kRealFile},
    {kShapeWord + 2, "h", 1, false, 0, FactEvidence::kRealFile},
    {kShapeWord + 3, "w", 1, false, 0, FactEvidence::kRealFile},
    {kStrideWord, "stride_n", 2, false, 0, FactEvidence::kRealFile},
    {kStrideWord + 2, "stride_c", 2, false, 0, FactEvidence::kRealFile},
    {kStrideWord + 4, "stride_h", 2, false, 0, FactEvidence::kRealFile},
    {kStrideWord + 6, "stride_w", 2, false, 0, FactEvidence::kRealFile},
    {kByteSizeWord, "byte_size", 2, false, kTensorCountOld, FactEvidence::kAssumed},
    {kSymbolNameWord, "symbol_offset", 1, true, kTensorCountOld, FactEvidence::kAssumed},
    {kByteExtentWord, "byte_extent", 2, false, kTensorCountOld, FactEvidence::kAssumed},
});

}  // namespace

std::span<const ThreadWord> ThreadWords(uint32_t flavor) {
  if (flavor == kHeaderFlavor) return kHeaderWords;
  if (flavor == kTensorFlavor) return kTensorWords;
  return {};
}

bool Applies(const ThreadWord& word, const Thread& thread) {
  if (thread.flavor == kHeaderFlavor ? !IsApertureTable(thread) : !IsTensor(thread)) return false;
  return word.only_for_count == 0 || word.only_for_count == thread.words.size();
}

uint64_t Pair(const Thread& thread, uint32_t index) {
  return thread.words[index] | static_cast<uint64_t>(thread.words[index + 1]) << 32;
}

void SetPair(Thread& thread, uint32_t index, uint64_t value) {
  thread.words[index] = static_cast<uint32_t>(value);
  thread.words[index + 1] = static_cast<uint32_t>(value >> 32);
}

uint64_t ThreadValue(const Thread& thread, const ThreadWord& word) {
  return word.words == 2 ? Pair(thread, word.index) : thread.words[word.index];
}

void SetThreadValue(Thread& thread, const ThreadWord& word, uint64_t value) {
  if (word.words == 2) {
    SetPair(thread, word.index, value);
  } else {
    thread.words[word.index] = static_cast<uint32_t>(value);
  }
}

bool IsApertureTable(const Thread& thread) {
  return thread.flavor == kHeaderFlavor && thread.words.size() > kProcedureNameWord;
}

bool IsTensor(const Thread& thread) {
  return thread.flavor == kTensorFlavor && thread.words.size() >= kTensorCountOld;
}

uint32_t NameOffset(const Thread& thread, size_t k) {
  size_t offset = kCommandHead + kThreadRecord.kSize + 4 * thread.words.size();
  for (size_t i = 0; i < k && i < thread.names.size(); ++i) offset += thread.names[i].size() + 1;
  return static_cast<uint32_t>(offset);
}

std::string_view NameAt(const Thread& thread, uint64_t offset) {
  for (size_t k = 0; k < thread.names.size(); ++k) {
    if (NameOffset(thread, k) == offset) return thread.names[k];
  }
  return {};
}

TensorRecord TensorOf(const Thread& thread) {
  TensorRecord record;
  record.direction = thread.words[kDirectionWord];
  record.name = NameAt(thread, thread.words[kTensorNameWord]);
  record.element_type = thread.words[kElementTypeWord];
  for (uint32_t i = 0; i < 4; ++i) {
    record.shape[i] = thread.words[kShapeWord + i];
    record.strides[i] = Pair(thread, kStrideWord + 2 * i);
  }
  return record;
}

}  // namespace anecheck::hwx
