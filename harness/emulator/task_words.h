// The 32-bit words of one task, which the loader passes to the decoder. They are the header words,
// the last value of every register that the task writes, and the BAR of each register that an
// address packet wrote.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "harness/base/result.h"
#include "harness/emulator/field_table.h"
#include "harness/formats/td/td.h"

namespace anecheck::emulator {

struct RegisterValue {
  uint32_t address = 0;  // in bytes
  uint32_t value = 0;
  std::optional<uint32_t> bar;  // the BAR of an address packet (H14 and later)
};

struct TaskWords {
  uint32_t index = 0;   // index in the stream, from 0
  uint32_t offset = 0;  // bytes from the start of the text to the task
  std::vector<uint32_t> header;
  std::vector<RegisterValue> registers;  // sorted by address, each address once

  const RegisterValue* Find(uint32_t address) const;
  // Sets the value at an address. It replaces the value of an earlier write to the address.
  void Set(uint32_t address, uint32_t value, std::optional<uint32_t> bar = std::nullopt);
};

// Returns the words of every task of a text section. kUnsupported for a generation without a table.
Result<std::vector<TaskWords>> WordsOf(const td::Chain& chain);

// One value per field.
class FieldValues {
 public:
  uint32_t operator[](Field field) const { return values_[static_cast<size_t>(field)]; }
  uint32_t At(Field field, uint32_t engine) const {
    return values_[static_cast<size_t>(field) + engine];
  }
  void Set(Field field, uint32_t index, uint32_t value) {
    values_[static_cast<size_t>(field) + index] = value;
  }

 private:
  std::array<uint32_t, kFieldValues> values_ = {};
};

// Reads the fields of a task. Error: kUnsupported, with the task, the register, the bits and the
// value, if a word that can change a result has no known meaning. Unknown words that affect only
// scheduling are added to `warnings`.
Result<FieldValues> ReadFields(const FieldTable& table, const TaskWords& words,
                               std::vector<std::string>& warnings);

// The values of SourceType and ResultType other than 0, which means L2.
inline constexpr uint32_t kDmaAndL2 = 1, kDma = 2, kNeighbour = 3;
bool IsDma(uint32_t type);
bool UsesL2(uint32_t type);

// Returns whether a field has an effect in a task with these values.
bool Counts(When when, const FieldValues& values);

// Returns a text such as "task 2, register 0xc804 bits 0-2 (NeuralOperation)".
std::string PlaceOf(const TaskWords& words, const FieldTable::Entry& entry, uint32_t index);

}  // namespace anecheck::emulator
