// The rules of task descriptors by index, in the order of the table in verify.cc. The hwx format
// lists them with its own.
#pragma once

#include <span>

#include "harness/formats/format.h"

namespace anecheck::td {

enum RuleIndex : size_t {
  kTaskPosition,
  kNextSize,
  kNextStep,
  kWriteInBlock,
  kRunInBlock,
  kWordAddress,
  kTail,
  kReservedBits,
  kTaskId,
  kSectionHeader,
  kHeaderWords,
};

std::span<const Rule> Rules();

}  // namespace anecheck::td
