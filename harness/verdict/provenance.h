// Where evidence comes from, as it is stored and shown. A simulated result is never shown as
// silicon.
#pragma once

#include <cstdint>

#include "harness/verdict/words.h"

namespace anecheck {

enum class Provenance : uint8_t {
  kSilicon,    // an engine answered, with a proof that was checked
  kSimulated,  // the project's simulated engine
  kRoundtrip,  // the project's own readers and writers; no engine
  kReported,   // an external program's or another machine's word
  kPublished,  // a published table
  kEmulated,   // the project's emulator of the engine, run on encoded containers
};

template <>
struct Words<Provenance> {
  static constexpr std::string_view kConcept = "provenance";
  static constexpr auto kTexts = std::to_array<std::string_view>(
      {"silicon", "simulated", "roundtrip", "reported", "published", "emulated"});
};

}  // namespace anecheck
