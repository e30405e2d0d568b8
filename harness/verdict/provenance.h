// The origin of evidence, as it is stored and shown. A simulated result is never shown as silicon.
#pragma once

#include <cstdint>

#include "harness/verdict/words.h"

namespace anecheck {

// The provenances are sorted by their texts; reports list them in this order.
enum class Provenance : uint8_t {
  kEmulated,   // the project's emulator of the engine, run on encoded containers
  kPublished,  // a published table
  kReported,   // stated by an external program or another machine
  kRoundtrip,  // the project's own readers and writers; no engine
  kSilicon,    // an engine answered, with a proof that was checked
  kSimulated,  // the project's simulated engine
};

template <>
struct Words<Provenance> {
  static constexpr std::string_view kConcept = "provenance";
  static constexpr auto kTexts = std::to_array<std::string_view>(
      {"emulated", "published", "reported", "roundtrip", "silicon", "simulated"});
};

}  // namespace anecheck
