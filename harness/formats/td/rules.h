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
  kHeaderOpen,
  kPublishedBlock,
  kPublishedRun,
  kLaterTail,
  kVersionOpen,  // the last: of bare sections only
};

std::span<const Rule> Rules();
// Those that a section within a container can break: its header names the version.
inline std::span<const Rule> ContainerRules() { return Rules().first(kVersionOpen); }

}  // namespace anecheck::td
